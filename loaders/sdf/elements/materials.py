"""``<material>``: colors and textures of a visual."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping

from loaders.context import Context
from loaders.diagnostics import Fate
from loaders.drake.dialect import SDF
from loaders.drake.visuals import diffuse_map
from loaders.model import Material
from loaders.node import Node
from loaders.reading.makers import maker
from loaders.sdf.unmodeled_elements import mark_read, report_ignored

from .colors import read_color
from .geometry import find_file
from .material_scripts import script_material

_APPEARANCE = (Fate.NOTED, "sdf.appearance", "it affects only rendering")
_IGNORED = dict.fromkeys(("lighting", "double_sided", "render_order"), _APPEARANCE)
_COLORS = ("ambient", "diffuse", "specular", "emissive")
_RARE = (*_IGNORED, "shader", "pbr", "drake:diffuse_map", "script", "shininess")
_IGNORED_IN_PBR = dict.fromkeys(("glossiness", "specular"), _APPEARANCE)
_Material = maker(Material)
_NOTHING_RARE = Material()
_MISSING = ("", "__default__")
"""Names that libsdformat treats as missing; it writes the second for a missing name itself."""
_SHADERS = ("pixel", "vertex", "normal_map_object_space", "normal_map_tangent_space")
_MAPS = (
    "albedo_map",
    "normal_map",
    "environment_map",
    "ambient_occlusion_map",
    "emissive_map",
    "light_map",
    "roughness_map",
    "metalness_map",
    "glossiness_map",
    "specular_map",
)


def read_material(visual: Node, context: Context) -> Material | None:
    """Return the material of a visual, or None if it has no ``<material>``."""
    node = visual.child("material")
    if node is None:
        return None
    with node.diagnostics.tolerating("the appearance is not as written"):
        stated = _NOTHING_RARE if node.lacks(_RARE) else _read_rare(node, context)
        ambient, diffuse, specular, emissive = map(read_color, node.firsts(_COLORS))
    return _Material(
        name=stated.name,
        ambient=ambient or stated.ambient,
        diffuse=diffuse or stated.diffuse,
        specular=specular or stated.specular,
        emissive=emissive or stated.emissive,
        shininess=stated.shininess,
        texture=stated.texture,
        metalness=stated.metalness,
        roughness=stated.roughness,
        maps=stated.maps,
    )


def _read_rare(node: Node, context: Context) -> Material:
    """Return what a material states beside its colors, with the colors of its script."""
    report_ignored(node, _IGNORED)
    shader_map = _read_shader(node, context)
    values, maps = _read_pbr(node.child("pbr"), context)
    drake_map = diffuse_map(node, SDF)
    albedo_map = dict(maps).get("albedo_map")
    texture = albedo_map if drake_map is None else find_file(drake_map, drake_map.word("."), context)
    script = _read_script(node, context)
    shininess = node.maybe_number("shininess")
    return dataclasses.replace(
        script,
        shininess=script.shininess if shininess is None else shininess,
        texture=texture or script.texture,
        metalness=values.get("metalness"),
        roughness=values.get("roughness"),
        maps=maps + shader_map,
    )


def _read_script(node: Node, context: Context) -> Material:
    """Return the material of a ``<script>``; the values in the ``<material>`` itself have precedence over it."""
    script = node.child("script")
    if script is None:
        return _NOTHING_RARE
    if not any(uri.text.strip() not in _MISSING for uri in script.all("uri")):
        message, leniency = "the <script> of a material has no <uri>", "a material of Gazebo is meant"
        script.invalid("sdf.material-script", message, hint="add a <uri>", leniency=leniency)
    name = script.word("name", "")
    if name in _MISSING:
        message, leniency = "the <script> of a material has no <name>", "the script is ignored"
        script.invalid("sdf.material-script", message, hint="add a <name>", leniency=leniency)
    return Material() if name in _MISSING else script_material(script, name, context)


def _read_shader(node: Node, context: Context) -> tuple[tuple[str, str], ...]:
    shader = node.child("shader")
    if shader is None:
        return ()
    shader_type = shader.word("@type")
    uri = shader.word("normal_map", "")
    if shader_type and shader_type not in _SHADERS:
        shader.invalid(
            "sdf.shader",
            "unknown shader type {type!r}; expected one of: {types}",
            type=shader_type,
            types=_SHADERS,
        )
    elif shader_type.startswith("normal_map") and not uri:
        shader.invalid(
            "sdf.shader", "a shader of type {type} has no <normal_map>", hint="add a <normal_map>", type=shader_type
        )
    return () if uri in _MISSING else _found_maps({"normal_map": uri}, shader, context)


def _read_pbr(node: Node | None, context: Context) -> tuple[dict[str, float], tuple[tuple[str, str], ...]]:
    """Return the numbers and maps of the first workflow; metal has precedence over specular."""
    workflows = [] if node is None else node.all("metal") + node.all("specular")
    if not workflows:
        return {}, ()
    for unused in workflows[1:]:
        mark_read(unused)
    workflow = workflows[0]
    report_ignored(workflow, _IGNORED_IN_PBR)
    values = {key: value for key in ("metalness", "roughness") if (value := workflow.maybe_number(key)) is not None}
    return values, _read_maps(workflow, context)


def _read_maps(workflow: Node, context: Context) -> tuple[tuple[str, str], ...]:
    uris = {key: uri for key in _MAPS if (uri := workflow.word(key, ""))}
    for child in workflow.all(*_MAPS):
        mark_read(child)
    return _found_maps(uris, workflow, context)


def _found_maps(uris: Mapping[str, str], node: Node, context: Context) -> tuple[tuple[str, str], ...]:
    """Return the kind and file of each map that was found; writers open these files, so no text of a URI may be one."""
    found = ((kind, find_file(node, uri, context)) for kind, uri in uris.items())
    return tuple((kind, file) for kind, file in found if file is not None)
