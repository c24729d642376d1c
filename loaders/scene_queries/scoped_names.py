"""How a scene names things: scopes before names, and the one scope that may go without saying."""

from __future__ import annotations

from loaders.model import Model, SceneData

SEPARATOR = "::"
"""Between a scope and what is in it: ``arm::gripper::finger``."""


def root_model(scene: SceneData) -> Model | None:
    """The model that the whole scene is, whose scope its names leave out; None if it is a world."""
    if not scene.models or scene.models[0].name != scene.name:
        return None
    root, scope = scene.models[0], scene.name + SEPARATOR
    links = [link.name for link in scene.links if link.model == root.name]
    names = links or [root.canonical_link or ""]
    return None if all(name.startswith(scope) for name in names) else root
