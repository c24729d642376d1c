"""YAML as a tree of nodes, so that directives are read, and their problems reported, as those of XML are.

A key of a mapping is a child with that tag, an item of a sequence a child with the tag `ITEM`, a scalar the text. The
file is untrusted: only events are taken from the YAML library, so no tag makes an object, aliases are copied up to the
limit of elements, and nothing recurs.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from loaders.diagnostics import Diagnostics, Fate, Where
from loaders.node import Node
from loaders.xml import MAX_DEPTH

MAX_ELEMENTS = 100_000
ITEM = "-"
_KIND = "(kind)"
_TAG = "(tag)"
_NAMES = {"mapping": "a mapping", "sequence": "a list", "scalar": "a single value"}


def parse(data: bytes, file: str, diagnostics: Diagnostics) -> Node | None:
    """The root of a YAML document, or None with a diagnostic if it is no YAML."""
    import yaml

    builder = _Builder(file, diagnostics)
    try:
        event: Any
        for event in yaml.parse(data, Loader=yaml.SafeLoader):
            problem = builder.take(event)
            if problem:
                diagnostics.add(Fate.INVALID, "directives.syntax", problem, Where(file, event.start_mark.line + 1))
                return None
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark
        line = 0 if mark is None else mark.line + 1
        diagnostics.add(
            Fate.INVALID, "directives.syntax", "is no valid YAML: {problem}", Where(file, line), problem=error.problem
        )
        return None
    except (yaml.YAMLError, ValueError) as error:
        diagnostics.add(Fate.INVALID, "directives.syntax", "is no valid YAML: {error}", Where(file), error=error)
        return None
    if builder.root is None:
        diagnostics.add(Fate.INVALID, "directives.syntax", "is empty", Where(file))
    return builder.root


class _Builder:
    """Grows a tree from events."""

    def __init__(self, file: str, diagnostics: Diagnostics) -> None:
        self.root: Node | None = None
        self._file = file
        self._diagnostics = diagnostics
        self._open: list[Node] = []
        self._keys: list[str | None] = []
        self._anchors: dict[str, Node] = {}
        self._count = 0

    def take(self, event: Any) -> str:
        """Take one event; return what is wrong with it, if anything."""
        import yaml

        if isinstance(event, yaml.NodeEvent):
            return self._node(event)
        if isinstance(event, yaml.CollectionEndEvent):
            self._open.pop()
            self._keys.pop()
        elif isinstance(event, yaml.DocumentStartEvent) and self.root is not None:
            return "a file holds one document"
        return ""

    def _node(self, event: Any) -> str:
        import yaml

        if isinstance(event, yaml.AliasEvent):
            return self._alias(event)
        if self._awaits_key():
            return self._key(event.value) if isinstance(event, yaml.ScalarEvent) else "a key must be a word"
        if isinstance(event, yaml.ScalarEvent):
            return self._value(event, "scalar")
        return self._value(event, "mapping" if isinstance(event, yaml.MappingStartEvent) else "sequence")

    def _awaits_key(self) -> bool:
        return bool(self._open) and kind(self._open[-1]) == "mapping" and self._keys[-1] is None

    def _key(self, key: str) -> str:
        if self._open[-1].peek(key) is not None:
            return f"the key {key} is there twice"
        self._keys[-1] = key
        return ""

    def _value(self, event: Any, kind: str) -> str:
        node = Node("", {_KIND: kind}, file=self._file, line=event.start_mark.line + 1, diagnostics=self._diagnostics)
        if event.tag and event.tag.startswith("!") and event.tag != "!":
            node.attributes[_TAG] = event.tag
        if kind == "scalar":
            node.text = event.value
        problem = self._attach(node, 1)
        if event.anchor:
            self._anchors[event.anchor] = node
        if kind != "scalar":
            self._open.append(node)
            self._keys.append(None)
        return problem

    def _alias(self, event: Any) -> str:
        source = self._anchors.get(event.anchor)
        if source is None or source in self._open or self._awaits_key():
            return f"the alias {event.anchor} means nothing here"
        size = sum(1 for _ in source.walk())
        if self._count + size > MAX_ELEMENTS:
            return f"has more than {MAX_ELEMENTS} elements"
        return self._attach(source.copy(), size)

    def _attach(self, node: Node, size: int) -> str:
        self._count += size
        if self._count > MAX_ELEMENTS or len(self._open) >= MAX_DEPTH:
            return f"has more than {MAX_ELEMENTS} elements or {MAX_DEPTH} levels of nesting"
        if not self._open:
            node.tag, self.root = "directives-file", node
            return ""
        key = self._keys[-1]
        node.tag = ITEM if key is None else key
        self._keys[-1] = None
        node.parent = self._open[-1]
        node.parent.children.append(node)
        return ""


# --- reading ---------------------------------------------------------------------------------------------------------


def kind(node: Node) -> str:
    """``mapping``, ``sequence`` or ``scalar``."""
    return node.attributes[_KIND]


def yaml_tag(node: Node) -> str:
    """The tag of a value, as ``!Rpy``; empty if it has none."""
    return node.attributes.get(_TAG, "")


def expect(node: Node, wanted: str) -> bool:
    """Whether a value is of a kind; reported if it is not. Nothing at all counts as an empty mapping or list."""
    if kind(node) == wanted:
        return True
    if kind(node) == "scalar" and node.text.strip() in {"", "null", "~"}:
        node.report(
            Fate.NOTED,
            "directives.nothing",
            "{tag} holds nothing, which is read as an empty {wanted}; Drake refuses it",
            hint=f"leave out {node.tag}",
            tag=node.tag,
            wanted=wanted,
        )
        return True
    node.invalid(
        "directives.kind",
        "{tag} must be {names}, not {names_2}",
        tag=node.tag,
        names=_NAMES[wanted],
        names_2=_NAMES[kind(node)],
    )
    return False


def fields(node: Node, required: Iterable[str], optional: Iterable[str] = ()) -> bool:
    """Whether a mapping has the required keys and no unknown one; reported if not."""
    if not expect(node, "mapping"):
        return False
    required = tuple(required)
    known = (*required, *optional)
    fine = True
    for child in node.children:
        if child.tag not in known:
            child.invalid(
                "directives.unknown-field",
                "{tag} has no field {tag_2!r}",
                hint=_known(known),
                tag=node.tag,
                tag_2=child.tag,
            )
            fine = False
    for key in required:
        if node.peek(key) is None:
            node.invalid("directives.missing-field", "{tag} needs the field {key}", tag=node.tag, key=key)
            fine = False
    return fine


def _known(keys: Iterable[str]) -> str:
    return f"known are {', '.join(keys)}"


def word(node: Node, key: str, default: str = "") -> str:
    """The text of a field."""
    child = node.peek(key)
    return child.text.strip() if child is not None and expect(child, "scalar") else default


def words(node: Node, key: str) -> list[tuple[str, Node]]:
    """The texts in a list, each with the node to blame for it."""
    child = node.peek(key)
    if child is None or not expect(child, "sequence"):
        return []
    return [(item.text.strip(), item) for item in child.children if expect(item, "scalar")]


def numbers(node: Node) -> tuple[float, ...]:
    """The finite numbers in a list."""
    if not expect(node, "sequence"):
        return ()
    return tuple(item.number(".") for item in node.children if expect(item, "scalar"))


def vector(node: Node, key: str) -> tuple[float, float, float]:
    """A field with three numbers; zero if it is not there."""
    child = node.peek(key)
    if child is None:
        return 0.0, 0.0, 0.0
    values = numbers(child)
    if len(values) != 3:
        child.invalid("directives.not-a-vector", "{key} must be a list of three numbers", key=key)
        return 0.0, 0.0, 0.0
    return values[0], values[1], values[2]
