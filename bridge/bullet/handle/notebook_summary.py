"""Data of a loaded body that a notebook shows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from bridge.bullet.simulation.state import State
from loaders.diagnostics import Diagnostic


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class NotebookSummary:
    """Data that a notebook shows of one body."""

    name: str
    link_count: int
    joint_count: int
    diagnostics: Sequence[Diagnostic]
    state: State | None
    """State of the body; None if it was removed."""
