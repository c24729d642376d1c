"""Results as lines of JSON, and exit statuses."""

from __future__ import annotations

import json

import pytest

from bridge.batches.results import BatchOutcome, BatchResult, worst_status

RESULT = BatchResult(
    source="a\u2028<b>.sdf",
    task="check",
    outcome=BatchOutcome.INVALID,
    detail="x",
    severities={"error": 1},
    diagnostics=({"code": "c", "severity": "error", "message": "m"},),
    files={"a": "0", "b": None},
    seconds=1.5,
    log="l",
)


def test_a_result_is_its_line() -> None:
    assert BatchResult.from_line(RESULT.to_line()) == RESULT


def test_a_line_has_nothing_that_differs_between_runs() -> None:
    again = BatchResult.from_line(RESULT.to_line())
    assert again.to_line() == RESULT.to_line()
    assert b"seconds" not in RESULT.to_line()
    assert json.loads(RESULT.run_line())["seconds"] == 1.5


def test_a_line_has_sorted_keys_and_no_end() -> None:
    plain = json.loads(RESULT.to_line())
    assert list(plain) == sorted(plain)
    assert b"\n" not in RESULT.to_line()


@pytest.mark.parametrize(
    "line", [b"", b"{", b"[]", b"{}", b'{"source": "a"}', b"null", b"[" * 10000]
)
def test_anything_else_is_no_result(line: bytes) -> None:
    with pytest.raises(ValueError):  # noqa: PT011 - the line is dropped, whatever is wrong
        BatchResult.from_line(line)


@pytest.mark.parametrize(
    ("outcome", "status"),
    [
        ("valid", 0),
        ("AGREES", 0),
        ("done", 0),
        ("INCOMPLETE", 4),
        ("DIFFERS", 1),
        ("crash", 1),
        ("invalid", 1),
    ],
)
def test_each_outcome_has_its_exit_status(outcome: str, status: int) -> None:
    assert BatchResult(source="a", task="check", outcome=BatchOutcome(outcome)).status == status


@pytest.mark.parametrize(
    ("statuses", "worst"),
    [({}, 0), ({0: 5}, 0), ({0: 1, 4: 1}, 4), ({0: 9, 4: 1, 1: 1}, 1), ({1: 0, 0: 1}, 0)],
)
def test_the_worst_model_decides(statuses: dict[int, int], worst: int) -> None:
    assert worst_status(statuses) == worst
