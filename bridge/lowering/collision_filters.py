"""Properties of collisions, apart from filter groups, that a scene may state: bitmasks and ``self_collide``."""

from __future__ import annotations

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
