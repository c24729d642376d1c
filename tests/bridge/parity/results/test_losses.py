"""Every code that drops something is in one table, so that no loss can be forgotten."""

from __future__ import annotations

from bridge.diagnostic_codes import CODES
from bridge.parity.attribution import WITHOUT_TRUTH
from bridge.parity.causes import (
    ASSUMED,
    CONDITIONS,
    LOST,
    WITHOUT_EFFECT,
    conditions,
    gaps_of_losses,
)
from loaders.diagnostics import Diagnostic, Fate

COMPARED = {
    "dart",
    "directives",
    "drake",
    "gazebo",
    "lower",
    "mesh",
    "mjcf",
    "mjcf-in",
    "pybullet",
    "resource",
    "sdf",
    "srdf",
    "texture",
    "urdf",
    "xml",
}
"""Readers, lowering and engines; writers of files take no part in a comparison."""


def test_every_loss_is_in_exactly_one_table() -> None:
    tables = (set(LOST), set(CONDITIONS), set(WITHOUT_EFFECT))
    dropped = {
        code
        for code, info in CODES.items()
        if Fate.DROPPED in info.fates and code.partition(".")[0] in COMPARED
    }
    assert set.union(*tables) == dropped
    assert sum(map(len, tables)) == len(dropped)


def test_a_loss_that_moves_is_a_gap_of_its_engine() -> None:
    bushing = Diagnostic(
        "mjcf.bushing", Fate.DROPPED, "no bushings", target="mjcf", subjects=("a", "b")
    )
    light = Diagnostic("mjcf.light", Fate.DROPPED, "no such light", target="mjcf")
    (gap,) = gaps_of_losses((bushing, light), {"mujoco": "mjcf", "pybullet": "pybullet"})
    assert (gap.quantity, gap.engines, gap.subjects) == (
        "forces between links",
        ("mujoco",),
        ("a", "b"),
    )


def test_what_explains_any_error_is_a_gap() -> None:
    """A missing file is reported again by the shape that needs it, and an empty geometry states
    nothing.
    """
    assert set(LOST) | set(ASSUMED) | {"resource.not-found", "mjcf.no-shape"} >= WITHOUT_TRUTH


def test_a_value_that_an_engine_chooses_is_a_gap() -> None:
    entries = [
        Diagnostic(code, Fate.ASSUMED, "chosen", target="drake", subjects=("a",))
        for code in ASSUMED
    ]
    gaps = gaps_of_losses(entries, {"mujoco": "mjcf", "drake": "drake"})
    assert {(gap.quantity, gap.engines) for gap in gaps} == {
        ("inertia", ("drake",)),
        ("effort limits", ("drake",)),
    }


def test_an_approximation_with_the_same_code_is_no_gap() -> None:
    stiffness = Diagnostic("mjcf.contact-stiffness", Fate.APPROXIMATED, "", target="mjcf")
    assert gaps_of_losses((stiffness,), {"mujoco": "mjcf"}) == []


def test_limits_of_speed_are_a_condition_once() -> None:
    fast = [
        Diagnostic(f"{target}.velocity-limit", Fate.DROPPED, "") for target in ("mjcf", "pybullet")
    ]
    assert conditions(fast) == (
        "speeds stay within the limits of the model, which no engine enforces",
    )


def test_what_lenient_loading_skipped_is_a_gap() -> None:
    (gap,) = gaps_of_losses(
        (Diagnostic("sdf.no-link", Fate.SKIPPED, "no such link", subjects=("a",)),),
        {"mujoco": "mjcf"},
    )
    assert (gap.subjects, gap.code) == (("a",), "sdf.no-link")
