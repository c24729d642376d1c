"""End-to-end test: a file in Drake, the mechanism, MuJoCo and PyBullet.

Drake is the witness and reads each file with its own parser. Link poses, masses and forces of the
mechanism, of MuJoCo and of PyBullet must equal those of Drake, and both simulators must move alike.
MuJoCo and PyBullet are queried by their own interfaces.
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
from bridge.mechanism.bodies import Body, PrimitiveKind
from loaders import WORLD, Pose, Scene, SpatialInertia
from loaders.model import Joint, JointAxis, JointType, Link
from loaders.pose import IDENTITY, quaternion_to_matrix

pytest.importorskip("pydrake")
from tests.support.drake_oracle import DrakeOracle, Q, open_in_drake, pose_error, with_free_roots

TOLERANCE = 1e-9
SEEDS = range(20)
GRAVITY = (0.0, 0.0, -9.81)


@dataclass(frozen=True, kw_only=True)
class Robot:
    """A file, and how Drake reads it."""

    file: str
    """Path in the project's assets or in PyBullet's data folder."""
    ours: bool = False
    packages: tuple[str, ...] = ()
    """Names of packages, which are folders beside the folder of the file."""
    repaired: tuple[str, ...] = ()
    """Links whose inertia Drake replaces: they have an inertia but no mass, and Drake gives each of
    them the inertia of a kilogram of water. The scene keeps the values of the file, with a
    diagnostic; the dynamics are compared with those of Drake.
    """

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
    Robot(file="kuka_iiwa/model.sdf", repaired=("lbr_iiwa::lbr_iiwa_link_0",)),
    Robot(file="kuka_iiwa/model.urdf", repaired=("lbr_iiwa_link_0",)),
    Robot(file="franka_panda/panda.urdf", repaired=("panda_link8", "panda_grasptarget")),
    Robot(file="a1/a1.urdf"),
    Robot(file="laikago/laikago_toes.urdf"),
    Robot(file="r2d2.urdf"),
    Robot(file="racecar/racecar.urdf"),
    Robot(file="quadruped/minitaur.urdf"),
]


@dataclass(frozen=True, kw_only=True)
class Read:
    """A robot as the scene and in Drake."""

    robot: Robot
    scene: Scene
    oracle: DrakeOracle


@pytest.fixture(scope="module", params=ROBOTS, ids=lambda robot: robot.file)
def read(request: pytest.FixtureRequest) -> Read:
    robot: Robot = request.param
    scene = with_free_roots(loaders.load(robot.path))
    packages = {name: robot.path.parents[1] / name for name in robot.packages}
    return Read(
        robot=robot,
        scene=scene,
        oracle=open_in_drake(robot.path, scene, packages=packages, gravity=GRAVITY),
    )


def worst_pose(read: Read, link_poses: Callable[[Q], dict[str, Any]]) -> tuple[float, str]:
    """Return the largest error of all links and seeds, and its place."""
    worst = (0.0, "")
    for seed in SEEDS:
        q = read.oracle.random_positions(seed, read.scene)
        ours = link_poses(q)
        for name, X_WL in read.oracle.link_poses(q).items():
            worst = max(worst, (pose_error(ours[name], X_WL), f"{name}, seed {seed}"))
    return worst


# --- kinematics -----------------------------------------------------------------------------------


def test_link_poses_of_the_mechanism_are_those_of_drake(read: Read) -> None:
    error, where = worst_pose(read, bridge.lower(read.scene).link_poses)
    assert error <= TOLERANCE, where


def test_link_poses_in_mujoco_are_those_of_drake(read: Read) -> None:
    error, where = worst_pose(read, MuJoCo(read.scene).link_poses)
    assert error <= TOLERANCE, where


def test_link_poses_in_pybullet_are_those_of_drake(read: Read, bullet_client: int) -> None:
    error, where = worst_pose(read, Bullet(read.scene, bullet_client).link_poses)
    assert error <= TOLERANCE, where


class MuJoCo:
    """A scene in MuJoCo, queried by MuJoCo's interface."""

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

    def velocity_map(self, q: Q) -> np.ndarray:
        """Return ``B`` in ``v_mujoco = B v`` at the current position.

        MuJoCo has one velocity for each primitive of a joint, and the angular velocities of ball
        joints and free bodies in the axes of the body.
        """
        B = np.zeros((self.model.nv, len(self.mechanism.v_order)))
        for body in self.mechanism.bodies:
            for number, primitive in enumerate(body.primitives):
                row = self._first(body, self.model.jnt_dofadr) + number
                column = body.v_start
                if primitive.kind is PrimitiveKind.FREE:
                    B[row : row + 3, column : column + 3] = np.eye(3)
                    B[row + 3 : row + 6, column + 3 : column + 6] = quaternion_to_matrix(
                        q[str(body.joint)][3:]
                    ).T
                elif primitive.kind is PrimitiveKind.BALL:
                    B[row : row + 3, column : column + 3] = quaternion_to_matrix(
                        q[str(body.joint)]
                    ).T
                else:
                    B[row, column + primitive.dof_index] = primitive.ratio
        return B

    def mass_matrix(self, q: Q) -> np.ndarray:
        """Return the mass matrix for the velocities of the mechanism."""
        self.set_positions(q)
        self.mujoco.mj_forward(self.model, self.data)
        B = self.velocity_map(q)
        MB = np.zeros_like(B)
        for column in range(B.shape[1]):
            product = np.zeros(self.model.nv)
            self.mujoco.mj_mulM(self.model, self.data, product, B[:, column])
            MB[:, column] = product
        return B.T @ MB

    def gravity_forces(self, q: Q) -> np.ndarray:
        """Return the gravity forces for the velocities of the mechanism."""
        self.model.opt.gravity = GRAVITY
        self.set_positions(q)
        self.mujoco.mj_forward(self.model, self.data)
        return -self.velocity_map(q).T @ self.data.qfrc_bias


def _primitive_positions(body: Body, value: float | tuple[float, ...]) -> list[float]:
    """Return the position of a joint in MuJoCo: one number for each primitive, or a quaternion or
    pose.
    """
    numbers = np.atleast_1d(value).tolist()
    if body.primitives[0].kind in {PrimitiveKind.BALL, PrimitiveKind.FREE}:
        assert not body.reversed
        return numbers
    return [primitive.ratio * numbers[primitive.dof_index] for primitive in body.primitives]


class Bullet:
    """A scene in PyBullet, queried by its handles."""

    def __init__(self, scene: Scene, client: int) -> None:
        loaded = bridge.load_into_pybullet(scene, physicsClientId=client)
        self.bodies = [loaded] if isinstance(loaded, int) else list(loaded)
        self.mechanism = bridge.lower(scene)

    def set_positions(self, q: Q) -> None:
        for body in self.bodies:
            moved = {part.joint for part in body.mechanism.bodies}
            body.set_positions({name: value for name, value in q.items() if name in moved})

    def link_poses(self, q: Q) -> dict[str, Pose]:
        self.set_positions(q)
        return {name: body.link_pose(name) for body in self.bodies for name in body.links}


# --- mass and force -------------------------------------------------------------------------------


def with_drakes_inertia(read: Read) -> Scene:
    """Return the scene with Drake's inertias of the links whose inertia Drake replaces."""
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
    """Return the largest difference relative to the largest value."""
    ours, theirs = np.asarray(ours), np.asarray(theirs)
    return (
        float(np.abs(ours - theirs).max() / max(float(np.abs(theirs).max()), 1e-12))
        if theirs.size
        else 0.0
    )


def test_drake_replaces_the_inertia_of_the_links_in_the_table_and_of_no_others(read: Read) -> None:
    masses = {link.name: link.inertia.mass if link.inertia else 0.0 for link in read.scene.links}
    different = {
        name
        for name, mass in read.oracle.masses().items()
        if abs(mass - masses[name]) > TOLERANCE * max(mass, 1.0)
    }
    assert different == set(read.robot.repaired)
    assert bool(read.oracle.repaired) == bool(read.robot.repaired)


def test_the_total_mass_is_that_of_drake(read: Read) -> None:
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


def test_mass_matrix_and_gravity_forces_in_mujoco_are_those_of_drake(read: Read) -> None:
    engine = MuJoCo(with_drakes_inertia(read))
    for seed in SEEDS:
        q = read.oracle.random_positions(seed, read.scene)
        M = read.oracle.mass_matrix(q, engine.mechanism.v_order)
        assert relative(engine.mass_matrix(q), M) <= TOLERANCE
        assert (
            relative(
                engine.gravity_forces(q), read.oracle.gravity_forces(q, engine.mechanism.v_order)
            )
            <= TOLERANCE
        )


def test_mass_matrix_and_gravity_forces_in_pybullet_are_those_of_drake(
    read: Read, bullet_client: int
) -> None:
    engine = Bullet(with_drakes_inertia(read), bullet_client)
    (body,) = engine.bodies
    for seed in SEEDS:
        q = read.oracle.random_positions(seed, read.scene)
        engine.set_positions(q)
        v_order = engine.mechanism.v_order
        assert relative(body.mass_matrix(), read.oracle.mass_matrix(q, v_order)) <= TOLERANCE
        assert (
            relative(-body.bias_forces(GRAVITY), read.oracle.gravity_forces(q, v_order))
            <= TOLERANCE
        )


# --- motion ---------------------------------------------------------------------------------------

STEP = 1e-3


def with_fixed_base(scene: Scene) -> Scene:
    """Return the tree of a scene with its floating base fixed to the world, without solver effects.

    Shapes, joint limits, dry friction and couplings are removed, because each engine has its own
    solver for them. With a floating base the engines would agree only to the order of the time
    step.
    """
    bolts = tuple(
        _bolt(b.link)
        for b in bridge.lower(scene).bodies
        if b.primitives and b.primitives[0].kind is PrimitiveKind.FREE
    )
    joints = tuple(
        dataclasses.replace(joint, axes=tuple(_free_axis(axis) for axis in joint.axes))
        for joint in scene.joints
    )
    links = tuple(dataclasses.replace(link, collisions=(), visuals=()) for link in scene.links)
    return dataclasses.replace(scene, links=links, joints=(*joints, *bolts), couplings=())


def _bolt(link: Link) -> Joint:
    pose = {"X_PJ": link.X_WL, "X_CJ": IDENTITY}
    return Joint(
        name=f"bolt::{link.name}", type=JointType.FIXED, parent=WORLD, child=link.name, **pose
    )


def _free_axis(axis: JointAxis) -> JointAxis:
    return dataclasses.replace(
        axis, lower=-math.inf, upper=math.inf, friction=0.0, damping=0.0, spring_stiffness=0.0
    )


def damped(scene: Scene) -> Scene:
    """Return the scene with damping at every joint: half of the inertia that the joint moves, per
    second.
    """
    mechanism = bridge.lower(scene)
    moved = np.diag(mechanism.mass_matrix()).tolist()
    inertia = {name: m for (name, _), m in zip(mechanism.v_order, moved, strict=True)}
    joints = tuple(
        dataclasses.replace(
            joint,
            axes=tuple(
                dataclasses.replace(axis, damping=0.5 * inertia.get(joint.name, 0.0))
                for axis in joint.axes
            ),
        )
        for joint in scene.joints
    )
    return dataclasses.replace(scene, joints=joints)


def start(scene: Scene, seed: int) -> tuple[dict[str, float], dict[str, float]]:
    """Return random positions and velocities."""
    rng = np.random.default_rng(seed)
    names = [name for name, _ in bridge.lower(scene).v_order]
    reach = {
        joint.name: 0.1 if joint.type is JointType.PRISMATIC else 1.0 for joint in scene.joints
    }
    q, v = ({name: float(rng.uniform(-reach[name], reach[name])) for name in names} for _ in "qv")
    return q, v


def end_in_mujoco(scene: Scene, q: dict[str, float], v: dict[str, float]) -> dict[str, float]:
    """Return the positions in MuJoCo after a second."""
    import mujoco

    model = bridge.to_mjspec(scene).compile()
    model.opt.integrator = mujoco.mjtIntegrator.mjINT_EULER
    model.opt.disableflags |= (
        mujoco.mjtDisableBit.mjDSBL_EULERDAMP
    )  # PyBullet's damping is explicit
    model.opt.timestep, model.opt.gravity = STEP, GRAVITY
    data = mujoco.MjData(model)
    for name, position in q.items():
        data.joint(name).qpos[0], data.joint(name).qvel[0] = position, v[name]
    mujoco.mj_step(model, data, round(1 / STEP))
    return {name: float(data.joint(name).qpos[0]) for name in q}


def end_in_pybullet(
    scene: Scene, client: int, q: dict[str, float], v: dict[str, float]
) -> dict[str, float]:
    """Return the positions in PyBullet after a second."""
    import pybullet

    bodies = Bullet(scene, client).bodies
    pybullet.setGravity(*GRAVITY, physicsClientId=client)
    pybullet.setTimeStep(STEP, physicsClientId=client)
    where = {
        name: (body, body.joints[name]) for body in bodies for name in body.joints if name in q
    }
    for name, (body, index) in where.items():
        pybullet.resetJointState(body, index, q[name], v[name], physicsClientId=client)
    for _ in range(round(1 / STEP)):
        pybullet.stepSimulation(physicsClientId=client)
    return {
        n: pybullet.getJointState(body, i, physicsClientId=client)[0]
        for n, (body, i) in where.items()
    }


@pytest.mark.parametrize("damping", [False, True], ids=["undamped", "damped"])
def test_positions_after_a_second_agree_in_both_simulators(
    read: Read, bullet_client: int, damping: bool
) -> None:
    if any(
        joint.type in {JointType.BALL, JointType.PLANAR, JointType.SCREW}
        for joint in read.scene.joints
    ):
        pytest.skip("not a tree of revolute and prismatic joints")
    scene = with_fixed_base(with_drakes_inertia(read))
    scene = damped(scene) if damping else scene
    q, v = start(scene, seed=7)
    mujoco, bullet = end_in_mujoco(scene, q, v), end_in_pybullet(scene, bullet_client, q, v)
    assert mujoco.keys() == bullet.keys() == q.keys()
    assert max(abs(mujoco[name] - q[name]) for name in q) > 1e-3
    assert max(abs(mujoco[name] - bullet[name]) for name in q) <= TOLERANCE
