"""Rows and comparisons made by hand."""

from __future__ import annotations

from bridge.parity import Comparison, Outcome
from bridge.parity.verdict import Level, Row


def row(outcome: Outcome, error: float = 1e-3, quantity: str = "mass", **changes: str) -> Row:
    return Row(
        level=Level.MODEL,
        quantity=quantity,
        unit="",
        engines=("a", "b"),
        error=error,
        tolerance=1e-9,
        where="elbow",
        outcome=outcome,
        **changes,
    )


def comparison(*rows: Row, model: str = "m") -> Comparison:
    return Comparison(
        model=model,
        source="m.sdf",
        rows=rows,
        engines=("a", "b"),
        environment={"seed": "0"},
        diagnostics=(),
    )
