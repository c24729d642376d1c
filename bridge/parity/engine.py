"""The Engine protocol, the registry of engines, and degrees of freedom.

An engine has one mechanism and returns values by scoped names, in the conventions of
`bridge.mechanism.coordinates` and in the mechanism's ``v_order``. Each adapter sets the options
that make its engine comparable: semi-implicit Euler, explicit damping, no default motors.
"""

from __future__ import annotations

import importlib
import logging
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import metadata
from typing import Protocol

import numpy as np

from bridge.installed_packages import is_installed
from bridge.mechanism import Mechanism
from bridge.mechanism.bodies import ROOT, Primitive, PrimitiveKind
from bridge.mechanism.coordinates import Coordinates, Position, kind_of
from bridge.stdout_capture import capture_stdout
from loaders.diagnostics import Diagnostic
from loaders.inertia import SpatialInertia
from loaders.model import WORLD, BallConstraint, JointType, WeldConstraint
from loaders.pose import IDENTITY, Array, Pose

Dof = tuple[str, int]
"""A velocity component as in ``v_order``: the joint and the number of the component."""

ENTRY_POINTS = "sdfbridge.engines"
"""Group of entry points for engines of other packages: a name, and a callable that takes a
mechanism.
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class JointParameters:
    """The parameters of one velocity component in an engine.

    Attributes:
        lower: Lower limit [rad or m].
        upper: Upper limit [rad or m].
        damping: Viscous damping [N m s/rad or N s/m].
        friction: Dry friction [N m or N]; None if the engine does not report it.
    """

    lower: float = -math.inf
    upper: float = math.inf
    damping: float = 0.0
    friction: float | None = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """The settings with which an engine starts a simulation.

    Attributes:
        gravity: Gravity in the world [m/s^2], shape (3,).
        time_step: Time step [s].
        initial_poses: Pose of each link before anything moves.
        efforts: Effort limit of each component of a hinge or slide [N m or N].
    """

    gravity: Array
    time_step: float
    initial_poses: Mapping[str, Pose]
    efforts: Mapping[Dof, float]


class Engine(Protocol):
    """One mechanism in one simulator.

    Any query may raise `NotReportedError`.
    """

    @property
    def name(self) -> str:
        """The name of the engine."""

    @property
    def version(self) -> str:
        """The version of the simulator; empty if it has none."""

    @property
    def diagnostics(self) -> tuple[Diagnostic, ...]:
        """The fidelity report: what the engine cannot represent exactly."""

    def set_state(self, q: Mapping[str, Position], v: Mapping[str, Position]) -> None:
        """Set positions and velocities by joint."""

    def link_poses(self) -> dict[str, Pose]:
        """Return ``X_WL`` of every link."""

    def jacobians(self) -> dict[str, Array]:
        """Return the Jacobian of every link, shape (6, nv): angular, then linear velocity in the
        world.
        """

    def inertias(self) -> dict[str, SpatialInertia]:
        """Return the inertia of every link that can move, in the frame of the link."""

    def joint_parameters(self) -> dict[Dof, JointParameters]:
        """Return the parameters of every component of a hinge or slide."""

    def couplings(self) -> dict[tuple[Dof, Dof], tuple[float, float]]:
        """Return multiplier and offset of every coupling, by follower and leader."""

    def mass_matrix(self) -> Array:
        """Return the mass matrix at the current position, shape (nv, nv)."""

    def bias_forces(self) -> Array:
        """Return the Coriolis, centrifugal and gravity terms in the current state, shape (nv,)."""

    def inverse_dynamics(self, accelerations: Array) -> Array:
        """Return the forces that cause the accelerations in the current state, both of shape
        (nv,).
        """

    def violations(self) -> dict[str, float]:
        """Return by how much the current position violates each coupling and loop [rad or m], by
        name.
        """

    def collidable_pairs(self) -> frozenset[frozenset[str]]:
        """Return the pairs of links that can collide; pairs of links that are welded together are
        ignored.
        """

    def positions(self) -> dict[str, Position]:
        """Return the current position of every joint that can move."""

    def velocities(self) -> Array:
        """Return the current velocities, shape (nv,)."""

    def set_step(self, seconds: float) -> None:
        """Set the time step."""

    def step(self, count: int) -> None:
        """Advance the simulation by a number of steps."""

    def close(self) -> None:
        """Release the resources of the simulator."""


Factory = Callable[..., Engine]
"""A callable that opens an engine with a mechanism; its ``name`` or ``__name__`` is the name of the
engine.

An engine that reads the original file itself has a true attribute ``reads_file`` and takes a
`loaders.Search` as a second argument.
"""

_ENGINES = {
    "reference": "bridge.parity.reference:ReferenceEngine",
    "mujoco": "bridge.parity.engines.mujoco.engine:MujocoEngine",
    "pybullet": "bridge.parity.engines.pybullet.engine:PyBulletEngine",
    "drake": "bridge.parity.engines.drake.engine:DrakeEngine",
    "dart": "bridge.parity.engines.dart.engine:DartEngine",
    "pybullet-urdf": "bridge.parity.engines.pybullet.native:PyBulletUrdf",
    "pybullet-sdf": "bridge.parity.engines.pybullet.native:PyBulletSdf",
    "mujoco-urdf": "bridge.parity.engines.mujoco.native:MujocoUrdf",
    "mujoco-native": "bridge.parity.engines.mujoco.native:MujocoNative",
}
"""The class of each engine of this package."""


_MODULES = {
    "drake": "pydrake",
    "dart": "dartpy",
    "pybullet-urdf": "pybullet",
    "pybullet-sdf": "pybullet",
    "mujoco-urdf": "mujoco",
    "mujoco-native": "mujoco",
}
"""The module that an engine needs, if its name differs from that of the engine."""


_INSTALL = {
    "drake": "pip install drake",
    "dart": "pip install 'sdfbridge[dart]'",
    "mujoco": "pip install mujoco",
}
"""The command that installs an engine."""
INSTALL_PYBULLET = (
    "try: pip install pybullet, or pybullet-arm64 for Python 3.12 and later and for Apple silicon"
)

_LOG = logging.getLogger("sdfbridge")


class EngineMissingError(RuntimeError):
    """An engine is not installed."""


class DivergedError(ArithmeticError):
    """The motion in an engine has left the finite numbers."""


class NotReportedError(Exception):
    """An engine does not report a quantity; the message states why."""


def reads_file(factory: Factory) -> bool:
    """Return whether an engine reads the original file itself; it is then no part of the motion of
    mechanisms.
    """
    return bool(getattr(factory, "reads_file", False))


def is_witness_of_motion(factory: Factory) -> bool:
    """Return whether an engine reads the original file itself and moves; it is then a reference for
    other motions.
    """
    return reads_file(factory) and bool(getattr(factory, "is_witness_of_motion", False))


def engine_names() -> tuple[str, ...]:
    """Return the names of all known engines, whether installed or not."""
    registered = (point.name for point in metadata.entry_points(group=ENTRY_POINTS))
    return (*_ENGINES, *(name for name in registered if name not in _ENGINES))


def default_engines() -> tuple[str, ...]:
    """Return MuJoCo and PyBullet; MuJoCo alone where PyBullet is not installed, which is logged
    once.
    """
    if is_installed("pybullet"):
        return ("mujoco", "pybullet")
    _log_missing_pybullet()
    return ("mujoco",)


@cache
def _log_missing_pybullet() -> None:
    _LOG.warning(
        "PyBullet is not installed, so MuJoCo is compared with the reference only; %s",
        INSTALL_PYBULLET,
    )


def factory_of(name: str) -> Factory:
    """Return the factory of an engine.

    Raises:
        ValueError: If there is no engine of this name.
        EngineMissingError: If the engine is not installed.
    """
    if name in _ENGINES:
        module, _, attribute = _ENGINES[name].partition(":")
        _require_installed(name)
        factory: Factory = getattr(importlib.import_module(module), attribute)
        return factory
    for point in metadata.entry_points(group=ENTRY_POINTS, name=name):
        loaded: Factory = point.load()
        return loaded
    raise ValueError(f"unknown engine {name!r}; expected one of: {', '.join(engine_names())}")


def _require_installed(name: str) -> None:
    if name == "reference":
        return
    try:
        with capture_stdout([]):  # PyBullet prints a line when it is imported
            importlib.import_module(_MODULES.get(name, name))
    except ImportError as error:
        package = name.partition("-")[0]
        advice = INSTALL_PYBULLET if package == "pybullet" else f"try: {_INSTALL[package]}"
        raise EngineMissingError(f"{package} is not installed; {advice}") from error


UNLIMITED = 1e9
"""Magnitude from which a limit means that there is none [rad or m]."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ScalarDof:
    """The hinge or slide of one velocity component.

    Attributes:
        body: Index of the body in the mechanism.
        number: Index of the primitive in the body.
        primitive: The hinge or slide.
    """

    body: int
    number: int
    primitive: Primitive


def scalar_dofs(mechanism: Mechanism) -> dict[Dof, ScalarDof]:
    """Return the hinge or slide of each scalar component; if both share one, as in a screw joint,
    the hinge.
    """
    dofs: dict[Dof, ScalarDof] = {}
    for i, body in enumerate(mechanism.bodies):
        if kind_of(body) is not None:
            continue
        numbered = sorted(
            enumerate(body.primitives), key=lambda item: item[1].kind is not PrimitiveKind.HINGE
        )
        for number, primitive in numbered:
            dof = (str(body.joint), primitive.dof_index)
            dofs.setdefault(dof, ScalarDof(body=i, number=number, primitive=primitive))
    return dofs


def without_sentinel(limit: float) -> float:
    """Return a limit, infinite if its magnitude is at least `UNLIMITED`."""
    return math.copysign(math.inf, limit) if abs(limit) >= UNLIMITED else limit


def moving_links(mechanism: Mechanism) -> set[str]:
    """Return the links that a joint can move; the mass of all others has no effect."""
    moving: list[bool] = []
    for body in mechanism.bodies:
        carried = body.parent != ROOT and moving[body.parent]
        moving.append(carried or bool(body.primitives))
    return {body.name for body, moves in zip(mechanism.bodies, moving, strict=True) if moves}


def positions_by_joint(mechanism: Mechanism, by_body: Sequence[Coordinates]) -> dict[str, Position]:
    """Return positions by joint name, given those of each body."""
    return {
        str(body.joint): q
        for body, q in zip(mechanism.bodies, by_body, strict=True)
        if body.primitives
    }


def screw_like_joints(mechanism: Mechanism) -> list[str]:
    """Return the joints whose primitives share a component, as in a screw; engines hold these by a
    constraint.
    """
    return [
        str(body.joint)
        for body in mechanism.bodies
        if len({p.dof_index for p in body.primitives}) < len(body.primitives)
    ]


def has_free_or_ball(mechanism: Mechanism) -> bool:
    """Return whether a body rotates freely, for which engines integrate different coordinates."""
    return any(kind_of(body) is not None for body in mechanism.bodies)


FramePair = tuple[tuple[int, Pose], tuple[int, Pose]]
"""Two frames that a constraint holds together, each as the index of a body (`ROOT` for the world)
and a pose on it.
"""


def constraint_frames(mechanism: Mechanism) -> Iterator[tuple[str, FramePair]]:
    """Yield name and frames of each loop (named after its joint) and constraint (named after its
    links).

    Several constraints of the same links have the same name.
    """
    return ((name, frames) for name, frames, _ in held_frames(mechanism))


def held_frames(mechanism: Mechanism) -> Iterator[tuple[str, FramePair, bool]]:
    """Yield name and frames of each loop and constraint, and whether it holds the orientation
    too.
    """
    for closure in mechanism.closures:
        frames = (closure.parent, closure.joint.X_PJ), (closure.child, closure.joint.X_CJ)
        yield closure.joint.name, frames, closure.joint.type is JointType.FIXED
    index = {body.name: i for i, body in enumerate(mechanism.bodies)} | {WORLD: ROOT}
    for constraint in mechanism.scene.constraints:
        if isinstance(constraint, BallConstraint | WeldConstraint) and constraint.active:
            is_weld = isinstance(constraint, WeldConstraint)
            if isinstance(constraint, WeldConstraint):
                X_AP, X_BQ = constraint.X_AP, constraint.X_BQ
            else:
                X_AP, X_BQ = Pose.of(p=constraint.p_AP), Pose.of(p=constraint.p_BQ)
            name = f"{constraint.link_A}, {constraint.link_B}"
            yield (
                name,
                ((index[constraint.link_A], X_AP), (index[constraint.link_B], X_BQ)),
                is_weld,
            )


def constraint_subjects(mechanism: Mechanism) -> dict[str, tuple[str, ...]]:
    """Return the joints or links that each constraint is about, by the name of the constraint."""
    order = mechanism.v_order
    subjects: dict[str, tuple[str, ...]] = {
        joint: (joint,) for joint in screw_like_joints(mechanism)
    }
    subjects |= {c.name: (order[c.follower][0], order[c.leader][0]) for c in mechanism.couplings}
    subjects |= {closure.joint.name: (closure.joint.name,) for closure in mechanism.closures}
    balls = (
        c for c in mechanism.scene.constraints if isinstance(c, BallConstraint | WeldConstraint)
    )
    return subjects | {
        f"{ball.link_A}, {ball.link_B}": (ball.link_A, ball.link_B) for ball in balls
    }


def constraint_violations(mechanism: Mechanism, q: Mapping[str, Position]) -> dict[str, float]:
    """Return by how much a position violates each coupling and loop [rad or m]; screws are exact by
    construction.
    """
    positions = mechanism.positions_by_body(q)
    values = dict(
        item
        for body, part in zip(mechanism.bodies, positions, strict=True)
        for item in _scalar_positions(body.v_start, part)
    )
    violations = dict.fromkeys(screw_like_joints(mechanism), 0.0)
    for c in mechanism.couplings:
        if c.follower in values and c.leader in values:
            violations[c.name] = abs(
                values[c.follower] - c.multiplier * values[c.leader] - c.offset
            )
    poses = mechanism.link_poses(q)
    for name, ((a, X_AP), (b, X_BQ)), is_weld in held_frames(mechanism):
        P, Q = (
            (IDENTITY if i == ROOT else poses[mechanism.bodies[i].name]) @ X
            for i, X in ((a, X_AP), (b, X_BQ))
        )
        add_violation(violations, name, frame_distance(P, Q, welded=is_weld))
    return violations


def add_violation(violations: dict[str, float], name: str, violation: float) -> None:
    """Add the violation of a constraint to those of all constraints with its name, as the root of
    the sum of squares.

    Args:
        violations: The violations by name, which are changed.
        name: The name of the constraint.
        violation: Its violation.
    """
    violations[name] = math.hypot(violations.get(name, 0.0), violation)


def frame_distance(X_WP: Pose, X_WQ: Pose, *, welded: bool) -> float:
    """Return the distance of the origins of two frames [m]; if they are welded, its norm with their
    angle [rad].

    The larger of both would hide a wrong distance at positions at which the loop is far from
    closed.

    Args:
        X_WP: The pose of the first frame.
        X_WQ: The pose of the second frame.
        welded: Whether the constraint holds the orientation too.
    """
    distance = float(np.linalg.norm(X_WP.p - X_WQ.p))
    return (
        math.hypot(distance, float(np.linalg.norm(X_WP.R - X_WQ.R)) / math.sqrt(2.0))
        if welded
        else distance
    )


def _scalar_positions(start: int, position: tuple[float, ...]) -> Iterator[tuple[int, float]]:
    """Yield the positions of hinges and slides by the index of their velocity."""
    if len(position) < 4:
        yield from enumerate(position, start=start)
