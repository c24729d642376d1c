"""The reflected inertia of a joint axis as the rotor inertia of an actuator, which Drake's elements state."""

from __future__ import annotations

import dataclasses

from loaders.diagnostics import Fate
from loaders.model import Actuator, Joint, JointType
from loaders.scene import Scene

from .report import Report

_TYPES = frozenset({JointType.REVOLUTE, JointType.CONTINUOUS, JointType.PRISMATIC})


def with_rotor_inertia(scene: Scene, report: Report, code: str) -> Scene:
    """Return the scene with actuators whose rotors have the reflected inertia of the axes of their joints.

    Args:
        scene: The scene.
        report: Receives the finding.
        code: Code of the finding.
    """
    driven = {actuator.joint: i for i, actuator in enumerate(scene.actuators)}  # of several, the last one counts
    actuators = list(scene.actuators)
    moved: list[str] = []
    joints: list[Joint] = []
    for joint in scene.joints:
        if joint.type not in _TYPES or joint.axes[0].inertia <= 0.0 or joint.axes[0].effort == 0.0:
            joints.append(joint)
            continue
        (axis,) = joint.axes
        if joint.name in driven:
            actuator = actuators[driven[joint.name]]
            inertia = actuator.rotor_inertia + axis.inertia / actuator.gear_ratio**2
            actuators[driven[joint.name]] = dataclasses.replace(actuator, rotor_inertia=inertia)
        else:
            actuators.append(
                Actuator(name=joint.name, joint=joint.name, effort=axis.effort, rotor_inertia=axis.inertia)
            )
        joints.append(dataclasses.replace(joint, axes=(dataclasses.replace(axis, inertia=0.0),)))
        moved.append(joint.name)
    if not moved:
        return scene
    report.add(
        Fate.NOTED,
        code,
        "the reflected inertia of the joints {joints} is written as the rotor inertia of actuators, which Drake reads",
        subjects=tuple(moved),
        joints=tuple(moved),
    )
    return dataclasses.replace(scene, joints=tuple(joints), actuators=tuple(actuators))
