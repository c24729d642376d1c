"""The rays of a lidar: their directions, in the order in which the source scans them."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

from loaders.model import Sensor
from loaders.spatial import Array, frozen, rotation_about

from .sensor_parameters import finite_number, positive_number

_UP, _LEFT = frozen((0.0, 0.0, 1.0)), frozen((0.0, 1.0, 0.0))
_SCANS, _SPREAD = ("lidar", "ray"), ("samples", "min_angle", "max_angle")
MAX_RAYS = 100
"""Largest number of range finders of one lidar; if it has more rays, every second, third, ... ray is written."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LidarRays:
    """The rays of a lidar that are written.

    Attributes:
        rays: Suffix of the ray's name, and the rotation of its direction in the sensor's frame, shape (3, 3).
        count: Number of rays in the source.
        stride: One ray in this many is written.
        max_range: Length of the rays [m]; None if unlimited.
        parameters: Paths of the sensor's parameters that the rays represent.
    """

    rays: tuple[tuple[str, Array], ...]
    count: int
    stride: int
    max_range: float | None
    parameters: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class _Fan:
    """Rays in one plane, evenly spaced from the first angle to the last [rad]."""

    samples: int
    first: float
    last: float

    def angle(self, i: int) -> float:
        part = i / (self.samples - 1) if self.samples > 1 else 0.5
        return self.first + (self.last - self.first) * part


def lidar_rays(sensor: Sensor) -> LidarRays:
    """Return the rays of a lidar, row by row from the lowest, each row from its first angle to its last."""
    parameters = dict(sensor.parameters)
    scan = next((path for path in _SCANS if any(key.startswith(path) for key in parameters)), _SCANS[0])
    horizontal, vertical = (_fan(parameters, f"{scan}/scan/{plane}") for plane in ("horizontal", "vertical"))
    count = horizontal.samples * vertical.samples
    stride = -(-count // MAX_RAYS)
    max_range = positive_number(parameters, f"{scan}/range/max", math.inf)
    rays = []
    for i in range(0, count, stride):
        row, column = divmod(i, horizontal.samples)
        R = rotation_about(_UP, horizontal.angle(column)) @ rotation_about(_LEFT, -vertical.angle(row))
        rays.append((f"_{i}" if count > 1 else "", R))
    paths = [f"{scan}/scan/{plane}/{name}" for plane in ("horizontal", "vertical") for name in _SPREAD]
    return LidarRays(
        rays=tuple(rays),
        count=count,
        stride=stride,
        max_range=max_range if math.isfinite(max_range) else None,
        parameters=(*paths, f"{scan}/range/max"),
    )


def _fan(parameters: Mapping[str, str], path: str) -> _Fan:
    """Return the rays in one plane; a single ray straight ahead if the source states none."""
    samples = max(1, round(min(positive_number(parameters, f"{path}/samples", 1.0), 1e9)))
    return _Fan(samples, finite_number(parameters, f"{path}/min_angle"), finite_number(parameters, f"{path}/max_angle"))
