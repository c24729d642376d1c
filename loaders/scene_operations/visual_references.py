"""Pair each COLLADA visual with the collision mesh that shows its orientation. No file is opened here."""

from __future__ import annotations

import dataclasses

from loaders.model import Collision, Link, Mesh, Visual
from loaders.scene import Scene


def with_references(scene: Scene) -> Scene:
    """Return a scene whose COLLADA visuals refer to the collision mesh of their link at the same pose.

    A visual has none if there is no collision mesh of another file at its pose, or several. A scene without COLLADA
    visuals is returned as it is.

    Args:
        scene: The scene.
    """
    if not any(_is_collada(visual) for link in scene.links for visual in link.visuals):
        return scene
    return dataclasses.replace(scene, links=tuple(map(_with_references, scene.links)))


def _is_collada(shape: Visual) -> bool:
    mesh = shape.geometry
    return isinstance(mesh, Mesh) and mesh.path is not None and mesh.path.lower().endswith(".dae")


def _with_references(link: Link) -> Link:
    meshes = [(shape, shape.geometry) for shape in link.collisions if isinstance(shape.geometry, Mesh)]
    if not meshes:
        return link
    return dataclasses.replace(link, visuals=tuple(_referring(visual, meshes) for visual in link.visuals))


def _referring(visual: Visual, meshes: list[tuple[Collision, Mesh]]) -> Visual:
    drawn = visual.geometry
    if not isinstance(drawn, Mesh) or not _is_collada(visual):
        return visual
    found = [
        mesh
        for collision, mesh in meshes
        if mesh.path not in (None, drawn.path) and collision.X_LG.is_close(visual.X_LG, 1e-9)
    ]
    if len(found) != 1:
        return visual
    reference = dataclasses.replace(found[0], uri="")
    return dataclasses.replace(visual, geometry=dataclasses.replace(drawn, reference=reference))
