"""Parser of untrusted YAML to Node, and transforms in directives.

A key of a mapping is a child with that tag, an item of a sequence is a child with the tag `ITEM`,
and a scalar is the text of a node. Only the events of the YAML library are used: tags construct no
objects, aliases are copied, up to a limit on the number of elements, and there is no recursion. A
YAML library with line numbers, such as ruamel.yaml, would need a second interface beside `Node`.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable
from typing import Any

import numpy as np

from loaders.diagnostics import Code, Diagnostics, Where
from loaders.drake import codes
from loaders.limits import limit_of
from loaders.node import Node
from loaders.pose import IDENTITY, Array, Pose, rotation_about
from loaders.xml import MAX_DEPTH

ITEM = "-"
"""Tag of the items of a sequence."""
_KIND = "(kind)"
_TAG = "(tag)"
_KIND_NAMES = {"mapping": "a mapping", "sequence": "a list", "scalar": "a single value"}
_Problem = tuple[Code, dict[str, str]]
"""Code of a syntax error, and the arguments of its message."""


def parse(data: bytes, file: str, diagnostics: Diagnostics) -> Node | None:
    """Return the root of a YAML document, or None with a diagnostic if it is not valid.

    Args:
        data: The document.
        file: Name of the file for diagnostics.
        diagnostics: Record for the findings.
    """
    import yaml

    most = limit_of("yaml_bytes")
    if len(data) > most:
        diagnostics.add(codes.DIRECTIVES_SYNTAX_BYTES, Where(file), limit=most)
        return None
    builder = _Builder(file, diagnostics)
    try:
        event: Any
        for event in yaml.parse(data, Loader=yaml.SafeLoader):
            problem = builder.take(event)
            if problem is not None:
                code, arguments = problem
                diagnostics.add(code, Where(file, event.start_mark.line + 1), **arguments)
                return None
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark
        line = 0 if mark is None else mark.line + 1
        diagnostics.add(codes.DIRECTIVES_SYNTAX, Where(file, line), reason=error.problem)
        return None
    except (yaml.YAMLError, ValueError) as error:
        diagnostics.add(codes.DIRECTIVES_SYNTAX, Where(file), reason=error)
        return None
    diagnostics.spend("elements", builder.count)
    if builder.root is None:
        diagnostics.add(codes.DIRECTIVES_SYNTAX_EMPTY, Where(file))
    return builder.root


class _Builder:
    """Builder of a tree from YAML events."""

    def __init__(self, file: str, diagnostics: Diagnostics) -> None:
        self.root: Node | None = None
        self._file = file
        self._diagnostics = diagnostics
        self._open: list[Node] = []
        self._keys: list[str | None] = []
        self._seen: list[set[str]] = []
        self._anchors: dict[str, Node] = {}
        self.count = 0
        self.most = limit_of("yaml_elements")

    def take(self, event: Any) -> _Problem | None:
        """Add one event to the tree; return the problem with it, or None."""
        import yaml

        if isinstance(event, yaml.NodeEvent):
            return self._node(event)
        if isinstance(event, yaml.CollectionEndEvent):
            self._open.pop()
            self._keys.pop()
            self._seen.pop()
        elif isinstance(event, yaml.DocumentStartEvent) and self.root is not None:
            return codes.DIRECTIVES_SYNTAX_DOCUMENTS, {}
        return None

    def _node(self, event: Any) -> _Problem | None:
        import yaml

        if isinstance(event, yaml.AliasEvent):
            return self._alias(event)
        problem = _character_problem(event)
        if problem is not None:
            return problem
        if self._awaits_key():
            return (
                self._key(event.value)
                if isinstance(event, yaml.ScalarEvent)
                else (codes.DIRECTIVES_SYNTAX_KEY, {})
            )
        if isinstance(event, yaml.ScalarEvent):
            return self._value(event, "scalar")
        return self._value(
            event, "mapping" if isinstance(event, yaml.MappingStartEvent) else "sequence"
        )

    def _awaits_key(self) -> bool:
        return bool(self._open) and kind(self._open[-1]) == "mapping" and self._keys[-1] is None

    def _key(self, key: str) -> _Problem | None:
        if key in self._seen[-1]:
            return codes.DIRECTIVES_SYNTAX_DUPLICATE_KEY, {"key": key}
        self._seen[-1].add(key)
        self._keys[-1] = key
        return None

    def _value(self, event: Any, kind: str) -> _Problem | None:
        node = Node(
            "",
            {_KIND: kind},
            file=self._file,
            line=event.start_mark.line + 1,
            diagnostics=self._diagnostics,
        )
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
            self._seen.append(set())
        return problem

    def _alias(self, event: Any) -> _Problem | None:
        source = self._anchors.get(event.anchor)
        if source is None or source in self._open or self._awaits_key():
            return codes.DIRECTIVES_SYNTAX_ALIAS, {"alias": event.anchor}
        size = sum(1 for _ in source.walk())
        if self.count + size > self.most:
            return codes.DIRECTIVES_SYNTAX_TOO_MANY, {
                "limit": str(self.most),
                "depth": str(MAX_DEPTH),
            }
        return self._attach(source.copy(), size)

    def _attach(self, node: Node, size: int) -> _Problem | None:
        self.count += size
        if self.count > self.most or len(self._open) >= MAX_DEPTH:
            return codes.DIRECTIVES_SYNTAX_TOO_MANY, {
                "limit": str(self.most),
                "depth": str(MAX_DEPTH),
            }
        if not self._open:
            node.tag, self.root = "directives-file", node
            return None
        key = self._keys[-1]
        node.tag = ITEM if key is None else key
        self._keys[-1] = None
        self._open[-1].append(node)
        return None


_NO_CHARACTER = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")
"""Characters that XML cannot hold, escaped or not. YAML can state them as escapes."""


def _character_problem(event: Any) -> _Problem | None:
    """Return the problem with the characters of an event, or None."""
    found = _NO_CHARACTER.search(getattr(event, "value", ""))
    if found is None:
        return None
    return codes.DIRECTIVES_SYNTAX_CHARACTER, {"character": f"U+{ord(found[0]):04X}"}


_TEXTS = frozenset({"name", "file", "parent", "child", "base_frame"})
"""Fields whose text must not be empty where they are required."""


# --- reading --------------------------------------------------------------------------------------


def kind(node: Node) -> str:
    """Return the kind of a node: ``mapping``, ``sequence`` or ``scalar``."""
    return node.attributes[_KIND]


def yaml_tag(node: Node) -> str:
    """Return the YAML tag of a node, such as ``!Rpy``; empty if it has none."""
    return node.attributes.get(_TAG, "")


def expect(node: Node, expected: str) -> bool:
    """Return whether a node is of a kind; report any other. A missing value is an empty mapping or
    list.

    Args:
        node: The node.
        expected: ``mapping``, ``sequence`` or ``scalar``.
    """
    if kind(node) == expected:
        return True
    if kind(node) == "scalar" and node.text.strip() in {"", "null", "~"}:
        node.report(
            codes.DIRECTIVES_NOTHING, hint=f"remove {node.tag}", key=node.tag, expected=expected
        )
        return True
    node.report(
        codes.DIRECTIVES_KIND,
        key=node.tag,
        expected=_KIND_NAMES[expected],
        kind=_KIND_NAMES[kind(node)],
    )
    return False


def fields(node: Node, required: Iterable[str], optional: Iterable[str] = ()) -> bool:
    """Return whether a mapping has the required keys and no unknown one; report problems.

    Args:
        node: The mapping.
        required: The required keys.
        optional: The optional keys.
    """
    if not expect(node, "mapping"):
        return False
    required = tuple(required)
    known = (*required, *optional)
    is_valid = True
    for child in node.children:
        if child.tag not in known:
            child.report(
                codes.DIRECTIVES_UNKNOWN_FIELD,
                hint=f"use one of: {', '.join(known)}",
                field=child.tag,
                key=node.tag,
            )
            is_valid = False
    for key in required:
        field = node.peek(key)
        is_empty = (
            field is not None
            and key in _TEXTS
            and kind(field) == "scalar"
            and not field.text.strip()
        )
        if field is None or is_empty:
            node.report(
                codes.DIRECTIVES_MISSING_FIELD_TEXT if is_empty else codes.DIRECTIVES_MISSING_FIELD,
                key=node.tag,
                field=key,
            )
            is_valid = False
    return is_valid


def word(node: Node, key: str, default: str = "") -> str:
    """Return the text of a field.

    Args:
        node: The mapping.
        key: The key of the field.
        default: The text if there is no such field.
    """
    child = node.peek(key)
    return child.text.strip() if child is not None and expect(child, "scalar") else default


def words(node: Node, key: str) -> list[tuple[str, Node]]:
    """Return the texts in a list field, each with its node."""
    child = node.peek(key)
    if child is None or not expect(child, "sequence"):
        return []
    return [(item.text.strip(), item) for item in child.children if expect(item, "scalar")]


def numbers(node: Node) -> tuple[float, ...]:
    """Return the finite numbers in a list."""
    if not expect(node, "sequence"):
        return ()
    return tuple(item.number(".") for item in node.children if expect(item, "scalar"))


def vector(node: Node, key: str) -> tuple[float, float, float]:
    """Return the three numbers of a field; zeros if there is no such field."""
    child = node.peek(key)
    if child is None:
        return 0.0, 0.0, 0.0
    values = numbers(child)
    if len(values) != 3:
        child.report(codes.DIRECTIVES_NOT_A_VECTOR, key=key)
        return 0.0, 0.0, 0.0
    return values[0], values[1], values[2]


_ROTATIONS = {"!Rpy": ("deg",), "!AngleAxis": ("angle_deg", "axis"), "!Identity": (), "": ()}
_RANDOM = (
    "!Uniform", "!UniformVector", "!Gaussian", "!GaussianVector", "!UniformDiscrete",
    "!Deterministic",
)  # fmt: skip


def read_transform(node: Node) -> Pose:
    """Return the pose in a mapping with ``translation`` and ``rotation``, whose keys were checked
    before.
    """
    for child in node.children:
        if yaml_tag(child) in _RANDOM and child.tag != "rotation":
            _report_random(child)
            return IDENTITY
    rotation = node.peek("rotation")
    return Pose.of(
        None if rotation is None else _read_rotation(rotation), vector(node, "translation")
    )


def _read_rotation(node: Node) -> Array | None:
    tag = yaml_tag(node)
    if tag in _RANDOM:
        _report_random(node)
        return None
    keys = _ROTATIONS.get(tag)
    if keys is None:
        known = tuple(filter(None, _ROTATIONS))
        node.report(codes.DIRECTIVES_ROTATION, tag=tag, known=known)
        return None
    if not fields(node, keys) or not keys:
        return None
    if tag == "!Rpy":
        return Pose.from_xyz_rpy((0.0, 0.0, 0.0), tuple(map(math.radians, vector(node, "deg")))).R
    return _read_angle_axis(node)


def _read_angle_axis(node: Node) -> Array | None:
    axis = np.array(vector(node, "axis"))
    length = float(np.linalg.norm(axis))
    child = node.peek("angle_deg")
    if length == 0.0 or child is None or not word(node, "angle_deg"):
        node.report(codes.DIRECTIVES_ROTATION_NO_AXIS)
        return None
    return rotation_about(axis / length, math.radians(child.number(".")))


def _report_random(node: Node) -> None:
    node.report(codes.DIRECTIVES_RANDOM, tag=node.tag, yaml_tag=yaml_tag(node))
