"""The joint that carries each link, and its direction."""

import dataclasses
import itertools

import numpy as np

from bridge.lowering import lower
from bridge.mechanism.bodies import ROOT, PrimitiveKind
from loaders.model import WORLD, JointType
from tests.support.simple_scenes import joint, link, scene


def test_every_body_stands_after_the_one_it_hangs_from():
    names = [f"l{i}" for i in range(20)]
    rng = np.random.default_rng(0)
    parents = [
        int(rng.integers(i + 1, 20)) for i in range(19)
    ]  # links and joints in the worst order
    mechanism = lower(
        scene(map(link, names), [joint(f"j{i}", f"l{p}", f"l{i}") for i, p in enumerate(parents)])
    )
    assert all(body.parent < i for i, body in enumerate(mechanism.bodies))
    assert {body.name for body in mechanism.bodies} == set(names)
    assert [body.name for body in mechanism.bodies if body.parent == ROOT] == ["l19"]


def test_links_without_joints_each_float_by_their_own_name():
    mechanism = lower(scene([link("a"), link("b", p=(1, 2, 3))], []))
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
    floating = joint("float", WORLD, "a", JointType.FLOATING, axes=())
    mechanism = lower(scene([link("a", p=(0, 0, 1))], [floating]))
    for name in ("float", "a"):
        np.testing.assert_array_equal(
            mechanism.link_poses({name: (5, 0, 0, 1, 0, 0, 0)})["a"].p, [5, 0, 0]
        )


def test_a_loop_is_opened_at_the_joint_that_is_easiest_to_hold():
    links = [link(name) for name in "abcd"]
    kinds = {
        "slide": JointType.PRISMATIC,
        "hinge": JointType.REVOLUTE,
        "ball": JointType.BALL,
        "weld": JointType.FIXED,
    }
    corners = list(zip("abcd", "bcda", strict=True))
    for order in itertools.permutations(kinds):
        joints = [
            joint(name, *ends, kinds[name]) for name, ends in zip(order, corners, strict=True)
        ]
        mechanism = lower(scene(links, joints))
        assert [closure.joint.name for closure in mechanism.closures] == ["ball"]
        assert [entry.code for entry in mechanism.diagnostics] == ["lower.loop"]


def test_a_kinematic_link_stands_and_what_hangs_on_it_moves():
    links = [link("free"), dataclasses.replace(link("platform", p=(0, 0, 1)), kinematic=True)]
    mechanism = lower(scene(links, [joint("hinge", "free", "platform", X_PJ=links[1].X_WL)]))
    assert mechanism.v_order == (("hinge", 0),)
    assert [(body.name, body.is_kinematic) for body in mechanism.bodies] == [
        ("platform", True),
        ("free", False),
    ]
    assert [entry.code for entry in mechanism.diagnostics] == ["lower.kinematic"]
