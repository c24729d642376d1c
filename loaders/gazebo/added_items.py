"""The items that plugins of Gazebo add to a scene, beside those that it states."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field, replace

from loaders.model import Actuator, Coupling, FluidForce, Sensor
from loaders.scene import Scene


@dataclass(slots=True)
class AddedItems:
    """The items that plugins add to a scene."""

    scene: Scene
    """The scene without them."""
    actuators: list[Actuator] = field(default_factory=list)
    couplings: list[Coupling] = field(default_factory=list)
    fluid_forces: list[FluidForce] = field(default_factory=list)
    link_sensors: defaultdict[str, list[Sensor]] = field(default_factory=lambda: defaultdict(list))
    """Sensors by name of their link."""
    joint_sensors: defaultdict[str, list[Sensor]] = field(default_factory=lambda: defaultdict(list))
    """Sensors by name of their joint."""


def merged(stated: tuple[Actuator, ...], extras: AddedItems) -> tuple[Actuator, ...]:
    """Return the actuators of a source with those of its plugins; a controller adds its gains to a stated actuator.

    Args:
        stated: The actuators that the source states.
        extras: What the plugins add.
    """
    controlled = {actuator.joint: actuator for actuator in extras.actuators}
    taken = {actuator.joint for actuator in stated}
    return (
        *(_with_controller(actuator, controlled.get(actuator.joint)) for actuator in stated),
        *(actuator for joint, actuator in controlled.items() if joint not in taken),
    )


def _with_controller(actuator: Actuator, controller: Actuator | None) -> Actuator:
    if controller is None:
        return actuator
    return replace(
        actuator,
        effort=min(actuator.effort, controller.effort),
        p_gain=controller.p_gain if actuator.p_gain is None else actuator.p_gain,
        d_gain=controller.d_gain if actuator.d_gain is None else actuator.d_gain,
        interfaces=tuple(dict.fromkeys((*actuator.interfaces, *controller.interfaces))),
    )


def with_followers(stated: tuple[Coupling, ...], extras: AddedItems) -> tuple[Coupling, ...]:
    """Return the couplings of a source with those of its plugins, without second ones of a joint.

    Args:
        stated: The couplings that the source states.
        extras: What the plugins add.
    """
    couplings = {coupling.follower: coupling for coupling in (*reversed(extras.couplings), *reversed(stated))}
    return tuple(reversed(couplings.values())) if extras.couplings else stated


def with_forces_and_sensors(scene: Scene, extras: AddedItems) -> Scene:
    """Return the scene with the forces of fluids and the sensors of its plugins.

    Args:
        scene: The scene.
        extras: What the plugins add.
    """
    links, joints = extras.link_sensors, extras.joint_sensors
    if links:
        with_sensors = (replace(k, sensors=(*k.sensors, *links.get(k.name, ()))) for k in scene.links)
        scene = replace(scene, links=tuple(with_sensors))
    if joints:
        measured = (replace(j, sensors=(*j.sensors, *joints.get(j.name, ()))) for j in scene.joints)
        scene = replace(scene, joints=tuple(measured))
    forces = (*scene.fluid_forces, *extras.fluid_forces)
    return replace(scene, fluid_forces=forces) if extras.fluid_forces else scene
