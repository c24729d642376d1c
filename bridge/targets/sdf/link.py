"""link, geometry and surface; joint, and Drake's constraints and forces."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from bridge.targets.elements import (
    add_if,
    add_light,
    add_material,
    add_pose,
    add_sensor,
    child_frame,
    frame_at,
    scale_of,
    vector,
)
from bridge.targets.folder import Files
from bridge.targets.numbers import MOMENTS, direction_text, round_to_short
from bridge.targets.xml import Element, Value, add
from loaders.inertia import SpatialInertia
from loaders.model import (
    WORLD,
    Actuator,
    Arc,
    Box,
    Capsule,
    Collision,
    Cone,
    Coupling,
    Cylinder,
    Ellipsoid,
    Empty,
    Friction,
    Geometry,
    Heightmap,
    Hydroelastic,
    Joint,
    JointAxis,
    JointType,
    Light,
    Link,
    Mesh,
    Plane,
    Polyline,
    Sphere,
    Surface,
    Visual,
)
from loaders.model.link import ROLES
from loaders.pose import Array, Pose
from loaders.scene import Scene
from loaders.scoped_names import local_name


@dataclass(frozen=True, slots=True)
class References:
    """Names in one scope."""

    scene: Scene
    prefix: str
    """Prefix of the names in this scope."""
    poses: Mapping[str, Pose]
    """Pose in the world of each link."""

    def name(self, name: str) -> str:
        """Return the name of an item within this scope."""
        return name.removeprefix(self.prefix)

    def link(self, name: str) -> str:
        """Return the name of a link within this scope, or that of the world."""
        return name if name == WORLD else self.name(name)

    def frame(self, link: str, X_LF: Pose) -> str:
        """Return the name of the link itself, or of a frame in this scope, that is at a pose in a
        link.
        """
        frames = [frame for frame in self.scene.frames if frame.name.startswith(self.prefix)]
        return self.name(frame_at(frames, link, X_LF) or link)

    def vector(self, values: Array) -> tuple[float, ...]:
        """Return the numbers of a vector."""
        return vector(values)

    def put(self, parent: Element, tag: str, value: Value, key: str = "value") -> None:  # noqa: ARG002
        """Add an element with a value.

        Args:
            parent: The element around it.
            tag: Its tag.
            value: The value, its text.
            key: Name of the attribute in formats that have the value there.
        """
        add(parent, tag, value)

    def child_frame(self, joint: Joint) -> tuple[str, Pose]:
        """Return the child link of a joint and the pose in it of the frame that ``<drake:joint>``
        names.
        """
        return joint.child, child_frame(joint)

    def scale(self, link: str) -> float:
        """Return the largest distance that takes part in computing a pose in a link [m], at least
        1.
        """
        return scale_of(self.poses[link]) if link in self.poses else 1.0


def add_geometry(parent: Element, geometry: Geometry, files: Files) -> None:
    """Add the ``<geometry>`` of a collision or visual.

    Args:
        parent: The ``<collision>`` or ``<visual>``.
        geometry: The shape.
        files: The files of the export.
    """
    element = add(parent, "geometry")
    if isinstance(geometry, Mesh):
        _add_mesh(element, geometry, files)
    elif isinstance(geometry, Heightmap):
        shape = add(element, "heightmap")
        add(shape, "uri", files.uri(geometry.path, geometry.uri))
        add(shape, "size", geometry.size)
        add_if(shape, "pos", geometry.position, (0.0, 0.0, 0.0))
        add_if(shape, "sampling", geometry.sampling, 1)
    elif isinstance(geometry, Polyline):
        for outline in geometry.outlines:
            shape = add(element, "polyline")
            for point in outline:
                add(shape, "point", point)
            add(shape, "height", geometry.height)
    else:
        _SHAPES[type(geometry)](element, geometry)


def _add_mesh(parent: Element, mesh: Mesh, files: Files) -> None:
    shape = add(parent, "mesh", optimization=mesh.decomposition)
    add(shape, "uri", files.uri(mesh.path, mesh.uri))
    add_if(shape, "scale", mesh.scale, (1.0, 1.0, 1.0))
    if mesh.submesh is not None:
        part = add(shape, "submesh")
        add(part, "name", mesh.submesh)
        add_if(part, "center", mesh.center, False)
    if (mesh.max_convex_hulls, mesh.voxel_resolution) != (16, 200000):
        parts = add(shape, "convex_decomposition")
        add(parts, "max_convex_hulls", mesh.max_convex_hulls)
        add(parts, "voxel_resolution", mesh.voxel_resolution)
    if mesh.convex:
        add(shape, "drake:declare_convex")


def _add_plane(parent: Element, plane: Plane) -> None:
    shape = add(parent, "plane")
    add(shape, "normal", direction_text(plane.normal))
    add(shape, "size", plane.size)


def _with(tag: str, *keys: str) -> Callable[[Element, Any], None]:
    def write(parent: Element, shape: Any) -> None:
        element = add(parent, tag)
        for key in keys:
            add(element, key, getattr(shape, key))

    return write


_SHAPES: dict[type, Callable[[Element, Any], None]] = {
    Box: _with("box", "size"),
    Sphere: _with("sphere", "radius"),
    Cylinder: _with("cylinder", "radius", "length"),
    Capsule: _with("capsule", "radius", "length"),
    Cone: _with("cone", "radius", "length"),
    Ellipsoid: _with("ellipsoid", "radii"),
    Empty: _with("empty"),
    Plane: _add_plane,
}


_DEFAULT = Surface()
_ODE = {
    "soft_cfm": "soft_cfm",
    "soft_erp": "soft_erp",
    "kp": "stiffness",
    "kd": "damping",
    "max_vel": "max_velocity",
    "min_depth": "min_depth",
}
"""Field of each child of ``<contact><ode>``."""


def add_surface(collision: Element, surface: Surface) -> None:
    """Add the surface of a collision, and what only Drake has."""
    element = add(collision, "surface")
    _add_contact(element, surface)
    if (surface.restitution, surface.restitution_threshold) != (0.0, 1e5):
        bounce = add(element, "bounce")
        add(bounce, "restitution_coefficient", surface.restitution)
        add(bounce, "threshold", surface.restitution_threshold)
    if surface.friction.mu_static is None:
        _add_friction(element, surface.friction)
    if not len(element):
        collision.remove(element)
    _add_drake(collision, surface)


def _add_contact(parent: Element, surface: Surface) -> None:
    contact = add(parent, "contact")
    add_if(contact, "collide_without_contact", surface.collide_without_contact, False)
    add_if(contact, "collide_bitmask", surface.collide_bitmask, _DEFAULT.collide_bitmask)
    add_if(contact, "category_bitmask", surface.category_bitmask)
    values = {tag: getattr(surface, key) for tag, key in _ODE.items()}
    if any(value is not None for value in values.values()):
        ode = add(contact, "ode")
        for tag, value in values.items():
            add_if(ode, tag, value)
    if not len(contact):
        parent.remove(contact)


def _add_friction(parent: Element, friction: Friction) -> None:
    if friction == Friction():
        return
    element = add(parent, "friction")
    ode = add(element, "ode")
    add(ode, "mu", friction.mu)
    add(ode, "mu2", friction.mu2)
    add_if(ode, "fdir1", friction.fdir1, (0.0, 0.0, 0.0))
    add_if(ode, "slip1", friction.slip1, 0.0)
    add_if(ode, "slip2", friction.slip2, 0.0)
    if friction.rolling is not None:
        bullet = add(element, "bullet")
        add(bullet, "friction", friction.mu)
        add(bullet, "friction2", friction.mu2)
        add(bullet, "rolling_friction", friction.rolling)
    if friction.torsional is not None:
        torsional = add(element, "torsional")
        add(torsional, "coefficient", friction.torsional)
        add(torsional, "use_patch_radius", friction.use_patch_radius)
        add_if(torsional, "patch_radius", friction.patch_radius, 0.0)
        add_if(torsional, "surface_radius", friction.surface_radius, 0.0)
        if friction.torsional_slip:
            add(add(torsional, "ode"), "slip", friction.torsional_slip)


def _add_drake(collision: Element, surface: Surface) -> None:
    hydroelastic, friction = surface.hydroelastic, surface.friction
    values = {
        "hunt_crossley_dissipation": surface.dissipation,
        "relaxation_time": surface.relaxation_time,
        "mu_dynamic": friction.mu if friction.mu_static is not None else None,
        "mu_static": friction.mu_static,
        **_hydroelastic(hydroelastic),
    }
    stated = {tag: value for tag, value in values.items() if value is not None}
    if stated or hydroelastic is not None:
        properties = add(collision, "drake:proximity_properties")
        if hydroelastic is not None and hydroelastic.compliance is not None:
            add(properties, f"drake:{hydroelastic.compliance}_hydroelastic")
        for tag, value in stated.items():
            add(properties, f"drake:{tag}", value)


def _hydroelastic(properties: Hydroelastic | None) -> dict[str, float | None]:
    if properties is None:
        return {}
    return {
        "mesh_resolution_hint": properties.resolution_hint,
        "hydroelastic_modulus": properties.modulus,
        "hydroelastic_margin": properties.margin,
    }


_DIRECTIONS = "xyzpqr"
_CLOSE = 1e-6
"""Largest distance of principal moments from the limit of what a body can have, relative to the
greatest moment, at which the rounding errors of libsdformat, which computes them from the products
of inertia, may lead beyond it."""


def add_link(
    model: Element, link: Link, X_ML: Pose, scale: float, lights: Iterable[Light], files: Files
) -> None:
    """Add a ``<link>``.

    Args:
        model: The ``<model>``.
        link: The link.
        X_ML: Its pose in the model.
        scale: Largest distance that took part in computing that pose [m].
        lights: The lights on the link.
        files: The files of the export.
    """
    element = add(model, "link", name=local_name(link.name))
    add_pose(element, X_ML, scale)
    _add_flags(element, link)
    if link.inertia is not None:
        _add_inertial(element, link.inertia, link.added_mass)
    for collision in link.collisions:
        _add_collision(element, collision, files)
    for visual in link.visuals:
        _add_visual(element, visual, files)
    for sensor in link.sensors:
        add_sensor(element, sensor, sensor.X_LS)
    for light in lights:
        add_light(element, light, local_name(light.name), light.X_LLight)
    if link.surface_velocity_axis is not None:
        add(element, "drake:surface_velocity_axis", vector(link.surface_velocity_axis))
    if link.deformable:
        _add_deformable(element, link.deformable)


def _add_flags(element: Element, link: Link) -> None:
    add_if(element, "gravity", link.gravity, True)
    add_if(element, "enable_wind", link.enable_wind, False)
    add_if(element, "self_collide", link.self_collide)
    add_if(element, "kinematic", link.kinematic, False)
    if any(link.velocity_decay):
        decay = add(element, "velocity_decay")
        for key, value in zip(("linear", "angular"), link.velocity_decay, strict=True):
            add(decay, key, value)


def _add_inertial(link: Element, inertia: SpatialInertia, added_mass: Array | None) -> None:
    element = add(link, "inertial")
    X_LI, tensor = (
        (Pose.of(p=inertia.p_LLcm), inertia.I_Lcm)
        if added_mass is not None
        else _inertial_frame(inertia)
    )
    add_pose(element, X_LI)
    add(element, "mass", inertia.mass)
    moments = add(element, "inertia")
    for key, i, j in MOMENTS:
        value = round_to_short(float(tensor[i, j]))
        if i == j or value:
            add(moments, key, value)
    if added_mass is not None:
        matrix = add(element, "fluid_added_mass")
        for i in range(6):
            for j in range(i, 6):
                add_if(matrix, _DIRECTIONS[i] + _DIRECTIONS[j], float(added_mass[i, j]), 0.0)


def _inertial_frame(inertia: SpatialInertia) -> tuple[Pose, Array]:
    """Return the inertial frame in the link, and the inertia in its axes [kg m^2], shape (3, 3).

    The axes are those of the link. libsdformat refuses a link if a principal moment that it
    computes is negative, or larger than the sum of the other two; for flat and thin bodies the axes
    are the principal ones, so that it computes nothing.
    """
    tensor, p = inertia.I_Lcm, inertia.p_LLcm
    if all(not round_to_short(float(tensor[i, j])) for _, i, j in MOMENTS if i != j):
        return Pose.of(p=p), tensor
    R, moments = inertia.principal_axes()
    least, middle, greatest = sorted(moments.tolist())
    if min(abs(least), abs(least + middle - greatest)) > _CLOSE * greatest:
        return Pose.of(p=p), tensor
    return Pose.of(R=R, p=p), np.diag(moments)


def _add_collision(link: Element, collision: Collision, files: Files) -> None:
    element = add(link, "collision", name=collision.name)
    add_pose(element, collision.X_LG)
    add_if(element, "density", collision.density)
    add_geometry(element, collision.geometry, files)
    add_surface(element, collision.surface)


def _add_visual(link: Element, visual: Visual, files: Files) -> None:
    element = add(link, "visual", name=visual.name)
    add_pose(element, visual.X_LG)
    add_if(element, "cast_shadows", visual.cast_shadows, True)
    add_if(element, "transparency", visual.transparency, 0.0)
    add_geometry(element, visual.geometry, files)
    if visual.material is not None:
        add_material(element, visual.material, files)
    for role in ROLES:
        if role not in visual.roles:
            add(element, f"drake:{role}_properties", enabled=False)
    for renderer in visual.renderers:
        add(element, "drake:accepting_renderer", renderer)


def _add_deformable(link: Element, properties: Iterable[tuple[str, str]]) -> None:
    element = add(link, "drake:deformable_properties")
    for key, text in properties:
        if key == "wall_boundary_condition":
            words = text.split()
            wall = add(element, f"drake:{key}")
            add(wall, "drake:point_on_plane", " ".join(words[:3]))
            add(wall, "drake:outward_normal", " ".join(words[3:]))
        else:
            add(element, f"drake:{key}", text)


_TAGS = ("axis", "axis2")
_LIMITS = ("lower", "upper", "effort", "velocity")
_STOPS = {"stiffness": "limit_stiffness", "dissipation": "limit_dissipation"}
_DYNAMICS = ("damping", "friction", "spring_stiffness", "spring_reference")


def add_joint(
    parent: Element,
    joint: Joint,
    references: References,
    couplings: Mapping[tuple[str, int], Coupling],
    actuator: Actuator | None,
) -> None:
    """Add a joint.

    Args:
        parent: The ``<model>`` or ``<world>``.
        joint: The joint.
        references: The names of other items within this scope.
        couplings: The couplings by follower and its axis.
        actuator: The actuator of the joint.

    Raises:
        ValueError: if SDFormat has no joint of this type.
    """
    tag = joint.type.traits.sdf_tag
    if tag is None:
        raise ValueError(f"SDFormat has no {joint.type} joint")
    element = add(parent, tag, name=local_name(joint.name), type=joint.type.value)
    if tag == "drake:joint":
        _complete_drake_joint(element, joint, references)
        return
    add_pose(element, joint.X_CJ, references.scale(joint.child))
    add(element, "parent", references.link(joint.parent))
    add(element, "child", references.link(joint.child))
    for i, axis in enumerate(joint.axes):
        _add_axis(element, _TAGS[i], axis, couplings.get((joint.name, i)), references)
    if joint.type is JointType.SCREW:
        add(element, "screw_thread_pitch", joint.pitch)
    if joint.type is JointType.GEARBOX:
        add(element, "gearbox_ratio", joint.gear_ratio)
        if joint.gear_reference is not None:
            add(element, "gearbox_reference_body", references.link(joint.gear_reference))
    if joint.provide_feedback:
        add(add(element, "physics"), "provide_feedback", True)
    for sensor in joint.sensors:
        add_sensor(element, sensor, joint.X_CJ.inverse() @ sensor.X_LS)
    if actuator is not None:
        _add_drive(element, actuator)


def _add_axis(
    joint: Element, tag: str, axis: JointAxis, coupling: Coupling | None, references: References
) -> None:
    element = add(joint, tag)
    add(element, "xyz", direction_text(axis.xyz))
    limits = {key: getattr(axis, key) for key in _LIMITS if math.isfinite(getattr(axis, key))}
    stated = {tag: getattr(axis, key) for tag, key in _STOPS.items()}
    stops = {tag: value for tag, value in stated.items() if value is not None}
    if limits or stops or math.isfinite(axis.acceleration):
        limit = add(element, "limit")
        for key, value in {**limits, **stops}.items():
            add(limit, key, value)
        if math.isfinite(axis.acceleration):
            add(limit, "drake:acceleration", axis.acceleration)
    if any(getattr(axis, key) for key in _DYNAMICS):
        dynamics = add(element, "dynamics")
        for key in _DYNAMICS:
            add_if(dynamics, key, getattr(axis, key), 0.0)
    if coupling is not None:
        mimic = add(
            element,
            "mimic",
            joint=references.name(coupling.leader),
            axis=_TAGS[coupling.leader_axis],
        )
        for key, value in (
            ("multiplier", coupling.multiplier),
            ("offset", coupling.offset),
            ("reference", 0.0),
        ):
            add(mimic, key, value)


def _add_drive(joint: Element, actuator: Actuator) -> None:
    add_if(joint, "drake:rotor_inertia", actuator.rotor_inertia, 0.0)
    add_if(joint, "drake:gear_ratio", actuator.gear_ratio, 1.0)
    if actuator.p_gain is not None and actuator.d_gain is not None:
        add(joint, "drake:controller_gains", p=actuator.p_gain, d=actuator.d_gain)


# --- joints of Drake ------------------------------------------------------------------------------


def _complete_drake_joint(element: Element, joint: Joint, references: References) -> None:
    child, X_child = references.child_frame(joint)
    add(element, "drake:parent", references.frame(joint.parent, joint.X_PJ))
    add(element, "drake:child", references.frame(child, X_child))
    damping = [axis.damping for axis in joint.axes]
    if joint.curve is None:
        add(element, "drake:damping", damping)
        return
    add_if(element, "drake:damping", damping[0], 0.0)
    curve = joint.curve
    add_if(element, "drake:is_periodic", curve.periodic, False)
    add(add(element, "drake:initial_tangent"), "xyz", direction_text(curve.initial_tangent))
    add(add(element, "drake:plane_normal"), "xyz", direction_text(curve.plane_normal))
    curves = add(element, "drake:curves")
    for arc in curve.arcs:
        _add_arc(curves, arc)


def _add_arc(curves: Element, arc: Arc) -> None:
    if arc.curvature == 0.0:
        add(add(curves, "drake:line_segment"), "drake:length", arc.length)
        return
    element = add(curves, "drake:circular_arc")
    add(element, "drake:radius", round_to_short(1.0 / abs(arc.curvature)))
    add(element, "drake:angle", round_to_short(arc.length * arc.curvature))
