"""What a file may hold and the model has no place for, with the values that SDFormat demands of it."""

from __future__ import annotations

from loaders import ignored_elements
from loaders.ignored_elements import IgnoredElements
from loaders.node import Node

from .value_checks import check_values


def report_ignored(element: Node, table: IgnoredElements) -> None:
    """Report the children of these tags, each once, with all that is in them; its values must be right all the same."""
    for child in element.children:
        if child.tag in table:
            check_values(child)
    ignored_elements.report_ignored(element, table)


def mark_read(element: Node) -> None:
    """Count an element and all that is in it as read; its values must be right all the same."""
    check_values(element)
    ignored_elements.mark_read(element)


def leaves(element: Node, *without: str) -> tuple[tuple[str, str], ...]:
    """Every attribute and every text below an element, with its path; children of some tags are left out."""
    found: list[tuple[str, str]] = []
    pending = [(child, child.tag) for child in reversed(element.children) if child.tag not in without]
    for child, _ in reversed(pending):
        check_values(child)
    element.skip(*(tag for _, tag in pending))
    while pending:
        node, path = pending.pop()
        found.extend((f"{path}@{name}", value.strip()) for name, value in node.attributes.items())
        if node.text.strip() and not node.children:
            found.append((path, node.text.strip()))
        node.skip(*(child.tag for child in node.children), *("@" + name for name in node.attributes))
        pending.extend((child, f"{path}/{child.tag}") for child in reversed(node.children))
    return tuple(found)
