"""Plugins that become actuators, couplings and sensors.

The rest is reported.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator

from loaders import codes as loaders_codes
from loaders.diagnostics import Code
from loaders.drake.dialect import NameResolver
from loaders.model import Actuator, Coupling, Joint, JointType, Sensor
from loaders.node import Node, mark_read
from loaders.pose import IDENTITY, Pose
from loaders.scoped_names import SEPARATOR

from .fluids import read_fluid
from .items import AddedItems, effect_of, flag_of, label_of, number_of, text_of, words
from .sensors import RATES, rate_of, read_sensor_plugin, report_unread

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
    report_unread(plugin, (*_JOINT_TAGS, *RATES))


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
    report_unread(plugin, (*_BODY_TAGS, *RATES))
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


_POSITION, _VELOCITY, _EFFORT = "position", "velocity", "effort"
_CONTROLLERS = {
    re.compile(r"\bjoint position controller\b"): _POSITION,
    re.compile(r"\bjoint controller\b"): _VELOCITY,
    re.compile(r"\bapply joint force\b"): _EFFORT,
    re.compile(r"\b(diff(erential)? drive|skid steer)\b"): _VELOCITY,
}
"""The quantity that each controller commands, by the words of the plugin."""
_DRIVE = re.compile(r"\b(diff(erential)? drive|skid steer)\b")
_MIMIC = re.compile(r"\bmimic joint\b")
_JOINT_TAG = re.compile(
    r"joint_?name|(left|right)_?((front|rear|back|middle)_?)?joint|(left|right)_(front|rear)", re.I
)
_EFFORT_TAGS = ("cmd_max", "torque", "max_wheel_torque", "wheelTorque", "MaxForce", "max_force")
_GAINS = {_POSITION: (1.0, 0.1, 0.01), _VELOCITY: (1.0, 0.0, 0.0)}
"""Default gains P, I and D of gz-sim's controllers."""


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
        if read_fluid(plugin, names, extras) or read_publisher(plugin, names, extras):
            continue
        if read_sensor_plugin(plugin, names, extras):
            continue
        text = words(plugin)
        command = next(
            (value for pattern, value in _CONTROLLERS.items() if pattern.search(text)), None
        )
        effect = effect_of(plugin)
        if effect and command is not None:
            _read_controller(plugin, command, names, extras)
        elif effect and _MIMIC.search(text):
            _read_mimic(plugin, names, extras)
        elif effect:
            _report_dropped(plugin, effect)
        else:
            plugin.report(code, plugin=label_of(plugin))


def _report_dropped(plugin: Node, effect: str) -> None:
    plugin.report(loaders_codes.GAZEBO_PLUGIN_MOVES, plugin=label_of(plugin), effect=effect)


# --- controllers ----------------------------------------------------------------------------------


def _read_controller(plugin: Node, command: str, names: NameResolver, extras: AddedItems) -> None:
    joints = list(_joints(plugin, names))
    if not joints:
        _report_dropped(plugin, effect_of(plugin))
        return
    p_gain, d_gain = _gains(plugin, command)
    effort = min(
        (abs(value) for tag in _EFFORT_TAGS if (value := number_of(plugin, tag))), default=math.inf
    )
    for joint in joints:
        actuator = Actuator(
            name=joint.name,
            joint=joint.name,
            effort=min(effort, joint.axes[0].effort),
            p_gain=p_gain,
            d_gain=d_gain,
            interfaces=(command,),
            where=plugin.where,
        )
        extras.actuators.append(actuator)
    plugin.report(
        loaders_codes.GAZEBO_CONTROLLER,
        hint=f'actuators="{"motor" if command == _EFFORT else command}" of the export to MJCF '
        f"writes them",
        subjects=tuple(joint.name for joint in joints),
        plugin=label_of(plugin),
        command=command,
        joints=tuple(joint.name for joint in joints),
        law=_law_of_drive(plugin),
    )


def _joints(plugin: Node, names: NameResolver) -> Iterator[Joint]:
    """Yield the joints that a plugin names, each once; report those without one degree of
    freedom.
    """
    seen = set()
    for child in plugin.children:
        name = child.text.strip()
        if not _JOINT_TAG.fullmatch(child.tag) or not name or name in seen:
            continue
        seen.add(name)
        joint = names.joint(name)
        if joint is not None and len(joint.axes) == 1:
            yield joint
            continue
        reason = "unknown" if joint is None else "not one of one degree of freedom"
        child.report(loaders_codes.GAZEBO_JOINT, plugin=label_of(plugin), joint=name, reason=reason)


def _gains(plugin: Node, command: str) -> tuple[float | None, float | None]:
    """Return the gains of position and of velocity of a controller; None for one that sets the
    motion itself.
    """
    if (
        command == _EFFORT
        or _DRIVE.search(words(plugin))
        or flag_of(plugin, "use_velocity_commands")
    ):
        return None, None
    if command == _VELOCITY and not flag_of(plugin, "use_force_commands"):
        return None, None
    p, i, d = (
        default if (value := number_of(plugin, tag)) is None else value
        for tag, default in zip(("p_gain", "i_gain", "d_gain"), _GAINS[command], strict=True)
    )
    rest = {"integral gain": i, **({"derivative gain": d} if command == _VELOCITY else {})}
    lost = {name: gain for name, gain in rest.items() if gain}
    if lost:
        plugin.report(
            loaders_codes.GAZEBO_GAIN,
            plugin=label_of(plugin),
            gains=", ".join(f"{name} of {gain:g}" for name, gain in lost.items()),
        )
    return (p, d) if command == _POSITION else (None, p)


def _law_of_drive(plugin: Node) -> str:
    """Return the law of a differential drive: the speeds of the wheels from that of the model."""
    separation = number_of(plugin, "wheel_separation") or number_of(plugin, "wheelSeparation")
    radius = number_of(plugin, "wheel_radius")
    diameter = number_of(plugin, "wheel_diameter") or number_of(plugin, "wheelDiameter")
    radius = diameter / 2.0 if radius is None and diameter is not None else radius
    if separation is None or not radius:
        return ""
    return (
        f"; for speeds v and w of the model they turn at (v -+ {separation / 2.0:g} w) / "
        f"{radius:g} rad/s"
    )


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
