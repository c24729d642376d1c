"""The up axis of COLLADA files, where only the robot as a whole tells it.

Many files state ``Y_UP`` without a unit, though z points up in them; in those of some
robots y does. Read the wrong way, neighboring links stand apart.
"""

from __future__ import annotations

import dataclasses
import os
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator
from functools import lru_cache

import numpy as np

from loaders.meshes.collada import both_ways, is_open
from loaders.model import WORLD, Collision, Link, Mesh, Visual
from loaders.pose import IDENTITY, Array
from loaders.scene import Scene

from .mesh_check import extreme

_CLEARER = 3.0
"""Least ratio of the gaps between the links in two orientations for a choice of the second."""
_GAP = 0.02
"""Least gap between two links on average, over the extent of the model, for a choice."""
_Box = tuple[Array, Array]
"""Lower and upper corner [m], each of shape (3,)."""


def with_up_axis(scene: Scene, *, stated: bool) -> Scene:
    """Return a scene whose COLLADA meshes are all read with the up axis that their files state, or
    all with z up.
    """
    meshes = dict.fromkeys(mesh for link in scene.links for _, mesh in _meshes(link))
    collada = [mesh for mesh in meshes if (mesh.path or mesh.uri).lower().endswith(".dae")]
    turned = dict.fromkeys(collada, stated)
    links = tuple(_turned(link, turned) for link in scene.links)
    return dataclasses.replace(scene, links=links) if collada else scene


def models_to_turn(scene: Scene) -> tuple[set[str], set[Mesh]]:
    """Return the models whose COLLADA meshes are to be turned, and the meshes for which nothing but
    the robot tells it: they state another up axis than Z, without a unit.

    Meshes are turned if the links of their model stand apart otherwise and do not so.
    """
    meshes = dict.fromkeys(mesh for link in scene.links for _, mesh in _meshes(link))
    opened = dict.fromkeys(filter(is_open, meshes), True)
    models = (model.name for model in scene.models)
    return {model for model in models if opened and _stands_apart(model, scene, opened)}, {*opened}


def turned_in(scene: Scene, models: Collection[str], opened: Iterable[Mesh]) -> Scene:
    """Return a scene with some of the meshes of models turned.

    Args:
        scene: The scene.
        models: The models, of `models_to_turn`.
        opened: The meshes that are turned.
    """
    turned = dict.fromkeys(opened, True)
    links = (_turned(link, turned) if link.model in models else link for link in scene.links)
    return dataclasses.replace(scene, links=tuple(links)) if models else scene


def _meshes(link: Link) -> Iterator[tuple[Collision | Visual, Mesh]]:
    shapes: tuple[Collision | Visual, ...] = (*link.collisions, *link.visuals)
    for shape in shapes:
        if isinstance(shape.geometry, Mesh):
            yield shape, shape.geometry


def _turned(link: Link, opened: dict[Mesh, bool]) -> Link:
    def turn(shape: Collision | Visual) -> Collision | Visual:
        mesh = shape.geometry
        if not isinstance(mesh, Mesh):
            return shape
        reference = mesh.reference
        if mesh in opened:
            mesh = dataclasses.replace(mesh, turned=opened[mesh])
        elif reference is not None and is_open(reference):  # what follows it turns with it
            reference = dataclasses.replace(reference, turned=True)
            mesh = dataclasses.replace(mesh, reference=reference)
        return dataclasses.replace(shape, geometry=mesh)

    return dataclasses.replace(
        link,
        collisions=tuple(map(turn, link.collisions)),  # type: ignore[arg-type]  # of one class
        visuals=tuple(map(turn, link.visuals)),  # type: ignore[arg-type]
    )


def _stands_apart(model: str, scene: Scene, opened: dict[Mesh, bool]) -> bool:
    """Return whether the links of a model stand apart with its meshes as they are, and much less so
    with the open ones turned.
    """
    links = [link for link in scene.links if link.model == model]
    shapes = [mesh for link in links for _, mesh in _meshes(link)]
    if 2 * sum(mesh in opened for mesh in shapes) < max(len(shapes), 1):
        return False  # few stand apart, if any
    boxes = {link.name: _boxes(link, opened) for link in links}
    pairs = [
        (boxes[joint.parent], boxes[joint.child])
        for joint in scene.joints
        if boxes.get(joint.parent) and boxes.get(joint.child)
    ]
    known = [box for both in boxes.values() for box in both[:1]]
    if not pairs or not known:
        return False
    plain, turned = (sum(_gap(a[way], b[way]) for a, b in pairs) for way in (0, 1))
    extent = float(np.ptp([corner for box in known for corner in box], axis=0).max())
    return plain > _GAP * extent * len(pairs) and plain > _CLEARER * turned


def _boxes(link: Link, opened: dict[Mesh, bool]) -> list[_Box]:
    """Return the bounding box of the meshes of a link in the world as they are read, and with the
    open ones turned; nothing if it has none.
    """
    points: dict[int, list[Array]] = defaultdict(list)
    X_WL = IDENTITY if link.name == WORLD else link.X_WL
    for shape, mesh in _meshes(link):
        X_WG = X_WL @ shape.X_LG
        for way, vertices in enumerate(_points(mesh, mesh in opened, _changed(mesh))):
            points[way].append(vertices @ X_WG.R.T + X_WG.p)
    corners = (np.concatenate(found) for _, found in sorted(points.items()))
    return [(found.min(axis=0), found.max(axis=0)) for found in corners]


def _changed(mesh: Mesh) -> float:
    """Return when the file of a mesh was changed; 0 without one."""
    try:
        return os.stat(str(mesh.path)).st_mtime
    except OSError:
        return 0.0


@lru_cache(maxsize=256)
def _points(mesh: Mesh, may_turn: bool, _changed: float) -> tuple[Array, ...]:
    """Return the extreme points of a mesh as it is read, and with its up axis applied; nothing if
    it cannot be read.
    """
    return tuple(map(extreme, both_ways(mesh, is_open=may_turn) or ()))


def _gap(a: _Box, b: _Box) -> float:
    """Return the distance of two boxes [m]."""
    return float(np.linalg.norm(np.maximum(0.0, np.maximum(a[0] - b[1], b[0] - a[1]))))
