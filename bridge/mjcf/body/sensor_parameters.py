"""Numbers among the parameters of a sensor, which the scene keeps as text."""

from __future__ import annotations

import math
from collections.abc import Mapping


def positive_number(parameters: Mapping[str, str], path: str, default: float) -> float:
    """Return a parameter that must be positive.

    Args:
        parameters: Text of each parameter, by its path.
        path: Path of the parameter.
        default: Value of a parameter that is missing or not a positive number.
    """
    try:
        value = float(parameters[path])
    except (KeyError, ValueError):
        return default
    return value if value > 0.0 else default


def finite_number(parameters: Mapping[str, str], path: str) -> float:
    """Return a parameter; zero if it is missing or not a finite number."""
    try:
        value = float(parameters[path])
    except (KeyError, ValueError):
        return 0.0
    return value if math.isfinite(value) else 0.0
