"""Plugins that become actuators, couplings and sensors.

The rest is reported.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from loaders import codes as loaders_codes
from loaders.diagnostics import Code
from loaders.drake.dialect import NameResolver
from loaders.model import Coupling, Joint, JointType, Sensor, Settings
from loaders.node import Node, mark_read
from loaders.pose import IDENTITY, Pose
from loaders.scoped_names import SEPARATOR

from .controllers import read_controller
from .fluids import read_fluid
from .items import AddedItems, effect_of, label_of, number_of, report_unread, text_of, words

JOINT_STATE, ODOMETRY = "joint_state", "odometry"
_JOINT_STATES = re.compile(r"\bjoint state (publisher|pub)\b")
_ODOMETRY = re.compile(r"\b(odometry publisher|p 3 d)\b")
_UNMEASURED = frozenset({JointType.FIXED, JointType.FLOATING})
_JOINT_TAGS = frozenset({"joint_name", "jointName"})
_BODY_TAGS = ("body_name", "bodyName")


def read_publisher(plugin: Node, names: NameResolver, extras: AddedItems) -> bool:
    """Read a plugin that publishes joint states or odometry; return whether it is one.

    Args:
        plugin: The plugin.
        names: The names in the model.
        extras: Receives the sensors.
    """
    text = words(plugin)
    if _JOINT_STATES.search(text):
        _read_joint_states(plugin, names, extras)
        return True
    return bool(_ODOMETRY.search(text)) and _read_odometry(plugin, names, extras)


def _read_joint_states(plugin: Node, names: NameResolver, extras: AddedItems) -> None:
    joints = list(_published_joints(plugin, names, extras))
    for joint in joints:
        sensor = Sensor(
            name=f"{joint.name.rpartition(SEPARATOR)[2]}_state",
            type=JOINT_STATE,
            X_LS=IDENTITY,
            joint=joint.name,
            update_rate=rate_of(plugin),
            where=plugin.where,
        )
        extras.joint_sensors[joint.name].append(sensor)
    _report(plugin, "position and velocity", tuple(joint.name for joint in joints))
    report_unread(plugin, (*_JOINT_TAGS, *RATES), loaders_codes.GAZEBO_PUBLISHER_SETTING)


def _published_joints(plugin: Node, names: NameResolver, extras: AddedItems) -> list[Joint]:
    """Return the joints that a plugin names, or all moving joints of its model."""
    stated = [
        word for child in plugin.children if child.tag in _JOINT_TAGS for word in child.text.split()
    ]
    if stated:
        found = [names.joint(name) for name in stated]
    else:
        found = [joint for joint in extras.scene.joints if joint.name.startswith(names.prefix)]
    return [joint for joint in found if joint is not None and joint.type not in _UNMEASURED]


def _read_odometry(plugin: Node, names: NameResolver, extras: AddedItems) -> bool:
    """Read an odometry publisher: the pose and the velocity of a link, or of the frame of the
    model.
    """
    body = next((name for tag in _BODY_TAGS if (name := text_of(plugin, tag))), "")
    if body:
        link, X_LS = names.link(body), IDENTITY
    else:
        link, X_LS = _model_frame(names, extras)
    if link is None:
        return False
    name = f"{body or names.model.rpartition(SEPARATOR)[2]}_odometry"
    extras.link_sensors[link].append(
        Sensor(name=name, type=ODOMETRY, X_LS=X_LS, update_rate=rate_of(plugin), where=plugin.where)
    )
    _report(plugin, "pose and velocity", (link,))
    report_unread(plugin, (*_BODY_TAGS, *RATES), loaders_codes.GAZEBO_PUBLISHER_SETTING)
    return True


def _model_frame(names: NameResolver, extras: AddedItems) -> tuple[str | None, Pose]:
    """Return the canonical link of a model, and the frame of the model in it."""
    prefix = names.prefix.removesuffix(SEPARATOR)
    links = {link.name: link for link in extras.scene.links}
    for model in extras.scene.models:
        link = links.get(model.canonical_link or "")
        if link is not None and model.name in {prefix, names.model}:
            return link.name, link.X_WL.inverse() @ model.X_WM
    return None, IDENTITY


def _report(plugin: Node, quantities: str, subjects: tuple[str, ...]) -> None:
    plugin.report(
        loaders_codes.GAZEBO_PUBLISHER,
        subjects=subjects,
        plugin=label_of(plugin),
        quantities=quantities,
        items=subjects,
    )


# --- sensors of ROS 1, which measure a link or a joint without a ``<sensor>`` ---------------------

RATES = ("update_rate", "updateRate", "odom_publish_frequency")
"""Tags of the rate at which a plugin publishes."""
_LINKS = ("bodyName", "body_name", "linkName", "link_name")
_JOINTS = ("jointName", "joint_name")
_IN_WORLD = "imu/orientation_reference_frame"


@dataclass(frozen=True, slots=True)
class _SensorPlugin:
    """A kind of plugin that is a sensor.

    Attributes:
        pattern: Matches the words of the plugin.
        type: The type of the sensor.
        parameters: What the plugin always does, as parameters of the sensor.
    """

    pattern: re.Pattern[str]
    type: str
    parameters: Settings = ()


_IMU: Settings = (
    (f"{_IN_WORLD}/localization", "CUSTOM"),
    (f"{_IN_WORLD}/custom_rpy", "0 0 0"),
    (f"{_IN_WORLD}/custom_rpy@parent_frame", "world"),
)
_PLUGINS = (
    _SensorPlugin(re.compile(r"\bgazebo ros imu\b"), "imu", _IMU),
    _SensorPlugin(
        re.compile(r"\bgazebo ros ft sensor\b"),
        "force_torque",
        (("force_torque/frame", "child"), ("force_torque/measure_direction", "child_to_parent")),
    ),
    _SensorPlugin(re.compile(r"\bhector gazebo ros gps\b"), "navsat"),
    _SensorPlugin(re.compile(r"\bhector gazebo ros magnetic\b"), "magnetometer"),
)
_MEASURES = re.compile(
    r"\b(imu|lidar|laser|ray|sonar|gps|magnetic|magnetometer|baro(meter)?|altimeter|force|ft|f 3 d|"
    r"contact|bumper|range|camera)\b"
)


def read_sensor_plugin(plugin: Node, names: NameResolver, extras: AddedItems) -> bool:
    """Read a plugin that measures a link or a joint which it names; return whether it is one.

    A kind that has no counterpart is reported as lost.

    Args:
        plugin: The plugin.
        names: The names in the model.
        extras: Receives the sensor.
    """
    link, joint = (_first_text(plugin, tags) for tags in (_LINKS, _JOINTS))
    text = words(plugin).partition(" | ")[0]
    if not (link or joint) or not _MEASURES.search(text):
        return False
    kind = next((kind for kind in _PLUGINS if kind.pattern.search(text)), None)
    if kind is None or not _add_sensor(kind, plugin, names, extras):
        plugin.report(
            loaders_codes.GAZEBO_PUBLISHER_LOST, plugin=label_of(plugin), items=link or joint
        )
    return True


def _first_text(plugin: Node, tags: tuple[str, ...]) -> str:
    return next((text for tag in tags if (text := text_of(plugin, tag))), "")


def _add_sensor(kind: _SensorPlugin, plugin: Node, names: NameResolver, extras: AddedItems) -> bool:
    """Add the sensor of a plugin; return whether its link or joint exists."""
    is_on_joint = kind.type == "force_torque"
    item = _first_text(plugin, _JOINTS if is_on_joint else _LINKS)
    joint = names.joint(item) if is_on_joint else None
    owner = None
    if joint is not None:
        owner = joint.name
    elif not is_on_joint:
        owner = names.link(item)
    if owner is None:
        return False
    sensor = Sensor(
        name=f"{owner.rpartition(SEPARATOR)[2]}_{kind.type}",
        type=kind.type,
        X_LS=IDENTITY if joint is None else joint.X_CJ,
        joint=None if joint is None else joint.name,
        update_rate=rate_of(plugin),
        parameters=kind.parameters,
        where=plugin.where,
    )
    (extras.link_sensors if joint is None else extras.joint_sensors)[owner].append(sensor)
    plugin.report(
        loaders_codes.GAZEBO_PUBLISHER,
        subjects=(owner,),
        plugin=label_of(plugin),
        quantities=f"what a sensor of type {kind.type} measures",
        items=(owner,),
    )
    read = (*_LINKS, *_JOINTS, *RATES)
    report_unread(plugin, read, loaders_codes.GAZEBO_PUBLISHER_SETTING)
    return True


def rate_of(plugin: Node) -> float:
    """Return the rate at which a plugin publishes [Hz]; 0 if it states none."""
    return next((rate for tag in RATES if (rate := number_of(plugin, tag))), 0.0)


# --- all ------------------------------------------------------------------------------------------

_MIMIC = re.compile(r"\bmimic joint\b")
_READERS = (read_fluid, read_publisher, read_controller, read_sensor_plugin)
"""Functions that read a plugin if they know it, and return whether they do."""


def read_plugins(owner: Node, names: NameResolver, extras: AddedItems, code: Code) -> None:
    """Read the plugins of a model, a world, or of ``<gazebo>`` in a URDF.

    Args:
        owner: The element that has the plugins.
        names: The names in the model.
        extras: Receives what has a counterpart in every simulator.
        code: The note about a plugin that moves nothing, with the argument ``plugin``.
    """
    for plugin in owner.all("plugin"):
        mark_read(plugin)
        if any(read(plugin, names, extras) for read in _READERS):
            continue
        effect = effect_of(plugin)
        if effect and _MIMIC.search(words(plugin)):
            _read_mimic(plugin, names, extras)
        elif effect:
            _report_dropped(plugin, effect)
        else:
            plugin.report(code, plugin=label_of(plugin))


def _report_dropped(plugin: Node, effect: str) -> None:
    plugin.report(loaders_codes.GAZEBO_PLUGIN_MOVES, plugin=label_of(plugin), effect=effect)


# --- followers ------------------------------------------------------------------------------------


def _read_mimic(plugin: Node, names: NameResolver, extras: AddedItems) -> None:
    leader, follower = (names.joint(text_of(plugin, tag)) for tag in ("joint", "mimicJoint"))
    if (
        leader is None
        or follower is None
        or len(leader.axes) != 1
        or len(follower.axes) != 1
        or leader is follower
    ):
        _report_dropped(plugin, effect_of(plugin))
        return
    multiplier = number_of(plugin, "multiplier")
    coupling = Coupling(
        follower=follower.name,
        leader=leader.name,
        multiplier=1.0 if multiplier is None else multiplier,
        offset=number_of(plugin, "offset") or 0.0,
        where=plugin.where,
    )
    extras.couplings.append(coupling)
    read = ("joint", "mimicJoint", "multiplier", "offset")
    report_unread(plugin, read, loaders_codes.GAZEBO_SETTING_UNREAD)
