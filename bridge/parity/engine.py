"""The Engine protocol, the registry of engines, and degrees of freedom.

An engine has one mechanism and returns values by scoped names, in the conventions of
`bridge.mechanism.coordinates` and in the mechanism's ``v_order``. Each adapter sets the options
that make its engine comparable: semi-implicit Euler, explicit damping, no default motors.
"""

from __future__ import annotations

import importlib
import logging
import math
from collections.abc import Callable, Collection, Hashable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field
from functools import cache
from importlib import metadata
from typing import Literal, NoReturn, Protocol, Self, runtime_checkable

import numpy as np

from bridge.installed_packages import INSTALL_PYBULLET, is_installed, refusal_of
from bridge.mechanism import Mechanism
from bridge.mechanism.bodies import ROOT, Primitive, PrimitiveKind
from bridge.mechanism.coordinates import Coordinates, Position, kind_of, positions_by_body
from bridge.sensors import STATE_TYPES
from bridge.stdout_capture import capture_stdout
from loaders import Search
from loaders.codes import OVERRIDES_APPLIED
from loaders.diagnostics import Diagnostic
from loaders.engine_settings import Grip
from loaders.inertia import SpatialInertia
from loaders.model import (
    WORLD,
    BallConstraint,
    Collision,
    CouplingLaw,
    Frame,
    JointType,
    WeldConstraint,
)
from loaders.pose import IDENTITY, Array, Pose
from loaders.scene import Scene
from loaders.scoped_names import MODEL_FRAME, SEPARATOR, root_model

Dof = tuple[str, int]
"""A velocity component as in ``v_order``: the joint and the number of the component."""

ENTRY_POINTS = "sdfbridge.engines"
"""Group of entry points for engines of other packages: a name, and a callable that takes a
mechanism."""


class EngineMissingError(RuntimeError):
    """An engine is not installed."""


class DivergedError(ArithmeticError):
    """The motion in an engine has left the finite numbers."""


class NotReportedError(Exception):
    """An engine does not report a quantity; the message states why."""


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
    """The settings with which an engine starts a simulation; None for one that it does not read.

    Attributes:
        gravity: Gravity in the world [m/s^2], shape (3,).
        time_step: Time step [s].
        initial_poses: Pose of each link before anything moves.
        efforts: Effort limit of each component of a hinge or slide [N m or N].
    """

    gravity: Array | None
    time_step: float | None
    initial_poses: Mapping[str, Pose]
    efforts: Mapping[Dof, float] | None


@dataclass(frozen=True, slots=True, kw_only=True)
class ActuatorTrial:
    """Commands to one joint, and what the model states of its actuator.

    Attributes:
        limit: Effort limit [N m or N].
        commands: Commanded efforts [N m or N].
        gains: Gains of position and speed of the controller; None if the model states none.
        position: Position of the joint [rad or m].
        displacement: Distance of the target from the position, at rest [rad or m].
        speed: Speed of the joint at the target [rad/s or m/s].
    """

    limit: float
    commands: tuple[float, ...]
    gains: tuple[float, float] | None
    position: float
    displacement: float
    speed: float

    def efforts(self, limit: float, gains: tuple[float, float] | None) -> Array:
        """Return the effort after each command and, with gains, at the displacement and at the
        speed [N m or N].

        Args:
            limit: An effort limit.
            gains: Gains of position and speed, or None.
        """
        p, d = gains or (0.0, 0.0)
        controlled = () if gains is None else (p * self.displacement, -d * self.speed)
        return np.clip((*self.commands, *controlled), -limit, limit)


Hull = Callable[[], Array | None]
"""Computes the triangles of a convex hull, which takes time."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Surfaces:
    """Shapes and surfaces of one engine, by link.

    Attributes:
        supports: Support of each collision shape in the directions of `bridge.geometry.shapes` [m],
            a row of each.
        visuals: Pose of each visual shape in the link; None if the engine does not show them.
        friction: Coefficient of sliding friction of each collision shape.
        restitution: Coefficient of restitution of each collision shape; empty if the engine has no
            such parameter.
        contact: Torsional and rolling friction [m], stiffness [N/m] and damping [N s/m] of contacts
            of each collision shape, where NaN leaves it to the engine; None if the engine has no
            such parameters.
        grips: What decides on the friction of pairs of each collision shape, by a key of the shape;
            empty if that is its coefficient alone.
        pair_friction: Coefficient of sliding friction of pairs of shapes, by their keys, where the
            engine lists pairs.
        unread: Links with a mesh that the engine holds and does not show.
        hulls: Computes the triangles of the hull of each collision mesh, shape (m, 3, 3) [m]; None
            if it is flat.
        reasons: Why a field means nothing in this engine, by the name of the field (``visuals``,
            ``friction`` or ``contact``).
    """

    supports: Mapping[str, Array]
    visuals: Mapping[str, Sequence[Pose]] | None
    friction: Mapping[str, Sequence[float]]
    restitution: Mapping[str, Sequence[float]] = field(default_factory=dict)
    contact: Mapping[str, Sequence[Sequence[float]]] | None = None
    hulls: Mapping[str, Sequence[Hull]] = field(default_factory=dict)
    grips: Mapping[str, Mapping[Hashable, Grip]] = field(default_factory=dict)
    pair_friction: Mapping[frozenset[Hashable], float] = field(default_factory=dict)
    unread: Collection[str] = ()
    reasons: Mapping[str, str] = field(default_factory=dict)


Statements = Mapping[tuple[str, tuple[str, ...]], Array]
"""Numbers of elements, by label and the scoped names that each is about."""
ActuatorKind = Literal["motor", "position"]
"""Actuators that take efforts, or targets of the controllers that the model states."""

SOFTNESS = 1e-4
"""Part ``(1 - d) / d`` of an acceleration that the hardest constraint of a soft solver lets
through, with an impedance d of 0.9999."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ConstraintSoftness:
    """The softness of couplings and loops in the solver of an engine.

    Attributes:
        stretch: Steps squared, times a relative acceleration, by which a constraint stretches.
        admitted: Part of an acceleration that the hardest constraint lets through.
        obeys_settings: Whether constraints are as soft as the solver settings of an MJCF file
            state.
        approximates_mobility: Whether the solver takes the mobility of a constraint for the sum of
            those of its joints at the zero position.
    """

    stretch: float = 5.0
    admitted: float = 1.0
    obeys_settings: bool = False
    approximates_mobility: bool = False


HEAVY = 1e6
"""Moment of inertia of a ball that does not turn; and what the model gains in mass and inertia, so
that it does not move [kg, kg m^2]."""
BALL_WEIGHT = 9.8
"""Force that presses each ball on its shape [N]."""
BALL_RADIUS = 10.0
"""Radius of balls that touch a model [m]. The normal of a contact with a convex shape turns by at
most the way of the center of the ball over its radius, because the distance from a convex set has
a gradient that does not change faster."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Ball:
    """A solid ball of 1 kg that touches a model; its own surface has no friction of its own, and
    bounces as the surface does that it touches.

    Attributes:
        center: Its center in the world [m], shape (3,).
        turns: Whether it turns; its moment of inertia is `HEAVY` if it does not.
        touches: Names of the links that it may touch; it passes through all others.
    """

    center: Array
    turns: bool
    touches: frozenset[str]

    @property
    def moment(self) -> float:
        """The moment of inertia [kg m^2]."""
        return 0.4 * BALL_RADIUS**2 if self.turns else HEAVY


class TouchedModel(Protocol):
    """A model with balls in a simulator; without gravity, and too heavy to move."""

    def positions(self) -> Array:
        """Return the positions of the balls in the world [m], shape (n, 3)."""

    def velocities(self) -> Array:
        """Return the velocities of the balls in the world [m/s], shape (n, 3)."""

    def model_speed(self) -> float:
        """Return the largest velocity of the model [rad/s, m/s]."""

    def set_velocities(self, velocities: Array) -> None:
        """Set the velocities of the balls in the world [m/s], shape (n, 3); they do not turn."""

    def push(self, forces: Array) -> None:
        """Let forces in the world act on the centers of the balls from now on [N], shape (n, 3)."""

    def step(self, count: int) -> None:
        """Advance the simulation by a number of steps.

        Raises:
            NotReportedError: If the motion diverges.
        """


def _refuse(engine: Engine, what: str) -> NoReturn:
    raise NotReportedError(f"the engine {engine.name} does not {what}")


class Engine(Protocol):
    """One mechanism in one simulator.

    Links and joints have the scoped names of the mechanism, velocities the order of its
    ``v_order``; all numbers are in SI units. Poses are ``X_WL``, of the link in the world. Any
    query may raise `NotReportedError`, whose message states why; the quantity is then unknown.
    Queries without another default raise it. A query leaves the state and all parameters as they
    are. `BaseEngine` has a default of every member.
    """

    # --- what the engine is -----------------------------------------------------------------------

    @property
    def name(self) -> str:
        """The name of the engine; default ``engine``."""

    @property
    def version(self) -> str:
        """The version of the simulator; empty, the default, if it has none."""

    @property
    def diagnostics(self) -> tuple[Diagnostic, ...]:
        """The fidelity report: what the engine cannot represent exactly; default nothing."""

    @property
    def target(self) -> str:
        """The target of its diagnostics; empty, the default, if that is the name of the engine."""

    @property
    def refusal(self) -> str:
        """The reason for which the engine does not hold the model, so that nothing is asked of it;
        empty, the default, if it does.
        """

    @property
    def refusal_is_difference(self) -> bool:
        """True if a refusal is a difference; if not, the default, it leaves the model unknown."""

    @property
    def likely_causes(self) -> Mapping[str, str]:
        """The likely cause of an unexplained difference, by the name of the quantity; default
        none.
        """

    # --- how it takes part; a factory is asked before it opens an engine --------------------------

    @property
    def reads_file(self) -> bool:
        """True if the engine reads the original file itself, and not the mechanism; default
        false.

        Its factory takes a `loaders.Search` as a second argument, and it is no part of the motion
        of mechanisms.
        """

    @property
    def is_witness_of_motion(self) -> bool:
        """True if an engine that reads the original file moves, as a reference for other motions;
        default false.
        """

    @property
    def solves_constraints(self) -> bool:
        """True if steps obey stops, dry friction, couplings, loops, actuators and contacts; default
        true.

        Without, the engine takes part in smooth motion only.
        """

    @property
    def is_slow(self) -> bool:
        """True if a step takes so long that the engine is left out of long motions; default
        false.
        """

    @property
    def unit_roundoff(self) -> float:
        """The largest relative error of a number that the engine rounds; default that of double
        precision.
        """

    # --- how it simulates -------------------------------------------------------------------------

    @property
    def steps_explicitly(self) -> bool:
        """True if dampers and springs of the exported model act explicitly, so that a stiff one is
        unstable; default false.
        """

    @property
    def obeys_mjcf_settings(self) -> bool:
        """True if the engine obeys the solver settings that an MJCF file states, and reports them
        in `compiled_statements`; default false.
        """

    @property
    def collision_policy(self) -> str:
        """The rule of `loaders.collision_pairs` by which the engine itself chooses the pairs of
        links that no filter names; default empty: it gets the pairs of the mechanism.
        """

    @property
    def constraint_softness(self) -> ConstraintSoftness:
        """The softness of couplings and loops; by default that of the softest known solver."""

    def bounce(self, restitution: float) -> tuple[float, float]:
        """Return the least and the largest ratio of the speeds after and before an impact, for a
        coefficient of restitution, of a ball that arrives with 1 m/s where its weight holds it at
        rest; by default that coefficient.
        """
        return restitution, restitution

    def resting(self, link: str, collision: Collision) -> tuple[float, float]:
        """Return the rate at which a ball comes to rest at least on a shape of a link that states a
        stiffness [1/s], and the depth at which it rests [m], by the rules of the export, at the
        current time step; by default, and for other surfaces, infinite and zero.
        """
        return math.inf, 0.0

    def excess(self, link: str, collision: Collision) -> float:
        """Return by how much a shape of a link is thicker in the engine than stated at most [m]; by
        default zero.
        """
        return 0.0

    def combined_friction(self, one: Grip, other: Grip) -> float:
        """Return the coefficient of friction of two shapes in contact, given what each states.

        Raises:
            NotReportedError: If the engine does not state its rule.
        """
        _refuse(self, "report combined friction")

    def solver_iterations(self) -> int:
        """Return the number of iterations of the solver in each step.

        Raises:
            NotReportedError: If there is no such number, or it cannot be set.
        """
        _refuse(self, "report solver iterations")

    def set_solver_iterations(self, count: int) -> None:
        """Set the number of iterations of the solver in each step."""
        _refuse(self, "set solver iterations")

    def with_strong_stops(self) -> AbstractContextManager[float]:
        """Return a context in which the stops of the running bodies have no largest force; it gives
        their largest impulse in a step outside of it [N m s or N s], infinite by default.
        """
        return nullcontext(math.inf)

    # --- state and motion -------------------------------------------------------------------------

    def set_state(self, q: Mapping[str, Position], v: Mapping[str, Position]) -> None:
        """Set positions and velocities by joint; joints that are not named are at zero and at
        rest.
        """
        _refuse(self, "set a state")

    def prepare(self, states: Sequence[tuple[dict[str, Position], dict[str, Position]]]) -> None:
        """Compute many states, positions and velocities by joint, at once; `set_state` then takes
        them from there. By default each state is computed when it is set.
        """

    def positions(self) -> dict[str, Position]:
        """Return the current position of every joint that can move."""
        _refuse(self, "report positions")

    def velocities(self) -> Array:
        """Return the current velocities, shape (nv,)."""
        _refuse(self, "report velocities")

    def joint_states(self, joints: Sequence[str]) -> tuple[Array, Array]:
        """Return the positions and velocities of joints with one axis [rad or m, rad/s or m/s],
        both of shape (n,); by default from `positions` and `velocities`.
        """

    def set_step(self, seconds: float) -> None:
        """Set the time step [s]."""
        _refuse(self, "set a time step")

    def step(self, count: int) -> None:
        """Advance the simulation by a number of steps.

        Raises:
            DivergedError: If the motion leaves the finite numbers.
            NotReportedError: If the engine does not simulate the model.
        """
        _refuse(self, "take a step")

    def start_actuators(self, actuators: ActuatorKind, joints: Iterable[str]) -> None:
        """Let the actuators of these joints follow `set_controls` from now on: efforts for
        ``motor``, targets of the controllers for ``position``; those of other joints exert no
        force.

        Raises:
            NotReportedError: If the engine runs no actuators.
        """
        _refuse(self, "run actuators")

    def set_controls(self, controls: Mapping[str, float]) -> None:
        """Set the efforts [N m or N] or targets [rad or m] of these joints, which act from now
        on.
        """
        _refuse(self, "set controls of actuators")

    def contact_points(self) -> Array:
        """Return the points at which shapes touch since the last step, in the world [m], shape (n,
        3); none from an engine that does not report them.
        """
        return np.zeros((0, 3))

    def touch(self, balls: Sequence[Ball]) -> TouchedModel:
        """Return the running model with balls, at the present time step.

        The model keeps its shapes, surfaces, masks and solver; it does not move. Its state is
        undefined afterwards.
        """
        _refuse(self, "let balls touch a model")

    def close(self) -> None:
        """Release the resources of the simulator; by default there are none."""

    # --- kinematics -------------------------------------------------------------------------------

    def link_poses(self) -> dict[str, Pose]:
        """Return ``X_WL`` of every link in the current state."""
        _refuse(self, "report link poses")

    def zero_poses(self) -> dict[str, Pose]:
        """Return ``X_WL`` of every link with all joints at zero; by default `link_poses` in that
        state, which remains set.
        """

    def frame_poses(self) -> Mapping[str, Pose]:
        """Return ``X_LF`` of every frame of `stated_frames`, in its link; infinite numbers for one
        that the engine has in another link.
        """
        _refuse(self, "report frames")

    def jacobians(self) -> dict[str, Array]:
        """Return the Jacobian of every link, shape (6, nv): angular, then linear velocity in the
        world.
        """
        _refuse(self, "report Jacobians")

    def violations(self) -> dict[str, float]:
        """Return by how much the current position violates each coupling and loop [rad or m], by
        name.
        """
        _refuse(self, "report violations of constraints")

    # --- dynamics ---------------------------------------------------------------------------------

    def mass_matrix(self) -> Array:
        """Return the mass matrix at the current position, shape (nv, nv)."""
        _refuse(self, "report its mass matrix")

    def bias_forces(self) -> Array:
        """Return the Coriolis, centrifugal and gravity terms in the current state, shape (nv,)."""
        _refuse(self, "report bias forces")

    def inverse_dynamics(self, accelerations: Array) -> Array:
        """Return the forces that cause the accelerations in the current state, both of shape
        (nv,).
        """
        _refuse(self, "report inverse dynamics")

    # --- parameters -------------------------------------------------------------------------------

    def settings(self) -> Settings:
        """Return gravity, time step, initial poses and effort limits."""
        _refuse(self, "report settings")

    def inertias(self) -> dict[str, SpatialInertia]:
        """Return the inertia of every link that can move, in the frame of the link."""
        _refuse(self, "report inertias")

    def joint_parameters(self) -> dict[Dof, JointParameters]:
        """Return the parameters of every component of a hinge or slide."""
        _refuse(self, "report joint parameters")

    def couplings(self) -> dict[tuple[Dof, Dof], CouplingLaw]:
        """Return the law of every coupling, by follower and leader."""
        _refuse(self, "report couplings")

    def stop_compliance(self) -> dict[Dof, float]:
        """Return how far each limited joint yields beyond its stops [rad/(N m) or m/N]; zero for a
        hard stop.
        """
        _refuse(self, "report the compliance of stops")

    def stop_settings(self) -> dict[Dof, Array]:
        """Return the limits of each limited joint and the settings of MuJoCo's solver for its
        stops: ``range``, ``solref``, ``solimp`` and ``margin`` of the compiled model, shape (10,).
        """
        _refuse(self, "report settings of stops")

    def velocity_limits(self) -> dict[Dof, float]:
        """Return the stated limit of speed of each hinge and slide [rad/s or m/s], enforced or
        not.
        """
        _refuse(self, "report velocity limits")

    def enforced_speed_limits(self) -> dict[Dof, float]:
        """Return the speed at which the engine cuts off each hinge and slide [rad/s or m/s]; others
        are absent, by default all.
        """
        return {}

    # --- actuators --------------------------------------------------------------------------------

    def actuator_efforts(self, trials: Mapping[str, ActuatorTrial]) -> dict[str, Array]:
        """Return the efforts at the joints after the commands of their trials [N m or N], by joint.

        Each is as `ActuatorTrial.efforts` orders them. Nothing else acts on the joint: no stop, no
        constraint and no dry friction.
        """
        _refuse(self, "report actuator efforts")

    def actuator_laws(self) -> list[Array]:
        """Return the numbers that determine the force of each actuator of an MJCF file, in its
        order.
        """
        _refuse(self, "report actuator laws")

    def servos(self) -> Mapping[str, Array]:
        """Return the largest effort, the position and velocity gains at the joint, zero for those
        that are none, and the range of the control of each actuator of an MJCF file that drives a
        hinge or slide, shape (5,), by name.
        """
        _refuse(self, "report servos")

    # --- shapes and elements of MJCF --------------------------------------------------------------

    def collidable_pairs(self) -> frozenset[frozenset[str]]:
        """Return the pairs of links that can collide; pairs of links that are welded together are
        ignored.
        """
        _refuse(self, "report collidable pairs")

    def surfaces(self) -> Surfaces:
        """Return shapes, visuals, friction and settings of contact of each link, in the frame of
        the link.
        """
        _refuse(self, "report surfaces")

    def sensor_readings(self) -> Mapping[str, Array]:
        """Return what each sensor reads in the current state, as `bridge.sensors.state_numbers` has
        it, by scoped name; by default nothing if the model has no such sensor.
        """

    def sensor_forces(self) -> Mapping[str, Array]:
        """Return what IMUs measure of the acceleration, and force-torque sensors, in the current
        state, as `bridge.sensors.force_readings` has it.
        """
        _refuse(self, "read accelerations and forces")

    def compiled_statements(self) -> Statements:
        """Return the numbers of each element of an MJCF file beside its mechanics, as MuJoCo
        compiles them.
        """
        _refuse(self, "report compiled statements")

    def running_statements(self) -> tuple[Statements, Statements]:
        """Return the settings that act in the running engine, and the same as it was loaded; by
        default it tells neither.
        """
        return {}, {}

    def compiled_forms(self) -> Statements:
        """Return meshes and height fields of an MJCF file by shape, as MuJoCo compiles them."""
        _refuse(self, "report compiled forms")


class BaseEngine(Engine):
    """The base of engines: attributes, and queries that are answered by others.

    An engine overrides what it has. What a factory is asked for are attributes of the class.
    """

    name: str = "engine"
    version: str = ""
    diagnostics: tuple[Diagnostic, ...] = ()
    target: str = ""
    refusal: str = ""
    refusal_is_difference: bool = False
    likely_causes: Mapping[str, str] = {}
    reads_file: bool = False
    is_witness_of_motion: bool = False
    solves_constraints: bool = True
    is_slow: bool = False
    unit_roundoff: float = float(np.finfo(np.float64).eps) / 2.0
    steps_explicitly: bool = False
    obeys_mjcf_settings: bool = False
    collision_policy: str = ""
    constraint_softness: ConstraintSoftness = ConstraintSoftness()

    def __init__(self, mechanism: Mechanism) -> None:
        self.mechanism = mechanism

    @classmethod
    def as_exported(cls, mechanism: Mechanism) -> Self:
        """Open an engine that simulates dampers, springs and stops in its own way; by default each
        does.

        Otherwise an engine takes steps of the semi-implicit Euler method with explicit dampers and
        springs, so that motions are equal in numbers.
        """
        return cls(mechanism)

    def prepare(self, states: Sequence[tuple[dict[str, Position], dict[str, Position]]]) -> None:
        """Compute nothing in advance."""

    def close(self) -> None:
        """Release nothing."""

    def joint_states(self, joints: Sequence[str]) -> tuple[Array, Array]:
        positions, velocities = self.positions(), self.velocities()
        index = {dof: i for i, dof in enumerate(self.mechanism.v_order)}
        q = np.array([np.ravel(positions[joint])[0] for joint in joints], dtype=np.float64)
        return q, velocities[[index[joint, 0] for joint in joints]]

    def zero_poses(self) -> dict[str, Pose]:
        bodies = self.mechanism.bodies
        q = positions_by_joint(self.mechanism, positions_by_body(bodies, {}))
        self.set_state(q, {})
        return self.link_poses()

    def sensor_readings(self) -> Mapping[str, Array]:
        links = self.mechanism.scene.links
        if any(sensor.type in STATE_TYPES for link in links for sensor in link.sensors):
            _refuse(self, "read sensors")
        return {}


MEMBERS = frozenset(name for name in vars(Engine) if not name.startswith("_"))
"""The names of all members of an engine."""


Factory = Callable[..., Engine]
"""A callable that opens an engine with a mechanism and, if it `reads_file`, a `loaders.Search`.

It is a class that derives from `BaseEngine`, another object with the attributes of
`DescribedFactory`, or a function. What the first two state of the engine is asked before an engine
is open; a function has the defaults of `BaseEngine`. The name of the engine is the attribute
``name`` or, without one, ``__name__``."""


@runtime_checkable
class NamedFactory(Protocol):
    """A factory that states the name of its engines."""

    @property
    def name(self) -> str:
        """See `Engine.name`."""


@runtime_checkable
class DescribedFactory(NamedFactory, Protocol):
    """A factory that states how its engines take part, as a class of engines does."""

    @property
    def reads_file(self) -> bool:
        """See `Engine.reads_file`."""

    @property
    def is_witness_of_motion(self) -> bool:
        """See `Engine.is_witness_of_motion`."""

    @property
    def solves_constraints(self) -> bool:
        """See `Engine.solves_constraints`."""

    @property
    def is_slow(self) -> bool:
        """See `Engine.is_slow`."""

    @property
    def unit_roundoff(self) -> float:
        """See `Engine.unit_roundoff`."""

    def as_exported(self, mechanism: Mechanism) -> Engine:
        """See `BaseEngine.as_exported`."""


@runtime_checkable
class _Named(Protocol):
    """A function or class."""

    __name__: str


@dataclass(frozen=True, slots=True)
class _Simulator:
    """A simulator that engines need.

    Attributes:
        name: The name of the simulator.
        module: The module that its engines import.
        advice: How to install it.
    """

    name: str
    module: str
    advice: str


_MUJOCO = _Simulator("mujoco", "mujoco", "try: pip install mujoco")
_PYBULLET = _Simulator("pybullet", "pybullet", INSTALL_PYBULLET)
_DRAKE = _Simulator("drake", "pydrake", "try: pip install drake")
_DART = _Simulator("dart", "dartpy", "try: pip install 'sdfbridge[dart]'")
_MJX = _Simulator("MJX", "mujoco.mjx", "try: pip install 'sdfbridge[mjx]'")
_WARP = _Simulator("MuJoCo Warp", "mujoco_warp", "try: pip install 'sdfbridge[warp]'")
_NEWTON = _Simulator("Newton", "newton", "try: pip install 'sdfbridge[newton]'")
_PINOCCHIO = _Simulator("pinocchio", "pinocchio", "try: pip install 'sdfbridge[pinocchio]'")
_ENGINES: Mapping[str, tuple[str, _Simulator | None]] = {
    "reference": ("bridge.parity.reference:ReferenceEngine", None),
    "mujoco": ("bridge.parity.engines.mujoco.engine:MujocoEngine", _MUJOCO),
    "pybullet": ("bridge.parity.engines.pybullet.engine:PyBulletEngine", _PYBULLET),
    "drake": ("bridge.parity.engines.drake.engine:DrakeEngine", _DRAKE),
    "dart": ("bridge.parity.engines.dart.engine:DartEngine", _DART),
    "mjx": ("bridge.parity.engines.mujoco.accelerated:MjxEngine", _MJX),
    "warp": ("bridge.parity.engines.mujoco.accelerated:WarpEngine", _WARP),
    "newton": ("bridge.parity.engines.newton:NewtonEngine", _NEWTON),
    "newton-mjcf": ("bridge.parity.engines.newton:NewtonMjcf", _NEWTON),
    "newton-urdf": ("bridge.parity.engines.newton:NewtonUrdf", _NEWTON),
    "pinocchio": ("bridge.parity.engines.pinocchio:PinocchioEngine", _PINOCCHIO),
    "pybullet-urdf": ("bridge.parity.engines.pybullet.native:PyBulletUrdf", _PYBULLET),
    "pybullet-sdf": ("bridge.parity.engines.pybullet.native:PyBulletSdf", _PYBULLET),
    "mujoco-urdf": ("bridge.parity.engines.mujoco.native:MujocoUrdf", _MUJOCO),
    "mujoco-native": ("bridge.parity.engines.mujoco.native:MujocoNative", _MUJOCO),
}
"""The class of each engine of this package, and the simulator that it needs; those on an
accelerator are on the entry point too."""

_LOG = logging.getLogger("sdfbridge")


def name_of(factory: Factory) -> str:
    """Return the name of the engines of a factory."""
    if isinstance(factory, NamedFactory):
        return factory.name
    return factory.__name__ if isinstance(factory, _Named) else BaseEngine.name


def reads_file(factory: Factory) -> bool:
    """Return `Engine.reads_file` of the engines of a factory."""
    return isinstance(factory, DescribedFactory) and factory.reads_file


def is_witness_of_motion(factory: Factory) -> bool:
    """Return whether the engines of a factory read the original file themselves and move."""
    return (
        isinstance(factory, DescribedFactory)
        and factory.reads_file
        and factory.is_witness_of_motion
    )


def solves_constraints(factory: Factory) -> bool:
    """Return `Engine.solves_constraints` of the engines of a factory."""
    return not isinstance(factory, DescribedFactory) or factory.solves_constraints


def is_slow(factory: Factory) -> bool:
    """Return `Engine.is_slow` of the engines of a factory."""
    return isinstance(factory, DescribedFactory) and factory.is_slow


def unit_roundoff(factory: Factory) -> float:
    """Return `Engine.unit_roundoff` of the engines of a factory."""
    if isinstance(factory, DescribedFactory):
        return factory.unit_roundoff
    return BaseEngine.unit_roundoff


def as_exported(factory: Factory) -> Factory:
    """Return the factory of engines that simulate a model as it is exported; see
    `BaseEngine.as_exported`.
    """
    return factory.as_exported if isinstance(factory, DescribedFactory) else factory


def open_engine(factory: Factory, mechanism: Mechanism, search: Search) -> Engine:
    """Open an engine with a mechanism.

    Args:
        factory: The factory.
        mechanism: The mechanism.
        search: The options of the load, for an engine that reads the file itself.

    Raises:
        TypeError: If the engine lacks members of `Engine`.
        ValueError: If the engine reads the file itself, and overrides changed what is in it.
    """
    if reads_file(factory) and any(
        entry.code == OVERRIDES_APPLIED.name for entry in mechanism.scene.diagnostics
    ):
        raise ValueError(
            f"overrides cannot be used with {name_of(factory)}, which reads the file as it is; "
            f"export the model with the overrides, and compare the export"
        )
    engine = factory(mechanism, search) if reads_file(factory) else factory(mechanism)
    missing = MEMBERS.difference(dir(engine))
    if missing:
        raise TypeError(
            f"the engine {name_of(factory)} lacks {', '.join(sorted(missing))}; "
            f"derive it from bridge.parity.BaseEngine, which has a default of each"
        )
    return engine


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
        home, simulator = _ENGINES[name]
        if simulator is not None:
            _require_installed(simulator)
        module, _, attribute = home.partition(":")
        factory: Factory = getattr(importlib.import_module(module), attribute)
        return factory
    for point in metadata.entry_points(group=ENTRY_POINTS, name=name):
        loaded: Factory = point.load()
        return loaded
    raise ValueError(f"unknown engine {name!r}; expected one of: {', '.join(engine_names())}")


def _require_installed(simulator: _Simulator) -> None:
    try:
        with capture_stdout([]):  # PyBullet prints a line when it is imported
            importlib.import_module(simulator.module)
    except ImportError as error:
        raise EngineMissingError(
            f"{simulator.name} is not installed; {simulator.advice}"
        ) from error
    refusal = refusal_of(simulator.module)
    if refusal is not None:
        raise EngineMissingError(refusal)


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


def is_scalar(mechanism: Mechanism, joint: str) -> bool:
    """Return whether a joint is one hinge or one slide."""
    bodies = [body for body in mechanism.bodies if body.joint == joint]
    return [len(body.primitives) for body in bodies] == [1] and kind_of(bodies[0]) is None


def moving_links(mechanism: Mechanism) -> set[str]:
    """Return the links that a joint can move; the mass of all others has no effect."""
    moving: list[bool] = []
    for body in mechanism.bodies:
        carried = body.parent != ROOT and moving[body.parent]
        moving.append(carried or bool(body.primitives))
    return {body.name for body, moves in zip(mechanism.bodies, moving, strict=True) if moves}


def stated_frames(scene: Scene) -> tuple[Frame, ...]:
    """Return the frames that the source names, and the frame of each model that is stated in
    SDFormat and has links, named `MODEL_FRAME` and attached to the canonical link.
    """
    root, X_WL = root_model(scene), {link.name: link.X_WL for link in scene.links}
    return scene.frames + tuple(
        Frame(
            name=MODEL_FRAME if model is root else f"{model.name}{SEPARATOR}{MODEL_FRAME}",
            link=model.canonical_link,
            X_LF=X_WL[model.canonical_link].inverse() @ model.X_WM,
            where=model.where,
        )
        for model in scene.models
        if model.canonical_link in X_WL
        and any(n.lower().endswith(_WITH_MODEL_FRAMES) for n in (scene.source, model.where.file))
    )


_WITH_MODEL_FRAMES = (".sdf", ".world")
"""Ends of the names of files whose models have a pose; those of URDF have none."""


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
and a pose on it."""


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
            violations[c.name] = abs(values[c.follower] - float(c.at(values[c.leader])))
    poses = mechanism.link_poses(q)
    X_WB = {i: poses[body.name] for i, body in enumerate(mechanism.bodies)} | {ROOT: IDENTITY}
    for name, ((a, X_AP), (b, X_BQ)), is_weld in held_frames(mechanism):
        distance = frame_distance(X_WB[a] @ X_AP, X_WB[b] @ X_BQ, welded=is_weld)
        add_violation(violations, name, distance)
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
