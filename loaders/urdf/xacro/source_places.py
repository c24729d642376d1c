"""Places, in the sources, of the elements of a document that xacro expanded."""

from __future__ import annotations

import json
import os
from pathlib import Path

from loaders.diagnostics import Where
from loaders.node import Node


class _SourceLine(int):
    """A line of a source."""

    file: str


class _ExpandedNode(Node):
    """An element that xacro expanded; `Node.file` remains the main file, to which relative paths refer."""

    __slots__ = ()

    @property
    def file_and_line(self) -> tuple[str, int]:
        """File and line of the element in the source."""
        return getattr(self.line, "file", self.file), int(self.line)

    @property
    def where(self) -> Where:
        """The place in the source, with the path in the expanded document."""
        return self._in_source(super().where)

    def where_in(self, parent: Where) -> Where:
        """Return the place in the source, as `where` does, given that of the parent."""
        return self._in_source(super().where_in(parent))

    def _in_source(self, place: Where) -> Where:
        return Where(*self.file_and_line, place.path)


def read_places(data: bytes, path: Path) -> tuple[Where, ...]:
    """Return the places that the process of xacro sends.

    Args:
        data: Its message.
        path: The main file, which keeps the name that the caller gave.
    """
    found = json.loads(data)
    main = os.path.abspath(path)
    files = [str(path) if file == main else file for file in found["files"]]
    return tuple(Where(files[i], line) for i, line in found["places"])


def set_places(root: Node, places: tuple[Where, ...]) -> None:
    """Give the elements of an expanded document their places in the sources.

    Args:
        root: The document.
        places: The place of each element; without effect if they are not as many as the elements.
    """
    nodes = list(root.walk())
    if len(nodes) != len(places):
        return
    for node, place in zip(nodes, places, strict=True):
        line = _SourceLine(place.line)
        line.file = place.file
        node.line = line
        node.__class__ = _ExpandedNode
