"""tendon: fixed and spatial."""

from __future__ import annotations

import math

import numpy as np

from bridge.fluid import described
from bridge.mechanism.bodies import ROOT, BodyConnection, TendonConnection
from bridge.targets.mjcf import codes
from bridge.targets.numbers import placement
from loaders.model import (
    Bushing,
    DistanceConstraint,
    FluidForce,
    SpringDamper,
    Tendon,
    TendonConstraint,
    TendonPart,
    TendonPartType,
)
from loaders.pose import Array, Pose

from .context import HARD_SOLIMP, UNLIMITED, MjcfContext, MjcfElement, hard_solref, own_settings
from .joint import ScalarJoint
from .site import site_at

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
        _report_fluid_force(force, context)
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


def _report_fluid_force(force: FluidForce, context: MjcfContext) -> None:
    context.add(
        codes.FLUID_FORCE,
        force.where,
        subjects=(force.link,),
        link=force.link,
        force=described(force),
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
