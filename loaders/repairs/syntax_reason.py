"""The cause of an error of syntax in XML: the element that is open there, or bytes in another encoding."""

from __future__ import annotations

from contextlib import suppress
from xml.parsers import expat

_INVALID_TOKEN = expat.errors.codes[expat.errors.XML_ERROR_INVALID_TOKEN]
_UTF_16 = (b"\xff\xfe", b"\xfe\xff")
_PROLOG = 200
"""Number of bytes at the beginning of a document in which its encoding is declared."""


def reason(data: bytes, error: expat.ExpatError) -> str:
    """Return what the parser says about an error of syntax, and that a byte is not UTF-8 if this is the cause.

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
            return f"{said}: byte 0x{data[wrong.start]:02x} is not UTF-8, and no other encoding is declared"
    return said


def open_element(data: bytes) -> tuple[str, int] | None:
    """Return the tag and the line of the innermost element that is open at the first error of syntax; None if none is.

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
