"""Images of height maps as gray levels."""

from __future__ import annotations

import io
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from .decoding import PictureError, decoded, picture_bytes

_GRAY = frozenset({"1", "L", "LA"})
"""Pillow's names of the modes of images with one channel of at most 8 bits, and opacity."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class GrayLevels:
    """Gray levels of an image.

    Attributes:
        levels: Levels, shape (rows, columns), from the row at the largest y to that at the smallest.
        max_level: The level of full height: 255 or 65535.
    """

    levels: NDArray[np.int32]
    max_level: int

    def png(self) -> bytes:
        """Return a PNG file with the same levels."""
        from PIL import Image

        stream = io.BytesIO()
        Image.fromarray(self.levels.astype(np.uint8 if self.max_level == 255 else np.uint16)).save(stream, "PNG")
        return stream.getvalue()


def gray_levels(path: str | None) -> GrayLevels:
    """Return the gray levels of an image file.

    Args:
        path: Path of the image, in a format of `loaders.pictures.decoding.FORMATS`; None if it was not found.

    Raises:
        PictureError: if there is no image, or it cannot be read.
    """
    if path is None:
        raise PictureError("the file was not found")
    with decoded(picture_bytes(path), path) as image:
        has_16_bits = image.mode.startswith("I")
        levels = np.asarray(image.convert("I" if has_16_bits else "L"), dtype=np.int32)
    return GrayLevels(levels=levels, max_level=65535 if has_16_bits else 255)


def red_levels(path: str | None) -> tuple[GrayLevels, bool]:
    """Return the levels that MuJoCo reads, and whether the image has no others.

    They are those of the red channel, and of levels of 16 bits the upper 8.

    Args:
        path: Path of the image, as for `gray_levels`.

    Raises:
        PictureError: if there is no image, or it cannot be read.
    """
    if path is None:
        raise PictureError("the file was not found")
    with decoded(picture_bytes(path), path) as image:
        if image.mode.startswith("I"):
            levels = np.asarray(image.convert("I"), dtype=np.int32) >> 8
        else:
            levels = np.asarray(image.convert("RGB"), dtype=np.int32)[..., 0]
        return GrayLevels(levels=levels, max_level=255), image.mode in _GRAY
