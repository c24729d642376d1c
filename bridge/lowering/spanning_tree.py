"""The spanning forest of a scene without loops: which joint each link hangs from, and which way round."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from loaders.model import WORLD, Joint, JointType
from loaders.scene import Scene
from loaders.scene_queries.connectivity import static_links

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
    """Whether it stands in the world: in a static model, or kinematic."""
    reversed: bool = False
    """Whether the joint's child is the parent here."""


def spanning_forest(scene: Scene, tree: Iterable[Joint]) -> tuple[Edge, ...]:
    """The edges of joints that make trees, each after that of its parent.

    Trees stand in the order of their root links in the scene, children in the order of their joints.
    """
    return tuple(_oriented(scene, list(tree), static_links(scene)))


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
    """The links that hang directly from the world, in the order of the scene.

    A kinematic link in a tree that floats is its root, and stands: no force moves it.
    """
    roots = {name: Edge(link=name, parent=WORLD, static=True) for name in static}
    for joint, link in incident[WORLD]:
        roots.setdefault(link, Edge(link=link, parent=WORLD, joint=joint, reversed=joint.child == WORLD))
    reached = _reachable(roots, incident)
    carried = {joint.child for joint in tree}
    floating = {joint.child: joint for joint in scene.joints if joint.type is JointType.FLOATING}
    names = [link.name for link in scene.links]
    uncarried = [name for name in names if name not in carried]
    told = [link.name for link in scene.links if link.kinematic]
    for name in (*told, *(name for name in floating if name not in carried), *uncarried, *names):
        if name not in reached:
            standing = Edge(link=name, parent=WORLD, static=True)
            roots[name] = standing if name in told else Edge(link=name, parent=WORLD, joint=floating.get(name))
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
