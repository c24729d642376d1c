"""Seeds of random models: some at once, further ones among the slow tests."""

from __future__ import annotations

import pytest


def seeds(count: int) -> list[object]:
    """Return ``count`` seeds as parameters of a test; all but the first four are marked as slow."""
    further = [pytest.param(seed, marks=pytest.mark.slow) for seed in range(4, count)]
    return [*range(min(count, 4)), *further]
