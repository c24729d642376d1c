"""One link for the world of a scene that is made of several, each of which may have shapes that are fixed to it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import chain
from typing import Any

from loaders.model import WORLD, ContactPair, Link
from loaders.scene import Scene
from loaders.scene_queries.scoped_names import free_name


def with_distinct_world_parts(scenes: Sequence[Scene]) -> list[Scene]:
    """Return scenes whose shapes and sensors of the world have names that no other of these scenes has there.

    A name that an earlier scene has gets the name of its scene in front.

    Args:
        scenes: The scenes.
    """
    if sum(link.name == WORLD for scene in scenes for link in scene.links) < 2:
        return list(scenes)
    taken: set[str] = set()
    distinct = []
    for scene in scenes:
        names = [part.name for link in scene.links if link.name == WORLD for part in _parts(link)]
        renamed = {name: free_name(f"{scene.name}_{name}", {*taken, *names}) for name in names if name in taken}
        taken.update(renamed.get(name, name) for name in names)
        distinct.append(_renamed(scene, renamed) if renamed else scene)
    return distinct


def joined_world(links: Iterable[Link]) -> tuple[Link, ...]:
    """Return links of which one at most is the world: the first one, with the shapes and sensors of all.

    Args:
        links: The links.
    """
    links = tuple(links)
    worlds = [link for link in links if link.name == WORLD]
    if len(worlds) < 2:
        return links
    world = replace(
        worlds[0],
        collisions=tuple(chain.from_iterable(link.collisions for link in worlds)),
        visuals=tuple(chain.from_iterable(link.visuals for link in worlds)),
        sensors=tuple(chain.from_iterable(link.sensors for link in worlds)),
    )
    return tuple(world if link is worlds[0] else link for link in links if link is worlds[0] or link.name != WORLD)


def _parts(link: Link) -> tuple[Any, ...]:
    return (*link.collisions, *link.visuals, *link.sensors)


def _renamed(scene: Scene, names: Mapping[str, str]) -> Scene:
    """Return a scene with parts of its world renamed, and with the contact pairs that name them."""
    return replace(
        scene,
        links=tuple(_renamed_parts(link, names) if link.name == WORLD else link for link in scene.links),
        contact_pairs=tuple(_renamed_pair(pair, names) for pair in scene.contact_pairs),
    )


def _renamed_parts(link: Link, names: Mapping[str, str]) -> Link:
    parts = {
        kind: tuple(replace(part, name=names.get(part.name, part.name)) for part in getattr(link, kind))
        for kind in ("collisions", "visuals", "sensors")
    }
    return replace(link, **parts)  # type: ignore[arg-type]  # each kind keeps its own type


def _renamed_pair(pair: ContactPair, names: Mapping[str, str]) -> ContactPair:
    ends = {
        f"collision_{end}": names.get(getattr(pair, f"collision_{end}"), getattr(pair, f"collision_{end}"))
        for end in "AB"
        if getattr(pair, f"link_{end}") == WORLD
    }
    return replace(pair, **ends)
