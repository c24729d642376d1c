"""Fixed distances and tendons that do not yield, which PyBullet's solver has no constraint for: held by steps.

Before every step the impulses are computed that keep each length within its bounds at the end of the step, from the
mass matrix, bias forces and damping at the present state. What else pushes meanwhile, as motors and contacts, is made
up for one step later: a constant acceleration ``a`` of a length leaves it off by ``a h^2 / CATCH_UP``, with the step h.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from bridge.mechanism import Mechanism
from bridge.mechanism.coordinates import joint_index
from bridge.mechanism.force_laws import is_tendon_representable
from loaders.model import WORLD, Constraint, DistanceConstraint, TendonConstraint
from loaders.spatial import Array, skew

from .efforts import coefficients_of, line_of, strain, strung
from .state import State, Value, joint_motion

CATCH_UP = 0.5
"""The part of a violation that is undone in one step."""
SWEEPS = 200
"""Of the lengths that act upon each other; fewer once nothing changes."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Length:
    """A length with bounds, and how to pull along it."""

    value: float
    lower: float
    upper: float
    J: Array
    """Its rate is ``J @ v``, shape (nv,)."""
    pull: Callable[[float], None]
    """Apply a tension for one step; a negative one pushes apart."""

    def rates(self, step: float) -> tuple[float, float]:
        """The least and the largest rate that keeps it within its bounds, or brings it nearer to them."""
        low, high = (self.lower - self.value) / step, (self.upper - self.value) / step
        return (CATCH_UP * low if low > 0.0 else low), (CATCH_UP * high if high < 0.0 else high)


def is_rigid(element: object) -> bool:
    """Whether it is held here."""
    return isinstance(element, DistanceConstraint | TendonConstraint) and math.isinf(element.stiffness)


def hold(states: Sequence[State], mechanism: Mechanism) -> None:
    """Apply for one step what holds the rigid distances and tendons between links and joints of these bodies."""
    elements = [element for element in mechanism.scene.constraints if is_rigid(element)]
    if not elements:
        return
    q, v = joint_motion(states)
    own = joint_index(mechanism.bodies).keys()
    q, v = {n: x for n, x in q.items() if n in own}, {n: x for n, x in v.items() if n in own}
    bare = _without_rotors(mechanism)
    lengths = list(_lengths(states, mechanism, elements, q))
    if not lengths:
        return
    client = states[0].client
    step: float = client.getPhysicsEngineParameters()["fixedTimeStep"]
    rates = mechanism.velocities(v)
    inverse = np.linalg.pinv(bare.mass_matrix(q), hermitian=True)
    free = rates - step * inverse @ (bare.bias_forces(q, v, states[0].gravity()) + _damping(mechanism) * rates)
    J = np.array([length.J for length in lengths])
    impulses = _impulses(J @ inverse @ J.T, J @ free, [length.rates(step) for length in lengths])
    for length, impulse in zip(lengths, impulses, strict=True):
        if impulse:
            length.pull(-impulse / step)


def _without_rotors(mechanism: Mechanism) -> Mechanism:
    """As PyBullet has it."""
    bodies = (dataclasses.replace(b, reflected_inertia=(0.0,) * b.nv) for b in mechanism.bodies)
    return dataclasses.replace(mechanism, bodies=tuple(bodies))


def _damping(mechanism: Mechanism) -> Array:
    """Of each velocity component."""
    damping = np.zeros(len(mechanism.v_order))
    for body in mechanism.bodies:
        for p in body.primitives:
            if p.limits is not None:
                damping[body.v_start + p.dof_index] = p.limits.damping
    return damping


def _impulses(A: Array, free: Array, bounds: Sequence[tuple[float, float]]) -> Array:
    """By Gauss-Seidel: the least impulses that bring each rate, ``free + A @ impulses``, between its bounds."""
    impulses = np.zeros(len(free))
    for _ in range(SWEEPS):
        before = impulses.copy()
        for i, (low, high) in enumerate(bounds):
            if A[i, i] > 0.0:
                rate = free[i] + A[i] @ impulses - A[i, i] * impulses[i]
                impulses[i] = (min(max(rate, low), high) - rate) / A[i, i]
        if np.abs(impulses - before).max() <= 1e-12 * np.abs(impulses).max():
            break
    return impulses


# --- lengths ---------------------------------------------------------------------------------------------------------


def _lengths(
    states: Sequence[State], mechanism: Mechanism, elements: Sequence[Constraint], q: dict[str, Value]
) -> Iterator[_Length]:
    links = {link for state in states for link in state.articulation.places} | {WORLD}
    motions = mechanism.jacobians(q) | {WORLD: np.zeros((6, len(mechanism.v_order)))}
    for element in elements:
        if isinstance(element, TendonConstraint) and is_tendon_representable(element, mechanism.v_order):
            yield _tendon(states, mechanism, element, q)
        elif isinstance(element, DistanceConstraint) and {element.link_A, element.link_B} <= links:
            yield from _rod(states, element, motions)


def _tendon(states: Sequence[State], mechanism: Mechanism, tendon: TendonConstraint, q: dict[str, Value]) -> _Length:
    coefficients = coefficients_of(tendon)
    J = np.array([coefficients.get(name, 0.0) for name, _ in mechanism.v_order])

    def pull(tension: float) -> None:
        strain(states, tendon, -tension)

    value = strung(tendon, q) + tendon.offset
    return _Length(value=value, lower=tendon.lower, upper=tendon.upper, J=J, pull=pull)


def _rod(states: Sequence[State], rod: DistanceConstraint, motions: dict[str, Array]) -> Iterator[_Length]:
    """The distance of two points; none while they are one."""
    line = line_of(states, rod)
    if line is not None:
        J_P = _at(motions[rod.link_A], line.P.X_WF.R @ rod.p_AP)
        J_Q = _at(motions[rod.link_B], line.Q.X_WF.R @ rod.p_BQ)
        J = line.along @ (J_Q - J_P)
        yield _Length(value=line.length, lower=rod.distance, upper=rod.distance, J=J, pull=line.pull)


def _at(motion: Array, p_LP_W: Array) -> Array:
    """From the motion of a link, that of a point on it, at ``p_LP_W`` from its origin; shape (3, nv)."""
    point: Array = motion[3:] - skew(p_LP_W) @ motion[:3]
    return point
