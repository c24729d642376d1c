"""Controllers, efforts and inertias of actuators, in MuJoCo and Drake, and actuators of every kind
there and back.
"""

from __future__ import annotations

import math
import re
from dataclasses import replace

import mujoco
import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import loaders
from bridge.targets.mjcf import to_mjcf
from loaders.diagnostics import Fate
from loaders.inertia import SpatialInertia
from loaders.model import WORLD, Joint, JointAxis, JointType, Link, Model, Physics
from loaders.pose import IDENTITY, frozen, quaternion_to_matrix, rotation_about
from loaders.scene import Scene
from tests.support import drake_elements as physics
from tests.support.drake_elements import Drake, read
from tests.support.drake_in_mujoco import BOTH, Loaded
from tests.support.mjcf_documents import BALL
from tests.support.mjcf_round_trip import differences
from tests.support.mjcf_scenes import hinge, link, scene_of
from tests.support.mujoco_oracle import compiled, quietly

# Controllers without gain, efforts that are too much for the time step, and inertias that are made
# possible.

FREQUENCY = 30.0
"""What the docs promise of a position controller [rad/s]."""


def flywheel(inertia, *, time_step=0.001, **axis):
    """A wheel on a hinge to the world, without gravity."""
    body = SpatialInertia.of(1.0, I_Lcm=inertia * np.eye(3))
    joint = Joint(
        name="j",
        type=JointType.REVOLUTE,
        parent=WORLD,
        child="wheel",
        X_PJ=IDENTITY,
        X_CJ=IDENTITY,
        axes=(JointAxis(xyz=frozen((0.0, 0.0, 1.0)), **axis),),
    )
    return Scene(
        name="m",
        models=(Model(name="m", X_WM=IDENTITY, canonical_link="wheel"),),
        links=(Link(name="wheel", model="m", X_WL=IDENTITY, inertia=body),),
        joints=(joint,),
        gravity=frozen((0.0, 0.0, 0.0)),
        physics=Physics(time_step=time_step),
    )


def moved(mjcf, control, seconds):
    """Position and velocity of the first joint after a constant control."""
    model = compiled(mjcf)
    data = mujoco.MjData(model)
    data.ctrl[:] = control
    quietly(
        lambda: [mujoco.mj_step(model, data) for _ in range(round(seconds / model.opt.timestep))]
    )
    return data.qpos[0], data.qvel[0]


@pytest.mark.parametrize("inertia", [1e-5, 1e-2, 10.0])
def test_a_position_controller_without_gain_moves_every_inertia_alike(inertia):
    scene = flywheel(inertia, time_step=1e-4, lower=-2.0, upper=2.0, effort=1e9)
    mjcf = to_mjcf(scene, actuators="position")
    (assumed,) = (entry for entry in mjcf.diagnostics if entry.code == "mjcf.assumed-gain")
    assert assumed.arguments["time"] == pytest.approx(1.0 / FREQUENCY)
    position, _ = moved(mjcf, 1.0, 0.1)
    expected = 1.0 - (1.0 + FREQUENCY * 0.1) * math.exp(-FREQUENCY * 0.1)  # critically damped
    assert position == pytest.approx(expected, abs=5e-3)


@pytest.mark.parametrize("inertia", [1e-5, 1e-2, 10.0])
def test_a_velocity_controller_without_gain_moves_every_inertia_alike(inertia):
    scene = flywheel(inertia, time_step=1e-4, effort=1e9, velocity=3.0)
    _, velocity = moved(to_mjcf(scene, actuators="velocity"), 1.0, 0.02)
    assert velocity == pytest.approx(1.0 - math.exp(-2.0 * FREQUENCY * 0.02), abs=5e-3)


@pytest.mark.parametrize("time_step", [0.001, 0.1])
def test_a_controller_without_gain_settles_at_any_time_step(time_step):
    scene = flywheel(1e-4, time_step=time_step, lower=-2.0, upper=2.0, effort=1e9)
    position, velocity = moved(to_mjcf(scene, actuators="position"), 1.0, 20.0)
    assert (position, velocity) == (pytest.approx(1.0, abs=1e-3), pytest.approx(0.0, abs=1e-3))


@pytest.mark.parametrize("bound", [1e10, 1e12, math.inf])
def test_limits_that_are_none_bound_no_controller(bound):
    model = compiled(
        to_mjcf(flywheel(1.0, lower=-bound, upper=bound, effort=1.0), actuators="position")
    )
    assert not model.actuator_ctrllimited[0]


@pytest.mark.parametrize(
    ("effort", "stops", "light"),
    [(0.1, math.inf, False), (100.0, math.inf, True), (100.0, 1.0, True), (100.0, 1e-6, False)],
)
def test_effort_that_turns_a_joint_too_far_in_one_step_is_reported_with_its_figures(
    effort, stops, light
):
    mjcf = to_mjcf(flywheel(1e-3, lower=-stops, upper=stops, effort=effort))
    found = [entry for entry in mjcf.diagnostics if entry.code == "mjcf.light-joint"]
    assert bool(found) == light
    if light:
        speed = min(effort / 1e-3 * 0.05, math.sqrt(2.0 * effort / 1e-3 * 2.0 * stops))
        arguments = found[0].arguments
        assert (arguments["joint"], arguments["effort"]) == ("j", effort)
        assert arguments["inertia"] == pytest.approx(1e-3)
        assert arguments["turn"] == pytest.approx(speed * 1e-3)
        assert "more joints" not in found[0].message


def test_all_joints_that_turn_too_far_are_counted_and_named():
    wheel = SpatialInertia.of(1.0, I_Lcm=1e-3 * np.eye(3))
    joints = tuple(hinge(f"j{n}", WORLD, n, effort=100.0) for n in "abc")
    scene = scene_of(*(replace(link(n), inertia=wheel) for n in "abc"), joints=joints)
    (found,) = (entry for entry in to_mjcf(scene).diagnostics if entry.code == "mjcf.light-joint")
    assert found.message.endswith("; 2 more joints turn too far")
    assert set(found.subjects) == {"ja", "jb", "jc"}


def test_a_joint_of_unknown_inertia_is_controlled_as_one_of_unit_inertia():
    """The mass matrix of more than a thousand joints is not computed."""
    names = [f"l{n}" for n in range(1001)]
    scene = scene_of(
        *map(link, names), joints=tuple(hinge(f"j{n}", WORLD, n, effort=1.0) for n in names)
    )
    mjcf = to_mjcf(scene, actuators="position")
    assert {float(gain) for gain in re.findall(r'kp="([^"]*)"', mjcf)} == {FREQUENCY**2}


# --- effort that ends at the speed limit ----------------------------------------------------------


def dc_motor(**axis):
    return to_mjcf(flywheel(0.5, **axis), actuators="dcmotor")


@pytest.mark.parametrize("control", [6.0, -6.0, 3.0])
def test_a_dc_motor_reaches_the_share_of_the_speed_limit_that_it_is_given_as_a_motor_with_back_emf_does(
    control,
):
    effort, speed, inertia = 6.0, 4.0, 0.5
    mjcf = dc_motor(effort=effort, velocity=speed, lower=-1e3, upper=1e3)
    tau = inertia * speed / effort  # I dv/dt = u - (effort / speed) v
    for seconds in (0.2, 5.0):
        _, velocity = moved(mjcf, control, seconds)
        expected = control / effort * speed * (1.0 - math.exp(-seconds / tau))
        assert velocity == pytest.approx(expected, rel=3e-3)


def test_a_dc_motor_holds_full_effort_at_rest_and_never_gives_more():
    model = compiled(dc_motor(effort=6.0, velocity=4.0))
    data = mujoco.MjData(model)
    for control, velocity, expected in (
        (6.0, 0.0, 6.0),
        (100.0, 0.0, 6.0),
        (6.0, 2.0, 3.0),
        (-6.0, 4.0, -6.0),
    ):
        data.ctrl[:], data.qvel[:] = control, velocity
        mujoco.mj_forward(model, data)
        assert data.qfrc_actuator[0] == pytest.approx(expected)


def test_a_speed_limit_that_a_motor_ends_at_is_approximated_and_no_longer_dropped():
    scene = flywheel(0.5, effort=6.0, velocity=4.0)
    fates = {
        kind: [
            d.fate
            for d in to_mjcf(scene, actuators=kind).diagnostics
            if d.code == "mjcf.velocity-limit"
        ]
        for kind in ("motor", "dcmotor")
    }
    assert fates == {"motor": [Fate.DROPPED], "dcmotor": [Fate.APPROXIMATED]}


def test_a_dc_motor_without_a_velocity_limit_is_a_motor_and_is_reported():
    mjcf = dc_motor(effort=6.0)
    assert "mjcf.no-speed-line" in {entry.code for entry in mjcf.diagnostics}
    _, velocity = moved(mjcf, 6.0, 0.1)
    assert velocity == pytest.approx(6.0 / 0.5 * 0.1)


def test_a_dc_motor_with_unstable_limits_has_a_smaller_control_range_and_the_same_effort_limit():
    scene = flywheel(1e-4, effort=1000.0, velocity=1000.0, lower=-1.0, upper=1.0)
    mjcf = to_mjcf(scene, actuators="dcmotor")
    model = compiled(mjcf)
    assert model.actuator_forcerange[0, 1] == 1000.0
    limit = model.actuator_ctrlrange[0, 1]
    (entry,) = (entry for entry in mjcf.diagnostics if entry.code == "mjcf.control-range")
    assert entry.arguments["limit"] == pytest.approx(limit)
    speed = math.sqrt(2.0 * limit / 1e-4 * 2.0)  # what it has after the whole way between its stops
    assert speed * model.opt.timestep == pytest.approx(0.2, rel=0.01)


# --- who is driven --------------------------------------------------------------------------------

GRIPPER = """
<sdf version="1.11" xmlns:drake="drake.mit.edu"><model name="gripper">
  <link name="palm"/><link name="left"/><link name="right"/>
  <joint name="hold" type="fixed"><parent>world</parent><child>palm</child></joint>
  <joint name="open" type="prismatic"><parent>palm</parent><child>left</child>
    <axis><xyz>0 1 0</xyz><limit><effort>5</effort></limit></axis></joint>
  <joint name="mirror" type="prismatic"><parent>palm</parent><child>right</child>{gains}
    <axis><xyz>0 1 0</xyz><limit><effort>5</effort></limit>
      <mimic joint="open"><multiplier>-1</multiplier><offset>0</offset><reference>0</reference></mimic></axis></joint>
</model></sdf>"""


@pytest.mark.parametrize(
    ("gains", "driven"),
    [("", ["open"]), ("<drake:controller_gains p='9' d='1'/>", ["open", "mirror"])],
)
def test_a_follower_is_driven_only_where_the_source_says_how(gains, driven):
    mjcf = to_mjcf(
        loaders.load_string(GRIPPER.format(gains=gains), format="sdf"), actuators="position"
    )
    model = compiled(mjcf)
    assert [model.actuator(i).name for i in range(model.nu)] == driven
    assert ("mjcf.idle-followers" in {entry.code for entry in mjcf.diagnostics}) == (
        driven == ["open"]
    )


# --- inertia that no body can have ----------------------------------------------------------------


@given(st.tuples(*[st.floats(1e-3, 1.0)] * 3), st.floats(-3.0, 3.0))
@example(
    (0.5, 0.99999, 0.40625), 0.0
)  # a sum whose rounding is too little, though the difference is none
def test_a_repaired_inertia_is_possible_near_and_the_one_that_is_written(moments, angle):
    R = rotation_about(np.array((1.0, 2.0, 2.0)) / 3.0, angle)
    inertia = SpatialInertia.of(1.0, I_Lcm=R @ np.diag(moments) @ R.T)
    mended = inertia.repaired()
    a, b, c = sorted(moments)
    least = max(c - a - b, 0.0) / math.sqrt(3.0)  # distance from the half space A + B >= C
    assert not mended.defects()
    assert np.linalg.norm(mended.I_Lcm - inertia.I_Lcm) == pytest.approx(least, abs=1e-12)
    scene = flywheel(1.0)
    wrong = replace(scene, links=(replace(scene.links[0], inertia=inertia),))
    model = compiled(to_mjcf(wrong, inertia="repair"))
    W = quaternion_to_matrix(model.body_iquat[1])
    assert np.allclose(W @ np.diag(model.body_inertia[1]) @ W.T, mended.I_Lcm, atol=1e-12)


@pytest.mark.parametrize("kind", ["motor", "position", "velocity"])
def test_actuators_compile_and_push_within_the_effort(kind):
    joint = hinge("j", WORLD, "a", lower=-1.0, upper=1.0, effort=3.0, velocity=2.0)
    model = compiled(to_mjcf(scene_of(link("a"), joints=(joint,)), actuators=kind))
    data = mujoco.MjData(model)
    data.ctrl[0] = 1.0 if kind == "position" else 2.0
    mujoco.mj_forward(model, data)
    assert 0.0 < data.qfrc_actuator[0] <= 3.0


@BOTH
def test_a_rotor_counts_in_the_mass_matrix_as_in_drake(form):
    text, scene = read(form, physics.driven(form, physics.ROTORS[form.form]))
    q = {"ja": 0.3, "jb": -0.8}
    robot = Loaded(scene).set(q, {"ja": 0.0, "jb": 0.0})
    expected = Drake(text, form.form).set(q, {}).mass_matrix(robot.mechanism.v_order)
    np.testing.assert_allclose(robot.running.mass_matrix(), expected, rtol=1e-12)
    (without,) = (Drake(form.model(physics.driven(form, "")), form.form).set(q, {}),)
    difference = expected - without.mass_matrix(robot.mechanism.v_order)
    np.testing.assert_allclose(difference, [[81 * 0.02, 0], [0, 0]], atol=1e-12)


@BOTH
@pytest.mark.parametrize("goal", [0.31, 0.5, 3.0, -3.0])
def test_a_controller_pushes_by_its_gains_up_to_the_effort_limit(form, goal):
    _, scene = read(
        form, physics.driven(form, '<drake:controller_gains p="40" d="2"/>', effort="5")
    )
    robot = Loaded(scene, actuators="position")
    robot.data.ctrl[0] = goal
    robot.set({"ja": 0.3, "jb": 0.0}, {"ja": 0.2, "jb": 0.0})
    expected = np.clip(40 * (goal - 0.3) - 2 * 0.2, -5, 5)
    assert robot.data.qfrc_actuator[0] == pytest.approx(expected, rel=1e-12)


@BOTH
@pytest.mark.parametrize(("effort", "error"), [("100", 2e-3), ("5", 3e-3)])
def test_a_controller_moves_its_joint_as_in_drake(form, effort, error):
    text, scene = read(
        form, physics.driven(form, '<drake:controller_gains p="40" d="2"/>', effort=effort)
    )
    q = v = {"ja": 0.0, "jb": 0.0}
    robot = Loaded(scene, 1e-4, actuators="position").set(q, v)
    robot.data.ctrl[0] = 0.8
    drake = Drake(text, form.form, 1e-4).set(q, v)
    port = drake.plant.get_desired_state_input_port(drake.plant.GetModelInstanceByName("m"))
    port.FixValue(drake.context, np.array((0.8, 0.0)))
    expected = drake.run(0.3, robot.mechanism.v_order)
    assert abs(expected[0]) > 0.05
    assert np.abs(robot.run(0.3) - expected).max() < error


# Actuators of every kind, there and back.

BODY = (
    f'<site name="o" pos="0 0 1"/><body name="a"><joint name="j" axis="0 1 0" range="-90 '
    f'90"/>{BALL}'
    f'<site name="s" pos="1 0 0"/><body name="b" pos="0 0 1"><joint name="k" '
    f'type="ball"/>{BALL}</body></body>'
    f'<body name="f" pos="0 3 0" euler="20 30 0"><freejoint name="free"/>{BALL}</body>'
)
TENDON = '<tendon><spatial name="t"><site site="o"/><site site="s"/></spatial></tendon>'
ACTUATORS = {
    "motor": '<motor joint="j" gear="3" ctrlrange="-1 1" forcerange="-0.5 0.2"/>',
    "position": '<position joint="j" kp="10" dampratio="1" inheritrange="1"/>',
    "velocity": '<velocity joint="j" kv="4"/>',
    "filter": '<position joint="j" kp="10" timeconst="0.1"/>',
    "integrator": '<intvelocity joint="j" kp="10" actrange="-1 1"/>',
    "damper": '<damper joint="j" kv="4" ctrlrange="0 1"/>',
    "cylinder": '<cylinder joint="j" area="2" timeconst="0.2"/>',
    "muscle": '<muscle joint="j" lengthrange="0.5 1.5" force="10"/>',
    "general": '<general joint="j" gainprm="2" biastype="affine" biasprm="0.1 -3 -4"/>',
    "tendon": '<motor tendon="t" gear="-2"/>',
    "site": '<motor site="s" gear="1 2 3 4 5 6"/>',
    "site in another": '<position site="s" refsite="o" gear="1 0 0 0 0 0" kp="5"/>',
    "ball": '<motor joint="k" gear="1 2 3 0 0 0"/>',
    "ball in its parent": '<motor jointinparent="k" gear="1 2 3 0 0 0"/>',
    "free joint with another name than its body": '<motor joint="free" gear="1 2 3 4 5 6"/>',
    "free joint in its parent": '<motor jointinparent="free" gear="1 2 3 4 5 6"/>',
    "slider and crank": '<motor cranksite="s" slidersite="o" cranklength="2"/>',
}


@pytest.mark.parametrize("actuator", ACTUATORS.values(), ids=ACTUATORS)
def test_an_export_acts_as_the_original(actuator: str) -> None:
    assert max(differences(BODY, f"{TENDON}<actuator>{actuator}</actuator>").values()) < 1e-9


@pytest.mark.parametrize(
    ("actuator", "start"),
    [
        ('<position joint="j" kp="10"/>', '<position name="{}" joint="j" kp="10"/>'),
        ('<position joint="j" kp="10" kv="2"/>', '<position name="{}" joint="j" kp="10" kv="2"/>'),
        (
            '<general joint="j" gainprm="2" biastype="affine" biasprm="0 -3 -4"/>',
            '<general name="{}" joint="j" biastype="affine" gainprm="2" biasprm="0 -3 -4"/>',
        ),
    ],
)
def test_an_actuator_is_written_as_people_write_it(actuator: str, start: str) -> None:
    text = (
        f"<mujoco><worldbody><body><joint name='j'/><geom size='1'/></body></worldbody>"
        f"<actuator>{actuator}</actuator></mujoco>"
    )
    scene = loaders.load_string(text, format="mjcf")
    one, written = mujoco.MjModel.from_xml_string(text), str(to_mjcf(scene))
    other = mujoco.MjModel.from_xml_string(written)
    if hasattr(one, "actuator_ctrlspec"):  # older versions do not say what an actuator controls
        assert start.format(scene.actuators[0].name) in " ".join(written.split())
    for name in ("gainprm", "biasprm", "gaintype", "biastype", "dyntype", "ctrllimited"):
        stated, found = (getattr(model, f"actuator_{name}") for model in (one, other))
        np.testing.assert_array_equal(stated, found)
