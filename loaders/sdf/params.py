"""``<experimental:params>``: changes that an include makes to the included model.

Each child selects an element by ``element_id``, a path of names inside the included model, and
states an ``action``: ``add``, ``modify``, ``remove`` or ``replace``. Without an action, each of its
children states one. A change that cannot be applied is reported; the others are applied.

Source: the proposal http://sdformat.org/tutorials?tut=param_passing_proposal.
"""

from __future__ import annotations

from loaders.node import Node
from loaders.scoped_names import SEPARATOR
from loaders.sdf import codes

_ACTIONS = ("add", "modify", "remove", "replace")
_INSTRUCTIONS = ("element_id", "action")
_IMPLICIT_CHILDREN = (
    frozenset(
        {"xyz", "limit", "lower", "upper", "inertia", "ixx", "iyy", "izz", "ixy", "ixz", "iyz"}
    )
    | frozenset({"size", "radius", "length", "radii", "normal", "scale"})
    | frozenset({"horizontal_fov", "image", "width", "height", "clip", "near", "far"})
)
"""Elements that can be modified without being in the file, because the specification gives them
default values."""


def apply_params(params: Node, model: Node) -> None:
    """Apply the changes to the tree of the included model, in place."""
    with params.diagnostics.tolerating("this change is left out"):
        for change in params.children:
            path = change.attributes.get("element_id")
            action = change.attributes.get("action", "")
            if path is None:
                change.report(codes.PARAMS_NO_ELEMENT_ID, tag=change.tag)
            elif path.endswith(SEPARATOR):
                change.report(codes.PARAMS_ID_NO_NAME, path=path)
            elif action and action not in _ACTIONS:
                _report_action(change, action)
            elif action == "add":
                _add_named(change, path, model)
            else:
                target = _find(model, path, change.tag)
                if target is None:
                    change.report(codes.PARAMS_UNKNOWN_ELEMENT, tag=change.tag, path=path)
                elif action:
                    _CHANGES[action](change, target)
                else:
                    _apply_to_children(change, target)


def _report_action(change: Node, action: str) -> None:
    change.report(codes.PARAMS, action=action, actions=_ACTIONS)


def _report_missing(change: Node, action: str) -> None:
    change.report(codes.PARAMS_NOTHING_TO_CHANGE, tag=change.tag, action=action)


def _find(model: Node, path: str, tag: str = "") -> Node | None:
    """Return the element at a path of names, of the given tag if it is not empty; names may contain
    ``::``.
    """
    parent, rest = model, path
    while True:
        for child in parent.children:
            if child.attributes.get("name") == rest and tag in ("", child.tag):
                return child
        inner = _longest_prefix(parent, rest)
        if inner is None:
            return None
        parent, rest = inner, rest[len(inner.attributes["name"]) + len(SEPARATOR) :]


def _longest_prefix(parent: Node, path: str) -> Node | None:
    starts = (
        child
        for child in parent.children
        if path.startswith(child.attributes.get("name", SEPARATOR) + SEPARATOR)
    )
    return max(starts, key=lambda child: len(child.attributes["name"]), default=None)


# --- actions --------------------------------------------------------------------------------------


def _add_named(change: Node, path: str, model: Node) -> None:
    name = change.attributes.get("name", "")
    parent = _find(model, path) if path else model
    if not name:
        change.report(codes.PARAMS_ADDED_NO_NAME, tag=change.tag)
    elif parent is None:
        change.report(codes.PARAMS_UNKNOWN_PATH, path=path)
    elif change.tag != "plugin" and any(
        child.tag == change.tag and child.attributes.get("name") == name
        for child in parent.children
    ):
        change.report(codes.PARAMS_NAME_IN_USE, path=path, tag=change.tag, name=name)
    else:
        _add(change, parent)


def _add(change: Node, parent: Node) -> None:
    parent.append(_without_instructions(change))


def _without_instructions(change: Node) -> Node:
    copy = change.copy()
    for key in _INSTRUCTIONS:
        copy.attributes.pop(key, None)
    return copy


def _replace(change: Node, target: Node) -> None:
    copy = _without_instructions(change)
    target.attributes, target.text = copy.attributes, copy.text
    target.children = copy.children
    for child in target.children:
        child.parent = target


def _remove(change: Node, target: Node) -> None:
    if not change.children:
        target.detach()
    for child in change.children:
        match = _matching_child(target, child)
        if match is None:
            _report_missing(child, "remove")
        else:
            match.detach()


def _modify(change: Node, target: Node) -> None:
    """Set the attributes and values that the change contains, at any depth."""
    pending = [(change, target)]
    while pending:
        source, goal = pending.pop()
        goal.attributes.update(
            (key, value) for key, value in source.attributes.items() if key not in _INSTRUCTIONS
        )
        if source.text.strip() or not source.children:
            goal.text = source.text
        for child in source.children:
            match = _matching_child(goal, child, rename=True)
            if match is None and child.tag in _IMPLICIT_CHILDREN:
                match = goal.add(child.tag)
            if match is None:
                _report_missing(child, "modify")
            else:
                pending.append((child, match))


_CHANGES = {"modify": _modify, "remove": _remove, "replace": _replace}


def _matching_child(parent: Node, pattern: Node, *, rename: bool = False) -> Node | None:
    """Return the child with the tag and, if given, the name of the pattern; to rename, any child
    with the tag.
    """
    same = [child for child in parent.children if child.tag == pattern.tag]
    name = pattern.attributes.get("name")
    named = [child for child in same if name is None or child.attributes.get("name") == name]
    return next(iter(named or (same if rename else [])), None)


# --- one action per child -------------------------------------------------------------------------


def _apply_to_children(change: Node, target: Node) -> None:
    for child in change.children:
        action = child.attributes.get("action", "")
        if not action:
            child.report(codes.PARAMS_NO_ACTION, tag=child.tag)
        elif action not in _ACTIONS:
            _report_action(child, action)
        elif action == "add":
            _add(child, target)
        else:
            _apply_to_child(child, action, target)


def _apply_to_child(child: Node, action: str, target: Node) -> None:
    match = _matching_child(target, child)
    if match is None:
        _report_missing(child, action)
    elif action == "replace" and "name" in match.attributes and "name" not in child.attributes:
        child.report(codes.PARAMS_REPLACEMENT_NO_NAME, tag=child.tag)
    else:
        _CHANGES[action](child, match)
