"""Height maps as still surfaces: the grey levels of an image, joined by triangles."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from loaders.model import Heightmap
from loaders.spatial import Array


def surface(heightmap: Heightmap) -> Array | None:
    """The triangles of a height map in the geometry's frame [m], shape (n, 3, 3); None if its image cannot be read.

    The first row of the image is the far one, at the largest y. White is the full height. Every cell is cut from its
    corner of least x and y to that of most, as MuJoCo does.
    """
    heights = _heights(heightmap.path)
    if heights is None or min(heights.shape) < 2:
        return None
    rows, columns = heights.shape
    sx, sy, sz = heightmap.size
    x, y = np.meshgrid(np.linspace(-sx / 2.0, sx / 2.0, columns), np.linspace(-sy / 2.0, sy / 2.0, rows))
    points = np.stack((x, y, sz * heights[::-1]), axis=-1) + heightmap.position
    near, far = points[:-1], points[1:]
    lower = np.stack((near[:, :-1], near[:, 1:], far[:, 1:]), axis=2)
    upper = np.stack((near[:, :-1], far[:, 1:], far[:, :-1]), axis=2)
    triangles: Array = np.stack((lower, upper), axis=2).reshape(-1, 3, 3)
    return triangles


def _heights(path: str | None) -> NDArray[np.float64] | None:
    """The grey levels of an image from 0 to 1, row by row."""
    try:
        from PIL import Image, UnidentifiedImageError
    except ImportError:
        return None
    if path is None:
        return None
    try:
        with Image.open(path) as image:
            deep = image.mode.startswith("I")
            levels = np.asarray(image.convert("I" if deep else "L"), dtype=np.float64)
    except (OSError, UnidentifiedImageError):
        return None
    return levels / (65535.0 if deep else 255.0)
