"""The text of a comparison."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import pytest

from bridge.cli.commands.compare import show_comparison
from bridge.cli.output import Output
from bridge.parity import Comparison, Outcome
from bridge.parity.causes import Gap
from bridge.parity.verdict import Level, Row
from tests.support.command_line import ROOT, call

ARM = ROOT / "assets" / "arm" / "model.sdf"


def comparison(*outcomes: Outcome) -> Comparison:
    """A comparison with one row for each outcome; the name of the quantity is that of the
    outcome.
    """
    rows = tuple(
        Row(
            level=Level.MODEL,
            quantity=f"{outcome} quantity",
            unit="",
            engines=("a", "b"),
            error=1.0,
            tolerance=1e-9,
            where="elbow",
            outcome=outcome,
        )
        for outcome in outcomes
    )
    return Comparison(
        model="m",
        source="",
        rows=rows,
        engines=("a", "b"),
        environment={"seed": "0"},
        diagnostics=(),
    )


@pytest.mark.parametrize("verbosity", [0, 1])
def test_the_verdict_is_first_then_what_differs_and_the_rest_on_request(
    verbosity: int, capsys: pytest.CaptureFixture[str]
) -> None:
    show_comparison(
        comparison(Outcome.PASSED, Outcome.FAILED), Output(verbosity), "sdfbridge compare m.sdf"
    )
    text = capsys.readouterr().out
    assert text.splitlines()[:2] == ["m: DIFFERS", "a, b and the reference: 1 pass, 1 fail"]
    assert "failed quantity" in text
    assert ("passed quantity" in text) == (verbosity > 0)
    assert text.splitlines()[-1] == "repeat with: sdfbridge compare m.sdf"


def test_compare_prints_the_verdict_first_and_the_table_on_request(tmp_path: Path) -> None:
    words = ("compare", ARM, "--engines", "mujoco", "--level", "L0", "--configurations", "2")
    brief, all_rows = call(*words), call(*words, "-v")
    assert (brief.returncode, all_rows.returncode) == (4, 4)
    assert brief.stdout.splitlines()[0] == all_rows.stdout.splitlines()[0] == "arm: INCOMPLETE"
    assert len(brief.stdout.splitlines()) <= 6, brief.stdout
    assert len(all_rows.stdout.splitlines()) > 10


@pytest.mark.parametrize("verbosity", [0, 1])
def test_why_a_row_compares_nothing_is_printed_with_all_rows_and_each_gap_in_one_line(
    verbosity: int, capsys: pytest.CaptureFixture[str]
) -> None:
    found = comparison(Outcome.UNKNOWN, Outcome.PASSED)
    rows = (dataclasses.replace(found.rows[0], cause="no report"), *found.rows[1:])
    gaps = (
        *(
            Gap(quantity="shapes", engines=("c", engine), reason="c has none")
            for engine in ("a", "b")
        ),
        Gap(quantity="shapes", engines=("a", "b"), reason="other"),
        Gap(quantity="motion", reason="level L2 was not run"),
    )
    show_comparison(dataclasses.replace(found, rows=rows, gaps=gaps), Output(verbosity), "")
    lines = capsys.readouterr().out.splitlines()
    assert ("unknown quantity: no report" in lines) == (verbosity > 0)
    assert [text.removeprefix("not compared: ") for text in lines if text.startswith("not")] == [
        "shapes in c and a, c and b: c has none",
        "shapes in a and b: other",
        "motion: level L2 was not run",
    ]


def test_a_cause_of_several_quantities_is_printed_once(capsys: pytest.CaptureFixture[str]) -> None:
    found = comparison(Outcome.FAILED, Outcome.EXPLAINED, Outcome.EXPLAINED)
    rows = tuple(dataclasses.replace(row, cause="no rotors") for row in found.rows)
    show_comparison(dataclasses.replace(found, rows=rows), Output(-1), "")
    lines = [line for line in capsys.readouterr().out.splitlines() if line.endswith(": no rotors")]
    first, second = (row.quantity for row in rows[:2])
    assert lines[0] == f"{first}, {second}: no rotors"
    assert [line for line in lines[1:] if not line.startswith("first difference: ")] == []
