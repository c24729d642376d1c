"""Reader of OBJ, STL, glTF, PLY and OFF, with trimesh."""

from __future__ import annotations

import io
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from loaders.limits import raised_as
from loaders.pose import Array, frozen
from loaders.text import as_utf8

from .gltf import GltfLooks, plain, vertex_colors
from .mesh_data import COMPANIONS, MeshPart, Remark, Textures, local_file, remarks_on_libraries
from .mtl import mtl_looks
from .precheck import MeshError, check_faces, check_parts, gltf_header, read_checked
from .stated_looks import COLORS_BESIDE, Losses, StatedLook, colored

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
    resolver = _resolver(path)
    with raised_as(MeshError, f"the file is not valid {suffix[1:].upper()}"):
        named: dict[str, StatedLook] = {}
        if suffix in _GLTF:
            header = gltf_header(data)
            looks = GltfLooks(data, header, textures, losses).looks
            named = {f"#{number}": look for number, look in enumerate(looks)}
            data = plain(data, header, looks)
        stream = io.BytesIO(as_utf8(data) if suffix in _TEXTS else data)
        scene = trimesh.load_scene(
            stream, file_type=suffix[1:], resolver=resolver, process=False, **options
        )
        if suffix == ".obj":
            named = mtl_looks(resolver.library, textures, losses)
        if suffix == ".obj" and _COLORED_VERTEX.search(data):
            kinds = [geometry.visual.kind for geometry in scene.geometry.values()]
            losses.add(COLORS_BESIDE, kinds.count("texture"))
        parts = list(_parts(scene, suffix, named, losses))
    outside = remarks_on_libraries(data, path) if suffix == ".obj" else []
    return parts, [*textures.remarks(), *outside, *losses.remarks()]


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
        yield colored(look.on(part, losses), _vertex_colors(mesh), losses)


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


def _vertex_colors(mesh: Any) -> Array | None:
    """Return the colors of the vertices of a mesh from 0 to 1, shape (n, 4); None if it has
    none.
    """
    light = getattr(mesh.visual, "vertex_attributes", {}).get("color")
    if light is not None:
        return vertex_colors(light)
    if mesh.visual.kind not in ("vertex", "face"):
        return None
    return np.asarray(mesh.visual.vertex_colors, dtype=np.float64) / 255.0


# --- files that a mesh refers to: only materials and buffers are opened, and only close to it -----


def _resolver(path: Path) -> Any:
    """Return the object that gives trimesh further files; of a material library it gives the names
    of the materials only, and keeps its text, and it gives no images.
    """
    import trimesh

    class Companions(trimesh.resolvers.Resolver):  # type: ignore[misc, unused-ignore]
        def __init__(self) -> None:
            self.library = ""

        def get(self, key: str) -> bytes:
            name = local_file(key, path)
            if name is None or Path(name).suffix.lower() not in COMPANIONS:
                raise FileNotFoundError(key)
            data = read_checked(Path(name))
            if name.lower().endswith(".mtl"):
                self.library = as_utf8(data).decode(errors="replace")
                names = re.findall(r"(?im)^[ \t]*newmtl\b.*", self.library)
                return "\n".join(names).encode()
            return data

        def write(self, name: str, data: bytes) -> None:
            raise NotImplementedError

        def namespaced(self, namespace: str) -> Any:
            raise NotImplementedError

        def keys(self) -> list[str]:
            return []

    return Companions()
