"""Shapes of the world: on a link named ``world``, as in MJCF, or on a link fixed to the world, as in SDFormat."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

from loaders.model import WORLD, Joint, JointType, Link, by_name
from loaders.scene import Scene
from loaders.spatial import IDENTITY

from .matching import Names


def with_fixed_world(a: Scene, b: Scene) -> tuple[Scene, Scene, Names]:
    """Return two scenes that have the shapes of the world alike, and the names in B of what was named ``world`` in A.

    If one of them has a link named ``world`` and the other one a link without mass that is fixed to the world with as
    many shapes of each type, the first one gets such a link too, with the name of the other. If there is none, or there
    are several, both are returned as they are.

    Args:
        a: Scene A.
        b: Scene B.
    """
    in_a, in_b = (WORLD in by_name(scene.links) for scene in (a, b))
    weld = _weld_like_world(a, b) if in_a and not in_b else _weld_like_world(b, a) if in_b and not in_a else None
    if weld is None:
        return a, b, {}
    return (_fixed(a, weld), b, {"link": {WORLD: weld.child}}) if in_a else (a, _fixed(b, weld), {})


def _weld_like_world(scene: Scene, other: Scene) -> Joint | None:
    """Return the joint to the only link of another scene that may be the link named ``world`` of a scene."""
    shapes = _shapes(by_name(scene.links)[WORLD])
    links = by_name(other.links)
    taken = {item.name for items in (scene.links, scene.joints) for item in items}
    found = [
        joint
        for joint in other.joints
        if joint.parent == WORLD and joint.type is JointType.FIXED and joint.child in links
        if not {joint.name, joint.child} & taken
        if _has_no_mass(links[joint.child]) and _shapes(links[joint.child]) == shapes
    ]
    return found[0] if len(found) == 1 else None


def _has_no_mass(link: Link) -> bool:
    return link.inertia is None or not (link.inertia.mass or link.inertia.I_Lcm.any())


def _shapes(link: Link) -> Counter[tuple[str, str]]:
    """Return the number of collisions and visuals of each type."""
    parts = (("collision", link.collisions), ("visual", link.visuals))
    return Counter((kind, type(shape.geometry).__name__) for kind, shapes in parts for shape in shapes)


def _fixed(scene: Scene, weld: Joint) -> Scene:
    """Return a scene whose link named ``world`` is a link that a joint fixes to the world."""
    link = by_name(scene.links)[WORLD]
    moved = replace(link, name=weld.child)
    joint = replace(weld, X_PJ=link.X_WL, X_CJ=IDENTITY, where=link.where)
    models = (replace(m, canonical_link=weld.child) if m.canonical_link == WORLD else m for m in scene.models)
    return replace(
        scene,
        links=tuple(moved if other is link else other for other in scene.links),
        joints=(*scene.joints, joint),
        models=tuple(models),
    )
