"""What is measured of one file: loading in three ways, both engines, Drake, and a comparison."""

from __future__ import annotations

import logging
import re
import zlib
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import mujoco
import numpy as np
import pybullet

import bridge
import loaders
from loaders.diagnostics import ModelError
from loaders.files.folders import declared_name
from tests.support.drake_oracle import open_in_drake, pose_error

COMPARED = 4
"""One file in so many is compared between the engines; which, a hash of its path decides."""
STEPS = 10


@dataclass(frozen=True, slots=True, kw_only=True)
class Loaded:
    """A file that loads."""

    path: Path
    root: Path
    scene: loaders.Scene
    valid: bool
    """Whether it loads by default, not only leniently."""


_ROBOT = re.compile(rb"<robot\b[^>]*>")


def is_piece(path: Path) -> bool:
    """Return whether a file is no whole model: xacro whose ``<robot>`` has no name, by the custom
    of ROS, or empty.
    """
    data = path.read_bytes()
    robot = _ROBOT.search(data)
    is_xacro = b"xacro" in data or path.suffix == ".xacro"
    return not data.strip() or (
        is_xacro and (robot is None or b" name=" not in robot[0].replace(b"\n", b" "))
    )


def load(path: Path, root: Path) -> dict[str, Any]:
    """Load a file without help, with the root of the repository, and leniently with the root."""
    row: dict[str, Any] = {"piece": is_piece(path)}
    scene = None
    for name, options in (
        ("bare", {}),
        ("default", {"paths": [root]}),
        ("lenient", {"paths": [root], "lenient": True}),
    ):
        try:
            scene = loaders.load(path, quiet=True, allow_xacro=True, **options)
            row[name] = True
        except ModelError as error:
            scene = None
            row[name] = False
            row[f"{name} errors"] = sorted(
                {entry.code for entry in error.diagnostics if entry.severity == "error"}
            )[:8]
            row[f"{name} first"] = str(error.diagnostics[0])[:300]
    if scene is None:
        return row | {"end": True}
    counts = {"links": len(scene.links), "joints": len(scene.joints)}
    codes = sorted({entry.code for entry in scene.diagnostics if entry.severity == "warning"})
    counts["plugins"] = plugins(scene)
    state = Loaded(path=path, root=root, scene=scene, valid=row["default"])
    return row | counts | {"codes": codes, "state": state}


FATES = {
    "gazebo.controller": "carried: actuators",
    "gazebo.fluid": "carried: forces",
    "gazebo.publisher": "carried: sensors",
    "gazebo.plugin-moves": "dropped",
    "sdf.plugin": "noted",
    "urdf.plugin": "noted",
}
"""What becomes of a plugin, by the code of its finding."""


def plugins(scene: loaders.Scene) -> dict[str, str]:
    """Return what becomes of each plugin, by its name; of one that is dropped also what it would do
    in Gazebo.
    """
    found = {}
    for entry in scene.diagnostics:
        if entry.code in FATES and "plugin" in entry.arguments:
            effect = entry.arguments.get("effect", "")
            found[str(entry.arguments["plugin"])] = FATES[entry.code] + (
                f": would {effect}" if effect else ""
            )
    return found


def uris(loaded: Loaded) -> dict[str, Any]:
    """Count the URIs in the file, and those found without help, with the root, and with everything
    configured.
    """
    row: dict[str, Any] = {}
    ways: dict[str, dict[str, Any]] = {
        "bare URIs": {},
        "URIs": {"paths": [loaded.root]},
        "full URIs": full(loaded.root),
    }
    for name, options in ways.items():
        lookups = loaders.resolve(loaded.path, allow_xacro=True, lenient=True, **options)
        row[name] = [sum(lookup.path is not None for lookup in lookups), len(lookups)]
        row[f"{name} missing"] = sorted({lookup.uri for lookup in lookups if lookup.path is None})[
            :20
        ]
    return row


@cache
def full(root: Path) -> dict[str, Any]:
    """Return a full configuration: every package and model by name, and every folder that holds
    some of them.
    """
    found = packages(root)
    return {
        "package_map": found,
        "paths": sorted({root, *(folder.parent for folder in found.values())}),
    }


def in_mujoco(loaded: Loaded) -> dict[str, Any]:
    """Compile the scene in MuJoCo and step it."""
    try:
        model = bridge.to_mjspec(loaded.scene, quiet=True).compile()
    except (ModelError, ValueError) as error:
        return {"mujoco": False, "mujoco error": str(error)[:500]}
    data = mujoco.MjData(model)
    for _ in range(STEPS):
        mujoco.mj_step(model, data)
    finite = bool(np.isfinite(data.qpos).all())
    return {"mujoco": finite} | ({} if finite else {"mujoco error": "positions are not finite"})


def in_pybullet(loaded: Loaded) -> dict[str, Any]:
    """Load the scene into PyBullet and step it."""
    client = pybullet.connect(pybullet.DIRECT)
    try:
        bodies = bridge.load_world_into_pybullet(loaded.scene, physicsClientId=client, quiet=True)
        for _ in range(STEPS):
            pybullet.stepSimulation(physicsClientId=client)
        positions = [
            pybullet.getBasePositionAndOrientation(int(b), physicsClientId=client)[0]
            for b in bodies
        ]
    except (ModelError, ValueError, RuntimeError, pybullet.error) as error:
        return {"pybullet": False, "pybullet error": str(error)[:500]}
    finite = bool(np.isfinite(np.array(positions)).all())
    return {"pybullet": finite} | ({} if finite else {"pybullet error": "positions are not finite"})


def packages(root: Path) -> dict[str, Path]:
    """Return the packages and models below a folder by name."""
    manifests = (
        path for marker in ("package.xml", "model.config") for path in sorted(root.rglob(marker))
    )
    found = {declared_name(path) or path.parent.name: path.parent for path in manifests}
    return {name: folder for name, folder in found.items() if name not in {"drake", "drake_models"}}


def in_drake(loaded: Loaded) -> dict[str, Any]:
    """Compare the poses of all links with Drake's, if it reads the file too."""
    logging.getLogger("drake").setLevel(logging.CRITICAL)
    if not loaded.valid or loaded.path.suffix == ".xacro":
        return {}
    try:
        oracle = open_in_drake(loaded.path, loaded.scene, packages=packages(loaded.root))
    except (RuntimeError, KeyError, AssertionError, StopIteration, SystemExit) as error:
        return {"drake": None, "drake error": f"{type(error).__name__}: {error}"[:300]}
    ours, theirs = bridge.lower(loaded.scene).link_poses({}), oracle.link_poses({})
    errors = [pose_error(ours[name], X_WL) for name, X_WL in theirs.items() if name in ours]
    return {"drake": max(errors, default=0.0)}


def verdict(loaded: Loaded) -> dict[str, Any]:
    """Compare the engines at the levels L0 and L1, for a sample of the files."""
    if zlib.crc32(str(loaded.path.relative_to(loaded.root)).encode()) % COMPARED:
        return {}
    try:
        comparison = bridge.compare(loaded.scene, levels=("L0", "L1"), configurations=1)
    except (ModelError, ValueError, RuntimeError) as error:
        return {"verdict": f"{type(error).__name__}: {error}"[:300]}
    return {
        "verdict": str(comparison.verdict),
        "failures": [str(row)[:300] for row in comparison.failures[:3]],
    }


STAGES = (
    ("load", load),
    ("uris", uris),
    ("mujoco", in_mujoco),
    ("pybullet", in_pybullet),
    ("drake", in_drake),
    ("verdict", verdict),
)
