"""Parser of untrusted XML to a tree of Node, with the repairs that TinyXML tolerates.

A DOCTYPE is refused, so there are no entities; nothing is decompressed or fetched; the elements,
their depth and their different names are limited during parsing. Namespace prefixes are plain text,
declared or not.

lxml parses, and calls a function for the start and the end of each element; libxml2 builds no tree
of its own, which would have to be read once more. Three of its properties matter here:

* It tells the line on which a start tag ends, and none beyond 65,535. So the lines on which
  elements start are counted in the document.
* It loses a prefix that is not declared. A document with such a prefix is parsed again, with the
  prefix declared.
* It keeps every name in memory until the thread ends. So a document may have so many different
  names and no more.
"""

from __future__ import annotations

import codecs
import re
import sys
from collections.abc import Callable, Generator, Iterator, Mapping
from contextlib import suppress
from itertools import chain, repeat
from pathlib import Path

from lxml import etree

from loaders import codes

from .diagnostics import Diagnostics, Where
from .files.read_file import main_file, read
from .limits import FileError, limit_of
from .node import Node
from .text import as_utf8

_SECTION_START = re.compile(rb"<!--|<!\[CDATA\[|<\?")
_SECTION_ENDS = {b"<!--": b"-->", b"<![CDATA[": b"]]>", b"<?": b"?>"}
_SAVED_STRING = re.compile(rb"(file://)<([a-z]{1,20}-string)>")
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
    """Return the document without four common errors; every line keeps its number.

    The errors are ``--`` in comments, space before the XML declaration, zero bytes at the end, and
    ``<urdf-string>`` in the URIs of a world that Gazebo saved.
    The time is linear in the size of any document.

    Args:
        data: The document.
    """
    pieces: list[bytes] = []
    start, end = 0, 0
    data = _LATE_DECLARATION.sub(rb"\2\1", data.rstrip(b"\0"))
    data = _SAVED_STRING.sub(rb"\1&lt;\2&gt;", data)
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
    data = _without_text_around_root(_with_declaration_first(_CONTROL.sub(b"", _in_utf8(data))))
    return _with_markup(data, _mended_markup)


def _with_markup(data: bytes, mend: Callable[[bytes], bytes]) -> bytes:
    """Return a document whose markup is mended, but no comment and no section of characters."""
    pieces, end = [], 0
    for start, stop in _sections(data):
        pieces += [mend(data[end:start]), data[start:stop]]
        end = stop
    return b"".join((*pieces, mend(data[end:])))


def accepted_xml(data: bytes) -> bytes:
    """Return a document without the errors that TinyXML2 accepts, the parser of libsdformat,
    urdfdom and MuJoCo; every line keeps its number.

    They are ``&`` that begins no reference of XML, ``<`` in a value, control characters, and
    another encoding than that which is declared.

    Args:
        data: The document.
    """
    data = _CONTROL.sub(b"", _in_utf8(data))
    return _with_markup(data, _accepted_markup)


def _accepted_markup(markup: bytes) -> bytes:
    return _BARE_AMPERSAND.sub(b"&amp;", _START_TAG.sub(_accepted_tag, markup))


def _accepted_tag(match: re.Match[bytes]) -> bytes:
    """Return a tag with ``<`` in its values escaped, if it is otherwise well-formed."""
    tag, attributes, closing = match.groups()
    if b"<" not in attributes:
        return match[0]
    values = [attribute[2] for attribute in _ATTRIBUTE.finditer(attributes)]
    if not all(value[:1] in (b'"', b"'") for value in values):
        return match[0]
    return b"<" + tag + attributes.replace(b"<", b"&lt;") + closing + b">"


def _sections(data: bytes) -> Iterator[tuple[int, int]]:
    """Yield the start and the end of each comment, CDATA section and processing instruction; text
    that opens one and never ends it is none.
    """
    ends = dict(_SECTION_ENDS)
    position = 0
    while ends and (start := _SECTION_START.search(data, position)):
        stop = data.find(ends[start[0]], start.end()) if start[0] in ends else -1
        if stop < 0:
            ends.pop(start[0], None)
            position = start.end()
        else:
            position = stop + len(ends[start[0]])
            yield start.start(), position


def _without_sections(data: bytes) -> bytes:
    pieces, end = [], 0
    for start, stop in _sections(data):
        pieces.append(data[end:start])
        end = stop
    return b"".join((*pieces, data[end:]))


def _lines_of_elements(data: bytes) -> Generator[int, None, None]:
    """Yield the line on which each element of a document starts, in document order."""
    line, end = 1, 0
    for start, stop in chain(_sections(data), ((len(data), len(data)),)):
        for match in _OPENINGS.finditer(data, end, start):
            text = match[0]
            yield from repeat(line, text.count(b"<") - text.count(b"</"))
            line += text.count(b"\n")
        line += data.count(b"\n", start, stop)
        end = stop


def _in_utf8(data: bytes) -> bytes:
    declaration = _DECLARATION.search(data[:1024])
    encoding = None if declaration is None else _ENCODING.search(declaration[0])
    if encoding is not None and encoding[1].lower() not in {
        b"utf-8",
        b"utf8",
        b"us-ascii",
        b"ascii",
    }:
        return data
    return as_utf8(data)


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
MAX_ELEMENTS = 1_000_000
MAX_NAMES = 10_000
"""Largest number of different names of elements, attributes and namespaces; a long one counts
several times."""
_NAME_LENGTH = 100
"""Number of characters of a name that counts once."""
_MAX_WARNINGS = 50
"""Largest number of warnings about namespaces; after a hundred errors libxml2 reports no further
one."""
_ZIP = b"PK\x03\x04"
"""Start of a ZIP archive."""
_WITHOUT_TEXT = frozenset({"mujoco", "mujocoinclude"})
"""Root elements of documents whose elements have attributes only; MuJoCo ignores any text."""
_OPENINGS = re.compile(rb"[^\n]*\n[^<]*|[^\n]+\Z")
"""A part of a document, whose openings are all on its first line."""
_PIECE = 1 << 16
"""Number of bytes of a document that are parsed before its warnings are read."""
_ENCODING_XML = re.compile(rb"(?:\xef\xbb\xbf)?<\?xml\s[^>]*?encoding\s*=\s*[\"']([A-Za-z][\w.-]*)")
_VERSION = re.compile(rb"\A(<\?xml\s+version\s*=\s*[\"'])(?!1\.0[\"'])[\w.:-]+([\"'])")
"""The declaration of a version other than 1.0: files state 0.0, which libxml2 refuses."""
_ROOT = re.compile(rb"(?:[^<]++|<\?.*?\?>|<!--.*?-->)*+<[^\s/>]+", re.DOTALL)
"""A document up to the tag of its root element."""
_PREFIX = re.compile(rb"[\s<]([A-Za-z_\x80-\xff][\w.\x80-\xff-]*):")
_UNDECLARED = "undeclared:"
"""Start of the namespace that a prefix gets which the document does not declare."""
_XML_NAMESPACE = "http://www.w3.org/XML/1998/namespace"
_LOSSES = frozenset(
    {etree.ErrorTypes.NS_ERR_UNDEFINED_NAMESPACE, etree.ErrorTypes.NS_ERR_ATTRIBUTE_REDEFINED}
)
"""Errors of namespaces that make libxml2 lose a prefix or an attribute; others are harmless."""
_UNCLOSED_COMMENT = "unclosed comment"
_UTF_16 = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
_INVALID_BYTE = "not well-formed (invalid token)"
_REASONS = {
    etree.ErrorTypes.ERR_ATTRIBUTE_REDEFINED: "duplicate attribute",
    etree.ErrorTypes.ERR_CDATA_NOT_FINISHED: "unclosed CDATA section",
    etree.ErrorTypes.ERR_COMMENT_NOT_FINISHED: _UNCLOSED_COMMENT,
    etree.ErrorTypes.ERR_DOCUMENT_END: "junk after document element",
    etree.ErrorTypes.ERR_INVALID_ENCODING: _INVALID_BYTE,
    etree.ErrorTypes.ERR_TAG_NAME_MISMATCH: "mismatched tag",
    etree.ErrorTypes.ERR_TAG_NOT_FINISHED: "no element found",
    etree.ErrorTypes.ERR_UNDECLARED_ENTITY: "undefined entity",
}
"""Reasons in place of those of libxml2, which repeat tags and lines of the message, or text of the
document."""


class _RefusedError(Exception):
    """The document must not be parsed further; arguments: its code, and those of the message."""


class _SyntaxError(Exception):
    """The document is not well-formed; arguments: reason, line, column, the innermost open element
    or None.
    """


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
    except _SyntaxError as error:
        repaired = _repaired_mjcf(repaired_xml(data))
        if repaired == data:
            return _accepted(data, error, file, diagnostics)
    try:
        root = _parse(repaired, file, diagnostics)
    except _SyntaxError as error:
        return _accepted(repaired, error, file, diagnostics)
    if root is not None:
        is_saved = _SAVED_STRING.search(data) is not None
        root.report(codes.XML_MENDED_SAVED if is_saved else codes.XML_MENDED)
    return root


def _accepted(data: bytes, error: _SyntaxError, file: str, diagnostics: Diagnostics) -> Node | None:
    """Return the root element of a document that TinyXML2 accepts, with a finding; else report the
    error.
    """
    accepted = accepted_xml(data)
    if accepted != data:
        with suppress(_SyntaxError):
            root = _parse(accepted, file, diagnostics)
            if root is not None:
                reason, line = error.args[:2]
                reason += _foreign_byte(data, line) if reason == _INVALID_BYTE else ""
                diagnostics.add(codes.XML_MENDED_ACCEPTED, Where(file, line), reason=reason)
            return root
    return _mended(data, error, file, diagnostics)


def _mended(data: bytes, error: _SyntaxError, file: str, diagnostics: Diagnostics) -> Node | None:
    """Report a syntax error; return the root element of the mended document if the load is
    lenient.
    """
    root = None
    with suppress(_SyntaxError):
        root = _parse(mended_xml(data), file, diagnostics)
    reason, line, column, opened = error.args
    if reason == _INVALID_BYTE:
        reason += _foreign_byte(data, line)
    elif reason == _UNCLOSED_COMMENT:  # libxml2 tells where the document ends
        line, column = _place(data, data.find(b"<!--", data.rfind(b"-->") + 1))
    code = codes.XML_SYNTAX
    if not data.strip():
        code = codes.XML_SYNTAX_EMPTY
    elif opened is not None:
        code = codes.XML_SYNTAX_OPEN_TAG
    diagnostics.add(
        code,
        Where(file, line),
        leniency="" if root is None else "the error is mended",
        reason=reason,
        column=column,
        tag="" if opened is None else opened.tag,
        line=0 if opened is None else opened.line,
    )
    return root if diagnostics.lenient else None


def _place(data: bytes, index: int) -> tuple[int, int]:
    """Return the line and the column of a byte of a document."""
    return data.count(b"\n", 0, index) + 1, index - data.rfind(b"\n", 0, index)


def _foreign_byte(data: bytes, line: int) -> str:
    """Return which byte on a line is not UTF-8, to complete a reason; empty if another encoding is
    declared.
    """
    try:
        if _ENCODING_XML.match(data) is None and not data.startswith(_UTF_16):
            data.decode()
    except UnicodeDecodeError as wrong:
        if _place(data, wrong.start)[0] == line:
            return (
                f": byte 0x{data[wrong.start]:02x} is not UTF-8, and no other encoding is declared"
            )
    return ""


def _parse(data: bytes, file: str, diagnostics: Diagnostics) -> Node | None:
    try:
        text = _as_utf8_xml(data)
        builder = _Builder(text, file, diagnostics)
        try:
            _feed(text, builder)
        except _UndeclaredPrefixError:
            builder = _Builder(text, file, diagnostics)
            _feed(_with_declarations(text, builder), builder)
    except _RefusedError as refusal:
        code, arguments = refusal.args
        diagnostics.add(code, Where(file, builder.line), **arguments)
        return None
    except (ValueError, LookupError) as error:  # an encoding unknown to Python
        diagnostics.add(codes.XML_SYNTAX_ENCODING, Where(file), reason=error)
        return None
    return builder.root()


# --- one parse ------------------------------------------------------------------------------------


class _UndeclaredPrefixError(Exception):
    """A name has a prefix that the document does not declare, and that was not declared for it."""


class _Names(dict[str, str]):
    """Names as the document writes them, each once in memory, by lxml's form of them:
    ``{namespace}name``.
    """

    def __init__(self) -> None:
        super().__init__()
        self.prefixes = {_XML_NAMESPACE: "xml"}
        self._count = 0

    def count(self, name: str) -> None:
        """Count a name that libxml2 keeps in memory."""
        self._count += 1 + len(name) // _NAME_LENGTH
        if self._count > MAX_NAMES:
            raise _too_many()

    def __missing__(self, name: str) -> str:
        self.count(name)
        namespace, _, local = name.rpartition("}")
        prefix = self.prefixes.get(namespace[1:], "")
        written = self[name] = sys.intern(f"{prefix}:{local}" if prefix else local)
        return written

    def declare(self, declared: Mapping[str | None, str]) -> dict[str, str]:
        """Note the prefixes that a start tag declares; return the attributes that declare them.

        If a namespace has several prefixes, names in it get the first one, or none if it is the
        default namespace.
        """
        attributes = {}
        for prefix, namespace in declared.items():
            self.count(namespace)
            key = f"xmlns:{prefix}" if prefix else "xmlns"
            if not prefix or namespace not in self.prefixes:
                self.prefixes[namespace] = prefix or ""
            if not namespace.startswith(_UNDECLARED):
                attributes[self[key]] = namespace
        return attributes


class _Builder:
    """Target of a parser of lxml: builds a tree of nodes.

    Attributes:
        line: The line on which the last element started.
        node: The innermost open element.
        inserted: Line of the root's tag, and number of characters that were inserted into it.
    """

    def __init__(self, data: bytes, file: str, diagnostics: Diagnostics) -> None:
        self.line, self.inserted = 1, (0, 0)
        self._lines = _lines_of_elements(data)
        self.node = self._document = Node("", {}, file, 0, diagnostics)
        self._names = _Names()
        self._texts: dict[Node, list[str]] = {}
        self._count, self._depth, self._keeps_text = 0, 0, True
        self._most = max(MAX_ELEMENTS, limit_of("elements"))

    def start(
        self, tag: str, attributes: Mapping[str, str], declared: Mapping[str | None, str]
    ) -> None:
        """Begin an element."""
        self._count += 1
        self._depth += 1
        if self._count > self._most or self._depth > MAX_DEPTH:
            raise _too_many()
        self.line = next(self._lines, self.line)
        names = self._names
        declarations = names.declare(declared) if declared else {}
        given = {names[key]: value for key, value in attributes.items()} if attributes else {}
        parent = self.node
        self.node = Node(
            names[tag],
            declarations | given if declarations else given,
            parent.file,
            self.line,
            parent.diagnostics,
            parent,
        )
        parent.children.append(self.node)
        if self._depth == 1 and self.node.tag in _WITHOUT_TEXT:
            self._keeps_text = False

    def end(self, _tag: str) -> None:
        """End the innermost open element."""
        self._depth -= 1
        self.node = self.node.parent  # type: ignore[assignment]  # an element that ends has begun in another one

    def data(self, text: str) -> None:
        """Add text to the innermost open element; space is left out where readers would strip
        it.
        """
        node = self.node
        if node.text:
            self._texts.setdefault(node, [node.text]).append(text)
        elif self._keeps_text and not text.isspace():
            node.text = text

    def pi(self, target: str, _text: str | None = None) -> None:
        """Count the name of a processing instruction, which has no other effect."""
        self._names.count(target)

    def doctype(self, *_: object) -> None:
        """Refuse a DOCTYPE."""
        self.line = next(self._lines, self.line)
        raise _RefusedError(codes.XML_DOCTYPE, {})

    def close(self) -> None:
        """End the document, well-formed or not."""
        self._lines.close()

    def root(self) -> Node:
        """Return the root element, with its texts."""
        for node, pieces in self._texts.items():
            node.text = "".join(pieces)
        return self._document.children[0].detach()

    def problem(self, reason: str, line: int, column: int) -> _SyntaxError:
        """Return a syntax error, given its place in the document with what was inserted."""
        inserted_line, length = self.inserted
        if line == inserted_line and column > length:
            column -= length
        return _SyntaxError(
            reason, max(line, 1), max(column, 1), self.node if self.node.tag else None
        )


def _too_many() -> _RefusedError:
    most = max(MAX_ELEMENTS, limit_of("elements"))
    arguments = {"most": most, "depth": MAX_DEPTH, "names": MAX_NAMES}
    return _RefusedError(codes.FILE_TOO_LARGE_ELEMENTS, arguments)


def _feed(data: bytes, builder: _Builder) -> None:
    """Parse a document in UTF-8."""
    parser = etree.XMLParser(
        target=builder,  # type: ignore[arg-type]  # the stubs also demand what lxml does without
        encoding="utf-8",
        resolve_entities="internal",  # type: ignore[arg-type]  # with False, lxml gives &amp; in attributes as &#38;
        no_network=True,
        huge_tree=True,
    )
    try:
        parser.feed(codecs.BOM_UTF8)  # what comes first is parsed only when more comes
        for start in range(0, len(data), _PIECE):
            parser.feed(data[start : start + _PIECE])
            if parser.feed_error_log:
                _check(parser.feed_error_log, builder)
        parser.close()
    except etree.XMLSyntaxError as error:
        _check(parser.feed_error_log, builder)
        raise builder.problem(error.msg or "", *error.position) from error


def _check(log: etree._ListErrorLog, builder: _Builder) -> None:
    """Refuse a document with an error, or with very many warnings."""
    for count, entry in enumerate(log, 1):
        if entry.type == etree.ErrorTypes.NS_ERR_UNDEFINED_NAMESPACE and not builder.inserted[0]:
            raise _UndeclaredPrefixError
        is_harmless = (
            entry.level == etree.ErrorLevels.WARNING or entry.domain == etree.ErrorDomains.NAMESPACE
        )
        if entry.type in _LOSSES or not is_harmless or count > _MAX_WARNINGS:
            reason = _REASONS.get(entry.type, entry.message.partition("\n")[0])
            raise builder.problem(reason, entry.line, entry.column)


# --- the form in which lxml gets a document -------------------------------------------------------


def _as_utf8_xml(data: bytes) -> bytes:
    """Return a document in UTF-8, without a byte order mark, with the line ends of Unix.

    Raises:
        _SyntaxError: if it has bytes that its encoding does not have.
        LookupError: if Python does not know its encoding.
        ValueError: if a character of its encoding may have several bytes, which those of UTF-8 and
        UTF-16 only may.
    """
    try:
        text = _decoded(data)
    except UnicodeDecodeError as error:
        raise _SyntaxError(_INVALID_BYTE, *_place(data, error.start), None) from error
    data = data if text is None else text.encode("utf-8", "surrogatepass")
    data = _VERSION.sub(rb"\g<1>1.0\g<2>", data.removeprefix(codecs.BOM_UTF8), count=1)
    return data.replace(b"\r\n", b"\n").replace(b"\r", b"\n") if b"\r" in data else data


def _decoded(data: bytes) -> str | None:
    """Return the text of a document, or None if it is in UTF-8."""
    if data.startswith(_UTF_16):
        return data.decode("utf-16")
    if data.startswith((b"<\0", b"\0<")):
        return data.decode("utf-16-le" if data.startswith(b"<") else "utf-16-be")
    declared = _ENCODING_XML.match(data)
    if declared is None or declared[1].lower() in {b"utf-8", b"utf8"}:
        return None
    label = declared[1].decode().lower()
    if label.startswith("utf-16"):
        raise _SyntaxError(
            "encoding specified in XML declaration is incorrect", 1, declared.start(1) + 1, None
        )
    table = bytes(range(256)).decode(label, "replace")
    if len(table) != 256:
        raise ValueError("multi-byte encodings are not supported")
    return codecs.charmap_decode(data, "strict", table.replace("\ufffd", "\ufffe"))[0]


def _with_declarations(data: bytes, builder: _Builder) -> bytes:
    """Return a document whose root element declares every prefix; tell the builder where."""
    root = _ROOT.match(data)
    if root is None:  # what has an undeclared prefix has a root element
        return data
    place = root.end()
    declared = set(re.findall(rb"xmlns:([^\s=]+)", data[place : data.find(b"<", place)]))
    prefixes = sorted(set(_PREFIX.findall(data)) - declared - {b"xml", b"xmlns"})
    inserted = b"".join(
        b' xmlns:%b="%b%b"' % (prefix, _UNDECLARED.encode(), prefix) for prefix in prefixes
    )
    builder.inserted = data.count(b"\n", 0, place) + 1, len(inserted)
    return data[:place] + inserted + data[place:]
