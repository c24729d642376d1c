"""Diagnostics as plain data for the lines of a batch."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from loaders.diagnostics import Diagnostic, without_repeats
from loaders.reading.listing import folded
from loaders.safety.text import shortened

from .keys import shown_path

_MAX_SIMILAR = 5
"""Number of diagnostics with the same code and template that a result lists."""
_MAX_LISTED = 200
"""Number of diagnostics that a result lists."""


def summary(diagnostics: Iterable[Diagnostic]) -> dict[str, Any]:
    """Return the numbers of diagnostics and the first of each kind, as fields of a result.

    Args:
        diagnostics: The diagnostics of all steps; repeated ones count once.
    """
    entries = without_repeats(diagnostics)
    shown, _ = folded(entries, _MAX_SIMILAR)
    base = Path.cwd()
    return {
        "severities": dict(sorted(Counter(entry.severity for entry in entries).items())),
        "fates": dict(sorted(Counter(str(entry.fate) for entry in entries).items())),
        "diagnostics": [_plain(entry, base) for entry in shown[:_MAX_LISTED]],
    }


def _plain(entry: Diagnostic, base: Path) -> dict[str, Any]:
    known: dict[str, Any] = {
        "code": entry.code,
        "fate": str(entry.fate),
        "severity": entry.severity,
        "message": shortened(entry.message),
        "file": shown_path(entry.where.file, base) if entry.where.file else "",
        "line": entry.where.line,
        "target": entry.target,
        "hint": entry.hint,
    }
    return {name: value for name, value in known.items() if value}
