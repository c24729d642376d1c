"""``<include>``: other files become part of the tree.

Each file is parsed, brought to the newest form by its own version, composed in turn, and put in the place of the
``<include>``; every node keeps its own file and line. A file of another format is read by its own reader and enters
as a model whose contents are given, with a stand-in for them in the tree.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from loaders.context import MAX_INCLUDE_DEPTH, Context
from loaders.diagnostics import Fate, Where
from loaders.node import Node
from loaders.scene import Scene
from loaders.scene_queries.scoped_names import root_model
from loaders.sdf.elements.ignored_elements import mark_read
from loaders.sdf.frames.frame_graph import CONTENTS, MODEL_FRAME
from loaders.sdf.upgrade.upgrade import upgrade
from loaders.xml import MAX_ELEMENTS, parse, read_bytes

from .merge import merge
from .model_config import Version, model_file
from .params import apply_params

_ROOTS = ("sdf", "gazebo")
_INCLUDABLE = ("model", "actor", "light")
"""What a file may give to the one that includes it, in the order of preference."""


@dataclass(slots=True, eq=False)
class Composition:
    """What composing one file gathers beside the tree."""

    versions: dict[str, Version] = field(default_factory=dict)
    """The version that each file was written in."""
    scenes: dict[Node, Scene] = field(default_factory=dict)
    """Contents of another format, by their stand-in."""
    files: dict[Path, Node | None] = field(default_factory=dict)
    """Every included file, composed: its element to include, or None."""
    elements: int = 0
    """Number of elements that were included, to stop what multiplies without end."""


def compose(root: Node, context: Context) -> Composition:
    """Replace every ``<include>`` in the tree, in place."""
    composition = Composition()
    composition.versions[root.file] = upgrade(root)
    _expand(root, context, composition)
    return composition


def _expand(root: Node, context: Context, composition: Composition) -> None:
    """Replace the includes of the file itself, of worlds, and of models at any depth."""
    pending = [root]
    while pending:
        parent = pending.pop()
        if parent.peek("include") is not None:
            children, parent.children = parent.children, []
            for child in children:
                for part in _include(child, parent, context, composition) if child.tag == "include" else (child,):
                    part.parent = parent
                    parent.children.append(part)
        pending.extend(child for child in parent.children if child.tag in ("world", "model"))


def _include(node: Node, parent: Node, context: Context, composition: Composition) -> list[Node]:
    """What stands in the place of an ``<include>``."""
    uri = node.word("uri", "")
    if not uri:
        node.invalid("sdf.include-no-uri", "an <include> needs a <uri>")
        return []
    found = context.resources.find(uri, Path(node.file).parent, node)
    path = None if found is None else model_file(found, node)
    if path is None:
        node.invalid("sdf.include-not-found", "{uri!r} cannot be included; nothing was found that can be read", uri=uri)
        return []
    element = _element_of(path, node, context, composition)
    if element is None:
        return []
    override(node, element)
    parts = merge(node, element, parent, composition.scenes) if node.flag("@merge", False) else [element]
    node.report_unread()
    return parts


# --- included files --------------------------------------------------------------------------------------------------


def _element_of(path: Path, node: Node, context: Context, composition: Composition) -> Node | None:
    """A fresh copy of the element that a file gives; None after a diagnostic."""
    real = path.resolve()
    if real in context.including or len(context.including) >= MAX_INCLUDE_DEPTH:
        chain = " -> ".join(file.name for file in (*context.including, real))
        node.invalid("sdf.include-cycle", "files include each other without end: {chain}", chain=chain)
        return None
    if real not in composition.files:
        composition.files[real] = _read(path, node, context, composition)
    element = composition.files[real]
    return None if element is None else _copy(element, node, composition)


def _copy(element: Node, node: Node, composition: Composition) -> Node | None:
    originals = list(element.walk())
    composition.elements += len(originals)
    if composition.elements > MAX_ELEMENTS:
        node.invalid(
            "sdf.too-many-elements",
            "with all that is included there are more than {max_elements} elements",
            max_elements=MAX_ELEMENTS,
        )
        return None
    twin = element.copy()
    for original, copied in zip(originals, twin.walk(), strict=True):
        if original.tag == CONTENTS:
            composition.scenes[copied] = composition.scenes[original]
    return twin


def _read(path: Path, node: Node, context: Context, composition: Composition) -> Node | None:
    root = None
    if path.suffix.lower() not in {".yaml", ".yml"}:
        data = read_bytes(path, context.diagnostics)
        root = None if data is None else parse(data, str(path), context.diagnostics)
        if root is None:
            return None
    if root is None or root.tag not in _ROOTS:
        return _read_other(path, node, context, composition)
    composition.versions[root.file] = upgrade(root)
    _expand(root, context.inside(path.resolve()), composition)
    return _only_element(root, node)


def _only_element(root: Node, node: Node) -> Node | None:
    found = [child for tag in _INCLUDABLE for child in root.children if child.tag == tag]
    if not found:
        node.report(
            Fate.DROPPED,
            "sdf.include-empty",
            "{root_file} has no model, light or actor; nothing is included",
            root_file=root.file,
        )
        return None
    for extra in found[1:]:
        extra.report(
            Fate.DROPPED,
            "sdf.extra-element",
            "a file that is included gives one element; <{tag}> counts and this one does not",
            tag=found[0].tag,
        )
    root.children = [child for child in root.children if child not in found]
    root.skip("@version")
    root.report_unread()
    return found[0]


def _read_other(path: Path, node: Node, context: Context, composition: Composition) -> Node | None:
    """A model around the stand-in for what the file holds."""
    scene = context.read_file(path, context)
    if scene is None:
        return None
    root = root_model(scene)
    where = Where(str(path), 1) if root is None else root.where
    model = Node(
        "model", {"name": scene.name}, file=where.file or str(path), line=where.line, diagnostics=node.diagnostics
    )
    if root is not None:
        x, y, z, qw, qx, qy, qz = root.X_WM.to_vector()
        model.add("pose", f"{x!r} {y!r} {z!r} {qx!r} {qy!r} {qz!r} {qw!r}", rotation_format="quat_xyzw")
        model.attributes.update({"canonical_link": root.canonical_link} if root.canonical_link else {})
        model.add("static", "true" if root.static else "false")
    stand_in = model.add(CONTENTS, relative_to=MODEL_FRAME)
    composition.scenes[stand_in] = scene
    return model


# --- overrides -------------------------------------------------------------------------------------------------------


def override(include: Node, element: Node) -> None:
    """Apply what an ``<include>`` says beside the ``<uri>``."""
    for key in ("name", "namespace"):
        value = include.word(key, "")
        if value and key == "name" and "name" not in element.attributes:
            element.invalid(
                "sdf.no-name", "<{tag}> needs a name", hint="also where an <include> gives another", tag=element.tag
            )
        if value:
            element.attributes[key] = value
    placement = include.word("placement_frame", "")
    if placement:
        element.attributes["placement_frame"] = placement
        if not include.has("pose"):
            message = "the <placement_frame> of an <include> needs a <pose>"
            include.invalid("sdf.placement-without-pose", message, hint="add <pose/> for the identity")
    for tag in ("static", "pose"):
        child = include.child(tag)
        if child is not None and (element.tag == "model" or tag == "pose"):
            _replace(element, child)
    for plugin in include.all("plugin"):
        element.append(plugin.copy())
        mark_read(plugin)
    params = include.child("experimental:params")
    if params is not None:
        apply_params(params, element)
        mark_read(params)


def _replace(element: Node, child: Node) -> None:
    """The child of the include takes the place of the element's own."""
    element.children = [other for other in element.children if other.tag != child.tag]
    element.append(child.copy())
    mark_read(child)
