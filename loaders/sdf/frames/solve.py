"""The frame attached-to graph and the pose relative-to graph of the SDFormat specification, and their solution.

In the pose relative-to graph an edge leads from each vertex to the one that its pose is relative to (``relative_to``,
or the default of its kind). In the frame attached-to graph it leads to the one that it is attached to
(``attached_to``, the child of a joint, the canonical link of a model). Both are forests unless the file contains a
cycle, which is reported once, at its first vertex. Every walk is iterative and linear in the number of vertices.
"""

from __future__ import annotations

from collections.abc import Callable

from loaders.diagnostics import Fate
from loaders.model import WORLD
from loaders.node import Node
from loaders.spatial import IDENTITY, Pose

from .frame_graph import FrameGraph, FrameVertex, Scope, VertexKind
from .poses import read_pose

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
            vertex.attached_to_vertex = vertex.attached_to_vertex.attached_to_vertex or vertex.attached_to_vertex
    _compute_poses(_break_relative_to_cycles(graph))


def attached_link(vertex: FrameVertex) -> FrameVertex | None:
    """Return the link that a solved vertex is attached to; None is the world."""
    body = vertex.attached_to_vertex or vertex
    if body.kind is VertexKind.MODEL and body.inner_scope is not None:
        return body.inner_scope.canonical_link
    return body if body.kind is VertexKind.LINK else None


def pose_in(link: FrameVertex, vertex: FrameVertex) -> Pose:
    """Return the pose ``X_LV`` of a solved vertex in a link; exactly as written if it is relative to the link."""
    if vertex.X_WV is link.X_WV:
        return IDENTITY
    while vertex.X_RV is IDENTITY and vertex.relative_to_vertex is not None:
        vertex = vertex.relative_to_vertex  # which has the same pose
    if vertex.relative_to_vertex is link:
        return vertex.X_RV
    return link.X_WV.inverse() @ vertex.X_WV


def resolve_pose(element: Node, vertex: FrameVertex) -> Pose:
    """Return the pose ``X_VE`` of a part E (collision, visual, light, sensor) in the frame of its owner V.

    Args:
        element: The part.
        vertex: The solved vertex of the link, joint or world that the part belongs to. The pose is relative to V by
            default; otherwise ``relative_to`` is looked up in the scope of V.
    """
    relative_to, X_RE = read_pose(element)
    if not relative_to:
        return X_RE
    frame = vertex.scope.find(relative_to)
    if frame is None:
        _report_unknown(element, vertex.scope, "sdf.pose-relative-to", "relative_to", relative_to)
        return X_RE
    return vertex.X_WV.inverse() @ frame.X_WV @ X_RE


# --- canonical links -------------------------------------------------------------------------------------------------


def _choose_canonical_link(scope: Scope) -> None:
    """Set the canonical link of a model: the declared one, else the first link, else that of a nested model."""
    if scope.origin.kind is VertexKind.WORLD:
        return
    declared = scope.node.word("@canonical_link", "")
    link = scope.find(declared) if declared else None
    if link is None or link.kind is not VertexKind.LINK:
        link = _first_link(scope)
        _report_canonical_link(scope, declared, link)
    scope.canonical_link = link


def _first_link(scope: Scope) -> FrameVertex | None:
    links = (vertex for vertex in scope.members.values() if vertex.kind is VertexKind.LINK)
    nested = (inner.canonical_link for inner in scope.nested.values() if inner.canonical_link is not None)
    return next(links, None) or next(nested, None)


def _report_canonical_link(scope: Scope, declared: str, link: FrameVertex | None) -> None:
    if link is None:
        if not (scope.static or scope.nested or scope.interface_origins or scope.missing):
            scope.node.invalid(
                "sdf.no-link",
                "model {model} has no link",
                hint="add a <link>, or make the model static",
                leniency="the model is empty",
                model=scope.name,
            )
    elif declared:
        scope.node.report(
            Fate.ASSUMED,
            "sdf.canonical-link",
            "unknown canonical link {declared!r} in model {model}; using {link}",
            hint=scope.suggestion(declared),
            subjects=(*scope.node.subjects, link.name),
            declared=declared,
            model=scope.name,
            link=link.name,
        )


# --- edges -----------------------------------------------------------------------------------------------------------


def _resolve_attached_to(vertex: FrameVertex) -> FrameVertex | None:
    """Return the next vertex of the frame attached-to graph; None at a link, a static model or the world."""
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
        _report_unknown(vertex.node, vertex.scope, "sdf.attached-to", "attached_to", vertex.attached_to)
    else:
        _report_unknown(vertex.node, vertex.scope, "sdf.joint-child", "<child>", vertex.attached_to)
    return vertex.scope.origin


def _body_of_model(scope: Scope | None) -> FrameVertex | None:
    """Return the canonical link, or else the first nested model; None for a static model, which is fixed in place."""
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
        _report_unknown(vertex.node, vertex.scope, "sdf.pose-relative-to", "relative_to", vertex.relative_to)
    elif vertex.attached_to:
        return vertex.attached_to_vertex
    return vertex.scope.origin


def _report_unknown(node: Node, scope: Scope, code: str, role: str, name: str) -> None:
    """Report an unknown name, unless this only follows from an include that failed."""
    only_follows = scope.misses(name)
    if only_follows and not node.diagnostics.lenient:
        return
    own_name = node.attributes.get("name", "").strip()
    hint = scope.suggestion(name, own_name) or "correct the name, or add the element that it names"
    if name == WORLD:
        hint = "inside a model only the parent of a joint can be the world"
    node.invalid(
        code,
        "unknown name {name!r} in {role} of <{tag}>; expected a link, joint, frame or model of {scope}",
        hint=hint,
        leniency=_LENIENCIES.get(code, "its origin is used instead" if only_follows else ""),
        name=name,
        role=role,
        tag=node.tag,
        scope=scope.name,
    )


_LENIENCIES = {"sdf.joint-child": "the joint is left out"}
"""Treatment of unknown names in lenient loading, keyed by code; others are tolerated only after a failed include."""


# --- cycles and order ------------------------------------------------------------------------------------------------


def _break_attached_to_cycles(graph: FrameGraph) -> list[FrameVertex]:
    """Report and cut the cycles of the frame attached-to graph; return the vertices, each after its target."""
    order, cycles = _topological_order(graph.vertices, lambda vertex: vertex.attached_to_vertex)
    for cycle in cycles:
        _report_cycle(
            cycle,
            "sdf.attached-to-cycle",
            "cycle in the frame attached-to graph: {cycle}",
            "attach one of them to a link",
        )
        cycle[0].attached_to_vertex = None
    return order


def _break_relative_to_cycles(graph: FrameGraph) -> list[FrameVertex]:
    """Report and cut the cycles of the pose relative-to graph; return the vertices, each after its target."""
    order, cycles = _topological_order(graph.vertices, lambda vertex: vertex.relative_to_vertex)
    for cycle in cycles:
        _report_cycle(
            cycle,
            "sdf.pose-cycle",
            "cycle in the pose relative-to graph: {cycle}",
            "make the pose of one of them relative to another frame",
        )
        cycle[0].relative_to_vertex = None
    return order


def _topological_order(vertices: list[FrameVertex], edge: Edge) -> tuple[list[FrameVertex], list[list[FrameVertex]]]:
    """Return the vertices, each after the one that its edge leads to, and the cycles, each from its first vertex."""
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


def _report_cycle(cycle: list[FrameVertex], code: str, template: str, hint: str) -> None:
    names = tuple(vertex.name for vertex in cycle)
    cycle[0].node.invalid(code, template, hint=hint, subjects=names, cycle=names)


# --- poses -----------------------------------------------------------------------------------------------------------


def _compute_poses(order: list[FrameVertex]) -> None:
    """Set the pose of every vertex in the world; in ``order`` each comes after the one that it is relative to."""
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
        _report_unknown(vertex.node, scope, "sdf.placement-frame", "placement_frame", vertex.placement_frame)
        return IDENTITY
    return X_VP
