"""link with poses and values, joint, transmission, ros2_control and Drake's elements."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np

from bridge.targets.elements import add_drake_items, add_filter_groups, frame_at
from bridge.targets.folder import Files
from bridge.targets.numbers import (
    MOMENTS,
    angle_values,
    direction_text,
    position_values,
    round_to_short,
    snapped_angle,
)
from bridge.targets.urdf.normal_joint import COMMANDS, commands_of
from bridge.targets.urdf.normal_link import (
    all_know,
    common,
    friction_of_link,
    is_only_a_name,
    round_mesh,
)
from bridge.targets.xml import Element, Value, add
from loaders.inertia import SpatialInertia
from loaders.model import (
    WORLD,
    Actuator,
    Box,
    Capsule,
    Collision,
    Coupling,
    Curve,
    Cylinder,
    Ellipsoid,
    Friction,
    Geometry,
    Joint,
    JointAxis,
    JointType,
    Link,
    Material,
    Mesh,
    Plane,
    Sphere,
    Surface,
    Visual,
    by_name,
)
from loaders.model.contact import torsional_length
from loaders.model.joint import UNLIMITED
from loaders.model.link import ROLES
from loaders.pose import Array, Pose
from loaders.scene import Scene
from loaders.text import numbers

_WELL_CONDITIONED = 0.02
"""Cosine of a pitch above which roll and yaw have all their digits."""
_LOCKED = 1e-13
_DECIMALS = 13
_MAX_ROUNDS = 8


def add_origin(parent: Element, X: Pose) -> None:
    """Add an ``<origin>``, unless it is the identity.

    Args:
        parent: The element that has the pose.
        X: The pose.
    """
    attributes = pose_attributes(X)
    if attributes:
        add(parent, "origin", None, **attributes)


def pose_attributes(X: Pose) -> dict[str, Value | None]:
    """Return the attributes ``xyz`` and ``rpy`` of a pose; those that are zero are left out."""
    values = {"xyz": position_values(X.p, 0.0), "rpy": _angles(X.R)}
    return {key: numbers(value) for key, value in values.items() if any(value)}


def _angles(R: Array) -> list[float]:
    """Return roll, pitch and yaw that a reader turns into a matrix with the same angles, near a
    pitch of 90° too.
    """
    cosine = math.hypot(float(R[2, 1]), float(R[2, 2]))
    if not _LOCKED <= cosine < _WELL_CONDITIONED:
        return angle_values(R)
    # rounding errors of the matrix change the roll by up to 1e-15 / cosine: it keeps fewer digits,
    # and yaw follows
    digits = max(0, min(_DECIMALS, math.floor(-math.log10(4e-15 / cosine))))
    roll = round(math.atan2(float(R[2, 1]), float(R[2, 2])), digits)
    if abs(roll) > math.pi - 10.0**-digits:  # either sign is the same rotation
        roll = math.pi
    s, k = math.sin(roll), math.cos(roll)
    pitch = math.atan2(-float(R[2, 0]), s * float(R[2, 1]) + k * float(R[2, 2]))
    yaw = math.atan2(
        s * float(R[0, 2]) - k * float(R[0, 1]), k * float(R[1, 1]) - s * float(R[1, 2])
    )
    return [roll + 0.0, round(pitch, _DECIMALS), snapped_angle(yaw)]


def vector(values: Array | Iterable[float]) -> tuple[float, ...]:
    """Return a computed position or direction without rounding errors."""
    return tuple(position_values(np.asarray(values, dtype=np.float64), 0.0))


def axis_text(xyz: Sequence[float] | Array) -> str:
    """Return a direction as text that stays the same when a reader of URDF normalizes it and it is
    written again.
    """
    text = direction_text(xyz)
    for _ in range(_MAX_ROUNDS):
        values = [float(word) for word in text.split()]
        length = math.hypot(*values)
        again = direction_text([value / length for value in values])
        if again == text:
            break
        text = again
    return text


_CONTACT = {
    "restitution": ("restitution", 0.0),
    "contact_cfm": ("soft_cfm", None),
    "contact_erp": ("soft_erp", None),
}
"""Field and default of children of PyBullet's ``<contact>``."""


def add_link(robot: Element, link: Link, extensions: Collection[str], files: Files) -> None:
    """Add a ``<link>``.

    Args:
        robot: The ``<robot>``.
        link: The link.
        extensions: The extensions that the document may use.
        files: The files of the export.
    """
    element = add(robot, "link", name=link.name)
    if link.inertia is not None:
        _add_inertial(element, link.inertia)
    for visual in link.visuals:
        _add_visual(element, visual, extensions, files)
    friction = (
        friction_of_link([c.surface for c in link.collisions], extensions)
        if link.collisions
        else None
    )
    for collision in link.collisions:
        _add_collision(element, collision, extensions, files)
    if link.collisions and "pybullet" in extensions:
        _add_contact(element, [c.surface for c in link.collisions], friction)
    if link.surface_velocity_axis is not None:
        add(element, "drake:surface_velocity_axis", axis=axis_text(link.surface_velocity_axis))


def _add_inertial(link: Element, inertia: SpatialInertia) -> None:
    element = add(link, "inertial")
    p = vector(inertia.p_LLcm)
    if any(p):
        add(element, "origin", xyz=p)
    add(element, "mass", value=inertia.mass)
    moments = {key: round_to_short(float(inertia.I_Lcm[i, j])) for key, i, j in MOMENTS}
    add(element, "inertia", None, **moments)


def _add_visual(link: Element, visual: Visual, extensions: Collection[str], files: Files) -> None:
    element = add(link, "visual", name=visual.name)
    add_origin(element, visual.X_LG)
    _add_geometry(element, visual.geometry, extensions, files)
    if visual.material is not None and not is_only_a_name(visual.material):
        add(element, "material", name=visual.material.name or "")
    for role in ROLES:
        if role not in visual.roles:
            add(element, f"drake:{role}_properties", enabled=False)
    for renderer in visual.renderers:
        add(element, "drake:accepting_renderer", name=renderer)


def add_material(robot: Element, material: Material, files: Files) -> None:
    """Add a ``<material>`` of the robot.

    Args:
        robot: The ``<robot>``.
        material: The material.
        files: The files of the export.
    """
    element = add(robot, "material", name=material.name or "")
    if material.diffuse is not None:
        add(element, "color", rgba=material.diffuse)
    if material.specular is not None:
        add(element, "specular", rgb=material.specular[:3])
    if material.texture is not None:
        add(element, "texture", filename=files.uri(material.texture, material.texture))


# --- shapes ---------------------------------------------------------------------------------------


def _add_geometry(
    parent: Element, geometry: Geometry, extensions: Collection[str], files: Files
) -> None:
    element = add(parent, "geometry")
    if isinstance(geometry, Mesh):
        scale = None if geometry.scale == (1.0, 1.0, 1.0) else geometry.scale
        shape = add(element, "mesh", filename=files.uri(geometry.path, geometry.uri), scale=scale)
        if geometry.convex:
            add(shape, "drake:declare_convex")
    elif isinstance(geometry, Box):
        add(element, "box", size=geometry.size)
    elif isinstance(geometry, Sphere):
        add(element, "sphere", radius=geometry.radius)
    elif isinstance(geometry, Cylinder):
        add(element, "cylinder", radius=geometry.radius, length=geometry.length)
    elif isinstance(geometry, Capsule):
        if not all_know(Capsule, extensions):
            mesh = round_mesh(geometry)
            add(element, "mesh", filename=files.uri(mesh.path, mesh.uri))
        add(element, "capsule", radius=geometry.radius, length=geometry.length)
    elif isinstance(geometry, Ellipsoid):
        add(element, "drake:ellipsoid", None, **dict(zip("abc", geometry.radii, strict=True)))
    elif isinstance(geometry, Plane):
        add(element, "plane", normal=axis_text(geometry.normal))


# --- contact --------------------------------------------------------------------------------------


def _add_collision(
    link: Element, collision: Collision, extensions: Collection[str], files: Files
) -> None:
    element = add(link, "collision", name=collision.name)
    add_origin(element, collision.X_LG)
    _add_geometry(element, collision.geometry, extensions, files)
    if "drake" in extensions:
        _add_proximity(element, collision.surface)


def _add_proximity(collision: Element, surface: Surface) -> None:
    values: dict[str, float | None] = {}
    hydroelastic = surface.hydroelastic
    if hydroelastic is not None:
        values |= {
            "mesh_resolution_hint": hydroelastic.resolution_hint,
            "hydroelastic_modulus": hydroelastic.modulus,
            "hydroelastic_margin": hydroelastic.margin,
        }
    values["point_contact_stiffness"] = (
        surface.stiffness if (surface.stiffness or 0.0) > 0.0 else None
    )
    values["hunt_crossley_dissipation"] = surface.dissipation
    values["relaxation_time"] = surface.relaxation_time
    friction = surface.friction
    plain = Friction(mu=friction.mu, mu2=friction.mu, mu_static=friction.mu_static)
    if friction == plain and friction != Friction():
        values["mu_dynamic"] = friction.mu
        values["mu_static"] = friction.mu if friction.mu_static is None else friction.mu_static
    kind = None if hydroelastic is None else hydroelastic.compliance
    stated = {key: value for key, value in values.items() if value is not None}
    if not stated and kind is None:
        return
    element = add(collision, "drake:proximity_properties")
    if kind is not None:
        add(element, f"drake:{kind}_hydroelastic")
    for key, value in stated.items():
        add(element, f"drake:{key}", value=value)


def _add_contact(link: Element, surfaces: list[Surface], friction: Friction | None) -> None:
    values: dict[str, Any] = {}
    if friction is not None and (friction.rolling, friction.torsional) != (None, None):
        values = {
            "lateral_friction": friction.mu,
            "rolling_friction": friction.rolling,
            "spinning_friction": None if friction.torsional is None else torsional_length(friction),
        }
    for tag, (field, default) in _CONTACT.items():
        value = common(surfaces, field)
        values[tag] = None if value == default else value
    stated = {tag: value for tag, value in values.items() if value is not None}
    if stated:
        element = add(link, "contact")
        for tag, value in stated.items():
            add(element, tag, value=value)


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
        return frame_at(self.scene.frames, link, X_LF) or link

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
