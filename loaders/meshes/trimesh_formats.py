"""Reader of OBJ, STL, glTF, PLY and OFF, with trimesh."""

from __future__ import annotations

import io
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from loaders import codes
from loaders.limits import raised_as
from loaders.model import Rgba
from loaders.pose import Array, frozen
from loaders.text import as_utf8

from .mesh_data import COMPANIONS, MeshPart, Remark, Textures, local_file, remarks_on_libraries
from .precheck import MeshError, check_faces, check_parts, gltf_header, read_checked

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
_TEXTURE = re.compile(rb"(?im)^([ \t]*)map_kd\b")


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
    textures = Textures(path)
    options: dict[str, Any] = {"split_objects": True} if suffix == ".obj" else {}
    with raised_as(MeshError, f"the file is not valid {suffix[1:].upper()}"):
        stream = io.BytesIO(as_utf8(data) if suffix in _TEXTS else data)
        scene = trimesh.load_scene(
            stream, file_type=suffix[1:], resolver=_resolver(path), process=False, **options
        )
        header = gltf_header(data) if suffix in _GLTF else {}
        named = _gltf_textures(header, textures)
        parts = list(_parts(scene, suffix, named, textures))
        embedded = [_EMBEDDED] if any(map(_is_embedded, header.get("images", []))) else []
    outside = remarks_on_libraries(data, path) if suffix == ".obj" else []
    return parts, [*textures.remarks(), *outside, *embedded]


_EMBEDDED = Remark(codes.MESH_EMBEDDED_TEXTURE)


def _parts(
    scene: Any, suffix: str, named: dict[str, str], textures: Textures
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
        material = getattr(mesh.visual, "material", None)
        texture = named.get(str(getattr(material, "name", None))) or _obj_texture(
            material, textures
        )
        yield MeshPart(
            names=_names(node, name, mesh),
            vertices=frozen(np.asarray(mesh.vertices, dtype=np.float64) @ A.T + p),
            faces=faces[:, ::-1] if np.linalg.det(A) < 0.0 else faces,
            uv=_uv(mesh),
            color=_color(mesh, material),
            texture=texture,
        )


def _names(node: str, geometry: str, mesh: Any) -> tuple[str, ...]:
    """Return the names of a part; trimesh calls an object of an OBJ file ``object_material``."""
    material = getattr(getattr(mesh.visual, "material", None), "name", None)
    stem = geometry.removesuffix(f"_{material}") if material else geometry
    return tuple(dict.fromkeys((stem, geometry, node)))


def _uv(mesh: Any) -> Array | None:
    uv = getattr(mesh.visual, "uv", None)
    if uv is None or len(uv) != len(mesh.vertices) or np.ndim(uv) != 2 or uv.shape[1] < 2:
        return None
    return frozen(
        uv[:, :2]
    )  # a file may give a third coordinate, or in a damaged one only the first


def _color(mesh: Any, material: Any) -> Rgba | None:
    """Return the color of the material, or the color of all vertices or faces if they have the
    same.
    """
    if material is not None:
        base = getattr(material, "baseColorFactor", None)
        bytes_ = base if base is not None else getattr(material, "diffuse", None)
        opacity = _opacity(material)
    elif mesh.visual.kind in ("vertex", "face"):
        colors = (
            mesh.visual.vertex_colors if mesh.visual.kind == "vertex" else mesh.visual.face_colors
        )
        bytes_, opacity = (colors[0] if (colors == colors[0]).all() else None), None
    else:
        return None
    if bytes_ is None:
        return None
    r, g, b, a = (float(value) / 255.0 for value in bytes_)
    return r, g, b, a if opacity is None else opacity


def _opacity(material: Any) -> float | None:
    words = getattr(material, "kwargs", {}).get("d")
    try:
        return min(max(float(words[0]), 0.0), 1.0) if words else None
    except (ValueError, TypeError):
        return None


# --- files that a mesh refers to: only materials and buffers are opened, and only close to it -----


def _resolver(path: Path) -> Any:
    """Return the object that gives trimesh further files; it gives no images, which `local_file`
    finds by name.
    """
    import trimesh

    class Companions(trimesh.resolvers.Resolver):  # type: ignore[misc, unused-ignore]
        def __init__(self) -> None:
            pass

        def get(self, key: str) -> bytes:
            name = local_file(key, path)
            if name is None or Path(name).suffix.lower() not in COMPANIONS:
                raise FileNotFoundError(key)
            data = read_checked(Path(name))
            if name.lower().endswith(".mtl"):
                return _TEXTURE.sub(rb"\1texture_file", as_utf8(data))
            return data

        def write(self, name: str, data: bytes) -> None:
            raise NotImplementedError

        def namespaced(self, namespace: str) -> Any:
            raise NotImplementedError

        def keys(self) -> list[str]:
            return []

    return Companions()


def _obj_texture(material: Any, textures: Textures) -> str | None:
    words = getattr(material, "kwargs", {}).get("texture_file")
    if not isinstance(words, list) or not words:
        return None
    return textures.find(" ".join(words) if not words[0].startswith("-") else words[-1])


def _gltf_textures(header: dict[str, Any], textures: Textures) -> dict[str, str]:
    """Return the files of the color textures, keyed by the names of their materials; embedded
    textures have no file.
    """
    files = {}
    for material in header.get("materials", []):
        index = material.get("pbrMetallicRoughness", {}).get("baseColorTexture", {}).get("index")
        source = None if index is None else header["textures"][index].get("source")
        image = {} if source is None else header["images"][source]
        name = None if _is_embedded(image) else textures.find(image.get("uri"))
        if name is not None:
            files[str(material.get("name"))] = name
    return files


def _is_embedded(image: dict[str, Any]) -> bool:
    return "bufferView" in image or str(image.get("uri", "")).startswith("data:")
