"""Tree of XML elements with their source line, which records what was read.

A reader reads values by key: ``"mass"`` is the text of a child element, ``"@name"`` an attribute, ``"."`` the text of
the node itself. At the end `Node.report_unread` reports every element and attribute that no reader read, so that
nothing is ignored without a diagnostic. An invalid value is reported and replaced by a harmless one, so that one run
finds every error of a file.
"""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

from .diagnostics import Diagnostics, Fate, Where, make_where
from .nodes.number_syntax import KeyGroup, plain_number, plain_numbers
from .nodes.read_names import NOTHING_READ
from .nodes.unread import report_unread
from .reading.deferred import Deferred
from .scene_queries.element_subjects import subjects_of

_unusual_number: Callable[..., float | None] = Deferred("loaders.nodes.unusual_numbers:unusual_number")
_unusual_numbers: Callable[..., tuple[float, ...] | None] = Deferred("loaders.nodes.unusual_numbers:unusual_numbers")
_FLAGS = {"true": True, "1": True, "false": False, "0": False}


class Node:
    """One element of a source file.

    ``read`` has the names that readers asked for; ``children`` is a list if there are any, which few elements have.
    """

    __slots__ = ("attributes", "children", "diagnostics", "file", "line", "parent", "read", "tag", "text")

    def __init__(
        self,
        tag: str,
        attributes: dict[str, str],
        file: str,
        line: int,
        diagnostics: Diagnostics,
        parent: Node | None = None,
    ) -> None:
        self.tag = tag
        self.attributes = attributes
        self.text = ""
        self.children: Sequence[Node] = ()
        self.file = file
        self.line = line
        self.parent = parent
        self.diagnostics = diagnostics
        self.read = NOTHING_READ

    def __repr__(self) -> str:
        name = self.attributes.get("name", "")
        return f"<Node {f'{self.tag} {name}'.strip()[:80]} at {os.path.basename(self.file)[-60:]}:{self.line}>"

    @property
    def file_and_line(self) -> tuple[str, int]:
        """File and line of the element, those of `where`, whose path takes time to compose."""
        return self.file, self.line

    @property
    def where(self) -> Where:
        """File, line and path of the element, such as ``/sdf/model[arm]/joint[elbow]``."""
        path = ""
        node: Node | None = self
        while node is not None:
            name = node.attributes.get("name")
            path = f"/{node.tag}[{name}]{path}" if name else f"/{node.tag}{path}"
            node = node.parent
        return make_where(self.file, self.line, path)

    def where_in(self, parent: Where) -> Where:
        """Return the place of this element, as `where` does, given that of its parent, which is faster."""
        step = f"{self.tag}[{name}]" if (name := self.attributes.get("name")) else self.tag
        return make_where(self.file, self.line, f"{parent.path}/{step}")

    @property
    def subjects(self) -> tuple[str, ...]:
        """Scoped names, as in the scene, of the link, joint or frame that this element belongs to and of its part.

        An element that belongs only to a model has the model as its subject; one without a name that connects others,
        such as a constraint, has those. In a file of one model, names have no prefix for that model.
        """
        nodes = [self]
        while (parent := nodes[-1].parent) is not None:
            nodes.append(parent)
        return subjects_of(nodes)

    # --- building and changing a tree -------------------------------------------------------------------------------

    def append(self, child: Node) -> Node:
        """Move ``child`` to the end of this node's children; return it."""
        child.detach()
        self.attach(child)
        return child

    def attach(self, child: Node) -> None:
        """Add a node without a parent, as `append` does; it is faster."""
        child.parent = self
        if isinstance(self.children, list):
            self.children.append(child)
        else:
            self.children = [*self.children, child]

    def add(self, tag: str, text: str = "", **attributes: str) -> Node:
        """Append a new child with the file and line of this node; return it.

        Args:
            tag: Tag of the child.
            text: Text of the child.
            attributes: Attributes of the child.
        """
        child = type(self)(tag, attributes, file=self.file, line=self.line, diagnostics=self.diagnostics)
        child.text = text
        return self.append(child)

    def detach(self) -> Node:
        """Remove this node from its parent; return it."""
        if self.parent is not None:
            self.parent.children = [child for child in self.parent.children if child is not self]
            self.parent = None
        return self

    def copy(self) -> Node:
        """Return a copy of the subtree, with nothing read and no parent."""
        root = self._copy_alone()
        pending = [(self, root)]
        for source, target in pending:
            for child in source.children:
                twin = child._copy_alone()
                target.attach(twin)
                pending.append((child, twin))
        return root

    def _copy_alone(self) -> Node:
        twin = type(self)(self.tag, dict(self.attributes), file=self.file, line=self.line, diagnostics=self.diagnostics)
        twin.text = self.text
        return twin

    def walk(self) -> Iterator[Node]:
        """Yield this node and its descendants in document order."""
        pending = [self]
        while pending:
            node = pending.pop()
            yield node
            pending.extend(reversed(node.children))

    def subtree(self) -> list[Node]:
        """Return this node and its descendants, level by level, in a third of the time of `walk`."""
        nodes = [self]
        for node in nodes:
            if node.children:
                nodes += node.children
        return nodes

    def free(self) -> None:
        """Break the reference cycles of a tree that nobody needs any more, so that it is freed at once."""
        for node in self.subtree():
            node.children = ()

    # --- access to children -----------------------------------------------------------------------------------------

    def peek(self, tag: str) -> Node | None:
        """Return the first child with this tag, or None, without marking it as read."""
        for child in self.children:
            if child.tag == tag:
                return child
        return None

    def all(self, *tags: str) -> list[Node]:
        """Return the children with these tags, in document order, and mark the tags as read."""
        self.read = self.read[tags]
        return [child for child in self.children if child.tag in tags]

    def firsts(self, tags: tuple[str, ...]) -> list[Node | None]:
        """Return the first child with each tag, or None, as `child` does for one tag."""
        self.read = self.read[tags]
        found: dict[str, Node | None] = dict.fromkeys(tags)
        for child in self.children:
            tag = child.tag
            if tag in found:
                if found[tag] is None:
                    found[tag] = child
                else:
                    _report_repeated(child)
        return list(found.values())

    def lacks(self, tags: tuple[str, ...]) -> bool:
        """Return whether no child has one of these tags, and mark the tags as read."""
        self.read = self.read[tags]
        for child in self.children:  # noqa: SIM110 - a generator takes twice the time
            if child.tag in tags:
                return False
        return True

    def child(self, tag: str) -> Node | None:
        """Return the first child with this tag, or None; report any further one."""
        self.read = self.read[tag]
        first: Node | None = None
        for child in self.children:
            if child.tag == tag:
                if first is None:
                    first = child
                else:
                    _report_repeated(child)
        return first

    def has(self, key: str) -> bool:
        """Return whether the attribute or child of this key exists, without marking it as read."""
        return key[1:] in self.attributes if key.startswith("@") else self.peek(key) is not None

    def skip(self, *keys: str) -> None:
        """Mark these keys as read: they carry no information, or another function reports them."""
        self.read = self.read[keys]

    def skip_all(self) -> None:
        """Mark every attribute and every child as read."""
        self.skip(*("@" + name for name in self.attributes), *(child.tag for child in self.children))

    # --- typed reads ------------------------------------------------------------------------------------------------

    def _text(self, key: str) -> str | None:
        """Return the text of a key, or None, and mark the key as read."""
        if key[0] == "@":
            self.read = self.read[key]
            return self.attributes.get(key[1:])
        if key == ".":
            return self.text
        child = self.child(key)
        return None if child is None else child.text

    def _holder(self, key: str) -> Node:
        """Return the node that diagnostics about a key refer to."""
        return self.peek(key) or self

    def _missing(self, key: str, addition: str = "") -> None:
        required = f"the attribute {key[1:]!r}{addition}" if key[0] == "@" else f"a <{key}> element"
        self.invalid("xml.missing", "<{tag}> requires {required}", tag=self.tag, required=required)

    def word(self, key: str, default: str | None = None) -> str:
        """Return a text without surrounding space; without a default it is required, and an attribute not empty."""
        text = self._text(key)
        if text is None:
            if default is None:
                self._missing(key)
            return default or ""
        word = text.strip()
        if not word and default is None and key[0] == "@":
            self._missing(key, ", which is empty")
        return word

    def words(self, keys: tuple[str, ...]) -> list[str]:
        """Return the text of each attribute without surrounding space; an empty one for those that do not exist."""
        self.read = self.read[keys]
        return [self.attributes.get(key[1:], "").strip() for key in keys]

    def maybe_word(self, key: str) -> str | None:
        """Return a text without surrounding space, or None if the key does not exist."""
        return None if (text := self._text(key)) is None else text.strip()

    def number(self, key: str, default: float | None = None, *, minimum: float = -math.inf, inf: bool = False) -> float:
        """Return a number, or the default if the key does not exist or is invalid; without one the key is required.

        Args: as for `maybe_number`.
        """
        value = self.maybe_number(key, minimum=minimum, inf=inf)
        if value is not None:
            return value
        if default is None and key != "." and not self.has(key):
            self._missing(key)
        return default or 0.0

    def maybe_number(self, key: str, *, minimum: float = -math.inf, inf: bool = False) -> float | None:
        """Return a number, or None if the key does not exist or is invalid, which is reported.

        Args:
            key: The key of the value.
            minimum: Smallest valid value.
            inf: Whether infinite values are valid.
        """
        text = self._text(key)
        if text is None:
            return None
        value = plain_number(text)
        if value is None or value < minimum:
            return _unusual_number(self._holder(key), key, text, minimum, inf=inf)
        return value

    def numbers_of(self, group: KeyGroup, default: float) -> Sequence[float]:
        """Return the number of each key of a group, as `number` does."""
        texts = self.attributes if group.are_attributes else {child.tag: child.text for child in self.children}
        if group.are_attributes or len(texts) == len(self.children):
            plain = group.numbers(texts, default)
            if plain is not None:
                self.read = self.read[group.keys]
                return plain
        return [self.number(key, default) for key in group.keys]

    def numbers(
        self, key: str, count: int, default: tuple[float, ...] | None = None, *, inf: bool = False
    ) -> tuple[float, ...]:
        """Return numbers separated by spaces.

        Args: as for `number`, with the ``count`` of the numbers.
        """
        text = self._text(key)
        if text is not None and (plain := plain_numbers(text, count)) is not None:
            return plain
        values = default or (0.0,) * count
        if text is not None and text.strip():
            return _unusual_numbers(self._holder(key), text, count, inf=inf) or values
        if default is None:
            self._missing(key)
        return values

    def vectors(self, keys: tuple[str, ...], default: tuple[float, ...]) -> list[tuple[float, ...]]:
        """Return the numbers of each attribute, as many as the default has, as `numbers` does."""
        self.read = self.read[keys]
        count, vectors = len(default), []
        for key in keys:
            text = self.attributes.get(key[1:])
            plain = default if text is None else plain_numbers(text, count)
            vectors.append(self.numbers(key, count, default) if plain is None else plain)
        return vectors

    def integer(self, key: str, default: int) -> int:
        """Return a whole number; a fraction is truncated, with a diagnostic."""
        value = self.maybe_number(key)
        if value is None:
            return default
        if value != int(value):
            message = "{key} must be a whole number, not {value:g}; using {integer}"
            self.report(Fate.ASSUMED, "xml.not-whole", message, key=key, value=value, integer=int(value))
        return int(value)

    def flag(self, key: str, default: bool) -> bool:
        """Return a Boolean, written ``true``, ``false``, ``1`` or ``0``."""
        text = self._text(key)
        if text is None or not text.strip():
            return default
        value = _FLAGS.get(text.strip().lower())
        if value is None:
            node = self._holder(key)
            message = "expected true or false in <{tag}>, not {value!r}"
            node.invalid("xml.not-a-flag", message, tag=node.tag, value=text.strip())
            return default
        return value

    # --- reporting --------------------------------------------------------------------------------------------------

    def report(
        self,
        fate: Fate,
        code: str,
        template: str,
        /,
        *,
        hint: str = "",
        subjects: Iterable[str] = (),
        leniency: str = "",
        **arguments: object,
    ) -> None:
        """Record a finding about this element.

        Args:
            fate: The consequence for the element.
            code: The registered code.
            template: The message, with ``{argument}`` for each of ``arguments``.
            hint: The advice to the user, an imperative.
            subjects: Scoped names of the items that the finding is about; those of the element if empty.
            leniency: What lenient loading does about an invalid element; a template too.
            arguments: The values of the template's arguments.
        """
        if self.diagnostics.overflows(fate):
            return
        about = tuple(subjects) or self.subjects
        self.diagnostics.add(
            fate, code, template, self.where, target="", hint=hint, subjects=about, leniency=leniency, **arguments
        )

    def invalid(self, code: str, template: str, /, *, leniency: str = "", **arguments: Any) -> None:
        """Record that this element is invalid.

        Args: as for `report`, with ``hint`` and ``subjects`` among ``arguments``.
        """
        self.report(Fate.INVALID, code, template, leniency=leniency, **arguments)

    def report_unread(self) -> None:
        """Report every element and attribute that no reader read; of an unread subtree only the topmost element."""
        report_unread(self)


def _report_repeated(node: Node) -> None:
    """Report that an earlier element of the same tag is used instead of this one, in which nothing is reported."""
    node.report(Fate.DROPPED, "xml.repeated-element", "repeated <{tag}>; only the first one is used", tag=node.tag)
    for element in node.walk():
        element.skip_all()
