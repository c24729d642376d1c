"""DART agrees with Drake and the reference; what it lacks, and a crash of its process, leave a gap."""

from __future__ import annotations

import io
import os
import pickle
import signal
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import bridge
import loaders
from bridge.lowering.transform import mechanism_of
from bridge.parity import Outcome, Verdict, compare
from bridge.parity.contact import contact_rows
from bridge.parity.engine import NotReportedError
from bridge.parity.engines.dart.engine import (
    DartEngine,
    DartError,
    DartProcess,
    dart_process,
    losses,
)
from bridge.parity.engines.dart.worker import CLOSE, OPEN, serve
from bridge.parity.engines.drake.engine import DrakeEngine
from bridge.parity.states import random_states
from loaders.model import WORLD
from tests.support.scenes import joint, link, scene

needs_dartpy = pytest.mark.skipif(find_spec("dartpy") is None, reason="dartpy is not installed")


# DART agrees with Drake and the reference; a crash of it leaves a gap in the comparison.

ASSETS = Path(__file__).parents[5] / "assets"


@needs_dartpy
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


@needs_dartpy
def test_a_bundled_model_agrees_at_every_level_of_the_verdict() -> None:
    found = compare(ASSETS / "double_pendulum.urdf", ("dart",), configurations=2)
    assert found.agreement is not Verdict.DIFFERS
    told = {
        row.quantity
        for row in found.rows
        if row.engines == ("reference", "dart") and row.outcome == "passed"
    }
    assert {"mass", "limits", "link poses", "mass matrix", "one step"} <= told


@needs_dartpy
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


@needs_dartpy
def test_queries_after_a_crash_state_it() -> None:
    engine = DartEngine(bridge.lower(loaders.load(ASSETS / "double_pendulum.urdf")))
    os.kill(dart_process().pid, signal.SIGSEGV)
    engine.set_state({}, {})
    with pytest.raises(NotReportedError, match="crashed"):
        engine.positions()
    assert "crashed" in engine.refusal
    engine.close()


# What DART lacks makes the verdict a difference or a gap, never an equivalence.


def test_a_plain_model_loses_nothing() -> None:
    assert losses(bridge.lower(scene([link("a")], [joint("j", WORLD, "a")]))) == ()


def test_a_rotor_that_dart_lacks_is_a_difference_with_its_cause() -> None:
    pytest.importorskip("dartpy")
    geared = scene([link("a")], [joint("j", WORLD, "a", xyz=(0, 1, 0), axis={"inertia": 0.1})])
    found = compare(geared, ("dart",), levels=("L0", "L1"), configurations=1)
    assert found.verdict is Verdict.DIFFERS
    assert {row.code for row in found.failures} == {"dart.rotor-inertia"}


# A crash of DART ends its own process; the next engine gets a new one, and none is left behind.

MECHANISM = bridge.lower(scene([link("a")], [joint("j", WORLD, "a")]))


@pytest.fixture
def process() -> Iterator[DartProcess]:
    process = DartProcess()
    yield process
    process.stop()


@needs_dartpy
def test_a_process_answers_for_several_engines(process: DartProcess) -> None:
    first, second = (process.open(MECHANISM, as_exported=False) for _ in range(2))
    process.ask(first, "set_state", {"j": 0.5}, {})
    process.ask(second, "set_state", {"j": -0.5}, {})
    assert process.ask(first, "positions")["j"] == pytest.approx((0.5,))
    process.close(second)
    with pytest.raises(DartError, match="KeyError"):
        process.ask(second, "positions")
    assert process.is_running


@needs_dartpy
def test_a_crash_is_an_error_and_the_process_is_gone(process: DartProcess) -> None:
    number = process.open(MECHANISM, as_exported=False)
    os.kill(process.pid, signal.SIGSEGV)
    with pytest.raises(DartError, match="crashed"):
        process.ask(number, "positions")
    assert not process.is_running
    process.close(number)


@needs_dartpy
def test_a_stopped_process_leaves_nothing_behind(process: DartProcess) -> None:
    pid = process.pid
    process.stop()
    with pytest.raises(ProcessLookupError):
        os.kill(pid, 0)


@needs_dartpy
def test_the_shared_process_is_replaced_after_its_end() -> None:
    first = dart_process()
    assert dart_process() is first
    first.stop()
    second = dart_process()
    assert second is not first
    assert second.is_running


# The worker answers requests, states errors, and ends when its requests end.


def replies(*requests: tuple[int, str, tuple[Any, ...]]) -> list[Any]:
    sent, received = io.BytesIO(b"".join(map(pickle.dumps, requests))), io.BytesIO()
    serve(sent, received)
    received.seek(0)
    return [pickle.load(received) for _ in requests]


@needs_dartpy
def test_each_request_has_a_reply() -> None:
    mechanism = bridge.lower(scene([link("a")], [joint("j", WORLD, "a")]))
    found = replies(
        (4, OPEN, (mechanism, False)),
        (4, "set_state", ({"j": 0.25}, {})),
        (4, "positions", ()),
        (4, "jump", ()),
        (4, CLOSE, ()),
    )
    assert [succeeded for succeeded, _ in found] == [True, True, True, False, True]
    assert found[2][1]["j"] == pytest.approx((0.25,))
    assert "jump" in found[3][1]


@needs_dartpy
def test_a_model_falls_through_the_floor_because_dart_gets_no_meshes() -> None:
    finger = ASSETS / "gripper" / "meshes" / "finger.obj"
    body = f"""<sdf version="1.10"><model name="m"><link name="l"><inertial><mass>1</mass></inertial>
    <collision name="c"><geometry><mesh><uri>{finger}</uri></mesh></geometry></collision></link></model></sdf>"""
    mechanism = bridge.lower(loaders.load_string(body, format="sdf", paths=[ASSETS]))
    (row,) = (
        row
        for row in contact_rows(mechanism, [("dart", DartEngine)], 0, ())
        if row.quantity == "rest height"
    )
    assert (row.outcome, row.code) == (Outcome.FAILED, "dart.shape")
    assert row.known_cause is not None
    assert row.known_cause.is_loss


@needs_dartpy
def test_the_smaller_friction_of_dart_is_explained_where_the_larger_one_holds() -> None:
    text = """<mujoco><worldbody><geom type="box" size="1 1 .1" friction=".5"/>
    <body pos="0 0 1"><joint/><geom size=".1" friction=".9"/></body></worldbody></mujoco>"""
    found = compare(loaders.load_string(text, format="mjcf"), ("mujoco", "dart"), levels=["L0"])
    rows = [
        row for row in found.rows if row.quantity == "friction of pairs" and "dart" in row.engines
    ]
    assert {(row.outcome, row.code) for row in rows} == {(Outcome.EXPLAINED, "dart.friction-rule")}
    assert [row.error for row in rows] == pytest.approx([0.4, 0.4])
