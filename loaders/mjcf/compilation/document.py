"""One tree of elements from an MJCF file and the files that it includes; each element keeps its file and line."""

from __future__ import annotations

import os
from collections.abc import Sequence, Set
from dataclasses import dataclass, field
from functools import cached_property
from itertools import chain
from typing import NamedTuple

from loaders.context import Context
from loaders.files import real_path
from loaders.node import Node
from loaders.xml import parse, read_bytes

from .paths import FileFinder


def expand_includes(root: Node, folder: str, context: Context, files: FileFinder) -> bool:
    """Replace each ``<include>`` by the content of its file; return whether every file was read.

    As in MuJoCo, a file is searched for beside the main file, then beside the including file, and may be included once.
    Symbolic links to one file are files of their own.

    Args:
        root: The root element of the main file.
        folder: Folder of the main file.
        context: The context of the load.
        files: The search for files.
    """
    pending = _includes(root)
    included = _IncludedFiles(folder, context, files)
    succeeded = True
    while pending:
        node = pending.pop(0)
        content = included.root(node)
        if content is None:
            succeeded = False
        else:
            pending += _includes(content)
        _replace(node, () if content is None else content.children)
    return succeeded


def _includes(node: Node) -> list[Node]:
    """Return the includes below an element, in document order."""
    found = [each for each in node.subtree() if each.tag == "include" and each is not node]
    return found if len(found) < 2 else [each for each in node.walk() if each.tag == "include" and each is not node]


@dataclass(eq=False)
class _IncludedFiles:
    """The files that a document includes, each once."""

    folder: str
    """Folder of the main file."""
    context: Context
    """The context of the load."""
    files: FileFinder
    """The search for files."""
    _seen: set[str] = field(default_factory=set)
    """Absolute paths of the files that were included."""

    def root(self, node: Node) -> Node | None:
        """Return the root element of the file of an include; None, with an error, if it cannot be included."""
        name, diagnostics = node.word("@file"), self.context.diagnostics
        if node.children:
            node.invalid("mjcf-in.include", "<include> has no elements of its own", hint="put the elements beside it")
            return None
        if not name:
            return None
        path = self.files.find_either(name, self.folder, name, node)
        if path is None or (path not in self.files.regular and os.path.isdir(path)):
            node.invalid("mjcf-in.include", "the included file {file!r} cannot be read", file=name)
            return None
        if self._is_known(path):
            message = "{file!r} is included twice, or includes itself; MuJoCo allows a file once"
            node.invalid("mjcf-in.included-twice", message, hint="remove one of the includes", file=name)
            return None
        data = read_bytes(path, diagnostics)
        root = None if data is None else parse(data, path, diagnostics)
        if root is not None and not root.children:
            message = "the included file {file!r} has no elements below its root; MuJoCo includes those alone"
            node.invalid("mjcf-in.include", message, hint="put them into a root element <mujocoinclude>", file=name)
        return root

    def _is_known(self, path: str) -> bool:
        """Return whether a file was included before, or is one of those being read; it counts as included from now."""
        place = os.path.abspath(path)
        if place in self._seen or self._is_being_read(place):
            return True
        self._seen.add(place)
        return False

    def _is_being_read(self, place: str) -> bool:
        """Return whether a file is one of those being read, given its absolute path."""
        if place in self.files.regular and os.path.basename(place) not in self._names_read:
            return False  # it is no link, so its real path has the same name
        return self.context.resources.real_paths(place) in self._real_paths_read

    @cached_property
    def _names_read(self) -> frozenset[str]:
        """Names in the real paths of the files being read, for which no folder has to be looked up."""
        files = map(str, self.context.files)
        return frozenset(os.path.basename(real_path(file) if os.path.islink(file) else file) for file in files)

    @cached_property
    def _real_paths_read(self) -> frozenset[str]:
        """Real paths of the files being read."""
        return frozenset(map(str, self.context.including))


def _replace(node: Node, content: Sequence[Node]) -> None:
    """Put elements in the place of another one."""
    parent = node.parent
    if parent is None:
        return
    place = parent.children.index(node)
    parent.children = [*parent.children[:place], *content, *parent.children[place + 1 :]]
    node.parent = None
    for child in content:
        child.parent = parent


class Contents(NamedTuple):
    """The elements of a document and what is in any of them, collected once for all that ask."""

    nodes: list[Node]
    """All elements."""
    tags: Set[str]
    """The tags of the elements."""
    keys: Set[str]
    """The names of their attributes."""
    values: str
    """The values of their attributes, with spaces between them."""

    @classmethod
    def of(cls, nodes: list[Node], tags: Set[str]) -> Contents:
        """Return what elements have.

        Args:
            nodes: The elements.
            tags: Their tags.
        """
        attributes = [node.attributes for node in nodes]
        values = " ".join(chain.from_iterable(map(dict.values, attributes)))
        return cls(nodes, tags, set().union(*attributes), values)
