"""inertial, and the effective inertia of joints.

MuJoCo demands ``A + B >= C`` of the principal moments in floating point, without tolerance, even
for bodies that do not move. Mass and moments of each body that moves must exceed 1e-15, unless
those of a body welded to it do.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from bridge.mechanism import Mechanism
from bridge.mechanism.bodies import Body, PrimitiveKind
from bridge.mechanism.coordinates import Coordinates, scalar_joints
from bridge.targets.mjcf import codes
from bridge.targets.numbers import quaternion, whole_or
from loaders.deferred import cached_property
from loaders.engine_settings import INERTIA_SETTINGS
from loaders.finish.mass_properties import shape_inertia
from loaders.inertia import SpatialInertia, exceeds
from loaders.model import JointAxis, Link
from loaders.pose import Array, frozen, quaternion_to_matrix

from .context import MjcfContext, MjcfElement, own_settings
from .joint import ScalarJoint, carried_bodies, where_of

_MIN_INERTIA = 1e-14
"""Regularization [kg m^2 or kg]: the inertia of a joint that carries nothing."""
_SAMPLES = 16
"""Number of random configurations, beside zero; the effective inertia is least where the axes of
light links align."""
_MAX_SAMPLED_DOFS = 100
"""Largest number of degrees of freedom for which random configurations are evaluated."""
_PUSH = 0.05
"""Assumed duration of full effort [s]."""
_MAX_TURN = 0.2
"""Largest rotation of a hinge in one time step [rad]; MuJoCo's integrator was observed to fail from
0.3 on."""


@dataclass(frozen=True, kw_only=True, eq=False)
class EffectiveInertia:
    """Effective inertia of each velocity component at the zero configuration [kg m^2 or kg], shape
    (nv,).
    """

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
    return EffectiveInertia(
        mechanism=mechanism, free=_free_inertia(M), locked=np.diag(M) + _MIN_INERTIA
    )


def _free_inertia(M: Array) -> Array:
    """Return the inverse of each diagonal element of the inverse of a mass matrix, at most the
    diagonal of the matrix.

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
    bounds: dict[str, list[tuple[float, float]]] = {}
    for joint, body in scalar_joints(mechanism.bodies).items():
        bounds[joint] = [_bounds(body, dof) for dof in range(body.nv)]
    for _ in range(_SAMPLES):
        positions: dict[str, Coordinates] = {}
        for joint, by_dof in bounds.items():
            positions[joint] = tuple(rng.uniform(lower, upper) for lower, upper in by_dof)
        yield positions


def _bounds(body: Body, dof: int) -> tuple[float, float]:
    axis = next(primitive.limits for primitive in body.primitives if primitive.dof_index == dof)
    if axis is None or axis.lower > axis.upper:
        return -math.pi, math.pi
    return max(axis.lower, min(-math.pi, axis.upper)), min(axis.upper, max(math.pi, axis.lower))


def report_light_joints(
    inertia: EffectiveInertia, scalar_joints: dict[int, ScalarJoint], context: MjcfContext
) -> None:
    """Report hinges that full effort turns farther in one time step than MuJoCo's integrator can
    follow.

    Args:
        inertia: The effective inertia of all joints.
        scalar_joints: The MJCF joint of each velocity component.
        context: The export.
    """
    step = context.time_step
    turns = {
        v: step * _max_speed(joint, inertia.free[v], context.mechanism)
        for v, joint in scalar_joints.items()
    }
    light = [v for v, turn in turns.items() if turn > _MAX_TURN]
    if not light:
        return
    v = max(light, key=turns.__getitem__)
    body = context.mechanism.bodies[scalar_joints[v].body]
    axis = body.primitives[scalar_joints[v].primitive].limits
    context.add(
        codes.LIGHT_JOINT if len(light) == 1 else codes.LIGHT_JOINTS,
        where_of(body),
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
    """Return the largest effort [N m or N] under which a joint moves slowly enough for MuJoCo's
    integrator.

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
    """Return the speed [rad/s] that full effort gives a hinge, within `_PUSH` or between its
    limits; 0 for a slide.
    """
    primitive = mechanism.bodies[joint.body].primitives[joint.primitive]
    axis = primitive.limits
    if (
        axis is None
        or primitive.kind is not PrimitiveKind.HINGE
        or not 0.0 < axis.effort < math.inf
    ):
        return 0.0
    if not inertia > 0.0:  # an inertia that is not physical, which the export reports
        return 0.0
    acceleration = axis.effort / inertia
    return min(
        acceleration * _PUSH, math.sqrt(2.0 * acceleration * max(axis.upper - axis.lower, 0.0))
    )


MINIMUM = 1e-15
"""MuJoCo's bound on mass [kg] and moments [kg m^2] of a moving body (``mjMINVAL``); must be
exceeded."""
_WATER = 1000.0
"""Density of a shape that states none [kg/m^3], as in SDFormat."""
_AXES, _MOMENTS = "inertial/quat", "inertial/diaginertia"
"""Settings of a link: the quaternion of the principal axes and the moments about them, as the
source states them."""
_ROUNDING = 1e-13
"""Largest difference of the inertia from the one that is stated by axes and moments, relative to
the largest moment."""
_DECIMALS = 11
"""Decimals of an entry of an inertia matrix, relative to the power of ten of the largest moment."""
_COMPUTED = 3e-14
"""Largest error of an entry by MuJoCo's axes and moments, relative to the largest moment."""
EPSILON = 1e-14
"""Mass [kg] and moments [kg m^2] of a moving body that has none: the next power of ten that MuJoCo
accepts."""


def inertials(context: MjcfContext) -> list[MjcfElement | None]:
    """Return the ``<inertial>`` of each body; None for a body that has no mass and needs none."""
    bodies = context.mechanism.bodies
    accepted = [_accepted_inertia(body.link, body.inertia, context) for body in bodies]
    has_mass = _has_welded_mass(context, accepted)
    carried = carried_bodies(context.mechanism)
    elements: list[MjcfElement | None] = []
    for i, body in enumerate(bodies):
        # a virtual link becomes part of the body that it carries
        needs_mass = bool(body.primitives) and i not in carried and not has_mass[i]
        elements.append(_inertial(body.link, accepted[i], needs_mass=needs_mass, context=context))
    return elements


def _accepted_inertia(link: Link, inertia: SpatialInertia, context: MjcfContext) -> SpatialInertia:
    """Return the inertia to write: the link's own, or the one that the option ``inertia``
    demands.
    """
    mode = context.options.inertia
    if mode == "from_geometry" and (link.inertia is None or link.inertia.defects()):
        return _from_geometry(link, context)
    if mode == "error" and link.inertia is None:
        context.add(codes.NO_INERTIA, link, link=link.name)
    defects = inertia.defects()
    if not defects:
        return inertia
    if mode == "repair" and math.isfinite(inertia.mass) and np.all(np.isfinite(inertia.I_Lcm)):
        return _repaired(link, inertia, context)
    context.add(codes.IMPOSSIBLE_INERTIA, link, link=link.name, defects="; ".join(defects))
    return SpatialInertia.of(0.0)


def _repaired(link: Link, inertia: SpatialInertia, context: MjcfContext) -> SpatialInertia:
    repaired = inertia.repaired()
    context.add(
        codes.REPAIRED_INERTIA,
        link,
        link=link.name,
        defects="; ".join(inertia.defects()),
        mass=repaired.mass,
        moments=tuple(repaired.principal_axes()[1].tolist()),
    )
    return repaired


def _from_geometry(link: Link, context: MjcfContext) -> SpatialInertia:
    """Return the inertia of the collision shapes, of their density or water's, scaled to the link's
    mass if stated.
    """
    total = SpatialInertia.of(0.0)
    for collision in link.collisions:
        part = shape_inertia(collision.geometry, collision.density or _WATER)
        if part is not None:
            total += part.moved(collision.X_LG)
    if link.inertia is not None and link.inertia.mass > 0.0 and total.mass > 0.0:
        scale = link.inertia.mass / total.mass
        total = SpatialInertia(link.inertia.mass, total.p_LLcm, frozen(scale * total.I_Lcm))
    context.add(codes.INERTIA_FROM_GEOMETRY, link, link=link.name, mass=total.mass)
    return total


def _has_welded_mass(context: MjcfContext, inertias: list[SpatialInertia]) -> list[bool]:
    """Return for each body whether it, or a body welded to it, has mass and moments that MuJoCo
    accepts.
    """
    has_mass = [inertia.mass > MINIMUM and _exceeds_minimum(inertia.I_Lcm) for inertia in inertias]
    for i, body in reversed(list(enumerate(context.mechanism.bodies))):
        if has_mass[i] and not body.primitives and body.parent >= 0:
            has_mass[body.parent] = True
    return has_mass


def _exceeds_minimum(I_Lcm: Array) -> bool:
    """Return whether all principal moments are larger than MuJoCo's minimum."""
    return exceeds(I_Lcm, MINIMUM) or bool(np.linalg.eigvalsh(I_Lcm)[0] > MINIMUM)


def _inertial(
    link: Link, inertia: SpatialInertia, *, needs_mass: bool, context: MjcfContext
) -> MjcfElement | None:
    axes, moments = _axes(link, inertia)
    moments = within_triangle(moments)
    mass = inertia.mass
    if needs_mass and (mass <= MINIMUM or min(moments) <= MINIMUM):
        mass, moments = max(mass, EPSILON), within_triangle(np.maximum(moments, EPSILON))
        context.add(
            codes.MASSLESS_LINK, link, link=link.name, mass=mass, moments=tuple(moments.tolist())
        )
    if mass == 0.0 and not np.any(moments):
        return None
    pos, stated = inertia.p_LLcm.tolist(), _stated(inertia, moments)
    is_near = _is_near_link(pos, axes)
    if is_near and not own_settings(link).keys() >= INERTIA_SETTINGS:
        axes, moments = _exchanged(axes or (1.0, 0.0, 0.0, 0.0), moments)
    by_axes = MjcfElement("inertial", pos=pos, quat=axes, mass=mass, diaginertia=moments.tolist())
    if axes is None or stated is None or is_near:
        return by_axes
    kind, values = ("fullinertia", stated) if any(stated[3:]) else ("diaginertia", stated[:3])
    in_link = MjcfElement("inertial", pos=pos, mass=mass, **{kind: values})
    return min(by_axes, in_link, key=_length)


_NEAR = 2e-6
"""Offset [m] and component of a quaternion up to which MuJoCo may take the frame of an inertia for
that of its body, which changes mass matrices by up to 1e-5; it does so below 1e-6."""


def _is_near_link(pos: Sequence[float], axes: Sequence[float] | None) -> bool:
    """Return whether the frame of an inertia lies near that of its link, but not in it."""
    turn = max(map(abs, axes[1:])) if axes is not None else 0.0
    offset = max(map(abs, pos))
    return (0.0 < turn < _NEAR) or (turn == 0.0 and 0.0 < offset < _NEAR)


def _exchanged(axes: Sequence[float], moments: Array) -> tuple[Sequence[float], Array]:
    """Return the quaternion and the moments with the axes y, z, x named x, y, z, so that their
    frame is another one than that of the link.
    """
    w, x, y, z = axes
    turned = (w - x - y - z, w + x + y - z, w - x + y + z, w + x - y + z)
    return [0.5 * part for part in turned], moments[[1, 2, 0]]


def _length(element: MjcfElement) -> int:
    return sum(map(len, element.attributes.values()))


def _stated(inertia: SpatialInertia, moments: Array) -> Sequence[float] | None:
    """Return the moments and products of inertia in the axes of the link in few digits; None if
    they need more, or if MuJoCo, which computes axes and moments from them, might refuse these.
    """
    low, middle, high = sorted(moments.tolist())
    if low <= 10.0 * EPSILON or low + middle <= high * (1.0 + _ROUNDING):
        return None
    (xx, xy, xz), (_, yy, yz), (_, _, zz) = inertia.I_Lcm.tolist()
    entries = (xx, yy, zz, xy, xz, yz)
    digits = -math.floor(math.log10(high)) + _DECIMALS
    stated = [round(x, digits) + 0.0 for x in entries]
    return stated if np.abs(np.subtract(stated, entries)).max() <= _COMPUTED * high else None


def _axes(link: Link, inertia: SpatialInertia) -> tuple[Sequence[float] | None, Array]:
    """Return the quaternion of the principal axes and the moments: as stated, if they still hold,
    else computed.
    """
    settings = own_settings(link)
    if settings.keys() >= INERTIA_SETTINGS:
        axes = [float(word) for word in settings[_AXES].split()]
        moments = [float(word) for word in settings[_MOMENTS].split()]
        R = quaternion_to_matrix(axes)
        if np.abs((R * moments) @ R.T - inertia.I_Lcm).max() <= _ROUNDING * max(moments):
            return whole_or(axes), frozen(moments)
    R, computed = inertia.principal_axes()
    return quaternion(R), computed


def within_triangle(moments: Array) -> Array:
    """Return principal moments, shape (3,), changed by units of rounding until the sum of two
    reaches the third.

    Moments that break the inequality by more than rounding are returned unchanged.
    """
    low, middle, high = sorted(moments.tolist())
    if low > 0.0 and low + middle >= high:
        return moments
    order = np.argsort(moments)
    a, b, c = (max(float(m), 0.0) for m in moments[order])
    if a + b >= c:
        return frozen(np.maximum(moments, 0.0))
    excess = max(c - a - b, 0.0)  # may be zero although the rounded sum is less than c
    if excess > 1e-9 * c:
        return moments
    a, b, c = a + excess / 3.0, b + excess / 3.0, c - excess / 3.0
    while a + b < c:
        c = math.nextafter(c, 0.0)
    adjusted = np.empty(3)
    adjusted[order] = (a, b, c)
    return frozen(adjusted)
