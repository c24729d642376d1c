"""Faults in running engines are found by the quantity that claims to show them, and named; sound
engines are quiet.
"""

from __future__ import annotations

import dataclasses
from functools import cache

import pytest

import bridge
from bridge.mechanism import Mechanism
from tests.support.fault_robots import ROBOTS, drake_model, four_bar, robot, springs
from tests.support.fault_search import FAULTS, NOT_APPLICABLE, false_alarms, search

pytest.importorskip("mujoco")
pytest.importorskip("pybullet")

MODELS = {"four bars": four_bar, "springs": springs, "drake": drake_model}
HELD = ("a constraint removed", "a constraint without force")
APPLICABLE = [
    *(
        ("springs", "mujoco", kind)
        for kind in FAULTS["mujoco"]
        if "mimic" not in kind and "mesh" not in kind
    ),
    *(
        ("springs", "pybullet", kind)
        for kind in FAULTS["pybullet"]
        if "mimic" not in kind and "mesh" not in kind
    ),
    *(("drake", engine, kind) for engine in FAULTS for kind in ("a mimic sign", "a mimic offset")),
    ("four bars", "mujoco", "a loop's end moved 1 mm"),
    ("four bars", "pybullet", "a loop's end moved 1 mm"),
    ("four bars", "pybullet", "a fixed base moved 1 mm"),
    *((name, "pybullet", kind) for name in ("four bars", "drake") for kind in HELD),
]
ELSEWHERE = {
    "mujoco": {"a loop's end moved 1 mm", "a filter removed"},
    "pybullet": {"a loop's end moved 1 mm", "a fixed base moved 1 mm", *HELD},
}
"""Faults that the chain with springs has no place for."""


@cache
def mechanism(name: str) -> Mechanism:
    return bridge.lower(MODELS[name]())


@pytest.mark.parametrize(("name", "engine", "kind"), APPLICABLE)
def test_a_fault_is_found_and_named(name: str, engine: str, kind: str) -> None:
    expected = NOT_APPLICABLE if name == "springs" and kind in ELSEWHERE[engine] else "found"
    assert search(mechanism(name), engine, kind) == expected


def test_a_fault_beside_a_screw_is_found_although_engines_hold_the_screw_by_a_constraint() -> None:
    """Damping by the air changes velocities by less than MuJoCo's soft constraint, but not along
    its direction.
    """
    assert (
        search(bridge.lower(robot("leg.sdf")), "pybullet", "damping of links 0.04", seed=5)
        == "found"
    )


@pytest.mark.parametrize("name", MODELS)
def test_sound_engines_are_quiet(name: str) -> None:
    assert false_alarms(mechanism(name), 2) == []


@pytest.mark.parametrize("seed", range(3))
def test_a_moved_end_of_a_loop_is_found_although_the_loop_is_far_from_closed(seed: int) -> None:
    """The angle between the two ends is larger than their distance at most random positions."""
    assert search(mechanism("four bars"), "pybullet", "a loop's end moved 1 mm", seed) == "found"


def test_there_are_thirty_kinds_in_each_engine_and_twenty_robots() -> None:
    assert all(len(faults) >= 30 for faults in FAULTS.values())
    assert len(ROBOTS) == 20
    assert robot("double_pendulum.urdf") is not None


def test_a_base_that_starts_elsewhere_is_found_in_a_model_that_starts_at_a_key() -> None:
    moved = dataclasses.replace(springs(), name="at a key")
    joint, *others = moved.joints
    moved = dataclasses.replace(
        moved, joints=(dataclasses.replace(joint, default_position=(0.2,)), *others)
    )
    assert search(bridge.lower(moved), "mujoco", "a base starts 1 cm away") == "found"
