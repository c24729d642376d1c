"""Read the robots of packages of the Python Package Index, and compare them with Drake."""

from __future__ import annotations

import importlib.util
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

import bridge
import loaders
from loaders.inertia import SpatialInertia
from loaders.model import Link
from tests.corpora.model_batch import do_all
from tests.support.drake_oracle import DrakeOracle, open_in_drake, pose_error, with_free_roots

RANDOM_URDFS = 20
"""Number of PyBullet's thousand random objects that are read."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Robot:
    """A file of a package."""

    package: str
    root: Path
    """The data folder of the package, the only folder in ``paths``."""
    path: Path

    def __str__(self) -> str:
        return f"{self.package}/{self.path.relative_to(self.root).as_posix()}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """Results of one robot."""

    robot: Robot
    errors: tuple[loaders.Diagnostic, ...] = ()
    links: int = 0
    velocities: int = 0
    files: int = 0
    """Number of distinct files that the robot refers to."""
    missing: tuple[str, ...] = ()
    """Files that are not found."""
    drake: str = ""
    """Why Drake refuses the file; empty if it reads it."""
    repaired: bool = False
    """Whether Drake replaced non-physical inertias; the comparison then uses Drake's."""
    pose: float | None = None
    """Largest difference of a link's pose [m or rad]."""
    mass: float | None = None
    """Difference of the total mass, relative."""
    mass_matrix: float | None = None
    """Largest difference of an entry of the mass matrix, relative to the largest entry."""


def robots() -> list[Robot]:
    """Return all URDF files of the installed packages, in a fixed order."""
    return [*_example_robot_data(), *_icub_models(), *_pybullet_data()]


def _example_robot_data() -> Iterator[Robot]:
    spec = importlib.util.find_spec("cmeel")
    data_folders = [Path(folder) / "cmeel.prefix" / "share" for folder in sys.path] if spec else []
    for root in (place / "example-robot-data" for place in data_folders):
        for path in sorted(root.rglob("*.urdf")):
            yield Robot(package="example-robot-data", root=root, path=path)


def _icub_models() -> Iterator[Robot]:
    if importlib.util.find_spec("icub_models") is None:
        return
    root = Path(sys.prefix) / "share" / "iCub"
    for path in sorted(root.rglob("*.urdf")):
        yield Robot(package="icub-models", root=root, path=path)


def _pybullet_data() -> Iterator[Robot]:
    spec = importlib.util.find_spec("pybullet_data")
    if spec is None or spec.origin is None:
        return
    folder = Path(spec.origin).parent
    paths = sorted(folder.rglob("*.urdf"))
    random = [path for path in paths if "random_urdfs" in path.parts]
    for path in (
        *(path for path in paths if "random_urdfs" not in path.parts),
        *random[:RANDOM_URDFS],
    ):
        yield Robot(package="pybullet_data", root=folder, path=path)


def examine_all(robots: Sequence[Robot]) -> list[Finding]:
    """Examine robots, each in a separate process.

    Raises:
        RuntimeError: if a process failed.
    """

    def refuse(robot: Robot, crash: str) -> Finding:
        raise RuntimeError(f"{robot}: {crash}")

    return do_all(examine, robots, refuse)


def examine(robot: Robot) -> Finding:
    """Read a robot and compare it with Drake at the zero position and at two random ones."""
    lookups = loaders.resolve(robot.path, paths=[robot.root])
    files = {lookup.uri: lookup.path for lookup in lookups}
    missing = tuple(sorted(uri for uri, path in files.items() if path is None))
    try:
        scene = with_free_roots(loaders.load(robot.path, paths=[robot.root]))
    except loaders.LoadError as error:
        invalid = tuple(entry for entry in error.diagnostics if entry.severity == "error")
        return Finding(robot=robot, errors=invalid, files=len(files), missing=missing)
    known = {
        "robot": robot,
        "links": len(scene.links),
        "velocities": len(bridge.lower(scene).v_order),
        "files": len(files),
        "missing": missing,
    }
    try:
        drake = open_in_drake(robot.path, scene)
    except (RuntimeError, ValueError, SystemExit) as error:
        return Finding(**known, drake=_why(str(error)))
    return Finding(**known, repaired=bool(drake.repaired), **_differences(scene, drake))


def _why(message: str) -> str:
    """Return the reason of an error message of Drake, without the path."""
    return message.strip().splitlines()[0].rpartition("error: ")[2].rpartition("): ")[2][:160]


def _differences(scene: loaders.Scene, drake: DrakeOracle) -> dict[str, float]:
    if drake.repaired:
        links = tuple(replace(link, inertia=_physical_inertia(link, drake)) for link in scene.links)
        scene = replace(scene, links=links)
    mechanism = bridge.lower(scene)
    pose = mass_matrix = 0.0
    for seed in (None, 0, 1):
        q = {} if seed is None else drake.random_positions(seed, scene)
        ours, theirs = mechanism.link_poses(q), drake.link_poses(q)
        pose = max([pose, *(pose_error(ours[name], theirs[name]) for name in theirs)])
        M, theirs_M = mechanism.mass_matrix(q), drake.mass_matrix(q, mechanism.v_order)
        scale = max(np.abs(theirs_M).max(initial=0.0), 1e-12)
        mass_matrix = max(mass_matrix, float(np.abs(M - theirs_M).max(initial=0.0)) / scale)
    total = sum(link.inertia.mass for link in scene.links if link.inertia is not None)
    mass = abs(total - drake.total_mass()) / max(drake.total_mass(), 1e-12)
    return {"pose": pose, "mass": mass, "mass_matrix": mass_matrix}


def _physical_inertia(link: Link, drake: DrakeOracle) -> SpatialInertia | None:
    """Return the inertia of a link, or that of Drake if it is not physical."""
    inertia = link.inertia
    if inertia is None or (inertia.mass != 0.0 and not inertia.defects()):
        return inertia
    theirs = drake.links[link.name].default_spatial_inertia()
    mass, com = theirs.get_mass(), theirs.get_com()
    I_L = mass * theirs.get_unit_inertia().CopyToFullMatrix3()
    return SpatialInertia.of(mass, com, I_L - mass * (com @ com * np.eye(3) - np.outer(com, com)))
