"""XML as a tree of nodes that remember where they stand and what was read of them.

A reader asks a node for what it understands, by a key: ``"mass"`` is the text of a child element, ``"@name"`` an
attribute, ``"."`` the node's own text. At the end `report_unread` reports all that nobody asked for, so that no element
can be lost in silence. Values that cannot be read are reported as invalid and replaced by a harmless one: readers go
on, and find every problem of a file in one run.
"""

from __future__ import annotations

import difflib
import math
import re
from collections.abc import Iterable, Iterator
from functools import lru_cache

from .diagnostics import Diagnostics, Fate, Where
from .scene_queries.scoped_names import SEPARATOR

_NUMBER = re.compile(
    r"[+-]?(?:0[xX](?:[0-9a-fA-F]+\.?[0-9a-fA-F]*|\.[0-9a-fA-F]+)(?:[pP][+-]?[0-9]+)?"
    r"|(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?"
    r"|(?:[iI][nN][fF](?:[iI][nN][iI][tT][yY])?|[nN][aA][nN]))"
)
_DECIMAL = re.compile(r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?").fullmatch
_ROOTS = {"model", "robot"}
_NAMED = {
    *_ROOTS, "collision", "frame", "gripper", "joint", "light", "link", "sensor", "transmission", "visual",
}  # fmt: skip
"""Elements whose names are subjects of findings."""
_FLAGS = {"true": True, "1": True, "false": False, "0": False}


class Node:
    """One element of a source file."""

    __slots__ = ("_read_keys", "attributes", "children", "diagnostics", "file", "line", "parent", "tag", "text")

    def __init__(
        self,
        tag: str,
        attributes: dict[str, str],
        *,
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
        self._read_keys: set[str] = set()

    def __repr__(self) -> str:
        return f"<{self.tag}> at {self.where}"

    @property
    def where(self) -> Where:
        """File, line and a readable path: ``/sdf/model[arm]/joint[elbow]``."""
        steps: list[str] = []
        node: Node | None = self
        while node is not None:
            name = node.attributes.get("name")
            steps.append(f"{node.tag}[{name}]" if name else node.tag)
            node = node.parent
        return Where(self.file, self.line, "/" + "/".join(reversed(steps)))

    @property
    def subjects(self) -> tuple[str, ...]:
        """Scoped name of the link, joint, frame or model that this element belongs to, and that of its part.

        The scope of a file's only model is left out, as in the names of a scene.
        """
        ancestors: list[Node] = []
        node: Node | None = self
        while node is not None:
            ancestors.append(node)
            node = node.parent
        names = [(n.tag, n.attributes["name"]) for n in reversed(ancestors) if n.attributes.get("name")]
        names = [(tag, name) for tag, name in names if tag in _NAMED]
        if names and names[0][0] in _ROOTS and not any(n.tag == "world" for n in ancestors):
            names = names[1:] or names
        scoped = [SEPARATOR.join(name for _, name in names[: i + 1]) for i in range(len(names))]
        return tuple(name for name, (tag, _) in zip(scoped, names, strict=True) if tag != "model" or name == scoped[-1])

    # --- building and changing a tree -------------------------------------------------------------------------------

    def append(self, child: Node) -> Node:
        """Make ``child`` the last child, taking it from where it was; return it."""
        child.detach()
        child.parent = self
        self.children.append(child)
        return child

    def add(self, tag: str, text: str = "", **attributes: str) -> Node:
        """Append a new child that stands, for diagnostics, where this node stands."""
        child = Node(tag, attributes, file=self.file, line=self.line, diagnostics=self.diagnostics)
        child.text = text
        return self.append(child)

    def detach(self) -> Node:
        """Take this node out of its parent; return it."""
        if self.parent is not None:
            self.parent.children.remove(self)
            self.parent = None
        return self

    def copy(self) -> Node:
        """A copy of the whole subtree, unread and without a parent."""
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
        twin = Node(self.tag, dict(self.attributes), file=self.file, line=self.line, diagnostics=self.diagnostics)
        twin.text = self.text
        return twin

    def walk(self) -> Iterator[Node]:
        """This node and all below it, in document order."""
        pending = [self]
        while pending:
            node = pending.pop()
            yield node
            pending.extend(reversed(node.children))

    # --- finding ----------------------------------------------------------------------------------------------------

    def peek(self, tag: str) -> Node | None:
        """The first child with this tag, without marking it as read."""
        for child in self.children:
            if child.tag == tag:
                return child
        return None

    def all(self, *tags: str) -> list[Node]:
        """The children with these tags, in document order."""
        self._read_keys.update(tags)
        return [child for child in self.children if child.tag in tags]

    def child(self, tag: str) -> Node | None:
        """The child with this tag, or None; of several the first, with a diagnostic."""
        self._read_keys.add(tag)
        found: Node | None = None
        for child in self.children:
            if child.tag == tag:
                if found is None:
                    found = child
                else:
                    child.report(
                        Fate.DROPPED, "xml.repeated-element", "a second <{tag}>; the first one counts", tag=tag
                    )
        return found

    def has(self, key: str) -> bool:
        """Whether the attribute or child of this key is there; does not count as reading it."""
        return key[1:] in self.attributes if key.startswith("@") else self.peek(key) is not None

    def skip(self, *keys: str) -> None:
        """Count these keys as read: they are known to carry nothing, or someone else reports them."""
        self._read_keys.update(keys)

    # --- typed reads ------------------------------------------------------------------------------------------------

    def _find(self, key: str) -> tuple[str | None, Node]:
        """The text of a key, or None, and the node to blame for it."""
        if key == ".":
            return self.text, self
        if key[0] == "@":
            self._read_keys.add(key)
            return self.attributes.get(key[1:]), self
        child = self.child(key)
        return (None, self) if child is None else (child.text, child)

    def _missing(self, key: str) -> None:
        kind = f"the attribute {key[1:]}" if key[0] == "@" else f"a <{key}>"
        self.invalid("xml.missing", "<{tag}> needs {kind}", tag=self.tag, kind=kind)

    def word(self, key: str, default: str | None = None) -> str:
        """Text without surrounding space; required if there is no default."""
        text, _ = self._find(key)
        if text is None:
            if default is None:
                self._missing(key)
            return default or ""
        return text.strip()

    def maybe_word(self, key: str) -> str | None:
        """Text without surrounding space, or None if it is not there."""
        text, _ = self._find(key)
        return None if text is None else text.strip()

    def number(self, key: str, default: float | None = None, *, minimum: float = -math.inf, inf: bool = False) -> float:
        """One number; required if there is no default; infinite only where ``inf`` allows it."""
        value = self.maybe_number(key, minimum=minimum, inf=inf)
        if value is not None:
            return value
        if default is None:
            if not self.has(key) and key != ".":
                self._missing(key)
            return 0.0
        return default

    def maybe_number(self, key: str, *, minimum: float = -math.inf, inf: bool = False) -> float | None:
        """One number, or None if it is not there or not a number (which is reported)."""
        text, node = self._find(key)
        words = text.split() if text else []
        if not words:
            return None
        value = node._parse(words[0], inf)
        if value is not None and len(words) > 1:
            node.report(
                Fate.ASSUMED,
                "xml.trailing-text",
                "one number is expected, not {text!r}; {words} counts",
                text=text,
                words=words[0],
            )
        if value is not None and value < minimum:
            node.invalid("xml.out-of-range", "{value:g} is less than {minimum:g}", value=value, minimum=minimum)
            return None
        return value

    def numbers(
        self, key: str, count: int, default: tuple[float, ...] | None = None, *, inf: bool = False
    ) -> tuple[float, ...]:
        """``count`` numbers separated by space; required if there is no default."""
        text, node = self._find(key)
        words = text.split() if text else []
        if not words:
            if default is None:
                self._missing(key)
            return default or (0.0,) * count
        values = tuple(value for word in words if (value := node._parse(word, inf)) is not None)
        if len(words) < count:
            node.invalid("xml.not-a-vector", "{count} numbers are expected, not {text!r}", count=count, text=text)
        elif len(words) > count:
            node.report(
                Fate.ASSUMED, "xml.trailing-text", "{count} numbers are expected; those after are not read", count=count
            )
        return values[:count] if len(values) >= count else (default or (0.0,) * count)

    def integer(self, key: str, default: int) -> int:
        """One whole number; a fraction is cut off, with a diagnostic."""
        value = self.maybe_number(key)
        if value is None:
            return default
        if value != int(value):
            self.report(
                Fate.ASSUMED,
                "xml.not-whole",
                "{key} must be a whole number, not {value:g}; {value_2} counts",
                key=key,
                value=value,
                value_2=int(value),
            )
        return int(value)

    def flag(self, key: str, default: bool) -> bool:
        """A truth value: ``true``, ``false``, ``1``, ``0``."""
        text, node = self._find(key)
        if text is None or not text.strip():
            return default
        value = _FLAGS.get(text.strip().lower())
        if value is None:
            node.invalid("xml.not-a-flag", "true or false is expected, not {value!r}", value=text.strip())
            return default
        return value

    def _parse(self, word: str, inf: bool) -> float | None:
        """One word as a number, as C's strtod does in the C locale; reported if it is none."""
        if _DECIMAL(word):
            value = float(word)
        else:
            match = _NUMBER.match(word)
            if match is None or word[match.end() : match.end() + 1] == ",":
                self.invalid("xml.not-a-number", "a number is expected, not {word!r}", word=word)
                return None
            digits = match.group()
            value = float.fromhex(digits) if "x" in digits.lower() else float(digits)
            if match.end() != len(word):
                self.report(Fate.ASSUMED, "xml.trailing-text", "{word!r} is read as {digits}", word=word, digits=digits)
        if math.isnan(value) or (math.isinf(value) and not inf):
            self.invalid("xml.not-finite", "a finite number is expected, not {word!r}", word=word)
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
        **arguments: object,
    ) -> None:
        """Record a finding about this element; its subjects are those of the element if none are given."""
        about = tuple(subjects) or self.subjects
        self.diagnostics.add(fate, code, template, self.where, target="", hint=hint, subjects=about, **arguments)

    def invalid(
        self, code: str, template: str, /, *, hint: str = "", subjects: Iterable[str] = (), **arguments: object
    ) -> None:
        """Record that this element is wrong."""
        self.report(Fate.INVALID, code, template, hint=hint, subjects=subjects, **arguments)

    def report_unread(self) -> None:
        """Report what no reader asked for, each at its topmost unread element or attribute."""
        pending = [self]
        while pending:
            node = pending.pop()
            for name in node.attributes:
                if "@" + name not in node._read_keys and not name.startswith("xmlns"):
                    node._report_unread_key("@" + name, node)
            for child in node.children:
                if child.tag not in node._read_keys:
                    node._report_unread_key(child.tag, child)
            pending.extend(child for child in reversed(node.children) if child.tag in node._read_keys)

    def _report_unread_key(self, key: str, culprit: Node) -> None:
        name = key.lstrip("@")
        prefix = name.partition(":")[0] if ":" in name else ""
        if prefix and prefix != "drake":
            culprit.report(
                Fate.NOTED, "xml.foreign", "{name} belongs to {prefix}; it is not read", name=name, prefix=prefix
            )
            return
        kind = "the attribute " if key[0] == "@" else "the element "
        close = _closest(key, frozenset(self._read_keys))
        hint = f"did you mean {close.lstrip('@')}?" if close else ""
        culprit.report(
            Fate.DROPPED,
            "xml.unread",
            "{kind}{name} of <{tag}> is not read",
            hint=hint,
            kind=kind,
            name=name,
            tag=self.tag,
        )


@lru_cache(maxsize=256)
def _closest(key: str, known: frozenset[str]) -> str:
    """What a misspelt key may mean, or nothing; the same is often asked of every link of a file."""
    close = difflib.get_close_matches(key, known, n=1, cutoff=0.75)
    return close[0] if close else ""
