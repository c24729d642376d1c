"""Elements that have no place in the model; their values are checked all the same, as libsdformat does."""

from __future__ import annotations

from collections.abc import Iterator

from loaders import ignored_elements
from loaders.ignored_elements import IgnoredElements
from loaders.node import Node

from .value_checks import check_values


def report_ignored(element: Node, table: IgnoredElements) -> None:
    """Check and report each child with a tag in the table, and mark all that it contains as read."""
    if element.lacks(tuple(table)):
        return
    for child in element.children:
        if child.tag in table:
            check_values(child)
    ignored_elements.report_ignored(element, table)


def mark_read(element: Node) -> None:
    """Check the values in an element, and mark the element and all that it contains as read."""
    check_values(element)
    ignored_elements.mark_read(element)


def flat_parameters(element: Node, *without: str) -> tuple[tuple[str, str], ...]:
    """Return every attribute and every text below an element with its path, except in children with some tags.

    The values are checked and marked as read.

    Args:
        element: The element, for example a ``<sensor>``.
        without: Tags of children to leave out.

    Returns:
        Pairs such as ``("camera/image/width", "64")`` and ``("camera@name", "eye")``, in document order.
    """
    children = [child for child in element.children if child.tag not in without]
    element.skip(*(child.tag for child in children))
    for child in children:
        mark_read(child)
    return tuple(parameter for child in children for parameter in _parameters_of(child))


def _parameters_of(element: Node) -> Iterator[tuple[str, str]]:
    pending = [(element, element.tag)]
    while pending:
        node, path = pending.pop()
        attributes = {name: value for name, value in node.attributes.items() if not name.startswith("xmlns")}
        yield from ((f"{path}@{name}", value.strip()) for name, value in attributes.items())
        if node.text.strip() and not node.children:
            yield path, node.text.strip()
        pending.extend((child, f"{path}/{child.tag}") for child in reversed(node.children))
