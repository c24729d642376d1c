"""The text that MuJoCo gets: one line for each element, so that a line number leads back to the source."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence

from loaders.node import Node
from loaders.nodes.attribute_text import ESCAPED, escaped

from .document import Contents

_SPECIAL = re.compile(r"""[^ !#$%()*+,./0-9:;=?@A-Z\[\]^_a-z{|}~-]""")
"""Characters that may need an escape in an attribute."""
_MAKERS = frozenset({"attach", "composite", "flexcomp", "model", "replicate"})
"""Elements that make others."""
_SECTIONS = {"actuator": "actuator", "sensor": "sensor", "tendon": "tendon", "eq": "equality", "key": "keyframe"}
"""Sections of which each element is one of the compiled model, by the name of its kind."""
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
            contents: What its elements had before their files were read, whose names are changed to plainer ones.
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
        """Return the elements of each kind in the order of the compiled model, by the name of the kind there.

        MuJoCo takes bodies depth first, and all elements of a body before those of its children. The list of bodies has
        None for the world. MuJoCo itself states no lines of free joints and keyframes. The result is empty if an
        element of the document makes others.
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
        has_frames: Whether there are elements ``<frame>``, the contents of which are those of the body around it.
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
    """Yield elements of a body in the order of the document, with the contents of each frame in its place."""
    pending = list(reversed(contents))
    while pending:
        node = pending.pop()
        if node.tag == "frame":
            pending.extend(node.children[::-1])
        else:
            yield node
