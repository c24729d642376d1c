"""Forces and rigid constraints that PyBullet lacks, applied before each step.

They are evaluated at the state before the step. A spring of stiffness k on inertia I is stable as
long as the step is well below ``2 sqrt(I / k)``, and its error is of first order in the step, as is
PyBullet's own integration.

The impulses that keep each length within its bounds at the end of the step are computed from the
mass matrix, bias forces and damping at the present state. The effect of other forces in the same
step, such as motors and contacts, is corrected one step later: a constant acceleration ``a`` of a
length causes an error of ``a h^2 / CORRECTION``, with the step h.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from operator import attrgetter
from typing import TYPE_CHECKING

import numpy as np

from bridge.mechanism import Mechanism
from bridge.mechanism.bodies import (
    ROOT,
    Body,
    BodyConnection,
    MechanismConstraint,
    PrimitiveKind,
    TendonConnection,
)
from bridge.mechanism.coordinates import Position, check_mapping, joint_coefficients, joint_index
from bridge.mechanism.force_laws import bushing_wrench, is_tendon_representable, tendon_force
from loaders.deferred import Deferred
from loaders.engine_settings import gravity_share
from loaders.model import (
    Actuator,
    Bushing,
    DistanceConstraint,
    Link,
    SpringDamper,
    TendonConstraint,
)
from loaders.pose import Array, skew

from .state import (
    State,
    Value,
    apply_efforts,
    apply_force,
    apply_tension,
    apply_torque,
    coefficients_of,
    impose_velocities,
    joint_motion,
    line_of,
    motion_of,
    tendon_length,
)

if TYPE_CHECKING:
    from bridge.fluid import LinkForce

fluid_forces: Callable[[Mechanism], tuple[LinkForce, ...]] = Deferred("bridge.fluid:fluid_forces")


def apply_control(
    state: State, positions: Mapping[str, Position] | None, velocities: Mapping[str, Position]
) -> None:
    """Apply the efforts of the file's controllers for one step, and set the motors of the joints
    whose velocity the file imposes.

    Args:
        state: State of the body that has the joints.
        positions: Desired positions by joint; None for those of the file at the start.
        velocities: Desired velocities by joint; zero for a joint without one.

    Raises:
        TypeError: if ``positions`` is no mapping.
        ValueError: if a joint has no controller in the file.
    """
    controllers = _controllers(state.articulation.mechanism)
    if positions is None:
        positions = {
            name: actuator.target or 0.0
            for name, actuator in controllers.items()
            if actuator.p_gain is not None
        }
    check_mapping(positions)
    for name in positions:
        if name not in controllers or not _has_gains(controllers[name]):
            known = ", ".join(n for n, a in controllers.items() if _has_gains(a)) or "none"
            raise ValueError(f"joint {name!r} has no gains; joints with gains: {known}")
    imposed = {n: v for n, v in velocities.items() if _is_imposed(n, controllers)}
    impose_velocities(state, imposed)
    damped = (n for n in velocities if n in controllers and controllers[n].p_gain is None)
    names = dict.fromkeys((*positions, *(n for n in damped if n not in imposed)))
    q, v = state.positions(), state.velocities()
    efforts = {
        name: tuple(
            _effort(
                controllers[name],
                np.subtract(positions.get(name, q[name]), np.atleast_1d(q[name])),
                np.subtract(velocities.get(name, 0.0), np.atleast_1d(v[name])),
            )
        )
        for name in names
    }
    apply_efforts(state, efforts)


def _effort(actuator: Actuator, position_error: Array, velocity_error: Array) -> Array:
    """Return the effort of a controller within its limits."""
    p, d = actuator.p_gain or 0.0, actuator.d_gain or 0.0
    effort = p * position_error + d * velocity_error + actuator.feedforward
    least = -actuator.effort if actuator.min_effort is None else actuator.min_effort
    clipped: Array = np.clip(np.atleast_1d(effort), least, actuator.effort)
    return clipped


def _controllers(mechanism: Mechanism) -> dict[str, Actuator]:
    """Return the actuator of each joint that has a controller."""
    actuators = (driven.actuator for driven in mechanism.actuators)
    return {a.joint: a for a in actuators if _has_gains(a) or a.imposes_velocity}


def _has_gains(actuator: Actuator) -> bool:
    return actuator.p_gain is not None or actuator.d_gain is not None


def _is_imposed(name: str, controllers: Mapping[str, Actuator]) -> bool:
    return name in controllers and controllers[name].imposes_velocity


CORRECTION = 0.5
"""Fraction of a violation that is corrected in one step."""
MAX_SWEEPS = 200
"""Maximum number of Gauss-Seidel sweeps; the iteration ends earlier once the impulses do not
change."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Length:
    """A length with bounds, and the function that applies a tension along it."""

    value: float
    """Present length [m or rad]."""
    lower: float
    upper: float
    J: Array
    """Jacobian of the length, shape (nv,): its rate is ``J @ v``."""
    pull: Callable[[float], None]
    """Function that applies a tension for one step; a negative one extends the length."""

    def rate_bounds(self, step: float) -> tuple[float, float]:
        """Return the smallest and largest rate that keep the length within its bounds, or move it
        towards them.
        """
        low, high = (self.lower - self.value) / step, (self.upper - self.value) / step
        return (CORRECTION * low if low > 0.0 else low), (CORRECTION * high if high < 0.0 else high)


def is_rigid(constraint: MechanismConstraint) -> bool:
    """Return whether a constraint is a rigid distance or tendon, which this module enforces."""
    element = constraint.element
    return isinstance(element, DistanceConstraint | TendonConstraint) and math.isinf(
        element.stiffness
    )


def enforce(states: Sequence[State], mechanism: Mechanism) -> None:
    """Apply for one step the forces that enforce the rigid distances and tendons of a mechanism.

    Args:
        states: States of the bodies.
        mechanism: The mechanism that these bodies make up.
    """
    constraints = [constraint for constraint in mechanism.constraints if is_rigid(constraint)]
    if not constraints:
        return
    q, v = joint_motion(states)
    joints = joint_index(mechanism.bodies).keys()
    q, v = {n: x for n, x in q.items() if n in joints}, {n: x for n, x in v.items() if n in joints}
    lengths = list(_lengths(states, mechanism, constraints, q))
    if not lengths:
        return
    step: float = states[0].client.getPhysicsEngineParameters()["fixedTimeStep"]
    inverse, rates = _predict(mechanism, q, v, states[0].gravity(), step)
    J = np.array([length.J for length in lengths])
    impulses = _impulses(
        J @ inverse @ J.T, J @ rates, [length.rate_bounds(step) for length in lengths]
    )
    for length, impulse in zip(lengths, impulses, strict=True):
        if impulse:
            length.pull(-impulse / step)


def _predict(
    mechanism: Mechanism,
    q: dict[str, Value],
    v: dict[str, Value],
    gravity: Sequence[float],
    step: float,
) -> tuple[Array, Array]:
    """Return the inverse mass matrix, and the velocities after a step without constraint forces."""
    pybullet_mechanism = without_rotors(mechanism)
    rates = mechanism.velocities(v)
    inverse = np.asarray(
        np.linalg.pinv(pybullet_mechanism.mass_matrix(q), hermitian=True), dtype=np.float64
    )
    forces = (
        pybullet_mechanism.bias_forces(q, v, gravity)
        + joint_coefficients(mechanism.bodies, attrgetter("damping")) * rates
    )
    return inverse, rates - step * inverse @ forces


def without_rotors(mechanism: Mechanism) -> Mechanism:
    """Return the mechanism without rotor inertia, which PyBullet does not model."""
    bodies = (dataclasses.replace(b, reflected_inertia=(0.0,) * b.nv) for b in mechanism.bodies)
    return dataclasses.replace(mechanism, bodies=tuple(bodies))


def _impulses(A: Array, rates: Array, bounds: Sequence[tuple[float, float]]) -> Array:
    """Return the smallest impulses that bring each rate, ``rates + A @ impulses``, within its
    bounds.

    The method is projected Gauss-Seidel.
    """
    impulses = np.zeros(len(rates))
    for _ in range(MAX_SWEEPS):
        before = impulses.copy()
        for i, (low, high) in enumerate(bounds):
            if A[i, i] > 0.0:
                rate = rates[i] + A[i] @ impulses - A[i, i] * impulses[i]
                impulses[i] = (min(max(rate, low), high) - rate) / A[i, i]
        if np.abs(impulses - before).max() <= 1e-12 * np.abs(impulses).max():
            break
    return impulses


# --- lengths --------------------------------------------------------------------------------------


def _lengths(
    states: Sequence[State],
    mechanism: Mechanism,
    constraints: Sequence[MechanismConstraint],
    q: dict[str, Value],
) -> Iterator[_Length]:
    jacobians = mechanism.jacobians(q)
    for constraint in constraints:
        if isinstance(constraint, TendonConnection):
            if is_tendon_representable(constraint.element, mechanism.v_order):
                yield _tendon(states, mechanism, constraint.element, q)
        else:
            yield from _distance(states, mechanism, constraint, jacobians)


def _tendon(
    states: Sequence[State], mechanism: Mechanism, tendon: TendonConstraint, q: dict[str, Value]
) -> _Length:
    coefficients = coefficients_of(tendon)
    J = np.array([coefficients.get(name, 0.0) for name, _ in mechanism.v_order])

    def pull(tension: float) -> None:
        apply_tension(states, tendon, -tension)

    value = tendon_length(tendon, q) + tendon.offset
    return _Length(value=value, lower=tendon.lower, upper=tendon.upper, J=J, pull=pull)


def _distance(
    states: Sequence[State],
    mechanism: Mechanism,
    connection: BodyConnection,
    jacobians: Mapping[str, Array],
) -> Iterator[_Length]:
    """Yield the distance of two points, unless they coincide."""
    line = line_of(states, mechanism, connection)
    element = connection.element
    if line is None or not isinstance(element, DistanceConstraint):
        return
    J_A, J_B = (
        np.zeros((6, len(mechanism.v_order)))
        if body == ROOT
        else jacobians[mechanism.bodies[body].name]
        for body in (connection.body_a, connection.body_b)
    )
    J_P = _point_jacobian(J_A, line.P.X_WF.R @ connection.X_AP.p)
    J_Q = _point_jacobian(J_B, line.Q.X_WF.R @ connection.X_BQ.p)
    J = line.direction @ (J_Q - J_P)
    yield _Length(
        value=line.length, lower=element.distance, upper=element.distance, J=J, pull=line.pull
    )


def _point_jacobian(jacobian: Array, p_LP_W: Array) -> Array:
    """Return the translational Jacobian of a point, shape (3, nv), from the Jacobian of its link.

    Args:
        jacobian: Jacobian of the link and its origin, shape (6, nv).
        p_LP_W: Position of the point from the link's origin, in the world, shape (3,).
    """
    point: Array = jacobian[3:] - skew(p_LP_W) @ jacobian[:3]
    return point


def has_passive_forces(mechanism: Mechanism) -> bool:
    """Return whether `apply_passive_forces` ever applies a force to the bodies of a mechanism."""
    return bool(
        mechanism.force_elements
        or mechanism.constraints
        or (mechanism.fluid_forces and fluid_forces(mechanism))
        or any(_springs(body) or gravity_share(body.link) != 1.0 for body in mechanism.bodies)
    )


def apply_passive_forces(states: Iterable[State], mechanism: Mechanism) -> None:
    """Apply for one step the forces that PyBullet does not compute.

    These are joint springs, the compensation of gravity for links without it, springs and bushings
    between links, compliant tendons, and the buoyancy, drag and lift of a fluid. Rigid distances
    and tendons are enforced by `bridge.targets.pybullet.passive_force`.

    Args:
        states: States of the bodies.
        mechanism: The mechanism that these bodies make up.
    """
    states = list(states)
    for state in states:
        _apply_joint_springs(state)
        _compensate_gravity(state)
    enforce(states, mechanism)
    for element in (*mechanism.force_elements, *mechanism.constraints):
        _apply_element(states, mechanism, element)
    for force in fluid_forces(mechanism) if mechanism.fluid_forces else ():
        _apply_fluid(states, force)


def _apply_element(
    states: list[State], mechanism: Mechanism, connection: BodyConnection | MechanismConstraint
) -> None:
    """Apply one force element, or one compliant constraint."""
    element = connection.element
    if isinstance(connection, BodyConnection):
        if isinstance(element, SpringDamper):
            _apply_spring(states, mechanism, connection, element, element.free_length)
        elif isinstance(element, Bushing):
            _apply_bushing(states, mechanism, connection, element)
        elif isinstance(element, DistanceConstraint) and np.isfinite(element.stiffness):
            _apply_spring(states, mechanism, connection, element, element.distance)
    elif np.isfinite(connection.element.stiffness):
        _apply_tendon(states, connection.element, mechanism)


# --- one body -------------------------------------------------------------------------------------


def _apply_joint_springs(state: State) -> None:
    bodies = [body for body in state.articulation.mechanism.bodies if _springs(body)]
    if not bodies:
        return
    q = state.positions()
    efforts = {}
    for body in bodies:
        position, total = np.atleast_1d(q[str(body.joint)]), np.zeros(body.nv)
        for dof, (stiffness, reference) in _springs(body).items():
            total[dof] = -stiffness * (position[dof] - reference)
        efforts[str(body.joint)] = tuple(total.tolist())
    apply_efforts(state, efforts, limited=False)


def _springs(body: Body) -> dict[int, tuple[float, float]]:
    """Return the stiffness and reference position of each degree of freedom with a spring."""
    return {
        p.dof_index: (p.limits.spring_stiffness, p.limits.spring_reference)
        for p in body.primitives
        if p.limits is not None
        and p.limits.spring_stiffness
        and p.kind in {PrimitiveKind.HINGE, PrimitiveKind.SLIDE}
    }


def _compensate_gravity(state: State) -> None:
    """Apply the opposite of the weight that each link lacks, at its center of mass."""
    links = [body.link for body in state.articulation.mechanism.bodies]
    shares = [(link, gravity_share(link)) for link in links]
    lacking = [(link, 1.0 - share) for link, share in shares if share != 1.0]
    if not lacking:
        return
    g = np.array(state.gravity())
    for link, part in lacking:
        _lift(state, link, part * g)


def _lift(state: State, link: Link, g: Array) -> None:
    if link.inertia is None:
        return
    X_WL = state.link_pose(link.name)
    force, p_WLcm = -link.inertia.mass * g, X_WL.p + X_WL.R @ link.inertia.p_LLcm
    apply_force(state, link.name, force, p_WLcm)


# --- several bodies -------------------------------------------------------------------------------


def _apply_spring(
    states: list[State],
    mechanism: Mechanism,
    connection: BodyConnection,
    spring: SpringDamper | DistanceConstraint,
    free_length: float,
) -> None:
    line = line_of(states, mechanism, connection)
    if line is not None:
        rate = float(line.direction @ (line.Q.v - line.P.v))
        line.pull(spring.stiffness * (line.length - free_length) + spring.damping * rate)


def _apply_bushing(
    states: list[State], mechanism: Mechanism, connection: BodyConnection, bushing: Bushing
) -> None:
    link_A, link_C = (
        mechanism.link_name(connection.body_a),
        mechanism.link_name(connection.body_b),
    )
    state_A, A = motion_of(states, link_A, connection.X_AP)
    state_C, C = motion_of(states, link_C, connection.X_BQ)
    wrench = bushing_wrench(bushing, A, C)
    for sign, state, link in ((-1.0, state_A, link_A), (1.0, state_C, link_C)):
        if state is not None:
            apply_force(state, link, sign * wrench.force, wrench.p_WQ)
            apply_torque(state, state.articulation.link_segments[link][0], sign * wrench.torque)


def _apply_fluid(states: list[State], force: LinkForce) -> None:
    state, F = motion_of(states, force.link, force.X_LF)
    if state is None:
        return
    position = (
        0.0
        if force.joint is None
        else float(np.atleast_1d(joint_motion(states)[0].get(force.joint, 0.0))[0])
    )
    wrench = force.wrench(F, np.array(state.gravity()), position)
    apply_force(state, force.link, wrench.force, wrench.p_WQ)
    apply_torque(state, state.articulation.link_segments[force.link][0], wrench.torque)


def _apply_tendon(states: list[State], tendon: TendonConstraint, mechanism: Mechanism) -> None:
    """Apply the tension of a compliant tendon if each of its joints is one degree of freedom of
    these bodies.
    """
    if not is_tendon_representable(tendon, mechanism.v_order):
        return
    q, v = joint_motion(states)
    force = tendon_force(tendon, tendon_length(tendon, q) + tendon.offset, tendon_length(tendon, v))
    if force:
        apply_tension(states, tendon, force)
