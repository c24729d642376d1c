"""Every function of PyBullet, asked of a body of ``load_into_pybullet`` and of that of ``loadURDF``.

Each row of the table `QUERIES` is asked of both bodies, each alone in its physics server, in the same
state; the deviation of the answers has to stay within the tolerance of the row. A row states what
differs by intention, too. `OTHERS` says of the other functions of the module why they are not about a
loaded body.

Answers that PyBullet gives in the inertial frame of a link are turned into the frame of the link,
because the two loaders may choose different principal axes; ``inertial frames`` measures the angle.
"""

from __future__ import annotations

import math
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import pybullet

from bridge import load_into_pybullet
from bridge.targets.pybullet.client import BASE, Client
from loaders.pose import IDENTITY, Array, Pose

STEP = 1e-3
"""Time step of the comparisons of motion [s]."""
STEPS = 5
BEYOND = 1e3
"""Speed of a joint that no robot has [rad/s or m/s]."""
MAX_LINKS = 12
"""Largest number of links that a question of single links is asked of, spread over the body."""
GRAVITY = (0.3, -0.4, -9.8)
PROBE = 0.05
"""Radius of the ball that is brought near a body [m]."""
DEPTH = 0.01
"""Depth of the ball in a body, where it touches it [m]."""
SIZE = 48
"""Width and height of pictures [pixels]."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Side:
    """A body in a physics server of its own, with the indices of its links and joints by name."""

    p: Client
    body: int
    links: Mapping[str, int]
    """Of all links, with the base."""
    joints: Mapping[str, int]
    """Of the hinges and slides, in PyBullet's order."""
    is_fixed: bool

    @property
    def names(self) -> dict[int, str]:
        return {index: name for name, index in self.links.items()}


@dataclass(frozen=True, slots=True, kw_only=True)
class Setting:
    """What both bodies are asked about, taken from the body of ``loadURDF``."""

    links: tuple[str, ...]
    """The base, and at most `MAX_LINKS` other links."""
    joints: tuple[str, ...]
    q: Mapping[str, float]
    v: Mapping[str, float]
    X_WB: Pose
    """Pose of the root link of a free body."""
    V_WB: Array
    """Linear and angular velocity of the center of mass of a free base, shape (6,)."""
    lower: Array
    upper: Array
    numbers: Array
    """Random numbers between -1 and 1, shape (100,)."""
    touch: Array | None = None
    """Center of a ball that reaches into the body from above; None if no ray meets the body."""

    @property
    def center(self) -> Array:
        return (self.lower + self.upper) / 2.0

    @property
    def extent(self) -> float:
        """Half of the diagonal of the bounding box [m]."""
        return max(float(np.linalg.norm(self.upper - self.lower)) / 2.0, 0.05)

    @property
    def last(self) -> str:
        return self.links[-1]


class BallJointError(Exception):
    """Raised for a robot with ball joints, of which questions by joint have other numbers."""


# --- loading --------------------------------------------------------------------------------------


@contextmanager
def both(
    path: Path | str,
    *,
    fixed: bool,
    seed: int = 0,
    make: Callable[[Client], int] | None = None,
    **options: Any,
) -> Iterator[tuple[Side, Side, Setting]]:
    """Load a URDF with ``loadURDF`` and with ``load_into_pybullet``, each in a server of its own.

    What ``loadURDF`` adds by default is removed: motors, damping, and the limit of velocities. A link
    without ``<inertial>`` gets the mass that it has in the other body; friction that no file states is
    that of the other body, too. Couplings, which ``loadURDF`` ignores, are removed from the other body.

    Args:
        path: The file.
        fixed: Whether the root link is held.
        seed: Of the state and of the questions.
        make: Makes the body that is compared with; None for ``loadURDF``.
        options: Of ``load_into_pybullet``.
    """
    clients = [Client(pybullet.connect(pybullet.DIRECT)) for _ in range(2)]
    try:
        native, own = clients
        flags = pybullet.URDF_USE_INERTIA_FROM_FILE | pybullet.URDF_USE_IMPLICIT_CYLINDER
        if make is not None:
            a = make(native)
        else:
            a = native.loadURDF(str(path), useFixedBase=fixed, flags=flags)
        b = load_into_pybullet(
            path,
            useFixedBase=True if fixed else None,
            physicsClientId=own.id,
            quiet=True,
            policy="pybullet",
            damping="exact",
            **options,
        )
        for _ in range(own.getNumConstraints()):
            own.removeConstraint(own.getConstraintUniqueId(0))
        sides = _side(native, a), _side(own, int(b))
        if any(_has_ball(side) for side in sides):
            raise BallJointError("a ball joint")
        _clear_defaults(*sides)
        setting = _setting(sides[0], seed)
        for side in sides:
            reset(side, setting)
        yield (*sides, _with_bounds(setting, sides[0]))
    finally:
        for client in clients:
            client.disconnect()


def _side(p: Client, body: int) -> Side:
    infos = [p.getJointInfo(body, index) for index in range(p.getNumJoints(body))]
    scalar = (pybullet.JOINT_REVOLUTE, pybullet.JOINT_PRISMATIC)
    base = p.getBodyInfo(body)[0].decode()
    return Side(
        p=p,
        body=body,
        links={base: BASE} | {info[12].decode(): info[0] for info in infos},
        joints={info[1].decode(): info[0] for info in infos if info[2] in scalar},
        is_fixed=p.getDynamicsInfo(body, BASE)[0] == 0.0,
    )


def _has_ball(side: Side) -> bool:
    kinds = {side.p.getJointInfo(side.body, i)[2] for i in range(side.p.getNumJoints(side.body))}
    return pybullet.JOINT_SPHERICAL in kinds


def _clear_defaults(native: Side, own: Side) -> None:
    p, body = native.p, native.body
    p.changeDynamics(body, BASE, linearDamping=0.0, angularDamping=0.0, maxJointVelocity=1e9)
    for name, index in native.links.items():
        if name not in own.links:
            continue
        mine = own.p.getDynamicsInfo(own.body, own.links[name])
        mass, friction, moments, *_ = p.getDynamicsInfo(body, index)
        if (mass, moments) == (1.0, (1.0, 1.0, 1.0)) and mine[0] < 1.0:  # no <inertial>
            p.changeDynamics(body, index, mass=mine[0], localInertiaDiagonal=mine[2])
        if friction == 0.5:
            p.changeDynamics(body, index, lateralFriction=mine[1])


def _setting(side: Side, seed: int) -> Setting:
    rng = np.random.default_rng(seed)
    q, v = {}, {}
    for name, index in side.joints.items():
        lower, upper = side.p.getJointInfo(side.body, index)[8:10]
        lower, upper = (-1.0, 1.0) if lower >= upper else (max(lower, -1.0), min(upper, 1.0))
        middle, half = (lower + upper) / 2.0, (upper - lower) / 2.0
        q[name] = middle + 0.3 * half * rng.uniform(-1.0, 1.0)
        v[name] = 0.1 * rng.uniform(-1.0, 1.0)
    names = list(side.links)
    chosen = sorted(set(np.linspace(0, len(names) - 1, MAX_LINKS + 1).astype(int)))
    x = rng.normal(size=4)
    return Setting(
        links=tuple(names[i] for i in chosen),
        joints=tuple(side.joints),
        q=q,
        v=v,
        X_WB=Pose.from_vector([0.2, -0.1, 0.7, *(x / np.linalg.norm(x))]),
        V_WB=0.1 * rng.uniform(-1.0, 1.0, 6),
        lower=np.zeros(3),
        upper=np.zeros(3),
        numbers=rng.uniform(-1.0, 1.0, 100),
    )


def _with_bounds(setting: Setting, side: Side) -> Setting:
    boxes = [
        side.p.getAABB(side.body, index) for index in side.links.values() if has_shape(side, index)
    ]
    if not boxes:
        boxes = [((-0.1,) * 3, (0.1,) * 3)]
    low, high = (np.array(corners) for corners in zip(*boxes, strict=True))
    bounded = replace(setting, lower=low.min(axis=0), upper=high.max(axis=0))
    return replace(bounded, touch=touched(side, bounded))


# --- state ----------------------------------------------------------------------------------------


def pose(position: Any, xyzw: Any) -> Pose:
    x, y, z, w = xyzw
    return Pose.from_vector([*position, w, x, y, z])


def xyzw_of(X: Pose) -> list[float]:
    w, *xyz = X.to_vector()[3:]
    return [*xyz, w]


def X_LI(side: Side, index: int) -> Pose:
    """Pose of the inertial frame in the frame of the link."""
    return pose(*side.p.getDynamicsInfo(side.body, index)[3:5])


def X_WL(side: Side, index: int) -> Pose:
    """Pose of the frame of a link."""
    if index == BASE:
        X_WI = pose(*side.p.getBasePositionAndOrientation(side.body))
        return X_WI @ X_LI(side, BASE).inverse()
    return pose(*side.p.getLinkState(side.body, index, computeForwardKinematics=1)[4:6])


def has_shape(side: Side, index: int) -> bool:
    return bool(side.p.getCollisionShapeData(side.body, index))


def reset(side: Side, s: Setting) -> None:
    """Put a body into the state of the setting, without motors, gravity or forces."""
    p, body = side.p, side.body
    p.setTimeStep(STEP)
    p.setGravity(0, 0, 0)
    if not side.is_fixed:
        X_WI = s.X_WB @ X_LI(side, BASE)
        p.resetBasePositionAndOrientation(body, X_WI.p.tolist(), xyzw_of(X_WI))
        p.resetBaseVelocity(body, s.V_WB[:3].tolist(), s.V_WB[3:].tolist())
    for name in s.joints:
        index = side.joints[name]
        p.resetJointState(body, index, s.q[name], s.v[name])
        p.setJointMotorControl2(body, index, pybullet.VELOCITY_CONTROL, force=0.0)


def motion(side: Side, s: Setting) -> Array:
    """Positions and velocities of the joints, pose of the root link, and velocity of the base."""
    states = [side.p.getJointState(side.body, side.joints[name]) for name in s.joints]
    joints = np.array([state[:2] for state in states]).ravel()
    X = X_WL(side, BASE)
    velocity = np.ravel(side.p.getBaseVelocity(side.body))
    return np.concatenate((joints, X.p, X.R.ravel(), velocity))


def moved(side: Side, s: Setting, act: Callable[[], object], *, gravity: bool = False) -> Array:
    """Motion after some steps before each of which something acts."""
    if gravity:
        side.p.setGravity(*GRAVITY)
    for _ in range(STEPS):
        act()
        side.p.stepSimulation()
    return motion(side, s)


# --- questions: structure -------------------------------------------------------------------------


def num_joints(side: Side, s: Setting) -> Array:
    return np.array(
        [side.p.getNumJoints(side.body), *(side.links[name] >= BASE for name in s.links)]
    )


def body_info(side: Side, s: Setting) -> Array:
    return _text(*(part.decode() for part in side.p.getBodyInfo(side.body)))


def _text(*words: str) -> Array:
    """Texts as numbers, so that different ones differ by at least one."""
    return np.array([float(ord(c)) for word in words for c in f"{word}\n"])


def body_ids(side: Side, s: Setting) -> Array:
    p = side.p
    return np.array([p.getNumBodies(), p.getBodyUniqueId(0) == side.body])


def dof_count(side: Side, s: Setting) -> Array:
    return np.array([side.p.computeDofCount(side.body)])


def joint_info(side: Side, s: Setting) -> Array:
    """Indices, type, dynamics, limits, axis, frame in the parent link, and names, by joint."""
    answers = []
    names = side.names
    for name in s.joints:
        info = side.p.getJointInfo(side.body, side.joints[name])
        X_PI, R_IP = X_LI(side, info[16]), pose(info[14], info[15]).R
        p_PJ, R_PJ = X_PI.p + X_PI.R @ info[14], X_PI.R @ R_IP.T @ X_LI(side, info[0]).R.T
        limits = (0.0, -1.0) if info[8] > info[9] else info[8:10]
        axis = X_LI(side, info[0]).R @ info[13]
        numbers = [*info[:1], *info[2:8]]
        values = [*numbers, *limits, *np.minimum(info[10:12], 1e9), *axis]
        answers.append([*values, *p_PJ, *R_PJ.ravel()])
        answers.append(_text(info[12].decode(), names[info[16]]))
    return _joined(answers)


def _joined(answers: Any) -> Array:
    answers = [np.ravel(np.asarray(answer, dtype=float)) for answer in answers]
    return np.concatenate(answers) if answers else np.zeros(0)


def joint_states(side: Side, s: Setting) -> Array:
    p, indices = side.p, [side.joints[name] for name in s.joints]
    single = [p.getJointState(side.body, index) for index in indices]
    several = p.getJointStates(side.body, indices) if indices else ()
    return _joined([*(part for state in (*single, *several) for part in state)])


def joint_states_multi_dof(side: Side, s: Setting) -> Array:
    p, indices = side.p, [side.joints[name] for name in s.joints]
    single = [p.getJointStateMultiDof(side.body, index) for index in indices]
    several = p.getJointStatesMultiDof(side.body, indices) if indices else ()
    return _joined([*(part for state in (*single, *several) for part in state)])


def reset_joints(side: Side, s: Setting) -> Array:
    p, body = side.p, side.body
    for name in s.joints:
        p.resetJointState(body, side.joints[name], 0.9 * s.q[name], 0.4)
    return motion(side, s)


def reset_joints_multi_dof(side: Side, s: Setting) -> Array:
    p, body = side.p, side.body
    for name in s.joints:
        p.resetJointStateMultiDof(body, side.joints[name], [0.9 * s.q[name]], [0.4])
    found = motion(side, s)
    indices = [side.joints[name] for name in s.joints]
    if indices:
        values = [[0.8 * s.q[name]] for name in s.joints]
        p.resetJointStatesMultiDof(body, indices, values, [[0.3]] * len(indices))
    return np.concatenate((found, motion(side, s)))


# --- questions: kinematics and inertia ------------------------------------------------------------


def link_states(side: Side, s: Setting) -> Array:
    """Centers of mass, poses of links, and velocities; from both functions."""
    p, body = side.p, side.body
    options = {"computeLinkVelocity": 1, "computeForwardKinematics": 1}
    indices = [side.links[name] for name in s.links[1:]]
    single = [p.getLinkState(body, index, **options) for index in indices]
    several = p.getLinkStates(body, indices, **options) if indices else ()
    answers = []
    for state in (*single, *several):
        answers += [state[0], state[4], pose(*state[4:6]).R, state[6], state[7]]
    return _joined(answers)


def inertial_frames(side: Side, s: Setting) -> Array:
    """Directions of the axes of the inertial frames, without their signs."""
    return _joined(np.abs(X_LI(side, side.links[name]).R) for name in s.links[1:])


def base_pose(side: Side, s: Setting) -> Array:
    """Position as reported of a free base, and pose of the root link."""
    reported = () if side.is_fixed else side.p.getBasePositionAndOrientation(side.body)[0]
    return _joined((reported, X_WL(side, BASE).p, X_WL(side, BASE).R))


def base_reset(side: Side, s: Setting) -> Array:
    """Pose of the root link, when the base is put where its inertial frame belongs."""
    X_WI = Pose.from_vector([1.0, 2.0, 3.0, 0.8, 0.6, 0.0, 0.0]) @ X_LI(side, BASE)
    side.p.resetBasePositionAndOrientation(side.body, X_WI.p.tolist(), xyzw_of(X_WI))
    return _joined((X_WL(side, BASE).p, X_WL(side, BASE).R, *_links(side, s)))


def _links(side: Side, s: Setting) -> Iterator[Array]:
    for name in s.links:
        X = X_WL(side, side.links[name])
        yield np.concatenate((X.p, X.R.ravel()))


def base_velocity(side: Side, s: Setting) -> Array:
    """Velocity of a free base, before and after it is set."""
    p, body = side.p, side.body
    if side.is_fixed:
        return np.ravel(p.getBaseVelocity(body))
    before = np.ravel(p.getBaseVelocity(body))
    p.resetBaseVelocity(body, [0.1, 0.2, 0.3], [0.4, 0.5, 0.6])
    return _joined((before, np.ravel(p.getBaseVelocity(body))))


def dynamics_info(side: Side, s: Setting) -> Array:
    """Mass, inertia and center of mass in the frame of the link, and contact coefficients."""
    answers = []
    for name in s.links:
        info = side.p.getDynamicsInfo(side.body, side.links[name])
        if side.is_fixed and name == s.links[0]:
            continue
        X = pose(*info[3:5])
        inertia = X.R @ np.diag(info[2]) @ X.R.T
        scale = max(np.abs(inertia).max(), 1e-12)
        answers += [
            [info[0], info[1], scale],
            inertia / scale,
            X.p,
            info[5:8],
            info[8:10],
            [info[10]],
        ]
    return _joined(answers)


def _joint_vector(side: Side, values: Mapping[str, float]) -> list[float]:
    """Values by name, in the order of this body."""
    return [values[name] for name in side.joints]


def _columns(side: Side, s: Setting) -> list[int]:
    """Columns of the joints of the setting among those of this body, after those of a free base."""
    order = list(side.joints)
    first = 0 if side.is_fixed else 6
    return [first + order.index(name) for name in s.joints]


def held_turn(side: Side) -> Array:
    """Rotation from the inertial frame of a held base to the world, which PyBullet leaves out."""
    R = pose(*side.p.getBasePositionAndOrientation(side.body)).R
    return R if side.is_fixed else np.eye(3)


def _base_turn(side: Side) -> Array:
    """Rotation of angular and linear coordinates from the inertial frame of the base to the link."""
    R, turn = X_LI(side, BASE).R, np.zeros((6, 6))
    turn[:3, :3] = turn[3:, 3:] = R
    return turn


def jacobians(side: Side, s: Setting) -> Array:
    """Of points of links, by joint and by velocity of a free base; in the directions of the world, or
    of a free root link.
    """
    p, body, answers = side.p, side.body, []
    if not s.joints:
        return np.zeros(0)
    q, zero = _joint_vector(side, s.q), [0.0] * len(s.joints)
    for name in s.links[1:]:
        index = side.links[name]
        p_LQ = X_LI(side, index).R.T @ [0.1, -0.2, 0.3]  # in the axes of the inertial frame
        both_parts = p.calculateJacobian(body, index, p_LQ.tolist(), q, zero, zero)
        turn = held_turn(side) if side.is_fixed else X_LI(side, BASE).R
        J = np.vstack([turn @ np.array(part) for part in both_parts])
        columns = _columns(side, s)
        base = J[:, :0] if side.is_fixed else J[:, :6] @ _base_turn(side).T
        answers += [J[:, columns], base]
    return _joined(answers)


def mass_matrix(side: Side, s: Setting) -> Array:
    """By joint, and of a free base in the directions of its link; scaled to its diagonal."""
    if not s.joints:
        return np.zeros(0)
    M = np.array(side.p.calculateMassMatrix(side.body, _joint_vector(side, s.q)))
    return _in_link_frame(side, s, M)


def _in_link_frame(side: Side, s: Setting, M: Array) -> Array:
    columns = _columns(side, s)
    if side.is_fixed:
        return M[np.ix_(columns, columns)]
    T = np.eye(len(M))
    T[:6, :6] = _base_turn(side)
    order = [*range(6), *columns]
    return np.asarray((T @ M @ T.T)[np.ix_(order, order)])


def inverse_dynamics(side: Side, s: Setting) -> Array:
    """By joint, with gravity where the base is held; of a free base in the directions of its link."""
    p, n = side.p, len(s.joints)
    if n == 0:
        return np.zeros(0)
    q = _joint_vector(side, s.q)
    v = _joint_vector(side, s.v)
    a = _joint_vector(side, dict(zip(s.joints, s.numbers, strict=False)))
    if side.is_fixed:
        p.setGravity(*(held_turn(side).T @ [0.3, -0.4, -9.8]).tolist())
        tau = np.array(p.calculateInverseDynamics(side.body, q, v, a))
        return tau[_columns(side, s)]
    T = _base_turn(side)
    base_a = (T.T @ s.numbers[-6:]).tolist()
    q, v, a = [0, 0, 0, 0, 0, 0, 1, *q], [0.0] * 6 + v, base_a + a
    tau = np.array(p.calculateInverseDynamics(side.body, q, v, a))
    base = np.concatenate((T[:3, :3] @ tau[:3], T[:3, :3] @ tau[3:6]))
    return np.concatenate((base, tau[_columns(side, s)]))


def inverse_kinematics(side: Side, s: Setting) -> Array:
    """Joint positions for a near position of the last link, with and without its orientation."""
    if not s.joints:
        return np.zeros(0)
    p, index = side.p, side.links[s.last]
    if index == BASE:
        return np.zeros(0)
    X = X_WL(side, index)
    target = (X.p + 0.02 * s.numbers[:3]).tolist()
    first = p.calculateInverseKinematics(side.body, index, target)
    second = p.calculateInverseKinematics(side.body, index, target, xyzw_of(X), maxNumIterations=5)
    n = len(s.joints)
    third = p.calculateInverseKinematics(
        side.body,
        index,
        target,
        lowerLimits=[-1.0] * n,
        upperLimits=[1.0] * n,
        jointRanges=[2.0] * n,
        restPoses=_joint_vector(side, s.q),
        jointDamping=[0.1] * n,
    )
    columns = [list(side.joints).index(name) for name in s.joints]
    return _joined([np.array(found)[columns] for found in (first, second, third)])


def inverse_kinematics_2(side: Side, s: Setting) -> Array:
    if not s.joints or side.links[s.last] == BASE:
        return np.zeros(0)
    p, index = side.p, side.links[s.last]
    target = (X_WL(side, index).p + 0.02 * s.numbers[:3]).tolist()
    found = p.calculateInverseKinematics2(side.body, [index], [target])
    return np.array(found)[[list(side.joints).index(name) for name in s.joints]]


# --- questions: shapes ----------------------------------------------------------------------------


def bounding_boxes(side: Side, s: Setting) -> Array:
    """Boxes of links with shapes [m], except of a held base."""
    asked = s.links[1:] if side.is_fixed else s.links
    names = [name for name in asked if has_shape(side, side.links[name])]
    boxes = [np.ravel(side.p.getAABB(side.body, side.links[name])) for name in names]
    return _joined([[len(names)], *boxes])


def collision_shapes(side: Side, s: Setting) -> Array:
    """Types, sizes and poses in the link of the shapes; of meshes, only the scale."""
    answers = []
    for name in s.links:
        index = side.links[name]
        data = side.p.getCollisionShapeData(side.body, index)
        answers.append([len(data)])
        answers += [_shape(shape, X_LI(side, index)) for shape in data]
    return _joined(answers)


def visual_shapes(side: Side, s: Setting) -> Array:
    """Number, types, sizes, poses in the link and colors of primitives; of meshes, where they are."""
    of_link: dict[str, list[Any]] = {name: [] for name in s.links}
    for data in side.p.getVisualShapeData(side.body):
        name = side.names[data[1]]
        if name in s.links:
            of_link[name].append(data)
    answers: list[Any] = []
    for shapes in of_link.values():
        meshes = [data for data in shapes if data[2] == pybullet.GEOM_MESH]
        others = [data for data in shapes if data[2] != pybullet.GEOM_MESH]
        answers.append([bool(meshes), len(others)])
        for data in others:
            answers += [_shape(data, IDENTITY), data[7]]
        for data in meshes[:1]:
            answers += [_shape(data, IDENTITY)]
    return _joined(answers)


def _shape(data: Any, X_LF: Pose) -> Array:
    """Type, size and pose of a shape, which is given in a frame F; without the scale of a mesh."""
    X = X_LF @ pose(*data[5:7])
    size = (0.0,) * 3 if data[2] == pybullet.GEOM_MESH else data[3]
    return _joined(([data[2]], size, X.p, X.R))


def rays(side: Side, s: Setting) -> Array:
    """Link and distance that rays from a sphere around the body towards its inside meet."""
    directions = s.numbers[:96].reshape(32, 3)
    directions = directions / np.linalg.norm(directions, axis=1)[:, None]
    targets = s.center + 0.5 * (s.upper - s.lower) * np.roll(
        s.numbers[:96].reshape(32, 3), 1, axis=0
    )
    starts = (s.center + 2.0 * s.extent * directions).tolist()
    ends = (2.0 * targets - np.array(starts)).tolist()
    batch = side.p.rayTestBatch(starts, ends)
    single = [side.p.rayTest(a, b)[0] for a, b in zip(starts, ends, strict=True)]
    if [hit[:3] for hit in batch] != [hit[:3] for hit in single]:
        return np.full(64, np.nan)
    order = {name: number for number, name in enumerate(s.links)}
    answers = []
    for hit in batch:
        link = order.get(side.names[hit[1]], 98) if hit[0] == side.body else 99
        answers.append(link + min(hit[2], 0.999))
    return np.array(answers)


@contextmanager
def probe(side: Side, position: Any, radius: float = PROBE) -> Iterator[int]:
    """A ball that does not move."""
    p = side.p
    shape = p.createCollisionShape(pybullet.GEOM_SPHERE, radius=radius)
    ball = p.createMultiBody(0.0, shape, basePosition=list(position))
    try:
        yield ball
    finally:
        p.removeBody(ball)


def closest_points(side: Side, s: Setting) -> Array:
    """Distance of each link from balls around the body, and of the whole body [m]."""
    answers = []
    for direction in np.vstack((np.eye(3), -np.eye(3))):
        with probe(side, s.center + 1.5 * s.extent * direction) as ball:
            answers.append(_distance(side, s, ball))
            for name in s.links:
                answers.append(_distance(side, s, ball, linkIndexA=side.links[name]))
    return np.array(answers)


def _distance(side: Side, s: Setting, ball: int, **link: int) -> float:
    """Distance of a body or a link from a ball, 99 if there is none.

    The reach grows, because PyBullet returns a point for each triangle of a held mesh that is within it,
    and ends the process if they are too many.
    """
    for reach in (0.5, 1.0, 2.0, 4.0):
        found = side.p.getClosestPoints(side.body, ball, reach * s.extent, **link)
        if found:
            return float(min(point[8] for point in found))
        if link and not has_shape(side, link["linkIndexA"]):
            break
    return 99.0


def touched(side: Side, s: Setting) -> Array | None:
    """Position of a ball that reaches into the body from outside; None where no ray meets it."""
    for link in (0.0, *s.numbers[:20]):
        start = s.center + s.extent * np.array((0.3 * link, 0.2 * link, 3.0))
        end = start - [0.0, 0.0, 6.0 * s.extent]
        hit = side.p.rayTest(start.tolist(), end.tolist())[0]
        if hit[0] == side.body:
            return np.add(hit[3], (0.0, 0.0, PROBE - DEPTH))
    return None


def contact_points(side: Side, s: Setting) -> Array:
    """Largest depth of a ball that reaches into the body, as both functions find it [m]."""
    if s.touch is None:
        return np.zeros(0)
    with probe(side, s.touch) as ball:
        side.p.performCollisionDetection()
        contacts = side.p.getContactPoints(side.body, ball)
        closest = side.p.getClosestPoints(side.body, ball, 0.1)
        depths = [min((point[8] for point in found), default=99.0) for found in (contacts, closest)]
        return np.array([*depths, bool(contacts)])


def overlapping_objects(side: Side, s: Setting) -> Array:
    """Which links have a bounding box that meets a box in the middle of the body."""
    side.p.performCollisionDetection()
    half = (s.upper - s.lower) / 4.0
    low, high = (s.center - half).tolist(), (s.center + half).tolist()
    found = side.p.getOverlappingObjects(low, high) or ()
    indices = {index for body, index in found if body == side.body}
    return np.array([side.links[name] in indices for name in s.links], dtype=float)


def mesh_data(side: Side, s: Setting) -> Array:
    """Bounds of the vertices of each mesh that is the only shape of its link [m]."""
    answers = []
    for name in s.links:
        index = side.links[name]
        data = side.p.getCollisionShapeData(side.body, index)
        if [shape[2] for shape in data] == [pybullet.GEOM_MESH]:
            vertices = np.array(side.p.getMeshData(side.body, index)[1])
            if len(vertices):
                X = X_LI(side, index)
                vertices = vertices @ X.R.T + X.p
                answers += [vertices.min(axis=0), vertices.max(axis=0)]
    return _joined(answers)


def picture(side: Side, s: Setting) -> Array:
    """Segmentation by link of a picture of the body."""
    eye = s.center + 2.0 * s.extent * np.array([0.8, 0.5, 0.6])
    view = pybullet.computeViewMatrix(eye.tolist(), s.center.tolist(), (0, 0, 1))
    far = 6.0 * s.extent
    lens = pybullet.computeProjectionMatrixFOV(50, 1.0, far / 100.0, far)
    mask = pybullet.ER_SEGMENTATION_MASK_OBJECT_AND_LINKINDEX
    image = side.p.getCameraImage(
        SIZE, SIZE, view, lens, flags=mask, renderer=pybullet.ER_TINY_RENDERER
    )
    by_name = {name: number for number, name in enumerate(sorted(side.links))}
    names = side.names
    return np.array(
        [
            -1 if value < 0 else by_name[names[(int(value) >> 24) - 1]]
            for value in np.ravel(image[4])
        ]
    )


# --- questions: motion ----------------------------------------------------------------------------


def step_simulation(side: Side, s: Setting) -> Array:
    return moved(side, s, lambda: None, gravity=True)


def motors(side: Side, s: Setting) -> Array:
    """Motion under every mode of the motors, of one joint at a time and of all."""
    p, body, answers = side.p, side.body, []
    indices = [side.joints[name] for name in s.joints]
    if not indices:
        return np.zeros(0)
    for mode, arguments in MODES.items():
        reset(side, s)

        def act(mode: int = mode, arguments: Mapping[str, float] = arguments) -> None:
            for index in indices:
                p.setJointMotorControl2(body, index, mode, **arguments)

        answers.append(moved(side, s, act, gravity=True))
    return _joined(answers)


MODES: dict[int, dict[str, float]] = {
    pybullet.POSITION_CONTROL: {
        "targetPosition": 0.1, "force": 3.0, "positionGain": 0.05, "velocityGain": 0.3
    },
    pybullet.VELOCITY_CONTROL: {"targetVelocity": 0.2, "force": 2.0},
    pybullet.TORQUE_CONTROL: {"force": 0.01},
    pybullet.PD_CONTROL: {
        "targetPosition": 0.1, "force": 0.02, "positionGain": 0.05, "velocityGain": 0.01
    },
}  # fmt: skip


def motor_arrays(side: Side, s: Setting) -> Array:
    p, body = side.p, side.body
    indices, n = [side.joints[name] for name in s.joints], len(s.joints)
    if not indices:
        return np.zeros(0)
    answers = []
    calls: list[Callable[[], object]] = [
        lambda: p.setJointMotorControlArray(
            body, indices, pybullet.POSITION_CONTROL, targetPositions=[0.1] * n, forces=[3.0] * n
        ),
        lambda: p.setJointMotorControlArray(
            body, indices, pybullet.VELOCITY_CONTROL, targetVelocities=[0.2] * n, forces=[2.0] * n
        ),
        lambda: p.setJointMotorControlArray(
            body, indices, pybullet.TORQUE_CONTROL, forces=[0.01] * n
        ),
    ]
    for act in calls:
        reset(side, s)
        answers.append(moved(side, s, act))
    return _joined(answers)


def motors_multi_dof(side: Side, s: Setting) -> Array:
    p, body, indices = side.p, side.body, [side.joints[name] for name in s.joints]
    if not indices:
        return np.zeros(0)

    def one() -> None:
        for index in indices:
            p.setJointMotorControlMultiDof(
                body, index, pybullet.POSITION_CONTROL, targetPosition=[0.1], force=[3.0]
            )

    def all_joints() -> None:
        n = len(indices)
        p.setJointMotorControlMultiDofArray(
            body,
            indices,
            pybullet.POSITION_CONTROL,
            targetPositions=[[0.1]] * n,
            forces=[[3.0]] * n,
        )

    first = moved(side, s, one)
    reset(side, s)
    return np.concatenate((first, moved(side, s, all_joints)))


def external_forces(side: Side, s: Setting) -> Array:
    """Motion under a force at the origin of links, in the world and in the frame of the link."""

    def act(name: str, frame: int) -> None:
        index = side.links[name]
        if frame == pybullet.WORLD_FRAME:
            vectors = s.numbers[:3].tolist(), X_WL(side, index).p.tolist()
        else:
            X_IL = X_LI(side, index).inverse()
            vectors = (X_IL.R @ s.numbers[:3]).tolist(), X_IL.p.tolist()
        side.p.applyExternalForce(side.body, index, *vectors, frame)

    return _pushed(side, s, act)


def external_torques(side: Side, s: Setting) -> Array:
    def act(name: str, frame: int) -> None:
        index = side.links[name]
        torque = 0.05 * s.numbers[:3]
        if frame == pybullet.LINK_FRAME:
            torque = X_LI(side, index).R.T @ torque
        side.p.applyExternalTorque(side.body, index, torque.tolist(), frame)

    return _pushed(side, s, act)


def _pushed(side: Side, s: Setting, act: Callable[[str, int], None]) -> Array:
    answers = []
    for name in (s.links[0], s.last):
        for frame in (pybullet.WORLD_FRAME, pybullet.LINK_FRAME):
            reset(side, s)
            answers.append(moved(side, s, lambda name=name, frame=frame: act(name, frame)))
    return _joined(answers)


def sensors(side: Side, s: Setting) -> Array:
    """Reaction of the joints under gravity, as the sensors report it."""
    p, body = side.p, side.body
    indices = [side.joints[name] for name in s.joints]
    for index in indices:
        p.enableJointForceTorqueSensor(body, index, True)
    moved(side, s, lambda: None, gravity=True)
    answers = []
    for index in indices:
        # the reaction is given in the inertial frame of the child link
        R = X_LI(side, index).R
        forces = np.array(p.getJointState(body, index)[2])
        answers += [R @ forces[:3], R @ forces[3:]]
        p.enableJointForceTorqueSensor(body, index, False)
    return _joined(answers)


def constraints(side: Side, s: Setting) -> Array:
    """Motion and force of a link that is held at a point of the world, and of the constraint moved."""
    p, body, index = side.p, side.body, side.links[s.last]
    if side.is_fixed and not s.joints:
        return np.zeros(0)
    answers = []
    X_IL = X_LI(side, index).inverse()
    X = X_WL(side, index)
    for kind in (pybullet.JOINT_POINT2POINT, pybullet.JOINT_FIXED):
        reset(side, s)
        before = p.getNumConstraints()
        frame = [xyzw_of(X_IL), xyzw_of(X)] if kind == pybullet.JOINT_FIXED else []
        held = p.createConstraint(
            body, index, -1, -1, kind, (0, 0, 0), X_IL.p.tolist(), X.p.tolist(), *frame
        )
        p.changeConstraint(held, maxForce=20.0)
        answers.append(moved(side, s, lambda: None, gravity=True))
        info = p.getConstraintInfo(held)
        answers.append([p.getNumConstraints() - before, info[10], len(p.getConstraintState(held))])
        answers.append([p.getConstraintUniqueId(p.getNumConstraints() - 1) == held])
        p.removeConstraint(held)
        answers.append([p.getNumConstraints() - before])
    return _joined(answers)


def change_dynamics(side: Side, s: Setting) -> Array:
    """Values that are set and read back, and the motion with them."""
    p, body, index = side.p, side.body, side.links[s.last]
    kept = p.getDynamicsInfo(body, index)
    values = {
        "mass": 2.0,
        "lateralFriction": 0.7,
        "spinningFriction": 0.02,
        "rollingFriction": 0.03,
        "restitution": 0.4,
        "contactStiffness": 1e4,
        "contactDamping": 50.0,
    }
    p.changeDynamics(body, index, **values)
    p.changeDynamics(body, BASE, linearDamping=0.1, angularDamping=0.2)
    for joint in side.joints.values():
        p.changeDynamics(body, joint, jointDamping=0.01)
    info = p.getDynamicsInfo(body, index)
    answers = [info[0], info[1], *info[5:10]]
    found = moved(side, s, lambda: None, gravity=True)
    p.changeDynamics(body, index, mass=kept[0], localInertiaDiagonal=kept[2])
    p.changeDynamics(body, BASE, linearDamping=0.0, angularDamping=0.0)
    for joint in side.joints.values():
        p.changeDynamics(body, joint, jointDamping=0.0)
    return _joined((answers, found))


def change_visual_shape(side: Side, s: Setting) -> Array:
    """Colors that are set and read back, by the name of the link, and their textures."""
    p, body = side.p, side.body
    drawn = {data[1] for data in p.getVisualShapeData(body)}
    names = [name for name in s.links if side.links[name] in drawn]
    texture = p.loadTexture(TEXTURE) if TEXTURE else -1
    for number, name in enumerate(names):
        color = (0.1, 0.2, number / 20.0, 1.0)
        p.changeVisualShape(body, side.links[name], rgbaColor=color, textureUniqueId=texture)
    answers = {}
    for data in p.getVisualShapeData(body, pybullet.VISUAL_SHAPE_DATA_TEXTURE_UNIQUE_IDS):
        answers[side.names[data[1]]] = [*data[7], data[8] == texture]
    return _joined([answers[name] for name in names])


def _texture() -> str:
    try:
        import pybullet_data
    except ImportError:
        return ""
    return str(Path(pybullet_data.getDataPath()) / "tex256.png")


TEXTURE = _texture()


def filter_pairs(side: Side, s: Setting) -> Array:
    """Whether a ball in the body touches it: as loaded, with the pairs disabled, and enabled again."""
    if s.touch is None:
        return np.zeros(0)
    with probe(side, s.touch) as ball:
        answers = []
        for enabled in (None, 0, 1):
            for index in side.links.values() if enabled is not None else ():
                side.p.setCollisionFilterPair(side.body, ball, index, -1, enabled)
            side.p.performCollisionDetection()
            answers.append(bool(side.p.getContactPoints(side.body, ball)))
    return np.array(answers, dtype=float)


def filter_masks(side: Side, s: Setting) -> Array:
    """Whether a ball in the body touches it, and a ray meets it, with masks of all and of nothing."""
    if s.touch is None:
        return np.zeros(0)
    p, answers = side.p, []
    with probe(side, s.touch) as ball:
        for group, mask in ((0, 0), (4, 4), (1, -1)):
            for index in side.links.values():
                p.setCollisionFilterGroupMask(side.body, index, group, mask)
            p.performCollisionDetection()
            answers.append(bool(p.getContactPoints(side.body, ball)))
    return np.array(answers, dtype=float)


# --- questions: the whole state -------------------------------------------------------------------


def saved_states(side: Side, s: Setting) -> Array:
    """Distance of the restored motion from the saved one, and the motion that follows."""
    p = side.p
    saved = p.saveState()
    before = motion(side, s)
    after = moved(side, s, lambda: None, gravity=True)
    p.restoreState(saved)
    difference = motion(side, s) - before
    again = moved(side, s, lambda: None, gravity=True)
    p.removeState(saved)
    return np.concatenate((difference, again - after, again))


def saved_files(side: Side, s: Setting) -> Array:
    """The same of a file that ``saveBullet`` writes."""
    p = side.p
    with tempfile.TemporaryDirectory() as folder:
        path = str(Path(folder) / "state.bullet")
        p.saveBullet(path)
        before = motion(side, s)
        moved(side, s, lambda: None, gravity=True)
        p.restoreState(fileName=path)
        return motion(side, s) - before


def user_data(side: Side, s: Setting) -> Array:
    p, body = side.p, side.body
    number = p.addUserData(body, "color", "red", side.links[s.last])
    found = p.getUserDataId(body, "color", side.links[s.last]) == number
    answers = [p.getNumUserData(body), found, p.getUserData(number) == b"red"]
    answers.append(p.getUserDataInfo(body, 0)[1] == b"color")
    p.syncUserData()
    p.removeUserData(number)
    return np.array([*answers, p.getNumUserData(body)], dtype=float)


def removed(side: Side, s: Setting) -> Array:
    """Bodies and rays that are left of a body; the last question."""
    p = side.p
    p.removeBody(side.body)
    ray = p.rayTest((s.center + 3.0 * s.extent).tolist(), s.center.tolist())[0]
    overlapping = p.getOverlappingObjects((-9.0,) * 3, (9.0,) * 3) or ()
    return np.array([p.getNumBodies(), ray[0], len(overlapping), p.getNumConstraints()])


# --- the table ------------------------------------------------------------------------------------

Question = Callable[[Side, Setting], Array]
ROUNDING = 1e-6
"""Tolerance of what PyBullet computes directly; ``loadURDF`` turns angles into single precision."""
SOLVER = 1e-5
"""Tolerance of what its solver iterates for."""
MARGIN = 2.5e-3
"""Tolerance of distances to shapes: two margins of hulls, and rounding [m]."""
BOX = 3.5e-3
"""Tolerance of boxes: the corners of two margins [m]."""
NEAR = 0.01
"""Distance within which two numbers are the same, where fractions count."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Query:
    """A row of the table: what is asked of both bodies, and how far the answers may be apart."""

    functions: tuple[str, ...]
    ask: Question
    tolerance: float
    what: str
    """What is compared."""
    differs: str = ""
    """What differs by intention, with its figure."""
    is_fraction: bool = False
    """Whether the deviation is the fraction of the numbers that differ by more than `NEAR`; else it is
    the largest difference, relative to the largest number if that is above 1.
    """

    @property
    def name(self) -> str:
        return self.functions[0]


QUERIES: tuple[Query, ...] = (
    Query(
        functions=("getNumJoints",),
        ask=num_joints,
        tolerance=0.0,
        what="number of joints",
        differs="a joint with several axes is one joint for each; more than 127 joints are several "
        "bodies",
    ),
    Query(
        functions=("getBodyInfo",),
        ask=body_info,
        tolerance=0.0,
        what="names of the base and of the robot",
    ),
    Query(
        functions=("getNumBodies", "getBodyUniqueId", "syncBodyInfo"),
        ask=body_ids,
        tolerance=0.0,
        what="number and id of the body",
        differs="a file of several models is several bodies",
    ),
    Query(
        functions=("computeDofCount",),
        ask=dof_count,
        tolerance=0.0,
        what="number of degrees of freedom",
    ),
    Query(
        functions=("getJointInfo",),
        ask=joint_info,
        tolerance=ROUNDING,
        what="indices, type, damping, friction, limits, effort, velocity, axis, frame in the parent "
        "link, names",
        differs="indices are those of `loadURDF` without `URDF_MAINTAIN_LINK_ORDER`; a continuous joint has no limits, where `loadURDF` reads those of `<limit>`; without "
        "`<limit>` effort and velocity are infinite instead of 0; elements 13 to 15 are given in "
        "inertial frames, see getLinkState",
    ),
    Query(
        functions=("getJointState", "getJointStates"),
        ask=joint_states,
        tolerance=ROUNDING,
        what="position, velocity, reaction, effort",
    ),
    Query(
        functions=("getJointStateMultiDof", "getJointStatesMultiDof"),
        ask=joint_states_multi_dof,
        tolerance=ROUNDING,
        what="the same; also of ball joints",
    ),
    Query(
        functions=("resetJointState",),
        ask=reset_joints,
        tolerance=ROUNDING,
        what="state after it",
        differs="a joint that a coupling moves is pulled back by the solver; `loadURDF` ignores "
        "`<mimic>`",
    ),
    Query(
        functions=("resetJointStateMultiDof", "resetJointStatesMultiDof"),
        ask=reset_joints_multi_dof,
        tolerance=ROUNDING,
        what="state after it; also of ball joints",
    ),
    Query(
        functions=("getLinkState", "getLinkStates"),
        ask=link_states,
        tolerance=ROUNDING,
        what="center of mass, pose of the link, velocities, with forward kinematics",
        differs="orientation of the inertial frame (elements 1 and 3): of the principal axes those "
        "nearest to the link; `loadURDF` takes those of its own decomposition",
    ),
    Query(
        functions=("getBasePositionAndOrientation",),
        ask=base_pose,
        tolerance=ROUNDING,
        what="position; pose of the root link that follows from it",
        differs="of a held base it is the pose of the link, not of its center of mass; a root link "
        "named `world` is not turned by `baseOrientation`, its children are; of a free base "
        "the axes are chosen as in getLinkState, with `pybullet.turned-base` above 1 degree",
    ),
    Query(
        functions=("resetBasePositionAndOrientation",),
        ask=base_reset,
        tolerance=ROUNDING,
        what="poses of all links after it",
        differs="the pose is that of the same frame",
    ),
    Query(
        functions=("getBaseVelocity", "resetBaseVelocity"),
        ask=base_velocity,
        tolerance=ROUNDING,
        what="velocities of a free base",
    ),
    Query(
        functions=("getDynamicsInfo",),
        ask=dynamics_info,
        tolerance=ROUNDING,
        what="mass, inertia and center of mass in the link, friction, restitution, contact parameters",
        differs="friction that no file states is 1, not 0.5; a link without `<inertial>` has no mass, "
        "not 1 kg; margin of the hull of a base 1e-9 m, not 1e-3 m",
    ),
    Query(
        functions=("calculateJacobian",),
        ask=jacobians,
        tolerance=ROUNDING,
        what="of a point of each link",
        differs="of a held base `loadURDF`'s is turned by the axes of the base's inertia, so that entries "
        "are wrong by up to 0.34 of the largest in the tests; here they are right; PyBullet leaves out "
        "`baseOrientation` of both; the point is given from the origin of the link, in the axes of its "
        "inertial frame",
    ),
    Query(
        functions=("calculateMassMatrix",),
        ask=mass_matrix,
        tolerance=ROUNDING,
        what="by joint and base",
        differs="PyBullet refuses a body with an inertia that no body has (`pybullet.refused-inertia`), "
        "which is kept here, and which `loadURDF` sets to zero; `robot.mass_matrix()` answers, and `lenient=True` repairs it; the same "
        "of Jacobians, inverse dynamics and inverse kinematics",
    ),
    Query(
        functions=("calculateInverseDynamics",),
        ask=inverse_dynamics,
        tolerance=ROUNDING,
        what="by joint and base, with gravity if the base is held",
        differs="of a held base gravity of `loadURDF` is turned as its Jacobian, which changes 0.24 of the "
        "largest effort in the tests",
    ),
    Query(
        functions=("calculateInverseKinematics",),
        ask=inverse_kinematics,
        tolerance=SOLVER,
        what="joint positions: of a position, of an orientation too, and within limits",
    ),
    Query(
        functions=("calculateInverseKinematics2",),
        ask=inverse_kinematics_2,
        tolerance=SOLVER,
        what="joint positions",
    ),
    Query(
        functions=("getAABB",),
        ask=bounding_boxes,
        tolerance=BOX,
        what="box of each link with shapes [m]",
        differs="PyBullet turns the box with the axes of the inertia, of a held base only in `loadURDF`: "
        "its box is up to 26 mm larger on each side, with axes at 22 degrees in boxes of 0.4 m",
    ),
    Query(
        functions=("getCollisionShapeData",),
        ask=collision_shapes,
        tolerance=ROUNDING,
        what="number, type, size and pose in the link",
        differs="the file of a mesh is a converted one, with scale 1; a mesh of several convex parts is "
        "one shape for each part, not one in all",
    ),
    Query(
        functions=("getVisualShapeData",),
        ask=visual_shapes,
        tolerance=ROUNDING,
        what="number, type, size, pose and color of primitives; pose of meshes",
        differs="a mesh with several materials is one shape for each; its file is a converted one; a "
        "primitive with a texture is a mesh; a link with collisions only has the alpha 0; a mesh "
        "without `<material>` has the colors of its file, which `loadURDF` leaves white",
    ),
    Query(
        functions=("rayTest", "rayTestBatch"),
        ask=rays,
        tolerance=0.15,
        is_fraction=True,
        what="link and fraction at which 32 rays hit, and that both functions agree",
        differs="a mesh on a held link is hit in its cavities; `loadURDF` takes its hull, unless "
        '`concave="yes"`; a ray that grazes a hull of the base misses its margin of 1 mm; before '
        "the first step or performCollisionDetection, rays may miss links of `loadURDF` where they "
        "are",
    ),
    Query(
        functions=("getClosestPoints",),
        ask=closest_points,
        tolerance=MARGIN,
        what="distance of each link from six balls around the body [m]",
        differs="meshes on held links as for rays",
    ),
    Query(
        functions=("getContactPoints", "performCollisionDetection"),
        ask=contact_points,
        tolerance=MARGIN,
        what="depth of a ball in the body [m]",
        differs="contacts within the body are those of `policy`",
    ),
    Query(
        functions=("getOverlappingObjects",),
        ask=overlapping_objects,
        tolerance=0.1,
        is_fraction=True,
        what="links that a box meets",
        differs="a box that only grazes the box of a link, see getAABB",
    ),
    Query(
        functions=("getMeshData",),
        ask=mesh_data,
        tolerance=MARGIN,
        what="bounds of the vertices of each mesh [m]",
        differs='nothing of a mesh on a held link, as with `concave="yes"`',
    ),
    Query(
        functions=("getCameraImage",),
        ask=picture,
        tolerance=0.02,
        is_fraction=True,
        what="link that each of 48 x 48 pixels shows",
        differs="a link with collisions only is invisible, if another link has visuals",
    ),
    Query(
        functions=("stepSimulation",),
        ask=step_simulation,
        tolerance=SOLVER,
        what="motion of 5 steps under gravity",
        differs="motors, damping and limits of velocity that `loadURDF` adds are off",
    ),
    Query(
        functions=("setJointMotorControl2",),
        ask=motors,
        tolerance=SOLVER,
        what="motion under POSITION_, VELOCITY_, TORQUE_ and PD_CONTROL",
    ),
    Query(
        functions=("setJointMotorControlArray",),
        ask=motor_arrays,
        tolerance=SOLVER,
        what="motion under POSITION_, VELOCITY_ and TORQUE_CONTROL",
    ),
    Query(
        functions=("setJointMotorControlMultiDof", "setJointMotorControlMultiDofArray"),
        ask=motors_multi_dof,
        tolerance=SOLVER,
        what="motion under POSITION_CONTROL; also of ball joints",
    ),
    Query(
        functions=("applyExternalForce",),
        ask=external_forces,
        tolerance=SOLVER,
        what="motion, in WORLD_FRAME and LINK_FRAME",
        differs="LINK_FRAME is the inertial frame, see getLinkState; `robot.apply_force` takes the "
        "frame of the link",
    ),
    Query(
        functions=("applyExternalTorque",),
        ask=external_torques,
        tolerance=SOLVER,
        what="motion, in WORLD_FRAME and LINK_FRAME",
        differs="as applyExternalForce",
    ),
    Query(
        functions=("enableJointForceTorqueSensor",),
        ask=sensors,
        tolerance=SOLVER,
        what="forces and torques of all joints in the frame of the link",
        differs="PyBullet gives them in the inertial frame, see getLinkState",
    ),
    Query(
        functions=(
            "createConstraint",
            "changeConstraint",
            "removeConstraint",
            "getConstraintInfo",
            "getConstraintState",
            "getConstraintUniqueId",
            "getNumConstraints",
        ),
        ask=constraints,
        tolerance=SOLVER,
        what="motion with the last link held at a point and as a whole; numbers and ids",
        differs="couplings and loops of the file are constraints, too; frames are inertial ones",
    ),
    Query(
        functions=("changeDynamics",),
        ask=change_dynamics,
        tolerance=SOLVER,
        what="values that are read back, and motion with them",
    ),
    Query(
        functions=("changeVisualShape", "resetVisualShapeData", "loadTexture"),
        ask=change_visual_shape,
        tolerance=ROUNDING,
        what="color and texture that are read back, by link",
    ),
    Query(
        functions=("saveState", "restoreState", "removeState"),
        ask=saved_states,
        tolerance=SOLVER,
        what="state that is restored, and motion from it",
    ),
    Query(
        functions=("saveBullet",),
        ask=saved_files,
        tolerance=ROUNDING,
        what="state that `restoreState(fileName=...)` restores",
    ),
    Query(
        functions=(
            "addUserData",
            "getUserData",
            "getUserDataId",
            "getUserDataInfo",
            "getNumUserData",
            "removeUserData",
            "syncUserData",
        ),
        ask=user_data,
        tolerance=0.0,
        what="data of a link",
    ),
    Query(
        functions=("setCollisionFilterPair",),
        ask=filter_pairs,
        tolerance=0.0,
        what="whether a ball in the body touches it: as loaded, disabled, enabled",
        differs="pairs that the model excludes are disabled in this way, and can be enabled",
    ),
    Query(
        functions=("setCollisionFilterGroupMask",),
        ask=filter_masks,
        tolerance=0.0,
        what="whether a ball in the body touches it, with three masks",
    ),
    Query(
        functions=("removeBody",),
        ask=removed,
        tolerance=0.0,
        what="bodies, shapes and constraints that are left",
    ),
)

STATED = {
    "loadBullet": "creates no body of either loader: load the file again, then call restoreState",
    "saveWorld": "names the document that PyBullet read, a temporary file that no longer exists: load "
    "the file again, then call restoreState",
    "setJointMotorControl": "the old name of setJointMotorControl2; only of the server with the id 0",
    "createSoftBodyAnchor": "holds a deformable body at a link, by its index, as of `loadURDF`",
    "resetMeshData": "deformable bodies only",
    "setDebugObjectColor": "drawing of a window, by body and index of the link",
    "addUserDebugLine": "drawing of a window, also on a link (`parentObjectUniqueId`), by its index",
    "addUserDebugPoints": "as addUserDebugLine",
    "addUserDebugText": "as addUserDebugLine",
    "startStateLogging": "logs bodies by their ids; base poses as of getBasePositionAndOrientation",
    "unsupportedChangeScaling": "PyBullet calls it unsupported; `globalScaling` scales exactly",
}
"""Functions that take a body but are not in the table: what they do to one; tests ask the first four."""

OTHERS: Mapping[str, Iterable[str]] = {
    "create or load a body": (
        "createCollisionShape",
        "createCollisionShapeArray",
        "createMultiBody",
        "createVisualShape",
        "createVisualShapeArray",
        "loadMJCF",
        "loadSDF",
        "loadSoftBody",
        "loadURDF",
        "getTetraMeshData",
        "removeCollisionShape",
        "vhacd",
    ),
    "the physics server": (
        "configureDebugVisualizer",
        "connect",
        "disconnect",
        "executePluginCommand",
        "getAPIVersion",
        "getConnectionInfo",
        "getPhysicsEngineParameters",
        "isConnected",
        "isNumpyEnabled",
        "loadPlugin",
        "resetSimulation",
        "setAdditionalSearchPath",
        "setDefaultContactERP",
        "setGravity",
        "setInternalSimFlags",
        "setPhysicsEngineParameter",
        "setRealTimeSimulation",
        "setTimeOut",
        "setTimeStep",
        "stopStateLogging",
        "submitProfileTiming",
        "unloadPlugin",
        "error",
    ),
    "windows, drawing and devices": (
        "addUserDebugParameter",
        "changeTexture",
        "getDebugVisualizerCamera",
        "getKeyboardEvents",
        "getMouseEvents",
        "getVREvents",
        "readUserDebugParameter",
        "removeAllUserDebugItems",
        "removeAllUserParameters",
        "removeUserDebugItem",
        "renderImage",
        "resetDebugVisualizerCamera",
        "setVRCameraState",
    ),
    "mathematics": (
        "calculateVelocityQuaternion",
        "computeProjectionMatrix",
        "computeProjectionMatrixFOV",
        "computeViewMatrix",
        "computeViewMatrixFromYawPitchRoll",
        "getAxisAngleFromQuaternion",
        "getAxisDifferenceQuaternion",
        "getDifferenceQuaternion",
        "getEulerFromQuaternion",
        "getMatrixFromQuaternion",
        "getQuaternionFromAxisAngle",
        "getQuaternionFromEuler",
        "getQuaternionSlerp",
        "invertTransform",
        "multiplyTransforms",
        "rotateVector",
    ),
}
"""Functions that are not about a loaded body, by subject."""


# --- comparison -----------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """The deviation of the answers to a row; infinity if they are of different length or PyBullet
    raised an error.
    """

    query: Query
    deviation: float
    error: str = ""

    @property
    def is_same(self) -> bool:
        return self.deviation <= self.query.tolerance

    def __str__(self) -> str:
        return f"{self.query.name}: {self.deviation:.1e} {self.error}".rstrip()


def outcome(query: Query, native: Side, own: Side, s: Setting) -> Outcome:
    """Ask both bodies in the same state."""
    answers = []
    try:
        for side in (native, own):
            reset(side, s)
            answers.append(np.asarray(query.ask(side, s), dtype=float))
    except (pybullet.error, SystemError, LookupError, TypeError, ValueError) as error:
        return Outcome(query=query, deviation=math.inf, error=f"{type(error).__name__}: {error}")
    return Outcome(query=query, deviation=_deviation(*answers, is_fraction=query.is_fraction))


def _deviation(a: Array, b: Array, *, is_fraction: bool) -> float:
    if a.shape != b.shape or not (np.isfinite(a).all() and np.isfinite(b).all()):
        return math.inf
    if a.size == 0:
        return 0.0
    difference = np.abs(a - b)
    if is_fraction:
        return float(np.mean(difference > NEAR))
    return float(difference.max() / max(1.0, np.abs(a).max()))


def outcomes(native: Side, own: Side, s: Setting) -> list[Outcome]:
    """Ask both bodies every row; the last one removes them."""
    return [outcome(query, native, own, s) for query in QUERIES]


def inertial_angle(native: Side, own: Side, s: Setting) -> float:
    """Largest angle between the inertial frames of both bodies [degrees]; a held base does not count."""
    names = s.links[1:] if native.is_fixed else s.links
    angles = [0.0]
    for name in names:
        R_LA, R_LB = (X_LI(side, side.links[name]).R for side in (native, own))
        cosine = (np.trace(R_LA.T @ R_LB) - 1.0) / 2.0
        angles.append(math.degrees(math.acos(float(np.clip(cosine, -1.0, 1.0)))))
    return max(angles)


@dataclass(frozen=True, slots=True, kw_only=True)
class Cause:
    """A stated difference of the files or of the loaders, and the rows whose answers it may change."""

    name: str
    text: str
    rows: frozenset[str]
    holds: Callable[[Side, Side, Setting], bool]


MOTION = frozenset(
    {
        "stepSimulation",
        "setJointMotorControl2",
        "setJointMotorControlArray",
        "setJointMotorControlMultiDof",
        "applyExternalForce",
        "applyExternalTorque",
        "enableJointForceTorqueSensor",
        "createConstraint",
        "changeDynamics",
        "saveState",
    }
)
SHAPES = frozenset(
    {
        "getAABB",
        "getCollisionShapeData",
        "rayTest",
        "getClosestPoints",
        "getContactPoints",
        "getOverlappingObjects",
        "getMeshData",
    }
)
INERTIA = MOTION | {"getDynamicsInfo", "calculateMassMatrix", "calculateInverseDynamics"}


def _has_other_inertia(native: Side, own: Side, s: Setting) -> bool:
    """Whether the principal moments of a link differ."""
    for name in native.links.keys() & own.links.keys():
        moments = [side.p.getDynamicsInfo(side.body, side.links[name])[2] for side in (native, own)]
        if not np.allclose(*map(sorted, moments), rtol=1e-6, atol=1e-15):
            return native.links[name] != BASE or not native.is_fixed
    return False


def _has_other_limits(native: Side, own: Side, s: Setting) -> bool:
    for name in s.joints:
        infos = [side.p.getJointInfo(side.body, side.joints[name])[8:12] for side in (native, own)]
        (a, b, *more), (c, d, *other) = infos
        if ((a <= b or c <= d) and (a, b) != (c, d)) or more != other:
            return True
    return False


def _has_held_mesh(native: Side, own: Side, s: Setting) -> bool:
    """Whether a link that is welded to the world collides with a mesh."""
    held = {BASE} if own.is_fixed else set()
    for index in range(own.p.getNumJoints(own.body)):
        info = own.p.getJointInfo(own.body, index)
        if info[2] == pybullet.JOINT_FIXED and info[16] in held:
            held.add(index)
    shapes = (own.p.getCollisionShapeData(own.body, index) for index in held)
    return any(data[2] == pybullet.GEOM_MESH for found in shapes for data in found)


def _has_hidden_link(native: Side, own: Side, s: Setting) -> bool:
    colors = [
        [data[7][3] for data in side.p.getVisualShapeData(side.body)] for side in (native, own)
    ]
    return colors[1].count(0.0) > colors[0].count(0.0)


def _has_other_contact(native: Side, own: Side, s: Setting) -> bool:
    """Whether friction, restitution, stiffness or damping of a link differ."""
    return any(
        not np.allclose(*(_contact(side, side.links[name]) for side in (native, own)))
        for name in native.links.keys() & own.links.keys()
    )


def _contact(side: Side, index: int) -> list[float]:
    info = side.p.getDynamicsInfo(side.body, index)
    return [info[1], *info[5:10]]


def _has_lent_inertia(native: Side, own: Side, s: Setting) -> bool:
    centers = [X_LI(side, BASE).p for side in (native, own)]
    return not own.is_fixed and not np.allclose(*centers, atol=1e-7)


def _meshes(side: Side, name: str) -> list[bytes]:
    """The files of the meshes with which a link collides."""
    shapes = side.p.getCollisionShapeData(side.body, side.links[name])
    return [shape[4] for shape in shapes if shape[2] == pybullet.GEOM_MESH]


def _has_parts(native: Side, own: Side, s: Setting) -> bool:
    counts = [sum(len(_meshes(side, name)) for name in side.links) for side in (native, own)]
    return counts[1] > counts[0]


def _has_split_hull(native: Side, own: Side, s: Setting) -> bool:
    """Whether a mesh that ``loadURDF`` does not split, because it is no OBJ file, is several parts."""
    return any(
        not all(file.lower().endswith(b".obj") for file in _meshes(native, name))
        and len(_meshes(own, name)) > len(_meshes(native, name))
        for name in native.links.keys() & own.links.keys()
    )


def _has_turned_mesh(native: Side, own: Side, s: Setting) -> bool:
    """Whether the box of a COLLADA mesh on a link has its sides in another order."""
    for name in native.links.keys() & own.links.keys():
        files = _meshes(native, name)
        if (
            len(files) != 1
            or not files[0].lower().endswith(b".dae")
            or len(_meshes(own, name)) != 1
        ):
            continue
        sides = []
        for side in (native, own):
            index = side.links[name]
            points = np.array(side.p.getMeshData(side.body, index)[1]).reshape(-1, 3)
            sides.append(
                np.ptp(points @ X_LI(side, index).R.T, axis=0) if len(points) else np.zeros(3)
            )
        is_same_box = np.allclose(np.sort(sides[0]), np.sort(sides[1]), atol=1e-3)
        if is_same_box and np.abs(sides[0] - sides[1]).max() > 0.1 * sides[0].max():
            return True
    return False


def _diverges(native: Side, own: Side, s: Setting) -> bool:
    """Whether a joint of the body of ``loadURDF`` is beyond all sense after a few steps."""
    reset(native, s)
    for _ in range(STEPS):
        native.p.stepSimulation()
    states = [native.p.getJointState(native.body, index) for index in native.joints.values()]
    reset(native, s)
    return any(not abs(state[1]) < BEYOND for state in states)


def _meets_no_ray(native: Side, own: Side, s: Setting) -> bool:
    """Whether no ray meets a body with shapes, though one meets the other body with the same shapes."""
    is_missed = touched(native, s) is None and touched(own, s) is not None
    return is_missed and not _has_held_mesh(native, own, s)


def _has_other_colors(native: Side, own: Side, s: Setting) -> bool:
    """Whether primitives that are visible have other colors."""
    colors = []
    for side in (native, own):
        shapes = side.p.getVisualShapeData(side.body)
        drawn = sorted((side.names[data[1]], data[2], data[3], data[7]) for data in shapes)
        colors.append([data for data in drawn if data[1] != pybullet.GEOM_MESH])
    both = zip(*colors, strict=False)
    return any(a != b and b[-1][3] > 0.0 for a, b in both)


def _is_not_finite(native: Side, own: Side, s: Setting) -> bool:
    reset(native, s)
    return not all(np.isfinite(X_WL(native, index).p).all() for index in native.links.values())


CAUSES = (
    Cause(
        name="inertia",
        text="`loadURDF` sets an inertia that no body has to zero, and multiplies others by "
        "`<inertia_scaling>` (`urdf.inertia-scaling`)",
        rows=INERTIA
        | {"calculateJacobian", "calculateInverseKinematics", "calculateInverseKinematics2"},
        holds=_has_other_inertia,
    ),
    Cause(
        name="limits",
        text="a continuous joint has no limits; effort and velocity without `<limit>`",
        rows=MOTION | {"getJointInfo"},
        holds=_has_other_limits,
    ),
    Cause(
        name="lent",
        text="a base without mass takes the inertia of a link that is welded to it "
        "(`pybullet.lent-inertia`); `loadURDF` gives it 1 kg",
        rows=INERTIA
        | {
            "getLinkState",
            "getBasePositionAndOrientation",
            "resetBasePositionAndOrientation",
            "getBaseVelocity",
            "calculateJacobian",
            "calculateInverseKinematics",
            "calculateInverseKinematics2",
            "getAABB",
            "saveBullet",
        },
        holds=_has_lent_inertia,
    ),
    Cause(
        name="contact",
        text="contact parameters that Gazebo's elements state; `loadURDF` does not read them",
        rows=MOTION | {"getDynamicsInfo"},
        holds=_has_other_contact,
    ),
    Cause(
        name="parts",
        text="a mesh of several convex parts is one shape for each part",
        rows=SHAPES - {"rayTest"},
        holds=_has_parts,
    ),
    Cause(
        name="split",
        text="a mesh of several convex parts in a file that is no OBJ: `loadURDF` takes one hull",
        rows=SHAPES | {"setCollisionFilterPair", "setCollisionFilterGroupMask"},
        holds=_has_split_hull,
    ),
    Cause(
        name="up axis",
        text="COLLADA files whose links would stand apart as `loadURDF` reads them are turned (`mesh.up-axis`)",
        rows=SHAPES | {"getCameraImage"},
        holds=_has_turned_mesh,
    ),
    Cause(
        name="diverges",
        text="the motion of both diverges at PyBullet's time step, with the damping of the file "
        "(`pybullet.stiff-damping`), or where joints move no mass (`lower.singular-position`)",
        rows=MOTION,
        holds=_diverges,
    ),
    Cause(
        name="masks",
        text="`loadURDF` reads `group` and `mask` of `<collision>`, which are PyBullet's own (`xml.unread`)",
        rows=frozenset(
            {"rayTest", "getContactPoints", "setCollisionFilterPair", "setCollisionFilterGroupMask"}
        ),
        holds=_meets_no_ray,
    ),
    Cause(
        name="axes",
        text="other principal axes of the inertia: PyBullet turns the box of a link with them, and the "
        "steps of inverse kinematics",
        rows=frozenset(
            {
                "getAABB",
                "getOverlappingObjects",
                "calculateInverseKinematics",
                "calculateInverseKinematics2",
            }
        ),
        holds=lambda native, own, s: inertial_angle(native, own, s) > 0.01,
    ),
    Cause(
        name="held mesh",
        text="a mesh on a held link collides as it is, and not as its hull",
        rows=SHAPES,
        holds=_has_held_mesh,
    ),
    Cause(
        name="hidden",
        text="a link with collisions only is invisible",
        rows=frozenset({"getVisualShapeData", "getCameraImage"}),
        holds=_has_hidden_link,
    ),
    Cause(
        name="colors",
        text="materials of one name have different colors: `loadURDF` draws all in the last one",
        rows=frozenset({"getVisualShapeData"}),
        holds=_has_other_colors,
    ),
    Cause(
        name="not finite",
        text="`loadURDF` answers NaN",
        rows=frozenset(query.name for query in QUERIES),
        holds=_is_not_finite,
    ),
)


def causes(native: Side, own: Side, s: Setting) -> list[str]:
    """Return the names of the stated differences that a robot has; ask it before the rows."""
    return [cause.name for cause in CAUSES if cause.holds(native, own, s)]


def explained(row: str, names: Iterable[str]) -> list[str]:
    """Return those of the causes that may change a row."""
    return [cause.name for cause in CAUSES if cause.name in names and row in cause.rows]
