"""SDFormat and URDF robots in PyBullet and MuJoCo, with proof that both run the same robot.

This package offers the public names of `loaders` and `bridge`, which hold the code. Importing it
imports neither; a name is imported when it is first used. ``import sdfbridge.mujoco_plugin`` lets
MuJoCo open SDFormat files.

Example:
    >>> import sdfbridge
    >>> scene = sdfbridge.load("assets/double_pendulum.urdf")
    >>> [joint.name for joint in scene.joints]
    ['mount', 'shoulder', 'elbow']
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from .location import require_own_packages

if TYPE_CHECKING:
    from bridge import (
        BatchOutcome,
        BatchResult,
        Fix,
        Mechanism,
        ShapeCertificate,
        batch,
        compare,
        compare_files,
        export_directives,
        export_mjcf,
        export_sdf,
        export_urdf,
        fix,
        load_copies_into_pybullet,
        load_into_pybullet,
        load_world_into_pybullet,
        lower,
        overlaps_in_motion,
        passive_forces,
        replay,
        shape_certificates,
        shapes_picture,
        to_directives,
        to_mjcf,
        to_mjspec,
        to_sdf,
        to_urdf,
        view,
        view_motion,
    )
    from bridge import parity as parity
    from loaders import (
        WORLD,
        Diagnostic,
        ExportError,
        Fate,
        Limits,
        LoadError,
        LoadOptions,
        Lookup,
        LossWarning,
        ModelError,
        Pose,
        Scene,
        Search,
        SpatialInertia,
        Where,
        load,
        load_string,
        resolve,
    )

__all__ = [
    "WORLD", "BatchOutcome", "BatchResult", "Diagnostic", "ExportError", "Fate", "Fix", "Limits",
    "LoadError", "LoadOptions", "Lookup", "LossWarning", "Mechanism", "ModelError", "Pose", "Scene",
    "Search", "ShapeCertificate", "SpatialInertia", "Where", "batch", "compare", "compare_files",
    "export_directives", "export_mjcf", "export_sdf", "export_urdf", "fix", "load",
    "load_copies_into_pybullet", "load_into_pybullet", "load_string", "load_world_into_pybullet",
    "lower", "overlaps_in_motion", "passive_forces", "replay", "resolve", "shape_certificates",
    "shapes_picture", "to_directives", "to_mjcf", "to_mjspec", "to_sdf", "to_urdf", "view",
    "view_motion",
]  # fmt: skip

_BRIDGE = frozenset({
    "BatchOutcome", "BatchResult", "Fix", "Mechanism", "ShapeCertificate", "batch", "compare",
    "compare_files", "export_directives", "export_mjcf", "export_sdf", "export_urdf", "fix",
    "load_copies_into_pybullet", "load_into_pybullet", "load_world_into_pybullet", "lower",
    "overlaps_in_motion", "parity", "passive_forces", "replay", "shape_certificates",
    "shapes_picture", "to_directives", "to_mjcf", "to_mjspec", "to_sdf", "to_urdf", "view",
    "view_motion",
})  # fmt: skip
"""The public names that `bridge` defines; `loaders` defines the others."""


def __getattr__(name: str) -> Any:
    if name == "__version__":
        return importlib.import_module("bridge.installed_packages").own_version()
    if name not in _BRIDGE and name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    require_own_packages()
    value = getattr(importlib.import_module("bridge" if name in _BRIDGE else "loaders"), name)
    globals()[name] = value  # a name is looked for once: the check above takes 60 us
    return value


def __dir__() -> list[str]:
    return sorted([*__all__, "__version__"])
