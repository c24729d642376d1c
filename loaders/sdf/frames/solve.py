"""Where everything is, and what it is fixed to: the two graphs of the SDFormat specification.

In the first graph each vertex leads to the one that its pose is measured from (``relative_to``, or the default of its
kind); in the second to the one that it is fixed to (``attached_to``, a joint's child, a model's canonical link). Both
are forests unless the file has a cycle, which is reported once, where it starts. Every walk is iterative, and linear
in the number of vertices.
"""

from __future__ import annotations

from collections.abc import Callable

from loaders.diagnostics import Fate
from loaders.model import WORLD
from loaders.node import Node
from loaders.spatial import IDENTITY, Pose

from .frame_graph import FrameGraph, FrameVertex, Scope, VertexKind
from .poses import read_pose

Step = Callable[[FrameVertex], FrameVertex | None]


def solve(layout: FrameGraph) -> None:
    """Resolve the pose of every vertex and what it is fixed to; report unknown names and cycles."""
    for scope in reversed(layout.scopes):
        _choose_canonical_link(scope)
    for vertex in layout.vertices:
        vertex.anchor = _anchor(vertex)
    order, cycles = _sorted(layout.vertices, _anchor_of)
    for cycle in cycles:
        _break(cycle, "sdf.attached-to-cycle", "is fixed to itself", "attach one of them to a link")
        cycle[0].anchor = None
    for vertex in layout.vertices:
        vertex.base = _base(vertex)
    for vertex in order:
        if vertex.anchor is not None:
            vertex.anchor = vertex.anchor.anchor or vertex.anchor
    order, cycles = _sorted(layout.vertices, _base_of)
    for cycle in cycles:
        _break(cycle, "sdf.pose-cycle", "is posed from itself", "give one of them a pose relative to something else")
        cycle[0].base = None
    _place(order)


def carrier(vertex: FrameVertex) -> FrameVertex | None:
    """The link that a solved vertex is fixed to; None is the world."""
    sink = vertex.anchor or vertex
    if sink.kind is VertexKind.MODEL and sink.opens is not None:
        return sink.opens.canonical
    return sink if sink.kind is VertexKind.LINK else None


def pose_in(vertex: FrameVertex, element: Node, scope: Scope) -> Pose:
    """Pose of a part (collision, visual, light, sensor) in the frame of the vertex V that it belongs to, ``X_VE``.

    Args:
        vertex: The link or joint that holds it, which its pose is measured from by default.
        element: The part.
        scope: Where its ``relative_to`` is looked up.
    """
    relative_to, X_RE = read_pose(element)
    if not relative_to:
        return X_RE
    base = scope.find(relative_to)
    if base is None:
        _unknown(element, scope, "sdf.pose-relative-to", "relative_to", relative_to)
        return X_RE
    return vertex.X_WV.inverse() @ base.X_WV @ X_RE


# --- references ------------------------------------------------------------------------------------------------------


def _choose_canonical_link(scope: Scope) -> None:
    """Inner scopes are done before outer ones."""
    if scope.origin.kind is VertexKind.WORLD:
        return
    named = scope.node.word("@canonical_link", "")
    found = scope.find(named) if named else None
    if found is None or found.kind is not VertexKind.LINK:
        links = (vertex for vertex in scope.members.values() if vertex.kind is VertexKind.LINK)
        nested = (inner.canonical for inner in scope.inner.values() if inner.canonical is not None)
        found = next(links, None) or next(nested, None)
        _report_canonical_link(scope, named, found)
    scope.canonical = found


def _report_canonical_link(scope: Scope, named: str, taken: FrameVertex | None) -> None:
    if taken is None:
        if not (scope.static or scope.inner or scope.contents):
            hint = "give it a <link>, or make it static"
            scope.node.invalid("sdf.no-link", "the model {scope} has no link", hint=hint, scope=scope.name)
    elif named:
        scope.node.report(
            Fate.ASSUMED,
            "sdf.canonical-link",
            "the canonical link {named!r} is no link of the model {scope}; {taken} is taken",
            hint=scope.suggestion(named),
            named=named,
            scope=scope.name,
            taken=taken.name,
        )


def _anchor(vertex: FrameVertex) -> FrameVertex | None:
    """The next vertex on the way to the body that this one is fixed to."""
    if vertex.anchor is not None or vertex.kind in (VertexKind.LINK, VertexKind.WORLD):
        return vertex.anchor
    if vertex.kind is VertexKind.MODEL:
        return _anchor_of_model(vertex.opens)
    if not vertex.attached_to:
        return vertex.scope.origin
    found = vertex.scope.find(vertex.attached_to)
    if found is not None:
        return found
    if vertex.kind is VertexKind.FRAME:
        _unknown(vertex.node, vertex.scope, "sdf.attached-to", "attached_to", vertex.attached_to)
    else:
        _unknown(vertex.node, vertex.scope, "sdf.joint-child", "the child", vertex.attached_to)
    return vertex.scope.origin


def _anchor_of_model(scope: Scope | None) -> FrameVertex | None:
    """The canonical link, or the static model within that stands for it; a static model is fixed to nothing else."""
    if scope is None or scope.static:
        return None
    return scope.canonical or next((inner.origin for inner in scope.inner.values()), None)


def _base(vertex: FrameVertex) -> FrameVertex | None:
    """The vertex that the pose of this one is measured from; None is W."""
    if vertex.base is not None or vertex.is_outermost:
        return vertex.base
    if vertex.relative_to:
        found = vertex.scope.find(vertex.relative_to)
        if found is not None:
            return found
        _unknown(vertex.node, vertex.scope, "sdf.pose-relative-to", "relative_to", vertex.relative_to)
    elif vertex.attached_to:
        return vertex.anchor
    return vertex.scope.origin


def _unknown(node: Node, scope: Scope, code: str, role: str, name: str) -> None:
    message = f"{role} of <{node.tag}> names {name!r}, which is no link, joint, frame or model of {scope.name}"
    hint = scope.suggestion(name) or "correct the name, or add what it names"
    if name == WORLD:
        hint = "inside a model only the parent of a joint can be the world"
    node.invalid(code, message, hint=hint)


# --- graphs ----------------------------------------------------------------------------------------------------------


def _anchor_of(vertex: FrameVertex) -> FrameVertex | None:
    return vertex.anchor


def _base_of(vertex: FrameVertex) -> FrameVertex | None:
    return vertex.base


def _sorted(vertices: list[FrameVertex], step: Step) -> tuple[list[FrameVertex], list[list[FrameVertex]]]:
    """The vertices, each after the one that it leads to, and the cycles, each from its first vertex on."""
    order: list[FrameVertex] = []
    cycles: list[list[FrameVertex]] = []
    walk_of: dict[FrameVertex, int] = {}
    for number, start in enumerate(vertices):
        path: list[FrameVertex] = []
        vertex: FrameVertex | None = start
        while vertex is not None and vertex not in walk_of:
            walk_of[vertex] = number
            path.append(vertex)
            vertex = step(vertex)
        if vertex is not None and walk_of[vertex] == number and path:
            cycles.append(path[path.index(vertex) :])
        order.extend(reversed(path))
    return order, cycles


def _break(cycle: list[FrameVertex], code: str, what: str, hint: str) -> None:
    """Report a cycle once; what hangs on it goes on with a harmless value."""
    first = cycle[0]
    chain = " -> ".join(vertex.name for vertex in (*cycle, first))
    first.node.invalid(
        code,
        "the {value} {first} {what}: {chain}",
        hint=hint,
        value=first.kind.value,
        first=first.name,
        what=what,
        chain=chain,
    )


def _place(order: list[FrameVertex]) -> None:
    """Poses in W from poses in bases; bases come first in ``order``."""
    for vertex in reversed(order):
        if vertex.placement:
            vertex.X_BV = vertex.X_BV @ _pose_below(vertex, vertex.placement).inverse()
    for vertex in order:
        vertex.X_WV = vertex.X_BV if vertex.base is None else vertex.base.X_WV @ vertex.X_BV


def _pose_below(vertex: FrameVertex, placement: str) -> Pose:
    """``X_VP`` of the placement frame P, which is posed, step by step, from V; inner placements are done already."""
    scope = vertex.opens or vertex.scope
    step = scope.find(placement)
    X_VP = IDENTITY
    while step is not None and step is not vertex:
        X_VP = step.X_BV @ X_VP
        step = step.base
    if step is None:
        _unknown(vertex.node, scope, "sdf.placement-frame", "placement_frame", placement)
        return IDENTITY
    return X_VP
