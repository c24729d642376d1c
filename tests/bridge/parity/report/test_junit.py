"""JUnit XML counts failed and skipped rows."""

from __future__ import annotations

import dataclasses
from pathlib import Path

from lxml import etree

from bridge.parity import Comparison, Level, Outcome, Row
from bridge.parity.causes import Gap


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


def test_junit_counts_what_failed(tmp_path: Path) -> None:
    found = comparison(row(Outcome.PASSED), row(Outcome.FAILED), row(Outcome.UNKNOWN))
    suite = etree.parse(str(found.to_junit(tmp_path / "junit.xml"))).getroot()
    assert (suite.get("tests"), suite.get("failures"), suite.get("skipped")) == ("4", "1", "1")
    assert "elbow" in suite.find("testcase/failure").get("message")


def test_a_gap_is_a_failed_test_case(tmp_path: Path) -> None:
    gap = Gap(quantity="motion", reason="level L2 was not run")
    found = dataclasses.replace(comparison(row(Outcome.PASSED)), gaps=(gap,))
    suite = etree.parse(str(found.to_junit(tmp_path / "junit.xml"))).getroot()
    failure = suite.find("testcase/failure")
    assert (suite.get("failures"), failure.get("type")) == ("1", "INCOMPLETE")
    assert failure.text == "motion: level L2 was not run"
