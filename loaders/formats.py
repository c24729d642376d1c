"""Which reader a file is for: by its root element, or by its suffix where it is no XML."""

from __future__ import annotations

import importlib
from pathlib import Path

from loaders.scene import Scene
from loaders.urdf.xacro_expansion import expand, is_xacro

from .context import MAX_INCLUDE_DEPTH, Context
from .diagnostics import Fate, Where
from .xml import parse, read_bytes

_XML_READERS = {"sdf": ".sdf", "gazebo": ".sdf", "robot": ".urdf"}
"""Root element to the module whose ``read(root, context)`` understands it."""

FORMATS = ("sdf", "urdf", "directives")


def read_file(path: Path, context: Context) -> Scene | None:
    """Read a file of any known format, or return None with a diagnostic."""
    real = path.resolve()
    if real in context.including or len(context.including) >= MAX_INCLUDE_DEPTH:
        chain = " -> ".join(p.name for p in (*context.including, real))
        context.diagnostics.add(
            Fate.INVALID, "file.include-cycle", "includes itself: {chain}", Where(str(path)), chain=chain
        )
        return None
    data = expand(path, context) if is_xacro(path) else read_bytes(path, context.diagnostics)
    if data is None:
        return None
    is_yaml = path.suffix.lower() in {".yaml", ".yml"}
    return read_data(data, str(path), "directives" if is_yaml else "xml", context.inside(real))


def read_data(data: bytes, file: str, form: str, context: Context) -> Scene | None:
    """Read the contents of a file; ``form`` is ``directives`` or, for all that is XML, anything else."""
    if form == "directives":
        from . import directives

        return directives.read(data, file, context)
    root = parse(data, file, context.diagnostics)
    if root is None:
        return None
    module = _XML_READERS.get(root.tag)
    if module is None:
        known = ", ".join(f"<{tag}>" for tag in _XML_READERS)
        hint = "MJCF is written, not read" if root.tag == "mujoco" else "see that this is the right file"
        root.invalid(
            "file.unknown-format",
            "the root element is <{tag}>, which is none of {known}",
            hint=hint,
            tag=root.tag,
            known=known,
        )
        return None
    scene: Scene | None = importlib.import_module(module, __package__).read(root, context)
    return scene
