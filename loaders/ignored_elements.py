"""What a file may hold and the model has no place for: counted as read, and reported with its fate."""

from __future__ import annotations

from collections.abc import Mapping

from .diagnostics import Fate
from .node import Node

Asides = Mapping[str, tuple[Fate, str, str]]
"""Tag to fate, code and what such an element is."""


def set_aside(element: Node, asides: Asides) -> None:
    """Report the children of these tags, each once, with all that is in them."""
    for child in element.all(*asides):
        fate, code, what = asides[child.tag]
        child.report(fate, code, f"<{child.tag}> is not read: {what}")
        absorb(child)


def absorb(element: Node) -> None:
    """Count an element and all that is in it as read."""
    for node in element.walk():
        node.skip(*(child.tag for child in node.children), *("@" + name for name in node.attributes))
