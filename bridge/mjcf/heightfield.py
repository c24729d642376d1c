"""Height maps: from an image to MuJoCo's height field."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from loaders.diagnostics import Fate, Where
from loaders.model import Heightmap

from .context import Context

_BASE = 0.01
"""Thickness that MuJoCo wants below the lowest point [m]."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Heightfield:
    """An image that MuJoCo reads, its ``size`` attribute, and its origin in the geometry's frame [m]."""

    png: bytes
    size: tuple[float, float, float, float]
    origin: tuple[float, float, float]


def read_heightfield(heightmap: Heightmap, where: Where, context: Context) -> Heightfield | None:
    """Read the image as grey levels; None with a diagnostic if that cannot be done.

    MuJoCo spreads the levels of an image to fill 0 to 1, so the size along z is that of the levels that occur.
    """
    levels = _levels(heightmap.path)
    if levels is None:
        message = f"the height map {heightmap.uri} cannot be read as an image"
        hint = "it must be a PNG file that exists; Pillow reads it: pip install pillow"
        context.report(Fate.DROPPED, "heightmap", message, where, hint=hint)
        return None
    png, lowest, highest, top = levels
    x, y, z = heightmap.size
    bottom, height = z * lowest / top, z * (highest - lowest) / top
    px, py, pz = heightmap.position
    return Heightfield(
        png=png,
        size=(x / 2.0, y / 2.0, height or 1e-6, _BASE),
        origin=(px, py, pz + bottom),
    )


def _levels(path: str | None) -> tuple[bytes, int, int, int] | None:
    """The file's bytes, its lowest and highest grey level, and the level that stands for full height."""
    try:
        from PIL import Image, UnidentifiedImageError
    except ImportError:
        return None
    if path is None or not path.lower().endswith(".png"):
        return None
    try:
        with Image.open(path) as image:
            deep = image.mode.startswith("I")
            levels = np.asarray(image.convert("I" if deep else "L"))
    except (OSError, UnidentifiedImageError):
        return None
    return Path(path).read_bytes(), int(levels.min()), int(levels.max()), 65535 if deep else 255
