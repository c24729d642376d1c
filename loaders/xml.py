"""Parser of untrusted XML to a tree of Node, with the repairs that TinyXML tolerates.

A DOCTYPE is refused, so there are no entities; nothing is decompressed or fetched; the number and
the depth of elements are limited during parsing. Namespace prefixes are plain text, declared or
not.

The parser is expat from the standard library, not lxml, because of the time and the memory of a
whole load. lxml makes a new text of every tag and name of an attribute, which expat shares: loads
of robots take 1 to 8 % longer, trees of 5,000 links 3 to 9 %, and 50,000 links need 12 % more
memory. libxml2 keeps all names until the thread ends, so that hostile files could fill the memory
of a long-lived process. It also states the line on which a start tag ends, and knows no prefix that
is not declared, which Drake's own parser accepts; both could be mended.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any
from xml.parsers import expat

from loaders import codes

from .diagnostics import Diagnostics, Where
from .files.read_file import main_file, read
from .limits import FileError, limit_of
from .node import Node

_INVALID_TOKEN = expat.errors.codes[expat.errors.XML_ERROR_INVALID_TOKEN]
_UTF_16 = (b"\xff\xfe", b"\xfe\xff")
_PROLOG = 200
"""Number of bytes at the beginning of a document in which its encoding is declared."""


def reason(data: bytes, error: expat.ExpatError) -> str:
    """Return what the parser says about an error of syntax, and that a byte is not UTF-8 if this is
    the cause.

    Args:
        data: A document that is not well-formed.
        error: The error of the parser.
    """
    said = expat.ErrorString(error.code)
    if error.code != _INVALID_TOKEN or b"encoding" in data[:_PROLOG] or data.startswith(_UTF_16):
        return said
    try:
        data.decode()
    except UnicodeDecodeError as wrong:
        if data.count(b"\n", 0, wrong.start) + 1 == error.lineno:
            return (
                f"{said}: byte 0x{data[wrong.start]:02x} is not UTF-8, and no other encoding "
                f"is declared"
            )
    return said


def open_element(data: bytes) -> tuple[str, int] | None:
    """Return the tag and the line of the innermost element that is open at the first error of
    syntax; None if none is.

    Args:
        data: A document that is not well-formed.
    """
    parser = expat.ParserCreate()
    opened: list[tuple[str, int]] = []
    parser.StartElementHandler = lambda tag, _: opened.append((tag, parser.CurrentLineNumber))
    parser.EndElementHandler = lambda _: opened.pop()
    try:
        with suppress(expat.ExpatError):
            parser.Parse(data, True)
    finally:  # the handlers refer to the parser
        parser.StartElementHandler = parser.EndElementHandler = None
    return opened[-1] if opened else None


_SECTION_START = re.compile(rb"<!--|<!\[CDATA\[")
_SECTION_ENDS = {b"<!--": b"-->", b"<![CDATA[": b"]]>"}
_LATE_DECLARATION = re.compile(rb"\A(\s+)(<\?xml[^>]*\?>)")
_DECLARATION = re.compile(rb"<\?xml\b[^<>]*\?>")
_ENCODING = re.compile(rb"encoding\s*=\s*[\"']([^\"']+)")
_CONTROL = re.compile(rb"[\x00-\x08\x0b\x0c\x0e-\x1f]")
_VALUE = rb"\"[^\"]*\"|'[^']*'|[^\s\"'<>/=]+"
_ATTRIBUTE = re.compile(rb"\s+([^\s\"'<>/=]+)\s*=\s*(" + _VALUE + rb")")
_START_TAG = re.compile(
    rb"<([A-Za-z_][\w.:-]*+)((?:\s++[^\s\"'<>/=]++\s*+=\s*+(?:" + _VALUE + rb"))*+)\s*+(/?+)>"
)
_BARE_AMPERSAND = re.compile(rb"&(?!(?:#[0-9]{1,9}|#x[0-9a-fA-F]{1,9}|amp|lt|gt|quot|apos);)")
_ROOTS = (b"sdf", b"gazebo", b"robot")
"""Tags of root elements, which never contain one another."""


def repaired_xml(data: bytes) -> bytes:
    """Return the document without three common errors; every line keeps its number.

    The errors are ``--`` in comments, space before the XML declaration, and zero bytes at the end.
    The time is linear in the size of any document.

    Args:
        data: The document.
    """
    pieces: list[bytes] = []
    start, end = 0, 0
    data = _LATE_DECLARATION.sub(rb"\2\1", data.rstrip(b"\0"))
    while (start := data.find(b"<!", end)) >= 0:
        pieces.append(data[end:start])
        opening = next(
            (opening for opening in _SECTION_ENDS if data.startswith(opening, start)), b"<!"
        )
        closing = _SECTION_ENDS.get(opening, b"")
        stop = data.find(closing, start + len(opening))
        if stop < 0:
            return data
        end = stop + len(closing)
        section = data[start:end]
        pieces.append(b"\n" * section.count(b"\n") if opening == b"<!--" else section)
    return b"".join((*pieces, data[end:]))


def mended_xml(data: bytes) -> bytes:
    """Return a document without common errors; every line keeps its number.

    Values of attributes get quotes, and ``<`` and ``&`` in them are escaped; a second attribute of
    a name, control characters, what stands before the XML declaration and what follows the root
    element are removed; text that is not in the declared UTF-8 is decoded as Latin-1. The time is
    linear in the size of any document.

    Args:
        data: The document.
    """
    data = _without_text_around_root(_with_declaration_first(_CONTROL.sub(b"", _as_utf8(data))))
    pieces, end = [], 0
    for start, stop in _sections(data):
        pieces += [_mended_markup(data[end:start]), data[start:stop]]
        end = stop
    return b"".join((*pieces, _mended_markup(data[end:])))


def _sections(data: bytes) -> Iterator[tuple[int, int]]:
    """Yield the start and the end of each comment and CDATA section; text that opens one and never
    ends it is none.
    """
    ends = dict(_SECTION_ENDS)
    position = 0
    while ends and (start := _SECTION_START.search(data, position)):
        stop = data.find(ends[start[0]], start.end()) if start[0] in ends else -1
        if stop < 0:
            ends.pop(start[0], None)
            position = start.end()
        else:
            position = stop + 3
            yield start.start(), position


def _without_sections(data: bytes) -> bytes:
    pieces, end = [], 0
    for start, stop in _sections(data):
        pieces.append(data[end:start])
        end = stop
    return b"".join((*pieces, data[end:]))


def _as_utf8(data: bytes) -> bytes:
    declaration = _DECLARATION.search(data[:1024])
    encoding = None if declaration is None else _ENCODING.search(declaration[0])
    if encoding is not None and encoding[1].lower() not in {
        b"utf-8",
        b"utf8",
        b"us-ascii",
        b"ascii",
    }:
        return data
    try:
        data.decode()
    except UnicodeDecodeError:
        return data.decode("latin-1").encode()
    return data


def _with_declaration_first(data: bytes) -> bytes:
    """Return the document with its first declaration at the start, without text before it and
    without further ones.
    """
    first = _DECLARATION.search(data)
    if first is None:
        return data
    before, after = data[: first.start()], data[first.end() :]
    return first[0] + _lines(before) + _DECLARATION.sub(b"", after)


def _without_text_around_root(data: bytes) -> bytes:
    start = max(data.find(b"<"), 0)
    tags = (match for match in _START_TAG.finditer(_without_sections(data[: 1 << 16])))
    root = next((match[1] for match in tags), b"")
    closing = b"</" + root + b">"
    end = data.find(closing) if root in _ROOTS else -1
    return _lines(data[:start]) + (data[start:] if end < 0 else data[start : end + len(closing)])


def _lines(text: bytes) -> bytes:
    return b"\n" * text.count(b"\n")


def _mended_markup(markup: bytes) -> bytes:
    return _BARE_AMPERSAND.sub(b"&amp;", _START_TAG.sub(_mended_tag, markup))


def _mended_tag(match: re.Match[bytes]) -> bytes:
    tag, attributes, closing = match.groups()
    values: dict[bytes, bytes] = {}
    for attribute in _ATTRIBUTE.finditer(attributes):
        value = attribute[2]
        quoted = value if value[:1] in (b'"', b"'") else b'"' + value + b'"'
        values.setdefault(attribute[1], quoted.replace(b"<", b"&lt;"))
    text = b"".join(b" " + name + b"=" + value for name, value in values.items())
    missing = attributes.count(b"\n") - text.count(b"\n")
    return b"<" + tag + text + b"\n" * missing + closing + b">"


MAX_DEPTH = 256
_ZIP = b"PK\x03\x04"
"""Start of a ZIP archive."""
MAX_ELEMENTS = 1_000_000
_SHORTEST = len("<a>")
"""Number of bytes of the shortest element."""


_WITHOUT_TEXT = frozenset({"mujoco", "mujocoinclude"})
"""Root elements of documents whose elements have attributes only; MuJoCo ignores any text."""


class _RefusedError(Exception):
    """The document must not be parsed further; arguments: its code, and those of the message."""


def read_bytes(path: str | Path, diagnostics: Diagnostics) -> bytes | None:
    """Return the contents of a file, or None with a diagnostic if it is missing, too large or
    compressed.

    Args:
        path: The file.
        diagnostics: Record for the diagnostic.
    """
    where = Where(str(path))
    try:
        data = read(path)
    except FileError as error:
        diagnostics.add(error.code, where, hint=error.hint, reason=error.reason)
        return None
    diagnostics.spend("files", 1)
    diagnostics.spend("bytes", len(data))
    diagnostics.spend("elements", data.count(b"<") - data.count(b"</"))
    if data.startswith(b"\x1f\x8b"):
        diagnostics.add(codes.FILE_COMPRESSED, where)
        return None
    if data.startswith(_ZIP):
        diagnostics.add(codes.FILE_COMPRESSED_ARCHIVE, where)
        return None
    return data


def model_in(path: str, where: Where, diagnostics: Diagnostics) -> str | None:
    """Return the path of the model in an archive of MuJoCo, that of any other file as it is; None
    with a diagnostic.

    Args:
        path: The file.
        where: The place that names it.
        diagnostics: Record for the diagnostic.
    """
    try:
        return main_file(path)
    except FileError as error:
        code = error.code.variant("cannot read {file}: {reason}")
        diagnostics.add(code, where, hint=error.hint, file=path, reason=error.reason)
        return None


_CLOSED_MJCF = re.compile(rb"</mujoco\s*>")
_JOINED = re.compile(rb"""(\s[\w:.-]+=(?:"[^"<>]*"|'[^'<>]*'))(?=[A-Za-z_])""")


def _repaired_mjcf(data: bytes) -> bytes:
    """Return an MJCF document without what MuJoCo's parser ignores: text after the root, attributes
    without a space.
    """
    end = _CLOSED_MJCF.search(data)
    return data if end is None else _JOINED.sub(rb"\1 ", data[: end.end()])


def parse(data: bytes, file: str, diagnostics: Diagnostics) -> Node | None:
    """Return the root element of an XML document, or None with a diagnostic if it is not well
    formed.

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
        root.report(codes.XML_MENDED)
    return root


def _mended(
    data: bytes, error: expat.ExpatError, file: str, diagnostics: Diagnostics
) -> Node | None:
    """Report a syntax error; return the root element of the mended document if the load is
    lenient.
    """
    root = None
    with suppress(expat.ExpatError):
        root = _parse(mended_xml(data), file, diagnostics)
    opened = open_element(data)
    code = codes.XML_SYNTAX
    if not data.strip():
        code = codes.XML_SYNTAX_EMPTY
    elif opened is not None:
        code = codes.XML_SYNTAX_OPEN_TAG
    tag, line = opened or ("", 0)
    diagnostics.add(
        code,
        Where(file, error.lineno),
        leniency="" if root is None else "it is read as TinyXML reads it",
        reason=reason(data, error),
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
        code, arguments = refusal.args
        diagnostics.add(code, Where(file, parser.CurrentLineNumber), **arguments)
        return None
    except (ValueError, LookupError) as error:  # an encoding unknown to Python
        diagnostics.add(codes.XML_SYNTAX_ENCODING, Where(file), reason=error)
        return None
    finally:  # the handlers refer to the parser
        parser.StartElementHandler = parser.EndElementHandler = None
        parser.CharacterDataHandler = parser.StartDoctypeDeclHandler = None
    for node, pieces in texts.items():
        node.text = "".join(pieces)
    return document.children[0].detach()


def _too_many(most: int) -> _RefusedError:
    return _RefusedError(codes.FILE_TOO_LARGE_ELEMENTS, {"most": most, "depth": MAX_DEPTH})


def _refuse_doctype(*_: object) -> None:
    raise _RefusedError(codes.XML_DOCTYPE, {})


def _count_elements(parser: expat.XMLParserType, most: int) -> None:
    """Make a parser refuse a document with too many elements; it takes time, which few documents
    need.
    """
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
    """Make a parser build a tree below a node; return the pieces, once parsed, of the texts that
    have several.

    The handlers are closures, which are faster than methods; they run for every element. An element
    counts for the depth from its first child on, so that those without children, which are most,
    need no counting.
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
