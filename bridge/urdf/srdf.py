"""SRDF: MoveIt's companion of a URDF, with the pairs of links that never collide."""

from __future__ import annotations

from collections.abc import Mapping

from bridge.export.xml_text import add, root_element, write
from loaders.model import WORLD
from loaders.scene import Scene


def srdf_text(source: Scene, scene: Scene, names: Mapping[str, str]) -> str:
    """Return an SRDF document with every pair of links that may not collide, adjacent ones too.

    Args:
        source: The scene that was exported.
        scene: The scene that the URDF says, which may lack the filters of the source.
        names: Names in the URDF by name in the source, where they differ.
    """
    root = root_element("robot", name=scene.name)
    adjacent = {frozenset((joint.parent, joint.child)) for joint in scene.joints}
    order = {link.name: i for i, link in enumerate(scene.links)}
    excluded = ({names.get(name, name) for name in pair} for pair in source.excluded_collision_pairs())
    pairs = [sorted(pair, key=lambda name: order.get(name, -1)) for pair in excluded]
    for link1, link2 in sorted(pairs, key=lambda pair: [order.get(name, -1) for name in pair]):
        if WORLD not in (link1, link2):
            reason = "Adjacent" if frozenset((link1, link2)) in adjacent else "Never"
            add(root, "disable_collisions", link1=link1, link2=link2, reason=reason)
    return write(root)
