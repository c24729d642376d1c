"""The text that MuJoCo gets: one line for each element, so that a line number leads back to the source."""

from __future__ import annotations

import re
from xml.sax.saxutils import quoteattr

from loaders.node import Node

_SPECIAL = re.compile(r"""[^ !#$%()*+,./0-9:;=?@A-Z\[\]^_a-z{|}~-]""")
"""Characters that may need an escape in an attribute."""


def _quoted(value: str) -> str:
    return quoteattr(value) if _SPECIAL.search(value) else f'"{value}"'


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
            attributes = "".join([f" {key}={_quoted(value)}" for key, value in item.attributes.items()])
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
