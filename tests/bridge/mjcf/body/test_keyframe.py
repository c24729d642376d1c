"""The keyframe home: initial positions within the limits."""

from __future__ import annotations

import dataclasses

import mujoco

import loaders
from bridge.mjcf import to_mjcf
from loaders.model import WORLD, Coupling, Keyframe
from tests.support.mjcf_scenes import codes, hinge, link, scene_of
from tests.support.mujoco_oracle import compiled


def test_a_default_position_becomes_the_key_home():
    joint = dataclasses.replace(hinge("j", WORLD, "a", lower=-1.0, upper=1.0), default_position=(0.5,))
    model = compiled(to_mjcf(scene_of(link("a"), joints=(joint,))))
    assert tuple(model.key("home").qpos) == (0.5,)


def test_position_controllers_hold_the_key_home():
    joint = dataclasses.replace(hinge("j", WORLD, "a", lower=-1.0, upper=1.0, effort=9.0), default_position=(0.5,))
    free = link("b", p=(0.0, 0.0, 5.0))
    model = compiled(to_mjcf(scene_of(free, link("a"), joints=(joint,)), actuators="position"))
    assert tuple(model.key("home").ctrl) == (0.5,)
    assert tuple(model.key("home").qpos) == (0, 0, 5, 1, 0, 0, 0, 0.5)


def test_where_zero_is_outside_the_limits_home_is_inside():
    mjcf = to_mjcf(scene_of(link("a"), joints=(hinge("j", WORLD, "a", lower=0.2, upper=1.0),)))
    assert tuple(compiled(mjcf).key("home").qpos) == (0.2,)
    assert "mjcf.zero-outside-limits" in codes(mjcf)


def test_followers_are_initially_where_their_coupling_puts_them():
    coupling = Coupling(follower="f", leader="k", multiplier=-1.0, offset=0.125)
    mjcf = to_mjcf(arm(couplings=(coupling,)))
    model = compiled(mjcf)
    assert tuple(model.key("home").qpos) == (*FREE, 0, 0.25, -0.125)
    data = mujoco.MjData(model)
    mujoco.mj_resetDataKeyframe(model, data, 0)
    mujoco.mj_forward(model, data)
    assert abs(data.efc_pos[data.efc_type == mujoco.mjtConstraint.mjCNSTR_EQUALITY]).max() < 1e-15


def test_a_follower_with_an_offset_starts_there():
    model = compiled(to_mjcf(arm(couplings=(Coupling(follower="f", leader="j", multiplier=1.0, offset=0.5),))))
    assert tuple(model.key("home").qpos) == (*FREE, 0, 0.25, 0.5)


# --- states of the source --------------------------------------------------------------------------------------------


def state(name, **positions):
    return Keyframe(name=name, joints=tuple(positions), positions=tuple((x,) for x in positions.values()))


def arm(*keyframes, couplings=()):
    """Two hinges and a free body; a third hinge, if couplings are given, follows the first."""
    joints = [hinge(name, WORLD, name.upper(), lower=-1.0, upper=1.0, effort=9.0) for name in ("j", "k", "f")]
    joints[1] = dataclasses.replace(joints[1], default_position=(0.25,))
    scene = scene_of(link("free", p=(0.0, 0.0, 5.0)), link("J"), link("K"), link("F"), joints=tuple(joints))
    return dataclasses.replace(scene, keyframes=keyframes, couplings=couplings)


FREE = (0, 0, 5, 1, 0, 0, 0)


def test_states_of_the_source_become_keys_after_home():
    model = compiled(to_mjcf(arm(state("up", j=0.5), state("down", j=-0.5, k=0.75)), actuators="position"))
    assert [model.key(i).name for i in range(model.nkey)] == ["home", "up", "down"]
    assert tuple(model.key("up").qpos) == (*FREE, 0.5, 0.25, 0), "others are at their initial position"
    assert tuple(model.key("down").qpos) == (*FREE, -0.5, 0.75, 0)
    assert tuple(model.key("down").ctrl) == (-0.5, 0.75, 0)


def test_the_first_key_is_the_initial_position_whatever_the_states_are_called():
    model = compiled(to_mjcf(arm(state("home", j=0.5))))
    assert [model.key(i).name for i in range(model.nkey)] == ["initial", "home"]
    assert tuple(model.key("initial").qpos) == (*FREE, 0, 0.25, 0)
    assert tuple(model.key("home").qpos) == (*FREE, 0.5, 0.25, 0)
    joint = hinge("j", WORLD, "a", lower=-1.0, upper=1.0)
    scene = dataclasses.replace(scene_of(link("a"), joints=(joint,)), keyframes=(state("up", j=0.5),))
    model = compiled(to_mjcf(scene))
    assert [(model.key(i).name, *model.key(i).qpos) for i in range(model.nkey)] == [("home", 0), ("up", 0.5)]


def test_a_state_that_moves_a_mocap_body_is_not_the_initial_one():
    text = (
        '<mujoco><worldbody><body name="hand" mocap="true"/></worldbody>'
        '<keyframe><key name="home" mpos="1 2 3"/></keyframe></mujoco>'
    )
    model = compiled(to_mjcf(loaders.load_string(text, format="mjcf", quiet=True)))
    assert [(model.key(i).name, *model.key(i).mpos.ravel()) for i in range(model.nkey)] == [
        ("initial", 0.0, 0.0, 0.0),
        ("home", 1.0, 2.0, 3.0),
    ]


def test_joints_follow_the_joints_of_a_state():
    coupling = Coupling(follower="f", leader="j", multiplier=-1.0, offset=0.125)
    model = compiled(to_mjcf(arm(state("up", j=0.5), couplings=(coupling,))))
    assert tuple(model.key("up").qpos) == (*FREE, 0.5, 0.25, -0.375)


def test_what_a_key_cannot_hold_is_reported_and_the_rest_is_kept():
    mjcf = to_mjcf(arm(state("up", j=0.5, wheel=1.0)))
    assert tuple(compiled(mjcf).key("up").qpos) == (*FREE, 0.5, 0.25, 0)
    assert "mjcf.keyframe-joint" in codes(mjcf)


def test_a_state_outside_the_limits_is_kept_and_noted():
    mjcf = to_mjcf(arm(state("up", j=1.5)))
    assert compiled(mjcf).key("up").qpos[7] == 1.5
    assert "mjcf.keyframe-limits" in codes(mjcf)


def test_position_controllers_of_which_a_state_says_nothing_hold_its_position():
    up = dataclasses.replace(state("up", j=0.5), actuators=("j",), controls=((0.75,),), activations=((),))
    mjcf = to_mjcf(arm(up), actuators="position")
    names = [compiled(mjcf).actuator(i).name for i in range(compiled(mjcf).nu)]
    assert names == ["j", "k", "f"]
    assert tuple(compiled(mjcf).key("up").ctrl) == (0.75, 0.25, 0)
