"""The flags of ``loadURDF``, one by one: which hold, which hold anyway, and which the file and the policy decide."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from bridge.bullet.urdf.segments import TARGET
from loaders.diagnostics import Diagnostics, Fate

ALWAYS = ("URDF_USE_INERTIA_FROM_FILE", "URDF_MAINTAIN_LINK_ORDER", "URDF_USE_IMPLICIT_CYLINDER")
"""Set for every body, so that it is what the file says."""

DECIDED = {
    "URDF_USE_SELF_COLLISION": "the policy decides which links touch",
    "URDF_USE_SELF_COLLISION_EXCLUDE_PARENT": "the policy decides which links touch",
    "URDF_USE_SELF_COLLISION_EXCLUDE_ALL_PARENTS": "the policy decides which links touch",
    "URDF_USE_SELF_COLLISION_INCLUDE_PARENT": "the policy decides which links touch",
    "URDF_MERGE_FIXED_LINKS": "links keep their names and indices",
    "URDF_ENABLE_CACHED_GRAPHICS_SHAPES": "it goes by names of files, which are new for every load",
}
"""Ignored, each with why."""

HONOURED = (
    "URDF_GLOBAL_VELOCITIES_MB", "URDF_ENABLE_SLEEPING", "URDF_ENABLE_WAKEUP", "URDF_INITIALIZE_SAT_FEATURES",
    "URDF_IGNORE_VISUAL_SHAPES", "URDF_IGNORE_COLLISION_SHAPES", "URDF_PRINT_URDF_INFO",
    "URDF_USE_MATERIAL_COLORS_FROM_MTL", "URDF_USE_MATERIAL_TRANSPARANCY_FROM_MTL", "URDF_GOOGLEY_UNDEFINED_COLORS",
)  # fmt: skip
"""Handed on to PyBullet. What it prints is a diagnostic; no colour is undefined, so that the last does nothing."""


def permitted(flags: int, modes: Any, diagnostics: Diagnostics) -> int:
    """Those of the caller's flags that PyBullet is given.

    Args:
        flags: Of the caller.
        modes: Where PyBullet's constants are.
        diagnostics: Where those that are ignored are told.
    """
    ignored = [f"{name} ({why})" for name, why in DECIDED.items() if flags & getattr(modes, name)]
    unknown = flags & ~_bits((*ALWAYS, *DECIDED, *HONOURED), modes)
    if unknown:
        ignored.append(f"{unknown:#x} (PyBullet has no such flag)")
    if ignored:
        diagnostics.add(
            Fate.NOTED,
            "pybullet.flag-ignored",
            "these flags are ignored: {names}",
            target=TARGET,
            names=", ".join(ignored),
        )
    return flags & _bits(HONOURED, modes)


def always(modes: Any) -> int:
    """What every body is loaded with."""
    return _bits(ALWAYS, modes)


def _bits(names: Iterable[str], modes: Any) -> int:
    return sum(int(getattr(modes, name)) for name in names)
