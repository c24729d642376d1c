"""Expansion of xacro in a process with limits, and the places of its elements.

xacro runs in a process that asks this one for the contents of each file that it includes, and for
the folders of packages.
"""

from __future__ import annotations

import errno
import json
import os
import re
import signal
import sys
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from importlib import util
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, NamedTuple, cast

from loaders import codes as loaders_codes
from loaders.context import Context
from loaders.diagnostics import LOGGER, Diagnostic, Diagnostics, Where
from loaders.files.read_file import read
from loaders.limits import FileError, LimitError, describe_error, limit_of
from loaders.node import Node
from loaders.text import printable, shortened
from loaders.urdf import codes
from loaders.xml import accepted_xml, mended_xml, parse, repaired_xml

from . import xacro_process
from .xacro_process import missing_package

if TYPE_CHECKING:
    import subprocess


class _SourceLine(int):
    """A line of a source."""

    file: str


class _ExpandedNode(Node):
    """An element that xacro expanded; `Node.file` remains the main file, to which relative paths
    refer.
    """

    __slots__ = ()

    @property
    def file_and_line(self) -> tuple[str, int]:
        """File and line of the element in the source."""
        return getattr(self.line, "file", self.file), int(self.line)

    @property
    def where(self) -> Where:
        """The place in the source, with the path in the expanded document."""
        return Where(*self.file_and_line, super().where.path)


def read_places(data: bytes, path: Path) -> tuple[Where, ...]:
    """Return the places that the process of xacro sends.

    Args:
        data: Its message.
        path: The main file, which keeps the name that the caller gave.
    """
    found = json.loads(data)
    main = os.path.abspath(path)
    files = [str(path) if file == main else file for file in found["files"]]
    return tuple(Where(files[i], line) for i, line in found["places"])


def set_places(root: Node, places: tuple[Where, ...]) -> None:
    """Give the elements of an expanded document their places in the sources.

    Args:
        root: The document.
        places: The place of each element; without effect if they are not as many as the elements.
    """
    nodes = list(root.walk())
    if len(nodes) != len(places):
        return
    for node, place in zip(nodes, places, strict=True):
        line = _SourceLine(place.line)
        line.file = place.file
        node.line = line
        node.__class__ = _ExpandedNode


def xacro_arguments(given: object) -> dict[str, str]:
    """Return arguments as the texts that xacro takes; a Boolean is ``true`` or ``false``.

    Args:
        given: A mapping of names to texts, numbers or Booleans.

    Raises:
        TypeError: if it is something else.
    """
    expected = 'expected texts, numbers or Booleans by name, such as {"prefix": "left_", "n": 2}'
    if not isinstance(given, Mapping):
        raise TypeError(f"xacro_args: {expected}, not {given!r}")
    for name, value in given.items():
        if not isinstance(name, str) or not isinstance(value, str | int | float):
            raise TypeError(f"xacro_args: {expected}, not {value!r} for {name!r}")
    return {
        name: str(value).lower() if isinstance(value, bool) else str(value)
        for name, value in given.items()
    }


CLOCK = 3
"""Time on the clock after which the process is ended, as a multiple of the limit on its processor
time."""
_MAX_LINE = 1_000_000
"""Largest number of bytes of a message without its data."""

_QUESTIONS = ("open", "find")

Answer = tuple[dict[str, Any], bytes]


class ExpansionError(Exception):
    """xacro fails, or its process ends before it has a result."""


def run_xacro(
    path: Path, arguments: Mapping[str, str], answer: Callable[[dict[str, Any]], Answer]
) -> Answer:
    """Return the last message of the process that expands a file: ``expanded`` with the result, or
    ``failed``.

    Args:
        path: The file.
        arguments: The arguments of xacro.
        answer: Called with each question; returns the answer.

    Raises:
        ExpansionError: if the process cannot be started, or ends without such a message.
        LimitError: if the process exceeds its time or memory, or the result the size of a load.
    """
    request: dict[str, Any] = {
        "path": str(path),
        "arguments": dict(arguments),
        "modules": [place or os.getcwd() for place in sys.path],
        "seconds": limit_of("xacro_seconds"),
        "memory": limit_of("xacro_bytes"),
        "elements": limit_of("elements"),
    }
    last, status, is_late = _converse(request, answer)
    if last is not None:
        return last
    if is_late or status == -getattr(signal, "SIGXCPU", 0):
        raise LimitError("xacro_seconds", request["seconds"], str(path))
    if status == xacro_process.NO_MEMORY:
        raise LimitError("xacro_bytes", request["memory"], str(path))
    raise ExpansionError(f"the process of xacro ended with status {status}")


def _converse(
    request: dict[str, Any], answer: Callable[[dict[str, Any]], Answer]
) -> tuple[Answer | None, int, bool]:
    """Return the last message of the process if there is one, its exit status, and whether it took
    too long.
    """
    import subprocess
    import threading

    command = [sys.executable or "python", "-I", str(Path(xacro_process.__file__))]
    last, late = None, threading.Event()
    try:
        child = subprocess.Popen(  # noqa: S603 - this interpreter
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
        )
    except OSError as error:
        raise ExpansionError(f"Python cannot be started for xacro: {error.strerror}") from error

    def end() -> None:
        late.set()
        child.kill()

    clock = threading.Timer(CLOCK * request["seconds"], end)
    clock.daemon = True
    clock.start()
    try:
        with suppress(BrokenPipeError), child:
            last = _dialogue(child, request, answer)
    finally:
        clock.cancel()
    return last, child.returncode, late.is_set()


def _dialogue(
    child: subprocess.Popen[bytes],
    request: dict[str, Any],
    answer: Callable[[dict[str, Any]], Answer],
) -> Answer | None:
    """Answer the questions of the process; return its last message, or None if it ends without."""
    to_child, from_child = cast(BinaryIO, child.stdin), cast(BinaryIO, child.stdout)
    try:
        xacro_process.send(to_child, request)
        while (message := _receive(from_child)) is not None:
            if message[0]["kind"] not in _QUESTIONS:
                return message
            xacro_process.send(to_child, *answer(message[0]))
    except BaseException:
        child.kill()
        raise
    return None


def _receive(stream: BinaryIO) -> Answer | None:
    """Return the next message of the process; None if there is none.

    Raises:
        LimitError: if it has more data than a load may have.
    """
    line = stream.readline(_MAX_LINE)
    if not line.endswith(b"\n"):
        return None
    message = json.loads(line)
    if message["size"] > limit_of("bytes"):
        raise LimitError("bytes", limit_of("bytes"))
    return message, stream.read(message["size"])


_YAML = (".yaml", ".yml")
_REFUSED = {code.name: code for code in (loaders_codes.XML_DOCTYPE, loaders_codes.FILE_TOO_LARGE)}
"""Codes of the XML reader for which a file is refused, by name."""
_SYNTAX = loaders_codes.XML_SYNTAX.name
_REPAIRED = frozenset({loaders_codes.XML_MENDED.name, _SYNTAX})
"""Codes of the XML reader about errors of syntax."""


@dataclass(slots=True, eq=False)
class Guard:
    """The checks for one expansion."""

    main: Path
    """The xacro file."""
    context: Context
    refusal: FileError | LimitError | None = None
    """The first refusal, which the process of xacro repeats in other words."""
    tried: dict[str, tuple[Path, ...]] = field(default_factory=dict)
    """The places where packages were searched that were not found, by what the process says about
    each."""
    packages: list[Path] = field(default_factory=list)
    """The packages that were found."""
    malformed: list[Diagnostic] = field(default_factory=list)
    """Errors of syntax that cannot be repaired, at which xacro fails if the file is XML."""

    def answer(self, question: dict[str, Any]) -> tuple[dict[str, Any], bytes]:
        """Return the answer to a question of the process, and its data.

        Args:
            question: ``kind`` is ``open`` or ``find``, and ``name`` the file or the package.
        """
        try:
            if question["kind"] == "find":
                return {"folder": self._find(question["name"])}, b""
            path = self._source(Path(question["name"]))
            return {"path": str(path)}, self._read(path)
        except (FileError, LimitError) as refusal:
            self.refusal = self.refusal or refusal
            return {"refused": str(refusal)}, b""
        except OSError as error:
            return {
                "error": [error.errno, error.strerror, str(error.filename or question["name"])]
            }, b""

    def _find(self, package: str) -> str | None:
        """Return the folder of a package, from the places of `loaders.context`."""
        node = Node("xacro", {}, file=str(self.main), line=0, diagnostics=self.context.diagnostics)
        found = self.context.resources.search(f"package://{package}", self.main.parent, node)
        if isinstance(found, Path):
            self.packages.append(found)
            return str(found)
        self.tried[missing_package(package)] = self.context.resources.lookups[-1].tried
        return None

    def _source(self, path: Path) -> Path:
        """Return the file of a path; that in the sources of its package if CMake installs it
        elsewhere.
        """
        if os.path.lexists(path):
            return path
        for package in self.packages:
            if path.is_relative_to(package):
                rest = path.relative_to(package).as_posix()
                source = self.context.resources.source_of(package, rest)
                return path if source is None else Path(source)
        return path

    def _read(self, path: Path) -> bytes:
        if path != self.main and not self.context.resources.allows(path, self.main.parent):
            reason = f"{path} lies outside the folders that may be read"
            hint = "add its folder to paths, or set unsafe_paths"
            raise FileError(loaders_codes.RESOURCE_OUTSIDE_READ, reason, hint)
        try:
            data = read(path)
        except FileError as error:
            raise OSError(
                errno.EIO if path.exists() else errno.ENOENT, error.reason, str(path)
            ) from error
        self.context.diagnostics.spend("files", 1)
        self.context.diagnostics.spend("bytes", len(data))
        return data if path.suffix.lower() in _YAML else self._well_formed(data, path)

    def _well_formed(self, data: bytes, path: Path) -> bytes:
        """Return a document with errors of syntax repaired and reported as for other XML files.

        Raises:
            FileError: if the document must not be read.
        """
        diagnostics = self.context.diagnostics
        found = Diagnostics(lenient=diagnostics.lenient)
        parse(data, str(path), found)
        for entry in found:
            if entry.code in _REFUSED:
                raise FileError(_REFUSED[entry.code], f"{path}: {entry.message}", entry.hint)
        errors = [entry for entry in found if entry.code in _REPAIRED]
        if any(entry.code == _SYNTAX and not entry.leniency for entry in errors):
            self.malformed += errors
            return data
        diagnostics.extend(errors)
        if any(entry.code == _SYNTAX for entry in errors):
            return mended_xml(repaired_xml(data))
        return accepted_xml(repaired_xml(data)) if errors else data


_XACRO_ELEMENT = re.compile(rb"<xacro:[A-Za-z]")
_NAMESPACE = re.compile(rb"ros\.org/(?:wiki/)?xacro")
_EXPRESSION = re.compile(rb"""=\s*(?:"[^"<]*\$\{[^"<]*\}[^"<]*"|'[^'<]*\$\{[^'<]*\}[^'<]*')""")
"""An expression in the value of an attribute."""
_COMMENT = re.compile(rb"<!--.*?(?:-->|\Z)", re.DOTALL)

_UNDEFINED = "is not defined"
"""Part of the messages of xacro about a property, which does not follow from an argument without a
value."""


class Expansion(NamedTuple):
    """The result of xacro."""

    data: bytes
    """The document."""
    places: tuple[Where, ...]
    """The file and line of each element, in the order of the document."""


def has_xacro(data: bytes) -> bool:
    """Return whether a file has elements or expressions of xacro, which must be expanded, whatever
    its suffix.

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

    ``$(find package)`` searches the places of `loaders.context`.

    Args:
        path: The xacro file.
        context: The context of the load.
    """
    where = Where(str(path))
    if not context.allow_xacro:
        context.diagnostics.add(codes.XACRO_NOT_ALLOWED, where)
        return None
    if util.find_spec("xacro") is None:
        context.diagnostics.add(codes.XACRO_NOT_INSTALLED, where)
        return None
    found = _expanded(path, context)
    if found is None:
        return None
    context.diagnostics.add(codes.XACRO_EXPANDED, where)
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
        return Expansion(data[:size], read_places(data[size:], path))
    _report_failure(message, guard, where)
    return None


def _report_failure(message: dict[str, Any], guard: Guard, where: Where) -> None:
    """Report why a file cannot be expanded, unless this follows from an argument without a
    value.
    """
    diagnostics = guard.context.diagnostics
    if isinstance(guard.refusal, FileError):
        code = guard.refusal.code.variant("xacro cannot read a file: {reason}")
        diagnostics.add(code, where, hint=guard.refusal.hint, reason=guard.refusal.reason)
    elif guard.malformed:
        diagnostics.extend(guard.malformed)
    elif not message.get("arguments") or _UNDEFINED in message["message"]:
        reason = message.get("package") or describe_error(
            message["type"], " ".join(message["message"].split())
        )
        at = _place(message.get("place"), where)
        places = _places(reason, guard)
        if places:
            diagnostics.add(codes.XACRO_FAILED_TRIED, at, reason=reason, tried=places)
        else:
            diagnostics.add(codes.XACRO_FAILED, at, reason=reason)


def _places(reason: str, guard: Guard) -> tuple[str, ...]:
    """Return where the package was searched that an error of xacro is about; empty if it is about
    none.
    """
    return tuple(map(str, guard.tried.get(reason, ())))


def _report_arguments(message: dict[str, Any], where: Where, context: Context) -> None:
    """Report each argument without a value, which was empty if the file can be expanded like
    that.
    """
    is_expanded = message["kind"] == "expanded"
    code = codes.XACRO_MISSING_ARGUMENT_EMPTY if is_expanded else codes.XACRO_MISSING_ARGUMENT
    for name in message.get("arguments", ()):
        hint = f"give it a value, as in xacro_args={{{name!r}: ...}}"
        context.diagnostics.add(code, where, hint=hint, name=name)


def _report_missing(message: dict[str, Any], where: Where, guard: Guard) -> None:
    """Report what was left out: includes, and calls of macros, but none that may only follow from
    an include.
    """
    diagnostics = guard.context.diagnostics
    reasons, lenient = message.get("missing", ()), diagnostics.lenient
    for reason in reasons:
        places = _places(reason, guard)
        if places:
            diagnostics.add(codes.XACRO_INCLUDE_NOT_FOUND_TRIED, where, reason=reason, tried=places)
        else:
            diagnostics.add(codes.XACRO_INCLUDE_NOT_FOUND, where, reason=reason)
    for name, place in message.get("macros", ()) if lenient or not reasons else ():
        at = _place(place, where)
        diagnostics.add(codes.XACRO_UNKNOWN_MACRO, at, name=name)


def _place(place: list[Any] | None, where: Where) -> Where:
    """Return the place of an element in its source; that of the file if it is unknown."""
    if place is None:
        return where
    file, line = place
    return Where(where.file if file == os.path.abspath(where.file) else file, line)
