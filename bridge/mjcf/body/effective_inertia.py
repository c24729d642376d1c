"""The effective inertia of each joint, for the gains of controllers and the motion in one step under full effort."""

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
from loaders.diagnostics import Fate
from loaders.model import JointAxis
from loaders.spatial import Array

from .joint_source import where_of
from .joints import ScalarJoint

_MIN_INERTIA = 1e-14
"""Regularization [kg m^2 or kg]: the inertia of a joint that carries nothing."""
_SAMPLES = 16
"""Number of random configurations, beside zero; the effective inertia is least where the axes of light links align."""
_MAX_SAMPLED_DOFS = 100
"""Largest number of degrees of freedom for which random configurations are evaluated."""
_PUSH = 0.05
"""Assumed duration of full effort [s]."""
_MAX_TURN = 0.2
"""Largest rotation of a hinge in one time step [rad]; MuJoCo's integrator was observed to fail from 0.3 on."""

_LIGHT_JOINT = (
    "joint {joint}: full effort, {effort:g} N m on an effective inertia of {inertia:.2g} kg m^2, turns it by "
    "{turn:.2g} rad in each time step, at which MuJoCo's integrator may fail; at most {max_effort:.2g} N m, or a time "
    "step of {max_step:.1g} s, avoids that"
)
_LIGHT_JOINTS = _LIGHT_JOINT + "; {others} more joints turn too far"


@dataclass(frozen=True, kw_only=True, eq=False)
class EffectiveInertia:
    """Effective inertia of each velocity component at the zero configuration [kg m^2 or kg], shape (nv,)."""

    mechanism: Mechanism
    free: Array
    """Effective inertia while all other joints move freely."""
    locked: Array
    """Effective inertia while all other joints are locked."""

    @cached_property
    def min_free(self) -> Array:
        """The least of `free` over the zero configuration and a few random ones."""
        least = self.free
        if len(least) <= _MAX_SAMPLED_DOFS:
            for q in _random_positions(self.mechanism):
                least = np.minimum(least, _free_inertia(self.mechanism.mass_matrix(q)))
        return least


def effective_inertia(mechanism: Mechanism) -> EffectiveInertia | None:
    """Return the effective inertia of the joints; None if there are no joints, or too many."""
    at_zero = mechanism.mass_matrix_at_zero
    if at_zero is None or not len(mechanism.v_order):
        return None
    M = at_zero.matrix
    return EffectiveInertia(mechanism=mechanism, free=_free_inertia(M), locked=np.diag(M) + _MIN_INERTIA)


def _free_inertia(M: Array) -> Array:
    """Return the inverse of each diagonal element of the inverse of a mass matrix, at most the diagonal of the matrix.

    The matrix is regularized, because links without inertia may make it singular.
    """
    regular = M + _MIN_INERTIA * np.eye(len(M))
    try:
        mobilities = np.diag(np.linalg.inv(regular))
    except np.linalg.LinAlgError:
        return np.full(len(M), _MIN_INERTIA)
    inertia: Array = 1.0 / np.maximum(mobilities, 1.0 / np.diag(regular))
    return inertia


def _random_positions(mechanism: Mechanism) -> Iterator[dict[str, Coordinates]]:
    """Yield random positions of hinges and slides within their limits."""
    rng = np.random.default_rng(0)
    joints = scalar_joints(mechanism.bodies)
    bounds = {joint: [_bounds(body, dof) for dof in range(body.nv)] for joint, body in joints.items()}
    for _ in range(_SAMPLES):
        yield {joint: tuple(rng.uniform(*bound) for bound in by_dof) for joint, by_dof in bounds.items()}


def _bounds(body: Body, dof: int) -> tuple[float, float]:
    axis = next(primitive.limits for primitive in body.primitives if primitive.dof_index == dof)
    if axis is None or axis.lower > axis.upper:
        return -math.pi, math.pi
    return max(axis.lower, min(-math.pi, axis.upper)), min(axis.upper, max(math.pi, axis.lower))


def report_light_joints(inertia: EffectiveInertia, scalar_joints: dict[int, ScalarJoint], context: Context) -> None:
    """Report hinges that full effort turns farther in one time step than MuJoCo's integrator can follow.

    Args:
        inertia: The effective inertia of all joints.
        scalar_joints: The MJCF joint of each velocity component.
        context: The export.
    """
    step = context.time_step
    turns = {v: step * _max_speed(joint, inertia.free[v], context.mechanism) for v, joint in scalar_joints.items()}
    light = [v for v, turn in turns.items() if turn > _MAX_TURN]
    if not light:
        return
    v = max(light, key=turns.__getitem__)
    body = context.mechanism.bodies[scalar_joints[v].body]
    axis = body.primitives[scalar_joints[v].primitive].limits
    context.report(
        Fate.NOTED,
        "light-joint",
        _LIGHT_JOINT if len(light) == 1 else _LIGHT_JOINTS,
        where_of(body),
        hint='state the true effort and the inertia of the rotor, stay below full effort, or use actuators="dcmotor"',
        subjects=[scalar_joints[k].joint for k in light],
        joint=scalar_joints[v].joint,
        effort=axis.effort if axis else 0.0,
        inertia=float(inertia.free[v]),
        turn=float(turns[v]),
        max_effort=float(max_effort(inertia.free[v], axis, step)) if axis else 0.0,
        max_step=float(step * _MAX_TURN / turns[v]),
        others=len(light) - 1,
    )


def max_effort(inertia: float, axis: JointAxis, step: float, *, speed: float = math.inf) -> float:
    """Return the largest effort [N m or N] under which a joint moves slowly enough for MuJoCo's integrator.

    Args:
        inertia: Effective inertia of the joint [kg m^2 or kg].
        axis: Limits of the joint.
        step: Time step [s].
        speed: Speed at which the effort ends [rad/s or m/s].
    """
    max_speed = _MAX_TURN / step
    if speed <= max_speed:
        return inertia * max_speed / step
    travel = max(axis.upper - axis.lower, 0.0)
    between_limits = max_speed**2 / (2.0 * travel) if travel > 0.0 else math.inf
    return inertia * min(max_speed / step, max(max_speed / _PUSH, between_limits))


def _max_speed(joint: ScalarJoint, inertia: float, mechanism: Mechanism) -> float:
    """Return the speed [rad/s] that full effort gives a hinge, within `_PUSH` or between its limits; 0 for a slide."""
    primitive = mechanism.bodies[joint.body].primitives[joint.primitive]
    axis = primitive.limits
    if axis is None or primitive.kind is not PrimitiveKind.HINGE or not 0.0 < axis.effort < math.inf:
        return 0.0
    if not inertia > 0.0:  # an inertia that is not physical, which the export reports
        return 0.0
    acceleration = axis.effort / inertia
    return min(acceleration * _PUSH, math.sqrt(2.0 * acceleration * max(axis.upper - axis.lower, 0.0)))
