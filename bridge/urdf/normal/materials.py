"""Materials as URDF can represent them, each with a name that no other one has."""

from __future__ import annotations

import dataclasses
from collections.abc import Collection

from bridge.export.documents.undrawn_textures import without_undrawn_textures
from bridge.export.number_format import BEYOND_COLORS, with_colors_in_range
from bridge.export.report import Report
from loaders.diagnostics import Fate
from loaders.files import is_file
from loaders.model import Link, Material, Visual

from .unique_names import plain_name


def is_only_a_name(material: Material) -> bool:
    """Return whether a material states no more than its name, which only Gazebo can look up."""
    return material == Material(name=material.name)


def name_for_gazebo(link: Link) -> str | None:
    """Return the name of the material that all visuals of a link have, if they state no more than it."""
    (material, *others) = {visual.material for visual in link.visuals} or {None}
    is_common = material is not None and not others and is_only_a_name(material)
    return material.name if material is not None and is_common else None


class Materials:
    """The materials of a document, each with a unique name."""

    def __init__(self, extensions: Collection[str], report: Report) -> None:
        self._extensions = extensions
        self._report = report
        self._known: dict[str, Material] = {}

    def representable(self, link: Link) -> tuple[Visual, ...]:
        """Return the visuals of a link with materials that have a name that no other material has.

        Those that state no more than their name are left out, unless a ``<gazebo>`` element names them: readers refuse
        a ``<material>`` without color and texture.

        Args:
            link: The link.
        """
        visuals = tuple(dataclasses.replace(v, material=self._representable(v, link)) for v in link.visuals)
        is_named = name_for_gazebo(dataclasses.replace(link, visuals=visuals)) is not None
        if "gazebo" in self._extensions and is_named:
            return visuals
        return tuple(self._without_bare_name(visual, link) for visual in visuals)

    def _without_bare_name(self, visual: Visual, link: Link) -> Visual:
        if visual.material is None or not is_only_a_name(visual.material):
            return visual
        self._add(["name, without a color,"], visual.material, visual, link)
        return dataclasses.replace(visual, material=None)

    def _representable(self, visual: Visual, link: Link) -> Material | None:
        stated = visual.material
        if stated is None:
            return None
        drawn, lost = without_undrawn_textures(Material(texture=stated.texture))
        colored = with_colors_in_range(Material(diffuse=stated.diffuse, specular=stated.specular))
        specular = None if colored.specular is None else (*colored.specular[:3], 1.0)
        said = dataclasses.replace(colored, texture=drawn.texture, specular=specular)
        if said.specular != colored.specular:
            lost.append("opacity of the specular color")
        if (colored.diffuse, colored.specular) != (stated.diffuse, stated.specular):
            lost.append(BEYOND_COLORS)
        if said.texture is not None and not is_file(said.texture):
            said, lost = dataclasses.replace(said, texture=None), [*lost, "texture, whose file was not found"]
        if said == Material():
            named = None if stated.name is None else Material(name=stated.name)
        else:
            named = self._named(said, plain_name(stated.name or "", "material"))
            if stated.name is not None and named.name != stated.name:
                lost.append("name")
        if lost:
            self._add(lost, stated, visual, link)
        return named

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
