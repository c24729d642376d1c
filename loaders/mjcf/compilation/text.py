"""The text that MuJoCo gets: one line for each element, so that a line number leads back to the source."""

from __future__ import annotations

from xml.sax.saxutils import quoteattr

from loaders.node import Node


class LineMap:
    """The element of each line of all texts of one load; no two texts share a line."""

    def __init__(self) -> None:
        self._nodes: list[Node] = []

    def write(self, root: Node) -> str:
        """Return a document as text, which begins with as many empty lines as were written before.

        Args:
            root: The root element.
        """
        pieces = ["\n" * len(self._nodes)]
        pending: list[Node | str] = [root]
        while pending:
            item = pending.pop()
            if isinstance(item, str):
                pieces.append(item)
                continue
            attributes = "".join(f" {key}={quoteattr(value)}" for key, value in item.attributes.items())
            self._nodes.append(item)
            pieces.append(f"<{item.tag}{attributes}>")
            pieces.append("\n")
            pending.append(f"</{item.tag}>")
            pending.extend(reversed(item.children))
        return "".join(pieces)

    def node(self, line: int) -> Node | None:
        """Return the element of a line, or None if there is none.

        Args:
            line: Number of the line, from 1.
        """
        return self._nodes[line - 1] if 0 < line <= len(self._nodes) else None
