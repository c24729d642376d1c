"""Rigid distances and tendons, for which PyBullet's solver has no constraint, enforced before every step.

The impulses that keep each length within its bounds at the end of the step are computed from the mass matrix, bias
forces and damping at the present state. The effect of other forces in the same step, such as motors and contacts, is
corrected one step later: a constant acceleration ``a`` of a length causes an error of ``a h^2 / CORRECTION``, with the
step h.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from operator import attrgetter

import numpy as np

from bridge.mechanism import Mechanism
from bridge.mechanism.connections import BodyConnection, MechanismConstraint, TendonConnection
from bridge.mechanism.coordinates import joint_index
from bridge.mechanism.damper_modes import joint_coefficients
from bridge.mechanism.force_laws import is_tendon_representable
from loaders.model import DistanceConstraint, TendonConstraint
from loaders.spatial import Array, skew

from .efforts import apply_tension, coefficients_of, line_of, tendon_length
from .state import State, Value, joint_motion

CORRECTION = 0.5
"""Fraction of a violation that is corrected in one step."""
MAX_SWEEPS = 200
"""Maximum number of Gauss-Seidel sweeps; the iteration ends earlier once the impulses do not change."""


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
        """Return the smallest and largest rate that keep the length within its bounds, or move it towards them."""
        low, high = (self.lower - self.value) / step, (self.upper - self.value) / step
        return (CORRECTION * low if low > 0.0 else low), (CORRECTION * high if high < 0.0 else high)


def is_rigid(constraint: MechanismConstraint) -> bool:
    """Return whether a constraint is a rigid distance or tendon, which this module enforces."""
    element = constraint.element
    return isinstance(element, DistanceConstraint | TendonConstraint) and math.isinf(element.stiffness)


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
    impulses = _impulses(J @ inverse @ J.T, J @ rates, [length.rate_bounds(step) for length in lengths])
    for length, impulse in zip(lengths, impulses, strict=True):
        if impulse:
            length.pull(-impulse / step)


def _predict(
    mechanism: Mechanism, q: dict[str, Value], v: dict[str, Value], gravity: Sequence[float], step: float
) -> tuple[Array, Array]:
    """Return the inverse mass matrix, and the velocities after a step without constraint forces."""
    pybullet_mechanism = without_rotors(mechanism)
    rates = mechanism.velocities(v)
    inverse = np.asarray(np.linalg.pinv(pybullet_mechanism.mass_matrix(q), hermitian=True), dtype=np.float64)
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
    """Return the smallest impulses that bring each rate, ``rates + A @ impulses``, within its bounds.

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


# --- lengths ---------------------------------------------------------------------------------------------------------


def _lengths(
    states: Sequence[State],
    mechanism: Mechanism,
    constraints: Sequence[MechanismConstraint],
    q: dict[str, Value],
) -> Iterator[_Length]:
    by_link = mechanism.jacobians(q)
    jacobians = [by_link[body.name] for body in mechanism.bodies]
    for constraint in constraints:
        if isinstance(constraint, TendonConnection):
            if is_tendon_representable(constraint.element, mechanism.v_order):
                yield _tendon(states, mechanism, constraint.element, q)
        else:
            yield from _distance(states, mechanism, constraint, jacobians)


def _tendon(states: Sequence[State], mechanism: Mechanism, tendon: TendonConstraint, q: dict[str, Value]) -> _Length:
    coefficients = coefficients_of(tendon)
    J = np.array([coefficients.get(name, 0.0) for name, _ in mechanism.v_order])

    def pull(tension: float) -> None:
        apply_tension(states, tendon, -tension)

    value = tendon_length(tendon, q) + tendon.offset
    return _Length(value=value, lower=tendon.lower, upper=tendon.upper, J=J, pull=pull)


def _distance(
    states: Sequence[State], mechanism: Mechanism, connection: BodyConnection, jacobians: Sequence[Array]
) -> Iterator[_Length]:
    """Yield the distance of two points, unless they coincide."""
    line = line_of(states, mechanism, connection)
    element = connection.element
    if line is None or not isinstance(element, DistanceConstraint):
        return
    jacobians = [*jacobians, np.zeros((6, len(mechanism.v_order)))]  # the last, at index ROOT, is that of the world
    J_P = _point_jacobian(jacobians[connection.body_a], line.P.X_WF.R @ connection.X_AP.p)
    J_Q = _point_jacobian(jacobians[connection.body_b], line.Q.X_WF.R @ connection.X_BQ.p)
    J = line.direction @ (J_Q - J_P)
    yield _Length(value=line.length, lower=element.distance, upper=element.distance, J=J, pull=line.pull)


def _point_jacobian(jacobian: Array, p_LP_W: Array) -> Array:
    """Return the translational Jacobian of a point, shape (3, nv), from the Jacobian of its link.

    Args:
        jacobian: Jacobian of the link and its origin, shape (6, nv).
        p_LP_W: Position of the point from the link's origin, in the world, shape (3,).
    """
    point: Array = jacobian[3:] - skew(p_LP_W) @ jacobian[:3]
    return point
