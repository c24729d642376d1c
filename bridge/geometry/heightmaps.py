"""Images of terrain, as grey levels."""

from __future__ import annotations

import io
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class GreyLevels:
    """The levels of an image, row by row from the far side (largest y) to the near one."""

    levels: NDArray[np.int32]
    top: int
    """The level that stands for full height: 255 or 65535."""

    def png(self) -> bytes:
        """The same levels as a PNG file."""
        from PIL import Image

        stream = io.BytesIO()
        Image.fromarray(self.levels.astype(np.uint8 if self.top == 255 else np.uint16)).save(stream, "PNG")
        return stream.getvalue()


def grey_levels(path: str | None) -> GreyLevels | None:
    """Read an image of any kind that Pillow knows; None if there is none, it cannot be read, or Pillow is missing."""
    try:
        from PIL import Image, UnidentifiedImageError
    except ImportError:
        return None
    if path is None:
        return None
    try:
        with Image.open(path) as image:
            deep = image.mode.startswith("I")
            levels = np.asarray(image.convert("I" if deep else "L"), dtype=np.int32)
    except (OSError, UnidentifiedImageError, Image.DecompressionBombError):
        return None
    return GreyLevels(levels=levels, top=65535 if deep else 255)
