"""Which links joints hold together."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable

from loaders.model import WORLD, Joint, JointType, SceneData


def static_links(scene: SceneData) -> set[str]:
    """The links that are fixed to the world without a joint: those of static models, and the world's own."""
    static = {model.name for model in scene.models if model.static}
    return {link.name for link in scene.links if link.model in static or link.name == WORLD}


def is_weld(joint: Joint) -> bool:
    """Whether a joint lets nothing move."""
    return joint.type is JointType.FIXED


def is_connection(joint: Joint) -> bool:
    """Whether a joint holds anything together."""
    return joint.type is not JointType.FLOATING


def connected_components(scene: SceneData, holds: Callable[[Joint], bool]) -> list[list[str]]:
    """Links in sets that static models and these joints hold together, in near-linear time.

    Args:
        scene: Where to look.
        holds: Which joints count.

    Returns:
        Sets in the order of the scene; the first holds `WORLD`, which need not be a link, and may hold nothing else.
    """
    neighbours: dict[str, list[str]] = defaultdict(list)
    joined = [(joint.parent, joint.child) for joint in scene.joints if holds(joint)]
    for a, b in (*joined, *((WORLD, name) for name in sorted(static_links(scene)))):
        neighbours[a].append(b)
        neighbours[b].append(a)
    found: list[list[str]] = []
    seen: set[str] = set()
    for name in (WORLD, *(link.name for link in scene.links)):
        if name not in seen:
            found.append(_reached(name, neighbours, seen))
    return found


def _reached(start: str, neighbours: dict[str, list[str]], seen: set[str]) -> list[str]:
    seen.add(start)
    found = [start]
    for name in found:  # grows while it is walked
        for other in neighbours[name]:
            if other not in seen:
                seen.add(other)
                found.append(other)
    return found
