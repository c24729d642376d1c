"""Plugins that are sensors: those of ROS 1 measure a link or a joint without a ``<sensor>``.

Sources: the plugins of gazebo_plugins (imu, ft_sensor) and of hector_gazebo_plugins.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from loaders import codes as loaders_codes
from loaders.drake.dialect import NameResolver
from loaders.model import Sensor, Settings
from loaders.node import Node
from loaders.pose import IDENTITY
from loaders.scoped_names import SEPARATOR

from .items import AddedItems, label_of, number_of, report_unread, text_of, words

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
