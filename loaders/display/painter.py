"""A renderer of triangles in NumPy: parallel projection, one light, a depth buffer and a transparent background.

It needs neither a display nor a graphics library, so that every notebook shows the same picture.
"""

from __future__ import annotations

import io
import math

import numpy as np
from numpy.typing import NDArray

from loaders.spatial import Array

AZIMUTH, ELEVATION = 140.0, -18.0
"""Direction in which the camera looks [degrees], the same as in all pictures of this project."""
_OVERSAMPLING = 2
"""Number of samples per pixel in each direction."""
_MARGIN = 1.06
"""Factor on the extent of the scene."""
_LIGHT = (-0.35, 0.55, -0.76)
"""Direction of the light: to the right, up and forward in the picture."""
_AMBIENT = 0.45
"""Share of the light that has no direction."""
_CHUNK = 400_000
"""Largest number of samples that are computed at once."""
_DEPTHS = 2**30
"""Number of depths that are told apart."""
_MAX_LEVEL = 11
"""Largest power of two by which an edge is divided."""


def view_axes() -> Array:
    """Return the directions right, up and forward of the camera in the world, shape (3, 3)."""
    a, e = math.radians(AZIMUTH), math.radians(ELEVATION)
    forward = np.array((math.cos(e) * math.cos(a), math.cos(e) * math.sin(a), math.sin(e)))
    right = np.array((math.sin(a), -math.cos(a), 0.0))
    return np.array((right, np.cross(right, forward), forward))


def paint(corners: Array, colors: Array, size: tuple[int, int]) -> bytes:
    """Return a picture of triangles as PNG.

    Args:
        corners: Corners of the triangles in the world [m], shape (n, 3, 3).
        colors: Red, green and blue of each triangle, from 0 to 1, shape (n, 3).
        size: Width and height [pixels].
    """
    width, height = (_OVERSAMPLING * pixels for pixels in size)
    seen = corners @ view_axes().T
    shaded = (255.0 * np.clip(colors * _brightness(seen)[:, None], 0.0, 1.0)).astype(np.uint8)
    nearest = _nearest(_on_screen(seen, width, height), width, height)
    is_drawn = nearest >= 0
    pixels = np.zeros((height * width, 4), dtype=np.float64)
    pixels[is_drawn, :3] = shaded[nearest[is_drawn]]
    pixels[is_drawn, 3] = 255.0
    return _png(_downsampled(pixels.reshape(height, width, 4)))


def _brightness(seen: Array) -> Array:
    """The share of light that each triangle sends to the camera; both of its sides are lit alike."""
    normals = np.cross(seen[:, 1] - seen[:, 0], seen[:, 2] - seen[:, 0])
    normals /= np.maximum(np.linalg.norm(normals, axis=1), 1e-300)[:, None]
    normals *= -np.sign(normals[:, 2:])  # toward the camera
    brightness: Array = _AMBIENT + (1.0 - _AMBIENT) * np.clip(normals @ np.array(_LIGHT), 0.0, 1.0)
    return brightness


def _on_screen(seen: Array, width: int, height: int) -> Array:
    """Return the corners in samples from the top left, with depths from 0 to 1."""
    low, high = seen.min(axis=(0, 1)), seen.max(axis=(0, 1))
    middle, extent = (low + high) / 2.0, np.maximum(high - low, 1e-12)
    scale = min(width / extent[0], height / extent[1]) / _MARGIN
    screen = (seen - middle) * (scale, -scale, 1.0 / extent[2])
    placed: Array = screen + np.array((width / 2.0, height / 2.0, 0.5))
    return placed


def _nearest(screen: Array, width: int, height: int) -> NDArray[np.int64]:
    """Return the index of the nearest triangle at each sample, -1 where there is none."""
    empty = np.iinfo(np.int64).max
    buffer = np.full(width * height, empty)
    edges = np.linalg.norm(screen[:, :, :2] - np.roll(screen[:, :, :2], 1, axis=1), axis=2).max(axis=1)
    levels = np.clip(np.ceil(np.log2(np.maximum(edges, 1.0))), 0, _MAX_LEVEL).astype(np.int64)
    for level in np.unique(levels):
        weights = _weights(2 ** int(level))
        members = np.flatnonzero(levels == level)
        step = max(1, _CHUNK // len(weights))
        for start in range(0, len(members), step):
            _draw(buffer, screen, members[start : start + step], weights, width)
    return np.where(buffer == empty, -1, buffer & 0xFFFFFFFF)


def _weights(n: int) -> Array:
    """Return the weights of the corners at the points that divide the edges of a triangle into n parts."""
    i, j = np.meshgrid(np.arange(n + 1), np.arange(n + 1), indexing="ij")
    inside = i + j <= n
    u, v = i[inside] / n, j[inside] / n
    return np.column_stack((u, v, 1.0 - u - v))


def _draw(buffer: NDArray[np.int64], screen: Array, members: NDArray[np.int64], weights: Array, width: int) -> None:
    """Draw some triangles: each sample shows the one with the smallest depth, of equal ones the first."""
    points = weights @ screen[members]
    columns, rows = points[..., 0].astype(np.int64), points[..., 1].astype(np.int64)
    depths = np.clip(points[..., 2] * _DEPTHS, 0, _DEPTHS).astype(np.int64)
    keys = (depths << 32) | members[:, None]
    np.minimum.at(buffer, (rows * width + columns).ravel(), keys.ravel())


def _downsampled(samples: Array) -> NDArray[np.uint8]:
    """Return the pixels: the mean color of the samples that are drawn, with their share as opacity."""
    n = _OVERSAMPLING
    height, width = samples.shape[0] // n, samples.shape[1] // n
    total = samples.reshape(height, n, width, n, 4).sum(axis=(1, 3))
    count = total[..., 3:] / 255.0
    color = total[..., :3] / np.maximum(count, 1.0)
    return np.concatenate((color, total[..., 3:] / n**2), axis=2).astype(np.uint8)


def _png(pixels: NDArray[np.uint8]) -> bytes:
    from PIL import Image

    stream = io.BytesIO()
    Image.fromarray(pixels).save(stream, "PNG")
    return stream.getvalue()
