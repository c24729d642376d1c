"""Gravity, time step, initial pose and effort limit that are wrong in a running engine are found
and named.
"""

from __future__ import annotations

import dataclasses
from typing import Any

import pytest

from bridge.parity import Comparison, Outcome, compare
from bridge.parity.engines.pybullet.engine import PyBulletEngine
from loaders.model import WORLD, Coupling, Keyframe
from loaders.pose import Pose
from tests.support.running_faults import faulty_mujoco, faulty_pybullet
from tests.support.scenes import joint, link, scene

pytest.importorskip("mujoco")
pybullet = pytest.importorskip("pybullet")

NAMES = ("gravity", "time step", "initial poses", "effort limits")
ARM = scene(
    [link("a"), link("b", X_WL=Pose.of(p=(0.0, 0.0, 2.0)))],
    [joint("j", WORLD, "a", axis={"effort": 3.0})],
)


def found(*engines: Any) -> Comparison:
    return compare(ARM, engines, levels=("L0",), configurations=1)


def failed(comparison: Comparison) -> set[tuple[str, str]]:
    return {(row.quantity, row.where) for row in comparison.rows if row.outcome is Outcome.FAILED}


def test_sound_engines_agree_in_all_of_them() -> None:
    rows = [row for row in found("mujoco", "pybullet").rows if row.quantity in NAMES]
    assert len(rows) == 3 * len(NAMES)
    assert {row.outcome for row in rows} == {Outcome.PASSED}


def set_gravity(model: Any) -> None:
    model.opt.gravity[2] *= 1.001


def set_step(model: Any) -> None:
    model.opt.timestep *= 2.0


def set_effort(model: Any) -> None:
    model.jnt_actfrcrange *= 2.0


def set_height(model: Any) -> None:
    model.qpos0[model.jnt_qposadr[model.body("b").jntadr[0]] + 2] += 0.1


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        (set_gravity, ("gravity", "world")),
        (set_step, ("time step", "world")),
        (set_effort, ("effort limits", "j")),
        (set_height, ("initial poses", "b")),
    ],
)
def test_a_wrong_setting_of_mujoco_is_found_and_named(
    change: Any, expected: tuple[str, str]
) -> None:
    assert expected in failed(found(faulty_mujoco(change), "pybullet"))


def test_a_wrong_setting_of_pybullet_is_found_and_named() -> None:
    def change(engine: PyBulletEngine) -> None:
        pybullet.setGravity(0, 0, -9.0, physicsClientId=engine._client)
        pybullet.setTimeStep(0.01, physicsClientId=engine._client)

    wrong = failed(found("mujoco", faulty_pybullet(change)))
    assert {("gravity", "world"), ("time step", "world")} <= wrong


COUPLED = dataclasses.replace(
    scene(
        [link("a"), link("b"), link("c")],
        [joint("j", WORLD, "a"), joint("f", "a", "b"), joint("k", "b", "c")],
    ),
    couplings=(Coupling(follower="f", leader="j", multiplier=-1.0, offset=0.125),),
)
STARTING = dataclasses.replace(
    COUPLED,
    joints=(dataclasses.replace(COUPLED.joints[0], default_position=(0.25,)), *COUPLED.joints[1:]),
)


def move_follower(model: Any) -> None:
    model.key_qpos[0][1] += 0.1


def test_joints_that_start_elsewhere_are_found() -> None:
    found = compare(STARTING, ("mujoco", "pybullet"), levels=("L0",), configurations=1)
    assert {row.outcome for row in found.rows if row.quantity == "initial poses"} == {
        Outcome.PASSED
    }
    faulty = compare(
        STARTING, (faulty_mujoco(move_follower), "pybullet"), levels=("L0",), configurations=1
    )
    assert ("initial poses", "b") in failed(faulty)


def test_the_initial_position_is_not_the_first_state() -> None:
    up = Keyframe(name="up", joints=("j",), positions=((0.75,),))
    found = compare(
        dataclasses.replace(STARTING, keyframes=(up,)),
        ("mujoco", "pybullet"),
        levels=("L0",),
        configurations=1,
    )
    assert {row.outcome for row in found.rows if row.quantity == "initial poses"} == {
        Outcome.PASSED
    }
