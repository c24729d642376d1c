"""Height maps as static triangle meshes."""

from __future__ import annotations

import numpy as np

from bridge.geometry.heightmaps import gray_levels
from loaders.model import Heightmap
from loaders.safety.limits import spend
from loaders.spatial import Array


def terrain_triangles(heightmap: Heightmap) -> Array | None:
    """Return the triangles of a height map in the geometry's frame [m], shape (n, 3, 3).

    The first row of the image is at the largest y, and white is the full height. The diagonal of every cell goes from
    its corner of smallest x and y to that of largest x and y, as in MuJoCo.

    Returns:
        The triangles; None if the image cannot be read or has fewer than two rows or columns.

    Raises:
        LimitError: if the call that is running has made too many triangles.
    """
    image = gray_levels(heightmap.path)
    if image is None or min(image.levels.shape) < 2:
        return None
    heights = image.levels / image.max_level
    rows, columns = heights.shape
    spend("triangles", 2 * (rows - 1) * (columns - 1))
    sx, sy, sz = heightmap.size
    x, y = np.meshgrid(np.linspace(-sx / 2.0, sx / 2.0, columns), np.linspace(-sy / 2.0, sy / 2.0, rows))
    points = np.stack((x, y, sz * heights[::-1]), axis=-1) + heightmap.position
    near, far = points[:-1], points[1:]
    lower = np.stack((near[:, :-1], near[:, 1:], far[:, 1:]), axis=2)
    upper = np.stack((near[:, :-1], far[:, 1:], far[:, :-1]), axis=2)
    triangles: Array = np.stack((lower, upper), axis=2).reshape(-1, 3, 3)
    return triangles
