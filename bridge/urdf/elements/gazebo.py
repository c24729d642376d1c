"""``<gazebo>``: Gazebo's extensions of a link, a joint or the robot."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from bridge.export.xml_text import Element, Value, add
from bridge.sdf.elements.materials_lights_sensors import add_sensor
from bridge.urdf.normal.materials import name_for_gazebo
from bridge.urdf.normal.surfaces import common, friction_of_link
from loaders.model import Friction, Joint, Link, Model, Sensor

from .basics import vector

_MODEL = (("self_collide", False), ("allow_auto_disable", True), ("enable_wind", False))
_SURFACE = {"kp": "stiffness", "kd": "damping", "maxVel": "max_velocity", "minDepth": "min_depth"}
_AXIS = {
    "springStiffness": ("spring_stiffness", 0.0),
    "springReference": ("spring_reference", 0.0),
    "stopKp": ("limit_stiffness", None),
    "stopKd": ("limit_dissipation", None),
}


def add_gazebo_of_robot(robot: Element, model: Model) -> None:
    """Add the flags of a model that differ from the defaults."""
    _add(robot, None, {key: getattr(model, key) for key, default in _MODEL if getattr(model, key) != default})


def add_gazebo_of_link(robot: Element, link: Link, extensions: Collection[str]) -> None:
    """Add the flags, contact properties, material and sensors of a link.

    Args:
        robot: The ``<robot>``.
        link: The link.
        extensions: The extensions that the document may use.
    """
    values: dict[str, Value | None] = {
        "gravity": None if link.gravity else False,
        "kinematic": link.kinematic or None,
        "selfCollide": link.self_collide,
        "enable_wind": link.enable_wind or None,
        "dampingFactor": link.velocity_decay[0] or None,
        "material": name_for_gazebo(link),
    }
    surfaces = [collision.surface for collision in link.collisions]
    if surfaces:
        friction = friction_of_link(surfaces, extensions)
        if friction is not None and (friction.mu, friction.mu2) != (1.0, 1.0):
            values |= {"mu1": friction.mu, "mu2": friction.mu2}
        if friction is not None and friction.fdir1 != Friction().fdir1:
            values["fdir1"] = vector(friction.fdir1)
        values |= {tag: common(surfaces, field) for tag, field in _SURFACE.items()}
    _add(robot, link.name, values, link.sensors)


def add_gazebo_of_joint(robot: Element, joint: Joint) -> None:
    """Add the springs, stops and sensors of a joint.

    Args:
        robot: The ``<robot>``.
        joint: The joint.
    """
    values: dict[str, Value | None] = {}
    for tag, (field, default) in _AXIS.items():
        stated = {getattr(axis, field) for axis in joint.axes}
        value = next(iter(stated), default)
        values[tag] = None if value == default else value
    values["provideFeedback"] = joint.provide_feedback or None
    _add(robot, joint.name, values, joint.sensors)


def _add(
    robot: Element, reference: str | None, values: dict[str, Value | None], sensors: Sequence[Sensor] = ()
) -> None:
    stated = {tag: value for tag, value in values.items() if value is not None}
    if stated or sensors:
        element = add(robot, "gazebo", reference=reference)
        for tag, value in stated.items():
            add(element, tag, value)
        for sensor in sensors:
            add_sensor(element, sensor, sensor.X_LS)
