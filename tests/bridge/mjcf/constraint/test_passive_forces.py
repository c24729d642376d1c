"""Force elements push and move their links as in Drake."""

from __future__ import annotations

import numpy as np
import pytest

from loaders.diagnostics import Fate
from loaders.model import DistanceConstraint, TendonConstraint
from tests.support import drake_elements as physics
from tests.support.drake_elements import Drake, Q, V, read, tree
from tests.support.drake_in_mujoco import BOTH, ELEMENTS, SDF, STILL, Loaded


@BOTH
@pytest.mark.parametrize("element", ELEMENTS.values(), ids=ELEMENTS)
def test_a_force_element_pushes_every_joint_as_in_drake(form, element):
    text, scene = read(form, tree(form) + element(form))
    robot = Loaded(scene)
    with robot.helped():
        robot.set(Q, V)
    expected = Drake(text, form.form).set(Q, V).forces(robot.mechanism.v_order)
    assert np.abs(expected).max() > 1.0
    np.testing.assert_allclose(robot.passive(), expected, rtol=1e-9, atol=1e-11)


@pytest.mark.parametrize("element", ELEMENTS.values(), ids=ELEMENTS)
def test_a_force_element_moves_its_links_as_in_drake(element):
    """Drake integrates exactly here, MuJoCo to first order: a tenth of the step, a tenth of the
    error.
    """
    text, scene = read(SDF, tree(SDF) + element(SDF))
    errors = []
    for step in (1e-3, 1e-4):
        robot = Loaded(scene, step).set(Q, V)
        with robot.helped():
            found = robot.run(0.3)
        expected = Drake(text, "sdf").set(Q, V).run(0.3, robot.mechanism.v_order)
        errors.append(np.abs(found - expected).max())
    assert errors[0] < 5e-3
    assert errors[1] == pytest.approx(errors[0] / 10, rel=0.1)


def test_a_bushing_is_reported_to_need_the_callback_and_other_models_are_unaffected():
    _, scene = read(SDF, tree(SDF) + physics.bushing(SDF))
    _, plain = read(SDF, tree(SDF))
    robot, other = Loaded(scene), Loaded(plain)
    assert "passive_forces" in robot.diagnostics["mjcf.bushing"].hint
    with robot.helped():
        other.set(Q, V)
    assert not other.passive().any()


@BOTH
def test_damping_pushes_as_in_drake(form):
    body = "".join(form.link(name) for name in "ab")
    body += form.joint("ja", "revolute", "world", "a", xyz="1 2 3", dynamics={"damping": 0.7})
    body += form.joint("jb", "prismatic", "a", "b", dynamics={"damping": 3.0})
    text, scene = read(form, body)
    q, v = {"ja": 0.3, "jb": 0.2}, {"ja": 0.8, "jb": -0.4}
    robot = Loaded(scene).set(q, v)
    expected = Drake(text, form.form).set(q, v).forces(robot.mechanism.v_order)
    np.testing.assert_allclose(robot.passive(), expected, rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(expected, (-0.56, 1.2), rtol=1e-12)


def test_springs_of_joints_push_as_in_drake():
    spring = {"spring_stiffness": 11.0, "spring_reference": -0.2}
    body = SDF.link("a") + SDF.link("b")
    body += SDF.joint("ja", "revolute", "world", "a", xyz="1 2 3", dynamics=spring)
    body += SDF.joint("jb", "prismatic", "a", "b", dynamics=spring)
    text, scene = read(SDF, body)
    q, v = {"ja": 0.3, "jb": 0.2}, {"ja": 0.8, "jb": -0.4}
    robot = Loaded(scene).set(q, v)
    expected = Drake(text, "sdf").set(q, v).forces(robot.mechanism.v_order)
    np.testing.assert_allclose(robot.passive(), expected, rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(expected, (-5.5, -4.4), rtol=1e-12)


def test_without_the_callback_the_damping_of_a_tendon_is_reported_as_dropped():
    _, scene = read(SDF, tree(SDF) + physics.tendon(SDF))
    robot = Loaded(scene).set(STILL | {"ja": 0.4}, STILL | {"ja": 1.0})
    np.testing.assert_allclose(robot.passive(), (-40.0, -20.0, 0.0, 0.0), rtol=1e-9)
    entry = robot.diagnostics["mjcf.tendon-damping"]
    assert entry.fate is Fate.DROPPED
    assert "passive_forces" in entry.hint


def test_what_the_models_say_is_what_was_meant():
    """The elements are there, with their numbers: no test above runs on an empty model."""
    constraints = read(SDF, tree(SDF) + physics.rod(SDF) + physics.tendon(SDF))[1].constraints
    assert [type(c) for c in constraints] == [DistanceConstraint, TendonConstraint]
    assert [c.stiffness for c in constraints] == [200.0, 200.0]
