"""Differences between two scenes, item by item."""

from .differences import Difference, differences

__all__ = ["Difference", "differences"]
