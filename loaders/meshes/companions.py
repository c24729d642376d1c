"""Names of the files that a mesh file refers to, for those who keep what they made of it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from .precheck import MeshError, gltf_header, read_checked
from .textures import candidates

_LIBRARY = re.compile(rb"mtllib([^\r\n]*)")


def companion_files(path: str) -> tuple[str, ...]:
    """Return the paths at which the reader looks for material libraries and buffers, whether they exist or not.

    Args:
        path: Path of the mesh file.
    """
    file = Path(path)
    try:
        names = tuple(_names(read_checked(file), file.suffix.lower()))
    except MeshError:
        return ()
    return tuple(str(candidate) for name in dict.fromkeys(names) for candidate in candidates(name, file))


def _names(data: bytes, suffix: str) -> Iterator[str]:
    if suffix == ".obj":
        yield from (match[1].decode("latin-1").strip() for match in _LIBRARY.finditer(data))
        yield from (match[1].decode(errors="ignore").strip() for match in _LIBRARY.finditer(data))
    if suffix in (".gltf", ".glb"):
        buffers = gltf_header(data).get("buffers")
        for buffer in buffers if isinstance(buffers, list) else ():
            uri = buffer.get("uri") if isinstance(buffer, dict) else None
            if isinstance(uri, str) and not uri.startswith("data:"):
                yield uri
