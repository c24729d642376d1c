"""The flags of ``loadURDF``: those that are always set, those that the caller may set, and those that are ignored."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from bridge.bullet.target import TARGET
from loaders.diagnostics import Diagnostics, Fate

ALWAYS = ("URDF_USE_INERTIA_FROM_FILE", "URDF_MAINTAIN_LINK_ORDER", "URDF_USE_IMPLICIT_CYLINDER")
"""Flags set for every body, so that PyBullet uses the values in the document."""

IGNORED = {
    "URDF_USE_SELF_COLLISION": "the policy decides which links collide",
    "URDF_USE_SELF_COLLISION_EXCLUDE_PARENT": "the policy decides which links collide",
    "URDF_USE_SELF_COLLISION_EXCLUDE_ALL_PARENTS": "the policy decides which links collide",
    "URDF_USE_SELF_COLLISION_INCLUDE_PARENT": "the policy decides which links collide",
    "URDF_MERGE_FIXED_LINKS": "links keep their names and indices",
    "URDF_ENABLE_CACHED_GRAPHICS_SHAPES": "the cache is keyed by file names, which change with every load",
}
"""Flags that are ignored, each with the reason."""

ALLOWED = (
    "URDF_GLOBAL_VELOCITIES_MB", "URDF_ENABLE_SLEEPING", "URDF_ENABLE_WAKEUP", "URDF_INITIALIZE_SAT_FEATURES",
    "URDF_IGNORE_VISUAL_SHAPES", "URDF_IGNORE_COLLISION_SHAPES", "URDF_PRINT_URDF_INFO",
    "URDF_USE_MATERIAL_COLORS_FROM_MTL", "URDF_USE_MATERIAL_TRANSPARANCY_FROM_MTL", "URDF_GOOGLEY_UNDEFINED_COLORS",
)  # fmt: skip
"""Flags that the caller may set.

Printed text becomes a diagnostic. The last flag has no effect because every color is defined."""


def allowed_flags(flags: int, modes: Any, diagnostics: Diagnostics) -> int:
    """Return those of the caller's flags that PyBullet is given.

    Args:
        flags: The caller's flags.
        modes: The module with PyBullet's constants.
        diagnostics: Record of flags that are ignored.
    """
    ignored = [f"{name} ({reason})" for name, reason in IGNORED.items() if flags & getattr(modes, name)]
    unknown = flags & ~_bits((*ALWAYS, *IGNORED, *ALLOWED), modes)
    if unknown:
        ignored.append(f"{unknown:#x} (unknown to PyBullet)")
    if ignored:
        diagnostics.add(
            Fate.NOTED, "pybullet.flag-ignored", "flags ignored: {flags}", target=TARGET, flags=tuple(ignored)
        )
    return flags & _bits(ALLOWED, modes)


def required_flags(modes: Any) -> int:
    """Return the flags that every body is loaded with."""
    return _bits(ALWAYS, modes)


def _bits(names: Iterable[str], modes: Any) -> int:
    return sum(int(getattr(modes, name)) for name in names)
