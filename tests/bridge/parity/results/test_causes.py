"""A cause names code, subjects, quantity and bound; a loss of an engine explains nothing."""

from __future__ import annotations

import math

import pytest

from bridge.parity.causes import Gap, cause_of
from loaders.diagnostics import Diagnostic, Fate


def entry(fate: Fate, target: str = "pybullet") -> Diagnostic:
    return Diagnostic(
        "pybullet.rotor-inertia", fate, "no rotors", target=target, subjects=("elbow",)
    )


def test_a_cause_has_the_fields_of_its_diagnostic_and_a_bound() -> None:
    cause = cause_of(entry(Fate.APPROXIMATED), "mass matrix", 1e-3, "; measured")
    assert cause.to_dict() == {
        "code": "pybullet.rotor-inertia",
        "subjects": ["elbow"],
        "quantity": "mass matrix",
        "bound": 1e-3,
        "is_loss": False,
        "text": "no rotors [pybullet.rotor-inertia]; measured",
    }


@pytest.mark.parametrize(
    ("fate", "target", "error", "explains"),
    [
        (Fate.APPROXIMATED, "pybullet", 1e-3, True),
        (Fate.APPROXIMATED, "pybullet", 1.1e-3, False),
        (Fate.APPROXIMATED, "pybullet", math.nan, False),
        (Fate.DROPPED, "pybullet", 1e-6, False),
        (Fate.DROPPED, "", 1e-6, True),
    ],
)
def test_a_cause_explains_up_to_its_bound(
    fate: Fate, target: str, error: float, explains: bool
) -> None:
    assert cause_of(entry(fate, target), "mass matrix", 1e-3).explains(error) is explains


def test_a_gap_is_a_line_of_text() -> None:
    gap = Gap(quantity="motion", engines=("drake",), reason="it does not move", code="x.y")
    assert str(gap) == "motion in drake: it does not move [x.y]"
