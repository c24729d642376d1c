"""Specification 1.0 to 1.11, brought to 1.12 on the tree, so that one reader reads them all."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping
from typing import Any

from loaders.diagnostics import Fate
from loaders.node import Node
from loaders.sdf.composition.model_config import NEWEST, Version

from .rules import Add, Become, Copy, Mark, Move, Remove, Rule, Unflatten
from .unflatten import unflatten
from .versions import KNOWN, STEPS

Index = Mapping[str, list[Node]]
"""The elements of a file by their tags."""

_TRUE = frozenset({"true", "1"})


def upgrade(root: Node) -> Version:
    """Bring the tree of one file from its own version to 1.12, in place; return the version it was written in.

    An unknown version is reported and, as libsdformat does, read as the newest; a missing one is an error.
    """
    root.tag = "sdf"
    text = root.attributes.get("version", "").strip()
    if text not in KNOWN:
        _report_version(root, text)
        return _parsed(text)
    version = _parsed(text)
    for target, rules in STEPS:
        if version < target:
            _apply_all(rules, root)
    return version


def _parsed(text: str) -> Version:
    """The version as numbers; what is none counts as the newest."""
    major, _, minor = text.partition(".")
    numeric = major.isascii() and major.isdecimal() and minor.isascii() and minor.isdecimal()
    return (int(major[:9]), int(minor[:9])) if numeric else NEWEST


def _report_version(root: Node, text: str) -> None:
    hint = "versions are 1.0, 1.2, 1.3 and so on to 1.12"
    if text:
        root.report(
            Fate.ASSUMED,
            "sdf.unknown-version",
            "the version {text!r} is not known; the file is read as 1.12",
            hint=hint,
            text=text,
        )
    else:
        root.invalid("sdf.no-version", "<{tag}> needs a version", hint=hint, tag=root.tag)


# --- finding ---------------------------------------------------------------------------------------------------------


def is_foreign(node: Node) -> bool:
    """Whether the inside of an element belongs to someone else: a plugin, or another namespace."""
    return node.tag == "plugin" or ":" in node.tag


def _index(root: Node) -> Index:
    index: defaultdict[str, list[Node]] = defaultdict(list)
    pending = [root]
    while pending:
        node = pending.pop()
        index[node.tag].append(node)
        if not is_foreign(node):
            pending.extend(node.children)
    return index


def _places(at: str, root: Node, index: Index) -> list[Node]:
    """The elements that a rule is for."""
    anywhere = at.startswith("//")
    steps = at.removeprefix("//").split("/")
    found = index.get(steps.pop(0), []) if anywhere else [root]
    for step in steps:
        found = [child for node in found for child in node.children if child.tag == step]
    return found


def _follow(node: Node, steps: list[str]) -> Node | None:
    found: Node | None = node
    for step in steps:
        found = None if found is None else found.peek(step)
    return found


def _reach(node: Node, steps: list[str]) -> Node:
    """The element at the end of a path; what is missing on the way is made."""
    for step in steps:
        node = node.peek(step) or node.add(step)
    return node


# --- rules -----------------------------------------------------------------------------------------------------------


def _apply_all(rules: tuple[Rule, ...], root: Node) -> None:
    index = _index(root)
    for rule in rules:
        apply = _APPLY[type(rule)]
        for node in _places(rule.at, root, index):
            apply(node, rule)


def _set(node: Node, place: str, text: str) -> None:
    *steps, last = place.split("/")
    holder = _reach(node, steps)
    if last.startswith("@"):
        holder.attributes[last[1:]] = text
    else:
        _reach(holder, [last]).text = text


def _move(node: Node, rule: Move) -> None:
    *steps, last = rule.source.split("/")
    holder = _follow(node, steps)
    if holder is None or not holder.has(last) or node.has(rule.target):
        return
    if last.startswith("@"):
        _move_text(node, holder.attributes.pop(last[1:]), rule.target)
        return
    moved = holder.peek(last)
    if moved is not None:
        moved.tag = rule.target
        if holder is not node:
            node.append(moved)


def _move_text(node: Node, text: str, target: str) -> None:
    if target == ".":
        node.text = text
    else:
        _set(node, target, text)


def _copy(node: Node, rule: Copy) -> None:
    source = _follow(node, rule.source.split("/"))
    if source is not None:
        for target in rule.targets:
            _set(node, target, source.text)


def _become(node: Node, rule: Become) -> None:
    if rule.attribute in node.attributes:
        node.text = node.attributes.pop(rule.attribute)
        node.tag = rule.tag


def _add(node: Node, rule: Add) -> None:
    if not node.has(rule.tag):
        node.add(rule.tag, rule.text)


def _remove(node: Node, rule: Remove) -> None:
    node.children = [child for child in node.children if child.tag != rule.tag]


def _mark(node: Node, rule: Mark) -> None:
    flag = node.peek(rule.flag)
    if flag is not None and flag.text.strip().lower() in _TRUE:
        _set(node, rule.target, rule.value)


def _unflatten(node: Node, _: Unflatten) -> None:
    unflatten(node)


_APPLY: Mapping[type, Callable[[Node, Any], None]] = {
    Move: _move,
    Copy: _copy,
    Become: _become,
    Add: _add,
    Remove: _remove,
    Mark: _mark,
    Unflatten: _unflatten,
}
