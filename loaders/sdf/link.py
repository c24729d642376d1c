"""link: inertia, collisions, visuals and sensors."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from loaders.context import Context
from loaders.drake.dialect import SDF
from loaders.drake.link import read_deformable, read_display, read_surface_velocity_axis
from loaders.drake.link import read_surface as read_drake_surface
from loaders.finish.mass_properties import shape_inertia
from loaders.inertia import SpatialInertia
from loaders.model import Collision, Light, Link, Sensor, Visual
from loaders.node import Node
from loaders.pose import IDENTITY, Array, frozen
from loaders.scoped_names import SEPARATOR
from loaders.sdf import codes
from loaders.sdf.frame import read_local_pose

from .frame import FrameVertex, VertexKind, attached_link, resolve_pose
from .geometry import read_geometry, read_surface
from .material import read_material
from .unmodeled import flat_parameters, mark_read, report_ignored
from .world import read_light

DENSITY = 1000.0
"""Default density of a shape, that of water [kg/m^3]."""

_MOMENTS = ("ixx", "iyy", "izz")
_PRODUCTS = ("ixy", "ixz", "iyz")
_DIRECTIONS = "xyzpqr"
UNUSED = {
    "auto_inertia_params": codes.NOT_MECHANICAL_PARAMETERS,
    "frame": codes.NOT_MECHANICAL_FRAME,
}
"""Elements of an inertia or a collision that have no effect."""
UNIT = SpatialInertia.of(1.0, I_Lcm=np.eye(3))
"""Inertia of a link without ``<inertial>``: 1 kg, and the identity matrix [kg m^2]."""


def read_inertia(node: Node, collisions: Sequence[Collision]) -> SpatialInertia:
    """Return the mass properties of a link, about its center of mass, in link axes.

    Args:
        node: The ``<inertial>``.
        collisions: The collisions of the link, for ``<inertial auto='true'>``.
    """
    declared = _read_declared(node)
    density = node.maybe_number("density")
    node.mark("fluid_added_mass")  # read_added_mass reads it
    report_ignored(node, UNUSED)
    if not node.flag("@auto", False):
        return declared
    return _compute_inertia(node, declared, collisions, DENSITY if density is None else density)


def read_added_mass(inertial: Node) -> Array | None:
    """Return the fluid added mass about the center of mass, in the inertial frame, shape (6, 6),
    linear part first.
    """
    node = inertial.child("fluid_added_mass")
    if node is None:
        return None
    matrix = np.zeros((6, 6))
    for i, row in enumerate(_DIRECTIONS):
        for j in range(i, 6):
            matrix[i, j] = matrix[j, i] = node.number(row + _DIRECTIONS[j], 0.0)
    return frozen(matrix)


def _read_declared(node: Node) -> SpatialInertia:
    X_LI = read_local_pose(node)
    mass = node.number("mass", 1.0)
    inertia = node.child("inertia")
    if inertia is None:
        return SpatialInertia.in_frame(mass, X_LI, IDENTITY.R)
    with node.diagnostics.tolerating(
        "the default is used, 1 kg m^2 for a moment and 0 for a product"
    ):
        xx, yy, zz = (inertia.number(key, 1.0) for key in _MOMENTS)
        xy, xz, yz = (inertia.number(key, 0.0) for key in _PRODUCTS)
    return SpatialInertia.in_frame(mass, X_LI, ((xx, xy, xz), (xy, yy, yz), (xz, yz, zz)))


# --- computed inertia -----------------------------------------------------------------------------


def _compute_inertia(
    node: Node, declared: SpatialInertia, collisions: Sequence[Collision], density: float
) -> SpatialInertia:
    """Return the sum of the inertias of the collisions, scaled to the mass if it is declared."""
    if not collisions:
        node.report(codes.AUTO_INERTIA_NO_COLLISION)
        return declared
    if node.has("pose") or node.has("inertia"):
        node.report(codes.AUTO_INERTIA_IGNORES)
    inertias = [_collision_inertia(node, collision, density) for collision in collisions]
    parts = [part for part in inertias if part is not None]
    if not parts:
        return declared
    total = parts[0]
    for part in parts[1:]:
        total = total + part
    if node.has("mass") and total.mass > 0.0:
        return SpatialInertia(
            declared.mass, total.p_LLcm, frozen(total.I_Lcm * (declared.mass / total.mass))
        )
    return total


def _collision_inertia(node: Node, collision: Collision, density: float) -> SpatialInertia | None:
    """Return the inertia of one collision about the link origin frame; None if its volume is zero
    or no number.
    """
    inertia = shape_inertia(
        collision.geometry, density if collision.density is None else collision.density
    )
    if inertia is not None:
        return inertia.moved(collision.X_LG)
    node.report(
        codes.AUTO_INERTIA_SHAPE,
        subjects=(
            *node.subjects,
            *(f"{link}{SEPARATOR}{collision.name}" for link in node.subjects[-1:]),
        ),
        shape=type(collision.geometry).__name__.lower(),
        collision=collision.name,
    )
    return None


_CAMERAS = (
    frozenset(
        {"camera", "depth", "depth_camera", "multicamera", "rgbd", "rgbd_camera", "logical_camera"}
    )
    | frozenset({"boundingbox", "boundingbox_camera", "bounding_box", "bounding_box_camera"})
    | frozenset({"segmentation", "segmentation_camera", "thermal", "thermal_camera"})
    | frozenset({"wideanglecamera", "wide_angle_camera"})
)
_TYPES = (
    _CAMERAS
    | frozenset({"air_pressure", "air_speed", "altimeter", "force_torque", "imu", "magnetometer"})
    | frozenset(
        {"ray", "gpu_ray", "lidar", "gpu_lidar", "sonar", "gps", "navsat", "rfid", "rfidtag"}
    )
    | frozenset({"contact", "custom", "wireless_receiver", "wireless_transmitter"})
)


def read_sensors(vertex: FrameVertex) -> tuple[Sensor, ...]:
    """Return the sensors of a link or a joint."""
    sensors = (_read_sensor(node, vertex) for node in vertex.node.all("sensor"))
    return tuple(sensor for sensor in sensors if sensor is not None)


def _read_sensor(node: Node, vertex: FrameVertex) -> Sensor | None:
    """Return the sensor, or None if it has no known type."""
    with node.diagnostics.tolerating("the sensor is left out"):
        sensor_type = node.word("@type")
        if sensor_type and sensor_type not in _TYPES:
            node.report(codes.SENSOR_TYPE, type=sensor_type, known=tuple(sorted(_TYPES)))
    if sensor_type not in _TYPES:
        mark_read(node)
        return None
    with node.diagnostics.tolerating("the value is not used"):
        return _read_known_sensor(node, sensor_type, vertex)


def _read_known_sensor(node: Node, sensor_type: str, vertex: FrameVertex) -> Sensor:
    report_ignored(node, {"plugin": codes.PLUGIN})
    X_VS = resolve_pose(node, vertex)
    on_joint = vertex.kind is VertexKind.JOINT
    link = attached_link(vertex) if on_joint else None
    return Sensor(
        name=node.word("@name", ""),
        type=sensor_type,
        X_LS=X_VS if link is None else link.X_WV.inverse() @ vertex.X_WV @ X_VS,
        joint=vertex.name if on_joint else None,
        update_rate=node.number("update_rate", 0.0),
        parameters=flat_parameters(node, "pose", "plugin", "update_rate"),
        where=node.where,
    )


_IGNORED = {
    "frame": codes.NOT_MECHANICAL_FRAME,
    **dict.fromkeys(
        (
            "audio_sink",
            "audio_source",
            "battery",
            "projector",
            "particle_emitter",
            "must_be_base_link",
        ),
        codes.NOT_MECHANICAL,
    ),
}
_IGNORED_IN_COLLISION = {
    **UNUSED,
    "laser_retro": codes.NOT_MECHANICAL,
    "max_contacts": codes.ENGINE_SETTING_CONTACTS,
}
_IGNORED_IN_VISUAL = {
    "frame": codes.NOT_MECHANICAL_FRAME,
    "laser_retro": codes.NOT_MECHANICAL,
    "visibility_flags": codes.APPEARANCE,
    "meta": codes.APPEARANCE_IN_INTERFACE,
    "plugin": codes.PLUGIN,
}
_OPTIONS = ("velocity_decay", "gravity", "kinematic", "self_collide", "enable_wind")


def read_link(vertex: FrameVertex, context: Context) -> Link:
    """Return the link of a solved vertex."""
    node = vertex.node
    report_ignored(node, _IGNORED)
    velocity_axis = node.child("drake:surface_velocity_axis")
    collisions = tuple(_read_collision(child, vertex, context) for child in node.all("collision"))
    inertial = node.child("inertial")
    return Link(
        name=vertex.name,
        model=vertex.scope.name,
        X_WL=vertex.X_WV,
        inertia=UNIT if inertial is None else read_inertia(inertial, collisions),
        collisions=collisions,
        visuals=tuple(_read_visuals(vertex, context)),
        added_mass=None if inertial is None else read_added_mass(inertial),
        sensors=read_sensors(vertex),
        surface_velocity_axis=None
        if velocity_axis is None
        else read_surface_velocity_axis(velocity_axis, SDF),
        deformable=read_deformable(node),
        where=vertex.where,
        **_read_options(node),
    )


def _read_options(node: Node) -> dict[str, Any]:
    """Return the options of a link, keyed by field of `Link`; empty if it has none."""
    if node.lacks(_OPTIONS):
        return {}
    decay = node.child("velocity_decay")
    return {
        "gravity": node.flag("gravity", True),
        "kinematic": node.flag("kinematic", False),
        "self_collide": node.flag("self_collide", False) if node.has("self_collide") else None,
        "enable_wind": node.flag("enable_wind", False),
        "velocity_decay": (0.0, 0.0)
        if decay is None
        else (decay.number("linear", 0.0), decay.number("angular", 0.0)),
    }


def read_link_lights(vertex: FrameVertex) -> Iterator[Light]:
    """Yield the lights on a link."""
    for node in vertex.node.all("light"):
        name = f"{vertex.name}{SEPARATOR}{node.word('@name', '')}"
        yield read_light(node, name, vertex.name, resolve_pose(node, vertex))


def _read_collision(node: Node, vertex: FrameVertex, context: Context) -> Collision:
    report_ignored(node, _IGNORED_IN_COLLISION)
    return Collision(
        name=node.word("@name", ""),
        X_LG=resolve_pose(node, vertex),
        geometry=read_geometry(node, context),
        surface=read_drake_surface(node, read_surface(node), SDF),
        density=node.maybe_number("density"),
        where=node.where,
    )


def _read_visuals(vertex: FrameVertex, context: Context) -> Iterator[Visual]:
    """Yield the visuals of a link, except those that Drake's elements disable for every role."""
    for node in vertex.node.all("visual"):
        report_ignored(node, _IGNORED_IN_VISUAL)
        roles, renderers = read_display(node, SDF)
        visual = Visual(
            name=node.word("@name", ""),
            X_LG=resolve_pose(node, vertex),
            geometry=read_geometry(node, context),
            material=read_material(node, context),
            transparency=node.number("transparency", 0.0),
            cast_shadows=node.flag("cast_shadows", True),
            roles=roles,
            renderers=renderers,
            where=node.where,
        )
        if visual.roles:
            yield visual
