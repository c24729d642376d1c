"""Bytes of an untrusted file to a tree of nodes.

No DOCTYPE is allowed, hence no entities; nothing is decompressed or fetched; size, number and depth of the elements
are bounded while they are read. Namespace prefixes are plain text, declared or not.
"""

from __future__ import annotations

import re
from pathlib import Path
from xml.parsers import expat

from .diagnostics import Diagnostics, Fate, Where
from .node import Node

MAX_BYTES = 64 * 1024 * 1024
MAX_DEPTH = 256
MAX_ELEMENTS = 1_000_000
_LIMITS = f"{MAX_ELEMENTS} elements or {MAX_DEPTH} levels of nesting"


class _RefusedError(Exception):
    """What the parser met must not be read on."""


def read_bytes(path: Path, diagnostics: Diagnostics) -> bytes | None:
    """The contents of a file, or None with a diagnostic if it is missing, too large or compressed."""
    where = Where(str(path))
    try:
        with path.open("rb") as stream:
            data = stream.read(MAX_BYTES + 1)
    except OSError as error:
        hint = "check the path" if isinstance(error, FileNotFoundError) else ""
        diagnostics.add(
            Fate.INVALID, "file.unreadable", "cannot be read: {strerror}", where, hint=hint, strerror=error.strerror
        )
        return None
    if len(data) > MAX_BYTES:
        diagnostics.add(Fate.INVALID, "file.too-large", "is larger than {value} MiB", where, value=MAX_BYTES >> 20)
        return None
    if data.startswith(b"\x1f\x8b"):
        diagnostics.add(Fate.INVALID, "file.compressed", "is compressed", where, hint="unpack it first")
        return None
    return data


_CLOSINGS = {b"<!--": b"-->", b"<![CDATA[": b"]]>"}
_LATE_DECLARATION = re.compile(rb"\A(\s+)(<\?xml[^>]*\?>)")


def _mended(data: bytes) -> bytes:
    """The document without what real files have and XML forbids.

    That is: ``--`` in comments, space before the declaration, zero bytes at the end. Every line keeps its number.
    Linear in the size of the document, whatever it holds.
    """
    pieces: list[bytes] = []
    start, end = 0, 0
    data = _LATE_DECLARATION.sub(rb"\2\1", data.rstrip(b"\0"))
    while (start := data.find(b"<!", end)) >= 0:
        pieces.append(data[end:start])
        opening = next((opening for opening in _CLOSINGS if data.startswith(opening, start)), b"<!")
        closing = _CLOSINGS.get(opening, b"")
        stop = data.find(closing, start + len(opening))
        if stop < 0:
            return data
        end = stop + len(closing)
        section = data[start:end]
        pieces.append(b"\n" * section.count(b"\n") if opening == b"<!--" else section)
    return b"".join((*pieces, data[end:]))


def parse(data: bytes, file: str, diagnostics: Diagnostics) -> Node | None:
    """The root element of an XML document, or None with a diagnostic if it is not well formed."""
    try:
        return _parse(data, file, diagnostics)
    except expat.ExpatError as error:
        mended = _mended(data)
        if mended == data:
            _report_syntax(error, file, diagnostics)
            return None
    try:
        root = _parse(mended, file, diagnostics)
    except expat.ExpatError as error:
        _report_syntax(error, file, diagnostics)
        return None
    if root is not None:
        message = "comments hold --, the declaration comes late, or zero bytes follow; it is read all the same"
        root.report(Fate.NOTED, "xml.mended", message)
    return root


def _report_syntax(error: expat.ExpatError, file: str, diagnostics: Diagnostics) -> None:
    message = f"is not well-formed XML: {expat.ErrorString(error.code)} at column {error.offset + 1}"
    hint = "mend it there, or see that this is the right file"
    diagnostics.add(Fate.INVALID, "xml.syntax", message, Where(file, error.lineno), hint=hint)


def _parse(data: bytes, file: str, diagnostics: Diagnostics) -> Node | None:
    parser = expat.ParserCreate()
    parser.buffer_text = True
    stack: list[Node] = []
    texts: list[list[str]] = []
    roots: list[Node] = []
    count = 0

    def start(tag: str, attributes: dict[str, str]) -> None:
        nonlocal count
        count += 1
        if count > MAX_ELEMENTS or len(stack) >= MAX_DEPTH:
            raise _RefusedError("file.too-large", f"more than {_LIMITS}", "split it into files that include each other")
        parent = stack[-1] if stack else None
        line = parser.CurrentLineNumber
        node = Node(tag, attributes, file=file, line=line, diagnostics=diagnostics, parent=parent)
        (roots if parent is None else parent.children).append(node)
        stack.append(node)
        texts.append([])

    def end(_tag: str) -> None:
        stack.pop().text = "".join(texts.pop())

    def characters(text: str) -> None:
        texts[-1].append(text)

    def doctype(*_: object) -> None:
        raise _RefusedError("xml.doctype", "a DOCTYPE is not allowed", "remove it; entities are not expanded")

    parser.StartElementHandler = start
    parser.EndElementHandler = end
    parser.CharacterDataHandler = characters
    parser.StartDoctypeDeclHandler = doctype
    try:
        parser.Parse(data, True)
    except _RefusedError as refusal:
        code, message, hint = refusal.args
        diagnostics.add(Fate.INVALID, code, message, Where(file, parser.CurrentLineNumber), hint=hint)
        return None
    except (ValueError, LookupError) as error:  # an encoding that Python does not know
        diagnostics.add(Fate.INVALID, "xml.syntax", "is not well-formed XML: {error}", Where(file), error=error)
        return None
    return roots[0]
