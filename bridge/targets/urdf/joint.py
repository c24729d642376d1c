"""joint, transmission, ros2_control and Drake's elements."""

from __future__ import annotations

import math
from typing import NamedTuple

from bridge.targets.elements import add_drake_items, add_filter_groups
from bridge.targets.numbers import round_to_short
from bridge.targets.xml import Element, Value, add
from loaders.model import WORLD, Actuator, Coupling, Curve, Joint, JointAxis, JointType, by_name
from loaders.model.joint import UNLIMITED
from loaders.pose import Array, Pose
from loaders.scene import Scene

from .link import add_origin, axis_text, pose_attributes, vector
from .normal_form import frame_at
from .normal_joint import COMMANDS, commands_of


def add_drake_elements(robot: Element, scene: Scene) -> None:
    """Add the frames, constraints, force elements and filter groups."""
    for frame in scene.frames:
        X = (
            frame.X_LF if frame.link != WORLD else scene.models[0].X_WM.inverse() @ frame.X_LF
        )  # <origin> moves it
        add(robot, "frame", None, name=frame.name, link=frame.link, **pose_attributes(X))
    dialect = _Dialect(scene)
    add_drake_items(robot, (*scene.constraints, *scene.forces), dialect)
    add_filter_groups(robot, scene.filter_groups, scene.filter_rules, dialect)


class _Dialect(NamedTuple):
    """Names of items as in the scene, and values in attributes; see `DrakeDialect`."""

    scene: Scene

    def name(self, name: str) -> str:
        return name

    def link(self, name: str) -> str:
        return name

    def frame(self, link: str, X_LF: Pose) -> str:
        return frame_at(self.scene, link, X_LF) or link

    def vector(self, values: Array) -> tuple[float, ...]:
        return vector(values)

    def put(self, parent: Element, tag: str, value: Value, key: str = "value") -> None:
        add(parent, tag, **{key: value})


_WITH_AXIS = frozenset(
    {JointType.REVOLUTE, JointType.CONTINUOUS, JointType.PRISMATIC, JointType.SCREW}
)


def add_joint(robot: Element, joint: Joint, coupling: Coupling | None) -> None:
    """Add a joint.

    Args:
        robot: The ``<robot>``.
        joint: The joint.
        coupling: Its coupling to another joint.

    Raises:
        ValueError: if URDF has no joint of this type.
    """
    tag = joint.type.traits.urdf_tag
    if tag is None:
        raise ValueError(f"URDF has no {joint.type} joint")
    element = add(robot, tag, name=joint.name, type=joint.type.value)
    add_origin(element, joint.X_PJ)
    add(element, "parent", link=joint.parent)
    add(element, "child", link=joint.child)
    if joint.type in _WITH_AXIS:
        add(element, "axis", xyz=axis_text(joint.axes[0].xyz))
    elif joint.type is JointType.PLANAR:
        add(element, "axis", xyz="0 0 1")
    _add_dynamics(element, joint)
    if joint.type in (JointType.REVOLUTE, JointType.CONTINUOUS, JointType.PRISMATIC):
        _add_limit(element, joint, joint.axes[0])
    if joint.type is JointType.SCREW:
        add(element, "drake:screw_thread_pitch", value=joint.pitch)
    if joint.curve is not None:
        _add_curve(element, joint.curve)
    if coupling is not None:
        numbers = {"multiplier": (coupling.multiplier, 1.0), "offset": (coupling.offset, 0.0)}
        stated = {key: value for key, (value, default) in numbers.items() if value != default}
        add(element, "mimic", None, joint=coupling.leader, **stated)


def _add_dynamics(joint_element: Element, joint: Joint) -> None:
    if not joint.axes:
        return
    damping = [axis.damping for axis in joint.axes]
    friction = joint.axes[0].friction or None
    is_planar = joint.type is JointType.PLANAR
    stated: Value | None = damping if is_planar else damping[0] or None
    if is_planar or stated is not None or friction is not None or joint.type is JointType.BALL:
        add(joint_element, "dynamics", damping=0.0 if stated is None else stated, friction=friction)


def _add_limit(joint_element: Element, joint: Joint, axis: JointAxis) -> None:
    bounds = (axis.effort, axis.velocity, axis.acceleration)
    if joint.type is JointType.CONTINUOUS and all(math.isinf(bound) for bound in bounds):
        return
    values: dict[str, Value | None] = {}
    if joint.type is not JointType.CONTINUOUS:
        values = {"lower": _bounded(axis.lower), "upper": _bounded(axis.upper)}
    values |= {"effort": _bounded(axis.effort), "velocity": _bounded(axis.velocity)}
    values["drake:acceleration"] = None if math.isinf(axis.acceleration) else axis.acceleration
    add(joint_element, "limit", None, **values)


def _bounded(limit: float) -> float:
    """Return a limit as a finite number, which all readers require."""
    return max(-UNLIMITED, min(UNLIMITED, limit))


def _add_curve(joint: Element, curve: Curve) -> None:
    if curve.periodic:
        add(joint, "drake:is_periodic", value=True)
    add(joint, "drake:initial_tangent", xyz=axis_text(curve.initial_tangent))
    add(joint, "drake:plane_normal", xyz=axis_text(curve.plane_normal))
    curves = add(joint, "drake:curves")
    for arc in curve.arcs:
        if arc.curvature == 0.0:
            add(curves, "drake:line_segment", length=arc.length)
        else:
            radius, angle = (
                round_to_short(1.0 / abs(arc.curvature)),
                round_to_short(arc.length * arc.curvature),
            )
            add(curves, "drake:circular_arc", radius=radius, angle=angle)


def add_transmission(
    robot: Element, actuator: Actuator, name: str, *, ros2_control: bool = False
) -> None:
    """Add the ``<transmission>`` of an actuator.

    Args:
        robot: The ``<robot>``.
        actuator: The actuator.
        name: Name of the transmission.
        ros2_control: Whether a ``<ros2_control>`` states the interfaces that it may.
    """
    element = add(robot, "transmission", name=name)
    add(element, "type", "transmission_interface/SimpleTransmission")
    joint = add(element, "joint", name=actuator.joint)
    for interface in (
        name for name in actuator.interfaces if not ros2_control or name not in COMMANDS
    ):
        add(joint, "hardwareInterface", interface)
    motor = add(element, "actuator", name=actuator.name)
    if actuator.gear_ratio != 1.0:
        add(motor, "mechanicalReduction", actuator.gear_ratio)
    has_gains = actuator.p_gain is not None and actuator.d_gain is not None
    if actuator.rotor_inertia or has_gains:
        add(motor, "drake:rotor_inertia", value=actuator.rotor_inertia)
        add(motor, "drake:gear_ratio", value=actuator.gear_ratio)
    if has_gains:
        add(motor, "drake:controller_gains", p=actuator.p_gain, d=actuator.d_gain)


_PLUGIN = "mock_components/GenericSystem"
"""Hardware of ros2_control that returns each command as the state; users replace it by that of
their robot."""


def add_ros2_control(robot: Element, scene: Scene) -> None:
    """Add the interfaces of the driven joints; nothing if there is none."""
    actuators = {actuator.joint: actuator for actuator in scene.actuators}
    if not actuators:
        return
    control = add(robot, "ros2_control", name=f"{scene.name}_control", type="system")
    add(add(control, "hardware"), "plugin", _PLUGIN)
    joints = by_name(scene.joints)
    for name, actuator in actuators.items():
        element = add(control, "joint", name=name)
        for command in commands_of(actuator):
            interface = add(element, "command_interface", name=command)
            for end, limit in zip(
                ("min", "max"), _limits(command, joints[name].axes[0]), strict=True
            ):
                if math.isfinite(limit):
                    add(interface, "param", limit, name=end)
        for state in COMMANDS:
            add(element, "state_interface", name=state)


def _limits(command: str, axis: JointAxis) -> tuple[float, float]:
    if command == "position":
        return axis.lower, axis.upper
    limit = axis.velocity if command == "velocity" else axis.effort
    return -limit, limit
