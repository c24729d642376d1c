"""The effects of Gazebo's plugins on the motion, by the words of their file and class.

Sources: the systems of gz-sim (https://gazebosim.org/api/sim), the plugins of Gazebo classic and of gazebo_plugins,
and those of PX4, UUV Simulator, VRX and Open-RMF, whose names many public files contain.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from loaders.node import Node

_WORD = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|[0-9]+")


@dataclass(frozen=True, slots=True)
class Effect:
    """The effect of a kind of plugin."""

    pattern: re.Pattern[str]
    """Matches the words of the plugin."""
    would: str
    """Its verb and object: "push links with wind"."""


def _effect(pattern: str, would: str) -> Effect:
    return Effect(re.compile(rf"\b(?:{pattern})\b"), would)


EFFECTS = (
    _effect("buoyancy( engine)?|underwater object|buoy", "push links up by the weight of the fluid that they displace"),
    _effect("hydrodynamics?|usv( gazebo)? dynamics", "act on links with the drag and the added mass of the water"),
    _effect("lift drag|uuv fin|aero(dynamics)?|parachute|rudder|sail|fin",
            "act on a link with the lift and drag of the fluid"),
    _effect("wind", "push links with wind"),
    _effect("wave|wavefield|surface", "move floating links with waves"),
    _effect("thrusters?|propeller|motor model|multirotor base|multicopter( velocity| motor)? (control|model)|quadrotor "
            "(simple controller|propulsion|aerodynamics)", "push a link with a propeller"),
    _effect("track(ed)?( vehicle| controller)?|conveyor( belt)?", "move the surface of a track or belt"),
    _effect("breakable joint", "remove a joint when its load is too high"),
    _effect("mimic joint", "let one joint follow another"),
    _effect("detachable joint|vacuum|grasp fix|gripper|link attacher|suction",
            "attach links to each other, and detach them"),
    _effect("ackermann|mecanum|omni|tricycle|planar move|velocity control|slotcar|vehicle|hybrid|prius|cart demo|"
            "trajectory follower|model move|bicycle", "drive the model"),
    _effect("skid steer|diff(erential)? drive", "turn the wheels for a commanded speed of the model"),
    _effect("joint (position |velocity |effort )?(controller|control|plugin)|joint (pose )?trajectory|servo|"
            "flipper control|actuator", "drive joints to commanded positions or speeds"),
    _effect("apply (joint force|link wrench)|ros force|force plugin|hand of god", "apply commanded forces"),
    _effect("underactuated finger|cable|rope|spring|tendon|cassie", "exert forces between links"),
    _effect("elevator|door|lift", "move an elevator or a door"),
    _effect("wheel slip", "let wheels slip in contact"),
    _effect("(random|initial) velocity|follow actor|rotate|spinning|blast|kinematic", "move models or links"),
    _effect("gimbal", "turn the joints of a gimbal"),
)  # fmt: skip
"""Effects on the motion; the first that matches counts."""

_MOTIONLESS = re.compile(
    r"\b(sensors?|camera|imu|lidar|laser(?! rotate)|ray|sonar|gps|magnetometer|barometer|altimeter|publisher|p 3 d|"
    r"broadcaster|monitor|visual|display|gui|audio|label|breadcrumbs|performer|light|battery|contact|bumper|logger|"
    r"draw force|force (visual|torque)|ft sensor|game logic|recorder|odometry|ros control|ros2 control|ros init|"
    r"ros factory|current|range|marker|thermal|particle|power|sc ros interface)\b"
)
"""Words of plugins that measure, show or log: they move nothing, whatever other words they have."""


def words(plugin: Node) -> str:
    """Return the words in the file and in the class of a plugin: ``libLiftDrag.so`` has "lift drag so"."""
    texts = (plugin.attributes.get("filename", "").strip().removeprefix("lib"), plugin.attributes.get("name", ""))
    return " | ".join(" ".join(word.lower() for word in _WORD.findall(text[:200])) for text in texts)


def effect_of(plugin: Node) -> str:
    """Return what a plugin would do to the motion; empty if it does nothing, or is unknown."""
    text = words(plugin).partition(" | ")[0] if _has_library(plugin) else words(plugin)
    if _MOTIONLESS.search(text):
        return ""
    return next((effect.would for effect in EFFECTS if effect.pattern.search(text)), "")


def _has_library(plugin: Node) -> bool:
    """Return whether the file of a plugin identifies it; its name is free text then."""
    return bool(plugin.attributes.get("filename", "").strip())
