"""Drawings of a comparison, its card in a notebook, and its JUnit XML."""

from __future__ import annotations

import dataclasses
import math
import re
from dataclasses import replace
from html import unescape
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest
from lxml import etree

from bridge.parity import Comparison, Level, Outcome, Row
from bridge.parity.causes import Gap
from bridge.parity.report.report import counts_of, draw, worst_first
from tests.support.comparisons import comparison as junit_comparison
from tests.support.comparisons import row as junit_row
from tests.support.web_page import WebPage, is_inert

needs_matplotlib = pytest.mark.skipif(
    find_spec("matplotlib") is None, reason="matplotlib is not installed"
)


# Drawings of a comparison: one for each kind of data, repeatable, and readable without color.


def comparison(**changes: object) -> Comparison:
    row = Row(
        level=Level.MOTION,
        quantity="motion",
        unit="m or rad",
        engines=("a", "b"),
        error=1e-6,
        tolerance=1e-9,
        where="elbow",
        outcome=Outcome.FAILED,
        **changes,  # type: ignore[arg-type]
    )
    return Comparison(
        model="m",
        source="",
        rows=(row,),
        engines=("a", "b"),
        environment={"seed": "0"},
        diagnostics=(),
    )


@needs_matplotlib
def test_a_motion_is_drawn_over_time_with_its_tolerance() -> None:
    ((title, svg),) = draw(comparison(series=((0.5, 1e-8), (1.0, 1e-6)))).items()
    assert title == "Error over time, motion"
    assert "tolerance 1e-09" in svg
    assert "a / b" in svg


@needs_matplotlib
def test_an_order_is_drawn_over_the_step() -> None:
    drawings = draw(comparison(convergence=((1e-2, 1e-2), (5e-3, 5e-3)), order=1.0))
    assert list(drawings) == ["Error over the step"]
    assert "slope 1.000" in drawings["Error over the step"]


@needs_matplotlib
def test_errors_without_a_logarithm_are_not_drawn() -> None:
    assert draw(comparison(convergence=((1e-2, 0.0), (5e-3, math.inf)), order=1.0)) == {}


@needs_matplotlib
@pytest.mark.slow
def test_equal_comparisons_give_equal_drawings() -> None:
    one, two = (draw(comparison(series=((0.5, 1e-8), (1.0, 1e-6)))) for _ in range(2))
    assert one == two


@needs_matplotlib
def test_a_name_with_a_formula_is_a_label_as_it_is() -> None:
    """Matplotlib reads a text between dollars as a formula, and raises an error for an incomplete
    one.
    """
    names = ("$\\frac$", "$x$", "<b>&", "a\nb")
    details = {
        "v_order": [(name, 0) for name in names],
        "mass_matrices": {"reference": np.eye(4), "mujoco": np.eye(4)},
    }
    ((_, svg),) = draw(replace(comparison(), details=details)).items()
    assert [unescape(text) for text in re.findall(r"<text[^>]*>([^<]+)</text>", svg)][:3] == list(
        names[:3]
    )


# The card of a comparison in a notebook.


def row(outcome: Outcome, quantity: str = "mass", cause: str = "") -> Row:
    return Row(
        level=Level.MODEL,
        quantity=quantity,
        unit="kg",
        engines=("a", "b"),
        error=1e-3,
        tolerance=1e-9,
        where="elbow",
        outcome=outcome,
        cause=cause,
    )


def card_comparison(*rows: Row, gaps: tuple[Gap, ...] = ()) -> Comparison:
    return Comparison(
        model="m",
        source="/somewhere/arm.sdf",
        rows=rows,
        engines=("a", "b"),
        environment={"seed": "0"},
        diagnostics=(),
        gaps=gaps,
    )


def test_the_verdict_stands_first_then_what_differs() -> None:
    found = card_comparison(
        row(Outcome.PASSED, "inertia"), row(Outcome.UNKNOWN, "speed"), row(Outcome.FAILED)
    )
    page = WebPage(found._repr_html_())
    assert page.words[0] == "DIFFERS arm.sdf"
    assert "1 failed, 1 unknown, 1 passed" in page.text
    assert "✗\N{NO-BREAK SPACE}failed" in page.text
    assert page.text.index("mass") < page.text.index("inertia")
    assert "sdfbridge compare" in page.text


def test_gaps_are_listed_with_their_reasons() -> None:
    found = card_comparison(
        row(Outcome.PASSED), gaps=(Gap(quantity="rotors", reason="the engine has none"),)
    )
    page = WebPage(found._repr_html_())
    assert page.words[0] == "INCOMPLETE arm.sdf"
    assert "the engine has none" in page.text


def test_hostile_text_is_text() -> None:
    text = card_comparison(
        row(Outcome.FAILED, "<script>", "<img src=x onerror=alert(1)>")
    )._repr_html_()
    assert is_inert(text)
    assert "onerror=alert(1)" in WebPage(text).text


def test_the_worst_come_first_in_their_order() -> None:
    rows = [
        row(Outcome.PASSED),
        row(Outcome.EXPLAINED, "x"),
        row(Outcome.FAILED, "y"),
        row(Outcome.EXPLAINED, "z"),
    ]
    assert [r.quantity for r in worst_first(rows)] == ["y", "x", "z", "mass"]
    assert counts_of([]) == "nothing compared"


# JUnit XML counts failed and skipped rows.


def test_junit_counts_what_failed(tmp_path: Path) -> None:
    found = junit_comparison(
        junit_row(Outcome.PASSED), junit_row(Outcome.FAILED), junit_row(Outcome.UNKNOWN)
    )
    suite = etree.parse(str(found.to_junit(tmp_path / "junit.xml"))).getroot()
    assert (suite.get("tests"), suite.get("failures"), suite.get("skipped")) == ("4", "1", "1")
    assert "elbow" in suite.find("testcase/failure").get("message")


def test_a_gap_is_a_failed_test_case(tmp_path: Path) -> None:
    gap = Gap(quantity="motion", reason="level L2 was not run")
    found = dataclasses.replace(junit_comparison(junit_row(Outcome.PASSED)), gaps=(gap,))
    suite = etree.parse(str(found.to_junit(tmp_path / "junit.xml"))).getroot()
    failure = suite.find("testcase/failure")
    assert (suite.get("failures"), failure.get("type")) == ("1", "INCOMPLETE")
    assert failure.text == "motion: level L2 was not run"


@needs_matplotlib
def test_the_joints_that_differ_most_are_drawn_with_their_difference() -> None:
    moved = {"a": [{"elbow": 0.0, "wrist": (0.5,)}] * 2, "b": [{"elbow": 0.1, "wrist": (0.5,)}] * 2}
    found = replace(comparison(), details={"joint_motion": ([0.0, 1.0], moved)})
    svg = draw(found)["Joint motion"]
    assert svg.index("elbow, b") < svg.index("wrist, a")
    assert "difference" in svg
