"""What inertia each joint sees: gains of controllers follow from it, and what full effort does within a time step."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from bridge.mechanism import Mechanism
from bridge.mechanism.bodies import Body, PrimitiveKind
from bridge.mechanism.coordinates import Coordinates, scalar_joints
from bridge.mjcf.xml.context import Context
from loaders.diagnostics import NOWHERE, Fate
from loaders.model import JointAxis
from loaders.spatial import Array

from .joints import Carrier

_MOST_FREEDOMS = 1000
"""Above it the mass matrix is not worth the time."""
_LEAST = 1e-14
"""Inertia [kg m^2 or kg] of a joint that carries nothing."""
_POSITIONS = 16
"""Drawn beside zero, for up to a hundred freedoms: where axes of light links align, a joint sees the least."""
_FEW_FREEDOMS = 100
_PUSH = 0.05
"""How long full effort is taken to last [s]."""
_MOST_TURN = 0.2
"""What a hinge may turn in one time step [rad]; MuJoCo's integrator was seen to fail from 0.3 on."""


@dataclass(frozen=True, kw_only=True, eq=False)
class Mobility:
    """Inertia that each velocity component sees at the zero configuration [kg m^2 or kg], shape (n,)."""

    mechanism: Mechanism
    alone: Array
    """While all other joints move freely."""
    locked: Array
    """While all other joints stand still."""

    @cached_property
    def least(self) -> Array:
        """While all other joints move freely, where that is least: at zero or at one of a few positions by chance."""
        least = self.alone
        if len(least) <= _FEW_FREEDOMS:
            for q in _drawn(self.mechanism):
                least = np.minimum(least, _alone(self.mechanism.mass_matrix(q)))
        return least


def mobility(mechanism: Mechanism) -> Mobility | None:
    """What the joints see; None if there are too many of them."""
    if not 0 < len(mechanism.v_order) <= _MOST_FREEDOMS:
        return None
    M = mechanism.mass_matrix()
    return Mobility(mechanism=mechanism, alone=_alone(M), locked=np.diag(M) + _LEAST)


def _alone(M: Array) -> Array:
    regular = M + _LEAST * np.eye(len(M))
    try:
        mobilities = np.diag(np.linalg.inv(regular))
    except np.linalg.LinAlgError:
        return np.full(len(M), _LEAST)
    seen: Array = 1.0 / np.maximum(mobilities, 1.0 / np.diag(regular))
    return seen


def _drawn(mechanism: Mechanism) -> Iterator[dict[str, Coordinates]]:
    """Positions of hinges and slides within their limits."""
    rng = np.random.default_rng(0)
    joints = scalar_joints(mechanism.bodies)
    bounds = {joint: [_bounds(body, component) for component in range(body.nv)] for joint, body in joints.items()}
    for _ in range(_POSITIONS):
        yield {joint: tuple(rng.uniform(*bound) for bound in found) for joint, found in bounds.items()}


def _bounds(body: Body, component: int) -> tuple[float, float]:
    axis = next(primitive.limits for primitive in body.primitives if primitive.dof_index == component)
    if axis is None or axis.lower > axis.upper:
        return -math.pi, math.pi
    return max(axis.lower, min(-math.pi, axis.upper)), min(axis.upper, max(math.pi, axis.lower))


def report_light_joints(seen: Mobility, by_component: dict[int, Carrier], context: Context) -> None:
    """Say so where full effort makes a hinge turn too far in one time step for MuJoCo's integrator."""
    step = context.time_step
    turns = {v: step * _speed(carrier, seen.alone[v], context.mechanism) for v, carrier in by_component.items()}
    light = [v for v, turn in turns.items() if turn > _MOST_TURN]
    if not light:
        return
    v = max(light, key=turns.__getitem__)
    body = context.mechanism.bodies[by_component[v].body]
    axis = body.primitives[by_component[v].primitive].limits
    bears = bearable(seen.alone[v], axis, step) if axis else 0.0
    others = f" ({len(light) - 1} more turn too far as well)" if len(light) > 1 else ""
    message = (
        f"full effort on joint {by_component[v].joint}, {axis.effort if axis else 0.0:g} N m on the "
        f"{seen.alone[v]:.2g} kg m^2 that it sees, makes it turn by {turns[v]:.2g} rad in each time step{others}, "
        f"at which MuJoCo's integrator may fail; the joint bears {bears:.2g} N m, or full effort at a time step of "
        f"{step * _MOST_TURN / turns[v]:.1g} s"
    )
    hint = 'state the true effort and the inertia of the rotor, stay below full effort, or use actuators="dcmotor"'
    context.report(Fate.NOTED, "light-joint", message, body.source.where if body.source else NOWHERE, hint=hint)


def bearable(inertia: float, axis: JointAxis, step: float, *, speed: float = math.inf) -> float:
    """The largest effort [N m or N] under which a joint turns no more in a time step than the integrator bears.

    Args:
        inertia: What the joint sees [kg m^2 or kg].
        axis: Its limits.
        step: The time step [s].
        speed: Where the effort ends [rad/s or m/s].
    """
    most = _MOST_TURN / step
    if speed <= most:
        return inertia * most / step
    travel = max(axis.upper - axis.lower, 0.0)
    return inertia * min(most / step, max(most / _PUSH, most**2 / (2.0 * travel) if travel > 0.0 else math.inf))


def _speed(carrier: Carrier, inertia: float, mechanism: Mechanism) -> float:
    """What full effort brings a hinge to within a push, or on its way between its limits [rad/s]; 0 for a slide."""
    primitive = mechanism.bodies[carrier.body].primitives[carrier.primitive]
    axis = primitive.limits
    if axis is None or primitive.kind is not PrimitiveKind.HINGE or not 0.0 < axis.effort < math.inf:
        return 0.0
    acceleration = axis.effort / inertia
    return min(acceleration * _PUSH, math.sqrt(2.0 * acceleration * max(axis.upper - axis.lower, 0.0)))
