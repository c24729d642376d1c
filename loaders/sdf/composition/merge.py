"""``<include merge='true'>``: the elements of a model become elements of the model or world that includes it.

A proxy frame ``_merged__NAME__model__`` replaces the implicit frame of the merged model: elements that were posed
relative to that frame, or attached to it, now refer to the proxy.
"""

from __future__ import annotations

from loaders.diagnostics import Fate
from loaders.model import WORLD
from loaders.node import Node
from loaders.scene_queries.scoped_names import SEPARATOR
from loaders.sdf.frames.frame_graph import INTERFACE_MODEL, MISSING_MODEL, MODEL_FRAME, PLACEMENT_FRAME, InterfaceModel

_MERGED = ("link", "model", "joint", "frame", "gripper", "plugin", INTERFACE_MODEL, MISSING_MODEL)
_DROPPED = ("static", "self_collide", "allow_auto_disable", "enable_wind")
_ONLY_IN_MODELS = ("link", "gripper")


def merge(include: Node, model: Node, parent: Node, interface_models: dict[Node, InterfaceModel]) -> list[Node]:
    """Return the elements that replace an ``<include merge='true'>``: the proxy frame and the elements of the model.

    Args:
        include: The ``<include>``.
        model: The included element, with the overrides applied.
        parent: The model or world that contains the ``<include>``.
        interface_models: Included files of other formats, by their placeholder.
    """
    if model.tag != "model":
        include.invalid("sdf.merge-unsupported", "cannot merge a <{tag}>; expected a <model>", tag=model.tag)
        return []
    proxy = _create_proxy(include, model, parent)
    elements = [proxy]
    for child in model.children:
        _redirect_references(child, proxy.attributes["name"])
        if child.tag in _DROPPED:
            _report_dropped(child, include)
        elif parent.tag == "world" and _needs_model(child, interface_models):
            include.invalid("sdf.merge-unsupported", "cannot merge a <{tag}> into a world", tag=child.tag)
        elif child.tag in _MERGED or ":" in child.tag:
            elements.append(child)
    return elements


def _report_dropped(child: Node, include: Node) -> None:
    child.report(
        Fate.NOTED,
        "sdf.merge-drops",
        "<{tag}> of a merged model has no effect",
        hint="set it in the model that includes this one",
        subjects=include.subjects,
        tag=child.tag,
    )


def _needs_model(child: Node, interface_models: dict[Node, InterfaceModel]) -> bool:
    return child.tag in _ONLY_IN_MODELS or (child.tag == INTERFACE_MODEL and bool(interface_models[child].scene.links))


def _create_proxy(include: Node, model: Node, parent: Node) -> Node:
    attributes = {"name": f"_merged__{model.attributes.get('name', '').strip()}__model__"}
    link = _canonical_link(model)
    if link:
        attributes["attached_to"] = link
    else:
        include.invalid("sdf.no-link", "the model to merge has no link", hint="add a <link> to it")
    placement_frame = model.attributes.get("placement_frame", "")
    if placement_frame:
        attributes[PLACEMENT_FRAME] = attributes["name"] if placement_frame == MODEL_FRAME else placement_frame
    proxy = Node("frame", attributes, file=include.file, line=include.line, diagnostics=include.diagnostics)
    model_pose = model.peek("pose")
    pose = proxy.add("pose") if model_pose is None else proxy.append(model_pose.copy())
    if not pose.attributes.get("relative_to"):
        pose.attributes["relative_to"] = WORLD if parent.tag == "world" else MODEL_FRAME
    return proxy


def _canonical_link(model: Node) -> str:
    """Return the name of the canonical link in the scope of the model: declared, the first, or of a nested model."""
    prefix = ""
    while True:
        declared = model.attributes.get("canonical_link", "").strip()
        link = model.peek("link")
        if declared or link is not None:
            return prefix + (declared or ("" if link is None else link.attributes.get("name", "").strip()))
        nested = model.peek("model")
        if nested is None:
            return ""
        prefix += nested.attributes.get("name", "").strip() + SEPARATOR
        model = nested


def _redirect_references(child: Node, proxy: str) -> None:
    """Replace references to the implicit frame of the merged model by the proxy."""
    if child.tag in ("link", "model"):
        pose = child.peek("pose") or child.add("pose")
        _redirect(pose, "relative_to", proxy, also_empty=True)
    elif child.tag == INTERFACE_MODEL:
        _redirect(child, "relative_to", proxy)
    elif child.tag == "frame":
        _redirect(child, "attached_to", proxy, also_empty=True)
        _redirect(child.peek("pose"), "relative_to", proxy)
    elif child.tag == "joint":
        _redirect_joint(child, proxy)


def _redirect_joint(joint: Node, proxy: str) -> None:
    _redirect(joint.peek("pose"), "relative_to", proxy)
    for end in (joint.peek("parent"), joint.peek("child")):
        if end is not None and end.text.strip() == MODEL_FRAME:
            end.text = proxy
    for axis in (joint.peek("axis"), joint.peek("axis2")):
        _redirect(None if axis is None else axis.peek("xyz"), "expressed_in", proxy)


def _redirect(node: Node | None, attribute: str, proxy: str, *, also_empty: bool = False) -> None:
    if node is None:
        return
    value = node.attributes.get(attribute, "").strip()
    if value == MODEL_FRAME or (also_empty and not value):
        node.attributes[attribute] = proxy
