"""Poses, the frame attached-to and pose relative-to graphs, and their solution.

A scope is the world or a model. Its members are vertices, which `solve` connects to the two graphs
of the specification. A reference ``a::b::c`` goes down through nested models, never up or sideways.

Source: http://sdformat.org/tutorials?tut=pose_frame_semantics_proposal. Scope, implicit frame,
interface model, attached-to graph and relative-to graph are libsdformat's terms.

In the pose relative-to graph an edge leads from each vertex to the one that its pose is relative to
(``relative_to``, or the default of its kind). In the frame attached-to graph it leads to the one
that it is attached to (``attached_to``, the child of a joint, the canonical link of a model). Both
are forests unless the file contains a cycle, which is reported once, at its first vertex. Every
walk is iterative and linear in the number of vertices.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from enum import Enum

from loaders.code import Code
from loaders.diagnostics import Where
from loaders.model import WORLD
from loaders.node import Node
from loaders.numbers import plain_numbers
from loaders.pose import IDENTITY, Pose
from loaders.scene import Scene
from loaders.scoped_names import MODEL_FRAME, SEPARATOR, root_model
from loaders.sdf import codes
from loaders.text import suggestion

# Parentheses cannot occur in XML names, so that no file can contain the next three.
INTERFACE_MODEL = "(interface_model)"
"""Tag of the placeholder for the elements that an included file of another format adds to a
scope."""
MISSING_MODEL = "(missing_model)"
"""Tag of the placeholder for an include that failed; its name is empty if its elements may have any
name."""
PLACEMENT_FRAME = "(placement_frame)"
"""Attribute, on the frame that replaces a merged model, with the name of the include's placement
frame."""


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
    """The scope in which the references of V are looked up; for the outermost vertex, the scope
    that it opens."""
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
    """The next vertex of the frame attached-to graph; once solved, the last one: a link, static
    model or the world."""
    X_WV: Pose = IDENTITY
    """Pose in the world; valid once the graphs are solved."""

    @property
    def where(self) -> Where:
        """Place of the element."""
        return self.node.where

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
    """The origins of interface models (see `INTERFACE_MODEL`) whose elements are members of this
    scope."""
    missing: frozenset[str] = frozenset()
    """Names of the nested models whose include failed; an empty one stands for any name."""
    canonical_link: FrameVertex | None = None
    """The canonical link; valid once the graphs are solved."""

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
        """Return whether an unknown name may be one that an include would have added, had it not
        failed.
        """
        scope, name = self, reference
        while True:
            if "" in scope.missing or name.partition(SEPARATOR)[0] in scope.missing:
                return True
            step = scope._enter_nested(name)
            if step is None:
                return False
            scope, name = step

    def suggestion(self, reference: str, without: str = "") -> str:
        """Return a hint with the member whose name is closest to an unknown one; empty if none is
        close.

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


def build_frame_graph(body: Node, interface_models: dict[Node, InterfaceModel]) -> FrameGraph:
    """Create the scopes and vertices of a ``<world>`` or of a root ``<model>``; `solve` connects
    them.
    """
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
            body.report(codes.ROOT_RELATIVE_TO, model=name, frame=relative_to)
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

    A nested model with the name of the outermost one keeps the outermost name as prefix, so that
    names are unique.
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


# --- interface models -----------------------------------------------------------------------------


def _add_interface_model(scope: Scope, node: Node, graph: FrameGraph) -> None:
    """Add a vertex for each named element of an interface model, with a fixed pose relative to its
    origin.
    """
    scene = graph.interface_models[node].scene
    origin = FrameVertex(
        VertexKind.FRAME, scope.prefix, node, scope, relative_to=node.word("@relative_to")
    )
    scope.interface_origins.append(origin)
    graph.vertices.append(origin)
    for kind, name, X_MV, link in _interface_elements(scene):
        vertex = FrameVertex(
            kind, scope.prefix + name, node, scope, relative_to_vertex=origin, X_RV=X_MV
        )
        vertex.attached_to_vertex = scope.members.get(link)
        scope.members.setdefault(name, vertex)
        graph.vertices.append(vertex)
    root = root_model(scene)
    origin.attached_to_vertex = (
        scope.members.get(root.canonical_link or "") if root is not None else None
    )


def _interface_elements(scene: Scene) -> Iterator[tuple[VertexKind, str, Pose, str]]:
    """Yield kind, name, pose in the model's frame and link of each named element of a scene; links
    come first.
    """
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


Edge = Callable[[FrameVertex], FrameVertex | None]
"""Returns the vertex that the edge of a vertex leads to."""


def solve(graph: FrameGraph) -> None:
    """Resolve the pose and the attachment of every vertex; report unknown names and cycles."""
    for scope in reversed(graph.scopes):  # inner scopes before outer ones
        _choose_canonical_link(scope)
    for vertex in graph.vertices:
        vertex.attached_to_vertex = _resolve_attached_to(vertex)
    attachment_order = _break_attached_to_cycles(graph)
    for vertex in graph.vertices:
        vertex.relative_to_vertex = _resolve_relative_to(vertex)
    for vertex in attachment_order:
        if vertex.attached_to_vertex is not None:
            vertex.attached_to_vertex = (
                vertex.attached_to_vertex.attached_to_vertex or vertex.attached_to_vertex
            )
    _compute_poses(_break_relative_to_cycles(graph))


def attached_link(vertex: FrameVertex) -> FrameVertex | None:
    """Return the link that a solved vertex is attached to; None is the world."""
    body = vertex.attached_to_vertex or vertex
    if body.kind is VertexKind.MODEL and body.inner_scope is not None:
        return body.inner_scope.canonical_link
    return body if body.kind is VertexKind.LINK else None


def pose_in(link: FrameVertex, vertex: FrameVertex) -> Pose:
    """Return the pose ``X_LV`` of a solved vertex in a link; exactly as written if it is relative
    to the link.
    """
    if vertex.X_WV is link.X_WV:
        return IDENTITY
    while vertex.X_RV is IDENTITY and vertex.relative_to_vertex is not None:
        vertex = vertex.relative_to_vertex  # which has the same pose
    if vertex.relative_to_vertex is link:
        return vertex.X_RV
    return link.X_WV.inverse() @ vertex.X_WV


def resolve_pose(element: Node, vertex: FrameVertex) -> Pose:
    """Return the pose ``X_VE`` of a part E (collision, visual, light, sensor) in the frame of its
    owner V.

    Args:
        element: The part.
        vertex: The solved vertex of the link, joint or world that the part belongs to. The pose is
            relative to V by default; otherwise ``relative_to`` is looked up in the scope of V.
    """
    relative_to, X_RE = read_pose(element)
    if not relative_to:
        return X_RE
    frame = vertex.scope.find(relative_to)
    if frame is None:
        _report_unknown(element, vertex.scope, codes.POSE_RELATIVE_TO, relative_to)
        return X_RE
    return vertex.X_WV.inverse() @ frame.X_WV @ X_RE


# --- canonical links ------------------------------------------------------------------------------


def _choose_canonical_link(scope: Scope) -> None:
    """Set the canonical link of a model: the declared one, else the first link, else that of a
    nested model, else the first link of an interface model, as libsdformat has it.
    """
    if scope.origin.kind is VertexKind.WORLD:
        return
    declared = scope.node.word("@canonical_link", "")
    link = scope.find(declared) if declared else None
    if link is None or link.kind is not VertexKind.LINK:
        links = [v for v in scope.members.values() if v.kind is VertexKind.LINK]
        own = [v for v in links if v.node.tag != INTERFACE_MODEL]
        nested = [inner.canonical_link for inner in scope.nested.values() if inner.canonical_link]
        link = next(iter((*own, *nested, *links)), None)
        _report_canonical_link(scope, declared, link)
    scope.canonical_link = link


def _report_canonical_link(scope: Scope, declared: str, link: FrameVertex | None) -> None:
    if link is None:
        if not (scope.static or scope.nested or scope.interface_origins or scope.missing):
            scope.node.report(codes.NO_LINK, model=scope.name)
    elif declared:
        scope.node.report(
            codes.CANONICAL_LINK,
            hint=scope.suggestion(declared),
            subjects=(*scope.node.subjects, link.name),
            declared=declared,
            model=scope.name,
            link=link.name,
        )


# --- edges ----------------------------------------------------------------------------------------


def _resolve_attached_to(vertex: FrameVertex) -> FrameVertex | None:
    """Return the next vertex of the frame attached-to graph; None at a link, a static model or the
    world.
    """
    if vertex.attached_to_vertex is not None or vertex.kind in (VertexKind.LINK, VertexKind.WORLD):
        return vertex.attached_to_vertex
    if vertex.kind is VertexKind.MODEL:
        return _body_of_model(vertex.inner_scope)
    if not vertex.attached_to:
        return vertex.scope.origin
    target = vertex.scope.find(vertex.attached_to)
    if target is not None:
        return target
    if vertex.kind is VertexKind.FRAME:
        _report_unknown(vertex.node, vertex.scope, codes.ATTACHED_TO, vertex.attached_to)
    else:
        _report_unknown(vertex.node, vertex.scope, codes.JOINT_CHILD_UNKNOWN, vertex.attached_to)
    return vertex.scope.origin


def _body_of_model(scope: Scope | None) -> FrameVertex | None:
    """Return the canonical link, or else the first nested model; None for a static model, which is
    fixed in place.
    """
    if scope is None or scope.static:
        return None
    return scope.canonical_link or next((inner.origin for inner in scope.nested.values()), None)


def _resolve_relative_to(vertex: FrameVertex) -> FrameVertex | None:
    """Return the next vertex of the pose relative-to graph; None is the world."""
    if vertex.relative_to_vertex is not None or vertex.is_outermost:
        return vertex.relative_to_vertex
    if vertex.relative_to:
        frame = vertex.scope.find(vertex.relative_to)
        if frame is not None:
            return frame
        _report_unknown(vertex.node, vertex.scope, codes.POSE_RELATIVE_TO, vertex.relative_to)
    elif vertex.attached_to:
        return vertex.attached_to_vertex
    return vertex.scope.origin


def _report_unknown(node: Node, scope: Scope, code: Code, name: str) -> None:
    """Report an unknown name, unless this only follows from an include that failed.

    Lenient loading tolerates a code without leniency only after a failed include.
    """
    only_follows = scope.misses(name)
    if only_follows and not node.diagnostics.lenient:
        return
    own_name = node.attributes.get("name", "").strip()
    hint = scope.suggestion(name, own_name)
    if name == WORLD:
        hint = "inside a model only the parent of a joint can be the world"
    leniency = "its origin is used instead" if only_follows and not code.leniency else ""
    node.report(code, hint=hint, leniency=leniency, name=name, tag=node.tag, scope=scope.name)


# --- cycles and order -----------------------------------------------------------------------------


def _break_attached_to_cycles(graph: FrameGraph) -> list[FrameVertex]:
    """Report and cut the cycles of the frame attached-to graph; return the vertices, each after its
    target.
    """
    order, cycles = _topological_order(graph.vertices, lambda vertex: vertex.attached_to_vertex)
    for cycle in cycles:
        _report_cycle(cycle, codes.ATTACHED_TO_CYCLE)
        cycle[0].attached_to_vertex = None
    return order


def _break_relative_to_cycles(graph: FrameGraph) -> list[FrameVertex]:
    """Report and cut the cycles of the pose relative-to graph; return the vertices, each after its
    target.
    """
    order, cycles = _topological_order(graph.vertices, lambda vertex: vertex.relative_to_vertex)
    for cycle in cycles:
        _report_cycle(cycle, codes.POSE_CYCLE)
        cycle[0].relative_to_vertex = None
    return order


def _topological_order(
    vertices: list[FrameVertex], edge: Edge
) -> tuple[list[FrameVertex], list[list[FrameVertex]]]:
    """Return the vertices, each after the one that its edge leads to, and the cycles, each from its
    first vertex.
    """
    order: list[FrameVertex] = []
    cycles: list[list[FrameVertex]] = []
    walk_of: dict[FrameVertex, int] = {}
    for number, start in enumerate(vertices):
        path: list[FrameVertex] = []
        vertex: FrameVertex | None = start
        while vertex is not None and vertex not in walk_of:
            walk_of[vertex] = number
            path.append(vertex)
            vertex = edge(vertex)
        if vertex is not None and walk_of[vertex] == number and path:
            cycles.append(path[path.index(vertex) :])
        order.extend(reversed(path))
    return order, cycles


def _report_cycle(cycle: list[FrameVertex], code: Code) -> None:
    names = tuple(vertex.name for vertex in cycle)
    cycle[0].node.report(code, subjects=names, cycle=names)


# --- poses ----------------------------------------------------------------------------------------


def _compute_poses(order: list[FrameVertex]) -> None:
    """Set the pose of every vertex in the world; in ``order`` each comes after the one that it is
    relative to.
    """
    for vertex in reversed(order):
        if vertex.placement_frame:
            vertex.X_RV = vertex.X_RV @ _placement_pose(vertex).inverse()
    for vertex in order:
        R = vertex.relative_to_vertex
        vertex.X_WV = vertex.X_RV if R is None else R.X_WV @ vertex.X_RV


def _placement_pose(vertex: FrameVertex) -> Pose:
    """Return the pose ``X_VP`` of the placement frame P, whose chain of poses must lead to V.

    Placement frames inside V have been applied before.
    """
    scope = vertex.inner_scope or vertex.scope
    step = scope.find(vertex.placement_frame)
    X_VP = IDENTITY
    while step is not None and step is not vertex:
        X_VP = step.X_RV @ X_VP
        step = step.relative_to_vertex
    if step is None:
        _report_unknown(vertex.node, scope, codes.PLACEMENT_FRAME, vertex.placement_frame)
        return IDENTITY
    return X_VP


_COUNTS = {"euler_rpy": 6, "quat_xyzw": 7}
"""Number of values in each rotation format."""


_ATTRIBUTES = ("@relative_to", "@rotation_format", "@degrees")


def read_pose(element: Node) -> tuple[str, Pose]:
    """Return the name of the frame R that the pose of an element E is relative to (empty: the
    default) and ``X_RE``.
    """
    node = element.child("pose")
    if node is None:
        return "", IDENTITY
    node.mark(*_ATTRIBUTES)
    if (
        not node.attributes
        and (values := plain_numbers(node.text, _COUNTS["euler_rpy"])) is not None
    ):
        return "", _from_angles(values, in_degrees=False)
    if not node.attributes.get("frame", "?").strip():  # an empty one says nothing in any version
        node.mark("@frame")
    return node.word("@relative_to", ""), _read_values(node)


def read_local_pose(element: Node) -> Pose:
    """Return the pose of an element that is always relative to its parent element; ``relative_to``
    has no effect.
    """
    relative_to, X_RE = read_pose(element)
    if relative_to:
        element.report(codes.POSE_RELATIVE_TO_IGNORED, tag=element.tag, frame=relative_to)
    return X_RE


def _read_values(node: Node) -> Pose:
    if (
        "rotation_format" not in node.attributes
        and "degrees" not in node.attributes
        and (values := plain_numbers(node.text, 6)) is not None
    ):
        return _from_angles(values, in_degrees=False)
    rotation_format = node.word("@rotation_format", "euler_rpy")
    in_degrees = node.flag("@degrees", False)
    words = node.text.split()
    if rotation_format == "euler_rpy" and len(words) not in (0, _COUNTS["euler_rpy"]):
        return _from_wrong_count(node, words, in_degrees)
    if not _check_format(node, rotation_format, in_degrees) or not node.text.strip():
        return IDENTITY
    values = node.numbers(".", _COUNTS[rotation_format])
    return (
        _from_quaternion(node, values)
        if rotation_format == "quat_xyzw"
        else _from_angles(values, in_degrees)
    )


def _check_format(node: Node, rotation_format: str, in_degrees: bool) -> bool:
    """Report a wrong format or number of values; return whether the values can be read."""
    count = len(node.text.split())
    if rotation_format not in _COUNTS:
        node.report(codes.POSE_FORMAT, rotation_format=rotation_format, formats=tuple(_COUNTS))
    elif in_degrees and rotation_format != "euler_rpy":
        node.report(codes.POSE_FORMAT_DEGREES)
    elif count not in (0, _COUNTS[rotation_format]):
        node.report(codes.POSE_FORMAT_COUNT, expected=_COUNTS[rotation_format], count=count)
    else:
        return True
    return False


def _from_wrong_count(node: Node, words: list[str], in_degrees: bool) -> Pose:
    """Return the pose of too few numbers, completed with zeros as in Gazebo classic, or of too
    many.
    """
    count, expected = len(words), _COUNTS["euler_rpy"]
    values = plain_numbers(node.text, count)
    if values is None:
        node.report(codes.POSE_FORMAT_COUNT, expected=expected, count=count)
        return IDENTITY
    code = codes.POSE_FORMAT_TOO_MANY
    if count == 3:
        code = codes.POSE_FORMAT_NO_ANGLES
    elif count < expected:
        code = codes.POSE_FORMAT_TOO_FEW
    node.report(code, expected=expected, count=count)
    missing = (0.0,) * (expected - count)
    return _from_angles((*values, *missing)[:expected], in_degrees)


def _from_angles(values: tuple[float, ...], in_degrees: bool) -> Pose:
    angles = tuple(map(math.radians, values[3:])) if in_degrees else values[3:]
    return IDENTITY if not any(values) else Pose.from_xyz_rpy(values[:3], angles)


def _from_quaternion(node: Node, values: tuple[float, ...]) -> Pose:
    x, y, z, w = values[3:]
    if not any((x, y, z, w)):
        node.report(codes.ZERO_QUATERNION)
        w = 1.0
    return Pose.from_vector((*values[:3], w, x, y, z))
