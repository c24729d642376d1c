"""Flattened models of older files: elements named ``arm::wrist`` are moved back into a nested model ``arm``.

This differs from libsdformat's ``<unflatten>`` in three points. A prefix ends only at ``::``; the whole model is
unflattened, not only the elements before its first nested model; and a group stays flat if one of its elements refers
to a name outside the group.
"""

from __future__ import annotations

from collections.abc import Iterator

from loaders.diagnostics import Fate
from loaders.node import Node
from loaders.scene_queries.scoped_names import SEPARATOR
from loaders.xml import MAX_DEPTH

_MODEL_FRAME = "__model__"
_SCOPE_INDEPENDENT = frozenset({"", _MODEL_FRAME, "world"})
"""References that are valid, with the meaning that libsdformat gives them, in a nested model too."""
_NAMED = frozenset({"frame", "joint", "link", "model"})
_REFERENCE_ELEMENTS = {
    "joint": ("parent", "child", "gearbox_reference_body"),
    "gripper": ("gripper_link", "palm_link"),
}
"""Child elements whose text is a reference, by the tag of their parent."""

Reference = tuple[Node, str]
"""An element, and its attribute that names a frame; an empty attribute means its text."""


def unflatten(model: Node) -> None:
    """Move flattened elements of a model, and of all models in it, into nested models, in place."""
    pending = [model]
    while pending:
        scope = pending.pop()
        for prefix, members in _group_by_prefix(scope).items():
            if not any(_leaves_group(reference, prefix) for member in members for reference in _references(member)):
                _nest(scope, prefix, members)
        pending.extend(child for child in scope.children if child.tag == "model")


def _group_by_prefix(scope: Node) -> dict[str, list[Node]]:
    """Return the flattened elements by the prefix of their names, in document order."""
    groups: dict[str, list[Node]] = {}
    for child in scope.children:
        prefix = _prefix(child)
        if prefix:
            groups.setdefault(prefix, []).append(child)
    return groups


def _prefix(member: Node) -> str:
    """Return the name of the nested model that an element belongs to; empty if it is not flattened.

    A gripper belongs to the model of the links that it names; its own name has no prefix.
    """
    if member.tag in _NAMED:
        names = {member.attributes.get("name", "")}
    elif member.tag == "gripper":
        names = {_read(reference) for reference in _references(member)}
    else:
        return ""
    prefixes = {name.partition(SEPARATOR)[0] if 0 < name.count(SEPARATOR) < MAX_DEPTH else "" for name in names}
    return prefixes.pop() if len(prefixes) == 1 else ""


def _nest(scope: Node, prefix: str, members: list[Node]) -> None:
    """Move the members of a group into a new model at the end of the scope."""
    moved = set(map(id, members))
    scope.children = [child for child in scope.children if id(child) not in moved]
    model = scope.add("model", name=prefix)
    model.line = members[0].line
    members[0].report(
        Fate.NOTED,
        "sdf.unflattened",
        "moved the elements named {prefix}::... into a nested model {prefix}",
        prefix=prefix,
    )
    for member in members:
        member.parent = None
        _remove_prefix(member, prefix)
        if member.tag == "frame" and member.attributes["name"] == _MODEL_FRAME:
            _apply_model_frame(model, member)
        else:
            model.append(member)


def _remove_prefix(member: Node, prefix: str) -> None:
    """Remove the prefix from the name of an element and from its references."""
    for reference in _references(member):
        _write(reference, _read(reference).removeprefix(prefix + SEPARATOR))
    member.attributes["name"] = member.attributes.get("name", "").removeprefix(prefix + SEPARATOR)


def _apply_model_frame(model: Node, frame: Node) -> None:
    """Take the pose and the canonical link of a nested model from the frame that represented it."""
    for pose in (child for child in list(frame.children) if child.tag == "pose"):
        model.append(pose)
    link = frame.attributes.get("attached_to", "")
    if link:
        model.attributes["canonical_link"] = link


# --- references ------------------------------------------------------------------------------------------------------


def _references(member: Node) -> Iterator[Reference]:
    """Yield every reference in an element to a frame of the model around it."""
    if member.tag == "frame":
        yield member, "attached_to"
    for tag in _REFERENCE_ELEMENTS.get(member.tag, ()):
        yield from ((child, "") for child in member.children if child.tag == tag)
    if not _represents_model(member):
        yield from _frame_attributes(member)


def _frame_attributes(member: Node) -> Iterator[Reference]:
    """Yield the references in the poses and axes of an element."""
    pending = [member]
    while pending:
        node = pending.pop()
        if node.tag == "pose":
            yield node, "relative_to"
        elif node.tag == "xyz":
            yield node, "expressed_in"
        pending.extend(child for child in node.children if _is_in_same_scope(child, member))


def _represents_model(member: Node) -> bool:
    """Return whether an element is the frame ``a::__model__``.

    Its pose becomes that of the nested model, so the references in it keep their scope.
    """
    name = member.attributes.get("name", "")
    return member.tag == "frame" and name.endswith(SEPARATOR + _MODEL_FRAME) and name.count(SEPARATOR) == 1


def _is_in_same_scope(child: Node, member: Node) -> bool:
    """Return whether references in a descendant are looked up in the same scope as those of the member."""
    return child.tag != "plugin" and ":" not in child.tag and (member.tag != "model" or child.tag == "pose")


def _read(reference: Reference) -> str:
    node, attribute = reference
    return (node.attributes.get(attribute, "") if attribute else node.text).strip()


def _write(reference: Reference, text: str) -> None:
    node, attribute = reference
    if not attribute:
        node.text = text
    elif attribute in node.attributes:
        node.attributes[attribute] = text


def _leaves_group(reference: Reference, prefix: str) -> bool:
    name = _read(reference)
    return name not in _SCOPE_INDEPENDENT and not name.startswith(prefix + SEPARATOR)
