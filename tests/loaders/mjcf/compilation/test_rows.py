"""The arrays of a compiled model."""

from __future__ import annotations

import numpy as np
import pytest

from loaders.mjcf.compiled_model import Rows, inertias, poses
from loaders.pose import quaternion_to_matrix
from tests.support.mjcf_documents import BALL, document


def test_rotations_are_those_of_one_quaternion_at_a_time() -> None:
    quaternions = np.random.default_rng(0).normal(size=(20, 4))
    quaternions /= np.linalg.norm(quaternions, axis=1)[:, None]
    expected = np.array([quaternion_to_matrix(q) for q in quaternions])
    found = poses(np.ones((20, 3)), quaternions)
    assert np.abs(np.array([X.R for X in found]) - expected).max() < 1e-15
    assert not found[0].R.flags.writeable
    assert not found[0].p.flags.writeable
    assert found[0].p.tolist() == [1.0, 1.0, 1.0]


def test_arrays_are_lists_and_other_attributes_are_those_of_the_model() -> None:
    import mujoco

    model = mujoco.MjModel.from_xml_string(document(f'<body pos="1 2 3">{BALL}</body>'))
    rows = Rows(model)
    assert rows.body_pos[1] == [1.0, 2.0, 3.0]
    assert rows.nbody == 2
    assert rows.opt.timestep == model.opt.timestep
    with pytest.raises(AttributeError):
        rows.of_another_version  # noqa: B018


def test_an_array_that_is_read_with_others_may_be_asked_for_numbers_alone() -> None:
    import mujoco

    body = '<body pos="1 2 3"><geom size="1" fluidshape="{}"/><site pos="4 5 6"/></body>'
    plain, in_fluid = (
        Rows(mujoco.MjModel.from_xml_string(document(body.format(shape))))
        for shape in ("none", "ellipsoid")
    )
    assert (plain.has("geom_fluid"), in_fluid.has("geom_fluid")) == (False, True)
    assert [X.p.tolist() for X in plain.poses("site")] == [[4.0, 5.0, 6.0]]
    assert [X.p.tolist() for X in plain.poses("body")] == [[0.0, 0.0, 0.0], [1.0, 2.0, 3.0]]
    for name in ("jnt_type", "cam_mode", "light_type", "actuator_trntype", "eq_type"):
        assert getattr(plain, name) == []  # a kind of which there is nothing


def test_inertias_are_in_the_axes_of_the_body() -> None:
    import mujoco

    stated = (
        '<inertial pos="1 0 0" mass="2" fullinertia="3 4 5 0.1 0.2 0.3"/><geom size="1" mass="0"/>'
    )
    model = mujoco.MjModel.from_xml_string(
        document(f'<body>{stated}<joint/></body><body name="empty"/>')
    )
    world, body, empty = inertias(Rows(model))
    assert world is empty is None
    assert body is not None
    R = np.zeros(9)
    mujoco.mju_quat2Mat(R, model.body_iquat[1] / np.linalg.norm(model.body_iquat[1]))
    compiled = R.reshape(3, 3) @ np.diag(model.body_inertia[1]) @ R.reshape(3, 3).T
    assert np.allclose(body.I_Lcm, compiled, rtol=0.0, atol=1e-14)
    stated_moments = [
        [3, 0.1, 0.2],
        [0.1, 4, 0.3],
        [0.2, 0.3, 5],
    ]  # the eigenvectors of MuJoCo 3.8 are less exact
    assert np.allclose(body.I_Lcm, stated_moments, rtol=0.0, atol=1e-5)
    assert (body.mass, body.p_LLcm.tolist()) == (2.0, [1.0, 0.0, 0.0])


def test_a_turn_whose_cosine_rounds_to_one_is_kept() -> None:
    import mujoco

    text = document('<body name="a" quat="1 3e-9 0 0"><geom size="1"/></body>')
    model = mujoco.MjModel.from_xml_string(text)
    data = mujoco.MjData(model)
    mujoco.mj_kinematics(model, data)
    (pose,) = poses(model.body_pos[1:], model.body_quat[1:])
    assert model.body_quat[1, 0] == 1.0
    assert np.allclose(pose.R, data.xmat[1].reshape(3, 3), rtol=0.0, atol=1e-15)
    assert pose.R[2, 1] == pytest.approx(6e-9, rel=1e-12)
