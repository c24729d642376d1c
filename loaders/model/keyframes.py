"""Named states of a scene."""

from __future__ import annotations

from dataclasses import dataclass

from loaders.diagnostics import NOWHERE, Where


@dataclass(frozen=True, slots=True, kw_only=True)
class Keyframe:
    """A named position of some joints; the others are at their initial position."""

    name: str
    """Scoped name, unique among the keyframes."""
    joints: tuple[str, ...]
    """Names of the joints."""
    positions: tuple[tuple[float, ...], ...]
    """Position of each of these joints [rad or m]: a quaternion for a ball joint, and for a floating joint the position
    and the quaternion of its link in the world."""
    where: Where = NOWHERE
