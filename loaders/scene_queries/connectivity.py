"""Connectivity of links by joints and static models."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable

from loaders.model import WORLD, Joint, JointType, SceneData


def static_links(scene: SceneData) -> set[str]:
    """Return the links that are fixed to the world without a joint: including the link of the world."""
    static = {model.name for model in scene.models if model.static}
    return {link.name for link in scene.links if link.model in static or link.name == WORLD}


def is_weld(joint: Joint) -> bool:
    """Return whether a joint allows no motion."""
    return joint.type is JointType.FIXED


def is_connection(joint: Joint) -> bool:
    """Return whether a joint restricts the relative motion of its links."""
    return joint.type is not JointType.FLOATING


def connected_components(scene: SceneData, connects: Callable[[Joint], bool]) -> list[list[str]]:
    """Return the connected components of the links, in linear time; static models connect their links to the world.

    Args:
        scene: The scene.
        connects: Function that returns whether a joint connects its links.

    Returns:
        Components in the order of the scene; the first contains `WORLD`, which need not be a link, possibly alone.
    """
    neighbors: dict[str, list[str]] = defaultdict(list)
    edges = [(joint.parent, joint.child) for joint in scene.joints if connects(joint)]
    for a, b in (*edges, *((WORLD, name) for name in sorted(static_links(scene)))):
        neighbors[a].append(b)
        neighbors[b].append(a)
    components: list[list[str]] = []
    seen: set[str] = set()
    for name in (WORLD, *(link.name for link in scene.links)):
        if name not in seen:
            components.append(_component(name, neighbors, seen))
    return components


def _component(start: str, neighbors: dict[str, list[str]], seen: set[str]) -> list[str]:
    """Return the names that are reachable from a start, and add them to those seen."""
    seen.add(start)
    component = [start]
    for name in component:  # the list grows during the loop
        for other in neighbors[name]:
            if other not in seen:
                seen.add(other)
                component.append(other)
    return component
