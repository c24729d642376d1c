"""Groups of OBJ files, ``g name``, which Gazebo and Ogre treat as submeshes like objects, ``o name``."""

from __future__ import annotations

import re

_OBJECT = re.compile(rb"^[ \t]*o[ \t]+(.*?)[ \t\r]*$", re.MULTILINE)
_ELEMENTS = (b"f", b"l", b"p", b"fo")
"""Statements that belong to the group in which they stand."""


def group_of(data: bytes, name: str) -> bytes | None:
    """Return an OBJ file with the elements of one group only; None if the name is not that of a group.

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
