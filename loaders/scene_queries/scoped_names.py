"""Scoped names: ``arm::gripper::finger`` is the link ``finger`` of the model ``gripper`` in the model ``arm``."""

from __future__ import annotations

from collections.abc import Callable, Collection

from loaders.model import WORLD, Model, SceneData

SEPARATOR = "::"
"""Separator between a scope and the names in it."""
MODEL_FRAME = f"{SEPARATOR}__model__"
"""End of the name of the site that stands for the frame of a model in MJCF."""


def local_name(name: str) -> str:
    """Return a scoped name without its scope: ``finger`` for ``arm::gripper::finger``."""
    return name.rpartition(SEPARATOR)[2]


def outermost_scope(name: str) -> str:
    """Return the first part of a scoped name: ``arm`` for ``arm::gripper::finger``."""
    return name.partition(SEPARATOR)[0]


def free_name(preferred: str, taken: Collection[str]) -> str:
    """Return a name that is not taken: the preferred one, or that with a number from 2 on behind it."""
    name, number = preferred, 2
    while name in taken:
        name, number = f"{preferred}_{number}", number + 1
    return name


def renaming(scene: SceneData | None, scopes: Collection[tuple[str, str]]) -> Callable[[str], list[str]]:
    """Return a function from a name in the scene of a file to its names in the scopes that the scene is placed in.

    Args:
        scene: The scene of the file; None if it could not be read.
        scopes: Name of each scope, which is that of its model, and prefix of the names in it.
    """
    root = None if scene is None else root_model(scene)
    groups = () if scene is None else (scene.links, scene.joints, scene.frames)
    elements = {item.name for items in groups for item in items}

    def rename(name: str) -> list[str]:
        is_root = root is not None and name == root.name and name not in elements
        return [scope if is_root else prefix + name for scope, prefix in scopes]

    return rename


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
