"""One step is of the order that it should be; the states to start from are within limits and
repeatable.
"""

from __future__ import annotations

import dataclasses
import math
from pathlib import Path

import numpy as np
import pytest

import bridge
import loaders
from bridge.parity import Outcome, Row, compare
from bridge.parity.engine import Engine, factory_of
from bridge.parity.engines.mujoco.engine import MujocoEngine
from bridge.parity.motion.step import step_rows
from bridge.parity.motion.trajectory import motion_rows
from bridge.parity.states import exported, random_states, time_step, without_solver_effects
from loaders.inertia import SpatialInertia
from loaders.model import WORLD, Coupling, JointType
from tests.support.scenes import UNIT_BOX, joint, link, scene

# One step is exact for fixed bases, and of second order in the step for floating bases.

ASSETS = Path(__file__).parents[4] / "assets"
DAMPED = {"damping": 0.5}


def rows_of(source: object, **options: object) -> dict[tuple[str, str, str], Row]:
    found = compare(source, levels=("L2",), **options)
    return {(row.quantity, *row.engines): row for row in found.rows}


@pytest.mark.slow
def test_one_step_from_many_states_is_exact_where_the_base_is_fixed() -> None:
    found = rows_of(ASSETS / "arm" / "model.sdf")
    row = found["one step", "mujoco", "pybullet"]
    assert row.error <= 1e-12
    assert row.sensitivity == pytest.approx(1.0, abs=0.5)


@pytest.mark.slow
def test_one_step_of_a_floating_base_differs_by_the_square_of_the_step() -> None:
    row = rows_of(ASSETS / "gripper" / "model.sdf")["one step", "mujoco", "pybullet"]
    assert row.outcome is Outcome.EXPLAINED
    assert row.order == pytest.approx(2.0, abs=0.1)
    assert len(row.convergence) == 4


@pytest.mark.slow
def test_a_force_that_one_engine_lacks_is_found_in_one_step_however_free_the_base(
    tmp_path: Path,
) -> None:
    scene = loaders.load(ASSETS / "gripper" / "model.sdf")
    lighter = dataclasses.replace(scene, gravity=0.999 * scene.gravity)

    def faulty(_mechanism: object) -> object:
        return factory_of("mujoco")(without_solver_effects(bridge.lower(lighter)))

    faulty.name = "mujoco"  # type: ignore[attr-defined]
    row = rows_of(scene, engines=(faulty, "pybullet"))["one step", "mujoco", "pybullet"]
    assert row.outcome is Outcome.FAILED
    assert row.order == pytest.approx(1.0, abs=0.1), (
        "the velocities part by the step times what is missing"
    )


@pytest.mark.parametrize(
    ("error", "outcome"), [(0.0, Outcome.EXPLAINED), (1e-4, Outcome.FAILED), (0.01, Outcome.FAILED)]
)
def test_a_screw_behind_a_ball_is_explained_by_its_constraint_and_a_wrong_pitch_is_not(
    error: float, outcome: Outcome
) -> None:
    """Engines are asked for their mass matrices between two series of steps; PyBullet's follows
    from steps, because its queries refuse balls.
    """
    inertia = SpatialInertia.of(1.0, (0.1, 0.0, 0.0), np.diag((0.1, 0.1, 0.1)))
    links = [link("a", inertia=inertia), link("b", inertia=inertia)]
    ball = joint("ball", WORLD, "a", JointType.BALL)
    right, wrong = (
        scene([*links], [ball, joint("s", "a", "b", JointType.SCREW, pitch=p, axis=DAMPED)])
        for p in (0.2, 0.2 * (1.0 + error))
    )

    def other(_mechanism: object) -> Engine:
        return factory_of("pybullet")(without_solver_effects(bridge.lower(wrong)))

    engines = (("mujoco", factory_of("mujoco")), ("pybullet", other))
    (row,) = step_rows(bridge.lower(right), engines, seed=0)
    assert row.outcome is outcome
    if outcome is Outcome.EXPLAINED:
        assert row.known_cause is not None
        assert row.known_cause.code == "parity.screw-constraint"


# Random states are within the limits and repeatable, and the smooth mechanism has no solver
# effects.


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


# The exported model keeps everything that moves, and loses its shapes.


def test_only_shapes_go() -> None:
    axis = {"damping": 0.3, "friction": 0.2, "lower": -1.0, "upper": 1.0, "spring_stiffness": 2.0}
    arm = scene(
        [link("a", shape=UNIT_BOX), link("b")],
        [joint("j", WORLD, "a", axis=axis), joint("k", "a", "b", axis=axis)],
    )
    arm = dataclasses.replace(arm, couplings=(Coupling(follower="k", leader="j"),))
    moved = exported(bridge.lower(arm), 5e-4)
    assert [each.axes[0].friction for each in moved.scene.joints] == [0.2, 0.2]
    assert [each.axes[0].upper for each in moved.scene.joints] == [1.0, 1.0]
    assert moved.scene.couplings == arm.couplings
    assert moved.scene.physics.time_step == 5e-4
    assert not any(each.collisions for each in moved.scene.links)
