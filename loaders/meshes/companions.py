"""Material libraries and buffers that a mesh file refers to, for those who keep what they made of it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from loaders.diagnostics import Fate

from .precheck import MeshError, gltf_header, read_checked
from .textures import COMPANIONS, Remark, names_out_of_reach, places_in_reach

_LIBRARY = re.compile(rb"mtllib([^\r\n]*)")


def companion_files(path: str) -> tuple[str, ...]:
    """Return the paths at which the reader looks for material libraries and buffers, whether they exist or not.

    The reader does not look outside the folders of the mesh, so what lies there changes nothing.

    Args:
        path: Path of the mesh file.
    """
    file = Path(path)
    try:
        names = tuple(_names(read_checked(file), file.suffix.lower()))
    except MeshError:
        return ()
    places = places_in_reach(dict.fromkeys(names), file)
    return tuple(str(place) for place in places if place.suffix.lower() in COMPANIONS)


def remarks_on_libraries(data: bytes, path: Path) -> list[Remark]:
    """Return a remark on the material libraries of an OBJ file outside the folders of the mesh, which stay closed.

    Args:
        data: Contents of the file.
        path: The file.
    """
    outside = names_out_of_reach(dict.fromkeys(_libraries(data, "utf-8")), path)
    message = "the material library {library} lies outside the folders of the mesh; it is not opened"
    return [Remark(Fate.NOTED, "mesh.outside", message, {"library": ", ".join(outside)})] if outside else []


def _libraries(data: bytes, encoding: str) -> Iterator[str]:
    return (match[1].decode(encoding, errors="ignore").strip() for match in _LIBRARY.finditer(data))


def _names(data: bytes, suffix: str) -> Iterator[str]:
    if suffix == ".obj":
        yield from _libraries(data, "latin-1")
        yield from _libraries(data, "utf-8")
    if suffix in (".gltf", ".glb"):
        buffers = gltf_header(data).get("buffers")
        for buffer in buffers if isinstance(buffers, list) else ():
            uri = buffer.get("uri") if isinstance(buffer, dict) else None
            if isinstance(uri, str) and not uri.startswith("data:"):
                yield uri
