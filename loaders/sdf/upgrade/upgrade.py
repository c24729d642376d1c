"""Upgrade of SDFormat 1.0 to 1.11 to 1.12 in the tree of elements, so that one reader suffices."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping, Set
from functools import cache
from typing import Any

from loaders.diagnostics import Fate
from loaders.node import Node

from .rules import Add, Copy, Map, Move, Remove, Rename, Rule, Unflatten
from .unflatten import unflatten
from .versions import KNOWN_VERSIONS, NEWEST, UPGRADES, Version

Index = Mapping[str, list[Node]]
"""The elements of a file by their tags."""

_TRUE = frozenset({"true", "1"})


def upgrade(root: Node) -> Version:
    """Upgrade the tree of one file from its own version to 1.12, in place.

    An unknown version is reported and, as in libsdformat, read as the newest; a missing one is an error.

    Returns:
        The version that the file was written in.
    """
    root.tag = "sdf"
    text = root.attributes.get("version", "").strip()
    version = _parse_version(text)
    if text not in KNOWN_VERSIONS:
        _report_version(root, text)
        return version
    for target, rules in UPGRADES:
        if version < target:
            _apply_all(rules, root)
    return version


def _parse_version(text: str) -> Version:
    """Return the version as numbers; the newest if the text is not two numbers."""
    major, _, minor = text.partition(".")
    numeric = major.isascii() and major.isdecimal() and minor.isascii() and minor.isdecimal()
    return (int(major[:9]), int(minor[:9])) if numeric else NEWEST


def _report_version(root: Node, text: str) -> None:
    hint = "use one of the versions 1.0, 1.2, 1.3, and so on to 1.12"
    if text:
        root.report(
            Fate.ASSUMED,
            "sdf.unknown-version",
            "unknown version {version!r}; reading the file as version 1.12",
            hint=hint,
            version=text,
        )
    else:
        root.invalid("sdf.no-version", "<{tag}> has no version", hint=hint, tag=root.tag)


# --- selecting elements ----------------------------------------------------------------------------------------------


def is_foreign(node: Node) -> bool:
    """Return whether the content of an element is outside SDFormat: in a plugin or another namespace."""
    return node.tag == "plugin" or ":" in node.tag


def _index_by_tag(root: Node, tags: Set[str]) -> Index:
    """Return the elements with these tags, except those below foreign ones."""
    index: defaultdict[str, list[Node]] = defaultdict(list)
    pending = [root]
    while pending:
        node = pending.pop()
        if node.tag in tags:
            index[node.tag].append(node)
        if node.children and not is_foreign(node):
            pending.extend(node.children)
    return index


def _select(at: str, root: Node, index: Index) -> list[Node]:
    """Return the elements that a rule applies to."""
    first, steps = _steps(at)
    nodes = index.get(first, []) if first else [root]
    for step in steps:
        nodes = [child for node in nodes for child in node.children if child.tag == step]
    return nodes


@cache
def _steps(at: str) -> tuple[str, list[str]]:
    """Return the tag, anywhere in the file, at which the path of a rule begins, empty for the root, and the rest."""
    steps = at.removeprefix("//").split("/")
    return (steps[0], steps[1:]) if at.startswith("//") else ("", steps)


def _follow_path(node: Node, steps: list[str]) -> Node | None:
    target: Node | None = node
    for step in steps:
        target = None if target is None else target.peek(step)
    return target


def _make_path(node: Node, steps: list[str]) -> Node:
    """Return the element at the end of a path; add missing elements."""
    for step in steps:
        node = node.peek(step) or node.add(step)
    return node


# --- applying rules --------------------------------------------------------------------------------------------------


def _apply_all(rules: tuple[Rule, ...], root: Node) -> None:
    tags = {_steps(rule.at)[0] for rule in rules} - {""}
    index = _index_by_tag(root, tags) if tags else {}
    for rule in rules:
        apply = _APPLY[type(rule)]
        for node in _select(rule.at, root, index):
            apply(node, rule)


def _set_text(node: Node, path: str, text: str) -> None:
    *steps, last = path.split("/")
    parent = _make_path(node, steps)
    if last.startswith("@"):
        parent.attributes[last[1:]] = text
    else:
        _make_path(parent, [last]).text = text


def _move(node: Node, rule: Move) -> None:
    *steps, last = rule.source.split("/")
    parent = _follow_path(node, steps)
    if parent is None or not parent.has(last) or node.has(rule.target):
        return
    if last.startswith("@"):
        _move_text(node, parent.attributes.pop(last[1:]), rule.target)
        return
    moved = parent.peek(last)
    if moved is not None:
        moved.tag = rule.target
        if parent is not node:
            node.append(moved)


def _move_text(node: Node, text: str, target: str) -> None:
    if target == ".":
        node.text = text
    else:
        _set_text(node, target, text)


def _copy(node: Node, rule: Copy) -> None:
    source = _follow_path(node, rule.source.split("/"))
    if source is not None:
        for target in rule.targets:
            _set_text(node, target, source.text)


def _rename(node: Node, rule: Rename) -> None:
    if rule.attribute in node.attributes:
        node.text = node.attributes.pop(rule.attribute)
        node.tag = rule.tag


def _add(node: Node, rule: Add) -> None:
    if not node.has(rule.tag):
        node.add(rule.tag, rule.text)


def _remove(node: Node, rule: Remove) -> None:
    node.children = [child for child in node.children if child.tag != rule.tag]


def _map(node: Node, rule: Map) -> None:
    flag = node.peek(rule.flag)
    if flag is not None and flag.text.strip().lower() in _TRUE:
        _set_text(node, rule.target, rule.value)


def _unflatten(node: Node, _: Unflatten) -> None:
    unflatten(node)


_APPLY: Mapping[type, Callable[[Node, Any], None]] = {
    Move: _move,
    Copy: _copy,
    Rename: _rename,
    Add: _add,
    Remove: _remove,
    Map: _map,
    Unflatten: _unflatten,
}
