"""Expansion of xacro files by the Python package xacro; only if the caller allows it, because xacro runs code."""

from __future__ import annotations

import os
import re
from importlib import util
from pathlib import Path
from typing import Any

from loaders.context import Context
from loaders.diagnostics import Fate, Where
from loaders.files import FileError
from loaders.loss_summary import LOGGER
from loaders.safety.fence import described
from loaders.safety.limits import LimitError
from loaders.safety.text import printable, shortened

from .xacro_child import ExpansionError, run_xacro
from .xacro_fence import Guard

_XACRO_ELEMENT = re.compile(rb"<xacro:[A-Za-z]")
_COMMENT = re.compile(rb"<!--.*?(?:-->|\Z)", re.DOTALL)
_UNDEFINED = re.compile(r"[Uu]ndefined substitution argument (\S+)")

_PACKAGE_HINT = "add the folder of the package to paths or package_map"


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
    if util.find_spec("xacro") is None:
        message = "the Python package xacro is not installed"
        hint = 'run pip install "sdfbridge[xacro]"'
        context.diagnostics.add(Fate.INVALID, "xacro.not-installed", message, where, hint=hint)
        return None
    data = _expanded(path, context)
    if data is None:
        return None
    message = "expanded by xacro; line numbers refer to the result, not to this file"
    context.diagnostics.add(Fate.NOTED, "xacro.expanded", message, where)
    context.diagnostics.spend("bytes", len(data))
    return data


def _expanded(path: Path, context: Context) -> bytes | None:
    """Return what xacro makes of a file; None with a diagnostic if it fails.

    Raises:
        LimitError: if the expansion exceeds a limit of the load.
    """
    where, guard = Where(str(path)), Guard(Path(os.path.abspath(path)), context)
    try:
        message, data = run_xacro(path, context.xacro_args, guard.answer)
    except ExpansionError as error:
        message, data = {"kind": "failed", "type": "RuntimeError", "message": str(error)}, b""
    for line in message.get("log", "").splitlines():
        LOGGER.warning("xacro: %s", printable(shortened(line)))
    context.diagnostics.spend("elements", message.get("elements", 0))
    _report_missing(message, where, context)
    if message.get("missing") and not context.diagnostics.lenient:
        return None
    if message["kind"] == "expanded":
        return data
    if isinstance(guard.refusal, LimitError):
        raise guard.refusal
    if isinstance(guard.refusal, FileError):
        text = "xacro cannot read a file: {reason}"
        hint, reason = guard.refusal.hint, guard.refusal.reason
        context.diagnostics.add(Fate.INVALID, guard.refusal.code, text, where, hint=hint, reason=reason)
        return None
    text, reason = "xacro cannot expand the file: {reason}", described(message["type"], message["message"])
    reason, hint = (message["package"], _PACKAGE_HINT) if message.get("package") else (reason, "")
    if undefined := _UNDEFINED.search(reason):
        hint = f"give it a value, as in xacro_args={{{undefined[1].strip(chr(39))!r}: ...}}"
    context.diagnostics.add(Fate.INVALID, "xacro.failed", text, where, hint=hint, reason=reason)
    return None


def _report_missing(message: dict[str, Any], where: Where, context: Context) -> None:
    """Report each include that was left out; leniently, also the calls of macros that only follow from it."""
    for reason in message.get("missing", ()):
        text, leniency = "xacro cannot include a file: {reason}", "the include is left out"
        context.diagnostics.add(
            Fate.INVALID, "xacro.include-not-found", text, where, hint=_PACKAGE_HINT, leniency=leniency, reason=reason
        )
    for name in message.get("macros", ()) if context.diagnostics.lenient else ():
        text, leniency = "<{name}> calls a macro that no file defines", "the call is left out"
        context.diagnostics.add(Fate.INVALID, "xacro.unknown-macro", text, where, leniency=leniency, name=name)
