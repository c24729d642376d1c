"""Expansion of xacro files by the Python package xacro; only if the caller allows it, because xacro runs code."""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from importlib import util
from pathlib import Path
from typing import Any, NamedTuple

from loaders.context import Context
from loaders.diagnostics import Fate, Where
from loaders.files import FileError
from loaders.loss_summary import LOGGER
from loaders.reading.deferred import Deferred
from loaders.safety.library_errors import describe_error
from loaders.safety.limits import LimitError
from loaders.safety.text import printable, shortened

from .xacro_child import ExpansionError, run_xacro
from .xacro_fence import Guard

_XACRO_ELEMENT = re.compile(rb"<xacro:[A-Za-z]")
_NAMESPACE = re.compile(rb"ros\.org/(?:wiki/)?xacro")
_EXPRESSION = re.compile(rb"""=\s*(?:"[^"<]*\$\{[^"<]*\}[^"<]*"|'[^'<]*\$\{[^'<]*\}[^'<]*')""")
"""An expression in the value of an attribute."""
_COMMENT = re.compile(rb"<!--.*?(?:-->|\Z)", re.DOTALL)

_UNDEFINED = "is not defined"
"""Part of the messages of xacro about a property, which does not follow from an argument without a value."""

_PACKAGE_HINT = "add the folder of the package to paths or package_map"


_read_places: Callable[[bytes, Path], tuple[Where, ...]] = Deferred("loaders.urdf.xacro.source_places:read_places")


class Expansion(NamedTuple):
    """The result of xacro."""

    data: bytes
    """The document."""
    places: tuple[Where, ...]
    """The file and line of each element, in the order of the document."""


def is_xacro(path: Path) -> bool:
    """Return whether a file is a xacro file, by its suffix."""
    return path.suffix.lower() == ".xacro"


def has_xacro(data: bytes) -> bool:
    """Return whether a file has elements or expressions of xacro, which must be expanded, whatever its suffix.

    Args:
        data: Contents of the file.
    """
    if b"${" not in data and b"<xacro:" not in data:
        return False
    text = _COMMENT.sub(b"", data)  # expanded files keep the comments of their sources
    if _XACRO_ELEMENT.search(text) or _EXPRESSION.search(text):
        return True
    return b"${" in text and _NAMESPACE.search(text) is not None


def expand(path: Path, context: Context) -> Expansion | None:
    """Return the URDF of a xacro file, or None with a diagnostic.

    ``$(find package)`` searches the places of `loaders.resources`.

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
    found = _expanded(path, context)
    if found is None:
        return None
    message = "expanded by xacro; an element that a macro makes has its place in the macro"
    context.diagnostics.add(Fate.NOTED, "xacro.expanded", message, where)
    context.diagnostics.spend("bytes", len(found.data))
    return found


def _expanded(path: Path, context: Context) -> Expansion | None:
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
    _report_missing(message, where, guard)
    _report_arguments(message, where, context)
    if isinstance(guard.refusal, LimitError):
        raise guard.refusal
    is_partial = any(message.get(key) for key in ("missing", "macros", "arguments"))
    if is_partial and not context.diagnostics.lenient:
        return None
    if message["kind"] == "expanded":
        size = message["document"]
        return Expansion(data[:size], _read_places(data[size:], path))
    _report_failure(message, guard, where)
    return None


def _report_failure(message: dict[str, Any], guard: Guard, where: Where) -> None:
    """Report why a file cannot be expanded, unless this follows from an argument without a value."""
    diagnostics = guard.context.diagnostics
    if isinstance(guard.refusal, FileError):
        text = "xacro cannot read a file: {reason}"
        hint, reason = guard.refusal.hint, guard.refusal.reason
        diagnostics.add(Fate.INVALID, guard.refusal.code, text, where, hint=hint, reason=reason)
    elif guard.malformed:
        diagnostics.extend(guard.malformed)
    elif not message.get("arguments") or _UNDEFINED in message["message"]:
        reason = message.get("package") or describe_error(message["type"], " ".join(message["message"].split()))
        at = _place(message.get("place"), where)
        _report_reason("xacro.failed", "xacro cannot expand the file", reason, guard, at)


def _report_reason(code: str, text: str, reason: str, guard: Guard, where: Where) -> None:
    """Report an error of xacro; if it is about a package or a file that is not found, with the places and a hint."""
    places = tuple(map(str, guard.tried.get(reason, ())))
    arguments: dict[str, Any] = {"reason": reason} | ({"tried": places} if places else {})
    is_include = code == "xacro.include-not-found"
    guard.context.diagnostics.add(
        Fate.INVALID,
        code,
        f"{text}: {{reason}}" + ("; tried {tried}" if places else ""),
        where,
        hint=_PACKAGE_HINT if places or is_include else "",
        leniency="the include is left out" if is_include else "",
        **arguments,
    )


def _report_arguments(message: dict[str, Any], where: Where, context: Context) -> None:
    """Report each argument without a value, which was empty if the file can be expanded like that."""
    leniency = "it is empty, and false as a condition" if message["kind"] == "expanded" else ""
    for name in message.get("arguments", ()):
        text, hint = "the argument {name} has no value", f"give it a value, as in xacro_args={{{name!r}: ...}}"
        context.diagnostics.add(
            Fate.INVALID, "xacro.missing-argument", text, where, hint=hint, leniency=leniency, name=name
        )


def _report_missing(message: dict[str, Any], where: Where, guard: Guard) -> None:
    """Report what was left out: includes, and calls of macros, but none that may only follow from an include."""
    diagnostics = guard.context.diagnostics
    reasons, lenient = message.get("missing", ()), diagnostics.lenient
    for reason in reasons:
        _report_reason("xacro.include-not-found", "xacro cannot include a file", reason, guard, where)
    for name, place in message.get("macros", ()) if lenient or not reasons else ():
        text, leniency = "<{name}> calls a macro that no file defines", "the call is left out"
        at = _place(place, where)
        diagnostics.add(Fate.INVALID, "xacro.unknown-macro", text, at, leniency=leniency, name=name)


def _place(place: list[Any] | None, where: Where) -> Where:
    """Return the place of an element in its source; that of the file if it is unknown."""
    if place is None:
        return where
    file, line = place
    return Where(where.file if file == os.path.abspath(where.file) else file, line)
