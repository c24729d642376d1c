"""The cause of an error of syntax in XML: the element that is open there."""

from __future__ import annotations

from contextlib import suppress
from xml.parsers import expat


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
