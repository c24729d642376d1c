"""Known elements that the model does not represent: marked as read, and reported."""

from __future__ import annotations

from collections.abc import Mapping

from .diagnostics import Fate
from .node import Node

IgnoredElements = Mapping[str, tuple[Fate, str, str]]
"""Fate, code and reason, keyed by tag; a reason completes the message "ignored <tag>: ..."."""


def report_ignored(element: Node, ignored: IgnoredElements) -> None:
    """Report each child with one of these tags, and mark its subtree as read."""
    tags = tuple(ignored)
    for child in () if element.lacks(tags) else element.all(*tags):
        fate, code, reason = ignored[child.tag]
        child.report(fate, code, "ignored <{tag}>: {reason}", tag=child.tag, reason=reason)
        mark_read(child)


def mark_read(element: Node) -> None:
    """Mark an element and its subtree as read."""
    for node in element.walk():
        node.skip_all()
