"""Models that older libraries wrote flat, ``arm::wrist`` for the wrist of a nested ``arm``, nested again.

Unlike libsdformat's recipe, a prefix ends at ``::`` only, all of a model is unflattened and not only what stands
before its first nested model, and names that refer beyond their own prefix leave the group flat, as it was.
"""

from __future__ import annotations

from collections.abc import Iterator

from loaders.diagnostics import Fate
from loaders.node import Node
from loaders.scene_queries.scoped_names import SEPARATOR
from loaders.xml import MAX_DEPTH

_MODEL_FRAME = "__model__"
_ANYWHERE = frozenset({"", _MODEL_FRAME, "world"})
"""References that mean the same, or what libsdformat lets them mean, in a nested model."""
_NAMED = frozenset({"frame", "joint", "link", "model"})
_TEXTS = {"joint": ("parent", "child", "gearbox_reference_body"), "gripper": ("gripper_link", "palm_link")}

Reference = tuple[Node, str]
"""An element, and the attribute of it that names a frame; empty for its text."""


def unflatten(model: Node) -> None:
    """Nest the parts of a model, and of all models in it, by their names; in place."""
    pending = [model]
    while pending:
        scope = pending.pop()
        for prefix, parts in _groups(scope).items():
            if not any(_leads_out(reference, prefix) for part in parts for reference in _references(part)):
                _nest(scope, prefix, parts)
        pending.extend(child for child in scope.children if child.tag == "model")


def _groups(scope: Node) -> dict[str, list[Node]]:
    """The parts by the prefix of their names, in the order of the file."""
    groups: dict[str, list[Node]] = {}
    for child in scope.children:
        prefix = _prefix(child)
        if prefix:
            groups.setdefault(prefix, []).append(child)
    return groups


def _prefix(part: Node) -> str:
    """The name of the nested model that a part belongs to, or nothing.

    A gripper belongs where the links that it names do, whatever its own name.
    """
    if part.tag in _NAMED:
        names = {part.attributes.get("name", "")}
    elif part.tag == "gripper":
        names = {_read(reference) for reference in _references(part)}
    else:
        return ""
    prefixes = {name.partition(SEPARATOR)[0] if 0 < name.count(SEPARATOR) < MAX_DEPTH else "" for name in names}
    return prefixes.pop() if len(prefixes) == 1 else ""


def _nest(scope: Node, prefix: str, parts: list[Node]) -> None:
    """Move the parts into a new model at the end of the scope."""
    moved = set(map(id, parts))
    scope.children = [child for child in scope.children if id(child) not in moved]
    model = scope.add("model", name=prefix)
    model.line = parts[0].line
    parts[0].report(
        Fate.NOTED,
        "sdf.unflattened",
        "the names {prefix}::... of an old file become those of a nested model {prefix}",
        prefix=prefix,
    )
    for part in parts:
        part.parent = None
        for reference in _references(part):
            _write(reference, _inner(_read(reference), prefix))
        name = part.attributes.get("name", "")
        part.attributes["name"] = _inner(name, prefix)
        if part.tag == "frame" and part.attributes["name"] == _MODEL_FRAME:
            _pose_by_frame(model, part)
        else:
            model.append(part)


def _pose_by_frame(model: Node, frame: Node) -> None:
    """Let the frame that stood for the model say where the model is, and which link is its own."""
    for pose in (child for child in list(frame.children) if child.tag == "pose"):
        model.append(pose)
    link = frame.attributes.get("attached_to", "")
    if link:
        model.attributes["canonical_link"] = link


# --- references ------------------------------------------------------------------------------------------------------


def _references(part: Node) -> Iterator[Reference]:
    """Everything in a part that names a frame of the model around it."""
    if part.tag == "frame":
        yield part, "attached_to"
    for tag in _TEXTS.get(part.tag, ()):
        yield from ((child, "") for child in part.children if child.tag == tag)
    is_model_frame = part.tag == "frame" and part.attributes.get("name", "").endswith(SEPARATOR + _MODEL_FRAME)
    pending = [] if is_model_frame and _stands_for_model(part) else [part]
    while pending:
        node = pending.pop()
        if node.tag == "pose":
            yield node, "relative_to"
        elif node.tag == "xyz":
            yield node, "expressed_in"
        pending.extend(child for child in node.children if _belongs(child, part))


def _stands_for_model(frame: Node) -> bool:
    """Whether a frame is ``a::__model__``, whose pose becomes that of the model and stays in its scope."""
    return frame.attributes["name"].count(SEPARATOR) == 1


def _belongs(child: Node, part: Node) -> bool:
    """Whether names below an element mean what they mean in the part."""
    return child.tag != "plugin" and ":" not in child.tag and (part.tag != "model" or child.tag == "pose")


def _read(reference: Reference) -> str:
    node, attribute = reference
    return (node.attributes.get(attribute, "") if attribute else node.text).strip()


def _write(reference: Reference, text: str) -> None:
    node, attribute = reference
    if not attribute:
        node.text = text
    elif attribute in node.attributes:
        node.attributes[attribute] = text


def _leads_out(reference: Reference, prefix: str) -> bool:
    name = _read(reference)
    return name not in _ANYWHERE and not name.startswith(prefix + SEPARATOR)


def _inner(name: str, prefix: str) -> str:
    return name.removeprefix(prefix + SEPARATOR)
