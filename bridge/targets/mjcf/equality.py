"""equality, and whether a point constraint can hold.

MuJoCo enforces equalities by soft constraints, see `xml.solver_constants`; the remaining error is
reported.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from bridge.mechanism import Mechanism
from bridge.mechanism.bodies import ROOT, BodyConnection, Closure, primitive_names
from bridge.mechanism.coordinates import Position, default_position, kind_of, scalar_joints
from bridge.targets.mjcf import codes
from loaders.diagnostics import Where
from loaders.model import BallConstraint, CouplingLaw, JointType, WeldConstraint
from loaders.pose import IDENTITY, Array, Pose, skew

from .context import DEFAULT_SOLIMP, DEFAULT_SOLREF, MjcfContext, Value, own_settings
from .joint import ScalarJoint, is_locked, joint_of
from .site import site_at

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
    settings: Mapping[str, str] | None = None,
) -> None:
    numbers = (*law.coefficients, *(0.0,) * (_DEGREE - 1 - len(law.higher)))
    element = context.document["equality"].add(
        "joint", joint1=follower, joint2=leader, polycoef=numbers
    )
    element.set(**(settings or {}))


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
        _joint_equality(follower.joint, leader.joint, law, context, settings)
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
