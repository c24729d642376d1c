"""Differences between two scenes, item by item; the comparison of files is imported when it is
used.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from loaders.deferred import on_demand

from .differences import Difference, differences

if TYPE_CHECKING:
    from .files import FileComparison, FileVerdict, compare_files

__all__ = ["Difference", "FileComparison", "FileVerdict", "compare_files", "differences"]

__getattr__ = on_demand(
    __name__, dict.fromkeys(("FileComparison", "FileVerdict", "compare_files"), ".files")
)
