"""Publishers of joint states and of odometry, which are sensors."""

from __future__ import annotations

import re

from loaders.diagnostics import Fate
from loaders.drake.dialect import NameResolver
from loaders.model import Joint, JointType, Sensor
from loaders.node import Node
from loaders.scene_queries.scoped_names import SEPARATOR
from loaders.spatial import IDENTITY, Pose

from .added_items import AddedItems
from .plugin_effects import words
from .values import label_of, number_of, text_of

JOINT_STATE, ODOMETRY = "joint_state", "odometry"
_JOINT_STATES = re.compile(r"\bjoint state (publisher|pub)\b")
_ODOMETRY = re.compile(r"\b(odometry publisher|p 3 d)\b")
_UNMEASURED = frozenset({JointType.FIXED, JointType.FLOATING})
_RATES = ("update_rate", "updateRate", "odom_publish_frequency")
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


def _rate(plugin: Node) -> float:
    return next((rate for tag in _RATES if (rate := number_of(plugin, tag))), 0.0)


def _read_joint_states(plugin: Node, names: NameResolver, extras: AddedItems) -> None:
    joints = list(_joints(plugin, names, extras))
    for joint in joints:
        sensor = Sensor(
            name=f"{joint.name.rpartition(SEPARATOR)[2]}_state",
            type=JOINT_STATE,
            X_LS=IDENTITY,
            joint=joint.name,
            update_rate=_rate(plugin),
            where=plugin.where,
        )
        extras.joint_sensors[joint.name].append(sensor)
    _report(plugin, "position and velocity", tuple(joint.name for joint in joints))


def _joints(plugin: Node, names: NameResolver, extras: AddedItems) -> list[Joint]:
    """Return the joints that a plugin names, or all moving joints of its model."""
    stated = [word for child in plugin.children if child.tag in _JOINT_TAGS for word in child.text.split()]
    if stated:
        found = [names.joint(name) for name in stated]
    else:
        found = [joint for joint in extras.scene.joints if joint.name.startswith(names.prefix)]
    return [joint for joint in found if joint is not None and joint.type not in _UNMEASURED]


def _read_odometry(plugin: Node, names: NameResolver, extras: AddedItems) -> bool:
    """Read an odometry publisher: the pose and the velocity of a link, or of the frame of the model."""
    body = next((name for tag in _BODY_TAGS if (name := text_of(plugin, tag))), "")
    if body:
        link, X_LS = names.link(body), IDENTITY
    else:
        link, X_LS = _model_frame(names, extras)
    if link is None:
        return False
    name = f"{body or names.model.rpartition(SEPARATOR)[2]}_odometry"
    extras.link_sensors[link].append(
        Sensor(name=name, type=ODOMETRY, X_LS=X_LS, update_rate=_rate(plugin), where=plugin.where)
    )
    _report(plugin, "pose and velocity", (link,))
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
        Fate.NOTED,
        "gazebo.publisher",
        "plugin {plugin} publishes {quantities} of {items}, for which the export to MJCF has sensors",
        subjects=subjects,
        plugin=label_of(plugin),
        quantities=quantities,
        items=subjects,
    )
