"""Joints of one MuJoCo body are found for the chain of links that a mechanism has for them."""

from __future__ import annotations

import numpy as np
import pytest

import bridge
import loaders
from bridge.parity.engines.mujoco.compiled_model import (
    MismatchError,
    at_zero,
    dofs_of,
    exported_indices,
    original_indices,
)
from bridge.parity.engines.mujoco.engine import MujocoEngine

mujoco = pytest.importorskip("mujoco")

TEXT = """<mujoco><worldbody><body name="arm"><joint name="slide" type="slide" axis="1 0 0"/>
  <joint name="hinge" axis="0 0 1" pos="-.5 0 0"/><joint name="ball" type="ball"/><geom size=".1" pos=".2 0 0"/></body>
  <body name="plate"><geom size=".1"/></body></worldbody></mujoco>"""
SCENE = loaders.load_string(TEXT, format="mjcf", quiet=True)
MODEL = mujoco.MjModel.from_xml_string(TEXT)
BODIES, JOINTS = ("world", "arm", "plate"), ("slide", "hinge", "ball")


def test_the_export_and_the_original_have_the_joints_at_the_same_places() -> None:
    mechanism = bridge.lower(SCENE)
    exported = exported_indices(mechanism, MujocoEngine(mechanism).model)
    assert exported == original_indices(mechanism, MODEL, BODIES, JOINTS)
    assert [(i.body, i.joints, i.beyond) for i in exported] == [
        (1, (0,), (1, 2)),
        (1, (1,), (2,)),
        (1, (2,), ()),
        (2, (), ()),
    ]


def test_a_joint_that_the_model_does_not_have_is_named() -> None:
    one = loaders.load_string(
        TEXT.replace('<joint name="hinge" axis="0 0 1" pos="-.5 0 0"/>', ""),
        format="mjcf",
        quiet=True,
    )
    with pytest.raises(MismatchError, match="hinge"):
        original_indices(bridge.lower(one), MODEL, BODIES, JOINTS)


def test_the_pose_of_a_virtual_link_is_that_of_the_body_with_the_joints_beyond_at_zero() -> None:
    assert at_zero(np.arange(1.0, 7.0), (1, 2), MODEL).tolist() == [1.0, 0.0, 1.0, 0.0, 0.0, 0.0]
    assert dofs_of((1, 2), MODEL) == [1, 2, 3, 4]
    engine = MujocoEngine(bridge.lower(SCENE))
    engine.set_state({"slide": 0.5, "hinge": np.pi / 2, "ball": (0.0, 1.0, 0.0, 0.0)}, {})
    poses = engine.link_poses()
    R, p = poses["arm_slide"].R, poses["arm_slide"].p
    assert np.abs(R - np.eye(3)).max() < 1e-12
    assert np.abs(p - (0.5, 0.0, 0.0)).max() < 1e-12
    R, p = poses["arm_hinge"].R, poses["arm_hinge"].p
    assert np.abs(R[:, 0] - (0.0, 1.0, 0.0)).max() < 1e-12
    assert np.abs(p - (0.0, 0.5, 0.0)).max() < 1e-12
    engine.close()


def test_equalities_that_the_scene_holds_as_elements_are_known_whatever_their_order() -> None:
    """An equality with a cubic coefficient that is off stands before a coupling of the same joints,
    and behind it.
    """
    joints = '<body><joint name="{0}" type="slide"/><geom size=".1"/></body>'
    element = '<joint joint1="a" joint2="b" active="false"/>'
    coupling = '<joint joint1="a" joint2="b" polycoef="0 2 0 0 0"/>'
    for equalities in (element + coupling, coupling + element):
        text = f"<mujoco><worldbody>{joints.format('a')}{joints.format('b')}</worldbody>"
        text += f"<equality>{equalities}</equality></mujoco>"
        engine = MujocoEngine(bridge.lower(loaders.load_string(text, format="mjcf", quiet=True)))
        assert [multiplier for multiplier, _ in engine.couplings().values()] == [2.0]
