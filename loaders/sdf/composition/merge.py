"""``<include merge='true'>``: the parts of a model become parts of the one that includes it.

A frame ``_merged__NAME__model__`` stands where the model's own frame stood; what was posed from that, or fixed to it,
is now posed from the frame or fixed to it.
"""

from __future__ import annotations

from loaders.diagnostics import Fate
from loaders.model import WORLD
from loaders.node import Node
from loaders.scene import Scene
from loaders.scene_queries.scoped_names import SEPARATOR
from loaders.sdf.frames.frame_graph import CONTENTS, MODEL_FRAME, PLACEMENT

_KEPT = ("link", "model", "joint", "frame", "gripper", "plugin", CONTENTS)
_DROPPED = ("static", "self_collide", "allow_auto_disable", "enable_wind")
_NOT_IN_WORLD = ("link", "gripper")


def merge(include: Node, model: Node, parent: Node, scenes: dict[Node, Scene]) -> list[Node]:
    """The proxy frame and the parts of the model, to stand in the place of the ``<include>``."""
    if model.tag != "model":
        include.invalid("sdf.merge-unsupported", "only a model can be merged, not <{tag}>", tag=model.tag)
        return []
    proxy = _proxy(include, model, parent)
    parts = [proxy]
    for child in model.children:
        _retarget(child, proxy.attributes["name"])
        if child.tag in _DROPPED:
            child.report(
                Fate.NOTED,
                "sdf.merge-drops",
                "<{tag}> of a merged model does not count",
                hint="say it in the model that includes it",
                tag=child.tag,
            )
        elif parent.tag == "world" and _needs_model(child, scenes):
            include.invalid("sdf.merge-unsupported", "a <{tag}> cannot be merged into a world", tag=child.tag)
        elif child.tag in _KEPT or ":" in child.tag:
            parts.append(child)
    return parts


def _needs_model(child: Node, scenes: dict[Node, Scene]) -> bool:
    return child.tag in _NOT_IN_WORLD or (child.tag == CONTENTS and bool(scenes[child].links))


def _proxy(include: Node, model: Node, parent: Node) -> Node:
    attributes = {"name": f"_merged__{model.attributes.get('name', '').strip()}__model__"}
    link = canonical_link(model)
    if link:
        attributes["attached_to"] = link
    else:
        include.invalid("sdf.no-link", "the model to merge has no link")
    placement = model.attributes.get("placement_frame", "")
    if placement:
        attributes[PLACEMENT] = attributes["name"] if placement == MODEL_FRAME else placement
    proxy = Node("frame", attributes, file=include.file, line=include.line, diagnostics=include.diagnostics)
    pose = model.peek("pose")
    pose = proxy.add("pose") if pose is None else proxy.append(pose.copy())
    if not pose.attributes.get("relative_to"):
        pose.attributes["relative_to"] = WORLD if parent.tag == "world" else MODEL_FRAME
    return proxy


def canonical_link(model: Node) -> str:
    """The canonical link, as the model's own scope calls it: stated, or the first, or that of a nested model."""
    prefix = ""
    while True:
        stated = model.attributes.get("canonical_link", "").strip()
        link = model.peek("link")
        if stated or link is not None:
            return prefix + (stated or ("" if link is None else link.attributes.get("name", "").strip()))
        nested = model.peek("model")
        if nested is None:
            return ""
        prefix += nested.attributes.get("name", "").strip() + SEPARATOR
        model = nested


def _retarget(child: Node, proxy: str) -> None:
    """Turn what refers to the merged model's own frame to the proxy."""
    if child.tag in ("link", "model"):
        pose = child.peek("pose") or child.add("pose")
        _set(pose, "relative_to", proxy, also_empty=True)
    elif child.tag == CONTENTS:
        _set(child, "relative_to", proxy)
    elif child.tag == "frame":
        _set(child, "attached_to", proxy, also_empty=True)
        _set(child.peek("pose"), "relative_to", proxy)
    elif child.tag == "joint":
        _set(child.peek("pose"), "relative_to", proxy)
        for end in (child.peek("parent"), child.peek("child")):
            if end is not None and end.text.strip() == MODEL_FRAME:
                end.text = proxy
        for axis in (child.peek("axis"), child.peek("axis2")):
            _set(None if axis is None else axis.peek("xyz"), "expressed_in", proxy)


def _set(node: Node | None, attribute: str, proxy: str, *, also_empty: bool = False) -> None:
    if node is None:
        return
    value = node.attributes.get(attribute, "").strip()
    if value == MODEL_FRAME or (also_empty and not value):
        node.attributes[attribute] = proxy
