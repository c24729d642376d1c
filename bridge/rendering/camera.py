"""What every picture here shares, whoever draws it: the image, the camera that frames a model, and the background."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from loaders.spatial import Array

Image = NDArray[np.uint8]
"""Red, green and blue, shape (height, width, 3)."""

SIZE = (640, 480)
FIELD_OF_VIEW = 35.0
"""Vertical, in degrees."""
AZIMUTH, ELEVATION = 140.0, -18.0
"""Direction in which the camera looks, in degrees."""
_MARGIN = 1.1


@dataclass(frozen=True, slots=True, kw_only=True)
class Camera:
    """Where pictures are taken from."""

    target: Array
    """[m], shape (3,), in the world."""
    distance: float
    """From the target [m]."""

    @property
    def eye(self) -> Array:
        """Of the camera, in the world."""
        position: Array = self.target - self.distance * _axes()[2]
        return position


def _axes() -> Array:
    """Right, up and forward of the camera in the world, shape (3, 3)."""
    a, e = math.radians(AZIMUTH), math.radians(ELEVATION)
    forward = np.array((math.cos(e) * math.cos(a), math.cos(e) * math.sin(a), math.sin(e)))
    right = np.array((math.sin(a), -math.cos(a), 0.0))
    return np.array((right, np.cross(right, forward), forward))


def fit_camera(points: Array) -> Camera:
    """A camera as near as shows all points, shape (n, 3), with a margin."""
    axes = _axes()
    seen = points @ axes.T
    middle = (seen.min(axis=0) + seen.max(axis=0)) / 2.0
    slope = math.tan(math.radians(FIELD_OF_VIEW / 2.0))
    slopes = np.array((slope * SIZE[0] / SIZE[1], slope))
    needed = np.abs(seen[:, :2] - middle[:2]) / slopes - (seen[:, 2:] - middle[2])
    return Camera(target=middle @ axes, distance=max(_MARGIN * float(needed.max()), 1e-3))


def composite_on_background(image: Image, mask: NDArray[np.bool_]) -> Image:
    """The model on the same light background, whoever drew it."""
    height, width = mask.shape
    shade = np.linspace(252, 232, height).astype(np.uint8)
    paper = np.repeat(np.repeat(shade[:, None, None], width, axis=1), 3, axis=2)
    drawn: Image = np.where(mask[:, :, None], image, paper).astype(np.uint8)
    return drawn
