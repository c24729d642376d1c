"""Elements of an XML text with the places of their parts, so that a part of the text can be
replaced and every other character stays.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass, field

MARKUP = re.compile(
    r"<!--(?P<comment>.*?)-->|<!\[CDATA\[.*?\]\]>|<[?!][^>]*>|</(?P<end>[^\s>]+)\s*>"
    r"|<(?P<tag>[A-Za-z_][\w.:-]*)(?P<attributes>(?:[^\"'>]|\"[^\"]*\"|'[^']*')*+)>",
    re.DOTALL,
)
"""A comment, an instruction, or the start or the end of an element."""
_ATTRIBUTE = re.compile(r"""\s([A-Za-z_][\w.:-]*)\s*=\s*(?:"([^"]*)"|'([^']*)')""")
NAME = re.compile(r"""\sname\s*=\s*["']([^"']*)["']""")
"""The name of an element in its attributes."""


@dataclass(frozen=True, slots=True)
class TextSpan:
    """A part of a text: its content and its place, from the first character to behind the last."""

    text: str
    start: int
    end: int


@dataclass(slots=True, eq=False)
class Element:
    """An element of a text.

    Attributes:
        tag: The tag.
        path: Tags and names from the root, such as ``/robot[arm]/link[base]``.
        line: Line of its start.
        last_line: Line at the end of its start tag.
        start: Place of its start tag.
        inside: Place behind its start tag.
        outside: Place of its end tag, or behind it if it has none.
        attributes: The values.
        parent: The element around it; None for the root.
        children: The elements in it.
    """

    tag: str
    path: str
    line: int
    last_line: int
    start: int
    inside: int
    outside: int
    attributes: dict[str, TextSpan]
    parent: Element | None
    children: list[Element] = field(default_factory=list)

    @property
    def name(self) -> str:
        """The name in its attributes; empty without one."""
        return self.attributes["name"].text if "name" in self.attributes else ""

    @property
    def is_empty(self) -> bool:
        """True if it has no end tag."""
        return self.inside == self.outside and not self.children

    def child(self, tag: str) -> Element | None:
        """Return the first child with a tag; None if there is none."""
        return next((each for each in self.children if each.tag == tag), None)

    def below(self) -> Iterator[Element]:
        """Yield this element and all in it, in the order of the text."""
        pending = [self]
        while pending:
            element = pending.pop()
            yield element
            pending.extend(reversed(element.children))


def root_of(text: str) -> Element | None:
    """Return the root of a well-formed XML text, with all elements in it; None without one."""
    starts = [0, *(match.end() for match in re.finditer("\n", text))]
    root: Element | None = None
    inner: Element | None = None
    for mark in MARKUP.finditer(text):
        if mark["tag"] is not None:
            element = _started(mark, inner, starts)
            root = root or element
            if inner is not None:
                inner.children.append(element)
            if not mark["attributes"].endswith("/"):
                inner = element
        elif mark["end"] is not None and inner is not None and mark["end"] == inner.tag:
            inner.outside = mark.start()
            inner = inner.parent
    return root


def _started(mark: re.Match[str], parent: Element | None, starts: list[int]) -> Element:
    offset = mark.start("attributes")
    attributes = {}
    for found in _ATTRIBUTE.finditer(mark["attributes"]):
        group = 2 if found[2] is not None else 3
        start, end = found.span(group)
        attributes[found[1]] = TextSpan(found[group], offset + start, offset + end)
    name = f"[{attributes['name'].text}]" if "name" in attributes else ""
    return Element(
        tag=mark["tag"],
        path=f"{parent.path if parent is not None else ''}/{mark['tag']}{name}",
        line=bisect_right(starts, mark.start()),
        last_line=bisect_right(starts, mark.end()),
        start=mark.start(),
        inside=mark.end(),
        outside=mark.end(),
        attributes=attributes,
        parent=parent,
    )
