"""Bitmasks and ``self_collide`` that a collision policy ignores, and filter rules of two links."""

from __future__ import annotations

from bridge.mechanism import Mechanism
from loaders.scene import Scene
from loaders.scene_queries.excluded_pairs import BITMASKED, collisions_with_bitmasks


def ignored_by_policy(scene: Scene, policy: str) -> dict[str, tuple[str, ...]]:
    """Return the items that state a property that the collision policy ignores, by its name in SDFormat.

    Args:
        scene: The scene.
        policy: The collision policy; see `loaders.scene_queries.excluded_pairs`.
    """
    self_colliding = tuple(item.name for items in (scene.models, scene.links) for item in items if item.self_collide)
    masked = () if policy in BITMASKED else tuple(collisions_with_bitmasks(scene))
    stated = {"collide_bitmask": masked, "self_collide": () if policy == "sdformat" else self_colliding}
    return {name: items for name, items in stated.items() if items}


def pairs_of_rules(mechanism: Mechanism) -> list[tuple[int, int]]:
    """Return the bodies of each filter rule that names two links, as every ``<exclude>`` of MJCF does.

    Args:
        mechanism: The mechanism.
    """
    index, scene = mechanism.body_index, mechanism.scene
    links = {group.name: group.links for group in scene.filter_groups}
    rules = [(links[rule.a], links[rule.b]) for rule in scene.filter_rules]
    named = [(*one, *other) for one, other in rules if len(one) == len(other) == 1]
    return [(index[a], index[b]) for a, b in named if a != b and a in index and b in index]
