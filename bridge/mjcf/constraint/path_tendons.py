"""``<tendon>``: the tendons of the scene, which are as in MuJoCo."""

from __future__ import annotations

from bridge.export.number_format import placement
from bridge.mjcf.body.joints import ScalarJoint
from bridge.mjcf.body.sites import site_at
from bridge.mjcf.xml.context import Context
from bridge.mjcf.xml.element import Element
from bridge.mjcf.xml.solver_constants import UNLIMITED
from loaders.diagnostics import Fate
from loaders.model import Tendon, TendonPart, TendonPartType
from loaders.spatial import Pose

_WRAPPING = {TendonPartType.SPHERE: "sphere", TendonPartType.CYLINDER: "cylinder"}


def write_path_tendons(scalar_joints: dict[int, ScalarJoint], context: Context) -> dict[str, str]:
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


def _joints(tendon: Tendon, scalar_joints: dict[int, ScalarJoint], context: Context) -> dict[str, ScalarJoint] | None:
    """Return the MJCF joints of a tendon by name; None, with a diagnostic, if one is no hinge or slide of the tree."""
    index = context.mechanism.dof_index
    names = [part.joint for part in tendon.parts if part.type is TendonPartType.JOINT]
    found = {name: scalar_joints.get(index.get((name, 0), -1)) for name in names}
    if all(found.values()):
        return {name: joint for name, joint in found.items() if joint is not None}
    context.report(
        Fate.DROPPED,
        "tendon",
        "the tendon over {joints} has a joint that is not a hinge or slide of the tree of bodies",
        tendon.where,
        subjects=(tendon.name, *names),
        joints=tuple(names),
    )
    return None


def _set_law(element: Element, tendon: Tendon) -> None:
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
    element.set(**dict(tendon.mujoco))


def _write_part(
    element: Element, part: TendonPart, name: str, joints: dict[str, ScalarJoint], context: Context
) -> None:
    if part.type is TendonPartType.JOINT:
        joint = joints[part.joint]
        element.add("joint", joint=joint.joint, coef=part.value / joint.ratio)
    elif part.type is TendonPartType.PULLEY:
        element.add("pulley", divisor=part.value)
    elif part.type is TendonPartType.POINT:
        element.add("site", site=_point(name, part.link, part.X_LP, context))
    else:
        _write_wrapping(element, part, name, context)


def _point(name: str, link: str, X_LP: Pose, context: Context) -> str:
    return site_at(name, context.mechanism.body_index[link], X_LP, context, is_point=True)


def _write_wrapping(element: Element, part: TendonPart, name: str, context: Context) -> None:
    """Write a geom without contact and mass, around which the tendon wraps, and the site of its side."""
    body = context.mechanism.body_index[part.link]
    name = context.names.claim("geom", name)
    is_cylinder = part.type is TendonPartType.CYLINDER
    geom = Element("geom", name=name, type=_WRAPPING[part.type], **placement(part.X_LP))
    geom.set(size=(part.value, 2.0 * part.value) if is_cylinder else (part.value,))
    geom.set(contype=0, conaffinity=0, mass=0, group=4)
    context.document.body(body).children.append(geom)
    wrap = element.add("geom", geom=name)
    if part.p_LS is not None:
        side = context.mechanism.body_index[part.link_S]
        wrap.set(sidesite=site_at(f"{name}_side", side, Pose.of(p=part.p_LS), context, is_point=True))
