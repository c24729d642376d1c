"""Properties of collisions, apart from filter groups, that a scene may state: bitmasks and ``self_collide``."""

from __future__ import annotations

from loaders.model import Surface
from loaders.scene import Scene
from loaders.scene_queries.excluded_pairs import BITMASKED


def has_bitmasks(scene: Scene) -> bool:
    """Return whether any collision has other bitmasks than the default."""
    default = Surface()
    stated = {(c.surface.collide_bitmask, c.surface.category_bitmask) for k in scene.links for c in k.collisions}
    return not stated <= {(default.collide_bitmask, default.category_bitmask)}


def ignored_by_policy(scene: Scene, policy: str) -> tuple[str, ...]:
    """Return the properties that the scene states and the collision policy ignores, as SDFormat names them.

    Args:
        scene: The scene.
        policy: The collision policy; see `loaders.scene_queries.excluded_pairs`.
    """
    if policy in BITMASKED:
        return ()
    self_collide = any(model.self_collide for model in scene.models) or any(link.self_collide for link in scene.links)
    stated = {"collide_bitmask": has_bitmasks(scene), "self_collide": self_collide}
    return tuple(name for name, is_stated in stated.items() if is_stated)
