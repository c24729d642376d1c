"""joint and freejoint with compliant limits, and forces for which MJCF has no element, as a
callback of the running MuJoCo.

MuJoCo scales the spring of a limit by the effective inertia of the joint at the zero configuration.
With an impedance ``d`` and the inverse ``w`` of that inertia, a stiffness K is ``solreflimit = -K
(1 - d) w``; a damping is scaled alike. While the limit is active, the joint moves as if its inertia
were ``1 / (1 - d)`` times as large: hence a small ``d``.

If the coordinate of a joint is not the displacement of its primitive (a curvilinear joint has the
arc length, and its hinge turns by ``ratio`` times that), forces and limits are converted from the
coordinate to the displacement.

The frame of a virtual link coincides with that of the body that it carries at the zero
configuration, so that its joint is written into that body as it is.
"""

from __future__ import annotations

import dataclasses
import math
from dataclasses import dataclass
from typing import Any, NamedTuple, Unpack

import numpy as np

from bridge.fluid import LinkForce, fluid_forces
from bridge.lowering.transform import Source, mechanism_of
from bridge.mechanism import Mechanism
from bridge.mechanism.bodies import (
    ROOT,
    Body,
    BodyConnection,
    Primitive,
    PrimitiveKind,
    TendonConnection,
    primitive_names,
)
from bridge.mechanism.coordinates import kind_of
from bridge.mechanism.force_laws import FrameMotion, bushing_wrench, tendon_force
from bridge.targets.mjcf import codes
from bridge.targets.mjcf.context import UNLIMITED, MjcfContext, MjcfElement, own_settings
from bridge.targets.numbers import composed_position, direction
from loaders import LoadOptions
from loaders.diagnostics import NOWHERE, Where
from loaders.model import Bushing, JointAxis, TendonConstraint
from loaders.pose import Array, Pose


def where_of(body: Body) -> Where:
    """Return the place of a body's joint in the source; unknown for a body without a joint of the
    source.
    """
    return body.source.where if body.source is not None else NOWHERE


class PlacedJoint(NamedTuple):
    """The joint of a body, for findings about it."""

    name: str
    where: Where


def joint_of(body: Body) -> PlacedJoint:
    """Return the joint of a body, which findings are about."""
    return PlacedJoint(str(body.joint), where_of(body))


_IMPEDANCE = 0.01
_MAX_STIFFNESS = 0.25
"""Largest product of stiffness, inverse inertia and squared time step at which the integrator
remains stable."""


def limit_compliance(
    axis: JointAxis, dof: int, joint: str, body: Body, context: MjcfContext
) -> dict[str, Any]:
    """Return ``solreflimit`` and ``solimplimit`` of a joint whose source states stiffness or
    dissipation of its limits.

    Args:
        axis: The limits.
        dof: Index of the joint's velocity in `bridge.Mechanism.v_order`.
        joint: Name of the MJCF joint.
        body: The body that the joint moves.
        context: The export.

    Returns:
        The attributes; none if the source states neither value, or if the time step cannot hold
        them.
    """
    if axis.limit_stiffness is None and axis.limit_dissipation is None:
        return {}
    stiffness, damping = axis.limit_stiffness or 0.0, axis.limit_dissipation or 0.0
    w, step = _inverse_inertia(dof, context.mechanism), context.time_step
    yields = 0.0 < stiffness * w * step**2 < _MAX_STIFFNESS and damping * w * step < 1.0
    context.add(
        codes.YIELDING_STOPS if yields else codes.RIGID_STOPS,
        joint_of(body),
        joint=joint,
        stiffness=stiffness,
        dissipation=damping,
    )
    if not yields:
        return {}
    scale = (1.0 - _IMPEDANCE) * w
    return {
        "solreflimit": (-stiffness * scale, -damping * scale),
        "solimplimit": (_IMPEDANCE, _IMPEDANCE, 0.001),
    }


def _inverse_inertia(dof: int, mechanism: Mechanism) -> float:
    """Return a diagonal element of the inverse mass matrix at zero; 0 if that is not positive and
    finite everywhere.
    """
    at_zero = mechanism.mass_matrix_at_zero
    if at_zero is None or at_zero.inverse is None:
        return 0.0
    diagonal = np.diag(at_zero.inverse)
    is_valid = np.all(np.isfinite(diagonal)) and diagonal.min(initial=1.0) > 0.0
    return float(diagonal[dof]) if is_valid else 0.0


_MIN_ARMATURE = 1e-12
"""Moment of inertia [kg m^2] that separates two hinges on one axis; MuJoCo's factorization needs
1e-14."""
_SAME_AXES = 1e-12
"""Largest element of the difference of two rotations that count as one."""
_PARALLEL = 1e-9
"""Sine of the angle below which two axes are parallel."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ScalarJoint:
    """The MJCF hinge or slide that has a velocity component of the mechanism.

    Attributes:
        joint: Name of the MJCF joint.
        ratio: Position of the MJCF joint divided by the mechanism's.
        body: Index of the body.
        primitive: Index of the primitive of the body.
    """

    joint: str
    ratio: float
    body: int
    primitive: int


def joint_of_velocity(mechanism: Mechanism) -> dict[int, ScalarJoint]:
    """Return the MJCF joint of each velocity component of hinges and slides, by its index in
    ``v_order``.

    If several primitives share a component, the one whose ratio is 1 has it.
    """
    scalar_joints: dict[int, ScalarJoint] = {}
    for i, body in enumerate(mechanism.bodies):
        if kind_of(body) is not None:
            continue
        names = primitive_names(body)
        for p in sorted(range(len(names)), key=lambda k: body.primitives[k].ratio != 1.0):
            primitive = body.primitives[p]
            scalar_joint = ScalarJoint(joint=names[p], ratio=primitive.ratio, body=i, primitive=p)
            scalar_joints.setdefault(body.v_start + primitive.dof_index, scalar_joint)
    return scalar_joints


def joint_elements(
    index: int, scalar_joints: dict[int, ScalarJoint], context: MjcfContext
) -> list[MjcfElement]:
    """Return the joints of one body, in the order of its primitives.

    Args:
        index: Index of the body.
        scalar_joints: The MJCF joint of each velocity component, see `joint_of_velocity`.
        context: The export.
    """
    body = context.mechanism.bodies[index]
    if kind_of(body) is PrimitiveKind.FREE:
        return [_free_joint(body, context)]
    _report_several(body, context)
    elements = []
    for p, (name, primitive) in enumerate(zip(primitive_names(body), body.primitives, strict=True)):
        scalar_joint = scalar_joints.get(body.v_start + primitive.dof_index)
        has_dynamics = scalar_joint is None or scalar_joint.primitive == p
        elements.append(_joint(body, name, primitive, has_dynamics, context))
    return elements


def _report_several(body: Body, context: MjcfContext) -> None:
    """Report that a joint of several axes becomes several joints, as which readers of MJCF find
    it.
    """
    if body.source is None or len(body.source.type.traits.motions) < 2:
        return
    context.add(
        codes.SEVERAL_JOINTS,
        joint_of(body),
        joint=body.joint,
        type=body.source.type.value,
        names=primitive_names(body),
    )


def _free_joint(body: Body, context: MjcfContext) -> MjcfElement:
    """Return the joint of a free body; MuJoCo has one damping, stiffness and inertia for all its
    directions.
    """
    axes = body.source.axes if body.source is not None else ()
    if not axes:
        return MjcfElement("freejoint", name=body.joint)
    element = MjcfElement("joint", name=body.joint, type="free")
    translation, rotation = axes
    for name, attribute in _FREE_DYNAMICS.items():
        value = getattr(rotation, name)
        element.set(**{attribute: value or None})
        if getattr(translation, name) != value:
            context.add(
                codes.FREE_JOINT, joint_of(body), joint=body.joint, quantity=attribute, value=value
            )
    if body.source is not None:
        element.set(**own_settings(body.source))
    return element


_FREE_DYNAMICS = {
    "damping": "damping",
    "friction": "frictionloss",
    "spring_stiffness": "stiffness",
    "inertia": "armature",
}
"""MJCF's attribute of each field of an axis that a free joint has."""


def _joint(
    body: Body, name: str, primitive: Primitive, has_dynamics: bool, context: MjcfContext
) -> MjcfElement:
    context.names.claim("joint", name)
    is_ball = primitive.kind is PrimitiveKind.BALL
    element = MjcfElement(
        "joint",
        name=name,
        type=None if primitive.kind is PrimitiveKind.HINGE else str(primitive.kind),
        pos=composed_position(body.X_BM.p),
        axis=None if is_ball else direction(body.X_BM.R @ primitive.axis),
    )
    if is_ball and not np.allclose(body.X_BM.R, np.eye(3), rtol=0.0, atol=_SAME_AXES):
        cosine = float(np.clip((np.trace(body.X_BM.R) - 1.0) / 2.0, -1.0, 1.0))
        context.add(codes.JOINT_COORDINATE, joint_of(body), joint=name, angle=math.acos(cosine))
    if has_dynamics:
        _set_dynamics(element, body, primitive, context)
    return element


def _set_dynamics(
    element: MjcfElement, body: Body, primitive: Primitive, context: MjcfContext
) -> None:
    """Set limits, damping, friction, spring and armature, converted to the primitive's
    displacement.
    """
    name, r = element.attributes["name"], primitive.ratio
    if r != 1.0:
        context.add(codes.JOINT_COORDINATE_SCALED, joint_of(body), joint=name, ratio=r)
    armature = _armature(name, body, primitive, context)
    axis = primitive.limits
    if axis is not None:
        if primitive.kind is not PrimitiveKind.BALL:
            _set_limits(element, axis, r, body, context)
            dof = body.v_start + primitive.dof_index
            element.set(**limit_compliance(axis, dof, name, body, context))
        element.set(
            springref=axis.spring_reference * r or None,
            stiffness=axis.spring_stiffness / r**2 or None,
            damping=axis.damping / r**2 or None,
            frictionloss=axis.friction / abs(r) or None,
        )
    element.set(armature=armature or None)
    if body.source is not None:
        element.set(**own_settings(body.source))


def _armature(name: str, body: Body, primitive: Primitive, context: MjcfContext) -> float:
    """Return the reflected inertia of a joint, or the minimum for a second hinge on a parallel
    axis.
    """
    armature = body.reflected_inertia[primitive.dof_index] / primitive.ratio**2
    if armature or not _is_second_on_its_axis(body, primitive):
        return armature
    context.add(
        codes.PARALLEL_AXES,
        joint_of(body),
        joint=body.joint,
        mjcf_joint=name,
        armature=_MIN_ARMATURE,
    )
    return _MIN_ARMATURE


def _is_second_on_its_axis(body: Body, primitive: Primitive) -> bool:
    """Return whether an earlier hinge of the same joint has a parallel axis."""
    before = body.primitives[: body.primitives.index(primitive)]
    return primitive.kind is PrimitiveKind.HINGE and any(
        other.kind is PrimitiveKind.HINGE
        and other.dof_index != primitive.dof_index
        and np.linalg.norm(np.cross(other.axis, primitive.axis)) < _PARALLEL
        for other in before
    )


def _set_limits(
    element: MjcfElement, axis: JointAxis, r: float, body: Body, context: MjcfContext
) -> None:
    """Set ``range`` and ``actuatorfrcrange``; MuJoCo would read an empty range, or one of a single
    point, as none.
    """
    name = element.attributes["name"]
    lower, upper = sorted((axis.lower * r, axis.upper * r))
    if axis.lower > axis.upper:
        context.add(
            codes.EMPTY_RANGE, joint_of(body), joint=name, lower=axis.lower, upper=axis.upper
        )
    elif lower < upper and (lower > -UNLIMITED or upper < UNLIMITED):
        element.set(range=(max(lower, -UNLIMITED), min(upper, UNLIMITED)))
    if 0.0 < axis.effort < math.inf:
        element.set(actuatorfrcrange=(-axis.effort / abs(r), axis.effort / abs(r)))
    elif axis.effort <= 0.0:
        context.add(codes.ZERO_EFFORT, joint_of(body), joint=name, effort=axis.effort)


def is_locked(axis: JointAxis | None) -> bool:
    """Return whether the limits allow one position only, which MuJoCo enforces by an equality."""
    return axis is not None and axis.lower == axis.upper


_SAME = 1e-9
"""Largest difference of two frames that coincide."""


def carried_bodies(mechanism: Mechanism) -> dict[int, int]:
    """Return the body into which each virtual link is written, by index; a link that does not fit
    is left out.
    """
    children: dict[int, list[int]] = {}
    for i, body in enumerate(mechanism.bodies):
        children.setdefault(body.parent, []).append(i)
    carried: dict[int, int] = {}
    for i, body in reversed(list(enumerate(mechanism.bodies))):
        below = children.get(i, [])
        if len(below) == 1 and _fits(body, mechanism.bodies[below[0]]):
            carried[i] = carried.get(below[0], below[0])
    return carried


def _fits(body: Body, child: Body) -> bool:
    """Return whether the joint of a virtual link can belong to the body that the link carries."""
    link = body.link
    is_empty = link.virtual and not (
        link.inertia or link.collisions or link.visuals or link.sensors
    )
    joints = [p.kind for p in (*body.primitives, *child.primitives)]
    is_joint = bool(body.primitives) and bool(child.primitives) and PrimitiveKind.FREE not in joints
    return is_empty and is_joint and link.X_WL.is_close(child.link.X_WL, _SAME)


@dataclass(frozen=True, slots=True, eq=False)
class _TendonJoint:
    """One joint of a tendon: its position in the mechanism is MuJoCo's divided by ``ratio``."""

    qpos: int
    dof: int
    ratio: float
    coefficient: float


@dataclass(frozen=True, slots=True, eq=False)
class _FluidForce:
    """A force of a fluid on a MuJoCo body, and the joint on whose position it depends."""

    force: LinkForce
    body: int
    joint: _TendonJoint | None


@dataclass(frozen=True, slots=True, eq=False)
class PassiveForces:
    """Adds bushings, the damping of compliant tendons, and buoyancy, drag and lift to
    ``qfrc_passive`` of one model.

    It ignores all other models.
    """

    signature: int
    """MuJoCo's signature of the model to which it belongs."""
    bushings: tuple[tuple[Bushing, int, int], ...]
    """Each bushing with the ids of the MuJoCo bodies that have its frames."""
    tendons: tuple[tuple[TendonConstraint, tuple[_TendonJoint, ...]], ...]
    """The tendons whose damping the MJCF omits."""
    fluid: tuple[_FluidForce, ...] = ()
    """The forces of a fluid."""

    def __call__(self, model: Any, data: Any) -> None:
        """Add the forces for the current state.

        Args:
            model: A ``mujoco.MjModel``.
            data: Its ``mujoco.MjData``, after positions and velocities were computed.
        """
        if model.signature != self.signature:
            return
        for bushing, a, c in self.bushings:
            _apply_bushing(bushing, a, c, model, data)
        for tendon, joints in self.tendons:
            _apply_damping(tendon, joints, data)
        for force in self.fluid:
            _apply_fluid(force, model, data)


def passive_forces(
    source: Source, model: Any, **load_options: Unpack[LoadOptions]
) -> PassiveForces:
    """Return the forces for which MJCF has no element, as a callback for
    ``mujoco.set_mjcb_passive``.

    MuJoCo calls the callback for every model of the process; it has no effect on other models than
    ``model``.

    Args:
        source: What the model was made from: a path, a `loaders.Scene` or a `bridge.Mechanism`.
        model: The ``mujoco.MjModel`` compiled from the result of `to_mjcf` or `to_mjspec`.
        load_options: Options of `loaders.load`, if ``source`` is a path.

    Raises:
        LoadError: if the file is invalid.
        KeyError: if ``model`` lacks a body or joint of the source.
        TypeError: if an option is unknown.
    """
    load_options["quiet"] = True  # the export of the model has warned
    mechanism = mechanism_of(source, **load_options)
    bushings = [
        _bushing(connection.element, connection, mechanism, model)
        for connection in mechanism.force_elements
        if isinstance(connection.element, Bushing)
    ]
    tendons = (c for c in mechanism.constraints if isinstance(c, TendonConnection))
    damped = [
        (c.element, _tendon_joints(c, mechanism, model))
        for c in tendons
        if c.element.damping and math.isfinite(c.element.stiffness)
    ]
    return PassiveForces(
        signature=model.signature,
        bushings=tuple(bushings),
        tendons=tuple((tendon, joints) for tendon, joints in damped if joints),
        fluid=tuple(_fluid_force(force, mechanism, model) for force in fluid_forces(mechanism)),
    )


def _fluid_force(force: LinkForce, mechanism: Mechanism, model: Any) -> _FluidForce:
    joint = None
    if force.joint is not None:
        scalar_joint = joint_of_velocity(mechanism).get(
            mechanism.dof_index.get((force.joint, 0), -1)
        )
        joint = None if scalar_joint is None else _compiled_joint(scalar_joint, 1.0, model)
    return _FluidForce(force, _body_id(mechanism.body_index[force.link], mechanism, model), joint)


def _bushing(
    element: Bushing, connection: BodyConnection, mechanism: Mechanism, model: Any
) -> tuple[Bushing, int, int]:
    """Return the bushing with the frames of its connection, and the ids of its bodies."""
    bushing = dataclasses.replace(element, X_LA=connection.X_AP, X_LC=connection.X_BQ)
    return (
        bushing,
        _body_id(connection.body_a, mechanism, model),
        _body_id(connection.body_b, mechanism, model),
    )


def _body_id(body: int, mechanism: Mechanism, model: Any) -> int:
    return 0 if body == ROOT else int(model.body(mechanism.bodies[body].name).id)


def _tendon_joints(
    connection: TendonConnection, mechanism: Mechanism, model: Any
) -> tuple[_TendonJoint, ...]:
    """Return the joints of a tendon; none if one is not a hinge or slide of the tree, and the
    tendon not written.
    """
    scalar_joints = joint_of_velocity(mechanism)
    joints = []
    for dof, coefficient in zip(connection.dofs, connection.element.coefficients, strict=True):
        scalar_joint = None if dof is None else scalar_joints.get(dof)
        if scalar_joint is None:
            return ()
        joints.append(_compiled_joint(scalar_joint, coefficient, model))
    return tuple(joints)


def _compiled_joint(scalar_joint: ScalarJoint, coefficient: float, model: Any) -> _TendonJoint:
    joint = model.joint(scalar_joint.joint)
    return _TendonJoint(
        int(joint.qposadr[0]), int(joint.dofadr[0]), scalar_joint.ratio, coefficient
    )


def _apply_bushing(bushing: Bushing, a: int, c: int, model: Any, data: Any) -> None:
    import mujoco

    wrench = bushing_wrench(
        bushing, _motion(model, data, a, bushing.X_LA), _motion(model, data, c, bushing.X_LC)
    )
    for sign, body in ((-1.0, a), (1.0, c)):
        mujoco.mj_applyFT(
            model,
            data,
            sign * wrench.force,
            sign * wrench.torque,
            wrench.p_WQ,
            body,
            data.qfrc_passive,
        )


def _apply_fluid(item: _FluidForce, model: Any, data: Any) -> None:
    import mujoco

    position = 0.0 if item.joint is None else float(data.qpos[item.joint.qpos]) / item.joint.ratio
    wrench = item.force.wrench(
        _motion(model, data, item.body, item.force.X_LF), model.opt.gravity, position
    )
    mujoco.mj_applyFT(
        model, data, wrench.force, wrench.torque, wrench.p_WQ, item.body, data.qfrc_passive
    )


def _motion(model: Any, data: Any, body: int, X_LF: Pose) -> FrameMotion:
    """Return the motion of a frame on a body."""
    import mujoco

    X_WF = Pose.of(data.xmat[body].reshape(3, 3), data.xpos[body]) @ X_LF
    w_v: Array = np.zeros(6)
    mujoco.mj_objectVelocity(model, data, mujoco.mjtObj.mjOBJ_XBODY, body, w_v, 0)
    w, v = w_v[:3], w_v[3:]
    return FrameMotion(X_WF, w, v + np.cross(w, X_WF.p - data.xpos[body]))


def _apply_damping(tendon: TendonConstraint, joints: tuple[_TendonJoint, ...], data: Any) -> None:
    """Add the force of the tendon without its spring, which the MJCF has."""
    length = tendon.offset + sum(j.coefficient * data.qpos[j.qpos] / j.ratio for j in joints)
    rate = sum(j.coefficient * data.qvel[j.dof] / j.ratio for j in joints)
    spring = tendon_force(dataclasses.replace(tendon, damping=0.0), length, rate)
    for j in joints:
        data.qfrc_passive[j.dof] += (
            (tendon_force(tendon, length, rate) - spring) * j.coefficient / j.ratio
        )
