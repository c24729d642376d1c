"""The names of a composed file: which scope knows which link, joint, frame and model by which name.

A scope is the world or a model; what it knows are vertices, which `frames` arranges in the two graphs of the
specification. A reference ``a::b::c`` goes down through nested models, never up or sideways.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterator
from dataclasses import dataclass, field
from enum import Enum

from loaders.model import WORLD
from loaders.node import Node
from loaders.scene import Scene
from loaders.scene_queries.scoped_names import SEPARATOR, root_model
from loaders.spatial import IDENTITY, Pose

from .poses import read_pose

MODEL_FRAME = "__model__"
# No file can hold these two: they are no XML names.
CONTENTS = "(contents)"
"""The tag of the stand-in for what an included file of another format puts into a scope."""
PLACEMENT = "(placement_frame)"
"""The attribute, of the frame that stands for a merged model, with the frame that the include places."""

_MAX_NAMES_TO_COMPARE = 500


class VertexKind(Enum):
    """What a vertex stands for."""

    WORLD = "world"
    MODEL = "model"
    LINK = "link"
    JOINT = "joint"
    FRAME = "frame"


@dataclass(slots=True, eq=False)
class FrameVertex:
    """One frame V: where it stands, as written, and once the graphs are solved, as resolved."""

    kind: VertexKind
    name: str
    """Scoped name, as in the scene."""
    node: Node
    scope: Scope
    """Where the names that it refers to are looked up; for the outermost, the one that it opens."""
    opens: Scope | None = None
    """Of a model or the world: the scope whose origin it is."""
    relative_to: str = ""
    attached_to: str = ""
    """Of a frame, as written; of a joint its child."""
    placement: str = ""
    """The frame that ``X_BV`` places instead of V itself."""
    X_BV: Pose = IDENTITY
    """Pose in the frame of ``base``, as written."""
    base: FrameVertex | None = None
    anchor: FrameVertex | None = None
    """What it is fixed to: one step while the graph is built, then the link, static model or world at the end."""
    X_WV: Pose = IDENTITY

    @property
    def is_outermost(self) -> bool:
        """Whether this is the frame of the outermost model, or the world's."""
        return self.opens is self.scope


@dataclass(slots=True, eq=False)
class Scope:
    """A name space: the world or a model."""

    node: Node
    name: str
    """Name of the model in the scene, or the world's."""
    prefix: str
    """What the names of its members start with in the scene: empty or ``a::b::``."""
    origin: FrameVertex = field(init=False)
    """The frame of the model or the world itself."""
    static: bool = False
    members: dict[str, FrameVertex] = field(default_factory=dict)
    inner: dict[str, Scope] = field(default_factory=dict)
    contents: list[FrameVertex] = field(default_factory=list)
    """The origins of scenes that were read from files of another format and belong to this scope itself."""
    canonical: FrameVertex | None = None
    """The canonical link, once solved."""

    @property
    def own_name(self) -> str:
        """How the scope's own frame is called within it."""
        return WORLD if self.origin.kind is VertexKind.WORLD else MODEL_FRAME

    @property
    def is_nested(self) -> bool:
        """Whether this is a model within a model."""
        outer = self.origin.scope
        return outer is not self and outer.origin.kind is VertexKind.MODEL

    def find(self, reference: str) -> FrameVertex | None:
        """The vertex of a name, looked up here and downwards only."""
        scope, rest = self, reference
        while True:
            if rest in scope.members:
                return scope.members[rest]
            if rest == scope.own_name:
                return scope.origin
            parts = scope._split(rest)
            if parts is None:
                return None
            scope, rest = parts

    def _split(self, reference: str) -> tuple[Scope, str] | None:
        """The nested model that a reference goes into, and the rest of it; old names may themselves hold ``::``."""
        at = reference.find(SEPARATOR)
        while at >= 0:
            inner = self.inner.get(reference[:at])
            if inner is not None:
                return inner, reference[at + 2 :]
            at = reference.find(SEPARATOR, at + 2)
        return None

    def suggestion(self, reference: str) -> str:
        """A hint with the known name that is most like an unknown one."""
        if not 0 < len(self.members) <= _MAX_NAMES_TO_COMPARE:
            return ""
        close = difflib.get_close_matches(reference, self.members, n=1, cutoff=0.7)
        return f"did you mean {close[0]}?" if close else ""


@dataclass(slots=True, eq=False)
class FrameGraph:
    """All scopes and vertices of one composed file, outer ones first, in document order."""

    outermost: Scope
    scenes: dict[Node, Scene]
    """Contents of another format, by their stand-in."""
    scopes: list[Scope] = field(default_factory=list)
    vertices: list[FrameVertex] = field(default_factory=list)
    of_node: dict[Node, FrameVertex] = field(default_factory=dict)
    """The vertex of a ``<link>``, ``<joint>``, ``<frame>``, ``<model>`` or ``<world>``."""


def build_frame_graph(body: Node, scenes: dict[Node, Scene]) -> FrameGraph:
    """Name everything in a ``<world>`` or in a root ``<model>``."""
    name = body.word("@name", "")
    kind = VertexKind.WORLD if body.tag == "world" else VertexKind.MODEL
    outermost = Scope(body, name, "")
    origin = FrameVertex(kind, name if kind is VertexKind.MODEL else WORLD, body, outermost)
    if kind is VertexKind.MODEL:
        relative_to, origin.X_BV = read_pose(body)
        origin.placement = body.word("@placement_frame", "")
        if relative_to:
            body.invalid(
                "sdf.root-relative-to",
                "the pose of the outermost model cannot be relative to {relative_to!r}",
                relative_to=relative_to,
            )
    _open(outermost, origin)
    layout = FrameGraph(outermost, scenes)
    pending = [layout.outermost]
    while pending:
        scope = pending.pop()
        layout.scopes.append(scope)
        layout.vertices.append(scope.origin)
        layout.of_node[scope.node] = scope.origin
        pending.extend(reversed(_fill(scope, layout)))
    return layout


def _open(scope: Scope, origin: FrameVertex) -> None:
    """Make a vertex the origin of a scope. What stands in a static model is static."""
    scope.origin, origin.opens = origin, scope
    stated = origin.kind is VertexKind.MODEL and origin.node.flag("static", False)
    scope.static = stated or (not origin.is_outermost and origin.scope.static)


def _fill(scope: Scope, layout: FrameGraph) -> list[Scope]:
    """Add the members of a scope; return the scopes of its nested models."""
    opened = []
    for node in scope.node.all("link", "joint", "frame", "model", CONTENTS):
        if node.tag == CONTENTS:
            _add_contents(scope, node, layout)
            continue
        vertex = _vertex_of(node, scope)
        layout.of_node[node] = vertex
        name = node.word("@name", "")
        scope.members.setdefault(name, vertex)
        if vertex.kind is VertexKind.MODEL:
            inner = Scope(node, _model_name(vertex.name, layout), vertex.name + SEPARATOR)
            _open(inner, vertex)
            scope.inner.setdefault(name, inner)
            opened.append(inner)
        else:
            layout.vertices.append(vertex)
    return opened


def _model_name(scoped: str, layout: FrameGraph) -> str:
    """A nested model that is called like the outermost one is told apart by its full name."""
    outermost = layout.outermost
    clash = outermost.origin.kind is VertexKind.MODEL and scoped == outermost.name
    return f"{outermost.name}{SEPARATOR}{scoped}" if clash else scoped


def _vertex_of(node: Node, scope: Scope) -> FrameVertex:
    relative_to, X_BV = read_pose(node)
    vertex = FrameVertex(VertexKind(node.tag), scope.prefix + node.word("@name", ""), node, scope)
    vertex.relative_to, vertex.X_BV = relative_to, X_BV
    if vertex.kind is VertexKind.JOINT:
        vertex.attached_to = node.word("child")
    elif vertex.kind is VertexKind.FRAME:
        vertex.attached_to = node.word("@attached_to", "")
        vertex.placement = node.word("@" + PLACEMENT, "")
    elif vertex.kind is VertexKind.MODEL:
        vertex.placement = node.word("@placement_frame", "")
    return vertex


def _add_contents(scope: Scope, node: Node, layout: FrameGraph) -> None:
    """Make what another format brought known by name, each rigidly fixed to its origin."""
    scene = layout.scenes[node]
    origin = FrameVertex(VertexKind.FRAME, scope.prefix, node, scope, relative_to=node.word("@relative_to"))
    scope.contents.append(origin)
    layout.vertices.append(origin)
    layout.of_node[node] = origin
    for kind, name, X_BV, link in _parts_of(scene):
        vertex = FrameVertex(kind, scope.prefix + name, node, scope, base=origin, X_BV=X_BV)
        vertex.anchor = scope.members.get(link)
        scope.members.setdefault(name, vertex)
        layout.vertices.append(vertex)
    root = root_model(scene)
    origin.anchor = scope.members.get(root.canonical_link or "") if root is not None else None


def _parts_of(scene: Scene) -> Iterator[tuple[VertexKind, str, Pose, str]]:
    """Kind, name, pose in the model's frame and link of everything in a scene that has a name; links come first."""
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
