"""Parts of links as URDF can represent them: shapes and their names."""

from __future__ import annotations

import dataclasses
from collections.abc import Collection
from typing import Any, TypeVar

from bridge.export.report import Report
from bridge.sdf.normal.world_ends import MASSLESS
from bridge.urdf.shapes.shape_meshes import meshes_of
from bridge.urdf.shapes.stated_shapes import box_of_plane, is_stated
from loaders.diagnostics import Fate
from loaders.model import (
    WORLD,
    Box,
    Collision,
    Link,
    Plane,
    Sensor,
    Visual,
)
from loaders.scene import Scene

from .materials import Materials
from .surfaces import with_representable_surfaces
from .unique_names import plain_name

_Part = TypeVar("_Part", Collision, Visual, Sensor)


def with_representable_parts(scene: Scene, extensions: Collection[str], report: Report) -> Scene:
    """Return the scene with the parts that a document can state.

    Args:
        scene: The scene.
        extensions: The extensions that the document may use.
        report: Receives the findings.
    """
    materials = Materials(extensions, report)
    links = []
    for link in scene.links:
        part = _with_shapes(link, extensions, report)
        part = with_representable_surfaces(part, extensions, report)
        links.append(_with_inertia(dataclasses.replace(part, visuals=materials.representable(part)), report))
    joints = tuple(dataclasses.replace(joint, sensors=_named(joint.sensors)) for joint in scene.joints)
    scene = dataclasses.replace(scene, links=tuple(links), joints=joints)
    return _with_stated_mass(scene, report) if "pybullet" in extensions else scene


def _with_stated_mass(scene: Scene, report: Report) -> Scene:
    """Return the scene with the mass 0 of links without inertia that are no root, which PyBullet takes for 1 kg."""
    held = {joint.child for joint in scene.joints}
    massless = {link.name for link in scene.links if link.inertia is None and link.name in held}
    if not massless:
        return scene
    report.add(
        Fate.NOTED,
        "urdfout.no-inertia",
        "PyBullet gives a link without inertia 1 kg; wrote the mass 0 for {links}",
        subjects=tuple(massless),
        links=tuple(link.name for link in scene.links if link.name in massless),
    )
    links = (dataclasses.replace(k, inertia=MASSLESS) if k.name in massless else k for k in scene.links)
    return dataclasses.replace(scene, links=tuple(links))


def _with_inertia(link: Link, report: Report) -> Link:
    decay = (link.velocity_decay[0],) * 2
    if link.velocity_decay != decay:
        _report_field(link, "angular velocity decay beside another linear one", report, Fate.DROPPED)
    if link.name == WORLD and link.inertia is not None:
        _report_field(link, "inertia of the world", report, Fate.DROPPED)
        link = dataclasses.replace(link, inertia=None)
    return dataclasses.replace(link, velocity_decay=decay)


def _report_field(link: Link, field: str, report: Report, fate: Fate = Fate.NOTED) -> None:
    report.add(
        fate,
        "urdfout.field",
        "the document has no place for {field} of {kind} {owner}",
        link.where,
        subjects=(link.name,),
        field=field,
        kind="link",
        owner=link.name,
    )


def _with_shapes(link: Link, extensions: Collection[str], report: Report) -> Link:
    kept: dict[str, Any] = {"sensors": _named(link.sensors)}
    parts: tuple[tuple[str, tuple[Collision | Visual, ...]], ...] = (
        ("collisions", link.collisions),
        ("visuals", link.visuals),
    )
    for key, shapes in parts:
        said: list[Collision | Visual] = []
        for part in shapes:
            if is_stated(part.geometry, extensions):
                said.append(part)
                continue
            others = _others(link, part, report)
            said += others
            _report_shape(link, part, report, others)
        kept[key] = _named(tuple(said))
    return dataclasses.replace(link, **kept)


def _others(link: Link, part: Collision | Visual, report: Report) -> tuple[Collision | Visual, ...]:
    """Return the parts that replace a part whose shape the document cannot state: a box, or meshes."""
    if isinstance(part.geometry, Plane):
        collides = isinstance(part, Collision)
        if collides and part.geometry.size != Plane().size:
            _report_field(link, "size of the drawing", report)
        box, X_GB = box_of_plane(part.geometry, collides=collides)
        return (dataclasses.replace(part, geometry=box, X_LG=part.X_LG @ X_GB),)
    return tuple(dataclasses.replace(part, geometry=mesh) for mesh in meshes_of(part.geometry, report, part.where))


def _report_shape(link: Link, part: Collision | Visual, report: Report, others: tuple[Collision | Visual, ...]) -> None:
    collides = isinstance(part, Collision)
    outcome = "left it out"
    if others:
        box = others[0].geometry
        outcome = (
            "wrote a box of {:g} m x {:g} m x {:g} m".format(*box.size) if isinstance(box, Box) else "wrote a mesh"
        )
    loss = Fate.APPROXIMATED if others else Fate.DROPPED
    report.add(
        loss if collides else Fate.NOTED,
        "urdfout.shape",
        "the document cannot state the shape of {kind} {name} of link {link}, a {shape}; {outcome}",
        part.where,
        hint="" if others else "use a mesh",
        subjects=(link.name,),
        kind="collision" if collides else "visual",
        name=part.name,
        link=link.name,
        shape=type(part.geometry).__name__.lower(),
        outcome=outcome,
    )


def _named(parts: tuple[_Part, ...]) -> tuple[_Part, ...]:
    """Return parts of one kind with names that are unique among them."""
    taken: set[str] = set()
    named: list[Any] = []
    for part in parts:
        base = plain_name(part.name, type(part).__name__.lower())
        name, number = base, 2
        while name in taken:
            name, number = f"{base}_{number}", number + 1
        taken.add(name)
        named.append(part if name == part.name else dataclasses.replace(part, name=name))
    return tuple(named)
