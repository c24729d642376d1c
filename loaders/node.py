"""Tree of XML elements with their source line, which records what was read.

A reader reads values by key: ``"mass"`` is the text of a child element, ``"@name"`` an attribute, ``"."`` the text of
the node itself. At the end `Node.report_unread` reports every element and attribute that no reader read, so that
nothing is ignored without a diagnostic. An invalid value is reported and replaced by a harmless one, so that one run
finds every error of a file.
"""

from __future__ import annotations

import math
import os
from collections.abc import Iterable, Iterator
from typing import Any

from .diagnostics import Diagnostics, Fate, Where
from .nodes.number_syntax import parse_number, plain_number, plain_numbers
from .nodes.read_names import NOTHING_READ
from .nodes.unread import report_unread
from .scene_queries.element_subjects import subjects_of

_FLAGS = {"true": True, "1": True, "false": False, "0": False}


class Node:
    """One element of a source file.

    ``read`` has the names that readers asked for.
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
        self.children: list[Node] = []
        self.file = file
        self.line = line
        self.parent = parent
        self.diagnostics = diagnostics
        self.read = NOTHING_READ

    def __repr__(self) -> str:
        name = self.attributes.get("name", "")
        return f"<Node {f'{self.tag} {name}'.strip()[:80]} at {os.path.basename(self.file)[-60:]}:{self.line}>"

    @property
    def where(self) -> Where:
        """File, line and path of the element, such as ``/sdf/model[arm]/joint[elbow]``."""
        path = ""
        node: Node | None = self
        while node is not None:
            name = node.attributes.get("name")
            path = f"/{node.tag}[{name}]{path}" if name else f"/{node.tag}{path}"
            node = node.parent
        return Where(self.file, self.line, path)

    @property
    def subjects(self) -> tuple[str, ...]:
        """Scoped names, as in the scene, of the link, joint or frame that this element belongs to and of its part.

        An element that belongs only to a model has the model as its subject; one without a name that connects others,
        such as a constraint, has those. In a file of one model, names have no prefix for that model.
        """
        return subjects_of(list(self._ancestors()))

    def _ancestors(self) -> Iterator[Node]:
        """Yield this element and its ancestors, innermost first."""
        node: Node | None = self
        while node is not None:
            yield node
            node = node.parent

    # --- building and changing a tree -------------------------------------------------------------------------------

    def append(self, child: Node) -> Node:
        """Move ``child`` to the end of this node's children; return it."""
        child.detach()
        child.parent = self
        self.children.append(child)
        return child

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
            self.parent.children.remove(self)
            self.parent = None
        return self

    def copy(self) -> Node:
        """Return a copy of the subtree, with nothing read and no parent."""
        root = self._copy_alone()
        pending = [(self, root)]
        while pending:
            source, target = pending.pop()
            for child in source.children:
                twin = child._copy_alone()
                twin.parent = target
                target.children.append(twin)
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
            if node.children:
                pending.extend(reversed(node.children))

    def free(self) -> None:
        """Break the reference cycles of a tree that nobody needs any more, so that it is freed at once."""
        nodes = [self]
        for node in nodes:
            node.parent = None
            nodes.extend(node.children)

    # --- access to children -----------------------------------------------------------------------------------------

    def peek(self, tag: str) -> Node | None:
        """Return the first child with this tag, or None, without marking it as read."""
        for child in self.children:
            if child.tag == tag:
                return child
        return None

    def all(self, *tags: str) -> list[Node]:
        """Return the children with these tags, in document order, and mark the tags as read."""
        self.read = self.read.after.get(tags) or self.read.adding(tags)
        return [child for child in self.children if child.tag in tags]

    def lacks(self, tags: tuple[str, ...]) -> bool:
        """Return whether no child has one of these tags, and mark the tags as read."""
        self.read = self.read.after.get(tags) or self.read.adding(tags)
        for child in self.children:  # noqa: SIM110 - a generator takes twice the time
            if child.tag in tags:
                return False
        return True

    def child(self, tag: str) -> Node | None:
        """Return the first child with this tag, or None; report any further one."""
        self.read = self.read.after.get(tag) or self.read.adding(tag)
        first: Node | None = None
        for child in self.children:
            if child.tag == tag:
                if first is None:
                    first = child
                else:
                    message = "repeated <{tag}>; only the first one is used"
                    child.report(Fate.DROPPED, "xml.repeated-element", message, tag=tag)
                    list(map(Node.skip_all, child.walk()))  # nothing in it is reported again
        return first

    def has(self, key: str) -> bool:
        """Return whether the attribute or child of this key exists, without marking it as read."""
        return key[1:] in self.attributes if key.startswith("@") else self.peek(key) is not None

    def skip(self, *keys: str) -> None:
        """Mark these keys as read: they carry no information, or another function reports them."""
        self.read = self.read.after.get(keys) or self.read.adding(keys)

    def skip_all(self) -> None:
        """Mark every attribute and every child as read."""
        self.skip(*("@" + name for name in self.attributes), *(child.tag for child in self.children))

    # --- typed reads ------------------------------------------------------------------------------------------------

    def _text(self, key: str) -> str | None:
        """Return the text of a key, or None, and mark the key as read."""
        if key[0] == "@":
            self.read = self.read.after.get(key) or self.read.adding(key)
            return self.attributes.get(key[1:])
        if key == ".":
            return self.text
        child = self.child(key)
        return None if child is None else child.text

    def _holder(self, key: str) -> Node:
        """Return the node that diagnostics about a key refer to."""
        return self.peek(key) or self

    def _missing(self, key: str) -> None:
        required = f"the attribute {key[1:]!r}" if key[0] == "@" else f"a <{key}> element"
        self.invalid("xml.missing", "<{tag}> requires {required}", tag=self.tag, required=required)

    def word(self, key: str, default: str | None = None) -> str:
        """Return a text without surrounding space; it is required if there is no default."""
        text = self._text(key)
        if text is None:
            if default is None:
                self._missing(key)
            return default or ""
        return text.strip()

    def maybe_word(self, key: str) -> str | None:
        """Return a text without surrounding space, or None if the key does not exist."""
        text = self._text(key)
        return None if text is None else text.strip()

    def number(self, key: str, default: float | None = None, *, minimum: float = -math.inf, inf: bool = False) -> float:
        """Return a number.

        Args:
            key: The key of the value.
            default: The value if the key does not exist or is invalid; without one the key is required.
            minimum: Smallest valid value.
            inf: Whether infinite values are valid.
        """
        text = self._text(key)
        value = None if text is None else plain_number(text)
        if value is None or value < minimum:
            value = None if text is None else self._holder(key)._unusual_number(key, text, minimum, inf)
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
        value = None if text is None else plain_number(text)
        if value is None or value < minimum:
            return None if text is None else self._holder(key)._unusual_number(key, text, minimum, inf)
        return value

    def numbers_of(self, keys: tuple[str, ...], default: float) -> list[float]:
        """Return the number of each key, as `number` does.

        Args:
            keys: The keys.
            default: The value of a key that does not exist or is invalid.
        """
        self.read = self.read.after.get(keys) or self.read.adding(keys)
        texts = {child.tag: child.text for child in self.children}
        values = []
        for key in keys:
            text = self.attributes.get(key[1:]) if key[0] == "@" else texts.get(key)
            value = None if text is None or len(texts) < len(self.children) else plain_number(text)
            values.append(self.number(key, default) if value is None else value)
        return values

    def _unusual_number(self, key: str, text: str, minimum: float, inf: bool) -> float | None:
        """Return a number that is not plain, or out of range, as far as it is valid; report what is wrong with it."""
        words = text.split()
        if not words:
            return None
        value = self._parse(words[0], inf)
        if value is not None and len(words) > 1:
            message = "expected one number, not {text!r}; using {value}"
            self.report(Fate.ASSUMED, "xml.trailing-text", message, text=text, value=words[0])
        if value is not None and value < minimum:
            template = "{name} is {value:g}; expected at least {minimum:g}"
            name = f"{key[1:]} of <{self.tag}>" if key[0] == "@" else f"<{self.tag}>"
            self.invalid("xml.out-of-range", template, name=name, value=value, minimum=minimum)
            return None
        return value

    def numbers(
        self, key: str, count: int, default: tuple[float, ...] | None = None, *, inf: bool = False
    ) -> tuple[float, ...]:
        """Return numbers separated by spaces.

        Args:
            key: The key of the value.
            count: The number of numbers.
            default: The values if the key does not exist or is invalid; without them the key is required.
            inf: Whether infinite values are valid.
        """
        text = self._text(key)
        if text is not None and (plain := plain_numbers(text, count)) is not None:
            return plain
        words = text.split() if text else []
        if not words:
            if default is None:
                self._missing(key)
            return default or (0.0,) * count
        node = self._holder(key)
        values = tuple(value for word in words if (value := node._parse(word, inf)) is not None)
        if len(words) < count:
            node.invalid("xml.not-a-vector", "expected {count} numbers, not {text!r}", count=count, text=text)
        elif len(words) > count:
            message = "expected {count} numbers, not {words}; using the first {count}"
            node.report(Fate.ASSUMED, "xml.trailing-text", message, count=count, words=len(words))
        return values[:count] if len(values) >= count else (default or (0.0,) * count)

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
            template = "expected true or false in <{tag}>, not {value!r}"
            node.invalid("xml.not-a-flag", template, tag=node.tag, value=text.strip())
            return default
        return value

    def _parse(self, word: str, inf: bool) -> float | None:
        """Return one word as a number, as C's strtod parses it in the C locale; None with a diagnostic if it cannot."""
        number = parse_number(word)
        if number is None:
            self.invalid("xml.not-a-number", "expected a number in <{tag}>, not {word!r}", tag=self.tag, word=word)
            return None
        value, digits = number
        if digits != word:
            self.report(
                Fate.ASSUMED, "xml.trailing-text", "{word!r} is not a number; using {digits}", word=word, digits=digits
            )
        if math.isnan(value) or (math.isinf(value) and not inf):
            self.invalid("xml.not-finite", "expected a finite number in <{tag}>, not {word!r}", tag=self.tag, word=word)
            return None
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
