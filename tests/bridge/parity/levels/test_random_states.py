"""Random states are within the limits and repeatable, and the smooth mechanism has no solver
effects.
"""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest

import bridge
import loaders
from bridge.parity import Outcome
from bridge.parity.engine import factory_of
from bridge.parity.engines.mujoco.engine import MujocoEngine
from bridge.parity.motion.trajectory import motion_rows
from bridge.parity.states import random_states, time_step, without_solver_effects

pytest.importorskip("mujoco")
pytest.importorskip("pybullet")


ASSETS = Path(__file__).parents[4] / "assets"


def test_stiff_damping_shortens_the_step_and_too_stiff_damping_is_left_out() -> None:
    text = (ASSETS / "double_pendulum.urdf").read_text(encoding="utf-8")
    soft = bridge.lower(loaders.load_string(text, format="urdf"))
    stiff = bridge.lower(
        loaders.load_string(text.replace('damping="0.05"', 'damping="1e7"'), format="urdf")
    )
    assert time_step(soft) is not None
    assert time_step(stiff) is None
    rows = list(
        motion_rows(stiff, [(name, factory_of(name)) for name in ("mujoco", "pybullet")], seed=0)
    )
    outcomes = {row.quantity: row.outcome for row in rows}
    assert outcomes["motion without damping"] is Outcome.PASSED
    assert outcomes["motion with damping"] is Outcome.UNKNOWN
    assert outcomes["one step"] is Outcome.PASSED, "one step needs no stability"


def test_what_moves_undisturbed_has_no_stops_shapes_or_couplings() -> None:
    mechanism = without_solver_effects(bridge.lower(loaders.load(ASSETS / "arm" / "model.sdf")))
    assert not any(link.collisions or link.visuals for link in mechanism.scene.links)
    assert all(math.isinf(axis.upper) for joint in mechanism.scene.joints for axis in joint.axes)
    assert not mechanism.couplings


def test_random_states_stay_inside_the_limits_and_repeat_with_their_seed() -> None:
    mechanism = bridge.lower(loaders.load(ASSETS / "arm" / "model.sdf"))
    limits = {joint.name: joint.axes[0] for joint in mechanism.scene.joints if joint.axes}
    for q, _ in random_states(mechanism, 50, seed=3):
        for name, value in q.items():
            assert limits[name].lower <= np.atleast_1d(value)[0] <= limits[name].upper
    assert random_states(mechanism, 2, seed=3) == random_states(mechanism, 2, seed=3)
    assert random_states(mechanism, 2, seed=3) != random_states(mechanism, 2, seed=4)


def test_a_smooth_mechanism_has_no_sensors_of_limits() -> None:
    """MuJoCo refuses a sensor of the limits of a joint without limits."""
    text = (
        '<mujoco><worldbody><body><joint name="j" range="-1 1"/><geom '
        'size=".1"/></body></worldbody>'
        '<sensor><jointlimitfrc joint="j"/></sensor></mujoco>'
    )
    smooth = without_solver_effects(bridge.lower(loaders.load_string(text, format="mjcf")))
    assert MujocoEngine(smooth).model.nsensor == 0
