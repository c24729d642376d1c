"""Height maps as still surfaces: the grey levels of an image, joined by triangles."""

from __future__ import annotations

import numpy as np

from bridge.geometry.heightmaps import gray_levels
from loaders.model import Heightmap
from loaders.spatial import Array


def surface(heightmap: Heightmap) -> Array | None:
    """The triangles of a height map in the geometry's frame [m], shape (n, 3, 3); None if its image cannot be read.

    The first row of the image is the far one, at the largest y. White is the full height. Every cell is cut from its
    corner of least x and y to that of most, as MuJoCo does.
    """
    grey = gray_levels(heightmap.path)
    if grey is None or min(grey.levels.shape) < 2:
        return None
    heights = grey.levels / grey.max_level
    rows, columns = heights.shape
    sx, sy, sz = heightmap.size
    x, y = np.meshgrid(np.linspace(-sx / 2.0, sx / 2.0, columns), np.linspace(-sy / 2.0, sy / 2.0, rows))
    points = np.stack((x, y, sz * heights[::-1]), axis=-1) + heightmap.position
    near, far = points[:-1], points[1:]
    lower = np.stack((near[:, :-1], near[:, 1:], far[:, 1:]), axis=2)
    upper = np.stack((near[:, :-1], far[:, 1:], far[:, :-1]), axis=2)
    triangles: Array = np.stack((lower, upper), axis=2).reshape(-1, 3, 3)
    return triangles
