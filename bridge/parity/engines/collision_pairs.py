"""The pairs of links that can collide in an engine: from MuJoCo's compiled model, and from a running PyBullet.

PyBullet does not report its collision filters, but it reports contacts. `stated.observed_pairs` looks for them in the
running bodies. For pairs that never overlap there, every collision shape is replaced by a sphere that overlaps all
others, in a separate physics server, and the contacts are the collidable pairs.
"""

from __future__ import annotations

import dataclasses
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations
from typing import Any

from bridge.bullet import PyBulletBody, load_into_pybullet
from bridge.lowering.base import relowered
from bridge.mechanism import Mechanism
from loaders.model import Link, Sphere, Surface
from loaders.scene import Scene
from loaders.spatial import IDENTITY

from .compiled.touched_geoms import allowed_bodies

Pair = frozenset[str]
"""Two links."""

RADIUS = 1e4
"""Radius of a sphere that overlaps every other one [m]."""


# --- MuJoCo ----------------------------------------------------------------------------------------------------------


def has_distance_fields(mujoco: Any, model: Any) -> bool:
    """Return whether a compiled model has shapes that are signed distance fields of a plugin.

    MuJoCo 3.17 finds more contacts of them than it has room for, writes them all the same, and stops the process later.

    Args:
        mujoco: The package.
        model: The compiled model.
    """
    return bool((model.geom_type == int(mujoco.mjtGeom.mjGEOM_SDF)).any())


def forward(mujoco: Any, model: Any, data: Any) -> None:
    """Compute everything at a state; without contacts if the model has signed distance fields.

    Args:
        mujoco: The package.
        model: The compiled model.
        data: The state.
    """
    flags = model.opt.disableflags
    if has_distance_fields(mujoco, model):
        model.opt.disableflags = flags | int(mujoco.mjtDisableBit.mjDSBL_CONTACT)
    mujoco.mj_forward(model, data)
    model.opt.disableflags = flags


def pairs_in_mujoco(model: Any, names: Mapping[int, str]) -> frozenset[Pair]:
    """Return the pairs of bodies that can collide in a compiled model, by MuJoCo's documented rules.

    Args:
        model: The compiled model.
        names: The link of each body id.
    """
    bodies = zip(*(model.geom_bodyid[geoms].tolist() for geoms in (model.pair_geom1, model.pair_geom2)), strict=True)
    explicit = {tuple(sorted(pair)) for pair in bodies}
    masks, allowed = _masks(model, names), allowed_bodies(model)
    return frozenset(
        frozenset((names[one], names[two]))
        for one, two in combinations(sorted(masks), 2)
        if (one, two) in explicit
        or (allowed[one, two] and any(_masks_match(a, b) for a in masks[one] for b in masks[two]))
    )


def _masks(model: Any, names: Mapping[int, str]) -> dict[int, set[tuple[int, int]]]:
    """``contype`` and ``conaffinity`` of the geoms of each body, also of those that collide only in explicit pairs."""
    masks: dict[int, set[tuple[int, int]]] = defaultdict(set)
    columns = (model.geom_bodyid.tolist(), model.geom_contype.tolist(), model.geom_conaffinity.tolist())
    for body, contype, conaffinity in zip(*columns, strict=True):
        if body in names:
            masks[body].add((contype, conaffinity))
    return masks


def _masks_match(a: tuple[int, int], b: tuple[int, int]) -> bool:
    return bool(a[0] & b[1] or b[0] & a[1])


# --- PyBullet --------------------------------------------------------------------------------------------------------


def pairs_in_pybullet(pybullet: Any, mechanism: Mechanism) -> frozenset[Pair]:
    """Return the pairs of links that touch in PyBullet if all collision shapes overlap."""
    client: int = pybullet.connect(pybullet.DIRECT)
    try:
        scene = with_overlapping_spheres(mechanism.scene)
        loaded = load_into_pybullet(relowered(mechanism, scene), physicsClientId=client, quiet=True)
        names = links_by_index([loaded] if isinstance(loaded, PyBulletBody) else loaded)
        pybullet.performCollisionDetection(physicsClientId=client)
        contacts = pybullet.getContactPoints(physicsClientId=client)
        touching = {((contact[1], contact[3]), (contact[2], contact[4])) for contact in contacts}
        return frozenset(frozenset((a, b)) for one, two in touching for a in names[one] for b in names[two])
    finally:
        pybullet.disconnect(client)


def with_overlapping_spheres(scene: Scene) -> Scene:
    """Return the scene without visuals and sensors, with collision shapes replaced by huge spheres."""
    return dataclasses.replace(scene, links=tuple(_with_overlapping_spheres(link) for link in scene.links))


def _with_overlapping_spheres(link: Link) -> Link:
    masks = {(c.surface.collide_bitmask, c.surface.category_bitmask): c for c in link.collisions}
    spheres = tuple(
        dataclasses.replace(
            collision, X_LG=IDENTITY, geometry=Sphere(radius=RADIUS),
            surface=Surface(collide_bitmask=collide, category_bitmask=category),
        )
        for (collide, category), collision in masks.items()
    )  # fmt: skip
    return dataclasses.replace(link, collisions=spheres, visuals=(), sensors=())


def links_by_index(bodies: Sequence[PyBulletBody]) -> dict[tuple[int, int], list[str]]:
    """Return the links with collision shapes, by body id and link index.

    Args:
        bodies: The handles of the bodies.
    """
    names: dict[tuple[int, int], list[str]] = defaultdict(list)
    for name, index in _indices(bodies):
        names[index].append(name)
    return names


def _indices(bodies: Sequence[PyBulletBody]) -> Iterator[tuple[str, tuple[int, int]]]:
    for body in bodies:
        colliding = {link.name for link in body.mechanism.scene.links if link.collisions}
        yield from ((name, (int(body), index)) for name, index in body.links.items() if name in colliding)
