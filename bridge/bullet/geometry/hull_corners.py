"""The corners of a mesh on its convex hull as PyBullet computes it, which it does again for every shape that it loads.

PyBullet rounds positions to a grid of 10,216 cells along each side of the bounding box, and takes the hull of the
rounded positions. Of a mesh of 5,000 corners that takes 25 ms, of the 500 corners of its hull 1.4 ms.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bridge.bullet.client.client import Client
from bridge.bullet.client.stdout_capture import capture_stdout

_CELLS = 10_216
"""Number of cells of PyBullet's grid along each side of the bounding box."""
_REACH = 2
"""Distance in cells from a corner of the hull within which rounding may have moved it there."""
_MIN_CORNERS = 32
"""Number of corners below which leaving some out saves nothing."""
Corners = NDArray[np.float32]


def hull_corners(corners: Corners) -> Corners:
    """Return the corners without those that PyBullet's convex hull does not depend on, in order.

    Args:
        corners: Different positions, shape (n, 3) [m]. All are returned if there are few, or if PyBullet's hulls of all
            and of those that remain are not the same, point by point.
    """
    cell = np.ptp(corners.astype(np.float64), axis=0) / _CELLS if len(corners) >= _MIN_CORNERS else np.zeros(3)
    if not (np.isfinite(cell).all() and cell.min() > np.finfo(np.float32).tiny):
        return corners
    with _server() as client:
        hull = _hull(corners, client)
        kept = corners[_are_near(corners, np.array(sorted(hull)), cell)] if hull else corners
        is_same = len(kept) < len(corners) and _hull(kept, client) == hull
    return kept if is_same else corners


def _are_near(corners: Corners, hull: NDArray[np.float64], cell: NDArray[np.float64]) -> NDArray[np.bool_]:
    """Return which corners may be points of the hull, or touch the bounding box.

    Args:
        corners: Positions, shape (n, 3).
        hull: The points of the hull, shape (m, 3), on PyBullet's grid.
        cell: Size of a cell of the grid along each axis.
    """
    offsets = np.array(list(product(range(-_REACH, _REACH + 1), repeat=3)))
    origin = corners.min(axis=0)
    near = np.isin(_numbers(corners, origin, cell), _numbers(hull, origin, cell, offsets))
    near[corners.argmin(axis=0)] = near[corners.argmax(axis=0)] = True
    return np.asarray(near, dtype=np.bool_)


def _numbers(
    positions: NDArray[Any], origin: Corners, cell: NDArray[np.float64], offsets: NDArray[np.int_] | None = None
) -> NDArray[np.int_]:
    """Return the number of the cell of each position; with offsets, those of all cells around it.

    Args:
        positions: Positions, shape (n, 3).
        origin: Lowest corner of the bounding box.
        cell: Size of a cell.
        offsets: Steps to the cells around, shape (m, 3).
    """
    cells = np.rint((positions.astype(np.float64) - origin) / cell).astype(np.int_)[:, None]
    x, y, z = np.moveaxis(cells + (0 if offsets is None else offsets) + _REACH, -1, 0)
    side = _CELLS + 4 * _REACH
    return np.asarray(((x * side + y) * side + z).ravel(), dtype=np.int_)


@contextmanager
def _server() -> Iterator[Client]:
    """Start a physics server of its own."""
    import pybullet

    client = Client(pybullet.connect(pybullet.DIRECT))
    try:
        with capture_stdout([]):
            yield client
    finally:
        client.disconnect()


def _hull(corners: Corners, client: Client) -> set[tuple[float, ...]]:
    """Return the points of PyBullet's hull; none if it refuses the corners, as there are too many."""
    modes = client.modes
    try:
        shape = client.createCollisionShape(modes.GEOM_MESH, vertices=corners.tolist())
        body = client.createMultiBody(0.0, shape)
        return set(map(tuple, client.getMeshData(body, -1)[1]))
    except modes.error:
        return set()
