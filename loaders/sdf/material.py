"""material: colors, textures and Ogre scripts.

The script ``gazebo.material`` is part of Gazebo and not of models; its plain colors are in a table
here.
"""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import chain
from pathlib import Path

from loaders import codes as loaders_codes
from loaders.context import Context
from loaders.diagnostics import Diagnostics
from loaders.drake.dialect import SDF
from loaders.drake.link import diffuse_map
from loaders.files.read_file import is_file, read, regular_files
from loaders.limits import FileError
from loaders.model import Material, Rgba
from loaders.node import Node
from loaders.numbers import plain_values
from loaders.sdf import codes

from .unmodeled import mark_read, report_ignored


def read_color(node: Node | None) -> Rgba | None:
    """Return the color in an element, or None if it is missing or empty."""
    words = [] if node is None else node.text.split()
    if node is None or not words:
        return None
    if len(words) not in (3, 4):
        node.report(loaders_codes.XML_NOT_A_VECTOR_COLOR, count=len(words))
        return None
    values = plain_values(words) or node.numbers(".", len(words))
    if len(values) == 3:
        values += (1.0,)
    if min(values) < 0.0 or max(values) > 1.0:
        node.report(loaders_codes.XML_OUT_OF_RANGE_COLOR, color=node.text.strip())
        values = tuple(min(max(value, 0.0), 1.0) for value in values)
    red, green, blue, opacity = values
    return red, green, blue, opacity


_GAZEBO_FOLDER = "file://media/materials/scripts/"
"""Start of the URIs that Gazebo looks up in its own installation."""
_WORD = re.compile(r"//[^\n]*|/\*(?:[^*]|\*(?!/))*+(?:\*/)?|[{}\n]|[^\s{}]+")
"""A word, brace or comment; a comment without an end extends to the end of the file."""
_WHITE = (1.0, 1.0, 1.0, 1.0)

_GAZEBO_COLORS = {
    "Black": (0.0, 0.0, 0.0),
    "Blue": (0.0, 0.0, 1.0),
    "DarkGrey": (0.175, 0.175, 0.175),
    "FlatBlack": (0.1, 0.1, 0.1),
    "Gold": (0.8, 0.64869, 0.120759),
    "Green": (0.0, 1.0, 0.0),
    "Grey": (0.7, 0.7, 0.7),
    "Orange": (1.0, 0.5088, 0.0468),
    "Pioneer2Body": (0.681193, 0.000923, 0.000923),
    "Purple": (1.0, 0.0, 1.0),
    "Red": (1.0, 0.0, 0.0),
    "RedBright": (0.87, 0.26, 0.07),
    "SkyBlue": (0.0, 0.0, 1.0),
    "Turquoise": (0.0, 1.0, 1.0),
    "White": (1.0, 1.0, 1.0),
    "Yellow": (1.0, 1.0, 0.0),
    "ZincYellow": (0.9725, 0.9529, 0.2078),
}
"""Diffuse colors of ``gazebo.material``, without ``Gazebo/``; emissive variants have the suffix
``Glow``."""
SCRIPTED = "Gazebo/"
"""Beginning of the names of the materials that Gazebo's script defines."""
GAZEBO_SCRIPT = "file://media/materials/scripts/gazebo.material"
"""URI of Gazebo's script."""
_LIT = {"JointAnchor": "White", "LightOff": "Red", "LightOn": "Green"}
"""The color of materials that emit it under another name."""
_TRANSPARENT = {
    "BlueLaser": (0.0, 0.0, 1.0, 0.4),
    "BlueTransparent": (0.0, 0.0, 1.0, 0.5),
    "BlueTransparentOverlay": (0.0, 0.0, 1.0, 0.5),
    "GreenTransparent": (0.0, 1.0, 0.0, 0.5),
    "GreenTransparentOverlay": (0.0, 1.0, 0.0, 0.5),
    "GreyTransparent": (0.5, 0.5, 0.5, 0.5),
    "OrangeTransparent": (1.0, 0.44, 0.0, 0.4),
    "RedTransparent": (1.0, 0.0, 0.0, 0.5),
    "RedTransparentOverlay": (1.0, 0.0, 0.0, 0.5),
    "YellowTransparent": (1.0, 1.0, 0.0, 0.5),
}
"""Colors and opacities of transparent materials."""
_PICTURES = {
    **dict.fromkeys(("Wood", "WoodFloor", "WoodPallet", "Trunk"), (0.55, 0.39, 0.25)),
    "Bricks": (0.55, 0.35, 0.28),
    "CeilingTiled": (0.8, 0.8, 0.78),
    "PaintedWall": (0.8, 0.78, 0.72),
    "PioneerBody": (0.7, 0.05, 0.05),
    "Steps": (0.5, 0.48, 0.45),
    "WindowFrame": (0.6, 0.6, 0.6),
    **dict.fromkeys(("Footway", "Pedestrian"), (0.6, 0.58, 0.55)),
    **dict.fromkeys(
        (
            *("Lane_1", "Lanes_2", "Lanes_4", "Lanes_6", "Motorway", "Primary", "Residential"),
            *("Road", "Secondary", "Tertiary"),
        ),
        (0.3, 0.3, 0.3),
    ),
}
"""A color of the kind of each material whose picture is part of Gazebo and not of models."""


@dataclass(slots=True)
class _Entry:
    """One material of a script: its parent material, and the first statement of each kind."""

    parent: str = ""
    statements: dict[str, list[str]] = field(default_factory=dict)


def script_material(script: Node, name: str, context: Context) -> Material:
    """Return the material that a ``<script>`` refers to; with its name only, after a note, if it is
    not found.

    Args:
        script: The ``<script>``, whose ``<uri>`` elements name scripts or folders.
        name: The name of the material.
        context: The places to search.
    """
    paths = list(_locate_scripts(script, context))
    base = Path(script.file).parent
    scripts = chain.from_iterable(_script_files(path) for path in paths)
    files = [file for file in scripts if context.resources.allows(file, base)]
    entries: dict[str, _Entry] = {}
    for file in reversed(files):
        entries |= _read_script(file)
    if name in entries:
        statements = _inherited_statements(name, entries)
        places = _texture_places(statements.get("texture", []), _texture_folders(paths, files))
        allowed = (place for place in places if context.resources.allows(place, base))
        texture = next((place for place in allowed if is_file(place)), None)
        return _create_material(name, statements, texture, script)
    material = gazebo_material(name)
    if material is None:
        script.report(codes.UNKNOWN_MATERIAL, name=name)
    elif name.removeprefix(SCRIPTED) in _PICTURES:
        script.report(codes.UNKNOWN_MATERIAL_PICTURE, name=name)
    return material or Material(name=name)


def gazebo_material(name: str) -> Material | None:
    """Return a material of Gazebo's own script, such as ``Gazebo/Green``; None if the script has no
    such color.

    Args:
        name: The name of the material.
    """
    prefix, _, color = name.rpartition(SCRIPTED)
    if prefix or color == name:
        return None
    plain = color.removesuffix("Glow")
    rgb = _GAZEBO_COLORS.get(_LIT.get(color, plain)) or _PICTURES.get(color)
    rgba = _TRANSPARENT.get(color) if rgb is None else (*rgb, 1.0)
    if rgba is None:
        return None
    is_lit = color in _LIT or plain != color
    return Material(name=name, diffuse=rgba, emissive=rgba if is_lit else None)


# --- files ----------------------------------------------------------------------------------------


def _locate_scripts(script: Node, context: Context) -> Iterator[Path]:
    """Yield the files and folders of a ``<script>``, without diagnostics: only a missing material
    is reported.
    """
    silent = Node("uri", {}, file=script.file, line=script.line, diagnostics=Diagnostics())
    for node in script.all("uri"):
        uri = node.text.strip()
        if not uri.startswith(_GAZEBO_FOLDER):
            path = context.resources.find(uri, Path(script.file).parent, silent)
            if path is not None:
                yield path


def _texture_folders(paths: list[Path], files: list[Path]) -> list[Path]:
    """Return the folders to search for textures, in order."""
    return [
        *paths,
        *(file.parent for file in files),
        *(file.parent.parent / "textures" for file in files),
    ]


def _script_files(path: Path) -> list[Path]:
    return list(regular_files(path, ".material")) if path.is_dir() else [path]


def _read_script(file: Path) -> dict[str, _Entry]:
    """Return the materials of a script by name; empty if the file cannot be read."""
    try:
        return _parse_script(file, file.stat().st_mtime_ns)
    except (OSError, FileError):
        return {}


@lru_cache(maxsize=64)
def _parse_script(file: Path, _modified_ns: int) -> dict[str, _Entry]:
    text = read(file, option="side_file_bytes").decode("utf-8", errors="replace")
    entries: dict[str, _Entry] = {}
    for blocks, words in _statements(text):
        header = " ".join(blocks[0]).replace(":", " : ").split() if blocks else []
        if len(header) >= 2 and header[0] == "material":
            parent = header[3] if header[2:3] == [":"] and len(header) > 3 else ""
            entry = entries.setdefault(header[1], _Entry(parent))
            if words:
                entry.statements.setdefault(words[0].lower(), words[1:])
    return entries


def _statements(text: str) -> Iterator[tuple[list[list[str]], list[str]]]:
    """Yield each line with the headers of the blocks around it, and an empty line where a block
    begins.
    """
    blocks: list[list[str]] = []
    line: list[str] = []
    header: list[str] = []
    for word in _WORD.findall(text + "\n"):
        if word == "{":
            blocks.append(line or header)
            line, header = [], []
            yield blocks, []
        elif word in {"}", "\n"}:
            if line:
                yield blocks, line
                header, line = line, []
            if word == "}" and blocks:
                blocks.pop()
        elif not word.startswith(("//", "/*")):
            line.append(word)


# --- materials ------------------------------------------------------------------------------------


_NOT_DRAWN = {
    "scale": "1",
    "scroll": "0",
    "rotate": "0",
    "scroll_anim": "0",
    "rotate_anim": "0",
    "cull_hardware": "clockwise",
    "env_map": "off",
    **dict.fromkeys(("cubic_texture", "anim_texture", "wave_xform"), ""),
    **dict.fromkeys(("vertex_program_ref", "fragment_program_ref"), ""),
}
"""Statements of a material that are not drawn, with the word that means nothing."""
_OF_VERTICES = "vertexcolour"


def _differs(words: list[str] | None, default: str) -> bool:
    """Return whether a statement says something else than by default."""
    if words is None:
        return False
    numbers = _numbers(words) if default.isdigit() else []
    return any(number != float(default) for number in numbers) if numbers else words != [default]


def _create_material(
    name: str, statements: dict[str, list[str]], texture: Path | None, script: Node
) -> Material:
    left = [key for key, default in _NOT_DRAWN.items() if _differs(statements.get(key), default)]
    left += [f"{key} {_OF_VERTICES}" for key in _COLORS if statements.get(key) == [_OF_VERTICES]]
    if left:
        script.report(codes.APPEARANCE_OF_SCRIPT, name=name, statements=tuple(left))
    if texture is None and statements.get("texture"):
        script.report(codes.UNKNOWN_MATERIAL_TEXTURE, texture=statements["texture"][0])
    specular = statements.get("specular", [])
    shininess = _numbers(specular[-1:]) if len(specular) > 3 else []
    return Material(
        name=name,
        ambient=_color(statements.get("ambient")),
        diffuse=_color(statements.get("diffuse")) or (None if texture else _WHITE),
        specular=_color(specular[:-1] if len(specular) > 3 else specular),
        emissive=_color(statements.get("emissive")),
        shininess=shininess[0] if shininess else None,
        texture=None if texture is None else str(texture),
    )


def _inherited_statements(name: str, entries: dict[str, _Entry]) -> dict[str, list[str]]:
    """Return the statements of a material and of its ancestors; those of the descendants have
    precedence.
    """
    statements: dict[str, list[str]] = {}
    visited: set[str] = set()
    while name in entries and name not in visited:
        visited.add(name)
        statements = entries[name].statements | statements
        name = entries[name].parent
    return statements


def _texture_places(words: list[str], folders: list[Path]) -> list[Path]:
    """Return where the file of a texture may lie, in order."""
    file = words[0].replace("\\", "/").rpartition("/")[2].strip('"') if words else ""
    return [folder / file for folder in folders] if file else []


def _color(words: list[str] | None) -> Rgba | None:
    values = [min(max(value, 0.0), 1.0) for value in _numbers(words or [])]
    if len(values) < 3:
        return None
    red, green, blue, opacity = [*values, 1.0][:4]  # without a fourth number it is opaque
    return red, green, blue, opacity


def _numbers(words: list[str]) -> list[float]:
    """Return words as finite numbers; empty if one of them is not a finite number."""
    try:
        values = [float(word) for word in words]
    except ValueError:
        return []
    return values if all(abs(value) < float("inf") for value in values) else []


_IGNORED = dict.fromkeys(("lighting", "double_sided", "render_order"), codes.APPEARANCE)
_COLORS = ("ambient", "diffuse", "specular", "emissive")
_IGNORED_IN_PBR = dict.fromkeys(("glossiness", "specular"), codes.APPEARANCE)
_MISSING = ("", "__default__")
"""Names that libsdformat treats as missing; it writes the second for a missing name itself."""
_SHADERS = ("pixel", "vertex", "normal_map_object_space", "normal_map_tangent_space")
_MAPS = (
    "albedo_map", "normal_map", "environment_map", "ambient_occlusion_map", "emissive_map",
    "light_map", "roughness_map", "metalness_map", "glossiness_map", "specular_map",
)  # fmt: skip


def read_material(visual: Node, context: Context) -> Material | None:
    """Return the material of a visual, or None if it has no ``<material>``."""
    node = visual.child("material")
    if node is None:
        return None
    with node.diagnostics.tolerating("the appearance is not as written"):
        stated = _read_all_but_colors(node, context)
        ambient, diffuse, specular, emissive = (read_color(node.child(key)) for key in _COLORS)
    return Material(
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


def _read_all_but_colors(node: Node, context: Context) -> Material:
    """Return what a material states beside its colors, with the colors of its script."""
    report_ignored(node, _IGNORED)
    shader_map = _read_shader(node, context)
    values, maps = _read_pbr(node.child("pbr"), context)
    drake_map = diffuse_map(node, SDF)
    albedo_map = dict(maps).get("albedo_map")
    texture = (
        albedo_map
        if drake_map is None
        else context.resources.find_file(drake_map.word("."), drake_map)
    )
    script = _read_script_element(node, context)
    shininess = node.maybe_number("shininess")
    return dataclasses.replace(
        script,
        shininess=script.shininess if shininess is None else shininess,
        texture=texture or script.texture,
        metalness=values.get("metalness"),
        roughness=values.get("roughness"),
        maps=maps + shader_map,
    )


def _read_script_element(node: Node, context: Context) -> Material:
    """Return the material of a ``<script>``; the values in the ``<material>`` itself have
    precedence over it.
    """
    script = node.child("script")
    if script is None:
        return Material()
    if not any(uri.text.strip() not in _MISSING for uri in script.all("uri")):
        script.report(codes.MATERIAL_SCRIPT)
    name = script.word("name", "")
    if name in _MISSING:
        script.report(codes.MATERIAL_SCRIPT_NO_NAME)
    return Material() if name in _MISSING else script_material(script, name, context)


def _read_shader(node: Node, context: Context) -> tuple[tuple[str, str], ...]:
    shader = node.child("shader")
    if shader is None:
        return ()
    shader_type = shader.word("@type")
    uri = shader.word("normal_map", "")
    if shader_type and shader_type not in _SHADERS:
        shader.report(codes.SHADER, type=shader_type, types=_SHADERS)
    elif shader_type.startswith("normal_map") and not uri:
        shader.report(codes.SHADER_NO_NORMAL_MAP, type=shader_type)
    return () if uri in _MISSING else _found_maps({"normal_map": uri}, shader, context)


def _read_pbr(
    node: Node | None, context: Context
) -> tuple[dict[str, float], tuple[tuple[str, str], ...]]:
    """Return the numbers and maps of the first workflow; metal has precedence over specular."""
    workflows = [] if node is None else node.all("metal") + node.all("specular")
    if not workflows:
        return {}, ()
    for unused in workflows[1:]:
        mark_read(unused)
    workflow = workflows[0]
    report_ignored(workflow, _IGNORED_IN_PBR)
    stated = {key: workflow.maybe_number(key) for key in ("metalness", "roughness")}
    values = {key: value for key, value in stated.items() if value is not None}
    return values, _read_maps(workflow, context)


def _read_maps(workflow: Node, context: Context) -> tuple[tuple[str, str], ...]:
    stated = {key: workflow.word(key, "") for key in _MAPS}
    uris = {key: uri for key, uri in stated.items() if uri}
    for child in workflow.all(*_MAPS):
        mark_read(child)
    return _found_maps(uris, workflow, context)


def _found_maps(
    uris: Mapping[str, str], node: Node, context: Context
) -> tuple[tuple[str, str], ...]:
    """Return the kind and file of each map that was found; writers open these files, so no text of
    a URI may be one.
    """
    found = ((kind, context.resources.find_file(uri, node)) for kind, uri in uris.items())
    return tuple((kind, file) for kind, file in found if file is not None)
