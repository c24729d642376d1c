"""Reader of OBJ with MTL, STL, glTF, PLY and OFF, with trimesh.

Looks of glTF and of material libraries are read here from the files themselves.
"""

from __future__ import annotations

import base64
import binascii
import io
import json
import math
import re
import struct
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from loaders.limits import raised_as
from loaders.meshes.mesh_data import (
    COLORS_BESIDE,
    WHITE,
    Losses,
    StatedLook,
    colored,
    emitted,
    glowing,
    opacity,
    srgb,
)
from loaders.model import Rgba
from loaders.pose import Array, frozen
from loaders.text import as_utf8

from .mesh_data import (
    COMPANIONS,
    MeshPart,
    Remark,
    Textures,
    libraries,
    local_file,
    remarks_on_libraries,
)
from .precheck import MeshError, check_faces, check_parts, gltf_header, read_checked, stl_faces

_OBJECT = re.compile(rb"^[ \t]*o[ \t]+(.*?)[ \t\r]*$", re.MULTILINE)
_ELEMENTS = (b"f", b"l", b"p", b"fo")
"""Statements that belong to the group in which they stand."""


def group_of(data: bytes, name: str) -> bytes | None:
    """Return an OBJ file with the elements of one group only; None if the name is not that of a
    group.

    A name that is also that of an object is left to the reader of objects.

    Args:
        data: Contents of the file.
        name: Name of the group.
    """
    wanted = name.encode()
    if wanted not in data or any(match[1] == wanted for match in _OBJECT.finditer(data)):
        return None
    lines: list[bytes] = []
    inside, found = False, False
    for line in data.split(b"\n"):
        words = line.split(maxsplit=1)
        statement = words[0] if words else b""
        if statement == b"g":
            names = words[1].strip() if len(words) > 1 else b""
            inside = wanted == names or wanted in names.split()
            found = found or inside
        elif statement not in _ELEMENTS or inside:
            lines.append(line)
    return b"\n".join(lines) if found else None


SUFFIXES = (".obj", ".stl", ".gltf", ".glb", ".ply", ".off")
"""Suffixes of the files that trimesh reads here."""
_GLTF = frozenset({".gltf", ".glb"})
_R_GLTF = np.array(((1.0, 0.0, 0.0), (0.0, 0.0, -1.0), (0.0, 1.0, 0.0)))
"""Rotation from the axes of glTF, always Y up, to Z up."""

_TEXTS = frozenset({".obj", ".mtl", ".off"})
_COLORED_VERTEX = re.compile(rb"^[ \t]*v(?:[ \t]+[^\s#]+){6}", re.MULTILINE)
"""A vertex of OBJ with a color."""
_USED_MATERIAL = re.compile(rb"^[ \t]*usemtl[ \t]+([^\r\n]*)", re.MULTILINE)
_NEW_MATERIAL = re.compile(r"(?im)^[ \t]*newmtl\b.*")
_PLY_TEXTURE = re.compile(rb"^comment TextureFile", re.MULTILINE)
_HEAD = 1 << 16
"""Bytes at the beginning of a file that have its header."""


def read_with_trimesh(data: bytes, path: Path) -> tuple[list[MeshPart], list[Remark]]:
    """Return the parts of a file, Z up, and remarks on what is ignored.

    Args:
        data: Contents of the file.
        path: The file.

    Raises:
        MeshError: if the file cannot be read.
    """
    import trimesh

    suffix = path.suffix.lower()
    textures, losses = Textures(path), Losses()
    options: dict[str, Any] = {"split_objects": True} if suffix == ".obj" else {}
    library = _library(data, path) if suffix == ".obj" else ""
    resolver = _resolver(path, library)
    with raised_as(MeshError, f"the file is not valid {suffix[1:].upper()}"):
        named: dict[str, StatedLook] = {}
        if suffix in _GLTF:
            header = gltf_header(data)
            looks = GltfLooks(data, header, textures, losses).looks
            named = {f"#{number}": look for number, look in enumerate(looks)}
            data = plain_gltf(data, header, looks)
        stream = io.BytesIO(as_utf8(data) if suffix in _TEXTS else data)
        scene = trimesh.load_scene(
            stream, file_type=suffix[1:], resolver=resolver, process=False, **options
        )
        if suffix == ".obj":
            named = mtl_looks(library, textures, losses)
            used = {as_utf8(name).decode().strip() for name in _USED_MATERIAL.findall(data)}
            losses.add("a material of a library that was not found", _unknown(used, named, data))
        _count_unread(data, suffix, losses)
        if suffix == ".obj" and _COLORED_VERTEX.search(data):
            kinds = [geometry.visual.kind for geometry in scene.geometry.values()]
            losses.add(COLORS_BESIDE, kinds.count("texture"))
        parts = list(_parts(scene, suffix, named, losses))
    outside = remarks_on_libraries(data, path) if suffix == ".obj" else []
    return parts, [*textures.remarks(), *outside, *losses.remarks()]


def _unknown(used: set[str], named: Mapping[str, StatedLook], data: bytes) -> int:
    """Return how many materials of an OBJ file with libraries none of those that were found has."""
    return len(used - named.keys()) if b"mtllib" in data else 0


def _count_unread(data: bytes, suffix: str, losses: Losses) -> None:
    """Count what a file states about looks in a way that is not read."""
    if suffix == ".ply" and _PLY_TEXTURE.search(data, 0, _HEAD):
        losses.add("a texture of PLY")
    if suffix == ".stl" and (b"COLOR=" in data[:80] or _has_colored_triangles(data)):
        losses.add("colors of STL")


_TRIANGLE = np.dtype([("numbers", "<f4", 12), ("color", "<u2")])
"""A triangle of a binary STL file."""


def _has_colored_triangles(data: bytes) -> bool:
    """Return whether a triangle of a binary STL file has a color, which its highest bit says."""
    if stl_faces(data) == 0:
        return False
    return bool((np.frombuffer(data, _TRIANGLE, offset=84)["color"] >> 15).any())


def _parts(
    scene: Any, suffix: str, named: dict[str, StatedLook], losses: Losses
) -> Iterator[MeshPart]:
    import trimesh

    nodes = scene.graph.nodes_geometry
    geometries = [scene.geometry[scene.graph[node][1]] for node in nodes]
    check_parts(len(nodes))
    check_faces(sum(len(getattr(geometry, "faces", ())) for geometry in geometries))
    for node in nodes:
        X, name = scene.graph[node]
        mesh = scene.geometry[name]
        if not isinstance(mesh, trimesh.Trimesh) or not len(mesh.faces):
            continue
        if suffix == ".stl":
            mesh.merge_vertices()
        A, p = (
            (_R_GLTF @ X[:3, :3], _R_GLTF @ X[:3, 3]) if suffix in _GLTF else (X[:3, :3], X[:3, 3])
        )
        faces = np.asarray(mesh.faces, dtype=np.int64)
        part = MeshPart(
            names=_names(node, name, mesh),
            vertices=frozen(np.asarray(mesh.vertices, dtype=np.float64) @ A.T + p),
            faces=faces[:, ::-1] if np.linalg.det(A) < 0.0 else faces,
            uv=_uv(mesh),
        )
        material = getattr(getattr(mesh.visual, "material", None), "name", None)
        look = named.get(str(material), StatedLook())
        yield colored(look.on(part, losses), _face_colors(mesh), losses)


def _names(node: str, geometry: str, mesh: Any) -> tuple[str, ...]:
    """Return the names of a part; trimesh calls an object of an OBJ file ``object_material``."""
    material = getattr(getattr(mesh.visual, "material", None), "name", None)
    stem = geometry.removesuffix(f"_{material}") if material else geometry
    return tuple(dict.fromkeys((stem, geometry, node)))


def _uv(mesh: Any) -> Array | None:
    stated = mesh.vertex_attributes.get(UV)
    if stated is not None and len(stated) == len(mesh.vertices):
        return frozen(texture_coordinates(stated))
    uv = getattr(mesh.visual, "uv", None)
    if uv is None or len(uv) != len(mesh.vertices) or np.ndim(uv) != 2 or uv.shape[1] < 2:
        return None
    return frozen(
        uv[:, :2]
    )  # a file may give a third coordinate, or in a damaged one only the first


def _face_colors(mesh: Any) -> Array | None:
    """Return the colors of the faces of a mesh from 0 to 1, the mean of those of their corners
    where it has colors of vertices, shape (n, 4); None if it has none.
    """
    light = getattr(mesh.visual, "vertex_attributes", {}).get("color")
    if light is None and mesh.visual.kind == "face":
        return np.asarray(mesh.visual.face_colors, dtype=np.float64) / 255.0
    if light is None and mesh.visual.kind != "vertex":
        return None
    of_vertices = (
        np.asarray(mesh.visual.vertex_colors, dtype=np.float64) / 255.0
        if light is None
        else vertex_colors(light)
    )
    of_faces: Array = of_vertices[mesh.faces].mean(axis=1)
    return of_faces if len(of_vertices) == len(mesh.vertices) else None


# --- files that a mesh refers to: only materials and buffers are opened, and only close to it -----


def _library(data: bytes, path: Path) -> str:
    """Return the text of all material libraries of an OBJ file that can be read, together.

    Args:
        data: Contents of the file.
        path: The file.
    """
    texts = []
    for key in dict.fromkeys(libraries(as_utf8(data), "utf-8")):
        name = local_file(key, path)
        if name is not None and Path(name).suffix.lower() == ".mtl":
            with suppress(MeshError):
                texts.append(as_utf8(read_checked(Path(name))).decode(errors="replace"))
    return "\n".join(texts)


def _resolver(path: Path, library: str) -> Any:
    """Return the object that gives trimesh further files: of material libraries the names of the
    materials only, and no images.

    Args:
        path: The file.
        library: Text of its material libraries.
    """
    import trimesh

    class Companions(trimesh.resolvers.Resolver):  # type: ignore[misc, unused-ignore]
        def __init__(self) -> None:
            pass

        def get(self, key: str) -> bytes:
            if path.suffix.lower() == ".obj":
                return "\n".join(_NEW_MATERIAL.findall(library)).encode()
            name = local_file(key, path)
            if name is None or Path(name).suffix.lower() not in COMPANIONS:
                raise FileNotFoundError(key)
            return read_checked(Path(name))

        def write(self, name: str, data: bytes) -> None:
            raise NotImplementedError

        def namespaced(self, namespace: str) -> Any:
            raise NotImplementedError

        def keys(self) -> list[str]:
            return []

    return Companions()


# --- looks that a material library (MTL) of an OBJ file states ------------------------------------

_OPTIONS = {"-mm": 2, "-o": 3, "-s": 3, "-t": 3}
"""Largest number of arguments of the options of a texture in MTL; all others have one."""
_VARIABLE = ("-o", "-s", "-t")
"""Options that may have fewer arguments."""


def mtl_looks(library: str, textures: Textures, losses: Losses) -> dict[str, StatedLook]:
    """Return the looks that a material library states, by the names of the materials.

    Args:
        library: Text of the library.
        textures: Search for the textures.
        losses: Count of what is not carried.
    """
    return {
        name: _mtl_look(statements, textures, losses)
        for name, statements in _materials(library).items()
    }


def _mtl_look(statements: dict[str, list[str]], textures: Textures, losses: Losses) -> StatedLook:
    image = _texture(statements.get("map_kd"))
    color = _mtl_color(statements.get("kd"))
    alpha = _opacity(statements)
    if color is None and alpha < 1.0:
        color = WHITE
    mask = _texture(statements.get("map_d"))
    if mask is not None and (image is None or mask.name != image.name):
        losses.add("opacity by a texture")
    look = StatedLook(
        color=None if color is None else (*color[:3], alpha),
        texture=textures.find(image.name) if image else None,
        emissive=emitted(list(_numbers(statements.get("ke")))),
        uv_transform=image.uv_transform if image else None,
        repeats=image is None or image.options.get("-clamp") not in (["on"], ["1"]),
    )
    if image is None and "map_ka" in statements:
        losses.add("a texture of ambient light alone")
    if not look.has_texture:
        losses.add_ambient(look, _mtl_color(statements.get("ka")))
    glow = _texture(statements.get("map_ke"))
    file = textures.find(glow.name) if glow else None
    return glowing(look, StatedLook(texture=file, color=look.emissive), losses)


def _mtl_color(words: Sequence[str] | None) -> Rgba | None:
    """Return the color of a statement; one number is a shade of gray."""
    values = [min(max(value, 0.0), 1.0) for value in _numbers(words)][:3]
    if not values:
        return None
    red, green, blue = values if len(values) == 3 else 3 * values[:1]
    return red, green, blue, 1.0


def _opacity(statements: dict[str, list[str]]) -> float:
    """Return the opacity; where ``d`` is stated too, ``Tr`` is the same the other way around."""
    opaque = next(_numbers((statements.get("d") or [])[-1:]), None)
    clear = next(_numbers((statements.get("tr") or [])[-1:]), None)
    if opaque is None:
        opaque = 1.0 - (clear or 0.0)
    return opacity(opaque)


def _materials(library: str) -> dict[str, dict[str, list[str]]]:
    """Return the words of each statement of each material of a library, by their names.

    Args:
        library: Text of the library.
    """
    materials: dict[str, dict[str, list[str]]] = {}
    statements: dict[str, list[str]] = {}
    for line in library.splitlines():
        words = line.split()
        if not words or words[0].startswith("#"):
            continue
        if words[0].lower() == "newmtl":
            statements = materials[" ".join(words[1:])] = {}
        else:
            statements[words[0].lower()] = words[1:]
    return materials


@dataclass(frozen=True, slots=True)
class _Texture:
    """A texture of MTL: the name of its file, and its options."""

    name: str
    options: dict[str, list[str]]

    @property
    def uv_transform(self) -> Array | None:
        """The transform that ``-s`` and ``-o`` state, shape (2, 3); None if they state none."""
        scale, offset = (
            [*map(_number, self.options.get(key, ())), *default][:2]
            for key, default in (("-s", (1.0, 1.0)), ("-o", (0.0, 0.0)))
        )
        if (scale, offset) == ([1.0, 1.0], [0.0, 0.0]):
            return None
        return np.array(((scale[0], 0.0, offset[0]), (0.0, scale[1], offset[1])))


def _texture(words: Sequence[str] | None) -> _Texture | None:
    """Return the texture that a statement such as ``map_Kd`` names; None if it names none."""
    pending = list(words or ())
    options: dict[str, list[str]] = {}
    while pending and pending[0].startswith("-"):
        option = pending.pop(0)
        most = _OPTIONS.get(option, 1)
        least = 1 if option in _VARIABLE else most
        count = 0
        while count < most and len(pending) > 1 and (count < least or _is_number(pending[0])):
            options.setdefault(option, []).append(pending.pop(0))
            count += 1
    return _Texture(" ".join(pending), options) if pending else None


def _numbers(words: Sequence[str] | None) -> Iterator[float]:
    """Yield the finite numbers at the beginning of a statement."""
    for word in words or ():
        if not _is_number(word):
            return
        yield float(word)


def _is_number(word: str) -> bool:
    try:
        return math.isfinite(float(word))
    except ValueError:
        return False


def _number(word: str) -> float:
    return float(word) if _is_number(word) else 0.0


# --- looks that a glTF file states, and its textures inside the file ------------------------------

_REPEAT = 10497
"""Number of the wrapping in which a texture repeats, which is the default."""
_OTHER_SOURCES = ("EXT_texture_webp", "KHR_texture_basisu", "MSFT_texture_dds")
"""Extensions that name another image of a texture."""
_UNLIT = "KHR_materials_unlit"
_GLOSSINESS = "KHR_materials_pbrSpecularGlossiness"
_GLASS = "KHR_materials_transmission"
UV = "_UV"
"""Name of an attribute that trimesh keeps as it is: it would take integers for floats."""
_CHUNK = struct.Struct("<II")


class GltfLooks:
    """The looks of the materials of one file.

    Attributes:
        looks: Look of each material.
    """

    def __init__(
        self, data: bytes, header: dict[str, Any], textures: Textures, losses: Losses
    ) -> None:
        self._data, self._header, self._textures, self._losses = data, header, textures, losses
        self.looks = [self._look(material) for material in header.get("materials", [])]

    def _look(self, material: dict[str, Any]) -> StatedLook:
        extensions = material.get("extensions", {})
        pbr, gloss = material.get("pbrMetallicRoughness", {}), extensions.get(_GLOSSINESS)
        factor = (gloss.get("diffuseFactor") if gloss else pbr.get("baseColorFactor")) or WHITE
        image = gloss.get("diffuseTexture") if gloss else pbr.get("baseColorTexture")
        strength = extensions.get("KHR_materials_emissive_strength", {}).get("emissiveStrength", 1)
        light = strength * np.asarray(material.get("emissiveFactor", (0.0, 0.0, 0.0)), float)
        if extensions.get(_GLASS, {}).get("transmissionFactor"):
            self._losses.add("light that passes through")
        color = _gltf_color(factor, self._alpha(material, float(factor[3])))
        emissive = color if _UNLIT in extensions else emitted(srgb(light).tolist())
        look = StatedLook(
            color=color,
            emissive=emissive,
            double_sided=bool(material.get("doubleSided")),
            **self._texture(image),
        )
        glow = self._texture(material.get("emissiveTexture")) if emissive else {}
        return glowing(look, StatedLook(color=emissive, **glow), self._losses)

    def _alpha(self, material: dict[str, Any], alpha: float) -> float:
        """Return the opacity of a material; that of a mask is all or nothing."""
        mode = material.get("alphaMode", "OPAQUE")
        return opacity(alpha) if mode == "BLEND" else 1.0

    def _texture(self, reference: dict[str, Any] | None) -> dict[str, Any]:
        """Return the fields of a look that a reference to a texture states."""
        if not reference:
            return {}
        texture = self._header["textures"][reference["index"]]
        others = texture.get("extensions", {})
        sources = [others[name].get("source") for name in _OTHER_SOURCES if name in others]
        source = texture.get("source", next(iter(sources), None))
        if source is None:
            return {}
        sampler = self._header["samplers"][texture["sampler"]] if "sampler" in texture else {}
        moved = reference.get("extensions", {}).get("KHR_texture_transform", {})
        found: dict[str, Any] = {
            "uv_set": int(moved.get("texCoord", reference.get("texCoord", 0))),
            "uv_transform": _uv_transform(moved),
            "repeats": all(sampler.get(wrap, _REPEAT) == _REPEAT for wrap in ("wrapS", "wrapT")),
        }
        image = self._header["images"][source]
        picture = self._picture(image)
        if picture == b"":
            self._losses.add("a texture inside the file that is damaged")
            return {}
        return found | (
            {"texture": self._textures.find(image.get("uri"))}
            if picture is None
            else {"picture": picture}
        )

    def _picture(self, image: dict[str, Any]) -> bytes | None:
        """Return the content of an image inside the file; None if it is a file of its own."""
        uri = str(image.get("uri", ""))
        if uri.startswith("data:"):
            return _decoded(uri)
        if "bufferView" not in image:
            return None
        view = self._header["bufferViews"][image["bufferView"]]
        start = view.get("byteOffset", 0)
        return self._buffer(view["buffer"])[start : start + view["byteLength"]]

    def _buffer(self, index: int) -> bytes:
        uri = self._header["buffers"][index].get("uri")
        if uri is None:
            length = _CHUNK.unpack_from(self._data, 12)[0]
            return self._data[20 + length + _CHUNK.size :]
        if uri.startswith("data:"):
            return _decoded(uri)
        file = local_file(uri, self._textures.path)
        return read_checked(Path(file)) if file is not None else b""


def _decoded(uri: str) -> bytes:
    try:
        return base64.b64decode(uri.partition(",")[2], validate=True)
    except binascii.Error:
        return b""


def _gltf_color(linear: Any, alpha: float) -> Rgba:
    red, green, blue = srgb(linear[:3]).tolist()
    return red, green, blue, alpha


def _uv_transform(moved: dict[str, Any]) -> Array | None:
    """Return the transform of texture coordinates with v upward, shape (2, 3), from one with v
    downward, which scales, turns counterclockwise as the picture is seen, and moves.
    """
    if not moved:
        return None
    sx, sy = moved.get("scale", (1.0, 1.0))
    ox, oy = moved.get("offset", (0.0, 0.0))
    c, s = np.cos(moved.get("rotation", 0.0)), np.sin(moved.get("rotation", 0.0))
    down = np.array(((c * sx, s * sy, ox), (-s * sx, c * sy, oy), (0.0, 0.0, 1.0)))
    flip = np.array(((1.0, 0.0, 0.0), (0.0, -1.0, 1.0), (0.0, 0.0, 1.0)))
    transform: Array = (flip @ down @ flip)[:2]
    return transform


def plain_gltf(data: bytes, header: dict[str, Any], looks: list[StatedLook]) -> bytes:
    """Return a file of the same shapes, whose materials have only their number as a name, and whose
    texture coordinates are those that the texture of the material uses, as the attribute `UV`.

    Args:
        data: Contents of the file.
        header: Its header.
        looks: Look of each material.
    """
    kept = {key: value for key, value in header.items() if key not in ("images", "textures")}
    kept["materials"] = [{"name": f"#{number}"} for number in range(len(looks) + 1)]
    kept["meshes"] = []
    for mesh in header.get("meshes", []):
        primitives = [_plain_primitive(entry, looks) for entry in mesh["primitives"]]
        kept["meshes"].append({**mesh, "primitives": primitives})
    text = json.dumps(kept).encode()
    if not data.startswith(b"glTF"):
        return text
    text += b" " * (-len(text) % 4)
    length, kind = _CHUNK.unpack_from(data, 12)
    rest = data[20 + length :]
    start = data[:8] + struct.pack("<I", 20 + len(text) + len(rest))
    return start + _CHUNK.pack(len(text), kind) + text + rest


def _plain_primitive(primitive: dict[str, Any], looks: list[StatedLook]) -> dict[str, Any]:
    number = primitive.get("material", len(looks))
    attributes = dict(primitive["attributes"])
    used = looks[number].uv_set if number < len(looks) else 0
    if f"TEXCOORD_{used}" in attributes:
        attributes[UV] = attributes[f"TEXCOORD_{used}"]
    attributes.pop("TEXCOORD_0", None)
    return {**primitive, "attributes": attributes, "material": number}


def texture_coordinates(coordinates: Any) -> Array:
    """Return texture coordinates with v upward, shape (n, 2).

    Args:
        coordinates: Coordinates with v downward, as floats or as integers of their whole range.
    """
    values = _floats(coordinates)[:, :2] * (1.0, -1.0) + (0.0, 1.0)
    return np.asarray(values, dtype=np.float64)


def _floats(numbers: Any) -> Array:
    """Return floats as they are, and integers of their whole range from 0 to 1."""
    values = np.asarray(numbers)
    most = np.iinfo(values.dtype).max if np.issubdtype(values.dtype, np.integer) else 1
    return np.asarray(values / float(most), dtype=np.float64)


def vertex_colors(colors: Any) -> Array:
    """Return colors of vertices as they are on a screen, shape (n, 4).

    Args:
        colors: Light as numbers from 0 to 1, or as integers of their whole range, shape (n, 3 or
            4).
    """
    light = _floats(colors)
    alpha = light[:, 3:4] if light.shape[1] > 3 else np.ones((len(light), 1))
    return np.concatenate((srgb(light[:, :3]), alpha), axis=1)
