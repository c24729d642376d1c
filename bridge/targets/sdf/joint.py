"""joint, and Drake's constraints and forces."""

from __future__ import annotations

import math
from collections.abc import Mapping

from bridge.targets.elements import add_if, add_pose, add_sensor
from bridge.targets.numbers import direction_text, round_to_short
from bridge.targets.xml import Element, add
from loaders.model import Actuator, Arc, Coupling, Joint, JointAxis, JointType
from loaders.scoped_names import local_name

from .link import References

_TAGS = ("axis", "axis2")
_LIMITS = ("lower", "upper", "effort", "velocity")
_STOPS = {"stiffness": "limit_stiffness", "dissipation": "limit_dissipation"}
_DYNAMICS = ("damping", "friction", "spring_stiffness", "spring_reference")


def add_joint(
    parent: Element,
    joint: Joint,
    references: References,
    couplings: Mapping[tuple[str, int], Coupling],
    actuator: Actuator | None,
) -> None:
    """Add a joint.

    Args:
        parent: The ``<model>`` or ``<world>``.
        joint: The joint.
        references: The names of other items within this scope.
        couplings: The couplings by follower and its axis.
        actuator: The actuator of the joint.

    Raises:
        ValueError: if SDFormat has no joint of this type.
    """
    tag = joint.type.traits.sdf_tag
    if tag is None:
        raise ValueError(f"SDFormat has no {joint.type} joint")
    element = add(parent, tag, name=local_name(joint.name), type=joint.type.value)
    if tag == "drake:joint":
        _complete_drake_joint(element, joint, references)
        return
    add_pose(element, joint.X_CJ, references.scale(joint.child))
    add(element, "parent", references.link(joint.parent))
    add(element, "child", references.link(joint.child))
    for i, axis in enumerate(joint.axes):
        _add_axis(element, _TAGS[i], axis, couplings.get((joint.name, i)), references)
    if joint.type is JointType.SCREW:
        add(element, "screw_thread_pitch", joint.pitch)
    if joint.type is JointType.GEARBOX:
        add(element, "gearbox_ratio", joint.gear_ratio)
        if joint.gear_reference is not None:
            add(element, "gearbox_reference_body", references.link(joint.gear_reference))
    if joint.provide_feedback:
        add(add(element, "physics"), "provide_feedback", True)
    for sensor in joint.sensors:
        add_sensor(element, sensor, joint.X_CJ.inverse() @ sensor.X_LS)
    if actuator is not None:
        _add_drive(element, actuator)


def _add_axis(
    joint: Element, tag: str, axis: JointAxis, coupling: Coupling | None, references: References
) -> None:
    element = add(joint, tag)
    add(element, "xyz", direction_text(axis.xyz))
    limits = {key: getattr(axis, key) for key in _LIMITS if math.isfinite(getattr(axis, key))}
    stops = {tag: value for tag, key in _STOPS.items() if (value := getattr(axis, key)) is not None}
    if limits or stops or math.isfinite(axis.acceleration):
        limit = add(element, "limit")
        for key, value in {**limits, **stops}.items():
            add(limit, key, value)
        if math.isfinite(axis.acceleration):
            add(limit, "drake:acceleration", axis.acceleration)
    if any(getattr(axis, key) for key in _DYNAMICS):
        dynamics = add(element, "dynamics")
        for key in _DYNAMICS:
            add_if(dynamics, key, getattr(axis, key), 0.0)
    if coupling is not None:
        mimic = add(
            element,
            "mimic",
            joint=references.name(coupling.leader),
            axis=_TAGS[coupling.leader_axis],
        )
        for key, value in (
            ("multiplier", coupling.multiplier),
            ("offset", coupling.offset),
            ("reference", 0.0),
        ):
            add(mimic, key, value)


def _add_drive(joint: Element, actuator: Actuator) -> None:
    add_if(joint, "drake:rotor_inertia", actuator.rotor_inertia, 0.0)
    add_if(joint, "drake:gear_ratio", actuator.gear_ratio, 1.0)
    if actuator.p_gain is not None and actuator.d_gain is not None:
        add(joint, "drake:controller_gains", p=actuator.p_gain, d=actuator.d_gain)


# --- joints of Drake ------------------------------------------------------------------------------


def _complete_drake_joint(element: Element, joint: Joint, references: References) -> None:
    child, X_child = references.child_frame(joint)
    add(element, "drake:parent", references.frame(joint.parent, joint.X_PJ))
    add(element, "drake:child", references.frame(child, X_child))
    damping = [axis.damping for axis in joint.axes]
    if joint.curve is None:
        add(element, "drake:damping", damping)
        return
    add_if(element, "drake:damping", damping[0], 0.0)
    curve = joint.curve
    add_if(element, "drake:is_periodic", curve.periodic, False)
    add(add(element, "drake:initial_tangent"), "xyz", direction_text(curve.initial_tangent))
    add(add(element, "drake:plane_normal"), "xyz", direction_text(curve.plane_normal))
    curves = add(element, "drake:curves")
    for arc in curve.arcs:
        _add_arc(curves, arc)


def _add_arc(curves: Element, arc: Arc) -> None:
    if arc.curvature == 0.0:
        add(add(curves, "drake:line_segment"), "drake:length", arc.length)
        return
    element = add(curves, "drake:circular_arc")
    add(element, "drake:radius", round_to_short(1.0 / abs(arc.curvature)))
    add(element, "drake:angle", round_to_short(arc.length * arc.curvature))
