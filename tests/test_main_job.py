"""The main job from end to end: one file, four mechanisms, one motion.

Drake is the witness. It reads each file with its own parser; the scene's reference, MuJoCo and PyBullet must put every
link where Drake puts it, weigh what Drake weighs, and fall as each other falls. MuJoCo and PyBullet are asked directly
for what they hold, by their own interfaces.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import bridge
import loaders
from bridge.mechanism import Body, Kind
from loaders import Pose, Scene, SpatialInertia

pytest.importorskip("pydrake")
from oracle_drake import DrakeOracle, Q, open_in_drake, pose_error

TOLERANCE = 1e-9
SEEDS = range(20)
GRAVITY = (0.0, 0.0, -9.81)


@dataclass(frozen=True, kw_only=True)
class Robot:
    """A file, and what Drake makes of it."""

    file: str
    """Below the project's assets, or below PyBullet's robots."""
    ours: bool = False
    packages: tuple[str, ...] = ()
    """Folders beside the file's own that Drake must be told of."""
    repaired: tuple[str, ...] = ()
    """Links whose inertia Drake replaces: they have an inertia but no mass, and Drake makes a kilogram of water of
    each. The scene keeps what the file says, with a diagnostic; to compare dynamics, it is given Drake's."""

    @property
    def path(self) -> Path:
        if self.ours:
            return Path(__file__).parents[1] / "assets" / self.file
        pybullet_data = pytest.importorskip("pybullet_data")
        return Path(pybullet_data.getDataPath()) / self.file


ROBOTS = [
    Robot(file="orthogonal_z.sdf", ours=True),
    Robot(file="orthogonal_x.sdf", ours=True),
    Robot(file="double_pendulum.urdf", ours=True),
    Robot(file="arm/model.sdf", ours=True, packages=("gripper",)),
    Robot(file="leg.sdf", ours=True),
    Robot(file="kuka_iiwa/kuka_world.sdf"),
    Robot(file="kuka_iiwa/model.sdf", repaired=("lbr_iiwa_link_0",)),
    Robot(file="kuka_iiwa/model.urdf", repaired=("lbr_iiwa_link_0",)),
    Robot(file="franka_panda/panda.urdf"),
    Robot(file="a1/a1.urdf"),
    Robot(file="laikago/laikago_toes.urdf"),
    Robot(file="r2d2.urdf"),
    Robot(file="racecar/racecar.urdf"),
    Robot(file="quadruped/minitaur.urdf"),
]


@dataclass(frozen=True, kw_only=True)
class Read:
    """A robot, as the file has it and as Drake has it."""

    robot: Robot
    scene: Scene
    oracle: DrakeOracle


@pytest.fixture(scope="module", params=ROBOTS, ids=lambda robot: robot.file)
def read(request: pytest.FixtureRequest) -> Read:
    robot: Robot = request.param
    scene = loaders.load(robot.path)
    packages = {name: robot.path.parents[1] / name for name in robot.packages}
    return Read(robot=robot, scene=scene, oracle=open_in_drake(robot.path, scene, packages=packages, gravity=GRAVITY))


def worst_pose(read: Read, link_poses: Callable[[Q], dict[str, Any]]) -> tuple[float, str]:
    """The largest error over all links and seeds, and where it is."""
    worst = (0.0, "")
    for seed in SEEDS:
        q = read.oracle.random_positions(seed, read.scene)
        ours = link_poses(q)
        for name, X_WL in read.oracle.link_poses(q).items():
            worst = max(worst, (pose_error(ours[name], X_WL), f"{name}, seed {seed}"))
    return worst


# --- kinematics ------------------------------------------------------------------------------------------------------


def test_every_link_of_the_scene_stands_where_drake_has_it(read: Read) -> None:
    error, where = worst_pose(read, bridge.lower(read.scene).link_poses)
    assert error <= TOLERANCE, where


def test_every_link_in_mujoco_stands_where_drake_has_it(read: Read) -> None:
    error, where = worst_pose(read, MuJoCo(read.scene).link_poses)
    assert error <= TOLERANCE, where


def test_every_link_in_pybullet_stands_where_drake_has_it(read: Read, bullet_client: int) -> None:
    error, where = worst_pose(read, Bullet(read.scene, bullet_client).link_poses)
    assert error <= TOLERANCE, where


class MuJoCo:
    """A scene in MuJoCo, asked by MuJoCo's own interface."""

    def __init__(self, scene: Scene) -> None:
        import mujoco

        self.mujoco = mujoco
        self.mechanism = bridge.lower(scene)
        self.model = bridge.to_mjspec(scene).compile()
        self.data = mujoco.MjData(self.model)

    def set_positions(self, q: Q) -> None:
        self.mujoco.mj_resetData(self.model, self.data)
        for body in self.mechanism.bodies:
            if body.joint in q:
                position = _primitive_positions(body, q[body.joint])
                start = self._first(body, self.model.jnt_qposadr)
                self.data.qpos[start : start + len(position)] = position

    def _first(self, body: Body, address: Any) -> int:
        return int(address[self.model.body(body.name).jntadr[0]])

    def link_poses(self, q: Q) -> dict[str, Pose]:
        self.set_positions(q)
        self.mujoco.mj_kinematics(self.model, self.data)
        bodies = {body.name: self.data.body(body.name) for body in self.mechanism.bodies}
        return {name: Pose.of(body.xmat.reshape(3, 3), body.xpos) for name, body in bodies.items()}


def _primitive_positions(body: Body, value: float | tuple[float, ...]) -> list[float]:
    """A joint's position as MuJoCo counts it: the sequence of its primitives."""
    numbers = np.atleast_1d(value).tolist()
    if body.primitives[0].kind in {Kind.BALL, Kind.FREE}:
        assert not body.reversed
        return numbers
    return [primitive.ratio * numbers[primitive.component] for primitive in body.primitives]


class Bullet:
    """A scene in PyBullet, asked through its handles; a world is a sequence of them."""

    def __init__(self, scene: Scene, client: int) -> None:
        loaded = bridge.load_into_pybullet(scene, physicsClientId=client)
        self.bodies = [loaded] if isinstance(loaded, int) else list(loaded)

    def link_poses(self, q: Q) -> dict[str, Pose]:
        poses = {}
        for body in self.bodies:
            body.set_positions({name: value for name, value in q.items() if name in body.joints})
            poses |= {name: body.link_pose(name) for name in body.links}
        return poses


# --- mass and force --------------------------------------------------------------------------------------------------


def with_drakes_inertia(read: Read) -> Scene:
    """The scene with Drake's inertia in the links that it replaced, and in no others."""
    links = []
    for link in read.scene.links:
        if link.name in read.robot.repaired:
            M = read.oracle.links[link.name].default_spatial_inertia()
            central = M.CalcRotationalInertia().ShiftToCenterOfMass(M.get_mass(), M.get_com())
            inertia = SpatialInertia.of(M.get_mass(), M.get_com(), central.CopyToFullMatrix3())
            links.append(dataclasses.replace(link, inertia=inertia))
        else:
            links.append(link)
    return dataclasses.replace(read.scene, links=tuple(links))


def relative(ours: Any, theirs: Any) -> float:
    """The largest difference, relative to the largest number."""
    ours, theirs = np.asarray(ours), np.asarray(theirs)
    return float(np.abs(ours - theirs).max() / max(float(np.abs(theirs).max()), 1e-12)) if theirs.size else 0.0


def test_drake_replaces_the_inertia_of_the_links_in_the_table_and_of_no_others(read: Read) -> None:
    masses = {link.name: link.inertia.mass if link.inertia else 0.0 for link in read.scene.links}
    different = {
        name for name, mass in read.oracle.masses().items() if abs(mass - masses[name]) > TOLERANCE * max(mass, 1.0)
    }
    assert different == set(read.robot.repaired)
    assert bool(read.oracle.repaired) == bool(read.robot.repaired)


def test_the_whole_weighs_what_drake_weighs(read: Read) -> None:
    scene = with_drakes_inertia(read)
    total = math.fsum(link.inertia.mass for link in scene.links if link.inertia)
    assert total == pytest.approx(read.oracle.total_mass(), rel=TOLERANCE)


def test_mass_matrix_and_gravity_forces_are_those_of_drake(read: Read) -> None:
    mechanism = bridge.lower(with_drakes_inertia(read))
    for seed in SEEDS:
        q = read.oracle.random_positions(seed, read.scene)
        M = read.oracle.mass_matrix(q, mechanism.v_order)
        assert relative(mechanism.mass_matrix(q), M) <= TOLERANCE
        forces = read.oracle.gravity_forces(q, mechanism.v_order)
        assert relative(mechanism.gravity_forces(q, GRAVITY), forces) <= TOLERANCE


def test_bias_forces_are_those_of_drake(read: Read) -> None:
    mechanism = bridge.lower(with_drakes_inertia(read))
    for seed in SEEDS:
        q, v = read.oracle.random_positions(seed, read.scene), read.oracle.random_velocities(seed)
        forces = read.oracle.bias_forces(q, v, mechanism.v_order)
        assert relative(mechanism.bias_forces(q, v, GRAVITY), forces) <= TOLERANCE
