"""The model that is moved as it is exported."""

from __future__ import annotations

import dataclasses

from bridge.lowering.base import relowered
from bridge.mechanism import Mechanism


def exported(mechanism: Mechanism, step: float) -> Mechanism:
    """Return the mechanism as it is exported, without shapes, sensors and lights, and with a time step [s].

    Args:
        mechanism: The complete mechanism.
        step: Time step [s].
    """
    scene = mechanism.scene
    links = tuple(dataclasses.replace(link, collisions=(), visuals=(), sensors=()) for link in scene.links)
    joints = tuple(dataclasses.replace(joint, sensors=()) for joint in scene.joints)
    physics = dataclasses.replace(scene.physics, time_step=step)
    bare = dataclasses.replace(scene, links=links, joints=joints, lights=(), physics=physics, diagnostics=())
    return relowered(mechanism, bare)
