"""Expansion of xacro files by the Python package xacro; only if the caller allows it, because xacro runs code."""

from __future__ import annotations

import os
import re
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType

from loaders.context import Context
from loaders.diagnostics import Fate, Where
from loaders.files import FileError
from loaders.node import Node
from loaders.safety.fence import describe, fenced
from loaders.safety.limits import LimitError

from .xacro_fence import Guard, guarded

_LOCK = threading.Lock()
"""Lock for xacro, which keeps its state in module variables."""

_AMENT = "ament_index_python"
"""Package of ROS 2 that xacro uses to find packages."""


_XACRO_ELEMENT = re.compile(rb"<xacro:[A-Za-z]")
_COMMENT = re.compile(rb"<!--.*?(?:-->|\Z)", re.DOTALL)
_UNDEFINED = re.compile(r"[Uu]ndefined substitution argument (\S+)")


def is_xacro(path: Path) -> bool:
    """Return whether a file is a xacro file, by its suffix."""
    return path.suffix.lower() == ".xacro"


def has_xacro(data: bytes) -> bool:
    """Return whether a file has elements or expressions of xacro, which must be expanded, whatever its suffix.

    Args:
        data: Contents of the file.
    """
    if b"www.ros.org/" not in data or not (b"${" in data or _XACRO_ELEMENT.search(data)):
        return False
    text = _COMMENT.sub(b"", data)  # expanded files keep the comments of their sources
    return _XACRO_ELEMENT.search(text) is not None or b"${" in text


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
    text = _expanded(xacro, path, context)
    if text is None:
        return None
    message = "expanded by xacro; line numbers refer to the result, not to this file"
    context.diagnostics.add(Fate.NOTED, "xacro.expanded", message, where)
    data = text.encode(errors="surrogatepass")
    context.diagnostics.spend("bytes", len(data))
    return data


class _ExpansionError(Exception):
    """xacro fails, for whatever reason."""


def _expanded(xacro: ModuleType, path: Path, context: Context) -> str | None:
    """Return the text that xacro makes of a file; None with a diagnostic if it fails.

    Raises:
        LimitError: if the expansion exceeds a limit of the load.
    """
    where, guard = Where(str(path)), Guard(Path(os.path.abspath(path)), context)
    failure: BaseException | None = None
    with _LOCK, _package_search(path, context), guarded(xacro, guard):
        try:
            with fenced(_ExpansionError, "xacro"):
                return str(xacro.process_file(str(path), mappings=dict(context.xacro_args)).toxml())
        except (_ExpansionError, LimitError) as error:
            failure = guard.refusal or error.__cause__ or error
    if isinstance(failure, LimitError):
        raise failure
    if isinstance(failure, FileError):
        message = "xacro cannot read a file: {reason}"
        context.diagnostics.add(Fate.INVALID, failure.code, message, where, hint=failure.hint, reason=failure.reason)
        return None
    message = "xacro cannot expand the file: {reason}"
    reason = describe(failure)
    undefined = _UNDEFINED.search(reason)
    hint = "" if undefined is None else f"give it a value, as in xacro_args={{{undefined[1].strip(chr(39))!r}: ...}}"
    context.diagnostics.add(Fate.INVALID, "xacro.failed", message, where, hint=hint, reason=reason)
    return None


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
