"""The spanning forest of a scene: which joint each link hangs from, and which joints close loops."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from loaders.clusters import static_links
from loaders.diagnostics import Diagnostics, Fate
from loaders.model import WORLD, Joint, JointType, Scene

_CUT_RANK = {JointType.FIXED: 0, JointType.REVOLUTE: 2, JointType.CONTINUOUS: 2, JointType.BALL: 3}
"""The higher, the sooner a joint is left out to open a loop: a closure that pins points is easier to hold than one
that guides a slide, and a weld is best kept. All other types stand at 1."""

_NO_EDGES = frozenset({JointType.FLOATING, JointType.GEARBOX})
"""Joints that hold nothing together: the one constrains nothing, the other couples two other joints."""

_Incident = dict[str, list[tuple[Joint, str]]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Edge:
    """How a link hangs in the forest."""

    link: str
    parent: str
    """A link or `WORLD`."""
    joint: Joint | None = None
    """What it hangs by; None if it is static, or free without a joint that says so."""
    static: bool = False
    reversed: bool = False
    """Whether the joint's child is the parent here."""


@dataclass(frozen=True, slots=True)
class Forest:
    """Edges, each after that of its parent, and the joints that would close a loop, in the order of the scene."""

    edges: tuple[Edge, ...]
    loops: tuple[Joint, ...]


class _Partition:
    """Disjoint sets of names, joined as edges are found."""

    def __init__(self, names: Iterable[str]) -> None:
        self._parent = {name: name for name in names}

    def find(self, name: str) -> str:
        root = name
        while self._parent[root] != root:
            root = self._parent[root]
        while self._parent[name] != root:
            self._parent[name], name = root, self._parent[name]
        return root

    def join(self, a: str, b: str) -> bool:
        """Join the sets of both; False if they are one already."""
        a, b = self.find(a), self.find(b)
        self._parent[a] = b
        return a != b


def spanning_forest(scene: Scene, diagnostics: Diagnostics) -> Forest:
    """Choose the forest, deterministically and in near-linear time.

    Of every loop the joint that is easiest to hold as a constraint is left out, the last in the scene among equals.
    Trees stand in the order of their root links in the scene, children in the order of their joints.
    """
    static = static_links(scene)
    sets = _Partition([WORLD, *(link.name for link in scene.links)])
    for name in static:
        sets.join(name, WORLD)
    movable = [joint for joint in scene.joints if joint.type not in _NO_EDGES and not _is_idle(joint, static)]
    ranked = sorted(movable, key=lambda joint: _CUT_RANK.get(joint.type, 1))
    kept = {joint.name for joint in ranked if sets.join(joint.parent, joint.child)}
    loops = tuple(joint for joint in movable if joint.name not in kept)
    for joint in loops:
        message = f"joint {joint.name} closes a kinematic loop; it becomes a constraint, not a degree of freedom"
        diagnostics.add(Fate.NOTED, "lower.loop", message, joint.where)
    for joint in scene.joints:
        if joint.type is not JointType.FIXED and _is_idle(joint, static):
            message = f"joint {joint.name} does not move: both its links are static"
            diagnostics.add(Fate.NOTED, "lower.static-joint", message, joint.where)
    tree = [joint for joint in movable if joint.name in kept]
    return Forest(tuple(_oriented(scene, tree, static)), loops)


def _is_idle(joint: Joint, static: set[str]) -> bool:
    """Whether both ends are fixed to the world anyway."""
    return all(end == WORLD or end in static for end in (joint.parent, joint.child))


def _oriented(scene: Scene, tree: list[Joint], static: set[str]) -> list[Edge]:
    """Direct the edges away from the world, and from the root of every tree that floats."""
    incident: _Incident = {name: [] for name in (WORLD, *(link.name for link in scene.links))}
    for joint in tree:
        incident[joint.parent].append((joint, joint.child))
        incident[joint.child].append((joint, joint.parent))
    edges: list[Edge] = []
    seen = {WORLD}
    pending = list(reversed(_roots(scene, tree, static, incident)))
    while pending:
        edge = pending.pop()
        edges.append(edge)
        if edge.link == WORLD:  # a link of the world itself; what hangs from the world is a root
            continue
        seen.add(edge.link)
        for joint, other in reversed(incident[edge.link]):
            if other not in seen:
                pending.append(Edge(link=other, parent=edge.link, joint=joint, reversed=joint.child == edge.link))
    return edges


def _roots(scene: Scene, tree: list[Joint], static: set[str], incident: _Incident) -> list[Edge]:
    """The links that hang directly from the world, in the order of the scene."""
    roots = {name: Edge(link=name, parent=WORLD, static=True) for name in static}
    for joint, link in incident[WORLD]:
        roots.setdefault(link, Edge(link=link, parent=WORLD, joint=joint, reversed=joint.child == WORLD))
    reached = _reachable(roots, incident)
    carried = {joint.child for joint in tree}
    floating = {joint.child: joint for joint in scene.joints if joint.type is JointType.FLOATING}
    names = [link.name for link in scene.links]
    uncarried = [name for name in names if name not in carried]
    for name in (*(name for name in floating if name not in carried), *uncarried, *names):
        if name not in reached:
            roots[name] = Edge(link=name, parent=WORLD, joint=floating.get(name))
            reached |= _reachable((name,), incident)
    order = {name: i for i, name in enumerate(names)}
    return sorted(roots.values(), key=lambda edge: order[edge.link])


def _reachable(names: Iterable[str], incident: _Incident) -> set[str]:
    reached = set(names)
    pending = list(reached)
    while pending:
        for _, other in incident[pending.pop()]:
            if other not in reached and other != WORLD:
                reached.add(other)
                pending.append(other)
    return reached
