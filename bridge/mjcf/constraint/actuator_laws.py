"""``<general>``: the actuators whose law the source states as in MuJoCo."""

from __future__ import annotations

import math
from collections.abc import Mapping

from bridge.mechanism.coordinates import floating_joint_names
from bridge.mjcf.body.joints import ScalarJoint
from bridge.mjcf.xml.context import Context
from bridge.mjcf.xml.solver_constants import UNLIMITED
from loaders.diagnostics import Fate
from loaders.model import Actuator


def write_actuator_laws(scalar_joints: dict[int, ScalarJoint], tendons: Mapping[str, str], context: Context) -> None:
    """Write each actuator that has a law.

    Args:
        scalar_joints: The MJCF joint of each velocity component.
        tendons: The name of each written tendon, by its name in the scene.
        context: The export.
    """
    for driven in context.mechanism.actuators:
        if driven.actuator.mujoco:
            _write(driven.actuator, scalar_joints, tendons, context)


def _write(
    actuator: Actuator, scalar_joints: dict[int, ScalarJoint], tendons: Mapping[str, str], context: Context
) -> None:
    target = _target(actuator, scalar_joints, tendons, context)
    if target is None:
        context.report(
            Fate.DROPPED,
            "actuator",
            "actuator {actuator} drives joint {joint}, which is not a hinge or slide of the tree of bodies",
            actuator.where,
            subjects=(actuator.name, actuator.joint or actuator.tendon),
            actuator=actuator.name,
            joint=actuator.joint or actuator.tendon,
        )
        return
    name = context.names.claim("actuator", actuator.name)
    if name != actuator.name:
        context.names.changed.setdefault(actuator.name, name)
    element = context.document["actuator"].add("general", name=name)
    element.set(**target)
    lower, upper = actuator.control
    if math.isfinite(lower) or math.isfinite(upper):
        element.set(ctrllimited=True, ctrlrange=(max(lower, -UNLIMITED), min(upper, UNLIMITED)))
    element.set(**(dict(actuator.mujoco) | target))


def _target(
    actuator: Actuator, scalar_joints: dict[int, ScalarJoint], tendons: Mapping[str, str], context: Context
) -> dict[str, str] | None:
    """Return the attribute that names what an actuator drives; None if it is not written."""
    if actuator.tendon:
        return {"tendon": tendons[actuator.tendon]} if actuator.tendon in tendons else None
    if not actuator.joint:
        return {}
    key = "jointinparent" if "jointinparent" in dict(actuator.mujoco) else "joint"
    mechanism = context.mechanism
    joint = scalar_joints.get(mechanism.dof_index.get((actuator.joint, 0), -1))
    if joint is not None:
        return {key: joint.joint}
    name = floating_joint_names(mechanism.scene, mechanism.bodies).get(actuator.joint, actuator.joint)
    return {key: name} if (name, 0) in mechanism.dof_index else None
