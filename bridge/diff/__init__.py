"""Differences between two scenes, item by item."""

from .differences import Difference, differences
from .files import FileComparison, Verdict, compare_files

__all__ = ["Difference", "FileComparison", "Verdict", "compare_files", "differences"]
