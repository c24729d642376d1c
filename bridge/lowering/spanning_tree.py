"""The spanning forest of a scene without loops: which joint carries each link, and in which direction."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from loaders.model import WORLD, Joint, JointType
from loaders.scene import Scene
from loaders.scene_queries.connectivity import static_links

_Incident = Mapping[str, list[tuple[Joint, str]]]
"""Joints at each link, each with the link at its other end."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Edge:
    """An edge of the spanning forest: a link and what connects it to its parent."""

    link: str
    """Name of the link."""
    parent: str
    """Name of the parent link, or `WORLD`."""
    joint: Joint | None = None
    """The joint that carries the link; None for a static link and for a free link without a floating joint."""
    static: bool = False
    """Whether the link is fixed in the world because its model is static or because it is kinematic."""
    reversed: bool = False
    """Whether the joint's child is the parent in the forest."""


def spanning_forest(scene: Scene, tree: Iterable[Joint]) -> tuple[Edge, ...]:
    """Return the edges of the forest, each after the edge of its parent.

    Trees are in the order of their root links in the scene, children in the order of their joints.

    Args:
        scene: The scene.
        tree: The joints of the forest; they form no loop.
    """
    joints = list(tree)
    incident = _incident_joints(scene, joints)
    edges: list[Edge] = []
    seen = {WORLD}
    pending = list(reversed(_root_edges(scene, joints, incident)))
    while pending:
        edge = pending.pop()
        edges.append(edge)
        if edge.link == WORLD:  # a link of the world itself: the links that it carries are roots
            continue
        seen.add(edge.link)
        for joint, other in reversed(incident[edge.link]):
            if other not in seen:
                pending.append(Edge(link=other, parent=edge.link, joint=joint, reversed=joint.child == edge.link))
    return tuple(edges)


def _incident_joints(scene: Scene, joints: Iterable[Joint]) -> _Incident:
    incident: dict[str, list[tuple[Joint, str]]] = {name: [] for name in (WORLD, *(link.name for link in scene.links))}
    for joint in joints:
        incident[joint.parent].append((joint, joint.child))
        incident[joint.child].append((joint, joint.parent))
    return incident


def _root_edges(scene: Scene, joints: list[Joint], incident: _Incident) -> list[Edge]:
    """Return the edges of the links whose parent is the world, in the order of the scene."""
    roots = {name: Edge(link=name, parent=WORLD, static=True) for name in static_links(scene)}
    for joint, link in incident[WORLD]:
        roots.setdefault(link, Edge(link=link, parent=WORLD, joint=joint, reversed=joint.child == WORLD))
    reached = _reachable(roots, incident)
    for edge in _candidate_roots(scene, joints):
        if edge.link not in reached:
            roots[edge.link] = edge
            reached |= _reachable((edge.link,), incident)
    order = {link.name: i for i, link in enumerate(scene.links)}
    return sorted(roots.values(), key=lambda edge: order[edge.link])


def _candidate_roots(scene: Scene, joints: Iterable[Joint]) -> Iterator[Edge]:
    """Yield an edge for each link that could be the root of a tree that the world does not carry, best first.

    Kinematic links come first, as they stay where they are; then links with a floating joint, links that no joint
    carries, and all others.
    """
    carried = {joint.child for joint in joints}
    floating = {joint.child: joint for joint in scene.joints if joint.type is JointType.FLOATING}
    kinematic = [link.name for link in scene.links if link.kinematic]
    yield from (Edge(link=name, parent=WORLD, static=True) for name in kinematic)
    names = [link.name for link in scene.links if not link.kinematic]
    uncarried = [name for name in names if name not in carried]
    for name in (*(name for name in floating if name not in carried), *uncarried, *names):
        yield Edge(link=name, parent=WORLD, joint=floating.get(name))


def _reachable(names: Iterable[str], incident: _Incident) -> set[str]:
    """Return the links that are connected to the given ones without passing through the world."""
    reached = set(names)
    pending = list(reached)
    while pending:
        for _, other in incident[pending.pop()]:
            if other not in reached and other != WORLD:
                reached.add(other)
                pending.append(other)
    return reached
