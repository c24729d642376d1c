"""Choice of the reader of a file: by the root element of XML, by the suffix for YAML and xacro."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from loaders import directives, sdf, urdf
from loaders.scene import Scene
from loaders.urdf.xacro_expansion import expand, is_xacro

from .context import MAX_INCLUDE_DEPTH, Context
from .diagnostics import Fate, Where
from .node import Node
from .xml import parse, read_bytes

_XML_READERS: dict[str, Callable[[Node, Context], Scene | None]] = {
    "sdf": sdf.read,
    "gazebo": sdf.read,
    "robot": urdf.read,
}
"""Reader of a document, keyed by the tag of the root element."""

FORMATS = ("sdf", "urdf", "directives")
"""Formats that `loaders.load_string` reads."""


def read_file(path: Path, context: Context) -> Scene | None:
    """Read a file of any known format; return None with a diagnostic if it cannot be read.

    Args:
        path: The file.
        context: The context of the load.
    """
    real = path.resolve()
    if real in context.including or len(context.including) >= MAX_INCLUDE_DEPTH:
        chain = " -> ".join(p.name for p in (*context.including, real))
        message = "the file includes itself, or files are nested too deep: {chain}"
        context.diagnostics.add(Fate.INVALID, "file.include-cycle", message, Where(str(path)), chain=chain)
        return None
    data = expand(path, context) if is_xacro(path) else read_bytes(path, context.diagnostics)
    if data is None:
        return None
    is_yaml = path.suffix.lower() in {".yaml", ".yml"}
    return read_data(data, str(path), "directives" if is_yaml else "xml", context.inside(real))


def read_data(data: bytes, file: str, format: str, context: Context) -> Scene | None:
    """Read the contents of a file; return None with a diagnostic if they cannot be read.

    Args:
        data: The contents.
        file: Name of the file for diagnostics.
        format: ``directives`` for YAML; any other value stands for XML.
        context: The context of the load.
    """
    if format == "directives":
        return directives.read(data, file, context)
    root = parse(data, file, context.diagnostics)
    if root is None:
        return None
    read = _XML_READERS.get(root.tag)
    if read is None:
        is_mjcf = root.tag == "mujoco"
        hint = "convert MJCF to URDF or SDFormat first" if is_mjcf else "check that this is the right file"
        root.invalid(
            "file.unknown-format",
            "unknown root element <{tag}>; expected one of: {known}",
            hint=hint,
            tag=root.tag,
            known=tuple(f"<{tag}>" for tag in _XML_READERS),
        )
        return None
    return read(root, context)
