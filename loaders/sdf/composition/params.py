"""``<experimental:params>``: an include changes what it includes.

Each child names an element by ``element_id``, a path of names that starts within the included model, and says what
becomes of it: ``add``, ``modify``, ``remove`` or ``replace``. Without an action, its children say it one by one.
A change that cannot be made is reported, and the others are made.
"""

from __future__ import annotations

from loaders.node import Node
from loaders.scene_queries.scoped_names import SEPARATOR

_ACTIONS = ("add", "modify", "remove", "replace")
_INSTRUCTIONS = ("element_id", "action")
_ALWAYS_THERE = (
    frozenset({"xyz", "limit", "lower", "upper", "inertia", "ixx", "iyy", "izz", "ixy", "ixz", "iyz"})
    | frozenset({"size", "radius", "length", "radii", "normal", "scale"})
    | frozenset({"horizontal_fov", "image", "width", "height", "clip", "near", "far"})
)
"""Children that every parent of theirs has, with a default where the file leaves them out."""


def apply_params(params: Node, model: Node) -> None:
    """Make the changes in the tree of the included model."""
    for change in params.children:
        _apply(change, model)


def _apply(change: Node, model: Node) -> None:
    path = change.attributes.get("element_id")
    action = change.attributes.get("action", "")
    if path is None:
        _fail(change, "it has no element_id")
    elif path.endswith(SEPARATOR):
        _fail(change, f"the element_id {path!r} has no name after its last ::")
    elif action and action not in _ACTIONS:
        _fail(change, f"the action {action!r} is none of {', '.join(_ACTIONS)}")
    elif action == "add":
        _add_named(change, path, model)
    else:
        target = _find(model, path, change.tag)
        if target is None:
            _fail(change, f"the included model has no <{change.tag}> at {path!r}")
        elif action:
            _CHANGES[action](change, target)
        else:
            _apply_to_children(change, target)


def _fail(change: Node, why: str) -> None:
    change.invalid("sdf.params", "this change is not made: {why}", why=why)


def _find(model: Node, path: str, tag: str = "") -> Node | None:
    """The element at a path of names, of the given tag if there is one; names may themselves hold ``::``."""
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
        child for child in parent.children if path.startswith(child.attributes.get("name", SEPARATOR) + SEPARATOR)
    )
    return max(starts, key=lambda child: len(child.attributes["name"]), default=None)


# --- one change ------------------------------------------------------------------------------------------------------


def _add_named(change: Node, path: str, model: Node) -> None:
    name = change.attributes.get("name", "")
    parent = _find(model, path) if path else model
    if not name:
        _fail(change, "what is added needs a name")
    elif parent is None:
        _fail(change, f"the included model has nothing at {path!r}")
    elif change.tag != "plugin" and any(_is(child, change.tag, name) for child in parent.children):
        _fail(change, f"{path!r} already has a <{change.tag}> of the name {name!r}")
    else:
        _add(change, parent)


def _is(node: Node, tag: str, name: str) -> bool:
    return node.tag == tag and node.attributes.get("name") == name


def _add(change: Node, parent: Node) -> None:
    parent.append(_without_instructions(change))


def _without_instructions(change: Node) -> Node:
    twin = change.copy()
    for key in _INSTRUCTIONS:
        twin.attributes.pop(key, None)
    return twin


def _replace(change: Node, target: Node) -> None:
    twin = _without_instructions(change)
    target.attributes, target.text = twin.attributes, twin.text
    target.children = []
    for child in twin.children[:]:
        target.append(child)


def _remove(change: Node, target: Node) -> None:
    if not change.children:
        target.detach()
    for child in change.children:
        found = _child_like(target, child)
        if found is None:
            _fail(child, f"there is no such <{child.tag}> to remove")
        else:
            found.detach()


def _modify(change: Node, target: Node) -> None:
    """Set the attributes and values that the change gives, at any depth."""
    pending = [(change, target)]
    while pending:
        source, goal = pending.pop()
        goal.attributes.update((key, value) for key, value in source.attributes.items() if key not in _INSTRUCTIONS)
        if source.text.strip() or not source.children:
            goal.text = source.text
        for child in source.children:
            found = _child_like(goal, child, rename=True)
            if found is None and child.tag in _ALWAYS_THERE:
                found = goal.add(child.tag)
            if found is None:
                _fail(child, f"there is no <{child.tag}> to modify")
            else:
                pending.append((child, found))


_CHANGES = {"modify": _modify, "remove": _remove, "replace": _replace}


def _child_like(parent: Node, wanted: Node, *, rename: bool = False) -> Node | None:
    """The child of the same tag, and of the same name where one is given (or, to rename it, the first)."""
    same = [child for child in parent.children if child.tag == wanted.tag]
    name = wanted.attributes.get("name")
    named = [child for child in same if name is None or child.attributes.get("name") == name]
    return next(iter(named or (same if rename else [])), None)


# --- changes of the children, one by one -----------------------------------------------------------------------------


def _apply_to_children(change: Node, target: Node) -> None:
    for child in change.children:
        action = child.attributes.get("action", "")
        if action not in _ACTIONS:
            known = ", ".join(_ACTIONS)
            _fail(child, f"the action {action!r} is none of {known}" if action else "it has no action")
        elif action == "add":
            _add(child, target)
        else:
            _apply_to_child(child, action, target)


def _apply_to_child(child: Node, action: str, target: Node) -> None:
    found = _child_like(target, child)
    if found is None:
        _fail(child, f"there is no such <{child.tag}> to {action}")
    elif action == "replace" and "name" in found.attributes and "name" not in child.attributes:
        _fail(child, "what replaces a named element needs a name")
    else:
        _CHANGES[action](child, found)
