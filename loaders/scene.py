"""The scene: the data of a model, with the queries on it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from loaders.reading.deferred import Deferred

from .display.finding_list import FindingList
from .loss_summary import LossSummary
from .model import SceneData
from .safety.limits import Limits
from .scene_queries.conformance_format import to_dict
from .scene_queries.excluded_pairs import excluded_pairs

_scene_card: Callable[..., str] = Deferred("loaders.display.scene_card:scene_card")


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Scene(SceneData):
    """The content of one file and of the files that it includes; see `loaders.model.SceneData` for the fields."""

    def __post_init__(self) -> None:
        """Give the diagnostics their form for notebooks."""
        object.__setattr__(self, "diagnostics", FindingList(self.diagnostics))

    def _repr_html_(self) -> str:
        return _scene_card(self, "Scene")

    def __repr__(self) -> str:
        counts = ((self.models, "model"), (self.links, "link"), (self.joints, "joint"))
        text = ", ".join(f"{len(items)} {noun}{'' if len(items) == 1 else 's'}" for items, noun in counts)
        source = f" from {self.source[-80:]}" if self.source else ""
        return f"<Scene {self.name[:60]!r}: {text}{source}>"

    def to_dict(self, *, limits: Limits | None = None) -> dict[str, Any]:
        """Return the scene as plain data in the conformance format, which ``sdfbridge info --json`` prints.

        Args:
            limits: Limits on the call, of which ``pairs`` counts.

        Raises:
            LoadError: if more pairs of links are excluded than the limit.
        """
        with LossSummary(self.source, quiet=True, limits=limits):
            return to_dict(self)

    def excluded_collision_pairs(
        self, policy: str | None = None, *, limits: Limits | None = None
    ) -> frozenset[frozenset[str]]:
        """Return the pairs of links with collisions that are excluded from contact; see `excluded_pairs`.

        Args:
            policy: The rule for pairs that no filter group names: ``drake``, ``sdformat``, ``mujoco`` or ``pybullet``;
                None is that of the source's format.
            limits: Limits on the call, of which ``pairs`` counts.

        Raises:
            LoadError: if there are more pairs than the limit.
            ValueError: if the policy is unknown.
        """
        with LossSummary(self.source, quiet=True, limits=limits):
            return excluded_pairs(self, policy)
