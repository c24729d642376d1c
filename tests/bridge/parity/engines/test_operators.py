"""Jacobians, inverse dynamics and violated constraints: closed forms, Drake, and how links move."""

from __future__ import annotations

import dataclasses
import math
from pathlib import Path

import numpy as np
import pytest

import bridge
import loaders
from bridge.parity import Outcome, Verdict, compare
from bridge.parity.engines.protocol import factory_of
from bridge.parity.levels.random_states import random_states, without_solver_effects

pytest.importorskip("mujoco")
pytest.importorskip("pybullet")

ASSETS = Path(__file__).parents[4] / "assets"
ENGINES = ("reference", "mujoco", "pybullet")
MASS = "<inertial><mass>2</mass><inertia><ixx>.3</ixx><iyy>.4</iyy><izz>.5</izz></inertia></inertial>"
BAR = (
    "<joint name='{0}' type='revolute'><pose>{3}</pose><parent>{1}</parent><child>{2}</child>"
    "<axis><xyz>0 1 0</xyz></axis></joint>"
)
FOUR_BARS = (
    "<sdf version='1.11'><model name='m'>"
    f"<link name='a'>{MASS}</link><link name='b'><pose>1 0 1 0 0 0</pose>{MASS}</link>"
    f"<link name='c'><pose>1 0 0 0 0 0</pose>{MASS}</link>"
    + BAR.format("left", "world", "a", "0 0 0 0 0 0")
    + BAR.format("right", "world", "c", "0 0 0 0 0 0")
    + BAR.format("top", "a", "b", "-1 0 0 0 0 0")
    + BAR.format("close", "c", "b", "0 0 0 0 0 0")
    + "</model></sdf>"
)
"""Three links of one metre between two points of the ground that are a metre apart."""


def opened(name: str, scene: loaders.Scene):
    return factory_of(name)(bridge.lower(scene))


@pytest.mark.parametrize("name", ENGINES)
@pytest.mark.parametrize("model", ["arm/model.sdf", "leg.sdf", "gripper/model.sdf"])
def test_a_jacobian_times_a_velocity_is_how_the_links_move(name: str, model: str) -> None:
    mechanism = without_solver_effects(bridge.lower(loaders.load(ASSETS / model)))
    engine = factory_of(name)(mechanism)
    engine.set_step(1e-6)
    for q, v in random_states(mechanism, 2, seed=1):
        engine.set_state(q, v)
        J, before = engine.jacobians(), engine.link_poses()
        engine.step(1)
        after = engine.link_poses()
        rates = np.array([np.atleast_1d(v[joint])[k] for joint, k in mechanism.v_order])
        for link, X in before.items():
            twist = J[link] @ rates
            moved = (after[link].p - X.p) / 1e-6
            turned = (after[link].R - X.R) @ X.R.T / 1e-6
            assert moved == pytest.approx(twist[3:], abs=1e-3)
            assert (turned[2, 1], turned[0, 2], turned[1, 0]) == pytest.approx(tuple(twist[:3]), abs=1e-3)
    engine.close()


@pytest.mark.parametrize("model", ["arm/model.sdf", "leg.sdf", "double_pendulum.urdf"])
def test_drake_agrees_on_jacobians_and_inverse_dynamics(model: str) -> None:
    pytest.importorskip("pydrake")
    found = compare(ASSETS / model, ("drake",), levels=("L0", "L1"), configurations=4)
    told = {row.quantity: row for row in found.rows if "drake" in row.engines}
    assert told["Jacobians"].outcome is Outcome.PASSED
    assert told["inverse dynamics"].outcome is Outcome.PASSED


@pytest.mark.parametrize("name", ENGINES)
def test_a_loop_that_is_torn_open_is_as_far_open_as_geometry_says(name: str) -> None:
    engine = opened(name, loaders.load_string(FOUR_BARS, format="sdf"))
    engine.set_state({"left": 0.3, "right": 0.0, "top": 0.0}, {})
    s, c = math.sin(0.3), math.cos(0.3)
    assert engine.violations()["close"] == pytest.approx(math.hypot(s + c - 1.0, c - s - 1.0), abs=1e-9)
    engine.close()


@pytest.mark.parametrize("name", ENGINES)
def test_a_follower_that_is_off_by_a_tenth_violates_its_coupling_by_a_tenth(name: str) -> None:
    mimic = "<mimic joint='lead'><multiplier>-2</multiplier><offset>.3</offset><reference>0</reference></mimic>"
    text = (
        f"<sdf version='1.11'><model name='m'><link name='a'>{MASS}</link><link name='b'>{MASS}</link>"
        + BAR.format("lead", "world", "a", "0 0 0 0 0 0")
        + BAR.format("follow", "a", "b", "0 0 0 0 0 0").replace("</xyz>", f"</xyz>{mimic}")
        + "</model></sdf>"
    )
    engine = opened(name, loaders.load_string(text, format="sdf"))
    engine.set_state({"lead": 0.5, "follow": -2.0 * 0.5 + 0.3 + 0.1}, {})
    assert engine.violations() == pytest.approx({"follow": 0.1}, abs=1e-12)
    engine.close()


def test_velocities_are_read_back_as_they_were_given() -> None:
    mechanism = bridge.lower(loaders.load(ASSETS / "leg.sdf"))
    q, v = random_states(mechanism, 1, seed=2)[0]
    given = [np.atleast_1d(v[joint])[k] for joint, k in mechanism.v_order]
    for name in ENGINES:
        engine = factory_of(name)(mechanism)
        engine.set_state(q, v)
        assert engine.velocities() == pytest.approx(given, abs=1e-12), name
        engine.close()


def test_a_cause_explains_the_joints_that_carry_it_and_no_others() -> None:
    """Two arms, one of them with a rotor, which PyBullet lacks: that does not excuse a fault in the other."""
    rotor = "<drake:rotor_inertia>.1</drake:rotor_inertia>"
    text = (
        "<sdf version='1.11' xmlns:drake='http://drake.mit.edu'><model name='m'>"
        f"<link name='a'>{MASS}</link><link name='b'>{MASS}</link>"
        + BAR.format("geared", "world", "a", "0 0 0 0 0 0").replace("</axis>", f"</axis>{rotor}")
        + BAR.format("plain", "world", "b", "0 0 0 0 0 0")
        + "</model></sdf>"
    )
    scene = loaders.load_string(text, format="sdf")
    sound = compare(scene, ("pybullet",), levels=("L1",), configurations=2)
    assert sound.verdict is Verdict.AGREES
    a, b = scene.links
    wrong = dataclasses.replace(b, inertia=dataclasses.replace(b.inertia, I_Lcm=1.01 * b.inertia.I_Lcm))

    def faulty(_mechanism):
        return opened("pybullet", dataclasses.replace(scene, links=(a, wrong)))

    faulty.name = "pybullet"
    found = compare(scene, (faulty,), levels=("L1",), configurations=2)
    assert {row.where for row in found.failures} == {"plain"}
