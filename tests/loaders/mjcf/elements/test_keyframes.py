"""Keyframes."""

from __future__ import annotations

import numpy as np
import pytest

import bridge
from tests.support.mjcf_documents import BALL, read
from tests.support.mjcf_round_trip import compiled

BODY = (
    f'<body name="a"><freejoint name="f"/>{BALL}</body><body><joint name="j"/>{BALL}'
    f'<body pos="1 0 0" euler="20 0 40"><joint name="b" type="ball" pos="0.1 0.2 0.3"/>{BALL}</body></body>'
    f'<body name="hand" mocap="true" pos="0 0 1">{BALL}</body>'
)
QPOS = "1 2 3 0.6 0.8 0 0 0.7 0.8 0 0.6 0"


def section(more: str = "") -> str:
    return f'<keyframe><key name="k" qpos="{QPOS}" {more}/></keyframe>'


def test_a_keyframe_has_the_positions_of_joints_by_name() -> None:
    scene = read(BODY, section())
    (key,) = scene.keyframes
    assert (key.name, key.joints) == ("k", ("f", "j", "b"))
    assert key.positions == ((1, 2, 3, 0.6, 0.8, 0, 0), (0.7,), (0.8, 0, 0.6, 0))
    assert not scene.diagnostics


def test_the_rest_of_a_keyframe_is_noted() -> None:
    scene = read(BODY, section('qvel="0 0 0 0 0 0 0.1 0 0 0" mpos="0 0 2"'))
    assert [entry.arguments["stated"] for entry in scene.diagnostics] == [("qvel", "mpos")]


def test_an_export_has_the_key_of_the_original() -> None:
    """MuJoCo puts every body where the original has it."""
    import mujoco

    poses = []
    for model in compiled(BODY, section()):
        data = mujoco.MjData(model)
        mujoco.mj_resetDataKeyframe(model, data, model.key("k").id)
        mujoco.mj_forward(model, data)
        poses.append(np.hstack((data.xpos, data.xquat)))
    np.testing.assert_allclose(poses[1], poses[0], atol=1e-12)
    assert poses[0][1, :3].tolist() == [1, 2, 3]


def test_a_fixed_base_is_where_the_file_has_it() -> None:
    import mujoco

    found = bridge.to_mjcf(read(BODY, section()), base="fixed", quiet=True)
    assert mujoco.MjModel.from_xml_string(str(found)).key("k").qpos.tolist() == [0.7, 0.8, 0, 0.6, 0]
    assert "mjcf.keyframe-joint" not in {entry.code for entry in found.diagnostics}


def test_pybullet_takes_a_keyframe() -> None:
    pybullet = pytest.importorskip("pybullet")
    client = pybullet.connect(pybullet.DIRECT)
    try:
        robot = bridge.load_into_pybullet(read(BODY, section()), physicsClientId=client)
        (key,) = robot.mechanism.keyframes
        robot.set_positions(dict(zip(key.joints, key.positions, strict=True)))
        assert robot.positions()["a"] == pytest.approx((1, 2, 3, 0.6, 0.8, 0, 0))
    finally:
        pybullet.disconnect(physicsClientId=client)
