"""Mechanisms into PyBullet.

`load_into_pybullet` never uses PyBullet's own SDF reader and never shows it the user's file: it writes one canonical
URDF for each body, and undoes what PyBullet adds of its own.
"""

from __future__ import annotations

from .handle.body import PyBulletBody
from .handle.body_sequence import Bodies
from .load import load_into_pybullet

__all__ = ["Bodies", "PyBulletBody", "load_into_pybullet"]
