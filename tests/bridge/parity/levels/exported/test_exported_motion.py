"""The exported model moves alike in both engines; dry friction, stops and couplings included."""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np
import pytest

import bridge
from bridge.parity import Outcome, Row
from bridge.parity.engines.mujoco.engine import MujocoEngine
from bridge.parity.engines.pybullet.engine import PyBulletEngine
from bridge.parity.motion.model_motion import STEPS, Motions, exported_rows
from bridge.parity.reference import ReferenceEngine
from loaders.inertia import SpatialInertia
from loaders.model import WORLD, JointType
from tests.support.running_faults import faulty_mujoco
from tests.support.scenes import joint, link, scene

pytest.importorskip("mujoco")
pytest.importorskip("pybullet")

AXIS = {"damping": 0.1, "friction": 0.5, "lower": -2.0, "upper": 2.0}
ARM = bridge.lower(
    scene(
        [link("a"), link("b")],
        [
            joint("j", WORLD, "a", xyz=(0, 1, 0), axis=AXIS),
            joint("k", "a", "b", xyz=(0, 1, 0), axis=AXIS),
        ],
    )
)


def rows(mujoco: Any = MujocoEngine) -> list[Row]:
    engines = [("reference", ReferenceEngine), ("mujoco", mujoco), ("pybullet", PyBulletEngine)]
    return list(exported_rows(ARM, engines, 0))


def test_a_sound_model_converges_and_its_stops_hold() -> None:
    found = rows()
    assert [row.quantity for row in found] == [
        "exported motion",
        "stops in motion",
        "stops in motion",
    ]
    assert {row.outcome for row in found} == {Outcome.PASSED}
    assert found[0].error < 0.3


@pytest.mark.parametrize(
    ("field", "factor"), [("dof_frictionloss", 0.9), ("dof_damping", 0.5), ("body_inertia", 1.2)]
)
def test_a_changed_parameter_stops_the_convergence(field: str, factor: float) -> None:
    def change(model: Any) -> None:
        getattr(model, field)[:] *= factor

    found = rows(faulty_mujoco(change))
    assert found[0].outcome is Outcome.FAILED
    assert "do not converge" in found[0].cause


def test_a_missing_stop_is_passed() -> None:
    def unlimit(model: Any) -> None:
        model.jnt_limited[:] = 0

    failed = [row for row in rows(faulty_mujoco(unlimit)) if row.outcome is Outcome.FAILED]
    assert {(row.quantity, row.engines[1]) for row in failed} == {("stops in motion", "mujoco")}


def test_a_model_that_is_too_large_is_unknown(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("bridge.parity.motion.model_motion.MAX_WORK", 1)
    assert [row.outcome for row in rows()] == [Outcome.UNKNOWN]
    assert dataclasses.is_dataclass(ARM)


HANDLE = bridge.lower(
    scene(
        [link("a", inertia=SpatialInertia.of(0.1, (0, 0, 0), 2e-4 * np.eye(3)))],
        [joint("j", WORLD, "a", xyz=(0, 1, 0), axis={"damping": 0.3, "friction": 10.0})],
    )
)
"""The handle of a valve, whose friction stops it within 0.02 ms, as in `drc_practice_ball_valve` of
Gazebo.
"""


def handle_row(mujoco: Any = MujocoEngine) -> Row:
    return next(exported_rows(HANDLE, [("mujoco", mujoco), ("pybullet", PyBulletEngine)], 0))


def test_a_joint_that_friction_stops_at_once_is_compared_in_steps_that_are_short_enough() -> None:
    row = handle_row()
    assert row.outcome is Outcome.PASSED
    assert row.convergence[-1][0] < 2e-5


@pytest.mark.parametrize("factor", [0.5, 2.0])
def test_wrong_friction_of_a_joint_that_it_stops_at_once_is_found(factor: float) -> None:
    def change(model: Any) -> None:
        model.dof_frictionloss[:] *= factor

    row = handle_row(faulty_mujoco(change))
    assert row.outcome is Outcome.FAILED
    assert "do not converge" in row.cause


def _with_damping(damping: float) -> list[Row]:
    """Rows of a link of 1e-4 kg m^2 on a damped hinge, so that the rate of the damper is 1e4 times
    the damping.
    """
    damped = joint("j", WORLD, "a", xyz=(0, 1, 0), axis={"damping": damping})
    inertia = SpatialInertia.of(0.1, (0, 0, 0), 1e-4 * np.eye(3))
    mechanism = bridge.lower(scene([link("a", inertia=inertia)], [damped]))
    return list(
        exported_rows(
            mechanism, [("mujoco", MujocoEngine.as_exported), ("pybullet", PyBulletEngine)], 0
        )
    )


def test_a_damper_that_no_compared_step_resolves_is_a_gap_and_never_passes() -> None:
    row = _with_damping(10.0)[0]
    assert row.outcome is Outcome.UNKNOWN
    assert row.cause.startswith(
        "dampers or springs act at a rate of 1.0e+05 1/s; PyBullet integrates them explicitly"
    )


@pytest.mark.parametrize("damping", [0.1, 0.5])
def test_a_damper_that_the_compared_steps_resolve_is_compared(damping: float) -> None:
    """At 1 ms, the product of rate and step is 1 and 5; an eighth of the step resolves the
    latter.
    """
    assert _with_damping(damping)[0].outcome is Outcome.PASSED


def test_a_stop_behind_a_damper_that_diverges_is_unknown_in_pybullet_only() -> None:
    axis = {"damping": 10.0, "lower": -1.0, "upper": 1.0}
    inertia = SpatialInertia.of(0.06, (0, 0, 0), 5e-5 * np.eye(3))
    hinge = joint("j", WORLD, "a", xyz=(0, 1, 0), axis=axis)
    mechanism = bridge.lower(scene([link("a", inertia=inertia)], [hinge]))
    engines = [("mujoco", MujocoEngine.as_exported), ("pybullet", PyBulletEngine)]
    found = {
        row.engines[1]: row
        for row in exported_rows(mechanism, engines, 0)
        if row.quantity == "stops in motion"
    }
    assert found["mujoco"].outcome is Outcome.PASSED
    assert (found["pybullet"].outcome, found["pybullet"].where) == (Outcome.UNKNOWN, "j")


@pytest.mark.parametrize(("moved", "outcome"), [(3.0, Outcome.PASSED), (2.0, Outcome.UNKNOWN)])
def test_motions_as_far_apart_as_the_links_move_show_no_order(
    moved: float, outcome: Outcome, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A distance of 1 m that shrank is 0.33 of 3 m, and 0.5 of 2 m."""
    motions = Motions(ARM, {}, 0)
    monkeypatch.setattr(motions, "_extent", lambda _row: moved)
    monkeypatch.setattr(motions, "_stop_at_once", lambda _row: False)
    measured = dataclasses.replace(rows()[0], error=0.3, convergence=((1e-3, 3.3), (1.25e-4, 1.0)))
    assert motions._judged([measured]).outcome is outcome


def test_the_extent_of_a_motion_is_how_far_a_link_moves() -> None:
    """A link that slides at 2 m/s without forces."""
    slide = joint("s", WORLD, "a", JointType.PRISMATIC, xyz=(1, 0, 0))
    mechanism = bridge.lower(scene([link("a")], [slide]))
    motions = Motions(
        mechanism, {"mujoco": MujocoEngine.as_exported, "pybullet": PyBulletEngine}, 0
    )
    row = motions.row(("mujoco", "pybullet"))
    longest = row.convergence[0][0]
    speed = abs(float(np.ravel(motions._start[1]["s"])[0]))
    assert motions._extent(row) == pytest.approx(speed * STEPS * longest, rel=1e-6)
