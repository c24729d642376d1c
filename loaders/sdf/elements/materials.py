"""``<material>``: colours and textures of a visual."""

from __future__ import annotations

from loaders.context import Context
from loaders.diagnostics import Fate
from loaders.drake.dialect import SDF
from loaders.drake.visuals import diffuse_map
from loaders.model import Material
from loaders.node import Node

from .colors import read_colour
from .geometry import find_file
from .ignored_elements import mark_read, report_ignored
from .material_scripts import script_material

_LOOK = (Fate.NOTED, "sdf.appearance", "it only tells a renderer how to draw")
_ASIDES = dict.fromkeys(("lighting", "double_sided", "render_order"), _LOOK)
_NOTHING = ("", "__default__")
"""What libsdformat takes for a missing name, and itself writes for one."""
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
_UNUSED = dict.fromkeys(("glossiness", "specular"), _LOOK)


def read_material(visual: Node, context: Context) -> Material | None:
    """How a visual looks, or None if the file does not say."""
    node = visual.child("material")
    if node is None:
        return None
    report_ignored(node, _ASIDES)
    shader_map = _read_shader(node, context)
    values, maps = _read_pbr(node.child("pbr"), context)
    drawn = diffuse_map(node, SDF)
    texture = dict(maps).get("albedo_map") if drawn is None else find_file(drawn, drawn.word("."), context)
    script = _read_script(node, context)
    shininess = node.maybe_number("shininess")
    return Material(
        name=script.name,
        ambient=read_colour(node, "ambient") or script.ambient,
        diffuse=read_colour(node, "diffuse") or script.diffuse,
        specular=read_colour(node, "specular") or script.specular,
        emissive=read_colour(node, "emissive") or script.emissive,
        shininess=script.shininess if shininess is None else shininess,
        texture=texture or script.texture,
        metalness=values.get("metalness"),
        roughness=values.get("roughness"),
        maps=maps + shader_map,
    )


def _read_script(node: Node, context: Context) -> Material:
    """What a script says; the element itself has the last word."""
    script = node.child("script")
    if script is None:
        return Material()
    if not any(uri.text.strip() not in _NOTHING for uri in script.all("uri")):
        script.invalid("sdf.material-script", "a <script> of a material needs a <uri>")
    name = script.word("name", "")
    if name in _NOTHING:
        script.invalid("sdf.material-script", "a <script> of a material needs a <name>")
    return script_material(script, name, context) if name else Material()


def _read_shader(node: Node, context: Context) -> tuple[tuple[str, str], ...]:
    shader = node.child("shader")
    if shader is None:
        return ()
    kind = shader.word("@type")
    uri = shader.word("normal_map", "")
    if kind and kind not in _SHADERS:
        shader.invalid(
            "sdf.shader", "the shader type {kind!r} is none of {names}", kind=kind, names=", ".join(_SHADERS)
        )
    elif kind.startswith("normal_map") and not uri:
        shader.invalid("sdf.shader", "a shader of type {kind} needs a <normal_map>", kind=kind)
    return (("normal_map", find_file(shader, uri, context) or uri),) if uri else ()


def _read_pbr(node: Node | None, context: Context) -> tuple[dict[str, float], tuple[tuple[str, str], ...]]:
    """Numbers and maps of the first workflow; the metal one comes first."""
    if node is None:
        return {}, ()
    flows = [flow for tag in ("metal", "specular") for flow in node.all(tag)]
    if not flows:
        return {}, ()
    for other in flows[1:]:
        mark_read(other)
    flow = flows[0]
    report_ignored(flow, _UNUSED)
    values = {key: value for key in ("metalness", "roughness") if (value := flow.maybe_number(key)) is not None}
    maps = []
    for key in _MAPS:
        uri = flow.word(key, "")
        if uri:
            maps.append((key, find_file(flow, uri, context) or uri))
    for child in flow.all(*_MAPS):
        mark_read(child)
    return values, tuple(maps)
