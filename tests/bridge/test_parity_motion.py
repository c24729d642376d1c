"""Motion in three engines: exact on trees of hinges and slides, first order where a base floats, chaos told apart."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest

import bridge
import loaders
from bridge.parity import Outcome, Verdict, compare
from bridge.parity.engines import factory_of
from bridge.parity.motion import motion_rows
from bridge.parity.reference import ReferenceEngine
from bridge.parity.states import random_states, time_step, undisturbed

pytest.importorskip("mujoco")
pytest.importorskip("pybullet")
ASSETS = Path(__file__).parents[2] / "assets"

INERTIA = "<inertial><pose>.1 .2 -.3 0 0 0</pose><mass>2</mass><inertia><ixx>.3</ixx><iyy>.4</iyy><izz>.5</izz></inertia></inertial>"  # noqa: E501


@pytest.mark.parametrize("name", ["arm/model.sdf", "double_pendulum.urdf", "orthogonal_x.sdf", "orthogonal_z.sdf"])
@pytest.mark.parametrize("seed", [0, 1])
def test_three_engines_move_a_tree_of_hinges_and_slides_alike_for_a_second(name: str, seed: int) -> None:
    found = compare(ASSETS / name, levels=("L2",), seed=seed)
    assert found.verdict is Verdict.EQUIVALENT
    assert {row.engines for row in found.rows} == {
        ("reference", "mujoco"), ("reference", "pybullet"), ("mujoco", "pybullet"),
    }  # fmt: skip
    assert max(row.error for row in found.rows) <= 1e-9


def test_a_floating_base_differs_by_the_order_of_the_step_and_says_so() -> None:
    found = compare(ASSETS / "gripper" / "model.sdf", levels=("L2",))
    assert found.verdict is Verdict.AGREES
    by_pair = {row.engines: row for row in found.rows if row.quantity == "motion without damping"}
    assert by_pair["reference", "mujoco"].outcome is Outcome.PASSED, "both integrate the origin of the link"
    assert "order 1.0" in by_pair["mujoco", "pybullet"].cause


def test_the_reference_swings_a_pendulum_as_semi_implicit_euler_does() -> None:
    text = (
        f"<sdf version='1.11'><model name='m'><link name='a'>{INERTIA}</link><joint name='j' type='revolute'>"
        "<parent>world</parent><child>a</child><axis><xyz>0 1 0</xyz><dynamics><damping>.3</damping></dynamics></axis>"
        "</joint></model></sdf>"
    )
    engine = ReferenceEngine(bridge.lower(loaders.load_string(text, format="sdf")))
    engine.set_step(1e-3)
    engine.set_state({"j": 0.4}, {"j": 0.2})
    engine.step(500)
    q, v, moment, arm, lean = 0.4, 0.2, 0.4 + 2.0 * (0.1**2 + 0.3**2), 0.0, 0.0
    for _ in range(500):
        arm = 0.1 * math.cos(q) - 0.3 * math.sin(q)  # of the weight about the axis
        lean = (2.0 * 9.8 * arm - 0.3 * v) / moment
        v += 1e-3 * lean
        q += 1e-3 * v
    assert engine.link_poses()["a"].R[0, 2] == pytest.approx(math.sin(q), abs=1e-12)


def test_a_body_without_forces_falls_and_keeps_its_spin() -> None:
    text = f"<sdf version='1.11'><model name='m'><link name='a'>{INERTIA.replace('.1 .2 -.3', '0 0 0')}</link></model></sdf>"  # noqa: E501
    mechanism = bridge.lower(loaders.load_string(text, format="sdf"))
    for name in ("reference", "mujoco", "pybullet"):
        engine = factory_of(name)(mechanism)
        engine.set_step(1e-3)
        engine.set_state({}, {"a": (1.0, 0.0, 0.0, 0.0, 0.0, 2.0)})
        engine.step(1000)
        X_WA = engine.link_poses()["a"]
        engine.close()
        assert X_WA.p == pytest.approx((1.0, 0.0, -9.8 * 1e-6 * 1000 * 1001 / 2), abs=1e-9), name
        assert X_WA.R[:, 0] == pytest.approx((math.cos(2.0), math.sin(2.0), 0.0), abs=1e-9), name


def test_stiff_damping_shortens_the_step_and_too_stiff_damping_is_left_out() -> None:
    text = (ASSETS / "double_pendulum.urdf").read_text(encoding="utf-8")
    soft = bridge.lower(loaders.load_string(text, format="urdf"))
    stiff = bridge.lower(loaders.load_string(text.replace('damping="0.05"', 'damping="1e7"'), format="urdf"))
    assert time_step(soft) is not None
    assert time_step(stiff) is None
    rows = list(motion_rows(stiff, [(name, factory_of(name)) for name in ("mujoco", "pybullet")], seed=0))
    assert [row.outcome for row in rows] == [Outcome.PASSED, Outcome.UNKNOWN]


def test_what_moves_undisturbed_has_no_stops_shapes_or_couplings() -> None:
    mechanism = undisturbed(bridge.lower(loaders.load(ASSETS / "arm" / "model.sdf")))
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
