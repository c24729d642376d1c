"""Parser of untrusted XML files: bytes to a tree of `Node`.

A DOCTYPE is refused, so there are no entities; nothing is decompressed or fetched; the number and the depth of elements
are limited during parsing. Namespace prefixes are plain text, declared or not.

The parser is expat from the standard library, not lxml, because of the time and the memory of a whole load. lxml makes
a new text of every tag and name of an attribute, which expat shares: loads of robots take 1 to 8 % longer, trees of
5,000 links 3 to 9 %, and 50,000 links need 12 % more memory. libxml2 keeps all names until the thread ends, so that
hostile files could fill the memory of a long-lived process. It also states the line on which a start tag ends, and
knows no prefix that is not declared, which Drake's own parser accepts; both could be mended.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any
from xml.parsers import expat

from .diagnostics import Diagnostics, Fate, Where
from .files import FileError, main_file, read
from .node import Node
from .reading.deferred import Deferred
from .repairs.xml_text import mended_xml, repaired_xml
from .safety.limits import limit_of

_reason: Callable[[bytes, expat.ExpatError], str] = Deferred("loaders.repairs.syntax_reason:reason")
_open_element: Callable[[bytes], tuple[str, int] | None] = Deferred("loaders.repairs.syntax_reason:open_element")
MAX_DEPTH = 256
_ZIP = b"PK\x03\x04"
"""Start of a ZIP archive."""
MAX_ELEMENTS = 1_000_000
_SHORTEST = len("<a>")
"""Number of bytes of the shortest element."""
_TOO_MANY = "the file has more than {most} elements or {depth} levels of nesting"


_WITHOUT_TEXT = frozenset({"mujoco", "mujocoinclude"})
"""Root elements of documents whose elements have attributes only; MuJoCo ignores any text."""


class _RefusedError(Exception):
    """The document must not be parsed further; arguments: code, message, hint."""


def read_bytes(path: str | Path, diagnostics: Diagnostics) -> bytes | None:
    """Return the contents of a file, or None with a diagnostic if it is missing, too large or compressed.

    Args:
        path: The file.
        diagnostics: Record for the diagnostic.
    """
    where = Where(str(path))
    try:
        data = read(path)
    except FileError as error:
        message = "cannot read the file: {reason}"
        diagnostics.add(Fate.INVALID, error.code, message, where, hint=error.hint, reason=error.reason)
        return None
    diagnostics.spend("files", 1)
    diagnostics.spend("bytes", len(data))
    diagnostics.spend("elements", data.count(b"<") - data.count(b"</"))
    if data.startswith(b"\x1f\x8b"):
        diagnostics.add(Fate.INVALID, "file.compressed", "the file is compressed", where, hint="decompress it first")
        return None
    if data.startswith(_ZIP):
        message, hint = (
            "the file is a ZIP archive",
            "unpack it; archives of MJCF end in .mjz or .zip, and are not included",
        )
        diagnostics.add(Fate.INVALID, "file.compressed", message, where, hint=hint)
        return None
    return data


def model_in(path: str, where: Where, diagnostics: Diagnostics) -> str | None:
    """Return the path of the model in an archive of MuJoCo, that of any other file as it is; None with a diagnostic.

    Args:
        path: The file.
        where: The place that names it.
        diagnostics: Record for the diagnostic.
    """
    try:
        return main_file(path)
    except FileError as error:
        message = "cannot read {file}: {reason}"
        diagnostics.add(Fate.INVALID, error.code, message, where, hint=error.hint, file=path, reason=error.reason)
        return None


_CLOSED_MJCF = re.compile(rb"</mujoco\s*>")
_JOINED = re.compile(rb"""(\s[\w:.-]+=(?:"[^"<>]*"|'[^'<>]*'))(?=[A-Za-z_])""")


def _repaired_mjcf(data: bytes) -> bytes:
    """Return an MJCF document without what MuJoCo's parser ignores: text after the root, attributes without a space."""
    end = _CLOSED_MJCF.search(data)
    return data if end is None else _JOINED.sub(rb"\1 ", data[: end.end()])


def parse(data: bytes, file: str, diagnostics: Diagnostics) -> Node | None:
    """Return the root element of an XML document, or None with a diagnostic if it is not well formed.

    Args:
        data: The document.
        file: Name of the file for diagnostics.
        diagnostics: Record for the findings; the nodes report to it as well.
    """
    try:
        return _parse(data, file, diagnostics)
    except expat.ExpatError as error:
        repaired = _repaired_mjcf(repaired_xml(data))
        if repaired == data:
            return _mended(data, error, file, diagnostics)
    try:
        root = _parse(repaired, file, diagnostics)
    except expat.ExpatError as error:
        return _mended(repaired, error, file, diagnostics)
    if root is not None:
        message = "ignored errors in the XML: -- in a comment, space before the declaration, or text at the end"
        root.report(Fate.NOTED, "xml.mended", message)
    return root


def _mended(data: bytes, error: expat.ExpatError, file: str, diagnostics: Diagnostics) -> Node | None:
    """Report a syntax error; return the root element of the mended document if the load is lenient."""
    root = None
    with suppress(expat.ExpatError):
        root = _parse(mended_xml(data), file, diagnostics)
    opened = _open_element(data)
    message = "the file is not well-formed XML: {reason} at column {column}"
    if not data.strip():
        message = "the file is empty; expected an XML document"
    elif opened is not None:
        message += "; the start tag <{tag}> of line {line} is still open there"
    tag, line = opened or ("", 0)
    diagnostics.add(
        Fate.INVALID,
        "xml.syntax",
        message,
        Where(file, error.lineno),
        hint="correct the XML there, or check that this is the right file",
        leniency="" if root is None else "it is read as TinyXML reads it",
        reason=_reason(data, error),
        column=error.offset + 1,
        tag=tag,
        line=line,
    )
    return root if diagnostics.lenient else None


def _parse(data: bytes, file: str, diagnostics: Diagnostics) -> Node | None:
    parser = expat.ParserCreate()
    parser.buffer_text = True
    document = Node("", {}, file, 0, diagnostics)
    most = max(MAX_ELEMENTS, limit_of("elements"))
    texts = _build(document, parser, most)
    if len(data) > _SHORTEST * most and data.count(b"<") - data.count(b"</") > most:
        _count_elements(parser, most)
    try:
        parser.Parse(data, True)
    except _RefusedError as refusal:
        code, message, hint = refusal.args
        diagnostics.add(Fate.INVALID, code, message, Where(file, parser.CurrentLineNumber), hint=hint)
        return None
    except (ValueError, LookupError) as error:  # an encoding unknown to Python
        message = "the file is not well-formed XML: {reason}"
        diagnostics.add(Fate.INVALID, "xml.syntax", message, Where(file), reason=error)
        return None
    finally:  # the handlers refer to the parser
        parser.StartElementHandler = parser.EndElementHandler = None
        parser.CharacterDataHandler = parser.StartDoctypeDeclHandler = None
    for node, pieces in texts.items():
        node.text = "".join(pieces)
    return document.children[0].detach()


def _too_many(most: int) -> _RefusedError:
    problem = _TOO_MANY.format(most=most, depth=MAX_DEPTH)
    return _RefusedError("file.too-large", problem, "split the file and include its parts")


def _refuse_doctype(*_: object) -> None:
    raise _RefusedError("xml.doctype", "a DOCTYPE is not allowed", "remove the DOCTYPE; entities are not supported")


def _count_elements(parser: expat.XMLParserType, most: int) -> None:
    """Make a parser refuse a document with too many elements; it takes time, which few documents need."""
    start: Any = parser.StartElementHandler
    count = 0

    def counted(tag: str, attributes: dict[str, str]) -> None:
        nonlocal count
        count += 1
        if count > most:
            raise _too_many(most)
        start(tag, attributes)

    parser.StartElementHandler = counted


def _build(document: Node, parser: expat.XMLParserType, most: int) -> dict[Node, list[str]]:
    """Make a parser build a tree below a node; return the pieces, once parsed, of the texts that have several.

    The handlers are closures, which are faster than methods; they run for every element. An element counts for the
    depth from its first child on, so that those without children, which are most, need no counting.
    """
    texts: dict[Node, list[str]] = {}
    file, diagnostics, node = document.file, document.diagnostics, document
    depth = 0

    def start(tag: str, attributes: dict[str, str]) -> None:
        nonlocal depth, node
        parent = node
        node = Node(tag, attributes, file, parser.CurrentLineNumber, diagnostics, parent)
        if parent.children:
            parent.children.append(node)  # type: ignore[attr-defined]  # a list, if there are any
        else:
            parent.children = [node]
            depth += 1
            if depth > MAX_DEPTH:
                raise _too_many(most)
            if depth == 1 and tag in _WITHOUT_TEXT:
                parser.CharacterDataHandler = None

    def end(_tag: str) -> None:
        nonlocal depth, node
        if node.children:
            depth -= 1
        node = node.parent  # type: ignore[assignment]  # an element that ends has begun in another one

    def characters(text: str) -> None:
        if node.text:
            texts.setdefault(node, [node.text]).append(text)
        elif not text.isspace():  # readers strip space, which is most of the text of a file
            node.text = text

    parser.StartElementHandler = start
    parser.EndElementHandler = end
    parser.CharacterDataHandler = characters
    parser.StartDoctypeDeclHandler = _refuse_doctype
    return texts
