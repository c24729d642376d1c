"""Which pairs of links may touch, asked of the engines: of MuJoCo's compiled model, and of a running PyBullet.

PyBullet tells no filter. It tells contacts: so each shape becomes a ball that reaches all others, in a server apart.
"""

from __future__ import annotations

import dataclasses
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations
from typing import Any

from bridge.bullet import PyBulletBody, load_into_pybullet
from bridge.lowering import lower
from bridge.mechanism import Mechanism
from loaders.model import Link, Sphere, Surface
from loaders.scene import Scene
from loaders.spatial import IDENTITY

Pair = frozenset[str]

REACH = 1e4
"""Radius of a ball that reaches every other [m]."""


# --- MuJoCo ----------------------------------------------------------------------------------------------------------


def pairs_in_mujoco(mujoco: Any, model: Any, names: Mapping[int, str]) -> frozenset[Pair]:
    """The pairs of bodies that the compiled model lets touch: by masks, parents, excludes and explicit pairs.

    Args:
        mujoco: The module.
        model: MuJoCo's.
        names: The link of each body's number.
    """
    excluded = {tuple(sorted(divmod(int(signature), 1 << 16))) for signature in model.exclude_signature}
    bodies = zip(*(model.geom_bodyid[geoms].tolist() for geoms in (model.pair_geom1, model.pair_geom2)), strict=True)
    explicit = {tuple(sorted(pair)) for pair in bodies}
    masks = _masks(model, names)
    heeds_parents = not model.opt.disableflags & mujoco.mjtDisableBit.mjDSBL_FILTERPARENT
    found = set()
    for one, two in combinations(sorted(masks), 2):
        if (one, two) not in explicit:
            if (one, two) in excluded or not any(_meet(a, b) for a in masks[one] for b in masks[two]):
                continue
            if _welded(model, one, two) or (heeds_parents and _adjacent(model, one, two)):
                continue
        found.add(frozenset((names[one], names[two])))
    return frozenset(found)


def _masks(model: Any, names: Mapping[int, str]) -> dict[int, set[tuple[int, int]]]:
    """``contype`` and ``conaffinity`` of the geoms of each body; those that never touch by masks count too."""
    masks: dict[int, set[tuple[int, int]]] = defaultdict(set)
    columns = (model.geom_bodyid.tolist(), model.geom_contype.tolist(), model.geom_conaffinity.tolist())
    for body, kind, touches in zip(*columns, strict=True):
        if body in names:
            masks[body].add((kind, touches))
    return masks


def _meet(a: tuple[int, int], b: tuple[int, int]) -> bool:
    return bool(a[0] & b[1] or b[0] & a[1])


def _welded(model: Any, one: int, two: int) -> bool:
    return bool(model.body_weldid[one] == model.body_weldid[two])


def _adjacent(model: Any, one: int, two: int) -> bool:
    """Whether one hangs from the other, and that is not the world."""
    weld = int(model.body_weldid[one]), int(model.body_weldid[two])
    above = [int(model.body_weldid[model.body_parentid[body]]) for body in weld]
    return (weld[0] == above[1] and weld[0] != 0) or (weld[1] == above[0] and weld[1] != 0)


# --- PyBullet --------------------------------------------------------------------------------------------------------


def pairs_in_pybullet(pybullet: Any, mechanism: Mechanism) -> frozenset[Pair]:
    """The pairs of links that touch in PyBullet where every shape reaches every other."""
    client: int = pybullet.connect(pybullet.DIRECT)
    try:
        loaded = load_into_pybullet(lower(as_balls(mechanism.scene)), physicsClientId=client)
        names = _names([loaded] if isinstance(loaded, PyBulletBody) else loaded)
        pybullet.performCollisionDetection(physicsClientId=client)
        contacts = pybullet.getContactPoints(physicsClientId=client)
        spots = {((contact[1], contact[3]), (contact[2], contact[4])) for contact in contacts}
        return frozenset(frozenset((a, b)) for one, two in spots for a in names[one] for b in names[two])
    finally:
        pybullet.disconnect(client)


def as_balls(scene: Scene) -> Scene:
    """The scene with nothing to see, and a ball that reaches all others for each kind of shape that a link has."""
    return dataclasses.replace(scene, links=tuple(_as_balls(link) for link in scene.links))


def _as_balls(link: Link) -> Link:
    masks = {(c.surface.collide_bitmask, c.surface.category_bitmask): c for c in link.collisions}
    balls = tuple(
        dataclasses.replace(
            collision, X_LG=IDENTITY, geometry=Sphere(radius=REACH),
            surface=Surface(collide_bitmask=touches, category_bitmask=kind),
        )
        for (touches, kind), collision in masks.items()
    )  # fmt: skip
    return dataclasses.replace(link, collisions=balls, visuals=(), sensors=())


def _names(bodies: Sequence[PyBulletBody]) -> dict[tuple[int, int], list[str]]:
    """The links with shapes at each index of each body."""
    found: dict[tuple[int, int], list[str]] = defaultdict(list)
    for name, spot in _places(bodies):
        found[spot].append(name)
    return found


def _places(bodies: Sequence[PyBulletBody]) -> Iterator[tuple[str, tuple[int, int]]]:
    for body in bodies:
        shaped = {link.name for link in body.mechanism.scene.links if link.collisions}
        yield from ((name, (int(body), index)) for name, index in body.links.items() if name in shaped)
