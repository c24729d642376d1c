"""Items that plugins add, the words that tell a plugin's effect, and its values.

Sources: the systems of gz-sim (https://gazebosim.org/api/sim), the plugins of Gazebo classic and of
gazebo_plugins, and those of PX4, UUV Simulator, VRX and Open-RMF, whose names many public files
contain.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Collection, Iterable
from dataclasses import dataclass, field, replace

from loaders.diagnostics import Code
from loaders.model import Actuator, Coupling, FluidForce, Sensor
from loaders.node import Node
from loaders.numbers import plain_number
from loaders.pose import Array, frozen
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
    """Return the actuators of a source with those of its plugins; a controller adds its gains to a
    stated actuator.

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
        min_effort=controller.min_effort,
        control=controller.control,
        target=controller.target,
        feedforward=controller.feedforward,
        imposes_velocity=controller.imposes_velocity,
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
    couplings = {
        coupling.follower: coupling for coupling in (*reversed(extras.couplings), *reversed(stated))
    }
    return tuple(reversed(couplings.values())) if extras.couplings else stated


def with_forces_and_sensors(scene: Scene, extras: AddedItems) -> Scene:
    """Return the scene with the forces of fluids and the sensors of its plugins.

    Args:
        scene: The scene.
        extras: What the plugins add.
    """
    links, joints = extras.link_sensors, extras.joint_sensors
    if links:
        with_sensors = (
            replace(k, sensors=(*k.sensors, *links.get(k.name, ()))) for k in scene.links
        )
        scene = replace(scene, links=tuple(with_sensors))
    if joints:
        measured = (replace(j, sensors=(*j.sensors, *joints.get(j.name, ()))) for j in scene.joints)
        scene = replace(scene, joints=tuple(measured))
    forces = (*scene.fluid_forces, *extras.fluid_forces)
    return replace(scene, fluid_forces=forces) if extras.fluid_forces else scene


_WORD = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|[0-9]+")


@dataclass(frozen=True, slots=True)
class PluginEffect:
    """The effect of a kind of plugin."""

    pattern: re.Pattern[str]
    """Matches the words of the plugin."""
    would: str
    """Its verb and object: "push links with wind"."""


def _effect(pattern: str, would: str) -> PluginEffect:
    return PluginEffect(re.compile(rf"\b(?:{pattern})\b"), would)


EFFECTS = (
    _effect("buoyancy( engine)?|underwater object|buoy",
        "push links up by the weight of the fluid that they displace"),
    _effect("hydrodynamics?|usv( gazebo)? dynamics",
        "act on links with the drag and the added mass of the water"),
    _effect("lift drag|uuv fin|aero(dynamics)?|parachute|rudder|sail|fin",
        "act on a link with the lift and drag of the fluid"),
    _effect("wind", "push links with wind"),
    _effect("wave|wavefield|surface", "move floating links with waves"),
    _effect("thrusters?|propeller|motor model|multirotor base|multicopter( velocity| motor)? "
        "(control|model)|quadrotor (simple controller|propulsion|aerodynamics)",
        "push a link with a propeller"),
    _effect("track(ed)?( vehicle| controller)?|conveyor( belt)?",
        "move the surface of a track or belt"),
    _effect("breakable joint", "remove a joint when its load is too high"),
    _effect("mimic joint", "let one joint follow another"),
    _effect("detachable joint|vacuum|grasp fix|gripper|link attacher|suction",
        "attach links to each other, and detach them"),
    _effect("ackermann|mecanum|omni|tricycle|planar move|velocity "
        "control|slotcar|vehicle|hybrid|prius|cart demo|trajectory follower|model move|bicycle",
        "drive the model"),
    _effect("skid steer|diff(erential)? drive",
        "turn the wheels for a commanded speed of the model"),
    _effect("joint (position |velocity |effort )?(controller|control|plugin)|joint (pose "
        ")?trajectory|servo|flipper control|actuator",
        "drive joints to commanded positions or speeds"),
    _effect("apply (joint force|link wrench)|ros force|force plugin|hand of god",
        "apply commanded forces"),
    _effect("underactuated finger|cable|rope|spring|tendon|cassie", "exert forces between links"),
    _effect("elevator|door|lift", "move an elevator or a door"),
    _effect("wheel slip", "let wheels slip in contact"),
    _effect("(random|initial) velocity|follow actor|rotate|spinning|blast|kinematic",
        "move models or links"),
    _effect("gimbal", "turn the joints of a gimbal"),
)  # fmt: skip
"""Effects on the motion; the first that matches counts."""

_MOTIONLESS = re.compile(
    r"\b(sensors?|camera|imu|lidar|laser(?! rotate)|ray|sonar|gps|magnetometer|barometer|"
    r"altimeter|publisher|p 3 d|broadcaster|monitor|visual|display|gui|audio|label|breadcrumbs|"
    r"performer|light|battery|contact|bumper|logger|draw force|force (visual|torque)|ft sensor|"
    r"game logic|recorder|odometry|ros control|ros2 control|ros init|ros factory|current|range|"
    r"marker|thermal|particle|power|sc ros interface)\b"
)
"""Words of plugins that measure, show or log: they move nothing, whatever other words they have."""


def words(plugin: Node) -> str:
    """Return the words in the file and in the class of a plugin: ``libLiftDrag.so`` has "lift drag
    so".
    """
    texts = (
        plugin.attributes.get("filename", "").strip().removeprefix("lib"),
        plugin.attributes.get("name", ""),
    )
    words = [" ".join(_WORD.findall(text[:200])) for text in texts]
    return " | ".join(words).lower()


def effect_of(plugin: Node) -> str:
    """Return what a plugin would do to the motion; empty if it does nothing, or is unknown."""
    text = words(plugin).partition(" | ")[0] if _has_library(plugin) else words(plugin)
    if _MOTIONLESS.search(text):
        return ""
    return next((effect.would for effect in EFFECTS if effect.pattern.search(text)), "")


def _has_library(plugin: Node) -> bool:
    """Return whether the file of a plugin identifies it; its name is free text then."""
    return bool(plugin.attributes.get("filename", "").strip())


def text_of(plugin: Node, tag: str) -> str:
    """Return the text of a child; empty if there is none."""
    child = plugin.peek(tag)
    return "" if child is None else child.text.strip()


def number_of(plugin: Node, tag: str) -> float | None:
    """Return the number in a child; None if there is none."""
    return plain_number(text_of(plugin, tag))


def first_number(plugin: Node, tags: Iterable[str]) -> float:
    """Return the first number but zero in the children with some tags; 0 if there is none."""
    return next(filter(None, (number_of(plugin, tag) for tag in tags)), 0.0)


def flag_of(plugin: Node, tag: str) -> bool:
    """Return whether a child says true."""
    return text_of(plugin, tag).lower() in {"true", "1"}


def vector_of(plugin: Node, tag: str) -> Array | None:
    """Return the three numbers in a child; None if it has not three."""
    numbers = [plain_number(word) for word in text_of(plugin, tag).split()]
    stated = [number for number in numbers if number is not None]
    return frozen(stated) if len(numbers) == len(stated) == 3 else None


def label_of(plugin: Node) -> str:
    """Return the file of a plugin, or its name, for messages."""
    return (
        plugin.attributes.get("filename", "").strip()
        or plugin.attributes.get("name", "").strip()
        or "?"
    )


def report_unread(plugin: Node, read: Collection[str], code: Code) -> None:
    """Report the settings of a plugin without those that are read.

    Args:
        plugin: The plugin.
        read: Tags of the settings that are read.
        code: The finding, with the arguments ``plugin`` and ``settings``.
    """
    rest = [node for node in plugin.walk() if not node.children and node is not plugin]
    settings = [f"{node.tag}={node.text.strip()}" for node in rest if node.tag not in read]
    if settings:
        plugin.report(code, plugin=label_of(plugin), settings=tuple(settings))
