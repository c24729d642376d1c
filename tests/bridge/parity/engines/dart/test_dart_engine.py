"""DART agrees with Drake and the reference; a crash of it leaves a gap in the comparison."""

from __future__ import annotations

import os
import signal
from pathlib import Path

import numpy as np
import pytest

import bridge
import loaders
from bridge.lowering.sources import mechanism_of
from bridge.parity import Outcome, Verdict, compare
from bridge.parity.engine import NotReportedError
from bridge.parity.engines.dart.engine import DartEngine, dart_process
from bridge.parity.engines.drake.engine import DrakeEngine
from bridge.parity.states import random_states
from loaders.model import WORLD
from tests.support.scenes import joint, link, scene

pytest.importorskip("mujoco")
pytest.importorskip("dartpy")

ASSETS = Path(__file__).parents[5] / "assets"


@pytest.mark.parametrize("robot", ["a1/a1.urdf", "r2d2.urdf", "quadruped/minitaur.urdf"])
def test_mass_matrices_of_robots_are_those_of_drake(robot: str) -> None:
    pytest.importorskip("pydrake")
    path = Path(pytest.importorskip("pybullet_data").getDataPath()) / robot
    mechanism = mechanism_of(path, quiet=True)
    drake, dart = DrakeEngine(mechanism), DartEngine(mechanism)
    if drake.refusal:
        pytest.skip("Drake does not read this robot")
    for state in random_states(mechanism, 2, 0):
        for engine in (drake, dart):
            engine.set_state(*state)
        scale = np.sqrt(np.diag(drake.mass_matrix()))
        assert dart.mass_matrix() / np.outer(scale, scale) == pytest.approx(
            drake.mass_matrix() / np.outer(scale, scale), abs=1e-9
        )
    dart.close()


def test_a_bundled_model_agrees_at_every_level_of_the_verdict() -> None:
    found = compare(ASSETS / "double_pendulum.urdf", ("dart",), configurations=2)
    assert found.agreement is not Verdict.DIFFERS
    told = {
        row.quantity
        for row in found.rows
        if row.engines == ("reference", "dart") and row.outcome == "passed"
    }
    assert {"mass", "limits", "link poses", "mass matrix", "one step"} <= told


@pytest.mark.slow
def test_a_crash_is_a_gap() -> None:
    mechanism = bridge.lower(scene([link("a")], [joint("j", WORLD, "a")]))

    def crashing(opened: bridge.Mechanism) -> DartEngine:
        engine = DartEngine(opened)
        os.kill(dart_process().pid, signal.SIGSEGV)
        return engine

    crashing.name = "dart"  # type: ignore[attr-defined]
    found = compare(mechanism, ("mujoco", crashing), configurations=1)
    assert found.verdict is Verdict.INCOMPLETE
    assert {row.outcome for row in found.rows if "dart" in row.engines} == {Outcome.UNKNOWN}
    assert any("crashed" in gap.reason for gap in found.gaps)


def test_queries_after_a_crash_state_it() -> None:
    engine = DartEngine(bridge.lower(loaders.load(ASSETS / "double_pendulum.urdf")))
    os.kill(dart_process().pid, signal.SIGSEGV)
    engine.set_state({}, {})
    with pytest.raises(NotReportedError, match="crashed"):
        engine.positions()
    assert "crashed" in engine.refusal
    engine.close()
