"""Height maps: from an image to MuJoCo's height field."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from bridge.mjcf.xml.context import Context
from loaders.diagnostics import Fate, Where
from loaders.model import Heightmap
from loaders.pictures.decoding import PictureError
from loaders.pictures.gray_levels import gray_levels

_MAX_BYTE = 255
_BASE = 0.01
"""Thickness below the lowest point that MuJoCo demands [m]."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Heightfield:
    """A file that MuJoCo reads, its ``size`` attribute, and its origin in the geometry's frame [m]."""

    data: bytes
    suffix: str
    size: tuple[float, float, float, float]
    origin: tuple[float, float, float]


def read_heightfield(heightmap: Heightmap, link: str, where: Where, context: Context) -> Heightfield | None:
    """Read the image as gray levels.

    MuJoCo scales the levels of an image to 0 to 1, so the size along z is that of the levels that occur. Of 16 bits in
    a PNG file MuJoCo reads the upper 8; such levels are written in MuJoCo's own format.

    Args:
        heightmap: The geometry.
        link: Name of the link that has it.
        where: The place of the shape in the source.
        context: The export.

    Returns:
        The height field; None, with a diagnostic, if the image cannot be read.
    """
    try:
        gray = gray_levels(heightmap.path)
    except PictureError as error:
        context.report(
            Fate.DROPPED,
            "heightmap",
            "cannot read the height map {uri} as an image: {reason}",
            where,
            hint="use an existing image in a format that Pillow reads",
            subjects=(link,),
            uri=heightmap.uri,
            reason=str(error),
        )
        return None
    lowest, highest = int(gray.levels.min()), int(gray.levels.max())
    x, y, z = heightmap.size
    bottom, height = z * lowest / gray.max_level, z * (highest - lowest) / gray.max_level
    px, py, pz = heightmap.position
    return Heightfield(
        data=gray.png() if gray.max_level == _MAX_BYTE else _binary(gray.levels),
        suffix=".png" if gray.max_level == _MAX_BYTE else ".bin",
        size=(x / 2.0, y / 2.0, height or 1e-6, _BASE),
        origin=(px, py, pz + bottom),
    )


def _binary(levels: NDArray[np.int32]) -> bytes:
    """Return levels as a file in MuJoCo's format: the numbers of rows and columns, and rows from the smallest y."""
    return np.array(levels.shape, dtype="<i4").tobytes() + levels[::-1].astype("<f4").tobytes()
