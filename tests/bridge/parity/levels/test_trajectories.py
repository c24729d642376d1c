"""Motion in three engines: exact on trees of hinges and slides, first order where a base floats, chaos told apart."""

from __future__ import annotations

import dataclasses
import math
import re
from pathlib import Path

import numpy as np
import pytest

import bridge
import loaders
from bridge.parity import Outcome, Row, Verdict, compare
from bridge.parity.engines.protocol import factory_of
from bridge.parity.engines.reference_engine import ReferenceEngine
from bridge.parity.levels.convergence import errors_over_steps, exact_motion, log_log_slope
from bridge.parity.levels.random_states import random_states, time_step, without_solver_effects
from bridge.parity.levels.trajectories import motion_rows
from loaders.spatial import quaternion_to_matrix

pytest.importorskip("mujoco")
pytest.importorskip("pybullet")
ASSETS = Path(__file__).parents[4] / "assets"

INERTIA = "<inertial><pose>.1 .2 -.3 0 0 0</pose><mass>2</mass><inertia><ixx>.3</ixx><iyy>.4</iyy><izz>.5</izz></inertia></inertial>"  # noqa: E501


@pytest.mark.parametrize("name", ["arm/model.sdf", "double_pendulum.urdf", "orthogonal_x.sdf", "orthogonal_z.sdf"])
@pytest.mark.parametrize("seed", [0, 1])
def test_three_engines_move_a_tree_of_hinges_and_slides_alike_for_a_second(name: str, seed: int) -> None:
    found = compare(ASSETS / name, levels=("L2",), seed=seed)
    assert found.verdict is Verdict.EQUIVALENT
    moved = [row for row in found.rows if row.series]
    assert {row.engines for row in moved} == {
        ("reference", "mujoco"), ("reference", "pybullet"), ("mujoco", "pybullet"),
    }  # fmt: skip
    assert max(row.error for row in moved) <= 1e-9
    orders = {row.engines[1]: row.order for row in found.rows if row.engines[0] == "exact"}
    assert orders == pytest.approx(dict.fromkeys(("reference", "mujoco", "pybullet"), 1.0), abs=0.1)


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


# --- one step, and how errors shrink with it -------------------------------------------------------------------------


def rows_of(source: object, **options: object) -> dict[tuple[str, str, str], Row]:
    found = compare(source, levels=("L2",), **options)
    return {(row.quantity, *row.engines): row for row in found.rows}


@pytest.mark.parametrize("power", [1.0, 2.0, 4.0])
def test_the_slope_of_a_power_is_its_exponent(power: float) -> None:
    assert log_log_slope(errors_over_steps(1e-2, lambda step: 3.0 * step**power)) == pytest.approx(power, abs=1e-12)


def test_errors_that_vanish_have_no_slope() -> None:
    assert log_log_slope(errors_over_steps(1e-2, lambda _step: 0.0)) is None


def test_the_exact_motion_keeps_the_energy_of_what_nothing_brakes() -> None:
    mechanism = without_solver_effects(bridge.lower(loaders.load(ASSETS / "leg.sdf")), damped=False)
    q, v = random_states(mechanism, 1, seed=0)[0]
    g = mechanism.scene.gravity

    def weight(at: object) -> float:
        poses = mechanism.link_poses(at)
        held = ((b.inertia, poses[b.name]) for b in mechanism.bodies if b.link.gravity)
        return -sum(inertia.mass * float(g @ (X.R @ inertia.p_LLcm + X.p)) for inertia, X in held)

    start = np.array([np.atleast_1d(v[name])[k] for name, k in mechanism.v_order])
    energy = 0.5 * start @ mechanism.mass_matrix(q) @ start + weight(q)
    after = exact_motion(mechanism, (q, v), 1e-3, 50)
    before = exact_motion(mechanism, (q, v), 1e-3, 49)
    engine = ReferenceEngine(mechanism)
    assert after != before
    engine.set_state(after, {})
    rates = _rates(mechanism, before, after, exact_motion(mechanism, (q, v), 1e-3, 51))
    assert 0.5 * rates @ mechanism.mass_matrix(after) @ rates + weight(after) == pytest.approx(energy, rel=1e-5)


def _rates(mechanism: object, before: dict, at: dict, after: dict) -> np.ndarray:
    """Central differences of positions a millisecond apart; of a quaternion, the turn between them."""
    found = []
    for name in dict.fromkeys(name for name, _ in mechanism.v_order):
        a, b = np.atleast_1d(before[name]), np.atleast_1d(after[name])
        if len(a) in {4, 7}:
            found += ((b[:-4] - a[:-4]) / 2e-3).tolist()
            turn = quaternion_to_matrix(b[-4:]) @ quaternion_to_matrix(a[-4:]).T
            found += (
                np.array((turn[2, 1] - turn[1, 2], turn[0, 2] - turn[2, 0], turn[1, 0] - turn[0, 1])) / 4e-3
            ).tolist()
        else:
            found += ((b - a) / 2e-3).tolist()
    return np.array(found)


def test_one_step_from_many_states_is_exact_where_the_base_is_fixed() -> None:
    found = rows_of(ASSETS / "arm" / "model.sdf")
    row = found["one step", "mujoco", "pybullet"]
    assert row.error <= 1e-12
    assert row.sensitivity == pytest.approx(1.0, abs=0.5)


def test_one_step_of_a_floating_base_differs_by_the_square_of_the_step() -> None:
    row = rows_of(ASSETS / "gripper" / "model.sdf")["one step", "mujoco", "pybullet"]
    assert row.outcome is Outcome.EXPLAINED
    assert row.order == pytest.approx(2.0, abs=0.1)
    assert len(row.convergence) == 4


def test_a_force_that_one_engine_lacks_is_found_in_one_step_however_free_the_base(tmp_path: Path) -> None:
    scene = loaders.load(ASSETS / "gripper" / "model.sdf")
    lighter = dataclasses.replace(scene, gravity=0.999 * scene.gravity)

    def faulty(_mechanism: object) -> object:
        return factory_of("mujoco")(without_solver_effects(bridge.lower(lighter)))

    faulty.name = "mujoco"  # type: ignore[attr-defined]
    row = rows_of(scene, engines=(faulty, "pybullet"))["one step", "mujoco", "pybullet"]
    assert row.outcome is Outcome.FAILED
    assert row.order == pytest.approx(1.0, abs=0.1), "the velocities part by the step times what is missing"


# --- what is left out, or held by a solver ---------------------------------------------------------------------------


def test_what_no_motion_has_is_a_row_that_says_so() -> None:
    found = rows_of(ASSETS / "arm" / "model.sdf")
    stops = found["stops in motion", "reference", "mujoco"]
    assert (stops.outcome, stops.where) == (Outcome.UNKNOWN, "waist")
    assert "limits" in stops.cause


def test_a_large_model_says_that_the_reference_does_not_ride_along() -> None:
    chain = "".join(
        f"<link name='l{i}'>{INERTIA}</link><joint name='j{i}' type='revolute'><parent>{f'l{i - 1}' if i else 'world'}"
        f"</parent><child>l{i}</child><axis><xyz>0 1 0</xyz></axis></joint>"
        for i in range(11)
    )
    text = f"<sdf version='1.11'><model name='m'>{chain}</model></sdf>"
    found = rows_of(loaders.load_string(text, format="sdf"), engines=("mujoco",))
    assert "degrees of freedom times steps" in found["motion without damping", "reference", "mujoco"].cause


def test_rotors_move_as_the_model_says_in_mujoco_and_pybullet_says_that_it_has_none() -> None:
    text = (ASSETS / "double_pendulum.urdf").read_text(encoding="utf-8")
    geared = text.replace(
        "</robot>",
        "<transmission name='t'><type>transmission_interface/SimpleTransmission</type><joint name='elbow'>"
        "<hardwareInterface>EffortJointInterface</hardwareInterface></joint><actuator name='a'>"
        "<drake:rotor_inertia xmlns:drake='http://drake.mit.edu' value='.01'/></actuator></transmission></robot>",
    )
    found = rows_of(loaders.load_string(geared, format="urdf"))
    assert found["motion with rotors", "reference", "mujoco"].outcome is Outcome.PASSED
    assert "rotor" in found["motion with rotors", "mujoco", "pybullet"].cause


def test_how_well_a_coupling_holds_in_motion_is_measured() -> None:
    text = (ASSETS / "double_pendulum.urdf").read_text(encoding="utf-8")
    mimic = "<joint name='elbow' type='continuous'>\n    <mimic joint='shoulder' multiplier='-2' offset='.1'/>"
    coupled = re.sub(r"<joint name=.elbow. type=.\w+.>", mimic, text)
    found = rows_of(loaders.load_string(coupled, format="urdf"))
    for engine in ("mujoco", "pybullet"):
        row = found["constraints in motion", "reference", engine]
        assert row.where == "elbow"
        assert row.outcome in {Outcome.PASSED, Outcome.EXPLAINED}
        assert row.error < 1e-4
