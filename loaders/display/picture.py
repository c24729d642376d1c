"""The picture of a scene: its visuals, or its collisions if it has none."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from loaders.model import Heightmap, Link, Plane, SceneData
from loaders.safety.limits import LimitError
from loaders.spatial import Array, Pose

from .painter import paint
from .triangles import surfaces

SIZE = (384, 288)
"""Width and height [pixels]."""
MAX_TRIANGLES = 1_000_000
"""Largest number of triangles of a picture."""
_INVISIBLE = 0.05
"""Opacity below which a visual is left out."""


def picture(scene: SceneData, poses: Mapping[str, Pose] | None = None) -> bytes | None:
    """Return a picture of a scene as PNG; None if it has nothing to draw, or more than `MAX_TRIANGLES`.

    Args:
        scene: The scene.
        poses: Pose of each link in the world; None for those of the scene.
    """
    try:
        triangles = _triangles(scene, poses or {})
    except LimitError:
        return None
    return paint(*triangles, SIZE) if triangles else None


def _triangles(scene: SceneData, poses: Mapping[str, Pose]) -> tuple[Array, Array] | None:
    """Return the corners and colors of all triangles in the world."""
    has_visuals = any(link.visuals for link in scene.links)
    corners, colors, count = [], [], 0
    for link in scene.links:
        for vertices, rgb in _parts(link, poses.get(link.name, link.X_WL), has_visuals):
            count += len(vertices)
            if count > MAX_TRIANGLES:
                return None
            corners.append(vertices)
            colors.append(np.broadcast_to(rgb, (len(vertices), 3)))
    return (np.concatenate(corners), np.concatenate(colors)) if corners else None


def _parts(link: Link, X_WL: Pose, visuals: bool) -> list[tuple[Array, tuple[float, float, float]]]:
    """Return the triangles of a link in the world, shape (n, 3, 3), and their colors; grounds would hide the rest."""
    parts = []
    for shape in link.visuals if visuals else link.collisions:
        if isinstance(shape.geometry, Plane | Heightmap):
            continue
        X_WG = X_WL @ shape.X_LG
        for surface in surfaces(shape):
            if surface.rgba[3] >= _INVISIBLE:
                in_world = surface.vertices @ X_WG.R.T + X_WG.p
                parts.append((in_world[surface.faces], surface.rgba[:3]))
    return parts
