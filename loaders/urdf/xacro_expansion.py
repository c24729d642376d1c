"""Expansion of xacro files by the Python package xacro; only if the caller allows it, because xacro runs code."""

from __future__ import annotations

import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType
from xml.parsers.expat import ExpatError

from loaders.context import Context
from loaders.diagnostics import Fate, Where
from loaders.node import Node

_LOCK = threading.Lock()
"""Lock for xacro, which keeps its state in module variables."""

_AMENT = "ament_index_python"
"""Package of ROS 2 that xacro uses to find packages."""


def is_xacro(path: Path) -> bool:
    """Return whether a file is a xacro file, by its suffix."""
    return path.suffix.lower() == ".xacro"


def expand(path: Path, context: Context) -> bytes | None:
    """Return the URDF of a xacro file, or None with a diagnostic.

    ``$(find package)`` searches the places of `loaders.resources`. Line numbers refer to the result, not to the file.

    Args:
        path: The xacro file.
        context: The context of the load.
    """
    where = Where(str(path))
    if not context.allow_xacro:
        message = "xacro is not allowed: it runs Python code in the file"
        hint = "use allow_xacro=True if you trust the file"
        context.diagnostics.add(Fate.INVALID, "xacro.not-allowed", message, where, hint=hint)
        return None
    try:
        import xacro
    except ImportError:
        message = "the Python package xacro is not installed"
        hint = 'run pip install "sdfbridge[xacro]"'
        context.diagnostics.add(Fate.INVALID, "xacro.not-installed", message, where, hint=hint)
        return None
    failures = (xacro.XacroException, ExpatError, *_EVALUATION)
    with _LOCK, _package_search(path, context):
        try:
            text: str = xacro.process_file(str(path)).toxml()
        except failures as error:
            context.diagnostics.add(
                Fate.INVALID,
                "xacro.failed",
                "xacro cannot expand the file: {exception}: {reason}",
                where,
                exception=type(error).__name__,
                reason=error,
            )
            return None
    message = "expanded by xacro; line numbers refer to the result, not to this file"
    context.diagnostics.add(Fate.NOTED, "xacro.expanded", message, where)
    return text.encode()


_EVALUATION = (
    ArithmeticError,
    AttributeError,
    ImportError,
    LookupError,
    NameError,
    OSError,
    RecursionError,
    SyntaxError,
    TypeError,
    ValueError,
)
"""Exceptions that the expressions in a file may raise."""


@contextmanager
def _package_search(path: Path, context: Context) -> Iterator[None]:
    """Make ``$(find package)`` search the places of the load, by replacing the package index of ROS 2."""
    node = Node("xacro", {}, file=str(path), line=0, diagnostics=context.diagnostics)

    def get_package_share_directory(name: str) -> str:
        folder = context.resources.find(f"package://{name}", path.parent, node)
        if folder is None:
            raise LookupError(f"cannot find package {name!r}")
        return str(folder)

    index, packages = ModuleType(_AMENT), ModuleType(f"{_AMENT}.packages")
    vars(packages)["get_package_share_directory"] = get_package_share_directory
    vars(index)["packages"] = packages
    replacements = {_AMENT: index, f"{_AMENT}.packages": packages}
    originals = {name: sys.modules[name] for name in replacements if name in sys.modules}
    sys.modules.update(replacements)
    try:
        yield
    finally:
        for name in replacements:
            sys.modules.pop(name)
        sys.modules.update(originals)
