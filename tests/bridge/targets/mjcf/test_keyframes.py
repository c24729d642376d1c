"""The keyframe home within the limits, and positions in MuJoCo's coordinates."""

from __future__ import annotations

import dataclasses
import math

import mujoco
import numpy as np
import pytest

import bridge
import loaders
from bridge.targets.mjcf import to_mjcf, to_mjspec
from bridge.targets.mjcf.document import build
from bridge.targets.mjcf.keyframe import qpos
from bridge.targets.mjcf.spec import to_spec
from bridge.targets.options import MjcfExportOptions
from loaders.model import WORLD, Coupling, Keyframe
from tests.support.mjcf_scenes import codes, hinge, link, random_q, random_tree, scene_of
from tests.support.mujoco_oracle import compiled
from tests.support.seeds import seeds

# Positions in MuJoCo's coordinates: MuJoCo puts the links where the mechanism does.


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


# The keyframe home: initial positions within the limits.


def test_a_default_position_becomes_the_key_home():
    joint = dataclasses.replace(
        hinge("j", WORLD, "a", lower=-1.0, upper=1.0), default_position=(0.5,)
    )
    model = compiled(to_mjcf(scene_of(link("a"), joints=(joint,))))
    assert tuple(model.key("home").qpos) == (0.5,)


def test_position_controllers_hold_the_key_home():
    joint = dataclasses.replace(
        hinge("j", WORLD, "a", lower=-1.0, upper=1.0, effort=9.0), default_position=(0.5,)
    )
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
    model = compiled(
        to_mjcf(arm(couplings=(Coupling(follower="f", leader="j", multiplier=1.0, offset=0.5),)))
    )
    assert tuple(model.key("home").qpos) == (*FREE, 0, 0.25, 0.5)


# --- states of the source -------------------------------------------------------------------------


def state(name, **positions):
    return Keyframe(
        name=name, joints=tuple(positions), positions=tuple((x,) for x in positions.values())
    )


def arm(*keyframes, couplings=()):
    """Two hinges and a free body; a third hinge, if couplings are given, follows the first."""
    joints = [
        hinge(name, WORLD, name.upper(), lower=-1.0, upper=1.0, effort=9.0)
        for name in ("j", "k", "f")
    ]
    joints[1] = dataclasses.replace(joints[1], default_position=(0.25,))
    scene = scene_of(
        link("free", p=(0.0, 0.0, 5.0)), link("J"), link("K"), link("F"), joints=tuple(joints)
    )
    return dataclasses.replace(scene, keyframes=keyframes, couplings=couplings)


FREE = (0, 0, 5, 1, 0, 0, 0)


def test_states_of_the_source_become_keys_before_home():
    model = compiled(
        to_mjcf(arm(state("up", j=0.5), state("down", j=-0.5, k=0.75)), actuators="position")
    )
    assert [model.key(i).name for i in range(model.nkey)] == ["up", "down", "home"]
    assert tuple(model.key("up").qpos) == (*FREE, 0.5, 0.25, 0), (
        "others are at their initial position"
    )
    assert tuple(model.key("down").qpos) == (*FREE, -0.5, 0.75, 0)
    assert tuple(model.key("down").ctrl) == (-0.5, 0.75, 0)


def test_the_last_key_is_the_initial_position_whatever_the_states_are_called():
    model = compiled(to_mjcf(arm(state("home", j=0.5))))
    assert [model.key(i).name for i in range(model.nkey)] == ["home", "initial"]
    assert tuple(model.key("initial").qpos) == (*FREE, 0, 0.25, 0)
    assert tuple(model.key("home").qpos) == (*FREE, 0.5, 0.25, 0)
    joint = hinge("j", WORLD, "a", lower=-1.0, upper=1.0)
    scene = dataclasses.replace(
        scene_of(link("a"), joints=(joint,)), keyframes=(state("up", j=0.5),)
    )
    model = compiled(to_mjcf(scene))
    assert [(model.key(i).name, *model.key(i).qpos) for i in range(model.nkey)] == [("up", 0.5)], (
        "zero needs no key"
    )


LIMITED = """<mujoco><compiler autolimits="true"/><worldbody>
  <body name="hand" mocap="true"/>
  <body><joint name="j" axis="0 1 0" range="30 60"/><geom size="1"/></body>
</worldbody><actuator><position name="a" joint="j" kp="9"/></actuator>%s</mujoco>"""
INITIAL = math.radians(30)


@pytest.mark.parametrize(
    ("key", "is_initial"),
    [
        ("qpos='{q}'", True),
        ("qpos='{q}' qvel='0'", True),
        ("qpos='{q}' qvel='1'", False),
        ("qpos='{q}' mpos='1 2 3'", False),
        ("qpos='0.6'", False),
    ],
)
def test_a_state_at_rest_in_the_initial_position_is_its_key(key: str, is_initial: bool) -> None:
    keyframes = (
        f"<keyframe><key name='up' qpos='0.7'/><key name='k' {key.format(q=INITIAL)}/></keyframe>"
    )
    source = mujoco.MjModel.from_xml_string(LIMITED % keyframes)
    built = build(
        bridge.lower(loaders.load_string(LIMITED % keyframes, format="mjcf", quiet=True)),
        MjcfExportOptions(),
    )
    model = to_spec(built.root, built.assets).compile()
    assert [model.key(i).name for i in range(model.nkey)] == [
        "up",
        "k",
        *([] if is_initial else ["home"]),
    ]
    assert built.initial_key == model.nkey - 1
    for name in ("key_qpos", "key_qvel", "key_mpos", "key_ctrl"):
        assert getattr(model, name)[: source.nkey].tolist() == getattr(source, name).tolist()
    assert model.key_qpos[built.initial_key].tolist() == [INITIAL]


@pytest.mark.parametrize("names", [("home", "initial"), ("a", "home"), ("initial", "b")])
def test_a_key_has_the_index_of_its_source_however_often_it_is_converted(
    names: tuple[str, str],
) -> None:
    keys = "".join(
        f"<key name='{name}' qpos='{q}' ctrl='{q}'/>"
        for name, q in zip(names, (0.6, 0.7), strict=True)
    )
    text = LIMITED % f"<keyframe>{keys}</keyframe>"
    source = mujoco.MjModel.from_xml_string(text)
    counts = []
    for _ in range(3):
        text = str(to_mjcf(loaders.load_string(text, format="mjcf", quiet=True)))
        model = mujoco.MjModel.from_xml_string(text)
        counts.append(model.nkey)
        data, expected = mujoco.MjData(model), mujoco.MjData(source)
        for k in range(source.nkey):
            mujoco.mj_resetDataKeyframe(model, data, k)
            mujoco.mj_resetDataKeyframe(source, expected, k)
            assert data.qpos.tolist() == expected.qpos.tolist()
            assert data.ctrl.tolist() == expected.ctrl.tolist()
    assert counts == [3, 3, 3], "two states, and the initial position within the limits"


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
    up = dataclasses.replace(
        state("up", j=0.5), actuators=("j",), controls=((0.75,),), activations=((),)
    )
    mjcf = to_mjcf(arm(up), actuators="position")
    names = [compiled(mjcf).actuator(i).name for i in range(compiled(mjcf).nu)]
    assert names == ["j", "k", "f"]
    assert tuple(compiled(mjcf).key("up").ctrl) == (0.75, 0.25, 0)
