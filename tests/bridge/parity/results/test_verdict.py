"""The worst row decides the verdict, and an assertion names it."""

from __future__ import annotations

import dataclasses

import pytest

from bridge.parity import Comparison, Level, Outcome, Row, Verdict
from bridge.parity.causes import Cause, Gap
from bridge.parity.verdict import explained


def row(outcome: Outcome, error: float = 1e-3, **changes: str) -> Row:
    return Row(
        level=Level.MODEL,
        quantity="mass",
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
    with pytest.raises(
        AssertionError,
        match=r"(?s)AGREES.*mass \(a / b\): error 1.00e-03 at elbow.*rotors.*--seed 0",
    ):
        found.assert_equivalent()
    comparison(row(Outcome.PASSED)).assert_equivalent()
    found.assert_no_difference()


def test_a_gap_makes_a_verdict_incomplete_unless_something_differs() -> None:
    gap = Gap(quantity="motion", reason="level L2 was not run")
    for outcome, verdict in (
        (Outcome.PASSED, Verdict.INCOMPLETE),
        (Outcome.EXPLAINED, Verdict.INCOMPLETE),
        (Outcome.FAILED, Verdict.DIFFERS),
    ):
        found = dataclasses.replace(comparison(row(outcome)), gaps=(gap,))
        assert found.verdict is verdict
    incomplete = dataclasses.replace(comparison(row(Outcome.PASSED)), gaps=(gap,))
    with pytest.raises(
        AssertionError, match=r"(?s)INCOMPLETE.*not compared: motion: level L2 was not run"
    ):
        incomplete.assert_equivalent()
    incomplete.assert_no_difference()


def test_an_error_beyond_the_bound_of_its_cause_is_a_difference() -> None:
    cause = Cause(code="c", subjects=("elbow",), quantity="mass", bound=1e-4, text="rotors")
    assert explained(row(Outcome.PASSED, 1e-5), cause).outcome is Outcome.EXPLAINED
    beyond = explained(row(Outcome.PASSED, 1e-3), cause)
    assert beyond.outcome is Outcome.FAILED
    assert beyond.cause == "rotors; this explains at most 1.0e-04"
    assert beyond.to_dict()["known_cause"]["bound"] == 1e-4
