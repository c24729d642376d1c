"""Which joint carries which link, and what happens to the joints that carry none."""

import dataclasses
import itertools
import math

import numpy as np
import pytest

from bridge.lowering import lower
from bridge.lowering.inputs import mechanism_of
from bridge.mechanism.bodies import ROOT, PrimitiveKind
from bridge.mechanism.coordinates import joint_position, primitive_positions
from bridge.mechanism.dynamics import relative_pose
from bridge.mechanism.target_names import primitive_names
from loaders.model import (
    WORLD,
    X_AXIS,
    Y_AXIS,
    Z_AXIS,
    Arc,
    Coupling,
    Curve,
    Joint,
    JointAxis,
    JointType,
    Link,
    Model,
    by_name,
)
from loaders.scene import Scene
from loaders.spatial import IDENTITY, Pose, SpatialInertia, frozen


def link(name, *, model="m", p=(0, 0, 0), mass=1.0):
    return Link(name=name, model=model, X_WL=Pose.of(p=p), inertia=SpatialInertia.of(mass, I_Lcm=mass * np.eye(3)))


def joint(name, parent, child, kind=JointType.REVOLUTE, axes=(Z_AXIS,), **rest):
    axes = tuple(JointAxis(xyz=xyz) for xyz in axes) if kind is not JointType.FIXED else ()
    poses = {"X_PJ": IDENTITY, "X_CJ": IDENTITY} | rest
    return Joint(name=name, type=kind, parent=parent, child=child, axes=axes, **poses)


def scene(links, joints, **rest):
    return Scene(name="test", links=tuple(links), joints=tuple(joints), **rest)


def test_every_body_stands_after_the_one_it_hangs_from():
    names = [f"l{i}" for i in range(20)]
    rng = np.random.default_rng(0)
    parents = [int(rng.integers(i + 1, 20)) for i in range(19)]  # links and joints in the worst order
    mechanism = lower(scene(map(link, names), [joint(f"j{i}", f"l{p}", f"l{i}") for i, p in enumerate(parents)]))
    assert all(body.parent < i for i, body in enumerate(mechanism.bodies))
    assert {body.name for body in mechanism.bodies} == set(names)
    assert [body.name for body in mechanism.bodies if body.parent == ROOT] == ["l19"]


def test_links_without_joints_each_float_by_their_own_name():
    mechanism = lower(scene([link("a"), link("b", p=(1, 2, 3))], []))
    assert [body.primitives[0].kind for body in mechanism.bodies] == [PrimitiveKind.FREE, PrimitiveKind.FREE]
    assert mechanism.v_order == tuple(itertools.product(("a", "b"), range(6)))
    np.testing.assert_array_equal(mechanism.link_poses()["b"].p, [1, 2, 3])
    np.testing.assert_array_equal(mechanism.link_poses({"b": (0, 0, 7, 1, 0, 0, 0)})["b"].p, [0, 0, 7])


def test_a_free_link_that_shares_its_name_with_a_joint_is_told_apart():
    mechanism = lower(scene([link("base"), link("arm")], [joint("base", "base", "arm")]))
    assert [body.joint for body in mechanism.bodies] == ["_base", "base"]


def test_a_floating_joint_leaves_its_child_free_and_answers_to_both_names():
    floating = joint("float", WORLD, "a", JointType.FLOATING, axes=())
    mechanism = lower(scene([link("a", p=(0, 0, 1))], [floating]))
    for name in ("float", "a"):
        np.testing.assert_array_equal(mechanism.link_poses({name: (5, 0, 0, 1, 0, 0, 0)})["a"].p, [5, 0, 0])


def test_a_loop_is_opened_at_the_joint_that_is_easiest_to_hold():
    links = [link(name) for name in "abcd"]
    kinds = {"slide": JointType.PRISMATIC, "hinge": JointType.REVOLUTE, "ball": JointType.BALL, "weld": JointType.FIXED}
    corners = list(zip("abcd", "bcda", strict=True))
    for order in itertools.permutations(kinds):
        joints = [joint(name, *ends, kinds[name]) for name, ends in zip(order, corners, strict=True)]
        mechanism = lower(scene(links, joints))
        assert [closure.joint.name for closure in mechanism.closures] == ["ball"]
        assert [entry.code for entry in mechanism.diagnostics] == ["lower.loop"]


def test_static_models_are_held_where_they_stand():
    statue = Model(name="statue", X_WM=IDENTITY, canonical_link="s", static=True)
    links = [link("s", model="statue", p=(0, 0, 1)), link("t", model="statue", p=(0, 0, 2)), link("arm", p=(0, 0, 3))]
    joints = [joint("inside", "s", "t"), joint("shoulder", "t", "arm", X_PJ=Pose.of(p=(0, 0, 1)))]
    mechanism = lower(scene(links, joints, models=(statue,)))
    assert mechanism.v_order == (("shoulder", 0),)
    assert [entry.code for entry in mechanism.diagnostics] == ["lower.static-joint"]
    assert mechanism.link_poses({"shoulder": 1.0})["t"].p.tolist() == [0, 0, 2]


def test_the_worlds_own_link_stays_with_the_world():
    mechanism = lower(scene([link("a"), link(WORLD)], [joint("j", WORLD, "a")]))
    assert mechanism.v_order == (("j", 0),)
    assert by_name(mechanism.bodies)["a"].parent == ROOT


def test_a_screw_advances_by_its_pitch_in_one_turn():
    mechanism = lower(scene([link("nut"), link("bolt")], [
        joint("hold", WORLD, "nut", JointType.FIXED),
        joint("thread", "nut", "bolt", JointType.SCREW, axes=(Y_AXIS,), pitch=0.004),
    ]))  # fmt: skip
    bolt = mechanism.link_poses({"thread": math.tau})["bolt"]
    np.testing.assert_allclose(bolt.p, [0, 0.004, 0], atol=1e-15)
    np.testing.assert_allclose(bolt.R, np.eye(3), atol=1e-15)
    assert primitive_names(by_name(mechanism.bodies)["bolt"]) == ("thread", "thread_slide")


def test_an_arc_turns_about_its_centre():
    quarter = Curve(initial_tangent=X_AXIS, plane_normal=Z_AXIS, arcs=(Arc(length=math.pi, curvature=0.5),))
    rail = joint("rail", WORLD, "cart", JointType.CURVILINEAR, axes=(X_AXIS,), curve=quarter)
    cart = lower(scene([link("cart")], [rail])).link_poses({"rail": math.pi})["cart"]
    np.testing.assert_allclose(cart.p, [2, 2, 0], atol=1e-15)  # radius 2, a quarter turn to the left
    np.testing.assert_allclose(cart.R @ (1, 0, 0), [0, 1, 0], atol=1e-15)


def test_a_curve_of_several_pieces_is_reported():
    pieces = (Arc(length=1.0), Arc(length=1.0, curvature=1.0))
    curve = Curve(initial_tangent=X_AXIS, plane_normal=Z_AXIS, arcs=pieces)
    rail = joint("rail", WORLD, "cart", JointType.CURVILINEAR, axes=(X_AXIS,), curve=curve)
    assert [entry.code for entry in lower(scene([link("cart")], [rail])).diagnostics] == [
        "lower.curve-of-several-pieces"
    ]


def test_couplings_are_by_velocity_component():
    joints = [joint("a", WORLD, "x"), joint("b", "x", "y", JointType.UNIVERSAL, axes=(X_AXIS, Y_AXIS))]
    follow = Coupling(follower="b", follower_axis=1, leader="a", multiplier=-2.0, offset=0.5)
    (coupling,) = lower(scene([link("x"), link("y")], joints, couplings=(follow,))).couplings
    assert (coupling.follower, coupling.leader) == (2, 0)
    assert (coupling.multiplier, coupling.offset) == (-2.0, 0.5)


def test_a_coupling_to_a_weld_is_reported():
    joints = [joint("a", WORLD, "x"), joint("w", "x", "y", JointType.FIXED)]
    mechanism = lower(scene([link("x"), link("y")], joints, couplings=(Coupling(follower="a", leader="w"),)))
    assert mechanism.couplings == ()
    assert [entry.code for entry in mechanism.diagnostics] == ["lower.coupling-without-freedom"]


def test_a_gearbox_turns_its_second_link_against_the_first():
    links = [link("frame"), link("in"), link("out")]
    joints = [
        joint("hold", WORLD, "frame", JointType.FIXED),
        joint("j_in", "frame", "in"),
        joint("j_out", "frame", "out", axes=(frozen((0, 0, -1)),)),
        joint("gears", "in", "out", JointType.GEARBOX, axes=(Z_AXIS, Z_AXIS), gear_ratio=3.0, gear_reference="frame"),
    ]
    mechanism = lower(scene(links, joints))
    (coupling,) = mechanism.couplings
    assert mechanism.closures == ()
    assert [mechanism.v_order[i][0] for i in (coupling.leader, coupling.follower)] == ["j_in", "j_out"]
    assert coupling.multiplier == 3.0  # -3 about z is 3 about the hinge that points down


@pytest.mark.parametrize("bad", [{"nope": 1.0}, {"j": (1.0, 2.0)}, {"j": math.nan}], ids=["name", "size", "nan"])
def test_wrong_positions_are_refused_with_the_names_that_exist(bad):
    mechanism = lower(scene([link("x")], [joint("j", WORLD, "x")]))
    with pytest.raises(ValueError, match=r"'(nope|j)'"):
        mechanism.link_poses(bad)


@pytest.mark.parametrize("backwards", [False, True], ids=["forward", "reversed"])
@pytest.mark.parametrize("kind", ["revolute", "universal", "planar", "screw", "ball"])
def test_displacements_and_positions_are_inverse(kind, backwards):
    axes = {"universal": (X_AXIS, Y_AXIS), "planar": (X_AXIS, Y_AXIS, Z_AXIS), "ball": ()}.get(kind, (Z_AXIS,))
    ends = ("y", "x") if backwards else ("x", "y")
    joints = [joint("hold", WORLD, "x", JointType.FIXED), joint("j", *ends, JointType(kind), axes=axes, pitch=0.3)]
    mechanism = lower(scene([link("x"), link("y")], joints))
    body = by_name(mechanism.bodies)["y"]
    position = {1: (0.4,), 2: (0.4, -0.7), 3: (0.1, 0.2, 0.3)}.get(len(axes), (0.5, 0.5, 0.5, 0.5))
    assert body.reversed is backwards
    np.testing.assert_allclose(joint_position(body, primitive_positions(body, position)), position, atol=1e-15)
    (used,) = (
        p for b, p in zip(mechanism.bodies, mechanism.positions_by_body({"j": position}), strict=True) if b is body
    )
    assert relative_pose(body, used).is_close(mechanism.link_poses({"j": position})["y"])


# --- what has no mass ------------------------------------------------------------------------------------------------


def test_a_free_link_without_mass_gets_a_speck_and_is_reported():
    mechanism = mechanism_of(scene([link("a", mass=0.0), link("b")], [joint("j", "a", "b")]))
    assert [body.inertia.mass for body in mechanism.bodies] == [1e-9, 1.0]
    assert [entry.code for entry in mechanism.diagnostics] == ["lower.massless-free-link"]
    assert np.linalg.eigvalsh(mechanism.mass_matrix())[0] > 0.0


def test_a_free_link_without_mass_needs_none_where_one_with_mass_is_welded_to_it():
    links = [link("a", mass=0.0), link("b", mass=0.0), link("c"), link("d", mass=0.0)]
    joints = [joint("ab", "a", "b", JointType.FIXED), joint("bc", *"bc", JointType.FIXED), joint("cd", "c", "d")]
    mechanism = mechanism_of(scene(links, joints))
    assert [body.inertia.mass for body in mechanism.bodies] == [0.0, 0.0, 1.0, 0.0]
    assert mechanism.diagnostics == ()


def test_a_free_point_mass_gets_an_inertia_and_is_reported():
    point = dataclasses.replace(link("b", p=(0, 0, 1)), inertia=SpatialInertia.of(2.0))
    mechanism = mechanism_of(scene([link("a", mass=0.0), point], [joint("ab", "a", "b", JointType.FIXED)]))
    assert [body.inertia.mass for body in mechanism.bodies] == [0.0, 2.0]
    assert [entry.code for entry in mechanism.diagnostics] == ["lower.thin-link"]
    assert np.linalg.eigvalsh(mechanism.mass_matrix())[0] > 0.0


def test_two_welded_point_masses_lack_inertia_about_their_line_and_three_do_not():
    points = [Pose.of(p=p) for p in ((0, 0, 0), (1, 0, 0), (0, 1, 0))]
    for count, codes in ((2, ["lower.thin-link"]), (3, [])):
        links = [
            dataclasses.replace(link(f"l{i}"), X_WL=X_WL, inertia=SpatialInertia.of(1.0))
            for i, X_WL in enumerate(points[:count])
        ]
        joints = [joint(f"j{i}", "l0", f"l{i}", JointType.FIXED, X_PJ=points[i]) for i in range(1, count)]
        assert [entry.code for entry in mechanism_of(scene(links, joints)).diagnostics] == codes


def gimbal(*axes, tip=1.0, between=0.0):
    """A point mass on hinges that meet in one point, on none of their axes."""
    names = ["stand", *(f"ring{i}" for i in range(len(axes) - 1))]
    links = [link(name, mass=between) for name in names]
    point = dataclasses.replace(link("tip"), inertia=SpatialInertia.of(tip, (0.5, 0.3, 0.2)))
    ends = zip(names, [*names[1:], "tip"], axes, strict=True)
    joints = [joint(f"j{child}", parent, child, axes=(axis,)) for parent, child, axis in ends]
    return scene([*links, point], [joint("hold", WORLD, "stand", JointType.FIXED), *joints])


def test_a_point_mass_that_a_gimbal_turns_about_itself_gets_an_inertia_and_is_reported():
    spun = gimbal(Z_AXIS, Y_AXIS, X_AXIS)
    assert np.linalg.eigvalsh(lower(spun).mass_matrix())[0] == pytest.approx(0.0, abs=1e-15)
    mechanism = mechanism_of(spun)
    (entry,) = mechanism.diagnostics
    assert (entry.code, "link tip" in entry.message) == ("lower.thin-link", True)
    assert 1e-10 < np.linalg.eigvalsh(mechanism.mass_matrix())[0] < 1e-8


@pytest.mark.parametrize("fine", [gimbal(Z_AXIS), gimbal(Z_AXIS, Y_AXIS), gimbal(Z_AXIS, Y_AXIS, X_AXIS, between=1.0)])
def test_a_point_mass_that_every_joint_must_push_is_left_as_it_is(fine):
    assert mechanism_of(fine).diagnostics == ()


def test_a_link_without_mass_that_hangs_from_the_world_is_left_as_it_is():
    mechanism = mechanism_of(scene([link("a", mass=0.0)], [joint("j", WORLD, "a")]))
    assert (mechanism.bodies[0].inertia.mass, mechanism.diagnostics) == (0.0, ())


# --- kinematic links -------------------------------------------------------------------------------------------------


def test_a_kinematic_link_stands_and_what_hangs_on_it_moves():
    links = [link("free"), dataclasses.replace(link("told", p=(0, 0, 1)), kinematic=True)]
    mechanism = lower(scene(links, [joint("hinge", "free", "told")]))
    assert mechanism.v_order == (("hinge", 0),)
    assert [(body.name, body.is_kinematic) for body in mechanism.bodies] == [("told", True), ("free", False)]
    assert [entry.code for entry in mechanism.diagnostics] == ["lower.kinematic"]


def test_a_kinematic_link_that_a_joint_carries_is_moved_and_that_is_said():
    mechanism = lower(scene([dataclasses.replace(link("a"), kinematic=True)], [joint("j", WORLD, "a")]))
    assert mechanism.v_order == (("j", 0),)
    assert [entry.code for entry in mechanism.diagnostics] == ["lower.kinematic-in-joint"]
