"""Controllers of Gazebo's plugins, which become actuators.

A controller computes an effort from gains, as an actuator does, or sets the velocity of its joint
whatever effort that takes. Every setting that has no place in an actuator is reported with its
value.

Source: the systems JointPositionController, JointController, JointTrajectoryController,
ApplyJointForce, DiffDrive, AckermannSteering and MecanumDrive of gz-sim, and ``gazebo_plugins``.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

from loaders import codes as loaders_codes
from loaders.drake.dialect import NameResolver
from loaders.model import Actuator, Joint
from loaders.node import Node
from loaders.numbers import plain_number

from .items import AddedItems, effect_of, first_number, flag_of, label_of, number_of, words

POSITION, VELOCITY, EFFORT = "position", "velocity", "effort"
_JOINT_TAG = re.compile(
    r"joint_?name|(left|right)_?((front|rear|back|middle|steering)_?)?joint|"
    r"(front|rear|back)_(left|right)_joint|(left|right)_(front|rear)",
    re.I,
)
_TRAJECTORY = re.compile(r"\bjoint trajectory controller\b")
_JOINTS = "joint_names"
"""The list of joints in the first version of the trajectory controller."""
_EFFORTS = ("torque", "max_wheel_torque", "wheelTorque", "MaxForce", "max_force")
_PID = ("p_gain", "i_gain", "d_gain", "i_max", "i_min", "cmd_max", "cmd_min", "cmd_offset")
_COMMUNICATION = re.compile(
    r"topic|frame|odom|publish|rate$|msg$|actuator_?number|namespace|^ros$|covariance|legacy|"
    r"debug|verbose|header|^tf_|_tf$|source$|diagnostic",
    re.I,
)
"""Settings of messages."""
_LONGEST = 40


@dataclass(slots=True)
class _Settings:
    """The children of a plugin, and which of them were read."""

    plugin: Node
    tag: str = ""
    """Tag of the child that names the joint whose law is read."""
    index: int = 0
    """Index of that joint."""
    read: set[str] = field(default_factory=set)
    idle: set[str] = field(default_factory=set)
    """Tags that Gazebo does not use with the other settings."""
    gains: dict[str, None] = field(default_factory=dict)
    """Gains that an actuator does not have, in words."""

    def stated(self, tag: str, index: int = 0) -> float | None:
        """Return the number with an index among those of a tag; None if there is none."""
        self.read.add(tag)
        found = [word for c in self.plugin.children if c.tag == tag for word in c.text.split()]
        return plain_number(found[index]) if index < len(found) else None

    def number(self, tag: str, default: float, index: int = 0) -> float:
        """Return the number with an index among those of a tag, or the default."""
        value = self.stated(tag, index)
        return default if value is None else value

    def flag(self, tag: str) -> bool:
        """Return whether a child says true."""
        self.read.add(tag)
        return flag_of(self.plugin, tag)


_Law = Callable[[_Settings], dict[str, Any]]
"""Returns fields of the actuator of a joint."""


def _position(settings: _Settings) -> dict[str, Any]:
    """Return the law of a joint that is driven to a position, by gains or as fast as it may."""
    fields = {"interfaces": (POSITION,), "target": settings.stated("initial_position")}
    if settings.flag("use_velocity_commands"):
        settings.idle.update(set(_PID) - {"cmd_max"})
        return fields | {"imposes_velocity": True}
    return fields | _pid(settings, "", (1.0, 0.1, 0.01), (1000.0, -1000.0), is_velocity=False)


def _velocity(settings: _Settings) -> dict[str, Any]:
    """Return the law of a joint that is driven at a velocity, by a gain or in any case."""
    fields = {"interfaces": (VELOCITY,), "target": settings.stated("initial_velocity")}
    if not settings.flag("use_force_commands"):
        settings.idle.update(_PID)
        return fields | {"imposes_velocity": True}
    return fields | _pid(settings, "", (1.0, 0.0, 0.0), (1000.0, -1000.0), is_velocity=True)


def _trajectory(settings: _Settings) -> dict[str, Any]:
    """Return the law of a joint that follows the positions of a trajectory; without a gain of
    position, its velocities, and without gains, its efforts.
    """
    zero, unlimited, index = (0.0, 0.0, 0.0), (-1.0, 0.0), settings.index
    if settings.number("position_p_gain", 0.0, index):
        law = _pid(settings, "position_", zero, unlimited, is_velocity=False, index=index)
        is_listed = settings.plugin.peek("initial_positions") is not None
        tag = "initial_positions" if is_listed else "initial_position"
        damping = settings.number("velocity_p_gain", 0.0, index)
        target = settings.stated(tag, index)
        return law | {
            "interfaces": (POSITION,),
            "target": target,
            "d_gain": law["d_gain"] + damping,
        }
    if settings.number("velocity_p_gain", 0.0, index):
        law = _pid(settings, "velocity_", zero, unlimited, is_velocity=True, index=index)
        return law | {"interfaces": (VELOCITY,)}
    return {"interfaces": (EFFORT,)}


def _effort(_settings: _Settings) -> dict[str, Any]:
    """Return the law of a joint on which an effort acts."""
    return {"interfaces": (EFFORT,)}


def _wheel(settings: _Settings) -> dict[str, Any]:
    """Return the law of a wheel or of the steering of a vehicle."""
    if "steering" in settings.tag.lower():
        return {"interfaces": (POSITION,), "imposes_velocity": True}
    stated = [settings.number(tag, 0.0) for tag in _EFFORTS]
    efforts = [abs(effort) for effort in stated if effort]
    return {
        "interfaces": (VELOCITY,),
        "imposes_velocity": True,
        "effort": min(efforts, default=math.inf),
        "control": _wheel_speeds(settings),
    }


_LAWS: dict[re.Pattern[str], _Law] = {
    re.compile(r"\bjoint position controller\b"): _position,
    _TRAJECTORY: _trajectory,
    re.compile(r"\bjoint controller\b"): _velocity,
    re.compile(r"\bapply joint force\b"): _effort,
    re.compile(r"\b(diff(erential)? drive|skid steer|ackermann steering|mecanum drive)\b"): _wheel,
}
"""The law of each controller, by the words of the plugin."""


def read_controller(plugin: Node, names: NameResolver, extras: AddedItems) -> bool:
    """Read a plugin that drives joints; return whether it is one.

    Args:
        plugin: The plugin.
        names: The names in the model.
        extras: Receives the actuators.
    """
    text = words(plugin)
    law = next((law for pattern, law in _LAWS.items() if pattern.search(text)), None)
    if law is None or not effect_of(plugin):
        return False
    settings = _Settings(plugin)
    joints = list(_joints(settings, names, extras))
    if not joints:
        plugin.report(
            loaders_codes.GAZEBO_PLUGIN_MOVES, plugin=label_of(plugin), effect=effect_of(plugin)
        )
        return True
    actuators = []
    for settings.index, (settings.tag, joint) in enumerate(joints):
        actuators.append(_actuator(joint, law(settings), plugin))
    extras.actuators += actuators
    _report(actuators, settings)
    return True


def _actuator(joint: Joint, fields: dict[str, Any], plugin: Node) -> Actuator:
    """Return the actuator of a joint, whose effort limit holds too."""
    limit = joint.axes[0].effort
    upper = min(fields.pop("effort", math.inf), limit)
    lower = fields.pop("min_effort", None)
    if lower is not None:
        lower = max(lower, -limit)
    return Actuator(
        name=joint.name,
        joint=joint.name,
        effort=upper,
        min_effort=None if lower == -upper else lower,
        where=plugin.where,
        **fields,
    )


def _joints(
    settings: _Settings, names: NameResolver, extras: AddedItems
) -> Iterator[tuple[str, Joint]]:
    """Yield the tag and the joint of each name in a plugin, each joint once; report those without
    one degree of freedom.
    """
    stated: list[tuple[Node, str]] = []
    for child in settings.plugin.children:
        if child.tag == _JOINTS:
            stated += [(child, word) for word in child.text.split()]
        elif _JOINT_TAG.fullmatch(child.tag):
            stated.append((child, child.text.strip()))
    settings.read.update(child.tag for child, _ in stated)
    if not stated and _TRAJECTORY.search(words(settings.plugin)):
        yield from ((_JOINTS, joint) for joint in _joints_of_model(names, extras))
    driven = {actuator.joint for actuator in extras.actuators}
    seen = {""}
    for child, name in stated:
        if name in seen:
            continue
        seen.add(name)
        joint = names.joint(name)
        is_driven = joint is not None and joint.name in driven
        if joint is not None and len(joint.axes) == 1 and not is_driven:
            yield child.tag, joint
            continue
        reason = "unknown" if joint is None else "not one of one degree of freedom"
        reason = "driven by another plugin" if is_driven else reason
        label = label_of(settings.plugin)
        child.report(loaders_codes.GAZEBO_JOINT, plugin=label, joint=name, reason=reason)


def _joints_of_model(names: NameResolver, extras: AddedItems) -> list[Joint]:
    """Return the joints of one degree of freedom of a model."""
    driven = {actuator.joint for actuator in extras.actuators}
    own = (joint for joint in extras.scene.joints if joint.name.startswith(names.prefix))
    return [joint for joint in own if len(joint.axes) == 1 and joint.name not in driven]


def _pid(
    settings: _Settings,
    prefix: str,
    defaults: tuple[float, float, float],
    limits: tuple[float, float],
    *,
    is_velocity: bool,
    index: int = 0,
) -> dict[str, Any]:
    """Return the gains, the limits of the effort and its constant part; remember gains that an
    actuator does not have.

    Args:
        settings: The settings.
        prefix: Prefix of the tags.
        defaults: Default gains P, I and D.
        limits: Default largest and least effort; there is no limit if the largest is less.
        is_velocity: Whether the error is one of velocity, whose gain is a damping.
        index: Index of the joint.
    """
    p, i, d = (
        settings.number(f"{prefix}{tag}", default, index)
        for tag, default in zip(("p_gain", "i_gain", "d_gain"), defaults, strict=True)
    )
    upper, lower = (
        settings.number(f"{prefix}{tag}", limit, index)
        for tag, limit in zip(("cmd_max", "cmd_min"), limits, strict=True)
    )
    lost = {"integral gain": i, "derivative gain": d if is_velocity else 0.0}
    settings.gains.update({f"{name} of {gain:g}": None for name, gain in lost.items() if gain})
    bounds = {f"{prefix}i_max", f"{prefix}i_min"}
    settings.idle |= set() if i else bounds
    fields: dict[str, Any] = {
        "p_gain": None if is_velocity else p,
        "d_gain": p if is_velocity else d,
        "feedforward": settings.number(f"{prefix}cmd_offset", 0.0, index),
    }
    return fields | ({"effort": upper, "min_effort": lower} if lower <= upper else {})


# --- vehicles -------------------------------------------------------------------------------------


_WIDTHS = ("wheel_separation", "wheelSeparation")
_SIZES = ("wheel_diameter", "wheelDiameter")
_TWO_SIDES = re.compile(r"\b(diff(erential)? drive|skid steer)\b")
"""Vehicles that turn by the speeds of the wheels on both sides."""


def _geometry(settings: _Settings) -> tuple[float, float] | None:
    """Return the separation and the radius of the wheels [m] of a vehicle that turns by them; None
    if the plugin states none.
    """
    plugin = settings.plugin
    separation, diameter = first_number(plugin, _WIDTHS), first_number(plugin, _SIZES)
    radius = number_of(plugin, "wheel_radius") or diameter / 2.0
    if not _TWO_SIDES.search(words(plugin)) or not separation or not radius:
        return None
    settings.read.update((*_WIDTHS, *_SIZES, "wheel_radius"))
    return separation, radius


def _wheel_speeds(settings: _Settings) -> tuple[float, float]:
    """Return the range of the speed of a wheel [rad/s] from those of the speeds of the model."""
    geometry = _geometry(settings)
    speeds = [
        _speed(settings.plugin, bound, kind)
        for kind in ("linear", "angular")
        for bound in ("min", "max")
    ]
    if geometry is None or not all(map(math.isfinite, speeds)):
        return -math.inf, math.inf
    settings.read.update(f"{bound}_{kind}velocity" for bound in ("min", "max") for kind in _KINDS)
    separation, radius = geometry
    slowest, fastest, *turns = speeds
    turning = separation / 2.0 * max(map(abs, turns))
    return (slowest - turning) / radius, (fastest + turning) / radius


_KINDS = ("linear_", "angular_", "")


def _speed(plugin: Node, bound: str, kind: str) -> float:
    """Return a bound of the linear or angular speed of a model; infinite if it has none."""
    tags = (f"{bound}_{kind}_velocity", f"{bound}_velocity")
    stated = (number_of(plugin, tag) for tag in tags)
    return next((speed for speed in stated if speed is not None), math.inf)


def _law_of_drive(settings: _Settings) -> str:
    """Return the law of a differential drive: the speeds of the wheels from that of the model."""
    geometry = _geometry(settings)
    if geometry is None:
        return ""
    separation, radius = geometry
    return (
        f"; for speeds v and w of the model they turn at (v -+ {separation / 2.0:g} w) / "
        f"{radius:g} rad/s"
    )


# --- reports --------------------------------------------------------------------------------------


def _report(actuators: list[Actuator], settings: _Settings) -> None:
    plugin, label = settings.plugin, label_of(settings.plugin)
    for command in dict.fromkeys(actuator.interfaces[0] for actuator in actuators):
        joints = tuple(a.joint for a in actuators if a.interfaces[0] == command)
        plugin.report(
            loaders_codes.GAZEBO_CONTROLLER,
            hint='actuators="stated" of the export to MJCF writes them',
            subjects=joints,
            plugin=label,
            command=command,
            joints=joints,
            law=_law_of_drive(settings),
        )
    if settings.gains:
        plugin.report(loaders_codes.GAZEBO_GAIN, plugin=label, gains=", ".join(settings.gains))
    rest = [child for child in plugin.children if child.tag not in settings.read - settings.idle]
    is_note = [c.tag in settings.idle or bool(_COMMUNICATION.search(c.tag)) for c in rest]
    for code, is_noted in (
        (loaders_codes.GAZEBO_SETTING, False),
        (loaders_codes.GAZEBO_SETTING_WITHOUT_EFFECT, True),
    ):
        left_out = [_text(c) for c, noted in zip(rest, is_note, strict=True) if noted is is_noted]
        if left_out:
            plugin.report(code, plugin=label, settings=tuple(left_out))


def _text(setting: Node) -> str:
    """Return a setting and its value."""
    text = " ".join(setting.text.split()) or "..."
    return f"{setting.tag} = {text if len(text) <= _LONGEST else text[: _LONGEST - 3] + '...'}"
