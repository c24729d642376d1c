"""An actuator's limit becomes that of a joint without one; one without a joint is left out."""

from __future__ import annotations

import dataclasses
import math

import pytest

import bridge
import loaders
from loaders import model as m
from tests.code_examples import scenes as s
from tests.support.urdf_writer import read


def test_the_limit_of_an_actuator() -> None:
    found = read(s.driven(effort=5.0))
    assert (found.joints[0].axes[0].effort, found.actuators[0].effort) == (5.0, 5.0)


def test_a_limit_of_the_joint_that_is_tighter_than_that_of_its_actuator_is_all_there_is_to_say() -> (
    None
):
    """The joint limits the sum of its actuators: an actuator without a limit, as in MuJoCo's fr3,
    loses nothing.
    """
    for own, codes in ((math.inf, []), (6.0, []), (5.0, []), (4.0, ["urdfout.actuator-property"])):
        urdf = bridge.to_urdf(s.driven({"effort": 5.0}, effort=own))
        assert [entry.code for entry in urdf.diagnostics] == codes
    (lost,) = bridge.to_urdf(s.driven({"effort": 5.0}, effort=4.0)).diagnostics
    assert lost.arguments["properties"] == ("effort",)


def test_an_actuator_of_a_tendon_is_left_out() -> None:
    given = dataclasses.replace(
        s.hinge(), actuators=(m.Actuator(name="pull", joint="", tendon="t"),)
    )
    urdf = bridge.to_urdf(given)
    assert "<transmission" not in urdf
    assert [entry.code for entry in urdf.diagnostics] == ["urdfout.actuator"]


def test_an_actuator_of_a_ball_joint_is_left_out() -> None:
    """Drake refuses a document with such a ``<transmission>``."""
    parsing = pytest.importorskip("pydrake.multibody.parsing")
    from pydrake.multibody.plant import MultibodyPlant

    body = '<body name="b"><joint name="j" type="ball" damping="1"/><geom size="0.1"/></body>'
    actuator = '<actuator><general name="a" joint="j" gear="0 0 1"/></actuator>'
    text = f"<mujoco><worldbody>{body}</worldbody>{actuator}</mujoco>"
    urdf = bridge.to_urdf(loaders.load_string(text, format="mjcf", quiet=True), quiet=True)
    plant = MultibodyPlant(0.0)
    parsing.Parser(plant).AddModelsFromString(str(urdf), "urdf")
    assert plant.GetJointByName("j").type_name() == "ball_rpy"
    assert [entry.subjects for entry in urdf.diagnostics if entry.code == "urdfout.actuator"] == [
        ("a",)
    ]
