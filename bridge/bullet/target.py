"""Constants that all of `bridge.bullet` shares."""

from __future__ import annotations

TARGET = "pybullet"
"""Name of this target in diagnostics."""
BASE = -1
"""PyBullet's link index of the base of a body."""
