"""Checks of a mesh file before a library parses it: size, nesting, and counts that the file
declares.
"""

from __future__ import annotations

import json
import re
import struct
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from xml.parsers import expat

from loaders import codes
from loaders.files.read_file import read
from loaders.limits import FileError, is_past_limit, limit_of
from loaders.numbers import whole_number
from loaders.text import counted

MAX_DEPTH = 256
"""Largest depth of the XML of a mesh file."""


class MeshError(Exception):
    """A mesh file cannot be read; the text states the reason."""


class MeshLimitError(MeshError):
    """A mesh file exceeds a limit on one file.

    Attributes:
        option: Name of the limit in `loaders.limits.Limits`.
    """

    def __init__(self, option: str, reason: str) -> None:
        super().__init__(reason)
        self.option = option


class NotWellFormedError(MeshError):
    """A mesh file breaks the rules of XML."""


def read_checked(path: Path) -> bytes:
    """Return the contents of a mesh file after checking its size.

    Raises:
        MeshError: if the file cannot be opened, is too large, compressed, or declares more faces
        than it can have.
    """
    try:
        data = read(path, option="mesh_file_bytes")
    except FileError as error:
        reason = f"cannot open the file: {error.reason}"
        too_large = error.code.name == codes.FILE_TOO_LARGE.name
        raise (
            MeshLimitError("mesh_file_bytes", reason) if too_large else MeshError(reason)
        ) from error
    if data.startswith((b"\x1f\x8b", b"PK\x03\x04")):
        raise MeshError("the file is compressed; decompress it first")
    check = _COUNTS.get(path.suffix.lower())
    count = check(data) if check is not None else 0
    if count > max(len(data), 1):
        raise MeshError(f"the file declares {counted(count, 'face')}, more than fit in its size")
    check_faces(count)
    return data


def stl_faces(data: bytes) -> int:
    """Return the number of triangles in the header of a binary file; 0 for a text file.

    Raises:
        MeshError: if the file ends before the last of them.
    """
    if len(data) < 84:
        return 0
    count = int(struct.unpack_from("<I", data, 80)[0])
    if not data.lstrip().startswith(b"solid") and len(data) < 84 + 50 * count:
        raise MeshError(f"the file declares {counted(count, 'face')} and ends before the last one")
    return count if len(data) == 84 + 50 * count else 0


def _ply_faces(data: bytes) -> int:
    match = re.search(rb"^element face (\d+)", data[:65536], re.MULTILINE)
    return whole_number(match[1]) if match else 0


def _off_faces(data: bytes) -> int:
    match = re.search(rb"^[ \t]*\d+[ \t]+(\d+)(?:[ \t]+\d+)?[ \t\r]*$", data[:65536], re.MULTILINE)
    return whole_number(match[1]) if match else 0


def _obj_faces(data: bytes) -> int:
    """Return 0, for an OBJ file declares no number of faces.

    Raises:
        MeshError: if the file changes its material more often than the limit.
    """
    check_parts(data.count(b"usemtl"))
    return 0


def _gltf_faces(data: bytes) -> int:
    """Return the largest number of items of any accessor without a buffer, whose items would be
    filled with zeros.

    The items of other accessors are in a buffer, which may be a file beside this one.

    Raises:
        MeshError: if the primitives, or the nodes that place them, have together more corners than
            the limit, or if there are more nodes than the limit.
    """
    header = gltf_header(data)
    counts = [_count(accessor.get("count")) for accessor in _objects(header, "accessors")]
    sizes = []
    for mesh in _objects(header, "meshes"):
        primitives = _objects(mesh, "primitives")
        used = [
            i for primitive in primitives for i in (primitive.get("indices"), _position(primitive))
        ]
        sizes.append(sum(counts[i] for i in used if isinstance(i, int) and 0 <= i < len(counts)))
        check_parts(len(primitives))
    nodes = _objects(header, "nodes")
    _check_nodes(len(nodes) + sum(len(_list(node, "children")) for node in nodes))
    meshes = [node.get("mesh") for node in nodes]
    placed = [sizes[i] for i in meshes if isinstance(i, int) and 0 <= i < len(sizes)]
    check_parts(len(placed))
    check_faces(max(sum(sizes), sum(placed)) // 3)
    accessors = _objects(header, "accessors")
    return max(
        (n for n, item in zip(counts, accessors, strict=True) if "bufferView" not in item),
        default=0,
    )


def _objects(parent: dict[str, Any], key: str) -> list[dict[str, Any]]:
    """Return the objects in a list of a JSON object; what is something else does not count."""
    return [item for item in _list(parent, key) if isinstance(item, dict)]


def _list(parent: dict[str, Any], key: str) -> list[Any]:
    items = parent.get(key)
    return items if isinstance(items, list) else []


def _position(primitive: dict[str, Any]) -> object:
    attributes = primitive.get("attributes")
    return attributes.get("POSITION") if isinstance(attributes, dict) else None


def _count(value: object) -> int:
    return value if isinstance(value, int) and value > 0 else 0


def _check_nodes(count: int) -> None:
    """Check the number of nodes of a glTF file, and of their references to each other.

    Raises:
        MeshError: if there are more than the limit.
    """
    if is_past_limit("mesh_nodes", count):
        raise MeshLimitError(
            "mesh_nodes",
            f"the file has more than {limit_of('mesh_nodes')} nodes, the limit mesh_nodes",
        )


def check_faces(count: int) -> None:
    """Check the number of triangles of a mesh, each counted as often as it is placed.

    Raises:
        MeshError: if there are more than the limit.
    """
    if is_past_limit("mesh_triangles", count):
        most = limit_of("mesh_triangles")
        reason = (
            f"the file has more than {most} triangles, the limit mesh_triangles, counted as "
            f"often as nodes place them"
        )
        raise MeshLimitError("mesh_triangles", reason)


def check_parts(count: int) -> None:
    """Check the number of parts of a mesh.

    Raises:
        MeshError: if there are more than the limit.
    """
    if is_past_limit("mesh_parts", count):
        most = limit_of("mesh_parts")
        reason = f"the file has more than {most} parts or changes of material, the limit mesh_parts"
        raise MeshLimitError("mesh_parts", reason)


def gltf_header(data: bytes) -> dict[str, Any]:
    """Return the JSON header of a ``.gltf`` or ``.glb`` file.

    Raises:
        MeshError: if the file has no valid JSON header.
    """
    text = data
    if data.startswith(b"glTF") and len(data) >= 20:
        text = data[20 : 20 + int(struct.unpack_from("<I", data, 12)[0])]
    try:
        header = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise MeshError(f"invalid JSON: {error}") from error
    if not isinstance(header, dict):
        raise MeshError("the JSON header is not an object")
    return header


_COUNTS = {
    ".obj": _obj_faces,
    ".stl": stl_faces,
    ".ply": _ply_faces,
    ".off": _off_faces,
    ".gltf": _gltf_faces,
    ".glb": _gltf_faces,
}


def _check_tree(count: int, depth: int, most: int) -> None:
    """Check the number of elements of XML and their depth.

    Raises:
        MeshError: if there are more than the limit, or they are nested too deep.
    """
    if count > most:
        raise MeshLimitError(
            "mesh_elements", f"the file has more than {most} elements, the limit mesh_elements"
        )
    if depth > MAX_DEPTH:
        raise MeshError(f"the file has more than {MAX_DEPTH} levels of nesting")


# --- COLLADA --------------------------------------------------------------------------------------


@dataclass(slots=True)
class ColladaAsset:
    """Coordinates of a COLLADA file, from its ``<asset>``."""

    unit: float | None = None
    """Length of the unit [m], or None if the file does not state it."""
    up_axis: str = ""
    """``X_UP``, ``Y_UP``, ``Z_UP``, or empty if the file does not state it."""
    exporter: str = ""
    """Program that wrote the file, as it names itself."""


def check_collada(data: bytes) -> ColladaAsset:
    """Check a COLLADA file without building a tree, and read its ``<asset>``.

    Raises:
        MeshError: if the file is not well-formed, has a DOCTYPE, or is nested too deep or too
        large.
    """
    asset, path, texts = ColladaAsset(), list[str](), list[str]()
    count, most = 0, limit_of("mesh_elements")

    def start(tag: str, attributes: dict[str, str]) -> None:
        nonlocal count
        count += 1
        path.append(tag.rpartition(":")[2])
        texts.clear()
        _check_tree(count, len(path), most)
        if path[1:] == ["asset", "unit"]:
            asset.unit = _unit(attributes.get("meter"))

    def end(_: str) -> None:
        if path[1:] == ["asset", "up_axis"]:
            asset.up_axis = "".join(texts).strip().upper()
        elif path[1:] == ["asset", "contributor", "authoring_tool"]:
            asset.exporter = "".join(texts).strip()
        path.pop()

    def doctype(*_: object) -> None:
        raise MeshError("a DOCTYPE is not allowed")

    parser = expat.ParserCreate()
    parser.StartElementHandler, parser.EndElementHandler = start, end
    parser.CharacterDataHandler = lambda text: (
        texts.append(text) if path[1:2] == ["asset"] else None
    )
    parser.StartDoctypeDeclHandler = doctype
    try:
        parser.Parse(data, True)
    except expat.ExpatError as error:
        raise NotWellFormedError(
            f"the file is not well-formed XML: {expat.ErrorString(error.code)}, line {error.lineno}"
        ) from error
    except (ValueError, LookupError) as error:  # an encoding unknown to Python
        raise NotWellFormedError(f"the file is not well-formed XML: {error}") from error
    return asset


def _unit(text: str | None) -> float | None:
    try:
        value = float(text) if text is not None else None
    except ValueError:
        return None
    return value if value is not None and 0.0 < value < 1e9 else None
