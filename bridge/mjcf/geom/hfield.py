"""Height maps: from an image to MuJoCo's height field."""

from __future__ import annotations

from dataclasses import dataclass

from bridge.geometry.heightmaps import gray_levels
from bridge.mjcf.xml.context import Context
from loaders.diagnostics import Fate, Where
from loaders.model import Heightmap

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
    grey = gray_levels(heightmap.path)
    if grey is None:
        message = f"the height map {heightmap.uri} cannot be read as an image"
        hint = "it must be an image that exists and that Pillow reads: pip install pillow"
        context.report(Fate.DROPPED, "heightmap", message, where, hint=hint)
        return None
    lowest, highest = int(grey.levels.min()), int(grey.levels.max())
    x, y, z = heightmap.size
    bottom, height = z * lowest / grey.max_level, z * (highest - lowest) / grey.max_level
    px, py, pz = heightmap.position
    return Heightfield(
        png=grey.png(),
        size=(x / 2.0, y / 2.0, height or 1e-6, _BASE),
        origin=(px, py, pz + bottom),
    )
