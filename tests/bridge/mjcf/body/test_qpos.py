"""Positions in MuJoCo's coordinates: MuJoCo puts the links where the mechanism does."""

from __future__ import annotations

import mujoco
import numpy as np
import pytest

import bridge
from bridge.targets.mjcf import to_mjspec
from bridge.targets.mjcf.keyframe import qpos
from tests.support.mjcf_scenes import hinge, link, random_q, random_tree, scene_of
from tests.support.seeds import seeds


@pytest.mark.parametrize("seed", seeds(20))
def test_mujoco_puts_the_links_of_a_random_tree_where_the_mechanism_does(seed):
    mechanism = bridge.lower(random_tree(seed, size=12))
    q = random_q(mechanism, np.random.default_rng(seed))
    model = to_mjspec(mechanism).compile()
    data = mujoco.MjData(model)
    data.qpos[:] = qpos(mechanism, q)
    mujoco.mj_kinematics(model, data)
    for name, X_WL in mechanism.link_poses(q).items():
        assert data.body(name).xpos == pytest.approx(X_WL.p, abs=1e-12)
        assert data.body(name).xmat.reshape(3, 3) == pytest.approx(X_WL.R, abs=1e-12)


def test_joints_that_are_left_out_are_at_zero():
    mechanism = bridge.lower(scene_of(link("a"), link("b"), joints=[hinge("j", "a", "b")]))
    assert qpos(mechanism).tolist() == [0, 0, 0, 1, 0, 0, 0, 0]


def test_an_unknown_joint_is_an_error():
    with pytest.raises(ValueError, match="unknown"):
        qpos(bridge.lower(scene_of(link("a"))), {"none": 1.0})
