"""The controllers of the file, against their law and against Drake."""

import re

import numpy as np
import pybullet
import pytest

import bridge
from loaders.diagnostics import Fate
from tests.support import drake_elements as physics
from tests.support.drake_elements import FORMS, GRAVITY, Drake, read, stacked

BOTH = pytest.mark.parametrize("form", FORMS.values(), ids=FORMS)


SDF = FORMS["sdf"]


class Loaded:
    """A scene in PyBullet, and its findings by code."""

    def __init__(self, client, scene, q, v, step=1e-3):
        pybullet.setGravity(*GRAVITY, physicsClientId=client)
        pybullet.setTimeStep(step, client)
        self.robot = bridge.load_into_pybullet(scene, physicsClientId=client)
        self.mechanism, self.step, self.q, self.v = self.robot.mechanism, step, q, v
        self.robot.set_positions(q)
        self.robot.set_velocities(v)
        self.diagnostics = {entry.code: entry for entry in self.robot.diagnostics}

    def forces(self):
        """Return the generalized forces of one step other than inertia and gravity."""
        order = self.mechanism.v_order
        self.robot.step()
        a = (stacked(self.robot.velocities(), order) - stacked(self.v, order)) / self.step
        M = self.robot.mechanism_from_pybullet().mass_matrix(self.q)
        return M @ a + self.mechanism.bias_forces(self.q, self.v)

    def steps(self, seconds):
        for _ in range(round(seconds / self.step)):
            self.robot.step()
            yield

    def run(self, seconds):
        for _ in self.steps(seconds):
            pass
        return stacked(self.robot.positions(), self.mechanism.v_order)

    def stated(self, code):
        """Return the error that the finding states."""
        entry = self.diagnostics[f"pybullet.{code}"]
        assert entry.fate is Fate.APPROXIMATED
        return float(re.search(r"within ([\d.e-]+)", entry.message)[1])


@BOTH
@pytest.mark.parametrize(("goal", "rate"), [(0.31, 0.0), (0.31, 0.4), (0.5, 0.0), (3.0, 0.0), (-3.0, 0.0)])
def test_a_controller_pushes_by_its_gains_up_to_the_effort_limit(bullet_client, form, goal, rate):
    _, scene = read(form, physics.driven(form, '<drake:controller_gains p="40" d="2"/>', effort="5"))
    robot = Loaded(bullet_client, scene, {"ja": 0.3, "jb": 0.0}, {"ja": 0.2, "jb": 0.0})
    robot.robot.apply_control({"ja": goal}, {"ja": rate})
    expected = np.clip(40 * (goal - 0.3) + 2 * (rate - 0.2), -5, 5)
    np.testing.assert_allclose(robot.forces(), (expected, 0.0), rtol=1e-9, atol=1e-9)
    assert "apply_control" in robot.diagnostics["pybullet.controller-gains"].hint


@BOTH
@pytest.mark.parametrize("effort", ["100", "5"])
def test_a_controller_moves_its_joint_as_in_drake(bullet_client, form, effort):
    text, scene = read(form, physics.driven(form, '<drake:controller_gains p="40" d="2"/>', effort=effort))
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
