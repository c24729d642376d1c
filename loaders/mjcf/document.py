"""An MJCF file with its includes as one tree, and the text that MuJoCo gets."""

from __future__ import annotations

import os
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence, Set
from dataclasses import dataclass, field
from itertools import chain
from typing import NamedTuple

from loaders.context import Context
from loaders.deferred import cached_property
from loaders.files.read_file import real_path
from loaders.mjcf import codes
from loaders.node import ESCAPED, Node, escaped
from loaders.xml import parse, read_bytes

from .asset import FileFinder


def expand_includes(root: Node, folder: str, context: Context, files: FileFinder) -> bool:
    """Replace each ``<include>`` by the content of its file; return whether every file was read.

    As in MuJoCo, a file is searched for beside the main file, then beside the including file, and
    may be included once. Symbolic links to one file are files of their own.

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
    return [each for each in node.walk() if each.tag == "include" and each is not node]


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
        """Return the root element of the file of an include; None, with an error, if it cannot be
        included.
        """
        name, diagnostics = node.word("@file"), self.context.diagnostics
        if node.children:
            node.report(codes.INCLUDE)
            return None
        if not name:
            return None
        path = self.files.find_either(name, self.folder, name, node)
        if path is None or (path not in self.files.regular and os.path.isdir(path)):
            node.report(codes.INCLUDE_UNREADABLE, file=name)
            return None
        if self._is_known(path):
            node.report(codes.INCLUDED_TWICE, file=name)
            return None
        data = read_bytes(path, diagnostics)
        root = None if data is None else parse(data, path, diagnostics)
        if root is not None and not root.children:
            node.report(codes.INCLUDE_EMPTY, file=name)
        return root

    def _is_known(self, path: str) -> bool:
        """Return whether a file was included before, or is one of those being read; it counts as
        included from now.
        """
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
        """Names in the real paths of the files being read, for which no folder has to be looked
        up.
        """
        files = map(str, self.context.files)
        return frozenset(
            os.path.basename(real_path(file) if os.path.islink(file) else file) for file in files
        )

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


_SPECIAL = re.compile(r"""[^ !#$%()*+,./0-9:;=?@A-Z\[\]^_a-z{|}~-]""")
"""Characters that may need an escape in an attribute."""
_MAKERS = frozenset({"attach", "composite", "flexcomp", "model", "replicate"})
"""Elements that make others."""
_SECTIONS = {
    "actuator": "actuator",
    "sensor": "sensor",
    "tendon": "tendon",
    "eq": "equality",
    "key": "keyframe",
}
"""Sections whose elements are those of the compiled model, keyed by the name of the kind."""
_ASSETS = ("mesh", "hfield", "texture", "material")
_PARTS = frozenset({"geom", "joint", "site", "camera", "light"})
"""Elements of bodies."""


def _quoted(value: str) -> str:
    return f'"{escaped(value)}"' if _SPECIAL.search(value) else f'"{value}"'


class LineMap:
    """The element of each line of all texts of one load; no two texts share a line."""

    def __init__(self) -> None:
        self._nodes: list[Node] = []
        self.tags: set[str] = set()
        """The tags of all elements."""

    @property
    def nodes(self) -> list[Node]:
        """The elements of all texts, in order."""
        return self._nodes

    def write(self, root: Node, contents: Contents) -> str:
        """Return a document as text, which begins with as many empty lines as were written before.

        Args:
            root: The root element.
            contents: What its elements had before their files were read, whose names are changed to
                plainer ones.
        """
        self.tags |= contents.tags
        plain = not any(character in contents.values for character in ESCAPED)
        nodes, pieces = self._nodes, ["\n" * len(self._nodes)]
        ends, pending = [""], [iter((root,))]
        while pending:
            for node in pending[-1]:
                nodes.append(node)
                pieces.append("<" + node.tag)
                for key, value in node.attributes.items():
                    pieces.append(f' {key}="{value}"' if plain else f" {key}={_quoted(value)}")
                if node.children:
                    pieces.append(">\n")
                    ends.append(f"</{node.tag}>")
                    pending.append(iter(node.children))
                    break
                pieces.append("/>\n")
            else:
                pieces.append(ends.pop())
                pending.pop()
        return "".join(pieces)

    def in_order(self) -> dict[str, list[Node | None]]:
        """Return the elements of each kind in the order of the compiled model, by the name of the
        kind there.

        MuJoCo takes bodies depth first, and all elements of a body before those of its children.
        The list of bodies has None for the world. MuJoCo itself states no lines of free joints and
        keyframes. The result is empty if an element of the document makes others.
        """
        if not _MAKERS.isdisjoint(self.tags):
            return {}
        sections: defaultdict[str, list[Node]] = defaultdict(list)
        for section in self._nodes[0].children:
            sections[section.tag] += section.children
        found = _in_bodies(sections["worldbody"], has_frames="frame" in self.tags)
        for kind, tag in _SECTIONS.items():
            found[kind] = [*sections[tag]]
        for tag in _ASSETS:
            found[tag] = [node for node in sections["asset"] if node.tag == tag]
        return found

    def nodes_of(self, lines: Iterable[int]) -> list[Node | None]:
        """Return the element of each of some lines, as `node` does."""
        nodes = self._nodes
        return [nodes[line - 1] if 0 < line <= len(nodes) else None for line in lines]

    def node(self, line: int) -> Node | None:
        """Return the element of a line, or None if there is none.

        Args:
            line: Number of the line, from 1.
        """
        return self._nodes[line - 1] if 0 < line <= len(self._nodes) else None


def _in_bodies(world: Sequence[Node], *, has_frames: bool) -> dict[str, list[Node | None]]:
    """Return the bodies and their elements.

    Args:
        world: The elements of the world.
        has_frames: Whether there are elements ``<frame>``, whose contents are those of the
            body around it.
    """
    found: dict[str, list[Node | None]] = {"body": [], **{kind: [] for kind in _PARTS}}
    pending: list[Node | None] = [None]
    while pending:
        body = pending.pop()
        found["body"].append(body)
        contents = world if body is None else body.children
        inner: list[Node] = []
        for node in _without_frames(contents) if has_frames else contents:
            tag = node.tag
            if tag in _PARTS:
                found[tag].append(node)
            elif tag == "freejoint":
                found["joint"].append(node)
            elif tag == "body":
                inner.append(node)
        pending.extend(inner[::-1])
    return found


def _without_frames(contents: Sequence[Node]) -> Iterator[Node]:
    """Yield elements of a body in the order of the document, with the contents of each frame in its
    place.
    """
    pending = list(reversed(contents))
    while pending:
        node = pending.pop()
        if node.tag == "frame":
            pending.extend(node.children[::-1])
        else:
            yield node
