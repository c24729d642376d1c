"""Parts of links as URDF can represent them: shapes, their names, and materials."""

from __future__ import annotations

import dataclasses
from collections.abc import Collection
from pathlib import Path
from typing import Any, TypeVar

from bridge.export.report import Report
from bridge.sdf.normal.world_ends import MASSLESS
from loaders.diagnostics import Fate
from loaders.model import (
    WORLD,
    Box,
    Capsule,
    Collision,
    Cylinder,
    Ellipsoid,
    Geometry,
    Link,
    Material,
    Mesh,
    Plane,
    Sensor,
    Sphere,
    Visual,
)
from loaders.scene import Scene

from .shape_meshes import meshes_of
from .surfaces import with_representable_surfaces
from .unique import plain_name

_SHAPES = {
    Box: "",
    Sphere: "",
    Cylinder: "",
    Mesh: "",
    Capsule: "drake pybullet",
    Ellipsoid: "drake",
    Plane: "pybullet",
}
"""Shapes that a document can state, with the extensions of which one is needed."""
_Part = TypeVar("_Part", Collision, Visual, Sensor)


def with_representable_parts(scene: Scene, extensions: Collection[str], report: Report) -> Scene:
    """Return the scene with the parts that a document can state.

    Args:
        scene: The scene.
        extensions: The extensions that the document may use.
        report: Receives the findings.
    """
    materials = _Materials(report)
    links = []
    for link in scene.links:
        part = _with_shapes(link, extensions, report)
        part = with_representable_surfaces(part, extensions, report)
        visuals = tuple(
            dataclasses.replace(visual, material=materials.representable(visual, link)) for visual in part.visuals
        )
        links.append(_with_inertia(dataclasses.replace(part, visuals=visuals), report))
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
        _drop(link, "angular velocity decay beside another linear one", report)
    if link.name == WORLD and link.inertia is not None:
        _drop(link, "inertia of the world", report)
        link = dataclasses.replace(link, inertia=None)
    return dataclasses.replace(link, velocity_decay=decay)


def _drop(link: Link, field: str, report: Report) -> None:
    report.add(
        Fate.DROPPED,
        "urdfout.field",
        "the document has no place for {field} of {kind} {owner}",
        link.where,
        subjects=(link.name,),
        field=field,
        kind="Link",
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
            if _is_representable(part.geometry, extensions):
                said.append(part)
                continue
            meshes = meshes_of(part.geometry, report, part.where)
            said += [dataclasses.replace(part, geometry=mesh) for mesh in meshes]
            _report_shape(link, part, report, becomes_mesh=bool(meshes))
        kept[key] = _named(tuple(said))
    return dataclasses.replace(link, **kept)


def _report_shape(link: Link, part: Collision | Visual, report: Report, *, becomes_mesh: bool) -> None:
    collides = isinstance(part, Collision)
    loss, outcome = (Fate.APPROXIMATED, "wrote a mesh") if becomes_mesh else (Fate.DROPPED, "left it out")
    report.add(
        loss if collides else Fate.NOTED,
        "urdfout.shape",
        "the document cannot state the shape of {kind} {name} of link {link}, a {shape}; {outcome}",
        part.where,
        hint="" if becomes_mesh else "use a mesh",
        subjects=(link.name,),
        kind="collision" if collides else "visual",
        name=part.name,
        link=link.name,
        shape=type(part.geometry).__name__.lower(),
        outcome=outcome,
    )


def _is_representable(geometry: Geometry, extensions: Collection[str]) -> bool:
    if type(geometry) not in _SHAPES:
        return False
    needed = _SHAPES[type(geometry)].split()
    return not needed or any(name in extensions for name in needed)


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


# --- materials -------------------------------------------------------------------------------------------------------


class _Materials:
    """The materials of a document, each with a unique name."""

    def __init__(self, report: Report) -> None:
        self._report = report
        self._known: dict[str, Material] = {}

    def representable(self, visual: Visual, link: Link) -> Material | None:
        """Return the material of a visual, with a name that no other material has.

        Args:
            visual: The visual.
            link: Its link.
        """
        stated = visual.material
        if stated is None:
            return None
        said = dataclasses.replace(
            Material(diffuse=stated.diffuse, texture=stated.texture),
            specular=None if stated.specular is None else (*stated.specular[:3], 1.0),
        )
        lost = ["opacity of the specular color"] if said.specular != stated.specular else []
        if said.texture is not None and not Path(said.texture).is_file():
            said, lost = dataclasses.replace(said, texture=None), [*lost, "texture, whose file was not found"]
        if said == Material() and stated.name is None:
            said_or_none = None
        else:
            said_or_none = self._named(said, plain_name(stated.name or "", "material"))
        if stated.name is not None and said_or_none is not None and said_or_none.name != stated.name:
            lost.append("name")
        if lost:
            self._add(lost, stated, visual, link)
        return said_or_none

    def _named(self, material: Material, base: str) -> Material:
        name, number = base, 2
        while self._known.setdefault(name, dataclasses.replace(material, name=name)) != dataclasses.replace(
            material, name=name
        ):
            name, number = f"{base}_{number}", number + 1
        return self._known[name]

    def _add(self, lost: list[str], material: Material, visual: Visual, link: Link) -> None:
        self._report.add(
            Fate.NOTED,
            "urdfout.material",
            "the document cannot state {properties} of material {material}",
            visual.where,
            subjects=(link.name,),
            properties=tuple(lost),
            material=material.name or "without a name",
        )
