"""Scoped names: ``arm::gripper::finger`` is the link ``finger`` of the model ``gripper`` in the model ``arm``."""

from __future__ import annotations

from loaders.model import WORLD, Model, SceneData

SEPARATOR = "::"
"""Separator between a scope and the names in it."""


def local_name(name: str) -> str:
    """Return a scoped name without its scope: ``finger`` for ``arm::gripper::finger``."""
    return name.rpartition(SEPARATOR)[2]


def outermost_scope(name: str) -> str:
    """Return the first part of a scoped name: ``arm`` for ``arm::gripper::finger``."""
    return name.partition(SEPARATOR)[0]


def root_model(scene: SceneData) -> Model | None:
    """Return the model that makes up the whole scene, or None if the scene is a world.

    Names in a scene of one model do not carry the scope of that model; names in a world carry the scope of theirs.
    """
    if not scene.models:
        return None
    root = scene.models[0]
    links = [link.name for link in scene.links if link.model == root.name and link.name != WORLD]
    names = links or [root.canonical_link or ""]
    if names == [""]:
        return root if root.name == scene.name else None
    return None if all(name.startswith(root.name + SEPARATOR) for name in names) else root
