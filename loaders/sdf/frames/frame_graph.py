"""The vertices of the frame graphs: every link, joint, frame and model of a composed file, by scope.

A scope is the world or a model. Its members are vertices, which `solve` connects to the two graphs of the
specification. A reference ``a::b::c`` goes down through nested models, never up or sideways.

Source: http://sdformat.org/tutorials?tut=pose_frame_semantics_proposal. Scope, implicit frame, interface model,
attached-to graph and relative-to graph are libsdformat's terms.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from enum import Enum

from loaders.diagnostics import Where
from loaders.model import WORLD
from loaders.node import Node
from loaders.safety.suggestions import suggestion
from loaders.scene import Scene
from loaders.scene_queries.scoped_names import SEPARATOR, root_model
from loaders.spatial import IDENTITY, Pose

from .poses import read_pose

MODEL_FRAME = "__model__"
"""Name of the implicit frame of a model inside its own scope."""
# Parentheses cannot occur in XML names, so that no file can contain the next three.
INTERFACE_MODEL = "(interface_model)"
"""Tag of the placeholder for the elements that an included file of another format adds to a scope."""
MISSING_MODEL = "(missing_model)"
"""Tag of the placeholder for an include that failed; its name is empty if its elements may have any name."""
PLACEMENT_FRAME = "(placement_frame)"
"""Attribute, on the frame that replaces a merged model, with the name of the include's placement frame."""


class VertexKind(Enum):
    """The kinds of elements that are vertices of the frame graphs."""

    WORLD = "world"
    MODEL = "model"
    LINK = "link"
    JOINT = "joint"
    FRAME = "frame"


_KINDS = {kind.value: kind for kind in VertexKind}


@dataclass(slots=True, eq=False)
class FrameVertex:
    """One frame V: its references and pose as written and, once the graphs are solved, as resolved.

    R is the frame that the pose of V is relative to.
    """

    kind: VertexKind
    name: str
    """Scoped name, as in the scene."""
    node: Node
    scope: Scope
    """The scope in which the references of V are looked up; for the outermost vertex, the scope that it opens."""
    inner_scope: Scope | None = None
    """The scope whose implicit frame V is; None unless V is a model or the world."""
    relative_to: str = ""
    """Name of R as written; empty for the default."""
    attached_to: str = ""
    """Name that a frame is attached to, or that of a joint's child, as written."""
    placement_frame: str = ""
    """Name of the frame that the pose places instead of V itself; empty for V."""
    X_RV: Pose = IDENTITY
    """Pose as written."""
    relative_to_vertex: FrameVertex | None = None
    """R: the next vertex of the pose relative-to graph; None is the world."""
    attached_to_vertex: FrameVertex | None = None
    """The next vertex of the frame attached-to graph; once solved, the last one: a link, static model or the world."""
    X_WV: Pose = IDENTITY
    """Pose in the world; valid once the graphs are solved."""

    @property
    def where(self) -> Where:
        """Place of the element."""
        scope = self.scope
        if self.node.parent is not scope.node:
            return self.node.where
        if scope.where is None:
            scope.where = scope.node.where
        return self.node.where_in(scope.where)

    @property
    def is_outermost(self) -> bool:
        """True for the vertex of the outermost model or of the world."""
        return self.inner_scope is self.scope


@dataclass(slots=True, eq=False)
class Scope:
    """A name space: the world or a model."""

    node: Node
    name: str
    """Name of the model in the scene, or of the world."""
    prefix: str
    """Prefix of the names of the members in the scene: empty or ``a::b::``."""
    origin: FrameVertex = field(init=False)
    """The implicit frame of the model or the world."""
    static: bool = False
    members: dict[str, FrameVertex] = field(default_factory=dict)
    """Vertices by their names within the scope."""
    nested: dict[str, Scope] = field(default_factory=dict)
    """Scopes of the nested models by their names within the scope."""
    interface_origins: list[FrameVertex] = field(default_factory=list)
    """The origins of interface models (see `INTERFACE_MODEL`) whose elements are members of this scope."""
    missing: frozenset[str] = frozenset()
    """Names of the nested models whose include failed; an empty one stands for any name."""
    canonical_link: FrameVertex | None = None
    """The canonical link; valid once the graphs are solved."""
    where: Where | None = None
    """Place of the element, once it was asked for."""

    @property
    def implicit_frame(self) -> str:
        """Name of the implicit frame inside the scope: ``world`` or ``__model__``."""
        return WORLD if self.origin.kind is VertexKind.WORLD else MODEL_FRAME

    @property
    def is_nested(self) -> bool:
        """True for a model inside another model."""
        parent = self.origin.scope
        return parent is not self and parent.origin.kind is VertexKind.MODEL

    def find(self, reference: str) -> FrameVertex | None:
        """Return the vertex with this name in the scope or below; None if it is unknown."""
        scope, name = self, reference
        while True:
            if name in scope.members:
                return scope.members[name]
            if name == scope.implicit_frame:
                return scope.origin
            step = scope._enter_nested(name)
            if step is None:
                return None
            scope, name = step

    def _enter_nested(self, reference: str) -> tuple[Scope, str] | None:
        """Return the nested scope that a reference enters, and the rest of it.

        Names in old files may themselves contain ``::``, so each separator is tried.
        """
        at, longest = reference.find(SEPARATOR), max(map(len, self.nested), default=0)
        while 0 <= at <= longest:
            nested = self.nested.get(reference[:at])
            if nested is not None:
                return nested, reference[at + 2 :]
            at = reference.find(SEPARATOR, at + 2)
        return None

    def misses(self, reference: str) -> bool:
        """Return whether an unknown name may be one that an include would have added, had it not failed."""
        scope, name = self, reference
        while True:
            if "" in scope.missing or name.partition(SEPARATOR)[0] in scope.missing:
                return True
            step = scope._enter_nested(name)
            if step is None:
                return False
            scope, name = step

    def suggestion(self, reference: str, without: str = "") -> str:
        """Return a hint with the member whose name is closest to an unknown one; empty if none is close.

        Args:
            reference: The unknown name.
            without: Name of the member that has the reference, which cannot be meant.
        """
        return suggestion(reference, (name for name in self.members if name != without), cutoff=0.7)


@dataclass(frozen=True, slots=True, eq=False)
class InterfaceModel:
    """An included file of another format."""

    scene: Scene
    findings: range
    """Indices of the diagnostics that were recorded while the file was read."""


@dataclass(slots=True, eq=False)
class FrameGraph:
    """All scopes and vertices of one composed file, outer ones first, in document order."""

    outermost: Scope
    interface_models: dict[Node, InterfaceModel]
    """Included files of other formats, by their placeholder."""
    scopes: list[Scope] = field(default_factory=list)
    vertices: list[FrameVertex] = field(default_factory=list)

    def free(self) -> None:
        """Break the reference cycles of a graph that nobody needs any more, so that it is freed at once."""
        for scope in self.scopes:
            del scope.origin
            scope.canonical_link = None
            scope.members, scope.nested, scope.interface_origins = {}, {}, []
        for vertex in self.vertices:
            vertex.inner_scope = vertex.relative_to_vertex = vertex.attached_to_vertex = None


def build_frame_graph(body: Node, interface_models: dict[Node, InterfaceModel]) -> FrameGraph:
    """Create the scopes and vertices of a ``<world>`` or of a root ``<model>``; `solve` connects them."""
    graph = FrameGraph(_open_outermost(body), interface_models)
    pending = [graph.outermost]
    while pending:
        scope = pending.pop()
        graph.scopes.append(scope)
        graph.vertices.append(scope.origin)
        pending.extend(reversed(_add_members(scope, graph)))
    return graph


def _open_outermost(body: Node) -> Scope:
    name = body.word("@name", "")
    scope = Scope(body, name, "")
    if body.tag == "world":
        origin = FrameVertex(VertexKind.WORLD, WORLD, body, scope)
    else:
        relative_to, X_RV = read_pose(body)
        origin = FrameVertex(VertexKind.MODEL, name, body, scope, X_RV=X_RV)
        origin.placement_frame = body.word("@placement_frame", "")
        if relative_to:
            body.invalid(
                "sdf.root-relative-to",
                "the pose of the outermost model {model} cannot be relative to {frame!r}",
                hint="remove relative_to",
                model=name,
                frame=relative_to,
            )
    _open_scope(scope, origin)
    return scope


def _open_scope(scope: Scope, origin: FrameVertex) -> None:
    """Make a vertex the origin of a scope. A model inside a static model is static."""
    scope.origin, origin.inner_scope = origin, scope
    declared = origin.kind is VertexKind.MODEL and origin.node.flag("static", False)
    scope.static = declared or (not origin.is_outermost and origin.scope.static)


def _add_members(scope: Scope, graph: FrameGraph) -> list[Scope]:
    """Add the members of a scope; return the scopes of its nested models."""
    opened, text = [], 0
    scope.missing = frozenset(node.word("@name", "") for node in scope.node.all(MISSING_MODEL))
    for node in scope.node.all("link", "joint", "frame", "model", INTERFACE_MODEL):
        if node.tag == INTERFACE_MODEL:
            _add_interface_model(scope, node, graph)
            continue
        name = node.word("@name", "")
        vertex = _create_vertex(node, name, scope)
        text += len(vertex.name)
        scope.members.setdefault(name, vertex)
        if vertex.kind is VertexKind.MODEL:
            nested = Scope(node, _model_name(vertex.name, graph), vertex.name + SEPARATOR)
            _open_scope(nested, vertex)
            scope.nested.setdefault(name, nested)
            opened.append(nested)
        else:
            graph.vertices.append(vertex)
    scope.node.diagnostics.spend("text", text)
    return opened


def _model_name(scoped: str, graph: FrameGraph) -> str:
    """Return the name of a nested model in the scene.

    A nested model with the name of the outermost one keeps the outermost name as prefix, so that names are unique.
    """
    outermost = graph.outermost
    clash = outermost.origin.kind is VertexKind.MODEL and scoped == outermost.name
    return f"{outermost.name}{SEPARATOR}{scoped}" if clash else scoped


def _create_vertex(node: Node, name: str, scope: Scope) -> FrameVertex:
    relative_to, X_RV = read_pose(node)
    vertex = FrameVertex(_KINDS[node.tag], scope.prefix + name, node, scope)
    vertex.relative_to, vertex.X_RV = relative_to, X_RV
    if vertex.kind is VertexKind.JOINT:
        vertex.attached_to = node.word("child")
    elif vertex.kind is VertexKind.FRAME:
        vertex.attached_to = node.word("@attached_to", "")
        vertex.placement_frame = node.word("@" + PLACEMENT_FRAME, "")
    elif vertex.kind is VertexKind.MODEL:
        vertex.placement_frame = node.word("@placement_frame", "")
    return vertex


# --- interface models ------------------------------------------------------------------------------------------------


def _add_interface_model(scope: Scope, node: Node, graph: FrameGraph) -> None:
    """Add a vertex for each named element of an interface model, with a fixed pose relative to its origin."""
    scene = graph.interface_models[node].scene
    origin = FrameVertex(VertexKind.FRAME, scope.prefix, node, scope, relative_to=node.word("@relative_to"))
    scope.interface_origins.append(origin)
    graph.vertices.append(origin)
    for kind, name, X_MV, link in _interface_elements(scene):
        vertex = FrameVertex(kind, scope.prefix + name, node, scope, relative_to_vertex=origin, X_RV=X_MV)
        vertex.attached_to_vertex = scope.members.get(link)
        scope.members.setdefault(name, vertex)
        graph.vertices.append(vertex)
    root = root_model(scene)
    origin.attached_to_vertex = scope.members.get(root.canonical_link or "") if root is not None else None


def _interface_elements(scene: Scene) -> Iterator[tuple[VertexKind, str, Pose, str]]:
    """Yield kind, name, pose in the model's frame and link of each named element of a scene; links come first."""
    root = root_model(scene)
    X_ML = {WORLD: IDENTITY if root is None else root.X_WM.inverse()}
    for link in scene.links:
        X_ML[link.name] = X_ML[WORLD] @ link.X_WL
        yield VertexKind.LINK, link.name, X_ML[link.name], ""
    for joint in scene.joints:
        yield VertexKind.JOINT, joint.name, X_ML[joint.child] @ joint.X_CJ, joint.child
    for frame in scene.frames:
        yield VertexKind.FRAME, frame.name, X_ML[frame.link] @ frame.X_LF, frame.link
    for model in scene.models:
        if model is not root:
            yield VertexKind.FRAME, model.name, X_ML[WORLD] @ model.X_WM, model.canonical_link or ""
