"""The adapter of PyBullet, with actuators, joints and constraints.

PyBullet caches the dynamics of bodies by memory address, so that a server must not be reused.

Dry friction is a motor that brakes with at most that force. In one very short step at a high speed
every such motor brakes with its largest impulse, which PyBullet reports, and a joint that has
become slower than that was cut off.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Container, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from itertools import combinations
from typing import Any

import numpy as np

from bridge.geometry.overlap import ShapeModel
from bridge.installed_packages import version_of
from bridge.mechanism import Mechanism
from bridge.mechanism.coordinates import Position
from bridge.parity.engine import (
    BALL_RADIUS,
    BALL_WEIGHT,
    HEAVY,
    ActuatorKind,
    ActuatorTrial,
    Ball,
    BaseEngine,
    ConstraintSoftness,
    Dof,
    Engine,
    JointParameters,
    NotReportedError,
    Settings,
    Statements,
    Surfaces,
    TouchedModel,
    add_violation,
    frame_distance,
    moving_links,
    scalar_dofs,
    without_sentinel,
)
from bridge.parity.readings import bare_mechanism
from bridge.sensors import FORCE_TYPES, STATE_TYPES, Message, force_readings, state_readings
from bridge.targets.pybullet import load_into_pybullet
from bridge.targets.pybullet.body import Bodies, PyBulletBody
from bridge.targets.pybullet.client import BASE, HULL_MARGIN, ConstraintInfo, JointInfo, named
from bridge.targets.pybullet.constraint import MAX_FORCE, Gear
from bridge.targets.pybullet.contact import (
    collisions_of,
    contact_parameters,
    excess_of,
    is_hull,
    surface_of,
)
from bridge.targets.pybullet.dynamics import NoAnswerError, OwnDynamics
from bridge.targets.pybullet.state import pose_from
from loaders.engine_settings import Grip
from loaders.inertia import SpatialInertia
from loaders.model import Collision, CouplingLaw, Surface
from loaders.pose import Array, Pose

from .shapes import links_by_index, observe_pairs, of_links, pairs_in_pybullet, surfaces_in_pybullet
from .world_file import changed, settings_of_world, written_world

State = tuple[Mapping[str, Position], Mapping[str, Position]]
"""Positions and velocities by joint."""
_ACTUATOR_STEP = 1e-5
"""Longer time step of the measurement [s]: PyBullet cuts off speeds beyond 100 rad/s."""


def efforts_in_pybullet(
    engine: Engine,
    loaded: PyBulletBody | Bodies,
    mechanism: Mechanism,
    trials: Mapping[str, ActuatorTrial],
) -> dict[str, Array]:
    """Return the efforts at the joints after the commands of their trials: the mass matrix times
    the acceleration.

    The velocity of the origin of a free body follows from that of its center of mass with the
    rotation after the step. An acceleration turns the body by an angle that is quadratic in the
    step, and so is the error of the effort; it is removed by extrapolation from two steps.

    Args:
        engine: The engine, which holds the mechanism without constraints, stops and dry friction.
        loaded: Its bodies.
        mechanism: The mechanism.
        trials: The trials by joint.
    """
    start, sizes = engine.positions(), Counter(joint for joint, _ in mechanism.v_order)
    rest: dict[str, Position] = {joint: (0.0,) * size for joint, size in sizes.items()}
    found = {}
    for joint, trial in trials.items():
        q, acts = {**start, joint: trial.position}, _acts(loaded, joint, trial)
        engine.set_state(q, rest)
        row = engine.mass_matrix()[mechanism.dof_index[joint, 0]]
        efforts = []
        for act, speed in acts:
            state = q, {**rest, joint: speed}
            coarse = row @ _acceleration(engine, state, act, _ACTUATOR_STEP)
            fine = row @ _acceleration(engine, state, act, 0.5 * _ACTUATOR_STEP)
            efforts.append((4.0 * fine - coarse) / 3.0)
        found[joint] = np.array(efforts)
    return found


def _acts(
    loaded: PyBulletBody | Bodies, joint: str, trial: ActuatorTrial
) -> list[tuple[Callable[[], None], float]]:
    """Return the calls that command a joint, and its speed meanwhile."""
    acts: list[tuple[Callable[[], None], float]] = [
        (partial(loaded.apply_efforts, {joint: command}), 0.0) for command in trial.commands
    ]
    if trial.gains is not None:
        acts.append(
            (partial(loaded.apply_control, {joint: trial.position + trial.displacement}), 0.0)
        )
        acts.append((partial(loaded.apply_control, {joint: trial.position}), trial.speed))
    return acts


def _acceleration(engine: Engine, state: State, act: Callable[[], None], step: float) -> Array:
    """Return the difference that a call makes to the velocities after one step, divided by the
    step.
    """
    engine.set_step(step)
    engine.set_state(*state)
    engine.step(1)
    idle = engine.velocities()
    engine.set_state(*state)
    act()
    engine.step(1)
    return (engine.velocities() - idle) / step


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class HeldConstraints:
    """The constraints that act on bodies.

    Attributes:
        stated: Name and ``getConstraintInfo`` of each constraint of the model; of a name of which a
            constraint was removed, or can exert less than its full force, nothing.
        others: The links that any other constraint connects.
    """

    stated: Collection[tuple[str, ConstraintInfo]]
    others: Collection[tuple[str, ...]]


def held_constraints(
    pybullet: Any, client: int, bodies: Iterable[PyBulletBody], stated: Mapping[str, Iterable[int]]
) -> HeldConstraints:
    """Return the constraints that act on bodies.

    Args:
        pybullet: The module.
        client: The physics server.
        bodies: The bodies.
        stated: The numbers of the constraints of the model, by name.
    """
    count = pybullet.getNumConstraints(physicsClientId=client)
    present = sorted(
        {pybullet.getConstraintUniqueId(k, physicsClientId=client) for k in range(count)}
    )
    infos = {
        n: named(ConstraintInfo, pybullet.getConstraintInfo(n, physicsClientId=client))
        for n in present
    }
    ours = sorted({(name, number) for name, numbers in stated.items() for number in numbers})
    lost = {name for name, n in ours if n not in infos or infos[n].max_force < MAX_FORCE}
    link_names = {(int(body), index): name for body in bodies for name, index in body.links.items()}
    foreign = infos.keys() - {number for _, number in ours}
    connected = (tuple(_links(infos[number], link_names)) for number in foreign)
    return HeldConstraints(
        stated=[(name, infos[n]) for name, n in ours if name not in lost],
        others=[links for links in connected if links],
    )


def _links(info: ConstraintInfo, names: Mapping[tuple[int, int], str]) -> Iterator[str]:
    return (names[end] for end in (info.parent, info.child) if end in names)


_SPEED = 1000.0
"""Speed of the joints before the step [rad/s or m/s]."""
_FRICTION_STEP = 1e-7
"""Time step [s], in which no other force changes the speeds much."""
_STOPPED = 1e-3
"""Fraction of the speed below which a motor may have stopped the joint, so that it did not need all
of its force."""
_CUT_OFF = 0.5
"""Fraction of the speed that the fastest joint of a body has left unless PyBullet cuts off its
speed."""
_SAME = 1e-9
"""Largest relative difference of speeds at which two joints are cut off alike."""
_UNLIMITED = 1e8
"""Position beyond which PyBullet means no limit [rad or m]."""
JointIndex = tuple[int, int]
"""PyBullet's body and joint."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FastJoint:
    """The findings of one step at a high speed about a joint.

    Attributes:
        friction: Largest force of its motor [N m or N]; None if the motor has stopped it.
        speed_limit: The speed at which PyBullet cuts off the joints of its body [rad/s or m/s];
            infinite without one, if stops hold all joints of the body, and if contacts hold those
            that are not cut off alike.
    """

    friction: float | None
    speed_limit: float


def fast_joints(
    pybullet: Any, client: int, joints: Iterable[JointIndex]
) -> dict[JointIndex, FastJoint]:
    """Return what one step at a high speed shows; the positions and velocities of the bodies are
    changed.

    Args:
        pybullet: The module.
        client: The physics server.
        joints: Hinges and slides.
    """
    joints = list(joints)
    step: float = pybullet.getPhysicsEngineParameters(physicsClientId=client)["fixedTimeStep"]
    for body, index in joints:
        position = _between_stops(pybullet, client, body, index)
        pybullet.resetJointState(body, index, position, _SPEED, physicsClientId=client)
    with _without_constraints(pybullet, client):
        pybullet.setTimeStep(_FRICTION_STEP, physicsClientId=client)
        pybullet.stepSimulation(physicsClientId=client)
        pybullet.setTimeStep(step, physicsClientId=client)
    states = {joint: pybullet.getJointState(*joint, physicsClientId=client) for joint in joints}
    speeds: dict[int, list[float]] = {}
    for (body, index), state in states.items():
        if not _is_locked(pybullet, client, body, index):
            speeds.setdefault(body, []).append(abs(state[1]))
    limits = {
        body: _speed_limit(found, _touches(pybullet, client, body))
        for body, found in speeds.items()
    }
    return {
        (body, index): FastJoint(
            friction=_friction(
                abs(state[1]), abs(state[3])
            ),  # its impulse, divided by the time step at this call
            speed_limit=limits.get(body, math.inf),
        )
        for (body, index), state in states.items()
    }


@contextmanager
def _without_constraints(pybullet: Any, client: int) -> Iterator[None]:
    """Take the forces of all constraints away, such as those of screws, which slow joints down."""
    count = pybullet.getNumConstraints(physicsClientId=client)
    numbers = [pybullet.getConstraintUniqueId(i, physicsClientId=client) for i in range(count)]
    forces = {
        number: pybullet.getConstraintInfo(number, physicsClientId=client)[10] for number in numbers
    }
    for number in numbers:
        pybullet.changeConstraint(number, maxForce=0.0, physicsClientId=client)
    try:
        yield
    finally:
        for number, force in forces.items():
            pybullet.changeConstraint(number, maxForce=force, physicsClientId=client)


def _touches(pybullet: Any, client: int, body: int) -> bool:
    """Return whether a body touches something, itself included, so that contacts may slow its
    joints down.
    """
    return bool(pybullet.getContactPoints(bodyA=body, physicsClientId=client))


def _speed_limit(speeds: list[float], touches: bool) -> float:
    """Return the speed at which joints were cut off; infinite without a cut-off.

    Joints that contacts slow down have different speeds, joints that are cut off the same one.
    """
    fastest, *others = sorted(speeds, reverse=True)
    is_common = bool(others) and fastest > 0.0 and others[0] > (1.0 - _SAME) * fastest
    return fastest if fastest <= _CUT_OFF * _SPEED and (is_common or not touches) else math.inf


def _is_locked(pybullet: Any, client: int, body: int, index: int) -> bool:
    """Return whether both stops of a joint are at one position, where they hold it whatever its
    speed.
    """
    lower, upper = pybullet.getJointInfo(body, index, physicsClientId=client)[8:10]
    return bool(lower == upper)


def _between_stops(pybullet: Any, client: int, body: int, index: int) -> float:
    """Return the position in the middle between the stops of a joint, where no stop acts; its own
    one without stops.
    """
    lower, upper = pybullet.getJointInfo(body, index, physicsClientId=client)[8:10]
    if -_UNLIMITED < lower < upper < _UNLIMITED:
        return float(0.5 * (lower + upper))
    return float(pybullet.getJointState(body, index, physicsClientId=client)[0])


def _friction(speed: float, force: float) -> float | None:
    """Return the force of a motor; None if the joint is so slow that the motor may not have needed
    all of its force.
    """
    return force if speed > _STOPPED * _SPEED or not force else None


_BEYOND = 0.05
"""Part of the speed towards a stop that is left if the stop does not hold."""
_LARGEST_IMPULSE = 100.0
"""Largest impulse of a stop by default [N m s or N s], Bullet's ``m_maxAppliedImpulse``."""
_UNLIMITED_FORCE = 1e12
"""Largest force of a stop that has none [N m or N]."""


def yielding_stops(
    pybullet: Any, client: int, inertias: Mapping[JointIndex, float]
) -> Iterator[JointIndex]:
    """Yield the joints that pass a stop, at a position in which their body touches nothing.

    A stop has a largest impulse (``jointLimitForce`` times the step), which PyBullet does not
    report. In a short step at a speed beyond the stop, it must be at least half of the default.

    Args:
        pybullet: The module.
        client: The physics server, whose state is changed.
        inertias: Inertia of each hinge and slide, without what other joints yield [kg m^2, kg];
            without any, no stop has an impulse.
    """
    server = {"physicsClientId": client}
    step = pybullet.getPhysicsEngineParameters(**server)["fixedTimeStep"]
    limits = {joint: pybullet.getJointInfo(*joint, **server)[8:10] for joint in inertias}
    for joint, (lower, upper) in limits.items():  # others would push where they are beyond a stop
        position = pybullet.getJointState(*joint, **server)[0]
        if lower <= upper and not lower <= position <= upper:
            pybullet.resetJointState(*joint, _between_stops(pybullet, client, *joint), **server)
    saved = pybullet.saveState(**server)
    pybullet.setTimeStep(_FRICTION_STEP, **server)
    for (body, index), inertia in inertias.items():
        lower, upper = limits[body, index]
        start = min(_SPEED, 0.5 * _LARGEST_IMPULSE / inertia) if inertia > 0.0 else 0.0
        stops = ((lower, -start), (upper, start)) if start and lower < upper else ()
        for stop, speed in ((stop, speed) for stop, speed in stops if abs(stop) < _UNLIMITED):
            pybullet.resetJointState(body, index, stop, speed, **server)
            pybullet.stepSimulation(**server)
            left = pybullet.getJointState(body, index, **server)[1] / speed
            passes = left > _BEYOND and not _touches(pybullet, client, body)
            pybullet.restoreState(stateId=saved, **server)
            if passes:
                yield body, index
                break
    pybullet.removeState(saved, **server)
    pybullet.setTimeStep(step, **server)


CONTACT_MARGIN = HULL_MARGIN
"""Distance at which PyBullet's convex hulls touch, the largest contact margin of any engine [m]."""
_PROBE_STEP, _PROBE_STEPS = 1.0 / 240.0, 120
"""Time step of the motion of test bodies [s], and its number of steps."""
_ASLEEP_STEP, _ASLEEP_STEPS = 1.0, 3
"""Time step [s] and number of steps at rest after which a body sleeps that may."""


def _bodies_of(pybullet: Any, server: Mapping[str, int]) -> list[int]:
    return [pybullet.getBodyUniqueId(i, **server) for i in range(pybullet.getNumBodies(**server))]


def _links_of(
    pybullet: Any, bodies: Iterable[int], server: Mapping[str, int]
) -> Iterator[tuple[int, int]]:
    """Yield the body and the index of each link of bodies, the bases among them."""
    for body in map(int, bodies):
        yield from ((body, link) for link in range(BASE, pybullet.getNumJoints(body, **server)))


def probed_motion(pybullet: Any, client: int) -> Array:
    """Return the motion of test bodies in a server: a ball that falls, bounces, slides and rolls,
    one that starts in the ground, two that hang at points, and two hinges that motors drive.

    They touch in single points: the order of several contacts, on which other bodies act, changes
    the result of a solver that has not converged.

    It depends on every parameter of the solver, also on those that PyBullet does not report. The
    parameters are the same afterwards; the other bodies have moved.

    Args:
        pybullet: The module.
        client: The physics server.
    """
    server = {"physicsClientId": client}
    before = pybullet.getPhysicsEngineParameters(**server)
    ball = pybullet.createCollisionShape(pybullet.GEOM_SPHERE, radius=0.1, **server)
    ground = pybullet.createCollisionShape(pybullet.GEOM_BOX, halfExtents=(2, 2, 0.1), **server)
    places = (
        (0.0, ground, 0.0, -0.1), (1.0, ball, 0.0, 0.12), (1.0, ball, 0.0, 2.0),
        (3.0, ball, 0.0, 3.0), (1.0, ball, -1.0, 0.08),
    )  # fmt: skip
    bodies = [
        pybullet.createMultiBody(mass, shape, basePosition=(x, 0, z), **server)
        for mass, shape, x, z in places
    ]
    for body in bodies:
        pybullet.setCollisionFilterGroupMask(body, -1, 0, 0, **server)
        pybullet.changeDynamics(body, -1, lateralFriction=0.6, restitution=0.4, **server)
    for one, other in combinations(bodies, 2):
        # a filter for one of these and a link of another body would end the contacts of that body
        pybullet.setCollisionFilterPair(one, other, -1, -1, 1, **server)
    pybullet.resetBaseVelocity(bodies[1], (1.0, 0.4, 0.0), **server)
    ends = ((bodies[2], -1, (0.3, 0, 2)), (bodies[3], bodies[2], (0.3, 0, -0.5)))
    held = [
        pybullet.createConstraint(
            body,
            -1,
            other,
            -1,
            pybullet.JOINT_POINT2POINT,
            (0, 0, 0),
            (0.3, 0, -0.5),
            end,
            **server,
        )
        for body, other, end in ends
    ]
    pybullet.setGravity(0.0, 0.0, -9.81, **server)
    pybullet.setTimeStep(_PROBE_STEP, **server)
    for _ in range(_PROBE_STEPS):
        pybullet.stepSimulation(**server)
    moved = [pybullet.getBasePositionAndOrientation(body, **server) for body in bodies]
    for number in held:
        pybullet.removeConstraint(number, **server)
    for body in bodies:
        pybullet.removeBody(body, **server)
    driven = _driven_speeds(pybullet, server)
    pybullet.setTimeStep(before["fixedTimeStep"], **server)
    pybullet.setGravity(*(before[f"gravityAcceleration{axis}"] for axis in "XYZ"), **server)
    return np.concatenate([*(np.concatenate(pose) for pose in moved), driven])


_DRIVEN_STEPS = 20
"""Number of steps of driven hinges, each at half of the speed of the one before."""


def _driven_speeds(pybullet: Any, server: Mapping[str, int]) -> list[float]:
    """Return the speeds of two hinges in a chain after steps in which motors drive them apart.

    The solver ends when the squares of its changes are below its ``solverResidualThreshold``. They
    are in proportion to the square of the speed, and fall slowly, because each motor pushes the
    hinge of the other: with a threshold that differs by ten percent from Bullet's own, 1e-7, one of
    the steps ends at another iteration.
    """
    turns = [(0, 0, 0, 1)] * 2
    chain = pybullet.createMultiBody(
        linkMasses=[1.0] * 2,
        linkCollisionShapeIndices=[-1] * 2,
        linkVisualShapeIndices=[-1] * 2,
        linkPositions=[(0, 0, 0), (1, 0, 0)],
        linkOrientations=turns,
        linkInertialFramePositions=[(1, 0, 0)] * 2,
        linkInertialFrameOrientations=turns,
        linkParentIndices=[0, 1],
        linkJointTypes=[pybullet.JOINT_REVOLUTE] * 2,
        linkJointAxis=[(0, 1, 0)] * 2,
        **server,
    )
    for joint in range(2):
        pybullet.setCollisionFilterGroupMask(chain, joint, 0, 0, **server)
        pybullet.changeDynamics(chain, joint, localInertiaDiagonal=(0.1,) * 3, **server)
    pybullet.setCollisionFilterGroupMask(chain, BASE, 0, 0, **server)
    pybullet.setGravity(0.0, 0.0, 0.0, **server)
    speeds = []
    for number in range(_DRIVEN_STEPS):
        for joint, speed in enumerate((0.5**number, -(0.5**number))):
            pybullet.resetJointState(chain, joint, 0.0, 0.0, **server)
            pybullet.setJointMotorControl2(
                chain, joint, pybullet.VELOCITY_CONTROL, targetVelocity=speed, force=1e9, **server
            )
        pybullet.stepSimulation(**server)
        speeds += [pybullet.getJointState(chain, joint, **server)[1] for joint in range(2)]
    pybullet.removeBody(chain, **server)
    return speeds


_PAIRS = 8
"""Number of pairs of test bodies whose order shows."""


def sorts_pairs(pybullet: Any, client: int) -> bool:
    """Return whether pairs of test bodies get their contacts in the order of sorted pairs.

    Bullet takes pairs in the order in which they came near each other, or sorts them
    (``deterministicOverlappingPairs``), which PyBullet does not report. The motion of a body that
    touches at several points depends on it, that of bodies that touch at one does not. Where
    other contacts end, some of the last ones take their places. Bodies that are made a second time
    have the numbers of the first ones within Bullet, whatever was removed before. In some states
    pairs come as if they were sorted; then sorting is switched off for a moment.

    Args:
        pybullet: The module.
        client: The physics server.
    """
    _are_sorted(pybullet, client)
    if not _are_sorted(pybullet, client):
        return False
    pybullet.setPhysicsEngineParameter(deterministicOverlappingPairs=0, physicsClientId=client)
    sorts = not _are_sorted(pybullet, client)
    pybullet.setPhysicsEngineParameter(
        deterministicOverlappingPairs=int(sorts), physicsClientId=client
    )
    return sorts


def _are_sorted(pybullet: Any, client: int) -> bool:
    """Return whether the contacts of new pairs come in descending order where the lower number is
    the first in each pair, and in ascending order otherwise.
    """
    server = {"physicsClientId": client}
    pybullet.performCollisionDetection(**server)  # ends contacts of an earlier state
    shape = pybullet.createCollisionShape(pybullet.GEOM_SPHERE, radius=0.1, **server)
    places = [(number, mass, 0.0) for mass in (0.0, 1.0) for number in range(_PAIRS)]
    bodies = [
        pybullet.createMultiBody(place[1], shape, basePosition=place, **server) for place in places
    ]
    for body in bodies:
        pybullet.setCollisionFilterGroupMask(body, BASE, 0, 0, **server)
    for one, other, place in zip(bodies, bodies[_PAIRS:], places, strict=False):
        pybullet.setCollisionFilterPair(one, other, BASE, BASE, 1, **server)
        pybullet.resetBasePositionAndOrientation(other, place, (0.0, 0.0, 0.0, 1.0), **server)
    pybullet.performCollisionDetection(**server)
    contacts = pybullet.getContactPoints(**server)
    pairs = [contact[1:3] for contact in contacts if contact[1] in bodies]
    for body in bodies:
        pybullet.removeBody(body, **server)
    return pairs == sorted(pairs, reverse=all(one < other for one, other in pairs))


_BREAKING = 0.02
"""Bullet's default distance at which contacts end, for shapes of radius 1 m [m]."""
_NEARER, _FARTHER = 0.99, 1.01
"""Parts of that distance at which shapes must have a contact, and must have none."""
KEPT_CONTACTS = np.array([1.0, 0.0])
"""The result of `kept_contacts` for Bullet's default."""


def kept_contacts(pybullet: Any, client: int) -> Array:
    """Return whether two cylinders have a contact just within, and just beyond, the distance at
    which contacts end by default: 1 or 0 for each.

    The distance is a global of Bullet that all servers of a process share, and that PyBullet does
    not report. Boxes do not show it: they have a contact only where they touch.

    Args:
        pybullet: The module.
        client: A physics server without bodies.
    """
    server = {"physicsClientId": client}
    shape = pybullet.createCollisionShape(pybullet.GEOM_CYLINDER, radius=1, height=2, **server)
    ends = _BREAKING * math.sqrt(3.0)  # in proportion to the radius of the bounding sphere
    fixed, moved = (pybullet.createMultiBody(mass, shape, **server) for mass in (0.0, 1.0))
    found = []
    for part in (_NEARER, _FARTHER):
        place = (0.0, 0.0, 2.0 + part * ends)
        pybullet.resetBasePositionAndOrientation(moved, place, (0.0, 0.0, 0.0, 1.0), **server)
        pybullet.performCollisionDetection(**server)
        found.append(float(bool(pybullet.getContactPoints(fixed, moved, **server))))
    for body in (fixed, moved):
        pybullet.removeBody(body, **server)
    return np.array(found)


_APART, _UNTURNED = 1e4, (0.0, 0.0, 0.0, 1.0)
"""Distance of balls at first [m]: PyBullet finds the overlaps of a body anew with each pair that it
shall not see; and their orientation.
"""
_FOLLOWED = 10
"""Number of steps after which forces on balls follow their centers: lever arms are shorter than a
millimeter, 1e-4 of the radius."""


class _Touched:
    """Balls in PyBullet; see `bridge.parity.engine.TouchedModel`.

    Args:
        pybullet: The module.
        client: The physics server.
        step: Advances the simulation by a step.
        speeds: Returns the velocities of the model.
        balls: The balls.
        bodies: The bodies of the model.
    """

    def __init__(
        self,
        pybullet: Any,
        client: int,
        step: Callable[[], None],
        speeds: Callable[[], Array],
        balls: Sequence[Ball],
        bodies: Sequence[PyBulletBody],
    ) -> None:
        self._pybullet, self._server, self._step = pybullet, {"physicsClientId": client}, step
        self._speeds = speeds
        self._make_heavy()
        pybullet.setGravity(0.0, 0.0, 0.0, **self._server)
        shape = pybullet.createCollisionShape(
            pybullet.GEOM_SPHERE, radius=BALL_RADIUS, **self._server
        )
        self._balls = [self._add(ball, shape, number) for number, ball in enumerate(balls)]
        self._forces: list[list[float]] = [[0.0] * 3] * len(balls)
        for one, two in combinations(self._balls, 2):
            pybullet.setCollisionFilterPair(one, two, BASE, BASE, 0, **self._server)
        for body in bodies:
            indices = {*body.links.values()}
            get = partial(pybullet.getCollisionShapeData, int(body), **self._server)
            shaped = {index for index in indices if get(index)}
            for number, ball in zip(self._balls, balls, strict=True):
                touched = {body.links[name] for name in ball.touches & body.links.keys()}
                for index in shaped - touched:
                    pybullet.setCollisionFilterPair(
                        number, int(body), BASE, index, 0, **self._server
                    )
        for number, ball in zip(self._balls, balls, strict=True):
            pybullet.resetBasePositionAndOrientation(number, ball.center, _UNTURNED, **self._server)

    def _make_heavy(self) -> None:
        pybullet, server = self._pybullet, self._server
        for body, link in _links_of(pybullet, _bodies_of(pybullet, server), server):
            mass, _, moments, *_ = pybullet.getDynamicsInfo(body, link, **server)
            if mass:
                pybullet.changeDynamics(
                    body,
                    link,
                    mass=mass + HEAVY,
                    localInertiaDiagonal=[moment + HEAVY for moment in moments],
                    **server,
                )

    def _add(self, ball: Ball, shape: int, number: int) -> int:
        pybullet, server = self._pybullet, self._server
        place = (_APART * (number + 1), 0.0, _APART)
        body = int(pybullet.createMultiBody(1.0, shape, basePosition=place, **server))
        pybullet.changeDynamics(
            body,
            BASE,
            localInertiaDiagonal=(ball.moment,) * 3,
            lateralFriction=1.0,
            restitution=1.0,
            linearDamping=0.0,
            angularDamping=0.0,
            **server,
        )
        pybullet.setCollisionFilterGroupMask(body, BASE, -1, -1, **server)
        return body

    def positions(self) -> Array:
        get = self._pybullet.getBasePositionAndOrientation
        return np.array([get(body, **self._server)[0] for body in self._balls])

    def velocities(self) -> Array:
        return np.array(
            [self._pybullet.getBaseVelocity(body, **self._server)[0] for body in self._balls]
        )

    def model_speed(self) -> float:
        return float(np.abs(self._speeds()).max(initial=0.0))

    def set_velocities(self, velocities: Array) -> None:
        for body, velocity in zip(self._balls, velocities.tolist(), strict=True):
            self._pybullet.resetBaseVelocity(body, velocity, (0.0, 0.0, 0.0), **self._server)

    def push(self, forces: Array) -> None:
        self._forces = forces.tolist()

    def step(self, count: int) -> None:
        push, frame = self._pybullet.applyExternalForce, self._pybullet.WORLD_FRAME
        for number in range(count):
            if number % _FOLLOWED == 0:
                centers = self.positions().tolist()
            for body, force, center in zip(self._balls, self._forces, centers, strict=True):
                push(body, BASE, force, center, frame, **self._server)
            self._step()


_SHORT_STEP = 1e-6
"""Time step after which accelerations and forces are read [s]."""


def _rest_rate(surface: Surface, step: float) -> float:
    """Return the rate at which a ball of 1 kg comes to rest on a surface with a stiffness [1/s].

    PyBullet steps a spring K and a damper c implicitly: ``D v' = v - h K x``, ``x' = x + h v'``,
    with ``D = 1 + h c + h^2 K``. This map has the trace ``(2 + h c) / D`` and the determinant
    ``1 / D``.

    Args:
        surface: The surface; without a damping it has none.
        step: The time step h [s].
    """
    values = contact_parameters(surface)
    damped = 1.0 + step * values["contactDamping"]
    whole = damped + step**2 * values["contactStiffness"]
    half = 0.5 * (1.0 + damped) / whole
    largest = half + math.sqrt(max(half**2 - 1.0 / whole, 0.0))
    return -math.log(max(largest, whole**-0.5)) / step


class PyBulletEngine(BaseEngine):
    """A mechanism in PyBullet.

    Its constraints lose at least a fifth of their error in each step.
    """

    name = "pybullet"
    steps_explicitly = True
    constraint_softness = ConstraintSoftness(stretch=5.0)

    def __init__(self, mechanism: Mechanism) -> None:
        import pybullet

        super().__init__(mechanism)
        self._pybullet: Any = pybullet
        self._pairs: frozenset[frozenset[str]] | None = None
        self._client: int = pybullet.connect(pybullet.DIRECT)
        try:
            pybullet.setTimeStep(mechanism.physics.time_step, physicsClientId=self._client)
            self._loaded = load_into_pybullet(
                mechanism, damping="exact", physicsClientId=self._client, quiet=True
            )
        except BaseException:
            self.close()
            raise
        self._bodies = (
            [self._loaded] if isinstance(self._loaded, PyBulletBody) else list(self._loaded)
        )
        index = mechanism.dof_index  # a joint that continues a split link has no velocity: -1
        self._dynamics = [
            (OwnDynamics(body.dynamics), [index.get(dof, -1) for dof in body.mechanism.v_order])
            for body in self._bodies
        ]
        self._split_links = {
            body.mechanism.bodies[0].name for body in self._bodies if body.split_link is not None
        }
        self.diagnostics = self._loaded.diagnostics
        self.version = version_of("pybullet") or "unknown"
        if self._bodies:
            self._loaded.apply_physics()
        self._initial_poses = self.link_poses()
        self._world = written_world(pybullet, self._client)
        self._constraints = self._constraint_settings()
        self._act: Callable[[Mapping[str, Position]], None] = self._loaded.apply_efforts
        self._controls: dict[str, Position] = {}

    def set_state(self, q: Mapping[str, Position], v: Mapping[str, Position]) -> None:
        self._loaded.set_positions(q)
        self._loaded.set_velocities(v)

    def link_poses(self) -> dict[str, Pose]:
        return {name: self._loaded.link_pose(name) for name in self._loaded.links}

    def sensor_readings(self) -> dict[str, Array]:
        return state_readings(self._messages(STATE_TYPES))

    def sensor_forces(self) -> dict[str, Array]:
        """See `Engine.sensor_forces`; after a step of a microsecond."""
        with self._unmoved():
            self.set_step(_SHORT_STEP)
            self._loaded.step()
            return force_readings(self._messages(FORCE_TYPES))

    @contextmanager
    def _unmoved(self) -> Iterator[None]:
        """Restore the state of all bodies, with their contacts, and the time step in the end.

        Positions and velocities by joint would be those before except for rounding errors.
        """
        pybullet, server = self._pybullet, {"physicsClientId": self._client}
        step = pybullet.getPhysicsEngineParameters(**server)["fixedTimeStep"]
        saved = pybullet.saveState(**server)
        try:
            yield
        finally:
            pybullet.restoreState(stateId=saved, **server)
            pybullet.removeState(saved, **server)
            pybullet.setTimeStep(step, **server)

    def _messages(self, types: Collection[str]) -> dict[str, Message]:
        sensors = [sensor for body in self._bodies for sensor in body.sensors.values()]
        return {s.name: s.read() for s in sensors if s.placed.sensor.type in types}

    def jacobians(self) -> dict[str, Array]:
        """See `Engine.jacobians`; each column is the velocity of the links if only one component
        has unit velocity.
        """
        order = self.mechanism.v_order
        zero = self._zero_velocities()
        following = {order[coupling.follower][0] for coupling in self.mechanism.couplings}
        followers = {name: zero[name] for name in following}
        poses = self.link_poses()
        jacobians = {name: np.zeros((6, len(order))) for name in poses}
        with self._unmoved():
            self._loaded.set_velocities(zero)
            for column, (joint, component) in enumerate(order):
                unit = np.eye(np.size(zero[joint]))[component].tolist()
                self._loaded.set_velocities({**followers, joint: unit})
                names, w, v_P, p_P = zip(*self._motions(jacobians), strict=True)
                origins = np.array([poses[name].p for name in names])
                v = np.array(v_P) + np.cross(w, origins - p_P)
                for name, motion in zip(names, np.hstack((w, v)), strict=True):
                    jacobians[name][:, column] = motion
                self._loaded.set_velocities({joint: zero[joint], **followers})
        return jacobians

    def _motions(self, wanted: Container[str]) -> Iterator[tuple[str, Array, Array, Array]]:
        """Yield name, angular velocity, and velocity and position of one point of each wanted link,
        in the world.
        """
        for body in self._bodies:
            v, w = self._pybullet.getBaseVelocity(int(body), physicsClientId=self._client)
            p, _ = self._pybullet.getBasePositionAndOrientation(
                int(body), physicsClientId=self._client
            )
            motions = {BASE: (np.array(w), np.array(v), np.array(p))}
            indices = sorted({index for index in body.links.values() if index != BASE})
            states = indices and self._pybullet.getLinkStates(
                int(body),
                indices,
                computeLinkVelocity=1,
                computeForwardKinematics=1,
                physicsClientId=self._client,
            )
            motions |= {
                i: (np.array(s[7]), np.array(s[6]), np.array(s[0]))
                for i, s in zip(indices, states, strict=True)
            }
            yield from (
                (name, *motions[index]) for name, index in body.links.items() if name in wanted
            )

    def contact_points(self) -> Array:
        contacts = self._pybullet.getContactPoints(physicsClientId=self._client)
        touching = [contact[6] for contact in contacts if contact[8] <= 0.0]
        return np.array(touching).reshape(-1, 3)

    def positions(self) -> dict[str, Position]:
        return dict(self._loaded.positions())

    def velocities(self) -> Array:
        by_joint = self._loaded.velocities()
        return np.array(
            [np.atleast_1d(by_joint[name])[k] for name, k in self.mechanism.v_order],
            dtype=np.float64,
        )

    def inertias(self) -> dict[str, SpatialInertia]:
        """See `Engine.inertias`; the inertia of a merged link is added to that of the link that
        carries it.
        """
        moving = moving_links(self.mechanism)
        return {
            link.name: link.inertia
            for link in self._loaded.mechanism_from_pybullet().bodies
            if link.name in moving
        }

    def joint_parameters(self) -> dict[Dof, JointParameters]:
        """See `Engine.joint_parameters`; dry friction is the largest force of a motor, which a
        short step shows.
        """
        self._refresh()
        fast = self._fast_joints()
        return {
            dof: self._parameters(body, index, ratio, fast[int(body), index].friction)
            for dof, body, index, ratio in self._drives()
        }

    def enforced_speed_limits(self) -> dict[Dof, float]:
        fast = self._fast_joints()
        limits = {
            dof: fast[int(b), index].speed_limit / abs(ratio)
            for dof, b, index, ratio in self._drives()
        }
        return {dof: limit for dof, limit in limits.items() if limit < math.inf}

    def _fast_joints(self) -> dict[tuple[int, int], FastJoint]:
        for body in self._bodies:
            body.adapt_friction()
        joints = [(int(body), index) for _, body, index, _ in self._drives()]
        with self._unmoved():
            return fast_joints(self._pybullet, self._client, joints)

    def _refresh(self) -> None:
        """Fetch what `getJointInfo` reports from the running bodies; otherwise it is what they were
        loaded with.
        """
        self._pybullet.syncBodyInfo(physicsClientId=self._client)

    def _parameters(
        self, body: PyBulletBody, index: int, ratio: float, friction: float | None
    ) -> JointParameters:
        info = self._joint_info(body, index)
        limits = (info.lower, info.upper) if info.lower <= info.upper else (-math.inf, math.inf)
        lower, upper = sorted(without_sentinel(limit) / ratio for limit in limits)
        friction = None if friction is None else friction * abs(ratio)
        return JointParameters(
            lower=lower, upper=upper, damping=info.damping * ratio**2, friction=friction
        )

    def _joint_info(self, body: PyBulletBody, index: int) -> JointInfo:
        return named(
            JointInfo, self._pybullet.getJointInfo(int(body), index, physicsClientId=self._client)
        )

    def _drives(self) -> Iterator[tuple[Dof, PyBulletBody, int, float]]:
        """Yield degree of freedom, body, joint index and ratio of every hinge and slide."""
        for body in self._bodies:
            joint_segments = body.state.articulation.joint_segments
            for dof, scalar in scalar_dofs(body.mechanism).items():
                yield dof, body, joint_segments[scalar.body][scalar.number], scalar.primitive.ratio

    def settings(self) -> Settings:
        """See `Engine.settings`; effort limits are those of `getJointInfo`."""
        self._refresh()
        world = self._pybullet.getPhysicsEngineParameters(physicsClientId=self._client)
        return Settings(
            gravity=np.array([world[f"gravityAcceleration{axis}"] for axis in "XYZ"]),
            time_step=float(world["fixedTimeStep"]) / max(1, world["numSubSteps"]),
            initial_poses=self._initial_poses,
            efforts={
                dof: self._effort(body, index) * abs(ratio)
                for dof, body, index, ratio in self._drives()
            },
        )

    def _effort(self, body: PyBulletBody, index: int) -> float:
        return without_sentinel(
            float(self._pybullet.getJointInfo(int(body), index, physicsClientId=self._client)[10])
        )

    def surfaces(self) -> Surfaces:
        """See `Engine.surfaces`; those of the running bodies."""
        return surfaces_in_pybullet(self._pybullet, self._client, self._bodies, self.mechanism)

    def running_statements(self) -> tuple[Statements, Statements]:
        """See `Engine.running_statements`; the parameters of the server, the motion of test bodies,
        which shows those that PyBullet does not report, the distance at which contacts end, what
        has changed in the file that PyBullet writes of its world, and whether bodies fall asleep.
        """
        other = self._pybullet.connect(self._pybullet.DIRECT)
        try:
            if self._loaded.constraints:  # then the solver does all its iterations
                self._pybullet.setPhysicsEngineParameter(
                    solverResidualThreshold=0.0, physicsClientId=other
                )
            fresh = self._server_statements(other)
            with self._unmoved():
                running = self._server_statements(self._client)
            running["contactBreakingThreshold", ()] = kept_contacts(self._pybullet, other)
        finally:
            self._pybullet.disconnect(other)
        fresh["contactBreakingThreshold", ()] = KEPT_CONTACTS
        names, world = self._names_by_number(), written_world(self._pybullet, self._client)
        now, before = (settings_of_world(data, names) for data in (world, self._world))
        differing = changed({**now, **self._constraint_settings()}, {**before, **self._constraints})
        with self._unmoved():
            fresh["sleeping", ()], running["sleeping", ()] = np.zeros(1), np.array([self._asleep()])
        for joint, component in self._yielding_stops():
            place = f"stops of {joint}[{component}]", (joint,)
            running[place], fresh[place] = np.zeros(1), np.ones(1)
        return {**running, **differing[0]}, {**fresh, **differing[1]}

    def _yielding_stops(self) -> list[Dof]:
        M, index = self.mechanism.mass_matrix(self.positions()), self.mechanism.dof_index
        drives = {(int(body), k): (dof, ratio) for dof, body, k, ratio in self._drives()}
        inertias = {
            joint: float(M[index[dof], index[dof]]) / ratio**2
            for joint, (dof, ratio) in drives.items()
        }
        with self._unmoved(), _without_constraints(self._pybullet, self._client):
            yielding = list(yielding_stops(self._pybullet, self._client, inertias))
        return [drives[joint][0] for joint in yielding]

    def _constraint_settings(self) -> dict[tuple[str, tuple[str, ...]], Array]:
        """Return force, rate of correction and frames of each constraint; ratio and target of a
        gear follow its law.
        """
        server = {"physicsClientId": self._client}
        found: dict[tuple[str, tuple[str, ...]], Array] = {}
        for k in range(self._pybullet.getNumConstraints(**server)):
            number = self._pybullet.getConstraintUniqueId(k, **server)
            info = named(ConstraintInfo, self._pybullet.getConstraintInfo(number, **server))
            frames = (
                info.axis, info.parent_position, info.parent_orientation, info.child_position,
                info.child_orientation,
            )  # fmt: skip
            scalars = (info.type, info.max_force, info.gear_auxiliary_link, info.error_reduction)
            found[f"constraint {number}", ()] = np.concatenate([scalars, *frames])
        return found

    def _names_by_number(self) -> dict[tuple[int, int], str]:
        """Return the link of each index, by the place of its body among those of the server."""
        numbers = _bodies_of(self._pybullet, {"physicsClientId": self._client})
        return {
            (numbers.index(int(body)), index): name
            for body in self._bodies
            for name, index in body.links.items()
        }

    def _server_statements(self, client: int) -> dict[tuple[str, tuple[str, ...]], Array]:
        parameters = self._pybullet.getPhysicsEngineParameters(physicsClientId=client)
        found: dict[tuple[str, tuple[str, ...]], Array] = {
            (name, ()): np.array([float(parameters[name])])
            for name in ("numSolverIterations", "numNonContactInnerIterations")
        }
        sorts = sorts_pairs(self._pybullet, client)
        found["deterministicOverlappingPairs", ()] = np.array([float(sorts)])
        found["motion of test bodies", ()] = probed_motion(self._pybullet, client)
        return found

    def _zero_velocities(self) -> dict[str, Position]:
        sizes = Counter(name for name, _ in self.mechanism.v_order)
        return {name: (0.0,) * size for name, size in sizes.items()}

    def _asleep(self) -> float:
        """Return 1 if bodies that gravity moves stand still after a time at rest without it."""
        pybullet, server = self._pybullet, {"physicsClientId": self._client}
        before = pybullet.getPhysicsEngineParameters(**server)
        gravity = [before[f"gravityAcceleration{axis}"] for axis in "XYZ"]
        still = self._zero_velocities()
        self._loaded.set_velocities(still)
        pybullet.setTimeStep(_SHORT_STEP, **server)
        pybullet.stepSimulation(**server)
        moves = bool(self.velocities().any())
        self._loaded.set_velocities(still)
        pybullet.setGravity(0.0, 0.0, 0.0, **server)
        pybullet.setTimeStep(_ASLEEP_STEP, **server)
        for _ in range(_ASLEEP_STEPS):
            pybullet.stepSimulation(**server)
        pybullet.setGravity(*gravity, **server)
        pybullet.setTimeStep(_SHORT_STEP, **server)
        pybullet.stepSimulation(**server)
        stands = not self.velocities().any()
        return float(moves and stands)

    def combined_friction(self, one: Grip, other: Grip) -> float:
        return one.mu * other.mu

    def actuator_efforts(self, trials: Mapping[str, ActuatorTrial]) -> dict[str, Array]:
        """See `Engine.actuator_efforts`; measured in a second server."""
        if not trials:
            return {}
        bare = bare_mechanism(self.mechanism)
        other = type(self)(bare)
        try:
            return efforts_in_pybullet(other, other._loaded, bare, trials)
        finally:
            other.close()

    def velocity_limits(self) -> dict[Dof, float]:
        """See `Engine.velocity_limits`; those of `getJointInfo`, which PyBullet does not
        enforce.
        """
        self._refresh()
        return {
            dof: without_sentinel(float(self._joint_info(body, index).max_velocity)) / abs(ratio)
            for dof, body, index, ratio in self._drives()
        }

    def couplings(self) -> dict[tuple[Dof, Dof], CouplingLaw]:
        """See `Engine.couplings`; these are the gear constraints, and for a gear that is the
        tangent of a law at the present position that law.
        """
        gears = self._gears()
        dofs = {(int(body), index): (dof, ratio) for dof, body, index, ratio in self._drives()}
        couplings = {}
        for _, info in self._held(self._body_constraints()).stated:
            one, two = dofs.get(info.parent), dofs.get(info.child)
            if info.type == self._pybullet.JOINT_GEAR and one is not None and two is not None:
                (follower, f), (leader, k) = one, two
                line = CouplingLaw(
                    multiplier=-info.gear_ratio, offset=info.relative_position_target
                )
                gear = gears.get((info.parent, info.child))
                law = line if gear is None or not gear.is_tangent(line) else gear.law
                couplings[follower, leader] = law.scaled(1.0 / f, 1.0 / k)
        return couplings

    def _gears(self) -> dict[tuple[tuple[int, int], tuple[int, int]], Gear]:
        """Return the gears of laws that are not linear, by their ends."""
        return {(gear.follower, gear.leader): gear for body in self._bodies for gear in body.gears}

    def _body_constraints(self) -> dict[str, set[int]]:
        """Return the constraints of all bodies by name."""
        found: dict[str, set[int]] = defaultdict(set)
        for body in self._bodies:
            for name, numbers in body.constraints.items():
                found[name].update(numbers)
        return found

    def _held(self, constraints: Mapping[str, Iterable[int]]) -> HeldConstraints:
        return held_constraints(self._pybullet, self._client, self._bodies, constraints)

    def violations(self) -> dict[str, float]:
        """See `Engine.violations`; a loop is measured at the pivots of its constraints, a hinge at
        their mean.

        A constraint that the model does not have is named by its links; one that does not hold is
        left out.
        """
        held, gears = self._held(self._loaded.constraints), self._gears()
        violations: dict[str, float] = {", ".join(links): 0.0 for links in held.others}
        loops = {closure.joint.name for closure in self.mechanism.closures}
        separations: dict[str, list[Array]] = defaultdict(list)
        for name, info in held.stated:
            if name in self._split_links:
                continue
            if info.type == self._pybullet.JOINT_GEAR:
                follower, leader = self._displacement(*info.parent), self._displacement(*info.child)
                gear = gears.get((info.parent, info.child))
                line = CouplingLaw(
                    multiplier=-info.gear_ratio, offset=info.relative_position_target
                )
                law = line if gear is None else gear.law
                violations[name] = abs(follower - float(law.at(leader)))
                continue
            P = self._frame(*info.parent, info.parent_position, info.parent_orientation)
            Q = self._frame(*info.child, info.child_position, info.child_orientation)
            is_weld = info.type == self._pybullet.JOINT_FIXED
            if is_weld or name not in loops:
                add_violation(violations, name, frame_distance(P, Q, welded=is_weld))
            else:
                separations[name].append(P.p - Q.p)
        return violations | {
            n: float(np.linalg.norm(np.mean(each, axis=0))) for n, each in separations.items()
        }

    def _displacement(self, body: int, index: int) -> float:
        return float(self._pybullet.getJointState(body, index, physicsClientId=self._client)[0])

    def _frame(self, body: int, index: int, pivot: Sequence[float], xyzw: Sequence[float]) -> Pose:
        """Return the pose of a constraint frame in the world; PyBullet states it in the inertial
        frame of the link.
        """
        X_IK = pose_from(pivot, xyzw)
        if body < 0:
            return X_IK
        if index == BASE:
            return (
                pose_from(
                    *self._pybullet.getBasePositionAndOrientation(
                        body, physicsClientId=self._client
                    )
                )
                @ X_IK
            )
        state = self._pybullet.getLinkState(
            body, index, computeForwardKinematics=1, physicsClientId=self._client
        )
        return pose_from(*state[:2]) @ X_IK

    @property
    def dynamics_source(self) -> str:
        """The way in which PyBullet is asked for mass matrices and forces: ``query``, ``steps`` or
        ``query, steps``.
        """
        return ", ".join(sorted({own.source for own, rows in self._dynamics if rows}))

    def mass_matrix(self) -> Array:
        """See `Engine.mass_matrix`; always PyBullet's own, see
        `bridge.targets.pybullet.dynamics`.
        """
        M = np.zeros((len(self.mechanism.v_order),) * 2)
        for own, rows in self._dynamics:
            M[np.ix_(rows, rows)] = self._answer(own.mass_matrix)
        return M

    def bias_forces(self) -> Array:
        return self.inverse_dynamics(np.zeros(len(self.mechanism.v_order)))

    def inverse_dynamics(self, accelerations: Array) -> Array:
        """See `Engine.inverse_dynamics`; always PyBullet's own, see
        `bridge.targets.pybullet.dynamics`.
        """
        forces = np.zeros(len(self.mechanism.v_order))
        for own, rows in self._dynamics:
            forces[rows] = self._answer(partial(own.inverse_dynamics, accelerations[rows]))
        return forces

    def _answer(self, query: Callable[[], Array]) -> Array:
        if self._split_links:
            raise NotReportedError(
                f"PyBullet has no mass matrix across the halves of link {min(self._split_links)}"
            )
        try:
            return query()
        except NoAnswerError as error:
            raise NotReportedError(str(error)) from error

    def collidable_pairs(self) -> frozenset[frozenset[str]]:
        """See `Engine.collidable_pairs`; observed in the running bodies, otherwise measured by
        `pairs_in_pybullet`.
        """
        if self._pairs is None:
            self._pairs = self._observed_pairs(pairs_in_pybullet(self._pybullet, self.mechanism))
        return self._pairs

    def _observed_pairs(self, expected: frozenset[frozenset[str]]) -> frozenset[frozenset[str]]:
        """Return the pairs that touch in the running bodies, and those that never overlap there as
        expected.
        """
        names = links_by_index(self._bodies)
        wanted = {frozenset(pair) for pair in combinations(names, 2)}
        with self._unmoved():
            observed = observe_pairs(self._pybullet, self._client, self._bodies, wanted)
            disabled = {
                both
                for pair in observed.disabled
                for both in of_links({pair}, names)
                if both not in expected or self._overlap(both, observed.nearest[pair][1])
            }
        return (expected - disabled) | of_links(observed.touching, names)

    def _overlap(self, pair: frozenset[str], positions: Sequence[Mapping[str, Position]]) -> bool:
        """Return whether two links overlap by MuJoCo's measure: PyBullet's closest points of plates
        that are 0.7 mm thick lie 0.3 mm within each other where the plates are 0.7 mm apart.
        """
        for body, each in zip(self._bodies, positions, strict=True):
            body.set_positions(each)
        shapes = ShapeModel(link for link in self.mechanism.scene.links if link.name in pair)
        if pair.difference(shapes.links):
            return True
        groups = {name: name for name in pair}
        return bool(shapes.overlaps(self.link_poses(), groups, 0.0, with_margins=True))

    def set_step(self, seconds: float) -> None:
        self._pybullet.setTimeStep(seconds, physicsClientId=self._client)

    def resting(self, link: str, collision: Collision) -> tuple[float, float]:
        """See `Engine.resting`; all shapes of a link have one surface, and hulls a margin."""
        segments = (s for body in self._bodies for s in body.state.articulation.segments)
        carrying = (s for s in segments if any(each.link.name == link for each in s.links))
        surface = next((surface_of(collisions_of(s)) for s in carrying), collision.surface)
        if surface.stiffness is None:
            return math.inf, 0.0
        settings = self._pybullet.getPhysicsEngineParameters(physicsClientId=self._client)
        depth = BALL_WEIGHT / contact_parameters(surface)["contactStiffness"]
        rate = _rest_rate(surface, float(settings["fixedTimeStep"]))
        return rate, depth - (HULL_MARGIN if is_hull(collision) else 0.0)

    def excess(self, link: str, collision: Collision) -> float:
        """See `Engine.excess`; a base has no margin."""
        bases = (body.state.articulation.segments[0].links for body in self._bodies)
        is_base = any(carried.link.name == link for links in bases for carried in links)
        return 0.0 if is_base else excess_of(collision)

    def solver_iterations(self) -> int:
        """See `Engine.solver_iterations`; PyBullet's default unless it was set."""
        return int(
            self._pybullet.getPhysicsEngineParameters(physicsClientId=self._client)[
                "numSolverIterations"
            ]
        )

    def set_solver_iterations(self, count: int) -> None:
        self._pybullet.setPhysicsEngineParameter(
            numSolverIterations=count, physicsClientId=self._client
        )

    @contextmanager
    def with_strong_stops(self) -> Iterator[float]:
        """See `Engine.with_strong_stops`."""
        server = {"physicsClientId": self._client}
        step = self._pybullet.getPhysicsEngineParameters(**server)["fixedTimeStep"]
        self._set_stop_force(_UNLIMITED_FORCE)
        try:
            yield _LARGEST_IMPULSE
        finally:
            self._set_stop_force(_LARGEST_IMPULSE / step)

    def _set_stop_force(self, force: float) -> None:
        server = {"physicsClientId": self._client}
        for body, joint in _links_of(self._pybullet, _bodies_of(self._pybullet, server), server):
            self._pybullet.changeDynamics(body, joint, jointLimitForce=force, **server)

    def step(self, count: int) -> None:
        for _ in range(count):
            if self._controls:
                self._act(self._controls)
            self._loaded.step()

    def touch(self, balls: Sequence[Ball]) -> TouchedModel:
        """See `Engine.touch`; in the server of the running bodies."""
        return _Touched(
            self._pybullet, self._client, self._loaded.step, self.velocities, balls, self._bodies
        )

    def start_actuators(self, actuators: ActuatorKind, _joints: Iterable[str]) -> None:
        self._act = (
            self._loaded.apply_control if actuators == "position" else self._loaded.apply_efforts
        )

    def set_controls(self, controls: Mapping[str, float]) -> None:
        self._controls = dict(controls)

    def close(self) -> None:
        if self._pybullet.isConnected(self._client):
            self._pybullet.disconnect(self._client)
