"""link, with poses and values."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Sequence
from typing import Any

import numpy as np

from bridge.targets.folder import Files
from bridge.targets.numbers import (
    MOMENTS,
    angle_values,
    direction_text,
    position_values,
    round_to_short,
    snapped_angle,
)
from bridge.targets.xml import Element, Value, add
from loaders.inertia import SpatialInertia
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
from loaders.model.contact import torsional_length
from loaders.pose import Array, Pose
from loaders.text import numbers

from .normal_link import all_know, common, friction_of_link, is_only_a_name, round_mesh

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
