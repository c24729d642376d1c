"""Options are checked before a batch begins."""

from __future__ import annotations

from typing import Any

import pytest

from bridge.batches.tasks import checked_options


@pytest.mark.parametrize(
    ("task", "options"),
    [
        ("check", {"strict": True, "paths": ["."]}),
        ("convert", {"to": "urdf", "inertia": "repair"}),
        ("convert", {"actuators": "motor", "lenient": True, "policy": None}),
        ("convert", {"to": "directives", "models": "urdf", "strict": True}),
        ("compare", {"engines": "mujoco,reference", "levels": "L0,L1", "seed": 3}),
    ],
)
def test_known_options_are_taken(task: str, options: dict[str, Any]) -> None:
    assert checked_options(task, options) == options


@pytest.mark.parametrize(
    ("task", "options", "error", "message"),
    [
        ("check", {"stric": True}, TypeError, "unknown option 'stric'; did you mean 'strict'?"),
        (
            "convert",
            {"to": "mjc"},
            ValueError,
            "unknown target 'mjc'; expected one of: mjcf, sdf, urdf, directives",
        ),
        ("convert", {"to": "sdf", "actuators": "motor"}, TypeError, "unknown option 'actuators'"),
        ("convert", {"to": "urdf", "joints": "some"}, ValueError, "unknown value 'some' of joints"),
        ("convert", {"to": "urdf", "couplings": "no"}, TypeError, "couplings = 'no'; expected Tr"),
        ("convert", {"quiet": True}, TypeError, "unknown option 'quiet'"),
        ("compare", {"levels": ("L7",)}, ValueError, "unknown level 'L7'"),
        (None, {"strict": True}, TypeError, "unknown option 'strict'"),
    ],
)
def test_others_are_refused(
    task: str | None, options: dict[str, Any], error: type[Exception], message: str
) -> None:
    with pytest.raises(error) as caught:
        checked_options(task, options)
    assert message in str(caught.value)
