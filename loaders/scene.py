"""The scene: the data of a model, and what is computed from it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from .model import SceneData
from .scene_queries.conformance_format import to_dict
from .scene_queries.excluded_pairs import excluded_pairs


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Scene(SceneData):
    """Everything that one file means, with what it includes; see `loaders.model` for the fields."""

    def to_dict(self) -> dict[str, Any]:
        """Return plain data in the conformance format: what ``sdfbridge info --json`` prints."""
        return to_dict(self)

    def excluded_collision_pairs(self, policy: str = "drake") -> frozenset[frozenset[str]]:
        """Return the pairs of links with collisions that never touch; see `loaders.scene_queries.excluded_pairs`.

        Args:
            policy: The rule for pairs that no filter group names; a key of `POLICIES` there.

        Raises:
            ValueError: for an unknown policy.
        """
        return excluded_pairs(self, policy)
