"""Meshes and height maps that a source has in itself, as files of the cache, for everything that takes files."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import chain
from typing import TypeVar

from loaders.model import Collision, Geometry, Heightmap, Mesh, Visual
from loaders.scene import Scene

from .file_cache import stored

_Shape = TypeVar("_Shape", Collision, Visual)


def with_asset_files(scene: Scene) -> Scene:
    """Return the scene with a file for each mesh and height map whose content is in the source.

    Where the cache cannot be written the file is missing, which every target reports.

    Args:
        scene: The scene.
    """
    shapes: Iterator[Collision | Visual] = chain.from_iterable(
        (*link.collisions, *link.visuals) for link in scene.links
    )
    if not any(isinstance(shape.geometry, Mesh | Heightmap) and shape.geometry.data for shape in shapes):
        return scene
    links = tuple(
        replace(link, collisions=_with_files(link.collisions), visuals=_with_files(link.visuals))
        for link in scene.links
    )
    return replace(scene, links=links)


def _with_files(shapes: tuple[_Shape, ...]) -> tuple[_Shape, ...]:
    return tuple(replace(shape, geometry=_with_file(shape.geometry)) for shape in shapes)


def _with_file(geometry: Geometry) -> Geometry:
    if not isinstance(geometry, Mesh | Heightmap) or geometry.data is None:
        return geometry
    suffix = ".obj" if isinstance(geometry, Mesh) else ".png"
    try:
        path = str(stored(geometry.data, suffix))
    except OSError:
        return replace(geometry, path=None, data=None)
    return replace(geometry, path=path, data=None)
