"""``<link>``."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from bridge.export.documents.files import Files
from bridge.export.number_format import round_to_short
from bridge.export.xml_text import Element, add
from bridge.urdf.normal.materials import is_only_a_name
from bridge.urdf.normal.surfaces import common, friction_of_link
from bridge.urdf.shapes.shape_meshes import round_mesh
from bridge.urdf.shapes.stated_shapes import all_know
from loaders.model import (
    Box,
    Capsule,
    Collision,
    Cylinder,
    Ellipsoid,
    Friction,
    Geometry,
    Link,
    Material,
    Mesh,
    Plane,
    Sphere,
    Surface,
    Visual,
)
from loaders.scene_queries.torsional_friction import torsional_length
from loaders.spatial import SpatialInertia

from .basics import add_origin, axis_text, vector

_MOMENTS = (("ixx", 0, 0), ("ixy", 0, 1), ("ixz", 0, 2), ("iyy", 1, 1), ("iyz", 1, 2), ("izz", 2, 2))
_ROLES = ("illustration", "perception")
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
    friction = friction_of_link([c.surface for c in link.collisions], extensions) if link.collisions else None
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
    moments = {key: round_to_short(float(inertia.I_Lcm[i, j])) for key, i, j in _MOMENTS}
    add(element, "inertia", None, **moments)


def _add_visual(link: Element, visual: Visual, extensions: Collection[str], files: Files) -> None:
    element = add(link, "visual", name=visual.name)
    add_origin(element, visual.X_LG)
    _add_geometry(element, visual.geometry, extensions, files)
    if visual.material is not None and not is_only_a_name(visual.material):
        add(element, "material", name=visual.material.name or "")
    for role in _ROLES:
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


# --- shapes ----------------------------------------------------------------------------------------------------------


def _add_geometry(parent: Element, geometry: Geometry, extensions: Collection[str], files: Files) -> None:
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


# --- contact ---------------------------------------------------------------------------------------------------------


def _add_collision(link: Element, collision: Collision, extensions: Collection[str], files: Files) -> None:
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
    values["point_contact_stiffness"] = surface.stiffness if (surface.stiffness or 0.0) > 0.0 else None
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
