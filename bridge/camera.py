"""The image, camera and background that the pictures of all engines share."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from loaders.deferred import Deferred
from loaders.pose import Array

_view_axes: Callable[[], Array] = Deferred("loaders.picture:view_axes")  # a load draws nothing

Image = NDArray[np.uint8]
"""Red, green and blue, shape (height, width, 3)."""

SIZE = (640, 480)
"""Width and height of an image [pixels]."""
FIELD_OF_VIEW = 35.0
"""Vertical field of view [degrees]."""
_MARGIN = 1.2
"""Factor on the distance at which the model just fills the image."""
_MIN_DISTANCE = 1e-3
"""Smallest distance of the camera from its target [m]."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Camera:
    """A camera that looks at a point from the direction of `loaders.picture.view_axes`."""

    target: Array
    """Point in the center of the image [m], shape (3,), in the world."""
    distance: float
    """Distance from the target [m]."""

    @property
    def eye(self) -> Array:
        """Position of the camera [m], shape (3,), in the world."""
        position: Array = self.target - self.distance * _view_axes()[2]
        return position


def fit_camera(points: Array) -> Camera:
    """Return the nearest camera that shows all points, with a margin.

    Args:
        points: Points in the world [m], shape (n, 3).
    """
    axes = _view_axes()
    in_camera = points @ axes.T
    middle = (in_camera.min(axis=0) + in_camera.max(axis=0)) / 2.0
    slope = math.tan(math.radians(FIELD_OF_VIEW / 2.0))
    slopes = np.array((slope * SIZE[0] / SIZE[1], slope))
    needed = np.abs(in_camera[:, :2] - middle[:2]) / slopes - (in_camera[:, 2:] - middle[2])
    return Camera(target=middle @ axes, distance=max(_MARGIN * float(needed.max()), _MIN_DISTANCE))


def composite_on_background(image: Image, mask: NDArray[np.bool_]) -> Image:
    """Return the model in an image on a light background, the same for every engine.

    Args:
        image: The image that an engine rendered.
        mask: Whether each pixel shows the model, shape (height, width).
    """
    height, width = mask.shape
    shade = np.linspace(252, 232, height).astype(np.uint8)
    background = np.repeat(np.repeat(shade[:, None, None], width, axis=1), 3, axis=2)
    composite: Image = np.where(mask[:, :, None], image, background).astype(np.uint8)
    return composite
