"""Load a `loaders.Scene` into MuJoCo and PyBullet, and verify that both simulators agree.

Every function takes a path, a `loaders.Scene` or a `Mechanism`. Importing this package imports no
engine; each public name is imported when it is first used.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from loaders.deferred import on_demand

if TYPE_CHECKING:
    from bridge.lowering.transform import overlaps_in_motion
    from bridge.parity.motion.trajectory import view_motion

    from . import mujoco_plugin
    from . import parity as parity
    from .batches import BatchOutcome, BatchResult, batch
    from .diff import compare_files
    from .geometry.collision_shapes import ShapeCertificate, shape_certificates, shapes_picture
    from .lowering import lower
    from .mechanism import Mechanism
    from .parity import compare
    from .parity.replay.replay import replay
    from .repairs import Fix, fix
    from .targets.directives import export_directives, to_directives
    from .targets.mjcf import export_mjcf, passive_forces, to_mjcf, to_mjspec
    from .targets.pybullet import (
        load_copies_into_pybullet,
        load_into_pybullet,
        load_world_into_pybullet,
    )
    from .targets.sdf import export_sdf, to_sdf
    from .targets.urdf import export_urdf, to_urdf
    from .viewer import view

__all__ = [
    "BatchOutcome", "BatchResult", "Fix", "Mechanism", "ShapeCertificate", "batch", "compare",
    "compare_files", "export_directives", "export_mjcf", "export_sdf", "export_urdf", "fix",
    "load_copies_into_pybullet", "load_into_pybullet", "load_world_into_pybullet", "lower",
    "mujoco_plugin", "overlaps_in_motion", "passive_forces", "replay", "shape_certificates",
    "shapes_picture", "to_directives", "to_mjcf", "to_mjspec", "to_sdf", "to_urdf", "view",
    "view_motion",
]  # fmt: skip

_NAMES = {
    ".batches": "BatchOutcome BatchResult batch",
    ".mechanism": "Mechanism",
    ".parity": "compare",
    ".diff": "compare_files",
    ".targets.directives": "export_directives to_directives",
    ".targets.mjcf": "export_mjcf passive_forces to_mjcf to_mjspec",
    ".targets.sdf": "export_sdf to_sdf",
    ".targets.urdf": "export_urdf to_urdf",
    ".repairs": "Fix fix",
    ".targets.pybullet": "load_copies_into_pybullet load_into_pybullet load_world_into_pybullet",
    ".lowering": "lower",
    ".lowering.transform": "overlaps_in_motion",
    ".parity.replay.replay": "replay",
    ".geometry.collision_shapes": "ShapeCertificate shape_certificates shapes_picture",
    ".viewer": "view",
    ".parity.motion.trajectory": "view_motion",
}
"""The public names of each module, which are imported on first use."""
_HOMES = {name: home for home, names in _NAMES.items() for name in names.split()}

_SUBMODULES = frozenset({"mujoco_plugin", "parity"})
"""Modules that are imported on first use."""


_found = on_demand(__name__, _HOMES)


def __getattr__(name: str) -> Any:
    if name in _SUBMODULES:
        return importlib.import_module(f".{name}", __name__)
    return _found(name)


def __dir__() -> list[str]:
    return list(__all__)
