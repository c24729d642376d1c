"""The SDFormat reader: from a document to a scene, and the rules for names of the version that the
file was written in.
"""

from __future__ import annotations

import dataclasses
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from loaders.collision_pairs import has_bitmasks
from loaders.context import Context
from loaders.deferred import Deferred
from loaders.diagnostics import Diagnostics
from loaders.drake.constraint import ELEMENTS, read_model
from loaders.drake.dialect import SDF
from loaders.drake.joint import canonicalize_sdf, read_mimic, read_sdf_actuator, read_sdf_joints
from loaders.drake.link import states_friction
from loaders.engine_settings import Conventions, conventions_of
from loaders.finish.transform import ITEMS, attach_joints, merge, place
from loaders.gazebo.items import AddedItems, merged, with_followers, with_forces_and_sensors
from loaders.model import WORLD, Actuator, Coupling, Frame, Joint, Model, by_name
from loaders.node import Node, detach_all
from loaders.pose import Pose
from loaders.scene import Scene
from loaders.scoped_names import SEPARATOR, renaming, root_model, unused_name
from loaders.sdf import codes
from loaders.sdf.frame import (
    INTERFACE_MODEL,
    FrameGraph,
    FrameVertex,
    InterfaceModel,
    Scope,
    VertexKind,
    attached_link,
    build_frame_graph,
    read_pose,
    solve,
)
from loaders.sdf.include import Composition, compose, expand, interface_model
from loaders.sdf.joint import read_couplings, read_joint
from loaders.sdf.link import read_link, read_link_lights
from loaders.sdf.unmodeled import mark_read, report_ignored
from loaders.sdf.upgrade import NEWEST, Version
from loaders.sdf.world import IGNORED_IN_WORLD, apply_state, populate, read_light, read_world

_read_plugins: Callable[..., None] = Deferred("loaders.gazebo.plugins:read_plugins")


@dataclass(frozen=True, slots=True)
class ScopeNames:
    """The names that an extension in a model may refer to; a `NameResolver`."""

    scope: Scope
    joints: Mapping[str, Joint]

    @property
    def model(self) -> str:
        """Name of the model."""
        return self.scope.name

    @property
    def prefix(self) -> str:
        """Prefix of the names of the model's elements in the scene."""
        return self.scope.prefix

    def link(self, name: str) -> str | None:
        """Return the scoped name of a link of this model or a nested one; None if it is unknown."""
        vertex = self.scope.find(name)
        return vertex.name if vertex is not None and vertex.kind is VertexKind.LINK else None

    def frame(self, name: str) -> tuple[str, Pose] | None:
        """Return the link that a frame F is attached to, and ``X_LF``; None if the frame is
        unknown.
        """
        vertex = self.scope.find(name)
        if vertex is None:
            return None
        link = attached_link(vertex)
        return (
            (WORLD, vertex.X_WV) if link is None else (link.name, link.X_WV.inverse() @ vertex.X_WV)
        )

    def joint(self, name: str) -> Joint | None:
        """Return a joint of this model or a nested one; None if it is unknown."""
        vertex = self.scope.find(name)
        return self.joints.get(self.scope.prefix + name if vertex is None else vertex.name)


def with_extensions(scene: Scene, graph: FrameGraph) -> Scene:
    """Return the scene with the joints, couplings, actuators and other items of Drake and of
    Gazebo's plugins.
    """
    joints = by_name(scene.joints)
    models = [scope for scope in graph.scopes if scope.origin.kind is VertexKind.MODEL]
    drake_joints = [
        joint
        for scope in models
        for joint in read_sdf_joints(scope.node, ScopeNames(scope, joints))
    ]
    scene = attach_joints(scene, drake_joints)
    joints |= by_name(drake_joints)
    names = {id(scope): ScopeNames(scope, joints) for scope in graph.scopes}
    parts = [
        read_model(scope.node, names[id(scope)], SDF)
        for scope in models
        if not scope.node.lacks(ELEMENTS)
    ]
    scene = merge(scene, *parts) if parts else scene
    vertices = list(_joint_vertices(graph, joints))
    extras = AddedItems(scene)
    for scope in graph.scopes:
        if scope.node.peek("plugin") is not None:
            _read_plugins(scope.node, names[id(scope)], extras, codes.PLUGIN_NAMED)
    return dataclasses.replace(
        with_forces_and_sensors(scene, extras),
        couplings=with_followers(
            scene.couplings + tuple(_couplings(vertices, names, joints)), extras
        ),
        actuators=merged(tuple(_actuators(vertices, joints)) + scene.actuators, extras),
    )


def _joint_vertices(graph: FrameGraph, joints: Mapping[str, Joint]) -> Iterator[FrameVertex]:
    """Yield the vertices of the ``<joint>`` elements that were read without an error."""
    for vertex in graph.vertices:
        if vertex.node.tag == "joint" and vertex.name in joints:
            yield vertex


def _couplings(
    vertices: list[FrameVertex], names: Mapping[int, ScopeNames], joints: Mapping[str, Joint]
) -> Iterator[Coupling]:
    for vertex in vertices:
        coupling = read_mimic(vertex.node, joints[vertex.name], names[id(vertex.scope)])
        if coupling is not None:
            yield coupling


def _actuators(vertices: list[FrameVertex], joints: Mapping[str, Joint]) -> Iterator[Actuator]:
    """Yield the actuator of each joint for which Drake creates one; joints of static models have
    none.
    """
    for vertex in vertices:
        if not vertex.scope.static:
            actuator = read_sdf_actuator(vertex.node, joints[vertex.name])
            if actuator is not None:
                yield actuator


_IGNORED_IN_MODEL = {
    "gripper": codes.GRIPPER,
    "model_state": codes.STATE_IGNORED,
    "state": codes.STATE_IGNORED,
}


def assemble_scene(graph: FrameGraph, context: Context) -> Scene:
    """Read the elements of all vertices of a solved graph, and add the scenes of its interface
    models.
    """
    scene = _with_items(_base_scene(graph), graph, context)
    interface_scenes = [
        _place_interface_scene(graph.interface_models[origin.node].scene, origin, scope)
        for scope in graph.scopes
        for origin in scope.interface_origins
    ]
    _rename_subjects(graph, context.diagnostics)
    scene = with_extensions(merge(scene, *interface_scenes) if interface_scenes else scene, graph)
    links = (vertex.node for vertex in _vertices_of_kind(graph, VertexKind.LINK))
    scene = dataclasses.replace(
        scene,
        collision_policy=_collision_policy(scene, graph),
        friction_rule="harmonic" if any(map(states_friction, links)) else None,
    )
    return (
        apply_state(scene, graph.outermost.node) if graph.outermost.node.tag == "world" else scene
    )


def _collision_policy(scene: Scene, graph: FrameGraph) -> str | None:
    """Return the rule for pairs of links: Drake's beside its filter groups, SDFormat's if the file
    states any part of it and is for no engine with a rule of its own.
    """
    if conventions_of(scene.physics) != Conventions():
        return None
    if scene.filter_groups:
        return "drake"
    nodes = [scope.node for scope in graph.scopes]
    nodes += [vertex.node for vertex in _vertices_of_kind(graph, VertexKind.LINK)]
    states_rule = any(node.has("self_collide") for node in nodes)
    return "sdformat" if states_rule or has_bitmasks(scene) else None


def _base_scene(graph: FrameGraph) -> Scene:
    """Return the scene of a world without its models, or the empty scene of a model."""
    outermost = graph.outermost
    return (
        read_world(outermost)
        if outermost.origin.kind is VertexKind.WORLD
        else Scene(name=outermost.name)
    )


def _with_items(base: Scene, graph: FrameGraph, context: Context) -> Scene:
    """Return ``base`` with the models, links, joints, frames, lights and couplings of the SDFormat
    elements.
    """
    links = _vertices_of_kind(graph, VertexKind.LINK)
    vertices = _vertices_of_kind(graph, VertexKind.JOINT)
    joints = tuple(_read_joints(vertices))
    left_out = {vertex.name for vertex in vertices} - {joint.name for joint in joints}
    couplings = (coupling for vertex in vertices for coupling in read_couplings(vertex))
    return dataclasses.replace(
        base,
        models=tuple(
            _read_model(scope) for scope in graph.scopes if scope.origin.kind is VertexKind.MODEL
        ),
        links=tuple(read_link(vertex, context) for vertex in links),
        joints=joints,
        frames=tuple(_read_frame(vertex) for vertex in _vertices_of_kind(graph, VertexKind.FRAME)),
        lights=base.lights + tuple(light for vertex in links for light in read_link_lights(vertex)),
        couplings=tuple(
            coupling
            for coupling in couplings
            if not {coupling.follower, coupling.leader} & left_out
        ),
    )


def _vertices_of_kind(graph: FrameGraph, kind: VertexKind) -> list[FrameVertex]:
    """Return the vertices of one kind, without those of interface models."""
    return [
        vertex
        for vertex in graph.vertices
        if vertex.kind is kind and vertex.node.tag != INTERFACE_MODEL
    ]


def _read_joints(vertices: list[FrameVertex]) -> Iterator[Joint]:
    for vertex in vertices:
        joint = read_joint(vertex)
        if joint is not None:
            yield joint


def _read_model(scope: Scope) -> Model:
    node = scope.node
    report_ignored(node, _IGNORED_IN_MODEL)
    node.mark("@namespace")
    return Model(
        name=scope.name,
        X_WM=scope.origin.X_WV,
        canonical_link=None if scope.canonical_link is None else scope.canonical_link.name,
        static=scope.static,
        self_collide=node.flag("self_collide", False),
        allow_auto_disable=node.flag("allow_auto_disable", True),
        enable_wind=node.flag("enable_wind", False),
        placement_frame=node.maybe_word("@placement_frame") or None,
        where=node.where,
    )


def _read_frame(vertex: FrameVertex) -> Frame:
    link = attached_link(vertex)
    return Frame(
        name=vertex.name,
        link=WORLD if link is None else link.name,
        X_LF=vertex.X_WV if link is None else link.X_WV.inverse() @ vertex.X_WV,
        where=vertex.node.where,
    )


# --- interface models -----------------------------------------------------------------------------


def _place_interface_scene(scene: Scene, origin: FrameVertex, scope: Scope) -> Scene:
    """Return the scene of an interface model at its pose in the world.

    The root model of the scene is left out, because the scope itself is that model; its links
    belong to the scope.
    """
    placed = place(scene, scope.prefix.removesuffix(SEPARATOR), origin.X_WV)
    has_root = root_model(scene) is not None
    root_names = {placed.models[0].name} if has_root else set()
    return dataclasses.replace(
        placed,
        models=tuple(
            dataclasses.replace(model, static=scope.static or model.static)
            for model in placed.models[1 if has_root else 0 :]
        ),
        links=tuple(
            dataclasses.replace(link, model=scope.name) if link.model in root_names else link
            for link in placed.links
        ),
    )


def _rename_subjects(graph: FrameGraph, diagnostics: Diagnostics) -> None:
    """Rename the subjects of the diagnostics of interface models as their elements are named in
    this scene.
    """
    scopes: dict[InterfaceModel, list[Scope]] = {}
    for scope in graph.scopes:
        for origin in scope.interface_origins:
            scopes.setdefault(graph.interface_models[origin.node], []).append(scope)
    for model, parents in scopes.items():
        names = [(scope.name, scope.prefix) for scope in parents]
        diagnostics.rename_subjects(model.findings, renaming(model.scene, names))


def read(root: Node, context: Context) -> Scene:
    """Read the document whose root element is ``<sdf>``, or ``<gazebo>`` in old files.

    Problems are reported to ``context.diagnostics``; after an error the returned scene is not
    meaningful.

    Source: the SDFormat specification, http://sdformat.org, with the behavior of libsdformat 17.
    """
    for world in root.all("world"):
        populate(world)
    composition = compose(root, context)
    canonicalize_sdf(root)
    check_names(root, composition.versions)
    body = _main_element(root)
    if body is None:
        scene = Scene(name="")
    elif body.tag in ("world", "model"):
        graph = build_frame_graph(body, composition.interface_models)
        solve(graph)
        scene = assemble_scene(graph, context)
    else:
        scene = _read_single(root, body)
    root.report_unread()
    return scene


_EMBEDDED_VERSION = "1.11"
"""Version of SDFormat in which libsdformat reads the elements of a URDF."""


def with_elements(scene: Scene, elements: Sequence[Node], context: Context) -> Scene:
    """Return the scene of a model with further SDFormat elements of that model, which may refer to
    all that the scene has.

    Args:
        scene: The scene, with one model, whose names have no prefix.
        elements: The elements, such as a ``<joint>``; they are moved out of their document.
        context: The context of the load.
    """
    first = elements[0]
    root = Node(
        "sdf",
        {"version": _EMBEDDED_VERSION},
        file=first.file,
        line=first.line,
        diagnostics=context.diagnostics,
    )
    composition = Composition()
    nothing_found = range(0)
    model = root.append(
        interface_model(scene, nothing_found, first.file, composition, context.diagnostics)
    )
    for element in elements:
        model.append(element)
    expand(root, context, composition)
    canonicalize_sdf(root)
    check_names(root, composition.versions)
    graph = build_frame_graph(model, composition.interface_models)
    solve(graph)
    result = assemble_scene(graph, context)
    root.mark("@version", "model")
    root.report_unread()
    items: dict[str, Any] = {key: getattr(result, key) for key in ITEMS}
    items["models"] = (*scene.models, *result.models[1:])
    items["actuators"] = scene.actuators  # Drake, which drives every joint, reads no such elements
    for key in ("links", "joints", "frames"):
        known = by_name(getattr(scene, key))
        items[key] = (
            *(item for item in items[key] if item.name in known),
            *(item for item in items[key] if item.name not in known),
        )
    return dataclasses.replace(scene, **items)


def _main_element(root: Node) -> Node | None:
    """Return the first world, else the first model, light or actor; report all others."""
    root.mark("@version")
    elements = [child for tag in ("world", "model", "light", "actor") for child in root.all(tag)]
    if not elements:
        root.report(codes.EMPTY)
        return None
    for extra in elements[1:]:
        extra.report(codes.EXTRA_ELEMENT_OF_MAIN_FILE, used=elements[0].tag, tag=extra.tag)
        mark_read(extra)
    return elements[0]


def _read_single(root: Node, body: Node) -> Scene:
    """Return the scene of a file that contains only a light or an actor."""
    if body.tag == "actor":
        report_ignored(root, {"actor": IGNORED_IN_WORLD["actor"]})
        return Scene(name=body.attributes.get("name", ""))
    light = read_light(body, body.word("@name", ""), WORLD, read_pose(body)[1])
    return Scene(name=light.name, lights=(light,))


_NO_SEPARATORS = (1, 8)
"""First version that does not allow ``::`` in names."""
_UNIQUE_SIBLINGS = (1, 7)
"""First version in which siblings of different kinds, such as a link and a joint, cannot share a
name."""

_IN_WORLD = ("model", "joint", "frame", "light", "physics")
"""Named children of a world, in the order in which their names are checked."""
_IN_MODEL = frozenset({"link", "model", "joint", "frame"})
"""Kinds of elements that share one name space."""
_IN_LINK = ("collision", "visual", "light", "sensor", "projector", "particle_emitter")
_NAMED_CHILDREN = {
    "sdf": ("world", "model", "light"),
    "world": _IN_WORLD,
    "model": tuple(_IN_MODEL),
    "link": _IN_LINK,
    "joint": ("sensor",),
}
_OPTIONAL = frozenset({"physics"})
"""Elements whose name may be missing."""
_RENAMED = frozenset({"link", "joint", "frame"})
"""Elements of old files that are renamed if their name is in use."""


@dataclass(slots=True)
class ChildNames:
    """The names of the children of one element."""

    nodes: dict[tuple[str, str], Node] = field(default_factory=dict)
    """Elements by name space and name."""
    attempts: dict[str, dict[str, int]] = field(default_factory=lambda: defaultdict(dict))
    """Numbers of attempts, as in `unused_name`, by name space."""
    unused: list[Node] = field(default_factory=list)
    """Elements that are left out because of their names."""


def check_names(root: Node, versions: Mapping[str, Version]) -> None:
    """Report names that are missing, reserved, duplicate or scoped; before 1.7, rename elements
    whose names clash.

    Args:
        root: The composed ``<sdf>``; names in it are changed in place.
        versions: The version that each file was written in, by path.
    """
    main_version = versions[root.file]
    for parent in _parents(root):
        names = ChildNames()
        for node in _named_children(parent):
            version = versions.get(node.file, NEWEST)
            _check_name(node, version, max(version, main_version), names)
        detach_all(names.unused)


def _named_children(parent: Node) -> list[Node]:
    children = [child for child in parent.children if child.tag in _NAMED_CHILDREN[parent.tag]]
    if parent.tag == "world":
        children.sort(key=lambda child: _IN_WORLD.index(child.tag))
    return children


def _parents(root: Node) -> Iterator[Node]:
    pending = [root]
    while pending:
        node = pending.pop()
        yield node
        pending.extend([child for child in reversed(node.children) if child.tag in _NAMED_CHILDREN])


def _check_name(node: Node, version: Version, newest: Version, names: ChildNames) -> None:
    """Check one name; ``newest`` is the newest version of its file and the main file."""
    name = node.attributes.get("name", "").strip()
    if not name:
        if node.tag not in _OPTIONAL:
            node.report(codes.NO_NAME, tag=node.tag)
            if node.diagnostics.lenient:
                node.attributes["name"] = _unused_name(node.tag, names, _space(node))
                names.nodes[(_space(node), node.attributes["name"])] = node
        return
    if _is_world(node, name):
        if node.diagnostics.lenient:
            names.unused.append(node)
        return
    if _is_reserved(name):
        name = _replace_reserved_name(node, name, names)
    if SEPARATOR in name and newest >= _NO_SEPARATORS:
        node.report(codes.SCOPED_NAME, name=name, version="{}.{}".format(*newest))
    _check_unique(node, name, version, names)


def _space(node: Node) -> str:
    """Return the name space of an element: kinds of elements that share names have one."""
    return "" if node.tag in _IN_MODEL else node.tag


def _replace_reserved_name(node: Node, name: str, names: ChildNames) -> str:
    """Report a reserved name; return the name that lenient loading gives the element instead."""
    is_referred_to = name != WORLD or node.tag == "link"
    node.report(
        codes.RESERVED_NAME_RENAMED if is_referred_to else codes.RESERVED_NAME_OF_WORLD, name=name
    )
    if not node.diagnostics.lenient:
        return name
    new_name = _unused_name(f"{name.strip('_')}_{node.tag}", names, _space(node))
    if is_referred_to:
        _redirect_references(node, name, new_name)
    node.attributes["name"] = new_name
    return new_name


def _is_world(node: Node, name: str) -> bool:
    """Return whether an element is an empty link called ``world``, as in URDF; report it."""
    if name != WORLD or node.tag != "link" or node.children:
        return False
    node.report(codes.RESERVED_NAME, name=name)
    return True


def _redirect_references(node: Node, old: str, new: str) -> None:
    """Let the siblings of an element refer to it by its new name."""
    for sibling in [] if node.parent is None else node.parent.children:
        for element in sibling.walk():
            if element.tag in {"parent", "child"} and element.text.strip() == old:
                element.text = new
            for key in _REFERENCES:
                if element.attributes.get(key, "").strip() == old:
                    element.attributes[key] = new


_REFERENCES = ("relative_to", "attached_to", "expressed_in", "canonical_link", "placement_frame")
"""Attributes that refer to a link, joint, frame or model."""


def _is_reserved(name: str) -> bool:
    return name == WORLD or (len(name) >= 4 and name.startswith("__") and name.endswith("__"))


def _check_unique(node: Node, name: str, version: Version, names: ChildNames) -> None:
    first = names.nodes.setdefault((_space(node), name), node)
    if first is node:
        return
    if first.tag == node.tag or version >= _UNIQUE_SIBLINGS or node.tag not in _RENAMED:
        is_ambiguous = first.tag == node.tag and node.tag in _RENAMED
        code = codes.DUPLICATE_NAME if is_ambiguous else codes.DUPLICATE_NAME_RENAMED
        node.report(code, name=name, tag=first.tag, line=first.line)
        if node.diagnostics.lenient and not is_ambiguous:
            node.attributes["name"] = _unused_name(f"{name}_{node.tag}", names, _space(node))
            names.nodes[(_space(node), node.attributes["name"])] = node
        return
    _rename(node, name, first, names)


def _rename(node: Node, name: str, first: Node, names: ChildNames) -> None:
    new_name = _unused_name(f"{name}_{node.tag}", names, "")
    old_subjects = node.subjects
    node.attributes["name"] = new_name
    names.nodes[("", new_name)] = node
    node.report(
        codes.NAME_CLASH,
        subjects=(*node.subjects, *old_subjects),
        name=name,
        first_tag=first.tag,
        tag=node.tag,
        new_name=new_name,
    )


def _unused_name(name: str, names: ChildNames, space: str) -> str:
    """Return a name that no element of a name space has: from 0 on, as in libsdformat."""
    return unused_name(
        name,
        lambda name: (space, name) in names.nodes,
        lambda name, attempt: f"{name}{attempt - 1}",
        names.attempts[space],
    )
