"""MuJoCo holds the state in its own coordinates; efforts and stops against numbers that are worked
out by hand.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import bridge
import loaders
from bridge.mechanism import Mechanism
from bridge.parity import Outcome, compare
from bridge.parity.engine import DivergedError
from bridge.parity.engines.mujoco.engine import MujocoEngine, laws_in_mujoco, stop_compliance
from bridge.parity.readings import actuator_trials
from loaders.model import WORLD
from tests.support.actuated_model import sdf
from tests.support.scenes import joint, link, random_scene, random_state, scene

mujoco = pytest.importorskip("mujoco")


# Efforts of MuJoCo's actuators against numbers that are worked out by hand.


def test_commands_saturate_at_the_limit_and_gains_are_40_per_radian_and_6_per_rate() -> None:
    """At 0.1 rad from the target 40 N m/rad are 4 N m, and at 0.3 rad/s 6 N m s/rad are -1.8 N
    m.
    """
    mechanism = bridge.lower(loaders.load_string(sdf(), format="sdf"))
    engine = MujocoEngine(mechanism)
    found = engine.actuator_efforts(actuator_trials(mechanism))
    engine.close()
    assert found["ja"] == pytest.approx([5.0, 10.0, -10.0, 4.0, -1.8])
    assert found["jc"] == pytest.approx([2.0, 4.0, -4.0])


def test_every_number_of_a_law_is_read() -> None:
    law = (
        "<general joint='j' gainprm='3' biastype='affine' biasprm='1 -2 -4' ctrlrange='-5 6' "
        "gear='7'/>"
    )
    text = (
        "<mujoco><worldbody><body><joint name='j'/><geom size='.1'/></body></worldbody>"
        f"<actuator>{law}</actuator></mujoco>"
    )
    engine = MujocoEngine(bridge.lower(loaders.load_string(text, format="mjcf")))
    (numbers,) = engine.actuator_laws()
    engine.close()
    assert {3.0, 1.0, -2.0, -4.0, -5.0, 6.0, 7.0} <= set(numbers.tolist())


def test_an_actuator_with_several_controls_has_one_law() -> None:
    """MuJoCo counts controls apart from actuators, each of which has as many as it takes as
    inputs.
    """
    actuators = (
        '<dcmotor joint="j" motorconst="1" resistance="1" input="pos vel"/><motor '
        'joint="j" gear="3"/>'
    )
    if "dcmotor" not in mujoco.mj_printSchema(False, False).split():
        pytest.skip(f"MuJoCo {mujoco.__version__} has no <dcmotor>")
    text = (
        '<mujoco><worldbody><body><joint name="j"/><geom size=".1"/></body></worldbody>'
        f"<actuator>{actuators}</actuator></mujoco>"
    )
    try:
        model = mujoco.MjModel.from_xml_string(text)
    except ValueError:
        pytest.skip(f"a <dcmotor> of MuJoCo {mujoco.__version__} has one control")
    assert model.nu == 3
    laws = laws_in_mujoco(model)
    assert [law[0] for law in laws] == [1.0, 3.0], "the first number is the gear"


def test_controls_and_outputs_of_an_actuator_have_their_own_rows() -> None:
    """An orientation has three controls and three outputs, and a servo with a feed-forward two
    controls.
    """
    known = mujoco.mj_printSchema(False, False).split()
    if not {"orientation", "pid"} <= set(known):
        pytest.skip(f"MuJoCo {mujoco.__version__} has no <orientation>")
    text = (
        "<mujoco><worldbody><body><joint name='b' type='ball'/><geom size='.1'/>"
        "<body pos='1 0 0'><joint name='j'/><geom size='.1'/></body></body></worldbody><actuator>"
        "<orientation joint='b' kp='2'/><pid joint='j' kp='2' ki='1'/>"
        "<motor joint='j' gear='{gear}' ctrlrange='-7 8'/></actuator></mujoco>"
    )
    laws = [
        laws_in_mujoco(mujoco.MjModel.from_xml_string(text.format(gear=gear))) for gear in (3, 4)
    ]
    assert [law[0] for law in laws[0]] == [1.0, 1.0, 3.0], "the first number is the gear"
    assert {-7.0, 8.0} <= set(laws[0][2].tolist())
    changed = [one.tolist() != two.tolist() for one, two in zip(*laws, strict=True)]
    assert changed == [False, False, True]


def test_models_with_such_actuators_are_compared(tmp_path: Path) -> None:
    known = mujoco.mj_printSchema(False, False).split()
    if not {"orientation", "pid"} <= set(known):
        pytest.skip(f"MuJoCo {mujoco.__version__} has no <orientation>")
    path = tmp_path / "robot.xml"
    path.write_text(
        "<mujoco><worldbody><body><joint name='b' type='ball'/><geom size='.1'/>"
        "<body pos='1 0 0'><joint name='j'/><geom size='.1'/><site "
        "name='s'/></body></body></worldbody><actuator>"
        "<orientation joint='b' kp='2'/><pid joint='j' kp='2' ki='1'/><position joint='j' "
        "kp='3'/></actuator></mujoco>"
    )
    found = compare(path, engines=("mujoco", "mujoco-native"), levels=("L0",), configurations=1)
    assert found.failures == ()
    (row,) = [
        r for r in found.rows if r.quantity == "actuator laws" and "reference" not in r.engines
    ]
    assert row.outcome is Outcome.PASSED


# Stops of MuJoCo that yield as far as this module states.


def test_the_compliance_of_a_stop_is_that_of_the_measured_force() -> None:
    joint = (
        '<joint name="j" limited="true" range="0 1" solreflimit="-300 -30" solimplimit=".5 .5 '
        '.001"/>'
    )
    ball = "<geom size='.1' mass='3' pos='1 0 0'/>"
    options = "<compiler angle='radian'/><option gravity='0 0 0'/>"
    model = mujoco.MjModel.from_xml_string(
        f"<mujoco>{options}<worldbody><body>{joint}{ball}</body></worldbody></mujoco>"
    )
    data = mujoco.MjData(model)
    data.qpos[0], data.qfrc_applied[0] = 1.0, 10.0
    for _ in range(20000):
        mujoco.mj_step(model, data)
    assert stop_compliance(model, 0, 1.0) == pytest.approx((data.qpos[0] - 1.0) / 10.0, rel=1e-6)
    assert stop_compliance(model, 0, 2.0) == pytest.approx((data.qpos[0] - 1.0) / 40.0, rel=1e-6)


# MuJoCo holds the state in its own coordinates and reports it in those of the mechanism.


@pytest.fixture(params=[1, 2, 3], scope="module")
def mechanism(request: pytest.FixtureRequest) -> Mechanism:
    return bridge.lower(random_scene(request.param, fixed=request.param == 1))


def test_positions_are_read_back_as_they_were_set(mechanism: Mechanism) -> None:
    engine = MujocoEngine(mechanism)
    q, v = random_state(mechanism, 5)
    engine.set_state(q, v)
    for name, value in engine.positions().items():
        given, read = np.atleast_1d(q[name]), np.atleast_1d(value)
        assert min(np.abs(read - sign * given).max() for sign in (1.0, -1.0)) == pytest.approx(
            0.0, abs=1e-12
        )
    engine.close()


def test_the_integrator_is_euler_without_implicit_damping() -> None:
    engine = MujocoEngine(bridge.lower(random_scene(1, fixed=True)))
    assert engine.model.opt.integrator == mujoco.mjtIntegrator.mjINT_EULER
    assert engine.model.opt.disableflags & mujoco.mjtDisableBit.mjDSBL_EULERDAMP
    engine.close()


def test_a_motion_that_mujoco_starts_again_is_said_to_diverge() -> None:
    """MuJoCo itself warns and goes back to the initial state, from which a motion would be compared
    unnoticed.
    """
    engine = MujocoEngine(bridge.lower(scene([link("a")], [joint("j", WORLD, "a")])))
    engine.set_state({"j": 0.3}, {"j": 1.0})
    engine.step(1)
    engine.set_state({"j": 0.3}, {"j": 1e12})
    with pytest.raises(DivergedError, match="MuJoCo"):
        engine.step(1)
    engine.close()


@pytest.mark.parametrize("engines", [("mujoco", "reference"), ("mujoco", "mujoco-native")])
def test_the_effort_limit_is_the_larger_end_of_a_range_that_is_not_symmetric(
    engines: tuple[str, str],
) -> None:
    joint = '<joint name="lift" type="slide" axis="0 0 1" actuatorfrcrange="-1600 1000"/>'
    text = (
        f'<mujoco><worldbody><body name="b">{joint}<geom size="0.1"/></body></worldbody></mujoco>'
    )
    found = bridge.compare(
        loaders.load_string(text, format="mjcf", quiet=True), engines=engines, levels="L0"
    )
    assert {row.outcome for row in found.rows if row.quantity == "effort limits"} == {
        Outcome.PASSED
    }
