"""``<link>``."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from bridge.export.documents.files import Files
from bridge.export.number_format import round_to_short
from bridge.export.xml_text import Element, add
from loaders.model import Collision, Light, Link, Visual
from loaders.scene_queries.scoped_names import local_name
from loaders.spatial import Array, Pose, SpatialInertia

from .basics import add_if, add_pose, vector
from .materials_lights_sensors import add_light, add_material, add_sensor
from .shapes import add_geometry
from .surfaces import add_surface

_MOMENTS = (("ixx", 0, 0), ("ixy", 0, 1), ("ixz", 0, 2), ("iyy", 1, 1), ("iyz", 1, 2), ("izz", 2, 2))
_DIRECTIONS = "xyzpqr"
_CLOSE = 1e-6
"""Largest distance of principal moments from the limit of what a body can have, relative to the greatest moment, at
which the rounding errors of libsdformat, which computes them from the products of inertia, may lead beyond it."""
_ROLES = ("illustration", "perception")


def add_link(model: Element, link: Link, X_ML: Pose, scale: float, lights: Iterable[Light], files: Files) -> None:
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
    X_LI, tensor = (Pose.of(p=inertia.p_LLcm), inertia.I_Lcm) if added_mass is not None else _inertial_frame(inertia)
    add_pose(element, X_LI)
    add(element, "mass", inertia.mass)
    moments = add(element, "inertia")
    for key, i, j in _MOMENTS:
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

    The axes are those of the link. libsdformat refuses a link if a principal moment that it computes is negative, or
    larger than the sum of the other two; for flat and thin bodies the axes are the principal ones, so that it computes
    nothing.
    """
    tensor, p = inertia.I_Lcm, inertia.p_LLcm
    if all(not round_to_short(float(tensor[i, j])) for _, i, j in _MOMENTS if i != j):
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
    for role in _ROLES:
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
