"""Differences between two scenes, item by item."""

from .differences import Difference, differences
from .files import FileComparison, compare_files

__all__ = ["Difference", "FileComparison", "compare_files", "differences"]
