"""The worst row decides the verdict, and an assertion names it."""

from __future__ import annotations

import pytest

from bridge.parity import Comparison, Level, Outcome, Row, Verdict


def row(outcome: Outcome, error: float = 1e-3, **changes: str) -> Row:
    return Row(
        level=Level.MODEL, quantity="mass", unit="", engines=("a", "b"), error=error, tolerance=1e-9, where="elbow",
        outcome=outcome, **changes,
    )  # fmt: skip


def comparison(*rows: Row, model: str = "m") -> Comparison:
    return Comparison(
        model=model, source="m.sdf", rows=rows, engines=("a", "b"), environment={"seed": "0"}, diagnostics=()
    )


@pytest.mark.parametrize(
    ("outcomes", "verdict"),
    [
        ([], Verdict.EQUIVALENT),
        ([Outcome.PASSED, Outcome.UNKNOWN], Verdict.EQUIVALENT),
        ([Outcome.PASSED, Outcome.EXPLAINED], Verdict.AGREES),
        ([Outcome.EXPLAINED, Outcome.FAILED], Verdict.DIFFERS),
    ],
)
def test_the_worst_row_decides(outcomes: list[Outcome], verdict: Verdict) -> None:
    assert comparison(*map(row, outcomes)).verdict is verdict


def test_an_assertion_names_quantity_size_place_cause_and_command() -> None:
    found = comparison(row(Outcome.EXPLAINED, cause="rotors"), row(Outcome.PASSED))
    with pytest.raises(AssertionError, match=r"(?s)AGREES.*mass \(a / b\): error 1.00e-03 at elbow.*rotors.*--seed 0"):
        found.assert_equivalent()
    comparison(row(Outcome.PASSED)).assert_equivalent()
