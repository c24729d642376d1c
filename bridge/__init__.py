"""Load a `loaders.Scene` into MuJoCo and PyBullet, and verify that both simulators agree.

Every function takes a path, a `loaders.Scene` or a `Mechanism`. Importing this package imports no
engine; each public name is imported when it is first used.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from loaders.deferred import on_demand

if TYPE_CHECKING:
    from . import mujoco_plugin
    from . import parity as parity
    from .batches import BatchOutcome, BatchResult, batch
    from .diff import compare_files
    from .geometry.collision_shapes import ShapeCertificate, shape_certificates, shapes_picture
    from .lowering import lower
    from .lowering.sources import overlaps_in_motion
    from .mechanism import Mechanism
    from .parity import compare
    from .parity.motion.recording import view_motion
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

_HOMES = {
    "BatchOutcome": ".batches",
    "BatchResult": ".batches",
    "batch": ".batches",
    "Mechanism": ".mechanism",
    "compare": ".parity",
    "compare_files": ".diff",
    "export_directives": ".targets.directives",
    "export_mjcf": ".targets.mjcf",
    "export_sdf": ".targets.sdf",
    "export_urdf": ".targets.urdf",
    "Fix": ".repairs",
    "fix": ".repairs",
    "load_copies_into_pybullet": ".targets.pybullet",
    "load_into_pybullet": ".targets.pybullet",
    "load_world_into_pybullet": ".targets.pybullet",
    "lower": ".lowering",
    "overlaps_in_motion": ".lowering.sources",
    "passive_forces": ".targets.mjcf",
    "replay": ".parity.replay.replay",
    "ShapeCertificate": ".geometry.collision_shapes",
    "shape_certificates": ".geometry.collision_shapes",
    "shapes_picture": ".geometry.collision_shapes",
    "to_directives": ".targets.directives",
    "to_mjcf": ".targets.mjcf",
    "to_mjspec": ".targets.mjcf",
    "to_sdf": ".targets.sdf",
    "to_urdf": ".targets.urdf",
    "view": ".viewer",
    "view_motion": ".parity.motion.recording",
}
"""Modules of the public names, which are imported on first use."""

_SUBMODULES = frozenset({"mujoco_plugin", "parity"})
"""Modules that are imported on first use."""


_found = on_demand(__name__, _HOMES)


def __getattr__(name: str) -> Any:
    if name in _SUBMODULES:
        return importlib.import_module(f".{name}", __name__)
    return _found(name)


def __dir__() -> list[str]:
    return list(__all__)
