"""include with its parameters, merge, model.config, and stand-ins for sun and ground plane.

Each file is parsed, upgraded from its own version and composed in turn; its element replaces the
``<include>``. Every node keeps its own file and line. A file of another format is read by its own
reader and becomes an interface model: a ``<model>`` with a placeholder for the elements of that
scene.

A proxy frame ``_merged__NAME__model__`` replaces the implicit frame of the merged model: elements
that were posed relative to that frame, or attached to it, now refer to the proxy.

``<experimental:params>`` states changes that an include makes to the included model. Each child
selects an element by ``element_id``, a path of names inside the included model, and states an
``action``: ``add``, ``modify``, ``remove`` or ``replace``. Without an action, each of its children
states one. A change that cannot be applied is reported; the others are applied.

Source: the proposal http://sdformat.org/tutorials?tut=param_passing_proposal.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from loaders.context import MAX_INCLUDE_DEPTH, Context, Failure, element_count
from loaders.diagnostics import Diagnostics, Fate, Where
from loaders.files.folders import only_model_file
from loaders.files.read_file import checked, checked_path, is_file, is_inside, real_path
from loaders.model import WORLD
from loaders.node import Node
from loaders.scene import Scene
from loaders.scoped_names import MODEL_FRAME, SEPARATOR, root_model
from loaders.sdf import codes
from loaders.sdf.frame import (
    INTERFACE_MODEL,
    MISSING_MODEL,
    PLACEMENT_FRAME,
    InterfaceModel,
)
from loaders.sdf.unmodeled import mark_read
from loaders.sdf.upgrade import NEWEST, Version, upgrade
from loaders.xml import parse, read_bytes

_MERGED = ("link", "model", "joint", "frame", "gripper", "plugin", INTERFACE_MODEL, MISSING_MODEL)
_DROPPED = ("static", "self_collide", "allow_auto_disable", "enable_wind")
_ONLY_IN_MODELS = ("link", "gripper")


def merge(
    include: Node, model: Node, parent: Node, interface_models: dict[Node, InterfaceModel]
) -> list[Node]:
    """Return the elements that replace an ``<include merge='true'>``: the proxy frame and the
    elements of the model.

    Args:
        include: The ``<include>``.
        model: The included element, with the overrides applied.
        parent: The model or world that contains the ``<include>``.
        interface_models: Included files of other formats, by their placeholder.
    """
    if model.tag != "model":
        include.report(codes.MERGE_UNSUPPORTED, tag=model.tag)
        return []
    proxy = _create_proxy(include, model, parent)
    elements = [proxy]
    for child in model.children:
        _redirect_references(child, proxy.attributes["name"])
        if child.tag in _DROPPED:
            child.report(codes.MERGE_DROPS, subjects=include.subjects, tag=child.tag)
        elif parent.tag == "world" and _needs_model(child, interface_models):
            include.report(codes.MERGE_UNSUPPORTED_INTO_WORLD, tag=child.tag)
        elif child.tag in _MERGED or ":" in child.tag:
            elements.append(child)
    return elements


def _needs_model(child: Node, interface_models: dict[Node, InterfaceModel]) -> bool:
    return child.tag in _ONLY_IN_MODELS or (
        child.tag == INTERFACE_MODEL and bool(interface_models[child].scene.links)
    )


def _create_proxy(include: Node, model: Node, parent: Node) -> Node:
    attributes = {"name": f"_merged__{model.attributes.get('name', '').strip()}__model__"}
    link = _canonical_link(model)
    if link:
        attributes["attached_to"] = link
    else:
        include.report(codes.NO_LINK_TO_MERGE)
    placement_frame = model.attributes.get("placement_frame", "")
    if placement_frame:
        attributes[PLACEMENT_FRAME] = (
            attributes["name"] if placement_frame == MODEL_FRAME else placement_frame
        )
    proxy = Node(
        "frame", attributes, file=include.file, line=include.line, diagnostics=include.diagnostics
    )
    model_pose = model.peek("pose")
    pose = proxy.add("pose") if model_pose is None else proxy.append(model_pose.copy())
    if not pose.attributes.get("relative_to"):
        pose.attributes["relative_to"] = WORLD if parent.tag == "world" else MODEL_FRAME
    return proxy


def _canonical_link(model: Node) -> str:
    """Return the name of the canonical link in the scope of the model: declared, the first, or of a
    nested model.
    """
    prefix = ""
    while True:
        declared = model.attributes.get("canonical_link", "").strip()
        link = model.peek("link")
        if declared:
            return prefix + declared
        if link is not None:
            return prefix + link.attributes.get("name", "").strip()
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


_MANIFESTS = ("model.config", "manifest.xml")


def model_file(
    path: Path,
    node: Node,
    *,
    unsafe_paths: bool = False,
    allows: Callable[[Path], bool] | None = None,
) -> Path | None:
    """Return the model file that an ``<include>`` refers to; None after a diagnostic.

    Args:
        path: A model file, or a folder whose manifest names one.
        node: The ``<include>``, to report problems.
        unsafe_paths: Whether the manifest may name a file outside its folder.
        allows: Returns whether a file in the folder, which may be a symbolic link, may be read; by
            default one may that lies in the folder itself.
    """
    if not os.path.isdir(path):
        return path
    folder = checked_path(path)

    def is_within(file: Path) -> bool:
        real = real_path(file)
        is_within = is_inside(real, (folder,))
        if is_within or unsafe_paths:
            checked(str(file), None if unsafe_paths else real)
        return is_within or unsafe_paths

    def may_be_read(file: Path) -> bool:
        return is_within(file) or bool(allows and allows(file))

    manifests = (path / name for name in _MANIFESTS)
    manifest = next((file for file in manifests if is_file(file) and may_be_read(file)), None)
    if manifest is None:
        return _file_without_manifest(path, node, may_be_read)
    if manifest.name != _MANIFESTS[0]:
        node.report(codes.OLD_MANIFEST, old_name=manifest.name, new_name=_MANIFESTS[0])
    data = read_bytes(manifest, node.diagnostics)
    root = None if data is None else parse(data, str(manifest), node.diagnostics)
    file = None if root is None else _newest_file(root, path)
    if file is None or is_within(file):
        return file
    node.report(codes.MODEL_FILE_OUTSIDE, manifest=manifest, file=file)
    return None


def _file_without_manifest(
    folder: Path, node: Node, may_be_read: Callable[[Path], bool]
) -> Path | None:
    """Report a folder without manifest; return its model file for lenient loading."""
    file = only_model_file(folder)
    if file is None or not may_be_read(file):
        file = None
        node.report(codes.NO_MODEL_CONFIG_IN_FOLDER, folder=folder)
    else:
        node.report(codes.NO_MODEL_CONFIG_ONE_FILE, folder=folder, file=file.name)
    return file if node.diagnostics.lenient else None


def _newest_file(root: Node, folder: Path) -> Path | None:
    """Return the file of the newest version that can be read; an entry without a version has
    precedence.
    """
    best: tuple[Version, str] | None = None
    for entry in root.all("sdf"):
        version = _entry_version(entry)
        if version is None:
            return folder / entry.text.strip()
        if version > NEWEST:
            entry.report(codes.NEWER_MODEL_FILE, version=entry.attributes["version"])
        elif best is None or version > best[0]:
            best = version, entry.text.strip()
    if best is None:
        root.report(codes.NO_MODEL_CONFIG)
        return None
    return folder / best[1]


def _entry_version(entry: Node) -> Version | None:
    words = entry.attributes.get("version", "").strip().split(".")
    if not words[0]:
        return None
    numbers = [int(word[:9]) if word[:9].isdecimal() else 0 for word in (*words, "0")]
    return numbers[0], numbers[1]


_SUN = b"""<sdf version="1.12"><light type="directional" name="sun">
<cast_shadows>true</cast_shadows><pose>0 0 10 0 0 0</pose>
<diffuse>0.8 0.8 0.8 1</diffuse><specular>0.2 0.2 0.2 1</specular>
<attenuation><range>1000</range><constant>0.9</constant><linear>0.01</linear><quadratic>0.001</quadratic></attenuation>
<direction>-0.5 0.1 -0.9</direction></light></sdf>"""
_PLANE = b"<geometry><plane><normal>0 0 1</normal><size>100 100</size></plane></geometry>"
_GROUND_PLANE = b"""<sdf version="1.12"><model name="ground_plane"><static>true</static>
<link name="link"><collision name="collision">%b<surface><friction><ode><mu>100</mu><mu2>50</mu2>
</ode></friction></surface></collision>
<visual name="visual">%b<cast_shadows>false</cast_shadows>
<material><ambient>0.8 0.8 0.8 1</ambient><diffuse>0.8 0.8 0.8 1</diffuse></material></visual>
</link></model></sdf>""" % (_PLANE, _PLANE)
_STAND_INS = {"sun": _SUN, "ground_plane": _GROUND_PLANE}
"""Documents, keyed by the name of the model: its light, or the friction and size of Gazebo
classic's plane."""


def parse_stand_in(uri: str, diagnostics: Diagnostics) -> Node | None:
    """Return a new copy of the element that stands for a model; None if there is none for it.

    Args:
        uri: The URI of the model, such as ``model://sun`` or that of a model of Gazebo Fuel.
        diagnostics: Record to which the nodes report.
    """
    name = uri.rstrip("/").rpartition("/")[2].lower().replace("%20", "_").replace(" ", "_")
    data = _STAND_INS.get(name)
    root = None if data is None else parse(data, f"<stand-in>/{name}.sdf", diagnostics)
    return None if root is None else root.children[0].detach()


_LEFT_OUT = "the include is left out"
"""The leniency for an include whose file cannot be read."""
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
    expand(root, context, composition)
    return composition


def expand(root: Node, context: Context, composition: Composition) -> None:
    """Upgrade a document and replace every ``<include>`` in it, in place.

    Args:
        root: The root element.
        context: The context of the load.
        composition: The composition, to which the results are added.
    """
    composition.versions[root.file] = upgrade(root)
    _expand_includes(root, context, composition)


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
        for element in (
            _include(child, parent, context, composition) if child.tag == "include" else (child,)
        ):
            element.parent = parent
            parent.children.append(element)


def _include(include: Node, parent: Node, context: Context, composition: Composition) -> list[Node]:
    """Return the elements that replace an ``<include>``."""
    uri = include.word("uri", "")
    if not uri:
        include.report(codes.INCLUDE_NO_URI)
        return [_missing_model(include)] if parent.tag in _PARENTS else []
    element = _find_element(uri, include, context, composition)
    if element is None:
        return [_missing_model(include)] if parent.tag in _PARENTS else []
    _apply_overrides(include, element)
    merged = include.flag("@merge", False)
    elements = (
        merge(include, element, parent, composition.interface_models) if merged else [element]
    )
    include.report_unread()
    return elements


# --- included files -------------------------------------------------------------------------------


def _find_element(
    uri: str, include: Node, context: Context, composition: Composition
) -> Node | None:
    """Return a new copy of the element that an ``<include>`` names; None after a diagnostic."""
    location = context.resources.search(uri, Path(include.file).parent, include)
    if not isinstance(location, Failure):
        resources, base = context.resources, Path(include.file).parent
        with context.diagnostics.tolerating(_LEFT_OUT):
            path = model_file(
                location,
                include,
                unsafe_paths=resources.unsafe_paths,
                allows=lambda file: resources.allows(file, base),
            )
        return None if path is None else _load_element(path, include, context, composition)
    code = location.at_include(codes.INCLUDE_NOT_FOUND)
    is_missing = code.name == codes.INCLUDE_NOT_FOUND.name
    stand_in = parse_stand_in(uri, include.diagnostics) if is_missing else None
    if stand_in is not None:
        code = code.variant(f"{code.message}; a stand-in takes its place", fate=Fate.APPROXIMATED)
    include.report(code, hint=location.hint, leniency="{uri!r} is left out", **location.arguments)
    return stand_in


def _missing_model(include: Node) -> Node:
    """Return the placeholder of an include that failed, so that nothing is reported that only
    follows from this.
    """
    merged = include.attributes.get("merge", "").strip() in {"true", "1"}
    name = "" if merged else getattr(include.peek("name"), "text", "").strip()
    mark_read(include)
    attributes = {"name": name}
    return Node(
        MISSING_MODEL,
        attributes,
        file=include.file,
        line=include.line,
        diagnostics=include.diagnostics,
    )


def _load_element(
    path: Path, include: Node, context: Context, composition: Composition
) -> Node | None:
    """Return a new copy of the element of a file; None after a diagnostic."""
    real = Path(real_path(path))
    if not _check_depth(real, include, context):
        return None
    if real not in composition.files:
        composition.files[real] = _read_file(path, include, context, composition)
    element = composition.files[real]
    return None if element is None else _copy(element, include, composition)


def _check_depth(real: Path, include: Node, context: Context) -> bool:
    """Report files that include each other, or too deep; return whether the file can be
    included.
    """
    files = tuple(file.name for file in (*context.including, real))
    if real in context.including:
        include.report(codes.INCLUDE_CYCLE, files=files)
        return False
    if len(context.including) >= MAX_INCLUDE_DEPTH:
        include.report(codes.INCLUDE_CYCLE_TOO_DEEP, limit=MAX_INCLUDE_DEPTH, files=files)
        return False
    return True


def _copy(element: Node, include: Node, composition: Composition) -> Node | None:
    originals = list(element.walk())
    scenes = [
        composition.interface_models[node].scene
        for node in originals
        if node.tag == INTERFACE_MODEL
    ]
    include.diagnostics.spend("elements", len(originals) + sum(map(element_count, scenes)))
    copy = element.copy()
    for original, copied in zip(originals, copy.walk(), strict=True):
        if original.tag == INTERFACE_MODEL:
            composition.interface_models[copied] = composition.interface_models[original]
    return copy


def _read_file(
    path: Path, include: Node, context: Context, composition: Composition
) -> Node | None:
    root = None
    if path.suffix.lower() not in {".yaml", ".yml"}:
        with context.diagnostics.tolerating(_LEFT_OUT):
            data = read_bytes(path, context.diagnostics)
            root = None if data is None else parse(data, str(path), context.diagnostics)
        if root is None:
            return None
    if root is None or root.tag not in _ROOTS:
        return _read_interface_model(path, context, composition)
    composition.versions[root.file] = upgrade(root)
    _expand_includes(root, context.inside(Path(real_path(path))), composition)
    return _includable_element(root, include)


def _includable_element(root: Node, include: Node) -> Node | None:
    elements = [child for tag in _INCLUDABLE for child in root.children if child.tag == tag]
    if not elements:
        include.report(codes.INCLUDE_EMPTY, file=root.file)
        return None
    for extra in elements[1:]:
        extra.report(codes.EXTRA_ELEMENT, used=elements[0].tag, tag=extra.tag)
    root.children = [child for child in root.children if child not in elements]
    root.mark("@version")
    root.report_unread()
    return elements[0]


def _read_interface_model(path: Path, context: Context, composition: Composition) -> Node | None:
    """Return a ``<model>`` with the placeholder for the scene of a file of another format."""
    first_finding = len(context.diagnostics)
    with context.diagnostics.tolerating(_LEFT_OUT):
        scene = context.read_file(path, context)
    found = list(context.diagnostics)[first_finding:]
    if scene is None or any(
        entry.fate is Fate.SKIPPED and entry.leniency == _LEFT_OUT for entry in found
    ):
        return None
    findings = range(first_finding, len(context.diagnostics))
    return interface_model(scene, findings, str(path), composition, context.diagnostics)


def interface_model(
    scene: Scene, findings: range, path: str, composition: Composition, diagnostics: Diagnostics
) -> Node:
    """Return a ``<model>`` with the placeholder for a scene, which is added to the composition.

    Args:
        scene: The scene.
        findings: Indices of the findings about the file of the scene.
        path: That file.
        composition: The composition of the file that includes it.
        diagnostics: Record to which the nodes report.
    """
    root = root_model(scene)
    where = Where(path, 1) if root is None else root.where
    attributes = {"name": scene.name}
    model = Node(
        "model", attributes, file=where.file or path, line=where.line, diagnostics=diagnostics
    )
    if root is not None:
        x, y, z, qw, qx, qy, qz = root.X_WM.to_vector()
        model.add(
            "pose", f"{x!r} {y!r} {z!r} {qx!r} {qy!r} {qz!r} {qw!r}", rotation_format="quat_xyzw"
        )
        model.attributes.update(
            {"canonical_link": root.canonical_link} if root.canonical_link else {}
        )
        model.add("static", "true" if root.static else "false")
    placeholder = model.add(INTERFACE_MODEL, relative_to=MODEL_FRAME)
    composition.interface_models[placeholder] = InterfaceModel(scene, findings)
    return model


# --- overrides ------------------------------------------------------------------------------------


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
            element.report(codes.NO_NAME_INCLUDED, tag=element.tag)
        if value:
            element.attributes[key] = value


def _override_placement_frame(include: Node, element: Node) -> None:
    placement_frame = include.word("placement_frame", "")
    if not placement_frame:
        return
    element.attributes["placement_frame"] = placement_frame
    if not include.has("pose"):
        include.report(codes.PLACEMENT_WITHOUT_POSE)


def _replace_child(element: Node, child: Node) -> None:
    """Replace all children of an element that have the tag of ``child`` by a copy of it."""
    element.children = [other for other in element.children if other.tag != child.tag]
    element.append(child.copy())
    mark_read(child)


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
