"""Numbers over all results."""

from __future__ import annotations

from bridge.batches.report import totals_of
from bridge.batches.results import BatchOutcome, BatchResult


def of(outcome: BatchOutcome, **fields: object) -> BatchResult:
    return BatchResult(source="a", task="check", outcome=outcome, **fields)  # type: ignore[arg-type]


def test_the_numbers_of_a_batch() -> None:
    entry = {"code": "a.b", "severity": "error", "message": "m"}
    bad = of(
        BatchOutcome.INVALID,
        severities={"error": 2},
        fates={"invalid": 2},
        diagnostics=(entry, entry),
    )
    totals = totals_of([of(BatchOutcome.CRASH), bad, of(BatchOutcome.VALID), bad])
    assert (totals.models, totals.failures, totals.status) == (4, 3, 1)
    assert totals.ordered() == [("valid", 1), ("invalid", 2), ("crash", 1)]
    assert totals.codes == {"a.b": 2}
    assert totals.to_dict()["diagnostics"] == {"error": 4}


def test_no_models_are_fine() -> None:
    assert totals_of([]).status == 0
