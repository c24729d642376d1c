"""Contact properties as URDF and its extensions can represent them.

Drake's properties are those of one collision; Gazebo's and PyBullet's hold for all collisions of a link.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Collection
from typing import Any

from bridge.export.report import Report
from loaders.diagnostics import Fate
from loaders.model import Friction, Hydroelastic, Link, Surface
from loaders.scene import Scene
from loaders.scene_queries.torsional_friction import UNIT_PATCH_RADIUS, torsional_length

_OF_LINK = ("damping", "max_velocity", "min_depth", "restitution", "soft_cfm", "soft_erp")
_DEFAULT = Surface()


def with_representable_surfaces(link: Link, extensions: Collection[str], report: Report) -> Link:
    """Return a link with the surfaces that a reader finds.

    Args:
        link: The link.
        extensions: The extensions that the document may use.
        report: Receives the findings.
    """
    if not link.collisions:
        return link
    stated = [collision.surface for collision in link.collisions]
    said = _said(stated, extensions)
    collisions = []
    for collision, old, new in zip(link.collisions, stated, said, strict=True):
        lost = _differing(old, new)
        if lost:
            report.add(
                Fate.DROPPED,
                "urdfout.surface",
                "the document cannot state {properties} of collision {collision}",
                collision.where,
                subjects=(link.name, f"{link.name}::{collision.name}"),
                properties=tuple(lost),
                collision=collision.name,
            )
        collisions.append(dataclasses.replace(collision, surface=new))
    return dataclasses.replace(link, collisions=tuple(collisions))


def with_torsional_lengths(scene: Scene) -> Scene:
    """Return a scene whose torsional friction is stated as a length, as ``<spinning_friction>`` does.

    Args:
        scene: The scene.
    """
    if not any(c.surface.friction.torsional is not None for link in scene.links for c in link.collisions):
        return scene
    links = []
    for link in scene.links:
        collisions = tuple(dataclasses.replace(c, surface=_with_length(c.surface)) for c in link.collisions)
        links.append(dataclasses.replace(link, collisions=collisions))
    return dataclasses.replace(scene, links=tuple(links))


def _with_length(surface: Surface) -> Surface:
    friction = surface.friction
    if friction.torsional is None:
        return surface
    if not friction.use_patch_radius:  # the radius of the surface, which a document cannot state, is reported
        return dataclasses.replace(surface, friction=dataclasses.replace(friction, torsional=0.0))
    length = torsional_length(friction)
    new = dataclasses.replace(
        friction, torsional=length, patch_radius=UNIT_PATCH_RADIUS if length else 0.0, surface_radius=0.0
    )
    return dataclasses.replace(surface, friction=new)


def friction_of_link(surfaces: list[Surface], extensions: Collection[str]) -> Friction | None:
    """Return the friction that holds for a whole link; None if each collision states its own.

    Args:
        surfaces: The surfaces of the collisions of the link.
        extensions: The extensions that the document may use.
    """
    first = surfaces[0].friction
    if "gazebo" not in extensions or any(s.friction != first for s in surfaces) or first.mu_static is not None:
        return None
    return first


def common(surfaces: list[Surface], field: str) -> Any:
    """Return the value that all surfaces share; the default if they differ."""
    values = [getattr(surface, field) for surface in surfaces]
    return values[0] if all(value == values[0] for value in values) else getattr(_DEFAULT, field)


def _said(surfaces: list[Surface], extensions: Collection[str]) -> list[Surface]:
    shared = {field: common(surfaces, field) for field in _OF_LINK}
    friction = friction_of_link(surfaces, extensions)
    drake = "drake" in extensions
    said = []
    for surface in surfaces:
        own = _own_friction(surface.friction) if drake else Friction()
        stiffness = surface.stiffness
        if not (drake and (stiffness or 0.0) > 0.0):
            stiffness = common(surfaces, "stiffness") if "gazebo" in extensions else None
        said.append(
            dataclasses.replace(
                surface,
                friction=friction or own,
                stiffness=stiffness,
                hydroelastic=_hydroelastic(surface.hydroelastic),
                **shared,
            )
        )
    return said


def _own_friction(friction: Friction) -> Friction:
    """Return what ``<drake:proximity_properties>`` says: two coefficients."""
    static = friction.mu_static
    if static is not None and static <= friction.mu:
        static = None
    return Friction(mu=friction.mu, mu2=friction.mu, mu_static=static)


def _hydroelastic(properties: Hydroelastic | None) -> Hydroelastic | None:
    if properties is None or properties == Hydroelastic():
        return None
    return dataclasses.replace(properties, modulus=None) if properties.compliance == "rigid" else properties


def _differing(old: Surface, new: Surface) -> list[str]:
    names = [
        f.name for f in dataclasses.fields(Friction) if getattr(old.friction, f.name) != getattr(new.friction, f.name)
    ]
    names += [
        f.name
        for f in dataclasses.fields(Surface)
        if f.name != "friction" and (getattr(old, f.name) or None) != (getattr(new, f.name) or None)
    ]
    return [name.replace("_", " ") for name in names if name != "hydroelastic" or old.hydroelastic != Hydroelastic()]
