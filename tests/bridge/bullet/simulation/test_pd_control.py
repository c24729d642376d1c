"""The controllers of the file, against their law and against Drake."""

import numpy as np
import pytest

from tests.support import drake_elements as physics
from tests.support.drake_elements import FORMS, Drake, read, stacked
from tests.support.drake_in_pybullet import Loaded

BOTH = pytest.mark.parametrize("form", FORMS.values(), ids=FORMS)


SDF = FORMS["sdf"]


@BOTH
@pytest.mark.parametrize(
    ("goal", "rate"), [(0.31, 0.0), (0.31, 0.4), (0.5, 0.0), (3.0, 0.0), (-3.0, 0.0)]
)
def test_a_controller_pushes_by_its_gains_up_to_the_effort_limit(bullet_client, form, goal, rate):
    _, scene = read(
        form, physics.driven(form, '<drake:controller_gains p="40" d="2"/>', effort="5")
    )
    robot = Loaded(bullet_client, scene, {"ja": 0.3, "jb": 0.0}, {"ja": 0.2, "jb": 0.0})
    robot.robot.apply_control({"ja": goal}, {"ja": rate})
    expected = np.clip(40 * (goal - 0.3) + 2 * (rate - 0.2), -5, 5)
    np.testing.assert_allclose(robot.forces(), (expected, 0.0), rtol=1e-9, atol=1e-9)
    assert "apply_control" in robot.diagnostics["pybullet.controller-gains"].hint


@BOTH
@pytest.mark.parametrize("effort", ["100", "5"])
def test_a_controller_moves_its_joint_as_in_drake(bullet_client, form, effort):
    text, scene = read(
        form, physics.driven(form, '<drake:controller_gains p="40" d="2"/>', effort=effort)
    )
    still = {"ja": 0.0, "jb": 0.0}
    robot = Loaded(bullet_client, scene, still, still)
    drake = Drake(text, form.form, 1e-4).set(still, still)
    port = drake.plant.get_desired_state_input_port(drake.plant.GetModelInstanceByName("m"))
    port.FixValue(drake.context, np.array((0.8, 0.0)))
    expected = drake.run(0.3, robot.mechanism.v_order)
    for _ in range(300):
        robot.robot.apply_control({"ja": 0.8})
        robot.robot.step()
    found = stacked(robot.robot.positions(), robot.mechanism.v_order)
    assert abs(expected[0]) > 0.05
    assert np.abs(found - expected).max() < 1.6e-2


def test_a_joint_without_gains_is_not_controlled(bullet_client):
    still = {"ja": 0.0, "jb": 0.0}
    _, scene = read(SDF, physics.driven(SDF, '<drake:controller_gains p="40" d="2"/>'))
    robot = Loaded(bullet_client, scene, still, still).robot
    with pytest.raises(ValueError, match="joint 'jb' has no gains; joints with gains: ja"):
        robot.apply_control({"jb": 0.1})
