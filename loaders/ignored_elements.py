"""What a file may hold and the model has no place for: counted as read, and reported with its fate."""

from __future__ import annotations

from collections.abc import Mapping

from .diagnostics import Fate
from .node import Node

IgnoredElements = Mapping[str, tuple[Fate, str, str]]
"""Tag to fate, code and what such an element is."""


def report_ignored(element: Node, asides: IgnoredElements) -> None:
    """Report the children of these tags, each once, with all that is in them."""
    for child in element.all(*asides):
        fate, code, what = asides[child.tag]
        child.report(fate, code, "<{tag}> is not read: {what}", tag=child.tag, what=what)
        mark_read(child)


def mark_read(element: Node) -> None:
    """Count an element and all that is in it as read."""
    for node in element.walk():
        node.skip(*(child.tag for child in node.children), *("@" + name for name in node.attributes))
