"""What DART lacks makes the verdict a difference or a gap, never an equivalence."""

from __future__ import annotations

import pytest

import bridge
from bridge.parity import Verdict, compare
from bridge.parity.engines.dart.engine import losses
from loaders.model import WORLD
from tests.support.scenes import joint, link, scene

pytest.importorskip("mujoco")


def test_a_plain_model_loses_nothing() -> None:
    assert losses(bridge.lower(scene([link("a")], [joint("j", WORLD, "a")]))) == ()


def test_a_rotor_that_dart_lacks_is_a_difference_with_its_cause() -> None:
    pytest.importorskip("dartpy")
    geared = scene([link("a")], [joint("j", WORLD, "a", xyz=(0, 1, 0), axis={"inertia": 0.1})])
    found = compare(geared, ("dart",), levels=("L0", "L1"), configurations=1)
    assert found.verdict is Verdict.DIFFERS
    assert {row.code for row in found.failures} == {"dart.rotor-inertia"}
