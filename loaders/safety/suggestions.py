"""Suggestions for misspelt names, in a time that hostile names cannot make long."""

from __future__ import annotations

import difflib
from collections.abc import Iterable
from itertools import islice

from .limits import has_time_to_compare

MAX_LENGTH = 60
"""Largest number of characters of a name that is compared; the comparison is quadratic in it."""
MAX_NAMES = 300
"""Largest number of names that one is compared with."""


def suggestion(name: str, known: Iterable[str], cutoff: float = 0.6) -> str:
    """Return a hint with the known name that is closest to a misspelt one; empty if none is close.

    Args: as for `closest`.
    """
    close = closest(name, known, cutoff)
    return f"did you mean {close}?" if close else ""


def closest(name: str, known: Iterable[str], cutoff: float = 0.6) -> str:
    """Return the known name that is closest to a misspelt one; empty if none is close, or the names are long.

    A call that reads files makes no further suggestions after some seconds of them.

    Args:
        name: The misspelt name.
        known: Names that exist.
        cutoff: The smallest similarity, from 0 to 1.
    """
    if len(name) > MAX_LENGTH or not has_time_to_compare(0):
        return ""
    short = list(islice((other for other in known if len(other) <= MAX_LENGTH), MAX_NAMES))
    if not has_time_to_compare(len(name) * sum(map(len, short))):
        return ""
    matches = difflib.get_close_matches(name, short, n=1, cutoff=cutoff)
    return matches[0] if matches else ""
