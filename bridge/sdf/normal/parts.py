"""Parts of links as SDFormat can represent them: inertia, names of shapes and sensors, surfaces and materials."""

from __future__ import annotations

import dataclasses
from typing import Any, TypeVar

from bridge.export.documents.undrawn_textures import without_undrawn_textures
from bridge.export.number_format import BEYOND_COLORS, with_colors_in_range
from bridge.export.report import Report
from loaders.diagnostics import Fate
from loaders.model import Collision, Friction, Hydroelastic, Joint, Light, Link, Material, Sensor, Surface, Visual
from loaders.scene import Scene
from loaders.sdf.elements.material_scripts import gazebo_material

from .world_ends import MASSLESS

MAPS = frozenset({
    "albedo_map", "normal_map", "environment_map", "ambient_occlusion_map", "emissive_map", "light_map",
    "roughness_map", "metalness_map", "glossiness_map", "specular_map",
})  # fmt: skip
"""Kinds of maps of physically based rendering."""
SCRIPTED = "Gazebo/"
"""Beginning of the names of the materials that Gazebo's script defines."""
_Part = TypeVar("_Part", Collision, Visual, Sensor)


def with_representable_parts(scene: Scene, report: Report) -> Scene:
    """Return the scene with the parts that SDFormat can represent.

    Args:
        scene: The scene.
        report: Receives the findings.
    """
    massless = [link.name for link in scene.links if link.inertia is None]
    if massless:
        report.add(
            Fate.NOTED,
            "sdfout.no-inertia",
            "SDFormat gives a link without inertia 1 kg; wrote the mass 0 for {links}",
            hint="state masses in the source, or weld the links to others; Gazebo refuses a mass of 0",
            subjects=massless,
            links=tuple(massless),
        )
    return dataclasses.replace(
        scene,
        links=tuple(_with_parts(link, report) for link in scene.links),
        joints=tuple(_with_sensors(joint) for joint in scene.joints),
        lights=tuple(_light(light, report) for light in scene.lights),
    )


def _with_parts(link: Link, report: Report) -> Link:
    collisions = tuple(
        dataclasses.replace(part, surface=_surface(part, link, report)) for part in _uniquely_named(link.collisions)
    )
    visuals = tuple(
        dataclasses.replace(part, material=_material(part, link, report)) for part in _uniquely_named(link.visuals)
    )
    sensors = _uniquely_named(link.sensors)
    return dataclasses.replace(
        link, inertia=link.inertia or MASSLESS, collisions=collisions, visuals=visuals, sensors=sensors
    )


def _with_sensors(joint: Joint) -> Joint:
    return dataclasses.replace(joint, sensors=_uniquely_named(joint.sensors)) if joint.sensors else joint


def _uniquely_named(parts: tuple[_Part, ...]) -> tuple[_Part, ...]:
    """Return parts of one kind with names that are legal and unique among them."""
    taken: set[str] = set()
    named: list[Any] = []
    for part in parts:
        plain = part.name.strip().replace("::", "__") or type(part).__name__.lower()
        if plain == "world" or (plain.startswith("__") and plain.endswith("__")):
            plain = f"{plain.strip('_') or 'part'}_part"
        name, number = plain, 2
        while name in taken:
            name, number = f"{plain}_{number}", number + 1
        taken.add(name)
        named.append(part if name == part.name else dataclasses.replace(part, name=name))
    return tuple(named)


# --- surfaces --------------------------------------------------------------------------------------------------------


def _surface(collision: Collision, link: Link, report: Report) -> Surface:
    surface = collision.surface
    if surface.hydroelastic == Hydroelastic():
        surface = dataclasses.replace(surface, hydroelastic=None)
    friction = _friction(surface.friction)
    if friction != surface.friction:
        lost = [f.name for f in dataclasses.fields(Friction) if _value(friction, f) != _value(surface.friction, f)]
        report.add(
            Fate.DROPPED,
            "sdfout.friction",
            "SDFormat cannot state {properties} of collision {collision} beside the rest of its friction",
            collision.where,
            subjects=(link.name, f"{link.name}::{collision.name}"),
            properties=tuple(lost),
            collision=collision.name,
        )
        surface = dataclasses.replace(surface, friction=friction)
    return surface


def _value(friction: Friction, entry: Any) -> Any:
    return getattr(friction, entry.name)


def _friction(friction: Friction) -> Friction:
    """Return what one ``<friction>`` says: Drake's has two coefficients only, and a torsional one needs its own."""
    if friction.mu_static is not None:
        return Friction(mu=friction.mu, mu2=friction.mu, mu_static=friction.mu_static)
    if friction.torsional is None:
        torsion = ("patch_radius", "surface_radius", "use_patch_radius", "torsional_slip")
        defaults = {f.name: f.default for f in dataclasses.fields(Friction) if f.name in torsion}
        return dataclasses.replace(friction, **defaults)  # type: ignore[arg-type]
    return friction


# --- materials -------------------------------------------------------------------------------------------------------


def _material(visual: Visual, link: Link, report: Report) -> Material | None:
    material = visual.material
    if material is None:
        return None
    material, lost = without_undrawn_textures(material)
    maps = tuple((kind, file) for kind, file in material.maps if kind in MAPS)
    name = material.name if (material.name or "").startswith(SCRIPTED) else None
    lost += [kind for kind, _ in material.maps if kind not in MAPS]
    if name != material.name:
        lost.append("name")
    colored = with_colors_in_range(material)
    if colored is not material:
        lost.append(BEYOND_COLORS)
    if lost:
        report.add(
            Fate.NOTED,
            "sdfout.material",
            "SDFormat cannot state {properties} of material {material}",
            visual.where,
            subjects=(link.name,),
            properties=tuple(lost),
            material=material.name or "without a name",
        )
    if material.texture is not None and "albedo_map" not in dict(maps):
        maps = (("albedo_map", material.texture), *maps)
    return _colored(dataclasses.replace(colored, name=name, maps=maps))


def _colored(material: Material) -> Material:
    """Return a material with the colors that a reader takes from Gazebo's script where the material states none."""
    scripted = gazebo_material(material.name or "")
    if scripted is None:
        return material
    diffuse, emissive = material.diffuse or scripted.diffuse, material.emissive or scripted.emissive
    return dataclasses.replace(material, diffuse=diffuse, emissive=emissive)


def _light(light: Light, report: Report) -> Light:
    """Return a light with colors that SDFormat can state."""
    said = with_colors_in_range(light)
    if said is not light:
        report.add(
            Fate.NOTED,
            "sdfout.field",
            "SDFormat has no place for {field} of {kind} {owner}",
            light.where,
            subjects=(light.name,),
            field=BEYOND_COLORS,
            kind="light",
            owner=light.name,
        )
    return said
