"""xacro files, expanded by the package of that name; only where the caller allows it, for xacro runs code."""

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
"""xacro keeps its state in its modules: one file at a time."""

_AMENT = "ament_index_python"
"""The package of ROS 2 that xacro asks where a package is."""


def is_xacro(path: Path) -> bool:
    """Whether a file is xacro, by its name."""
    return path.suffix.lower() == ".xacro"


def expand(path: Path, context: Context) -> bytes | None:
    """The URDF that a xacro file stands for, or None with a diagnostic.

    ``$(find package)`` looks where every other name is looked for. Lines of the result are not those of the file.
    """
    where = Where(str(path))
    if not context.allow_xacro:
        message = "is a xacro file; expanding it runs code that is in it, and is not allowed"
        hint = "allow it with allow_xacro=True or --xacro if you trust the file"
        context.diagnostics.add(Fate.INVALID, "xacro.not-allowed", message, where, hint=hint)
        return None
    try:
        import xacro
    except ImportError:
        message = "the package xacro is not installed"
        hint = 'run pip install "sdfbridge[xacro]"'
        context.diagnostics.add(Fate.INVALID, "xacro.not-installed", message, where, hint=hint)
        return None
    failures = (xacro.XacroException, ExpatError, *_EVALUATION)
    with _LOCK, _finding(path, context):
        try:
            text: str = xacro.process_file(str(path)).toxml()
        except failures as error:
            context.diagnostics.add(
                Fate.INVALID,
                "xacro.failed",
                "xacro cannot expand it: {name}: {error}",
                where,
                name=type(error).__name__,
                error=error,
            )
            return None
    message = "is expanded by xacro; the lines in other messages are those of the result"
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
"""What the expressions of a file may raise."""


@contextmanager
def _finding(path: Path, context: Context) -> Iterator[None]:
    """Let ``$(find package)`` look in our places, by standing in for the index of ROS 2."""
    node = Node("xacro", {}, file=str(path), line=0, diagnostics=context.diagnostics)

    def get_package_share_directory(name: str) -> str:
        found = context.resources.find(f"package://{name}", path.parent, node)
        if found is None:
            raise LookupError(f"package {name!r} is not found")
        return str(found)

    index, packages = ModuleType(_AMENT), ModuleType(f"{_AMENT}.packages")
    vars(packages)["get_package_share_directory"] = get_package_share_directory
    vars(index)["packages"] = packages
    stand_ins = {_AMENT: index, f"{_AMENT}.packages": packages}
    kept = {name: sys.modules[name] for name in stand_ins if name in sys.modules}
    sys.modules.update(stand_ins)
    try:
        yield
    finally:
        for name in stand_ins:
            sys.modules.pop(name)
        sys.modules.update(kept)
