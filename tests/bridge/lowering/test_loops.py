"""The tree of joints, where kinematic loops are opened, and how what closes them moves in both
simulators.
"""

import dataclasses
import itertools
import math

import mujoco
import numpy as np
import pybullet
import pytest

from bridge import load_into_pybullet, lower, to_mjcf
from bridge.lowering.tree import cut_loops
from bridge.mechanism.bodies import ROOT, PrimitiveKind
from loaders.diagnostics import Diagnostics
from loaders.inertia import SpatialInertia
from loaders.model import WORLD, Actuator, Arc, Coupling, Curve, JointAxis, JointType, Sensor
from loaders.pose import IDENTITY, Pose, frozen, rotation_about
from tests.support.scenes import codes, joint, link, scene
from tests.support.seeds import spread
from tests.support.simple_scenes import joint as simple_joint
from tests.support.simple_scenes import link as simple_link
from tests.support.simple_scenes import scene as simple_scene

# Kinematic loops: where they are opened, and that what closes them moves as it should, in both
# simulators.

X_PJ = Pose.from_vector((1.0, 2.0, 3.0, 0.5, 0.5, -0.1, 0.7))
X_CJ = Pose.from_vector((0.1, -0.2, 0.3, 0.9, -0.5, 0.2, 0.1))
LOPSIDED = SpatialInertia.of(2.0, (0.1, 0.2, -0.05), np.diag((0.03, 0.04, 0.05)))
ARC = Curve(
    initial_tangent=frozen((0, 0, 1)),
    plane_normal=frozen((0, 1, 0)),
    arcs=(Arc(length=1.0, curvature=1.2),),
)
DIRECTIONS = {
    JointType.REVOLUTE: np.eye(3)[:1],
    JointType.PRISMATIC: [(math.sqrt(0.5), 0.0, -math.sqrt(0.5))],
    JointType.SCREW: np.eye(3)[:1],
    JointType.UNIVERSAL: np.eye(3)[:2],
    JointType.REVOLUTE2: np.eye(3)[:2],
    JointType.PLANAR: [(1, 0, 0), (0, 0, 1), (0, -1, 0)],
    JointType.BALL: np.eye(3)[2:],
    JointType.CURVILINEAR: np.eye(3)[:1],
}
STEP = 1e-3


def hung_twice(kind, loop):
    """A link that hangs by a joint with springs and dampers; as a loop, beside a second, bare joint
    of the kind.
    """
    acts = (
        {"damping": 0.5} if kind is JointType.BALL else {"damping": 0.5, "spring_stiffness": 20.0}
    )
    bare, acting = (
        tuple(JointAxis(xyz=frozen(d), **a) for d in DIRECTIONS[kind]) for a in ({}, acts)
    )
    more = {
        "X_PJ": X_PJ,
        "X_CJ": X_CJ,
        "pitch": 0.3,
        "curve": ARC if kind is JointType.CURVILINEAR else None,
    }
    X_WL = X_PJ @ X_CJ.inverse()
    arm = link("arm", X_WL=X_WL, inertia=LOPSIDED)
    if not loop:
        return scene([arm], [joint("acting", WORLD, "arm", kind, axes=acting, **more)])
    return scene(
        [arm, link("tab", X_WL=X_WL, inertia=None)],
        [
            joint(
                "bare",
                WORLD,
                "arm",
                kind,
                axes=tuple(dataclasses.replace(a, lower=-1e3) for a in bare),
                **more,
            ),
            joint("tie", "tab", "arm", JointType.FIXED),
            joint("acting", WORLD, "tab", kind, axes=acting, **more),
        ],
    )


def in_mujoco(source, seconds=1.0):
    """Positions of the arm, and the worst gap and angle of the weld of the closing joint."""
    mjcf = to_mjcf(source)
    model = mujoco.MjModel.from_xml_string(mjcf, mjcf.assets)
    model.opt.timestep = STEP
    data = mujoco.MjData(model)
    track, gap, angle = [], 0.0, 0.0
    for _ in range(round(seconds / STEP)):
        mujoco.mj_step(model, data)
        track.append(data.body("arm").xpos.copy())
        if model.neq and model.nsite > 1:
            P, C = data.site("acting_parent"), data.site("acting_child")
            gap = max(gap, float(np.linalg.norm(P.xpos - C.xpos)))
            angle = max(angle, float(np.linalg.norm(P.xmat - C.xmat)) / math.sqrt(2.0))
    return np.array(track), gap, angle


@pytest.mark.parametrize("kind", list(DIRECTIONS))
def test_a_loop_of_every_joint_type_moves_in_mujoco_as_without_the_loop(kind):
    tree, _, _ = in_mujoco(hung_twice(kind, loop=False))
    source = hung_twice(kind, loop=True)
    assert [closure.joint.name for closure in lower(source).closures] == ["acting"]
    loop, gap, angle = in_mujoco(source)
    assert np.ptp(tree, axis=0).max() > 0.05
    assert abs(loop - tree).max() < 1e-6
    assert gap < 1e-6
    assert angle < 1e-6
    assert {entry.code for entry in to_mjcf(source).diagnostics} >= {
        "lower.loop",
        "mjcf.loop-soft-constraint",
    }


@pytest.mark.parametrize("kind", spread(DIRECTIONS, 2))
def test_a_loop_of_every_joint_type_moves_in_pybullet_as_without_the_loop(bullet_client, kind):
    pybullet.setGravity(0, 0, -9.8, physicsClientId=bullet_client)
    tracks, gap, angle = [], 0.0, 0.0
    for loop in (False, True):
        robot = load_into_pybullet(hung_twice(kind, loop), physicsClientId=bullet_client)
        pybullet.setTimeStep(STEP, physicsClientId=bullet_client)
        tracks.append([])
        for _ in range(1000):
            robot.step()
            tracks[-1].append(robot.link_pose("arm").p)
        if loop:
            X = robot.link_pose("tab").inverse() @ robot.link_pose("tab_at_acting")
            gap, angle = (
                float(np.linalg.norm(X.p)),
                float(np.linalg.norm(X.R - np.eye(3))) / math.sqrt(2.0),
            )
            assert "pybullet.loop" in codes(robot)
        robot.remove()
    assert np.abs(np.subtract(*tracks)).max() < 2e-6
    assert gap < 2e-6
    assert angle < 2e-5


# --- where a joint is that closes a loop ----------------------------------------------------------

PLACES = {
    JointType.SCREW: 15.0,
    JointType.UNIVERSAL: (0.7, -0.4),
    JointType.REVOLUTE2: (0.7, -0.4),
    JointType.PLANAR: (0.2, -0.3, 0.5),
    JointType.BALL: (0.5, -0.5, 0.1, 0.7),
}


@pytest.mark.parametrize("kind", list(DIRECTIONS))
def test_a_closing_joint_without_a_given_position_follows_the_loop(bullet_client, kind):
    source = hung_twice(kind, loop=True)
    q = {"bare": PLACES.get(kind, 0.6)}
    poses = lower(source).link_poses(q)
    assert poses["tab_at_acting"].is_close(poses["tab"], 1e-12)
    assert not poses["tab"].is_close(lower(source).link_poses()["tab"], 0.1)
    robot = load_into_pybullet(source, physicsClientId=bullet_client)
    robot.set_positions(q)
    positions = robot.positions()
    np.testing.assert_allclose(positions["acting"], positions["bare"], atol=1e-12)


def test_a_closing_joint_that_is_set_is_where_it_is_set(bullet_client):
    source = hung_twice(JointType.REVOLUTE, loop=True)
    robot = load_into_pybullet(source, physicsClientId=bullet_client)
    robot.set_positions({"bare": 0.6, "acting": 0.1})
    assert robot.positions() == pytest.approx({"bare": 0.6, "acting": 0.1})
    poses = lower(source).link_poses({"bare": 0.6, "acting": 0.1})
    assert not poses["tab_at_acting"].is_close(poses["tab"], 0.1)


def test_the_key_home_closes_a_loop_that_is_open_at_zero():
    """The second hinge is put on askew: it closes at -0.3 rad."""
    source = hung_twice(JointType.REVOLUTE, loop=True)
    turned = Pose.of(rotation_about(np.array((1.0, 0.0, 0.0)), 0.3))
    joints = (*source.joints[:2], dataclasses.replace(source.joints[2], X_PJ=X_PJ @ turned))
    mjcf = to_mjcf(dataclasses.replace(source, joints=joints))
    model = mujoco.MjModel.from_xml_string(mjcf, mjcf.assets)
    data = mujoco.MjData(model)
    mujoco.mj_resetDataKeyframe(model, data, 0)
    assert data.joint("acting").qpos[0] == pytest.approx(-0.3)
    mujoco.mj_forward(model, data)
    np.testing.assert_allclose(
        data.site("acting_parent").xmat, data.site("acting_child").xmat, atol=1e-12
    )


# --- a slider-crank, against Lagrange's equation of its one freedom -------------------------------

CRANK, ROD = 0.3, 1.0
BAR = SpatialInertia.of(1.0, (0.5, 0.0, 0.0), np.diag((0.001, 0.08, 0.08)))
BLOCK, SPRING, REST, DAMPING = 2.0, 50.0, 0.1, 3.0


def slider_crank():
    """In the xz plane, the crank straight up; the slide, with spring and damper, stands last."""
    slope = math.asin(CRANK / ROD)
    R = np.array(
        [[math.cos(slope), 0, math.sin(slope)], [0, 1, 0], [-math.sin(slope), 0, math.cos(slope)]]
    )
    X_WR, reach = Pose.of(R, (0, 0, CRANK)), ROD * math.cos(slope)
    limits = {"lower": -50.0, "upper": 50.0}
    links = [
        link("crank", inertia=SpatialInertia.of(1.0, (0, 0, CRANK / 2), 0.01 * np.eye(3))),
        link("rod", X_WL=X_WR, inertia=BAR),
        link(
            "block",
            X_WL=Pose.of(p=(reach, 0, 0)),
            inertia=SpatialInertia.of(BLOCK, I_Lcm=0.01 * np.eye(3)),
        ),
    ]
    slide = {"spring_stiffness": SPRING, "spring_reference": REST, "damping": DAMPING} | limits
    joints = [
        joint("turn", WORLD, "crank", xyz=(0, 1, 0), axis=limits),
        joint(
            "pin",
            "crank",
            "rod",
            xyz=(0, 1, 0),
            X_PJ=Pose.of(p=(0, 0, CRANK)),
            X_CJ=Pose.of(R.T),
            axis=limits,
        ),
        joint("wrist", "rod", "block", xyz=(0, 1, 0), X_PJ=Pose.of(R.T, (ROD, 0, 0)), axis=limits),
        joint(
            "slide",
            WORLD,
            "block",
            JointType.PRISMATIC,
            xyz=(1, 0, 0),
            X_PJ=Pose.of(p=(reach, 0, 0)),
            axis=slide,
        ),
    ]
    return scene(links, joints, gravity=frozen((0, 0, -9.8)))


def crank_angle(seconds, step=1e-4):
    """Runge and Kutta's method on ``M a + M' w^2 / 2 + V' + d x'^2 w = 0``, the angle from the
    vertical.
    """

    def parts(t):
        crank = np.array((CRANK * math.sin(t), CRANK * math.cos(t)))
        slope = math.asin(crank[1] / ROD)
        x = crank[0] + ROD * math.cos(slope)
        return crank, slope, x

    def energies(t, h=1e-5):
        """Mass matrix, potential and slide's rate at an angle, the derivatives by differences."""
        (c0, s0, x0), (c1, s1, x1) = parts(t - h), parts(t + h)
        crank, _, x = parts(t)
        middle = np.array((c1[0] + x1 - c0[0] - x0, c1[1] - c0[1])) / 2 / (2 * h)
        ds, dx = (s1 - s0) / (2 * h), (x1 - x0) / (2 * h)
        M = 0.01 + (CRANK / 2) ** 2 + middle @ middle + 0.08 * ds**2 + BLOCK * dx**2
        x_zero = ROD * math.cos(math.asin(CRANK / ROD))
        return M, 9.8 * crank[1] + 0.5 * SPRING * (x - x_zero - REST) ** 2, dx

    def rates(y, h=1e-4):
        (M0, V0, _), (M1, V1, _), (M, _, dx) = (
            energies(y[0] - h),
            energies(y[0] + h),
            energies(y[0]),
        )
        slope = (0.5 * (M1 - M0) * y[1] ** 2 + (V1 - V0)) / (2 * h)
        return np.array((y[1], -(slope + DAMPING * dx**2 * y[1]) / M))

    y = np.zeros(2)
    for _ in range(round(seconds / step)):
        k1 = rates(y)
        k2 = rates(y + step / 2 * k1)
        k3 = rates(y + step / 2 * k2)
        k4 = rates(y + step * k3)
        y = y + step / 6 * (k1 + 2 * k2 + 2 * k3 + k4)
    return y[0]


def test_a_slider_crank_moves_as_lagrange_says(bullet_client):
    source = slider_crank()
    assert [closure.joint.name for closure in lower(source).closures] == ["slide"]
    source = dataclasses.replace(
        source, physics=dataclasses.replace(source.physics, time_step=1e-4)
    )
    mjcf = to_mjcf(source)
    model = mujoco.MjModel.from_xml_string(mjcf, mjcf.assets)
    model.opt.integrator = mujoco.mjtIntegrator.mjINT_RK4
    data = mujoco.MjData(model)
    robot = load_into_pybullet(source, physicsClientId=bullet_client)
    pybullet.setGravity(0, 0, -9.8, physicsClientId=bullet_client)
    pybullet.setTimeStep(1e-4, physicsClientId=bullet_client)
    for _ in range(5000):
        mujoco.mj_step(model, data)
        robot.step()
    expected = crank_angle(0.5, step=5e-4)
    assert abs(expected) > 0.1
    assert data.joint("turn").qpos[0] == pytest.approx(expected, abs=1e-4)
    assert robot.positions()["turn"] == pytest.approx(expected, abs=1e-3)


# --- what is chosen -------------------------------------------------------------------------------


def ring(*kinds, **axis):
    """Links in a ring, the joints named by their numbers."""
    names = [f"l{i}" for i in range(len(kinds))]
    ends = zip(names, (*names[1:], names[0]), strict=True)
    return scene(
        [link(name) for name in names],
        [
            joint(f"j{i}", *pair, kind, axis=axis if i == 0 else {})
            for i, (pair, kind) in enumerate(zip(ends, kinds, strict=True))
        ],
    )


T = JointType


@pytest.mark.parametrize(
    ("kinds", "opened_at"),
    [
        ((T.PRISMATIC, T.REVOLUTE, T.UNIVERSAL), "j1"),
        ((T.PRISMATIC, T.FIXED, T.UNIVERSAL), "j1"),
        ((T.REVOLUTE, T.FIXED, T.SCREW), "j1"),
        ((T.REVOLUTE, T.REVOLUTE, T.REVOLUTE), "j2"),
        ((T.PRISMATIC, T.SCREW, T.PLANAR), "j2"),
    ],
)
def test_a_joint_that_only_connects_is_cut_first_then_a_weld_then_any_other(kinds, opened_at):
    source = ring(*kinds, damping=0.1)
    assert [closure.joint.name for closure in lower(source).closures] == [opened_at]


@pytest.mark.parametrize("used", [{"provide_feedback": True}, {"default_position": (0.1,)}])
def test_a_joint_that_is_measured_or_starts_elsewhere_is_not_cut_before_others(used):
    source = ring(T.REVOLUTE, T.REVOLUTE, T.REVOLUTE)
    last = dataclasses.replace(source.joints[-1], **used)
    changed = dataclasses.replace(source, joints=(*source.joints[:-1], last))
    assert [closure.joint.name for closure in lower(changed).closures] == ["j1"]


def test_the_parts_of_a_link_weigh_what_the_link_weighs():
    source = ring(T.PRISMATIC, T.SCREW, T.PLANAR)
    bodies = {body.name: body for body in lower(source).bodies}
    assert set(bodies) == {"l0", "l1", "l2", "l0_at_j2"}
    whole = source.links[0].inertia
    assert whole is not None
    total = bodies["l0"].inertia + bodies["l0_at_j2"].inertia
    assert total.mass == whole.mass
    np.testing.assert_allclose(total.I_Lcm, whole.I_Lcm, atol=1e-15)


def test_a_link_that_is_split_twice_is_in_three_parts():
    links = [link("hub"), link("a", inertia=None), link("b", inertia=None)]
    slides = [
        joint(f"{n}{i}", n, "hub", T.PRISMATIC, axis={"damping": 1.0})
        for n in "ab"
        for i in range(2)
    ]
    bodies = {body.name: body for body in lower(scene(links, slides)).bodies}
    assert {
        name: bodies[name].inertia.mass for name in ("hub", "hub_at_a1", "hub_at_b1")
    } == pytest.approx(dict.fromkeys(("hub", "hub_at_a1", "hub_at_b1"), 1 / 3))


def test_a_part_of_a_link_welded_elsewhere_has_its_center_of_mass_where_that_link_has_it():
    """The tab has no inertia; its part bears half of the arm's, a meter beside it."""
    X_WT = Pose.from_vector((1.0, 2.0, 3.0, 0.5, 0.5, -0.1, 0.7))
    slides = [
        joint(name, WORLD, "tab", T.PRISMATIC, X_PJ=X_WT, axis={"damping": 1.0})
        for name in ("j0", "j1")
    ]
    links = [link("arm", inertia=LOPSIDED), link("tab", X_WL=X_WT, inertia=None)]
    mjcf = to_mjcf(
        scene(links, [joint("tie", "tab", "arm", T.FIXED, X_PJ=X_WT.inverse()), *slides])
    )
    model = mujoco.MjModel.from_xml_string(mjcf, mjcf.assets)
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    assert sum(mass > 0.0 for mass in model.body_mass) == 2
    np.testing.assert_allclose(data.subtree_com[0], LOPSIDED.p_LLcm, atol=1e-9)


def test_what_hangs_on_the_joint_that_is_cut_keeps_its_drive_and_its_follower():
    source = dataclasses.replace(
        slider_crank(),
        actuators=(Actuator(name="push", joint="slide", effort=10.0, rotor_inertia=0.5),),
        couplings=(Coupling(follower="wrist", leader="slide", multiplier=0.0),),
    )
    mechanism = lower(source)
    assert [c.joint.name for c in mechanism.closures] == ["slide"]
    assert ("slide", 0) in mechanism.v_order
    assert len(mechanism.couplings) == 1
    mjcf = to_mjcf(source, actuators="motor")
    assert '<motor name="push" joint="slide"' in mjcf


def test_a_joint_beside_a_weld_does_not_move():
    joints = [joint("weld", WORLD, "a", T.FIXED), joint("slide", WORLD, "a", T.PRISMATIC)]
    mechanism = lower(scene([link("a")], joints))
    assert mechanism.closures == ()
    assert [entry.code for entry in mechanism.diagnostics] == ["lower.static-joint"]


# --- forces in joints -----------------------------------------------------------------------------


@pytest.mark.parametrize("direction", ["child_to_parent", "parent_to_child"])
@pytest.mark.parametrize("backwards", [False, True])
def test_a_force_sensor_reads_what_links_exert_in_joints_that_the_tree_passes_backwards_too(
    direction, backwards
):
    """The weight of the link below, 1 kg, pulls it down: the one above holds it."""
    sensor = Sensor(
        name="ft",
        type="force_torque",
        X_LS=IDENTITY,
        joint="j",
        parameters=(("force_torque/measure_direction", direction),),
    )
    ends = ("hung", "held") if backwards else ("held", "hung")
    source = scene(
        [link("held"), link("hung")],
        [joint("hold", WORLD, "held", T.FIXED), joint("j", *ends, T.FIXED, sensors=(sensor,))],
        gravity=frozen((0, 0, -9.8)),
    )
    mjcf = to_mjcf(source)
    model = mujoco.MjModel.from_xml_string(mjcf, mjcf.assets)
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    on_child = -9.8 if backwards else 9.8
    asked = on_child if direction == "parent_to_child" else -on_child
    negated = any(entry.code == "mjcf.force-torque-sign" for entry in mjcf.diagnostics)
    assert (-1.0 if negated else 1.0) * data.sensor("ft_force").data[2] == pytest.approx(asked)


def test_a_force_sensor_reads_the_force_of_a_joint_that_closes_a_loop():
    """A block that can slide up and down lies on a plane: the plane bears its weight."""
    sensor = Sensor(
        name="ft",
        type="force_torque",
        X_LS=IDENTITY,
        joint="lie",
        parameters=(("force_torque/measure_direction", "parent_to_child"),),
    )
    plane = tuple(JointAxis(xyz=frozen(d)) for d in np.eye(3))
    block = link("block", inertia=SpatialInertia.of(2.0, I_Lcm=np.diag((0.1, 0.1, 0.1))))
    rise = joint("rise", WORLD, "block", T.PRISMATIC, axis={"lower": -1.0, "upper": 1.0})
    lie = joint("lie", WORLD, "block", T.PLANAR, axes=plane, sensors=(sensor,))
    mjcf = to_mjcf(scene([block], [rise, lie], gravity=frozen((0, 0, -9.8))))
    model = mujoco.MjModel.from_xml_string(mjcf, mjcf.assets)
    data = mujoco.MjData(model)
    for _ in range(100):
        mujoco.mj_step(model, data)
    assert data.sensor("ft_force").data == pytest.approx((0.0, 0.0, 2.0 * 9.8), abs=1e-2)


def test_the_part_of_a_link_that_is_the_parent_of_its_joint_lies_on_the_link():
    """A bar on a limited hinge whose other end slides on a link that is fixed to the world."""
    turned, place = Pose.from_xyz_rpy((0.3, 0.0, 0.0), (0.0, 0.0, 0.5)), Pose.of(p=(1.0, 0.0, 0.0))
    links = [
        dataclasses.replace(link("bar"), X_WL=place),
        dataclasses.replace(link("anchor"), X_WL=IDENTITY),
    ]
    joints = [
        joint("hinge", WORLD, "bar", axis={"lower": -1.0, "upper": 1.0}, X_PJ=place),
        joint("hold", WORLD, "anchor", JointType.FIXED),
        joint(
            "slide",
            "bar",
            "anchor",
            JointType.PRISMATIC,
            axis={"lower": -1.0, "upper": 1.0},
            X_PJ=turned,
            X_CJ=place @ turned,
        ),
    ]
    cut = cut_loops(scene(links, joints), Diagnostics())
    (part,) = (item for item in cut.scene.links if item.name == "bar_at_slide")
    assert part.X_WL.is_close(place)
    assert lower(scene(links, joints)).link_poses()["bar_at_slide"].is_close(place)


# The joint that carries each link, and its direction.


def test_every_body_stands_after_the_one_it_hangs_from():
    names = [f"l{i}" for i in range(20)]
    rng = np.random.default_rng(0)
    parents = [
        int(rng.integers(i + 1, 20)) for i in range(19)
    ]  # links and joints in the worst order
    mechanism = lower(
        simple_scene(
            map(simple_link, names),
            [simple_joint(f"j{i}", f"l{p}", f"l{i}") for i, p in enumerate(parents)],
        )
    )
    assert all(body.parent < i for i, body in enumerate(mechanism.bodies))
    assert {body.name for body in mechanism.bodies} == set(names)
    assert [body.name for body in mechanism.bodies if body.parent == ROOT] == ["l19"]


def test_links_without_joints_each_float_by_their_own_name():
    mechanism = lower(simple_scene([simple_link("a"), simple_link("b", p=(1, 2, 3))], []))
    assert [body.primitives[0].kind for body in mechanism.bodies] == [
        PrimitiveKind.FREE,
        PrimitiveKind.FREE,
    ]
    assert mechanism.v_order == tuple(itertools.product(("a", "b"), range(6)))
    np.testing.assert_array_equal(mechanism.link_poses()["b"].p, [1, 2, 3])
    np.testing.assert_array_equal(
        mechanism.link_poses({"b": (0, 0, 7, 1, 0, 0, 0)})["b"].p, [0, 0, 7]
    )


def test_a_floating_joint_leaves_its_child_free_and_answers_to_both_names():
    floating = simple_joint("float", WORLD, "a", JointType.FLOATING, axes=())
    mechanism = lower(simple_scene([simple_link("a", p=(0, 0, 1))], [floating]))
    for name in ("float", "a"):
        np.testing.assert_array_equal(
            mechanism.link_poses({name: (5, 0, 0, 1, 0, 0, 0)})["a"].p, [5, 0, 0]
        )


def test_a_loop_is_opened_at_the_joint_that_is_easiest_to_hold():
    links = [simple_link(name) for name in "abcd"]
    kinds = {
        "slide": JointType.PRISMATIC,
        "hinge": JointType.REVOLUTE,
        "ball": JointType.BALL,
        "weld": JointType.FIXED,
    }
    corners = list(zip("abcd", "bcda", strict=True))
    for order in itertools.permutations(kinds):
        joints = [
            simple_joint(name, *ends, kinds[name])
            for name, ends in zip(order, corners, strict=True)
        ]
        mechanism = lower(simple_scene(links, joints))
        assert [closure.joint.name for closure in mechanism.closures] == ["ball"]
        assert [entry.code for entry in mechanism.diagnostics] == ["lower.loop"]


def test_a_kinematic_link_stands_and_what_hangs_on_it_moves():
    links = [
        simple_link("free"),
        dataclasses.replace(simple_link("platform", p=(0, 0, 1)), kinematic=True),
    ]
    mechanism = lower(
        simple_scene(links, [simple_joint("hinge", "free", "platform", X_PJ=links[1].X_WL)])
    )
    assert mechanism.v_order == (("hinge", 0),)
    assert [(body.name, body.is_kinematic) for body in mechanism.bodies] == [
        ("platform", True),
        ("free", False),
    ]
    assert [entry.code for entry in mechanism.diagnostics] == ["lower.kinematic"]
