"""Comparison of two files or scenes: what differs, and whether both move alike."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import Any, Unpack

import loaders
from loaders import LoadOptions
from loaders.diagnostics import ExportError
from loaders.option_names import check_option_names
from loaders.scene import Scene

from .differences import TOLERANCE, Difference, differences
from .mechanics import MechanicalError, mechanical_error

Model = str | os.PathLike[str] | Scene
"""A path of any format that can be read, or a scene."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FileComparison:
    """The result of `compare_files`.

    Attributes:
        differences: What differs, item by item, in the order of A.
        mechanics: How far poses, masses, mass matrices and colliding pairs differ; None if a scene has no mechanism.
        tolerance: Largest difference of equal numbers.
    """

    differences: tuple[Difference, ...]
    mechanics: MechanicalError | None
    tolerance: float

    @property
    def equal(self) -> bool:
        """True if nothing differs."""
        return not self.differences

    @property
    def moves_alike(self) -> bool:
        """True if the same links have the same poses, masses, mass matrix and colliding pairs."""
        return self.mechanics is not None and self.mechanics.is_within(self.tolerance)

    def to_dict(self) -> dict[str, Any]:
        """Return the result as plain data."""
        return {
            "equal": self.equal,
            "moves_alike": self.moves_alike,
            "differences": [
                {"kind": d.kind, "name": d.name, "field": d.field, "a": _json(d.a), "b": _json(d.b)}
                for d in self.differences
            ],
        }


def compare_files(
    a: Model, b: Model, *, tolerance: float = TOLERANCE, **options: Unpack[LoadOptions]
) -> FileComparison:
    """Compare two files of any format, or two revisions of one file; items are matched by name.

    Args:
        a: The first file or scene.
        b: The second file or scene.
        tolerance: Largest difference of equal numbers, absolute below 1 and relative above.
        options: Options of `loaders.load` for both files.

    Raises:
        LoadError: if a file is invalid.
        TypeError: if an option is unknown.

    Example:
        >>> import bridge
        >>> comparison = bridge.compare_files("assets/orthogonal_x.sdf", "assets/orthogonal_z.sdf")
        >>> comparison.equal
        False
    """
    check_option_names(options, LoadOptions.__optional_keys__)
    first, second = (m if isinstance(m, Scene) else loaders.load(m, **options) for m in (a, b))
    try:
        mechanics = mechanical_error(first, second)
    except ExportError:  # one of them cannot move; the differences of the items remain
        mechanics = None
    found = differences(first, second, tolerance=tolerance)
    return FileComparison(differences=found, mechanics=mechanics, tolerance=tolerance)


def _json(value: Any) -> Any:
    """Return a value of a report as JSON has it: infinity is the word ``inf``."""
    if isinstance(value, tuple):
        return [_json(x) for x in value]
    return str(value) if isinstance(value, float) and value in (float("inf"), float("-inf")) else value
