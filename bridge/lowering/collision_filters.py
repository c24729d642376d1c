"""Properties of collisions, apart from filter groups, that a scene may state: bitmasks and ``self_collide``."""

from __future__ import annotations

from collections.abc import Iterator

from loaders.model import Surface
from loaders.scene import Scene
from loaders.scene_queries.excluded_pairs import BITMASKED
from loaders.scene_queries.scoped_names import SEPARATOR


def has_bitmasks(scene: Scene) -> bool:
    """Return whether any collision has other bitmasks than the default."""
    return any(True for _ in _collisions_with_bitmasks(scene))


def _collisions_with_bitmasks(scene: Scene) -> Iterator[str]:
    """Yield the names of the collisions that have other bitmasks than the default."""
    default = (Surface().collide_bitmask, Surface().category_bitmask)
    for link in scene.links:
        for collision in link.collisions:
            if (collision.surface.collide_bitmask, collision.surface.category_bitmask) != default:
                yield f"{link.name}{SEPARATOR}{collision.name}"


def ignored_by_policy(scene: Scene, policy: str) -> dict[str, tuple[str, ...]]:
    """Return the items that state a property that the collision policy ignores, by its name in SDFormat.

    Args:
        scene: The scene.
        policy: The collision policy; see `loaders.scene_queries.excluded_pairs`.
    """
    if policy in BITMASKED:
        return {}
    self_colliding = tuple(item.name for items in (scene.models, scene.links) for item in items if item.self_collide)
    stated = {"collide_bitmask": tuple(_collisions_with_bitmasks(scene)), "self_collide": self_colliding}
    return {name: items for name, items in stated.items() if items}
