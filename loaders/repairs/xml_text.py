"""Repair of XML that is not well-formed but that TinyXML, the parser of Gazebo and ROS, or Assimp reads."""

from __future__ import annotations

import re
from collections.abc import Iterator

_SECTION_START = re.compile(rb"<!--|<!\[CDATA\[")
_SECTION_ENDS = {b"<!--": b"-->", b"<![CDATA[": b"]]>"}
_LATE_DECLARATION = re.compile(rb"\A(\s+)(<\?xml[^>]*\?>)")
_DECLARATION = re.compile(rb"<\?xml\b[^<>]*\?>")
_ENCODING = re.compile(rb"encoding\s*=\s*[\"']([^\"']+)")
_CONTROL = re.compile(rb"[\x00-\x08\x0b\x0c\x0e-\x1f]")
_VALUE = rb"\"[^\"]*\"|'[^']*'|[^\s\"'<>/=]+"
_ATTRIBUTE = re.compile(rb"\s+([^\s\"'<>/=]+)\s*=\s*(" + _VALUE + rb")")
_START_TAG = re.compile(rb"<([A-Za-z_][\w.:-]*+)((?:\s++[^\s\"'<>/=]++\s*+=\s*+(?:" + _VALUE + rb"))*+)\s*+(/?+)>")
_BARE_AMPERSAND = re.compile(rb"&(?!(?:#[0-9]{1,9}|#x[0-9a-fA-F]{1,9}|amp|lt|gt|quot|apos);)")
_ROOTS = (b"sdf", b"gazebo", b"robot")
"""Tags of root elements, which never contain one another."""


def repaired_xml(data: bytes) -> bytes:
    """Return the document without three common errors; every line keeps its number.

    The errors are ``--`` in comments, space before the XML declaration, and zero bytes at the end. The time is linear
    in the size of any document.

    Args:
        data: The document.
    """
    pieces: list[bytes] = []
    start, end = 0, 0
    data = _LATE_DECLARATION.sub(rb"\2\1", data.rstrip(b"\0"))
    while (start := data.find(b"<!", end)) >= 0:
        pieces.append(data[end:start])
        opening = next((opening for opening in _SECTION_ENDS if data.startswith(opening, start)), b"<!")
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

    Values of attributes get quotes, and ``<`` and ``&`` in them are escaped; a second attribute of a name, control
    characters, what stands before the XML declaration and what follows the root element are removed; text that is not
    in the declared UTF-8 is decoded as Latin-1. The time is linear in the size of any document.

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
    """Yield the start and the end of each comment and CDATA section; text that opens one and never ends it is none."""
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
    if encoding is not None and encoding[1].lower() not in {b"utf-8", b"utf8", b"us-ascii", b"ascii"}:
        return data
    try:
        data.decode()
    except UnicodeDecodeError:
        return data.decode("latin-1").encode()
    return data


def _with_declaration_first(data: bytes) -> bytes:
    """Return the document with its first declaration at the start, without text before it and without further ones."""
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
