"""Keyframes."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import bridge
import loaders
from tests.support.mjcf_documents import BALL, document, read
from tests.support.mjcf_round_trip import compiled

BODY = (
    f'<body name="a"><freejoint name="f"/>{BALL}</body><body><joint name="j"/>{BALL}'
    f'<body pos="1 0 0" euler="20 0 40"><joint name="b" type="ball" pos="0.1 0.2 '
    f'0.3"/>{BALL}</body></body>'
    f'<body name="hand" mocap="true" pos="0 0 1">{BALL}</body>'
)
ACTUATORS = (
    '<actuator><motor name="m" joint="j"/><general name="filter" joint="j" dyntype="filter" '
    'dynprm="0.1"/>'
    '<general name="two" joint="b" dyntype="integrator"/></actuator>'
)
QVEL = 'qvel="0.1 0.2 0.3 0.4 0.5 0.6 0.7 0.8 0.9 1"'
QPOS = "1 2 3 0.6 0.8 0 0 0.7 0.8 0 0.6 0"


def section(more: str = "") -> str:
    return f'<keyframe><key name="k" qpos="{QPOS}" {more}/></keyframe>'


def test_a_keyframe_has_the_positions_of_joints_by_name() -> None:
    scene = read(BODY, section())
    (key,) = scene.keyframes
    assert (key.name, key.joints) == ("k", ("f", "j", "b"))
    assert key.positions == ((1, 2, 3, 0.6, 0.8, 0, 0), (0.7,), (0.8, 0, 0.6, 0))
    assert not scene.diagnostics


POSE = 'mpos="0 0 2" mquat="0.8 0 0 0.6"'


def test_a_keyframe_has_the_poses_of_mocap_bodies_that_it_moves() -> None:
    scene = read(BODY, section(POSE))
    (key,) = scene.keyframes
    assert (key.links, key.poses) == (("hand",), ((0, 0, 2, 0.8, 0, 0, 0.6),))
    assert not scene.diagnostics
    assert read(BODY, section()).keyframes[0].links == ()


def test_a_keyframe_has_controls_and_states_of_actuators_by_name() -> None:
    scene = read(BODY, ACTUATORS + section('ctrl="0.1 0.2 0.3" act="0.4 0.5"'))
    (key,) = scene.keyframes
    assert (key.actuators, key.controls) == (("m", "filter", "two"), ((0.1,), (0.2,), (0.3,)))
    assert key.activations == ((), (0.4,), (0.5,))
    assert not scene.diagnostics


def test_a_keyframe_at_rest_states_no_velocities_and_no_controls() -> None:
    (key,) = read(BODY, ACTUATORS + section()).keyframes
    assert key.velocities == key.actuators == key.controls == key.activations == ()


def states(*models: Any) -> list[dict[str, Any]]:
    """Return what MuJoCo has of each model at the key ``k``: poses and velocities of bodies,
    controls and states.
    """
    import mujoco

    found = []
    for model in models:
        data = mujoco.MjData(model)
        mujoco.mj_resetDataKeyframe(model, data, model.key("k").id)
        mujoco.mj_forward(model, data)
        v = np.zeros((model.nbody, 6))
        for body in range(model.nbody):
            mujoco.mj_objectVelocity(model, data, mujoco.mjtObj.mjOBJ_BODY, body, v[body], 0)
        found.append(
            {"X": np.hstack((data.xpos, data.xquat)), "v": v, "act": data.act, "ctrl": data.ctrl}
        )
    return found


@pytest.mark.parametrize(
    "more", ["", POSE, QVEL, 'ctrl="0.1 0.2 0.3" act="0.4 0.5"', 'act="0 0.5"', 'ctrl="0 0 1"']
)
def test_an_export_has_the_key_of_the_original(more: str) -> None:
    """In MuJoCo every body is where the original has it and moves as there, with the same
    controls.
    """
    original, exported = states(*compiled(BODY, ACTUATORS + section(more)))
    for quantity, value in original.items():
        np.testing.assert_allclose(exported[quantity], value, atol=1e-12, err_msg=quantity)
    assert original["X"][1, :3].tolist() == [1, 2, 3]
    assert original["v"].any() == ("qvel" in more)


def test_an_actuator_without_states_has_none_in_a_key() -> None:
    """MuJoCo's model of a motor has a state only for a filter, an inductance, heat or friction."""
    import mujoco

    body = f'<body name="a"><joint name="j"/>{BALL}</body>'
    laws = (
        '<motor joint="j"/><dcmotor joint="j" motorconst="0.1" resistance="2"/><general '
        'joint="j" dyntype="filter"/>'
    )
    text = document(
        body,
        f'<actuator>{laws}</actuator><keyframe><key name="k" ctrl="1 2 3" act="0.5"/></keyframe>',
    )
    try:
        original = mujoco.MjModel.from_xml_string(text)
    except ValueError:
        pytest.skip("this MuJoCo has no actuator dcmotor")
    exported = mujoco.MjModel.from_xml_string(
        bridge.to_mjcf(loaders.load_string(text, format="mjcf", quiet=True))
    )
    assert exported.key("k").act.tolist() == original.key("k").act.tolist() == [0.5]


def test_a_velocity_turns_with_the_pose_of_an_include(tmp_path: Path) -> None:
    """In MuJoCo the bodies of a model that is included a quarter of a turn about z move along
    turned directions.
    """
    (tmp_path / "r.xml").write_text(document(BODY, section(QVEL)))
    include = (
        "<include><uri>r.xml</uri><name>i</name><pose>1 2 3 0 0 1.5707963267948966</pose></include>"
    )
    world = loaders.load_string(
        f'<sdf version="1.9"><world name="w">{include}</world></sdf>', format="sdf", base=tmp_path
    )
    found = bridge.to_mjcf(world, quiet=True)
    import mujoco

    model = mujoco.MjModel.from_xml_string(str(found).replace('"i::k"', '"k"'), found.assets)
    original, turned = states(mujoco.MjModel.from_xml_string(document(BODY, section(QVEL))), model)
    bodies = [model.body(f"i::{name}").id for name in ("a", "body_2", "body_3")]
    Rz = np.array(((0.0, -1.0, 0.0), (1.0, 0.0, 0.0), (0.0, 0.0, 1.0)))
    expected = original["v"][1:4].reshape(-1, 3) @ Rz.T
    np.testing.assert_allclose(turned["v"][bodies].reshape(-1, 3), expected, atol=1e-12)


def test_a_pose_of_a_mocap_body_moves_with_an_include(tmp_path: Path) -> None:
    (tmp_path / "r.xml").write_text(document(BODY, section(POSE)))
    include = (
        "<include><uri>r.xml</uri><name>i</name><pose>1 2 3 0 0 1.5707963267948966</pose></include>"
    )
    world = loaders.load_string(
        f'<sdf version="1.9"><world name="w">{include}</world></sdf>', format="sdf", base=tmp_path
    )
    import mujoco

    model = mujoco.MjModel.from_xml_string(str(bridge.to_mjcf(world, quiet=True)))
    data = mujoco.MjData(model)
    mujoco.mj_resetDataKeyframe(model, data, model.key("i::k").id)
    mujoco.mj_forward(model, data)
    np.testing.assert_allclose(data.body("i::hand").xpos, (1, 2, 5), atol=1e-12)
    np.testing.assert_allclose(data.body("i::hand").xmat[:2], (-0.96, -0.28), atol=1e-12)


def test_a_fixed_base_is_where_the_file_has_it() -> None:
    import mujoco

    found = bridge.to_mjcf(read(BODY, section()), base="fixed", quiet=True)
    assert mujoco.MjModel.from_xml_string(str(found)).key("k").qpos.tolist() == [
        0.7,
        0.8,
        0,
        0.6,
        0,
    ]
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


def test_keyframes_and_free_joints_have_their_lines() -> None:
    text = (
        "<mujoco>\n<worldbody>\n<body>\n<freejoint/>\n<geom size='1'/></body></worldbody>\n"
        "<keyframe>\n<key name='a'/>\n<key/>\n</keyframe>\n</mujoco>"
    )
    scene = loaders.load_string(text, format="mjcf", quiet=True)
    assert [keyframe.where.line for keyframe in scene.keyframes] == [7, 8]
    assert [joint.where.line for joint in scene.joints] == [4]


def test_a_name_that_is_made_is_never_that_of_another_body() -> None:
    text = (
        "<mujoco><worldbody><body name='body_2'><geom size='1'/></body><body><joint "
        "name='joint_1'/><geom size='1'/>"
        "<body><joint/><geom size='1'/></body></body></worldbody></mujoco>"
    )
    scene = loaders.load_string(text, format="mjcf", quiet=True)
    assert [link.name for link in scene.links] == ["body_2", "_body_2", "body_3"]
    assert {joint.name for joint in scene.joints} >= {"joint_1", "_joint_1"}
