"""Gaps: levels that were not run, engines that do not move, and rows without a comparison that
nothing replaces.
"""

from __future__ import annotations

import dataclasses

import bridge
from bridge.parity import BaseEngine, Level, Outcome, Row
from bridge.parity.quantities.rows import find_gaps
from loaders.model import WORLD
from tests.support.scenes import joint, link, scene

ARM = bridge.lower(scene([link("a")], [joint("j", WORLD, "a")]))
STILL = bridge.lower(scene([link("a")], [joint("j", WORLD, "a", "fixed")]))
ALL = (Level.MODEL, Level.OPERATORS, Level.MOTION)


class Drawn(BaseEngine):
    """An engine that reads the file itself and does not move."""

    reads_file = True


BOTH = {"mujoco": BaseEngine(ARM), "pybullet": BaseEngine(ARM)}


def row(
    quantity: str,
    outcome: Outcome,
    engines: tuple[str, str] = ("mujoco", "pybullet"),
    *,
    stated: bool = True,
) -> Row:
    return Row(
        level=Level.MOTION,
        quantity=quantity,
        unit="",
        engines=("mujoco", "pybullet"),
        error=0.0,
        tolerance=1e-9,
        where="",
        outcome=outcome,
        cause="too large",
        is_stated=stated,
    )


def test_a_complete_comparison_has_no_gap() -> None:
    assert find_gaps([row("one step", Outcome.PASSED)], ARM, ALL, BOTH, ()) == ()


def test_a_level_is_a_gap_only_if_the_model_has_something_to_compare_there() -> None:
    assert [gap.reason for gap in find_gaps([], ARM, ALL[:1], BOTH, ())] == [
        "level L1 was not run",
        "level L2 was not run",
    ]
    assert find_gaps([], STILL, ALL[:1], BOTH, ()) == ()


def test_an_engine_without_motion_is_a_gap() -> None:
    (gap,) = find_gaps([], ARM, ALL, {"mujoco": BaseEngine(ARM), "drake": Drawn(ARM)}, ())
    assert (gap.quantity, gap.engines) == ("motion", ("drake",))


def test_a_row_without_a_comparison_is_a_gap_unless_another_shows_the_same() -> None:
    unknown = row("mass matrix", Outcome.UNKNOWN)
    assert [gap.quantity for gap in find_gaps([unknown], ARM, ALL, BOTH, ())] == ["mass matrix"]
    step = row("one step", Outcome.PASSED)
    assert find_gaps([unknown, step], ARM, ALL, BOTH, ()) == ()
    by_reference = [dataclasses.replace(step, engines=("reference", name)) for name in BOTH]
    assert find_gaps([unknown, *by_reference], ARM, ALL, BOTH, ()) == ()
    assert find_gaps([unknown, by_reference[0]], ARM, ALL, BOTH, ()) != ()


def test_what_the_model_does_not_state_is_no_gap() -> None:
    assert (
        find_gaps([row("momentum drift", Outcome.UNKNOWN, stated=False)], ARM, ALL, BOTH, ()) == ()
    )
