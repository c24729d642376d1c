"""``<include>``: elements of other files become part of the tree.

Each file is parsed, upgraded from its own version and composed in turn; its element replaces the ``<include>``. Every
node keeps its own file and line. A file of another format is read by its own reader and becomes an interface model: a
``<model>`` with a placeholder for the elements of that scene.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from loaders.context import MAX_INCLUDE_DEPTH, Context, element_count
from loaders.diagnostics import Fate, Where
from loaders.node import Node
from loaders.scene_queries.scoped_names import root_model
from loaders.sdf.frames.frame_graph import INTERFACE_MODEL, MISSING_MODEL, MODEL_FRAME, InterfaceModel
from loaders.sdf.unmodeled_elements import mark_read
from loaders.sdf.upgrade.upgrade import upgrade
from loaders.sdf.upgrade.versions import Version
from loaders.search.failures import Failure
from loaders.xml import parse, read_bytes

from .merge import merge
from .model_config import model_file
from .params import apply_params
from .stand_ins import parse_stand_in

_ROOTS = ("sdf", "gazebo")
_INCLUDABLE = ("model", "actor", "light")
"""Elements of a file that can be included, in order of preference."""

_PARENTS = ("world", "model")
"""Elements whose names may come from an include."""


@dataclass(slots=True, eq=False)
class Composition:
    """Results of the composition of one file, in addition to the tree."""

    versions: dict[str, Version] = field(default_factory=dict)
    """The version that each file was written in, by path."""
    interface_models: dict[Node, InterfaceModel] = field(default_factory=dict)
    """Included files of other formats, by their placeholder."""
    files: dict[Path, Node | None] = field(default_factory=dict)
    """The composed element of every included file, by real path; None if it cannot be included."""


def compose(root: Node, context: Context) -> Composition:
    """Upgrade a document and replace every ``<include>`` in it, in place."""
    composition = Composition()
    composition.versions[root.file] = upgrade(root)
    _expand_includes(root, context, composition)
    return composition


def _expand_includes(root: Node, context: Context, composition: Composition) -> None:
    """Replace the includes of the root, of worlds, and of models at any depth."""
    pending = [root]
    while pending:
        parent = pending.pop()
        if parent.peek("include") is not None:
            _expand_children(parent, context, composition)
        pending.extend(child for child in parent.children if child.tag in ("world", "model"))


def _expand_children(parent: Node, context: Context, composition: Composition) -> None:
    children, parent.children = parent.children, []
    for child in children:
        for element in _include(child, parent, context, composition) if child.tag == "include" else (child,):
            parent.attach(element)


def _include(include: Node, parent: Node, context: Context, composition: Composition) -> list[Node]:
    """Return the elements that replace an ``<include>``."""
    uri = include.word("uri", "")
    if not uri:
        leniency = "the include is left out"
        include.invalid("sdf.include-no-uri", "<include> has no <uri>", hint="add a <uri>", leniency=leniency)
        return [_missing_model(include)] if parent.tag in _PARENTS else []
    element = _find_element(uri, include, context, composition)
    if element is None:
        return [_missing_model(include)] if parent.tag in _PARENTS else []
    _apply_overrides(include, element)
    merged = include.flag("@merge", False)
    elements = merge(include, element, parent, composition.interface_models) if merged else [element]
    include.report_unread()
    return elements


# --- included files --------------------------------------------------------------------------------------------------


def _find_element(uri: str, include: Node, context: Context, composition: Composition) -> Node | None:
    """Return a new copy of the element that an ``<include>`` names; None after a diagnostic."""
    location = context.resources.search(uri, Path(include.file).parent, include)
    if not isinstance(location, Failure):
        path = model_file(location, include, unsafe_paths=context.resources.unsafe_paths)
        return None if path is None else _load_element(path, include, context, composition)
    stand_in = parse_stand_in(uri, include.diagnostics)
    leniency = "{uri!r} is left out" if stand_in is None else "a stand-in takes the place of {uri!r}"
    code = "sdf.include-not-found" if location.fate is Fate.DROPPED else location.code
    include.invalid(code, location.template, hint=location.hint, leniency=leniency, **location.arguments)
    return stand_in if include.diagnostics.lenient else None


def _missing_model(include: Node) -> Node:
    """Return the placeholder of an include that failed, so that nothing is reported that only follows from this."""
    merged = include.attributes.get("merge", "").strip() in {"true", "1"}
    name = "" if merged else getattr(include.peek("name"), "text", "").strip()
    mark_read(include)
    attributes = {"name": name}
    return Node(MISSING_MODEL, attributes, file=include.file, line=include.line, diagnostics=include.diagnostics)


def _load_element(path: Path, include: Node, context: Context, composition: Composition) -> Node | None:
    """Return a new copy of the element of a file; None after a diagnostic."""
    real = path.resolve()
    if not _check_depth(real, include, context):
        return None
    if real not in composition.files:
        composition.files[real] = _read_file(path, include, context, composition)
    element = composition.files[real]
    return None if element is None else _copy(element, include, composition)


def _check_depth(real: Path, include: Node, context: Context) -> bool:
    """Report files that include each other, or too deep; return whether the file can be included."""
    files = tuple(file.name for file in (*context.including, real))
    if real in context.including:
        include.invalid("sdf.include-cycle", "files include each other in a cycle: {files}", files=files)
        return False
    if len(context.including) >= MAX_INCLUDE_DEPTH:
        include.invalid(
            "sdf.include-cycle",
            "includes are nested more than {limit} deep: {files}",
            limit=MAX_INCLUDE_DEPTH,
            files=files,
        )
        return False
    return True


def _copy(element: Node, include: Node, composition: Composition) -> Node | None:
    originals = list(element.walk())
    scenes = [composition.interface_models[node].scene for node in originals if node.tag == INTERFACE_MODEL]
    include.diagnostics.spend("elements", len(originals) + sum(map(element_count, scenes)))
    copy = element.copy()
    for original, copied in zip(originals, copy.walk(), strict=True):
        if original.tag == INTERFACE_MODEL:
            composition.interface_models[copied] = composition.interface_models[original]
    return copy


def _read_file(path: Path, include: Node, context: Context, composition: Composition) -> Node | None:
    root = None
    if path.suffix.lower() not in {".yaml", ".yml"}:
        with context.diagnostics.tolerating("the include is left out"):
            data = read_bytes(path, context.diagnostics)
        root = None if data is None else parse(data, str(path), context.diagnostics)
        if root is None:
            return None
    if root is None or root.tag not in _ROOTS:
        return _read_interface_model(path, include, context, composition)
    composition.versions[root.file] = upgrade(root)
    _expand_includes(root, context.inside(path.resolve()), composition)
    return _includable_element(root, include)


def _includable_element(root: Node, include: Node) -> Node | None:
    elements = [child for tag in _INCLUDABLE for child in root.children if child.tag == tag]
    if not elements:
        include.report(
            Fate.DROPPED,
            "sdf.include-empty",
            "{file} has no model, light or actor; ignoring the <include>",
            file=root.file,
        )
        return None
    for extra in elements[1:]:
        extra.report(
            Fate.DROPPED,
            "sdf.extra-element",
            "an included file provides one element; using the <{used}> and ignoring this <{tag}>",
            used=elements[0].tag,
            tag=extra.tag,
        )
    root.children = [child for child in root.children if child not in elements]
    root.skip("@version")
    root.report_unread()
    return elements[0]


def _read_interface_model(path: Path, include: Node, context: Context, composition: Composition) -> Node | None:
    """Return a ``<model>`` with the placeholder for the scene of a file of another format."""
    first_finding = len(context.diagnostics)
    scene = context.read_file(path, context)
    if scene is None:
        return None
    root = root_model(scene)
    where = Where(str(path), 1) if root is None else root.where
    file, attributes = where.file or str(path), {"name": scene.name}
    model = Node("model", attributes, file=file, line=where.line, diagnostics=include.diagnostics)
    if root is not None:
        x, y, z, qw, qx, qy, qz = root.X_WM.to_vector()
        model.add("pose", f"{x!r} {y!r} {z!r} {qx!r} {qy!r} {qz!r} {qw!r}", rotation_format="quat_xyzw")
        model.attributes.update({"canonical_link": root.canonical_link} if root.canonical_link else {})
        model.add("static", "true" if root.static else "false")
    placeholder = model.add(INTERFACE_MODEL, relative_to=MODEL_FRAME)
    findings = range(first_finding, len(context.diagnostics))
    composition.interface_models[placeholder] = InterfaceModel(scene, findings)
    return model


# --- overrides -------------------------------------------------------------------------------------------------------


def _apply_overrides(include: Node, element: Node) -> None:
    """Apply the children of an ``<include>`` other than ``<uri>`` to the included element."""
    _override_names(include, element)
    _override_placement_frame(include, element)
    for tag in ("static", "pose"):
        child = include.child(tag)
        if child is not None and (element.tag == "model" or tag == "pose"):
            _replace_child(element, child)
    for plugin in include.all("plugin"):
        element.append(plugin.copy())
        mark_read(plugin)
    params = include.child("experimental:params")
    if params is not None:
        apply_params(params, element)
        mark_read(params)


def _override_names(include: Node, element: Node) -> None:
    for key in ("name", "namespace"):
        value = include.word(key, "")
        if value and key == "name" and "name" not in element.attributes:
            element.invalid(
                "sdf.no-name",
                "<{tag}> has no name",
                hint="add a name, even if the <include> gives another one",
                tag=element.tag,
            )
        if value:
            element.attributes[key] = value


def _override_placement_frame(include: Node, element: Node) -> None:
    placement_frame = include.word("placement_frame", "")
    if not placement_frame:
        return
    element.attributes["placement_frame"] = placement_frame
    if not include.has("pose"):
        include.invalid(
            "sdf.placement-without-pose",
            "<include> has a <placement_frame> but no <pose>",
            hint="add <pose/> for the identity",
        )


def _replace_child(element: Node, child: Node) -> None:
    """Replace all children of an element that have the tag of ``child`` by a copy of it."""
    element.children = [other for other in element.children if other.tag != child.tag]
    element.append(child.copy())
    mark_read(child)
