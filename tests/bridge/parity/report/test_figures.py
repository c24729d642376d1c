"""Drawings of a comparison: one for each kind of data, repeatable, and readable without color."""

from __future__ import annotations

import math
import re
from dataclasses import replace
from html import unescape

import numpy as np
import pytest

from bridge.parity import Comparison, Level, Outcome, Row

pytest.importorskip("matplotlib")
from bridge.parity.report.report import draw


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


def test_a_motion_is_drawn_over_time_with_its_tolerance() -> None:
    ((title, svg),) = draw(comparison(series=((0.5, 1e-8), (1.0, 1e-6)))).items()
    assert title == "Error over time, motion"
    assert "tolerance 1e-09" in svg
    assert "a / b" in svg


def test_an_order_is_drawn_over_the_step() -> None:
    drawings = draw(comparison(convergence=((1e-2, 1e-2), (5e-3, 5e-3)), order=1.0))
    assert list(drawings) == ["Error over the step"]
    assert "slope 1.000" in drawings["Error over the step"]


def test_errors_without_a_logarithm_are_not_drawn() -> None:
    assert draw(comparison(convergence=((1e-2, 0.0), (5e-3, math.inf)), order=1.0)) == {}


@pytest.mark.slow
def test_equal_comparisons_give_equal_drawings() -> None:
    one, two = (draw(comparison(series=((0.5, 1e-8), (1.0, 1e-6)))) for _ in range(2))
    assert one == two


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
