"""Differences between two scenes, item by item."""

from .differences import Difference, differences
from .files import FileComparison, FileVerdict, compare_files

__all__ = ["Difference", "FileComparison", "FileVerdict", "compare_files", "differences"]
