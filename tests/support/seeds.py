"""Parameters of tests of which some run at once, and further ones among the slow tests."""

from __future__ import annotations

from collections.abc import Iterable

import pytest


def few(values: Iterable[object], count: int) -> list[object]:
    """Return values, or tuples of them, as parameters of a test; all but the first ``count`` are
    marked as slow.
    """
    slow = pytest.mark.slow
    listed = list(values)
    further = [value if isinstance(value, tuple) else (value,) for value in listed[count:]]
    return [*listed[:count], *(pytest.param(*value, marks=slow) for value in further)]


def spread(values: Iterable[object], count: int) -> list[object]:
    """Return values as parameters of a test, of which each ``count``-th is quick and the others
    are marked as slow.
    """
    slow = pytest.mark.slow
    return [
        value if number % count == 0 else pytest.param(value, marks=slow)
        for number, value in enumerate(values)
    ]


def seeds(count: int) -> list[object]:
    """Return ``count`` seeds as parameters of a test, of which the first four are quick."""
    return few(range(count), 4)
