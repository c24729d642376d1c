"""equality, whether a point constraint can hold, and tendon: fixed and spatial.

MuJoCo enforces equalities by soft constraints, see `hard_solref`; the remaining error is
reported.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from bridge.fluid import described
from bridge.mechanism import Mechanism
from bridge.mechanism.bodies import ROOT, BodyConnection, Closure, TendonConnection, primitive_names
from bridge.mechanism.coordinates import Position, default_position, kind_of, scalar_joints
from bridge.targets.mjcf import codes
from bridge.targets.mjcf.context import (
    DEFAULT_SOLIMP,
    DEFAULT_SOLREF,
    HARD_SOLIMP,
    UNLIMITED,
    MjcfContext,
    MjcfElement,
    Value,
    hard_solref,
    own_settings,
)
from bridge.targets.mjcf.geom import site_at
from bridge.targets.mjcf.joint import ScalarJoint, is_locked, joint_of
from bridge.targets.numbers import placement
from loaders.diagnostics import Where
from loaders.model import (
    BallConstraint,
    Bushing,
    CouplingLaw,
    DistanceConstraint,
    JointType,
    SpringDamper,
    Tendon,
    TendonConstraint,
    TendonPart,
    TendonPartType,
    WeldConstraint,
)
from loaders.pose import IDENTITY, Array, Pose, skew

BodyFrame = tuple[int, Pose]
"""A body, by index, and the pose of a frame on it."""

CLOSED = 1e-6
"""Distance [m] below which two points coincide."""
_STARTS = 4
_STEPS = 60
_MAX_STRIDE = 0.5
"""Largest motion of a joint in one step of the search [rad or m]."""
_MAX_DOFS = 200
"""Largest number of degrees of freedom for which the search is run: its cost grows with their
cube."""


def residual_at_zero(mechanism: Mechanism, ends: tuple[BodyFrame, BodyFrame]) -> float:
    """Return the distance of two points in the initial poses of the scene [m]."""
    P, Q = ((IDENTITY if i == ROOT else mechanism.bodies[i].link.X_WL) @ X_BS for i, X_BS in ends)
    return float(np.linalg.norm(P.p - Q.p))


def least_residual(mechanism: Mechanism, ends: tuple[BodyFrame, BodyFrame]) -> float:
    """Return the least distance [m] of two points that hinges and slides were found to allow within
    their limits.

    The search takes Gauss-Newton steps from zero and from random positions. The result is zero
    where a ball or a free link can bring the points together, and for mechanisms with too many
    degrees of freedom.
    """
    if len(mechanism.v_order) > _MAX_DOFS:
        return 0.0
    lower, upper, is_scalar = _limits(mechanism)
    rng, best = np.random.default_rng(0), np.inf
    for start in range(_STARTS):
        x = np.clip(rng.uniform(-np.pi, np.pi, len(lower)) * (start > 0), lower, upper)
        for _ in range(_STEPS):
            residual, J = _residual(mechanism, ends, x)
            best = min(best, float(np.linalg.norm(residual)))
            if best < CLOSED or np.any(np.abs(residual @ J[:, ~is_scalar]) > CLOSED * best):
                return 0.0
            step = np.linalg.pinv(J, rcond=1e-3) @ residual
            x = np.clip(x - np.clip(step, -_MAX_STRIDE, _MAX_STRIDE), lower, upper)
    return best


def _limits(mechanism: Mechanism) -> tuple[Array, Array, NDArray[np.bool_]]:
    """Return the limits of each velocity component, and whether it is that of a hinge or a
    slide.
    """
    n = len(mechanism.v_order)
    lower, upper, is_scalar = np.full(n, -np.inf), np.full(n, np.inf), np.zeros(n, dtype=bool)
    for body in scalar_joints(mechanism.bodies).values():
        for primitive in body.primitives:
            v, axis = body.v_start + primitive.dof_index, primitive.limits
            is_scalar[v] = True
            if axis is not None and axis.lower <= axis.upper:
                lower[v], upper[v] = axis.lower, axis.upper
    return lower, upper, is_scalar


def _residual(
    mechanism: Mechanism, ends: tuple[BodyFrame, BodyFrame], x: Array
) -> tuple[Array, Array]:
    """Return the vector from the second point to the first [m], shape (3,), and its Jacobian, shape
    (3, nv).
    """
    q: dict[str, Position] = {}
    for body in mechanism.bodies:
        if body.joint is not None and body.primitives:
            given = tuple(x[body.v_start : body.v_start + body.nv])
            q[body.joint] = given if kind_of(body) is None else default_position(body)
    poses, jacobians = mechanism.link_poses(q), mechanism.jacobians(q)
    residual, J = np.zeros(3), np.zeros((3, len(x)))
    for sign, (i, X_BS) in zip((1.0, -1.0), ends, strict=True):
        if i == ROOT:
            residual += sign * X_BS.p
            continue
        name = mechanism.bodies[i].name
        p = poses[name].R @ X_BS.p
        residual += sign * (poses[name].p + p)
        J_link = jacobians[name]
        J += sign * (J_link[3:] - skew(p) @ J_link[:3])
    return residual, J


def write_equalities(scalar_joints: dict[int, ScalarJoint], context: MjcfContext) -> None:
    """Write every equality of the mechanism.

    Args:
        scalar_joints: The MJCF joint of each velocity component.
        context: The export.
    """
    for dof, joint in scalar_joints.items():
        _write_screw(dof, joint, context)
        _write_lock(joint, context)
    _write_couplings(scalar_joints, context)
    for closure in context.mechanism.closures:
        _write_closure(closure, context)
    for constraint in context.mechanism.constraints:
        if isinstance(constraint, BodyConnection) and isinstance(
            constraint.element, BallConstraint
        ):
            _write_ball(constraint.element, constraint, context)
        elif isinstance(constraint, BodyConnection) and isinstance(
            constraint.element, WeldConstraint
        ):
            _between_sites("weld", constraint.element, constraint, context)


# --- joints ---------------------------------------------------------------------------------------


_DEGREE = 4
"""Degree of the polynomials of MuJoCo's equalities."""


def _joint_equality(
    follower: str,
    leader: str | None,
    law: CouplingLaw,
    context: MjcfContext,
) -> MjcfElement:
    missing = (0.0,) * (_DEGREE - 1 - len(law.higher))
    polynomial = (*law.coefficients, *missing)
    equalities = context.document["equality"]
    return equalities.add("joint", joint1=follower, joint2=leader, polycoef=polynomial)


def _write_screw(dof: int, joint: ScalarJoint, context: MjcfContext) -> None:
    """Couple every other primitive of a velocity component to the one that has it."""
    body = context.mechanism.bodies[joint.body]
    names = primitive_names(body)
    for p, primitive in enumerate(body.primitives):
        if p != joint.primitive and body.v_start + primitive.dof_index == dof:
            law = CouplingLaw(multiplier=primitive.ratio / joint.ratio)
            _joint_equality(names[p], joint.joint, law, context)
            context.add(
                codes.SCREW_SOFT_CONSTRAINT,
                joint_of(body),
                joint=joint.joint,
                slide=names[p],
                error="1e-6 m",
            )


def _write_lock(joint: ScalarJoint, context: MjcfContext) -> None:
    body = context.mechanism.bodies[joint.body]
    axis = body.primitives[joint.primitive].limits
    if axis is None or not is_locked(axis):
        return
    law = CouplingLaw(offset=joint.ratio * axis.lower, multiplier=0.0)
    _joint_equality(joint.joint, None, law, context)
    context.add(codes.LOCKED_JOINT, joint_of(body), joint=joint.joint, error="1e-6")


def _write_couplings(scalar_joints: dict[int, ScalarJoint], context: MjcfContext) -> None:
    v_order = context.mechanism.v_order
    for coupling in context.mechanism.couplings:
        subjects = (v_order[coupling.follower][0], v_order[coupling.leader][0])
        follower, leader = scalar_joints.get(coupling.follower), scalar_joints.get(coupling.leader)
        if follower is None or leader is None:
            context.add(codes.COUPLING, coupling.where, subjects=subjects, joint=coupling.name)
            continue
        law, settings = coupling.scaled(follower.ratio, leader.ratio), own_settings(coupling)
        equality = _joint_equality(follower.joint, leader.joint, law, context)
        equality.set(**settings)
        if settings:  # the source states the softness
            continue
        context.add(
            codes.COUPLING_SOFT_CONSTRAINT,
            coupling.where,
            subjects=subjects,
            follower=follower.joint,
            leader=leader.joint,
            error="2e-6",
        )


# --- points and frames that coincide --------------------------------------------------------------


def second_point_name(joint: str) -> str:
    """Return the name of the constraint that holds the point on the axis of a hinge that closes a
    loop.

    Args:
        joint: Name of the hinge.
    """
    return f"{joint}_axis"


def _write_closure(closure: Closure, context: MjcfContext) -> None:
    """Write a weld, or connect one or two points; `bridge.lowering.tree` leaves no other
    closures.
    """
    joint = closure.joint
    is_weld = joint.type is JointType.FIXED
    _connect("weld" if is_weld else "connect", joint.name, closure, Pose.of(), context)
    if joint.type.traits.closing_points == 2:
        _connect(
            "connect",
            second_point_name(joint.name),
            closure,
            Pose.of(p=0.1 * joint.axes[0].xyz),
            context,
        )
    context.add(
        codes.LOOP_SOFT_CONSTRAINT if is_weld else codes.LOOP_SOFT_CONSTRAINT_OF_POINTS,
        joint,
        joint=joint.name,
        error="5e-6 m and 5e-6 rad" if is_weld else "5e-6 m",
    )


def _connect(kind: str, name: str, closure: Closure, X_JS: Pose, context: MjcfContext) -> None:
    """Hold a site on the parent and one on the child together."""
    joint = closure.joint
    parent, child = (closure.parent, joint.X_PJ @ X_JS), (closure.child, joint.X_CJ @ X_JS)
    softness = _softness(name, (joint.name,), (parent, child), joint.where, context)
    is_point = kind == "connect"
    sites = (
        site_at(f"{name}_parent", *parent, context, is_point=is_point),
        site_at(f"{name}_child", *child, context, is_point=is_point),
    )
    context.document["equality"].add(kind, name=name, site1=sites[0], site2=sites[1], **softness)


def _write_ball(
    constraint: BallConstraint, connection: BodyConnection, context: MjcfContext
) -> None:
    if own_settings(constraint) or not constraint.active:
        _between_sites("connect", constraint, connection, context)
        return
    name = context.names.claim("equality", f"{constraint.link_A}_{constraint.link_B}")
    links = constraint.link_A, constraint.link_B
    A, B = (connection.body_a, connection.X_AP), (connection.body_b, connection.X_BQ)
    softness = _softness(name, links, (A, B), constraint.where, context)
    sites = (
        site_at(f"{name}_A", *A, context, is_point=True),
        site_at(f"{name}_B", *B, context, is_point=True),
    )
    context.document["equality"].add(
        "connect", name=name, site1=sites[0], site2=sites[1], **softness
    )
    context.add(
        codes.BALL_SOFT_CONSTRAINT,
        constraint.where,
        subjects=links,
        link_a=constraint.link_A,
        link_b=constraint.link_B,
        error="1e-4 m",
    )


def _between_sites(
    tag: str,
    constraint: BallConstraint | WeldConstraint,
    connection: BodyConnection,
    context: MjcfContext,
) -> None:
    """Write a constraint as the source states it, with the softness of the source or MuJoCo's
    default.
    """
    settings = own_settings(constraint)
    preferred = settings.pop("name", f"{constraint.link_A}_{constraint.link_B}")
    name, is_point = context.names.claim("equality", preferred), tag == "connect"
    site1 = site_at(f"{name}_A", connection.body_a, connection.X_AP, context, is_point=is_point)
    site2 = site_at(f"{name}_B", connection.body_b, connection.X_BQ, context, is_point=is_point)
    element = context.document["equality"].add(tag, name=name, site1=site1, site2=site2)
    element.set(active=None if constraint.active else False, **settings)


def _softness(
    name: str,
    subjects: tuple[str, ...],
    ends: tuple[BodyFrame, BodyFrame],
    where: Where,
    context: MjcfContext,
) -> dict[str, Value]:
    """Return MuJoCo's default softness for points that can never meet: a hard constraint would be
    unstable.

    Points that are apart at the zero configuration are reported.
    """
    at_zero = residual_at_zero(context.mechanism, ends)
    if at_zero <= CLOSED:
        return {}
    least = least_residual(context.mechanism, ends)
    if least <= CLOSED:
        context.add(codes.OPEN_AT_ZERO, where, subjects=subjects, constraint=name, distance=at_zero)
        return {}
    context.add(codes.NEVER_CLOSES, where, subjects=subjects, constraint=name, distance=least)
    return {"solref": DEFAULT_SOLREF, "solimp": DEFAULT_SOLIMP}


_WRAPPING = {TendonPartType.SPHERE: "sphere", TendonPartType.CYLINDER: "cylinder"}


def write_path_tendons(
    scalar_joints: dict[int, ScalarJoint], context: MjcfContext
) -> dict[str, str]:
    """Write each tendon of the scene.

    Args:
        scalar_joints: The MJCF joint of each velocity component.
        context: The export.

    Returns:
        The name of each written tendon, by its name in the scene.
    """
    names: dict[str, str] = {}
    for tendon in context.mechanism.tendons:
        joints = _joints(tendon, scalar_joints, context)
        if joints is None:
            continue
        names[tendon.name] = name = context.names.claim("tendon", tendon.name)
        if name != tendon.name:
            context.names.changed[tendon.name] = name
        element = context.document["tendon"].add("fixed" if joints else "spatial", name=name)
        _set_law(element, tendon)
        for k, part in enumerate(tendon.parts):
            _write_part(element, part, f"{name}_{k}", joints, context)
    return names


def _joints(
    tendon: Tendon, scalar_joints: dict[int, ScalarJoint], context: MjcfContext
) -> dict[str, ScalarJoint] | None:
    """Return the MJCF joints of a tendon by name; None, with a diagnostic, if one is no hinge or
    slide of the tree.
    """
    index = context.mechanism.dof_index
    names = [part.joint for part in tendon.parts if part.type is TendonPartType.JOINT]
    found = {name: scalar_joints.get(index.get((name, 0), -1)) for name in names}
    if all(found.values()):
        return {name: joint for name, joint in found.items() if joint is not None}
    context.add(codes.TENDON, tendon.where, subjects=(tendon.name, *names), joints=tuple(names))
    return None


def _set_law(element: MjcfElement, tendon: Tendon) -> None:
    """Set the limits, the spring and the friction of a tendon."""
    limits = (max(tendon.lower, -UNLIMITED), min(tendon.upper, UNLIMITED))
    is_limited = limits != (-UNLIMITED, UNLIMITED)
    element.set(
        range=limits if is_limited else None,
        springlength=sorted(set(tendon.rest)) if tendon.stiffness or any(tendon.rest) else None,
        stiffness=tendon.stiffness or None,
        damping=tendon.damping or None,
        frictionloss=tendon.friction or None,
        armature=tendon.inertia or None,
    )
    element.set(**own_settings(tendon))


def _write_part(
    element: MjcfElement,
    part: TendonPart,
    name: str,
    joints: dict[str, ScalarJoint],
    context: MjcfContext,
) -> None:
    if part.type is TendonPartType.JOINT:
        joint = joints[part.joint]
        element.add("joint", joint=joint.joint, coef=part.value / joint.ratio)
    elif part.type is TendonPartType.PULLEY:
        element.add("pulley", divisor=part.value)
    elif part.type is TendonPartType.POINT:
        body = context.mechanism.body_index[part.link]
        element.add("site", site=site_at(name, body, part.X_LP, context, is_point=True))
    else:
        _write_wrapping(element, part, name, context)


def _write_wrapping(
    element: MjcfElement, part: TendonPart, name: str, context: MjcfContext
) -> None:
    """Write a geom without contact and mass, around which the tendon wraps, and the site of its
    side.
    """
    body = context.mechanism.body_index[part.link]
    name = context.names.claim("geom", name)
    is_cylinder = part.type is TendonPartType.CYLINDER
    geom = MjcfElement("geom", name=name, type=_WRAPPING[part.type], **placement(part.X_LP))
    geom.set(size=(part.value, 2.0 * part.value) if is_cylinder else (part.value,))
    geom.set(contype=0, conaffinity=0, mass=0, group=4)
    context.document.body(body).children.append(geom)
    wrap = element.add("geom", geom=name)
    if part.p_LS is not None:
        side = context.mechanism.body_index[part.link_S]
        wrap.set(
            sidesite=site_at(f"{name}_side", side, Pose.of(p=part.p_LS), context, is_point=True)
        )


def write_tendons(scalar_joints: dict[int, ScalarJoint], context: MjcfContext) -> None:
    """Write the force elements and constraints that MuJoCo has as tendons; report bushings and
    forces of a fluid.

    Args:
        scalar_joints: The MJCF joint of each velocity component.
        context: The export.
    """
    for force in context.mechanism.fluid_forces:
        context.add(
            codes.FLUID_FORCE,
            force.where,
            subjects=(force.link,),
            link=force.link,
            force=described(force),
        )
    for connection in (*context.mechanism.force_elements, *context.mechanism.constraints):
        if isinstance(connection, TendonConnection):
            _write_sum(connection, scalar_joints, context)
        elif isinstance(connection.element, SpringDamper):
            spring = connection.element
            spatial = _spatial_tendon(f"{spring.link_A}_{spring.link_B}", connection, context)
            spatial.set(
                springlength=spring.free_length,
                stiffness=spring.stiffness,
                damping=spring.damping or None,
            )
        elif isinstance(connection.element, DistanceConstraint):
            _write_distance(connection.element, connection, context)
        elif isinstance(connection.element, Bushing):
            _report_bushing(connection.element, context)


def _report_bushing(bushing: Bushing, context: MjcfContext) -> None:
    context.add(
        codes.BUSHING,
        bushing.where,
        subjects=(bushing.link_A, bushing.link_C),
        link_a=bushing.link_A,
        X_LA=tuple(bushing.X_LA.to_vector()),
        link_c=bushing.link_C,
        X_LC=tuple(bushing.X_LC.to_vector()),
        torque_stiffness=tuple(bushing.torque_stiffness),
        torque_damping=tuple(bushing.torque_damping),
        force_stiffness=tuple(bushing.force_stiffness),
        force_damping=tuple(bushing.force_damping),
    )


def _spatial_tendon(name: str, connection: BodyConnection, context: MjcfContext) -> MjcfElement:
    """Add a straight tendon from P to Q."""
    name = context.names.claim("tendon", name)
    ends = (
        site_at(f"{name}_A", connection.body_a, connection.X_AP, context, is_point=True),
        site_at(f"{name}_B", connection.body_b, connection.X_BQ, context, is_point=True),
    )
    spatial = context.document["tendon"].add("spatial", name=name)
    for end in ends:
        spatial.add("site", site=end)
    return spatial


def _write_distance(
    constraint: DistanceConstraint, connection: BodyConnection, context: MjcfContext
) -> None:
    """Write a stiff spring if the stiffness is finite, else an equality of the tendon's length."""
    spatial = _spatial_tendon(f"{constraint.link_A}_{constraint.link_B}", connection, context)
    damping = constraint.damping or None
    if math.isfinite(constraint.stiffness):
        spatial.set(
            springlength=constraint.distance, stiffness=constraint.stiffness, damping=damping
        )
        return
    poses = context.mechanism.link_poses()

    def point(body: int, X_BP: Pose) -> Array:
        if body == ROOT:
            return X_BP.p
        X_WB = poses[context.mechanism.bodies[body].name]
        return X_WB.p + X_WB.R @ X_BP.p

    P, Q = point(connection.body_a, connection.X_AP), point(connection.body_b, connection.X_BQ)
    offset = constraint.distance - float(np.linalg.norm(P - Q))
    context.document["equality"].add(
        "tendon", tendon1=spatial.attributes["name"], polycoef=(offset, 0.0, 0.0, 0.0, 0.0)
    )
    spatial.set(damping=damping)
    context.add(
        codes.DISTANCE_SOFT_CONSTRAINT,
        constraint.where,
        subjects=(constraint.link_A, constraint.link_B),
        link_a=constraint.link_A,
        link_b=constraint.link_B,
        error="2e-3 m",
    )


def _write_sum(
    connection: TendonConnection, scalar_joints: dict[int, ScalarJoint], context: MjcfContext
) -> None:
    """Write a fixed tendon: a weighted sum of joint positions within bounds."""
    constraint = connection.element
    candidates = [None if dof is None else scalar_joints.get(dof) for dof in connection.dofs]
    joints = [joint for joint in candidates if joint is not None]
    if len(joints) < len(candidates):
        context.add(
            codes.TENDON, constraint.where, subjects=constraint.joints, joints=constraint.joints
        )
        return
    name = context.names.claim("tendon", "_".join(constraint.joints))
    fixed = context.document["tendon"].add("fixed", name=name)
    bounds = (
        max(constraint.lower - constraint.offset, -UNLIMITED),
        min(constraint.upper - constraint.offset, UNLIMITED),
    )
    if math.isfinite(constraint.stiffness):
        fixed.set(springlength=bounds, stiffness=constraint.stiffness)
        _report_damping(name, constraint, context)
    else:
        fixed.set(range=bounds, solreflimit=hard_solref(context.time_step), solimplimit=HARD_SOLIMP)
        context.add(
            codes.TENDON_SOFT_CONSTRAINT, constraint.where, subjects=constraint.joints, tendon=name
        )
    for joint, coefficient in zip(joints, constraint.coefficients, strict=True):
        fixed.add("joint", joint=joint.joint, coef=coefficient / joint.ratio)


def _report_damping(name: str, constraint: TendonConstraint, context: MjcfContext) -> None:
    if constraint.damping:
        context.add(
            codes.TENDON_DAMPING,
            constraint.where,
            subjects=constraint.joints,
            damping=constraint.damping,
            tendon=name,
        )
