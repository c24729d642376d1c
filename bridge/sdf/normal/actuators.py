"""Actuators as SDFormat can represent them: one for each driven joint, named after it."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Mapping

from bridge.export.report import Report
from loaders.diagnostics import Fate
from loaders.drake.joints import ACTUATED
from loaders.model import Actuator, Joint, by_name
from loaders.scene import Scene

from .scopes import Scope, by_prefix, innermost


def with_representable_actuators(scene: Scene, root: Scope, report: Report) -> Scene:
    """Return the scene with the actuators that a reader of SDFormat gives its joints.

    Args:
        scene: The scene, with its names in the document.
        root: The outermost scope of the document.
        report: Receives the findings.
    """
    scopes = by_prefix(root)
    driven = {joint.name for joint in scene.joints if _is_driven(joint, scopes)}
    joints = by_name(scene.joints)
    drives: dict[str, Actuator] = {}
    for actuator in scene.actuators:
        joint = joints.get(actuator.joint)
        if joint is None or joint.name not in driven:
            _report_dropped(actuator, report)
        else:
            if joint.name in drives:
                _report_dropped(drives[joint.name], report)
            drives[joint.name] = actuator  # as in Drake, the inertia of the last rotor counts
    added = tuple(joint.name for joint in scene.joints if joint.name in driven - drives.keys())
    if added:
        report.add(
            Fate.NOTED,
            "sdfout.added-actuator",
            "Drake gives each joint of an SDFormat model an actuator; these have none in the source: {joints}",
            subjects=added,
            joints=added,
        )
    limited = tuple(_limited(joint, drives.get(joint.name)) for joint in scene.joints)
    actuators = tuple(_actuator(joint, drives.get(joint.name), report) for joint in limited if joint.name in driven)
    return dataclasses.replace(scene, joints=limited, actuators=actuators)


def _is_driven(joint: Joint, scopes: Mapping[str, Scope]) -> bool:
    """Return whether a reader gives a joint an actuator: joints of static models have none."""
    if joint.type not in ACTUATED or not joint.axes or joint.axes[0].effort == 0.0:
        return False
    scope = innermost(scopes, joint.name)
    return scope.model is None or not scope.model.static


def _limited(joint: Joint, actuator: Actuator | None) -> Joint:
    """Return a joint with the effort limit of its actuator, if it states none itself."""
    if actuator is None or joint.axes[0].effort < math.inf:
        return joint
    axis = dataclasses.replace(joint.axes[0], effort=actuator.effort)
    return dataclasses.replace(joint, axes=(axis, *joint.axes[1:]))


def _actuator(joint: Joint, actuator: Actuator | None, report: Report) -> Actuator:
    effort = joint.axes[0].effort
    if actuator is None:
        return Actuator(name=joint.name, joint=joint.name, effort=effort)
    said = dataclasses.replace(actuator, name=joint.name, effort=effort, interfaces=())
    if actuator.p_gain is None or actuator.d_gain is None:
        said = dataclasses.replace(said, p_gain=None, d_gain=None)
    keys = ("name", "effort", "interfaces", "p_gain", "d_gain")
    lost = [key for key in keys if getattr(said, key) != getattr(actuator, key)]
    if lost:
        fate = Fate.NOTED if set(lost) <= {"name", "interfaces"} else Fate.DROPPED
        report.add(
            fate,
            "sdfout.actuator-property",
            "SDFormat cannot state {properties} of actuator {actuator} of joint {joint}",
            actuator.where,
            subjects=(actuator.name, joint.name),
            properties=tuple(name.replace("_", " ") for name in lost),
            actuator=actuator.name,
            joint=joint.name,
        )
    return said


def _report_dropped(actuator: Actuator, report: Report) -> None:
    report.add(
        Fate.DROPPED,
        "sdfout.actuator",
        "SDFormat cannot state actuator {actuator}, because joint {joint} has another one or cannot have one",
        actuator.where,
        subjects=(actuator.name, actuator.joint),
        actuator=actuator.name,
        joint=actuator.joint,
    )
