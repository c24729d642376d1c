"""Height maps as static triangle meshes."""

from __future__ import annotations

import numpy as np

from loaders.model import Heightmap
from loaders.pictures.decoding import PictureError
from loaders.pictures.gray_levels import gray_levels
from loaders.safety.limits import LimitError, limit_of, spend
from loaders.spatial import Array


def terrain_triangles(heightmap: Heightmap, *, limit: str = "mesh_triangles") -> Array:
    """Return the triangles of a height map in the geometry's frame [m], shape (n, 3, 3).

    The first row of the image is at the largest y, and white is the full height. The diagonal of every cell goes from
    its corner of smallest x and y to that of largest x and y, as in MuJoCo.

    Args:
        heightmap: The height map.
        limit: The limit on its triangles, by its name in `loaders.safety.limits.Limits`.

    Raises:
        PictureError: if the image cannot be read, or has fewer than two rows or columns.
        LimitError: if it makes too many triangles, or the call that is running has made too many.
    """
    image = gray_levels(heightmap.path)
    rows, columns = image.levels.shape
    if min(rows, columns) < 2:
        raise PictureError(f"the image has {columns} x {rows} pixels; expected 2 x 2 at least")
    count = 2 * (rows - 1) * (columns - 1)
    if count > limit_of(limit):
        raise LimitError(limit, limit_of(limit))
    spend("triangles", count)
    heights = image.levels / image.max_level
    sx, sy, sz = heightmap.size
    x, y = np.meshgrid(np.linspace(-sx / 2.0, sx / 2.0, columns), np.linspace(-sy / 2.0, sy / 2.0, rows))
    points = np.stack((x, y, sz * heights[::-1]), axis=-1) + heightmap.position
    near, far = points[:-1], points[1:]
    lower = np.stack((near[:, :-1], near[:, 1:], far[:, 1:]), axis=2)
    upper = np.stack((near[:, :-1], far[:, 1:], far[:, :-1]), axis=2)
    triangles: Array = np.stack((lower, upper), axis=2).reshape(-1, 3, 3)
    return triangles
