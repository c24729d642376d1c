"""Constraints and force elements of Drake, compared with Drake; filter groups and elements of whole
models.
"""

from __future__ import annotations

import math

import numpy as np
import pytest

import loaders
from loaders.diagnostics import Diagnostics
from loaders.finish.finish import resolve
from loaders.model import FilterGroup, FilterRule
from loaders.scene import Scene
from tests.support.drake_files import BOTH, FRAMES, URDF_FRAMES, load, sdf, sdf_joint
from tests.support.drake_oracle import DrakePlant

# Drake's constraints and force elements, in SDFormat and URDF, compared with Drake.


def element(form, tag, values, prefix=None):
    """An element whose children hold numbers, or the names of links and frames."""
    prefix = f"drake:{tag}_" if prefix is None else prefix
    body = ""
    for key, value in values.items():
        attribute = "name" if any(word in key for word in ("body", "frame")) else "value"
        name = prefix + key
        body += f"<{name}>{value}</{name}>" if form is sdf else f'<{name} {attribute}="{value}"/>'
    return f"<drake:{tag}>{body}</drake:{tag}>"


POINTS = {"body_A": "a", "body_B": "b", "p_AP": "1 2 3", "p_BQ": "4 5 6"}


BUSHING = {
    "frameA": "p",
    "frameC": "c",
    "torque_stiffness": "1 2 3",
    "torque_damping": "4 5 6",
    "force_stiffness": "7 8 9",
    "force_damping": "10 11 12",
}


SPRING = {**POINTS, "free_length": "2", "stiffness": "30", "damping": "0.4"}


@BOTH
def test_a_bushing_is_that_of_drake(form):
    frames = FRAMES if form is sdf else URDF_FRAMES
    source = form(frames + element(form, "linear_bushing_rpy", BUSHING, "drake:bushing_"))
    (ours,), plant = load(source).forces, DrakePlant(*source).plant
    assert plant.num_force_elements() == 2  # gravity, and this one
    assert (ours.link_A, ours.link_C) == ("a", "b")
    X_AF = plant.GetFrameByName("p").GetFixedPoseInBodyFrame()
    np.testing.assert_allclose(ours.X_LA.R, X_AF.rotation().matrix(), atol=1e-12)
    np.testing.assert_allclose(ours.X_LA.p, X_AF.translation(), atol=1e-12)
    keys = ("torque_stiffness", "torque_damping", "force_stiffness", "force_damping")
    np.testing.assert_array_equal(
        [getattr(ours, key) for key in keys], np.arange(1.0, 13.0).reshape(4, 3)
    )


@BOTH
def test_a_spring_and_damper_is_read(form):
    (spring,) = load(form(element(form, "linear_spring_damper", SPRING))).forces
    assert (spring.link_A, spring.link_B, spring.free_length, spring.stiffness, spring.damping) == (
        "a",
        "b",
        2,
        30,
        0.4,
    )
    np.testing.assert_array_equal((spring.p_AP, spring.p_BQ), ((1, 2, 3), (4, 5, 6)))


@BOTH
def test_a_ball_constraint_is_read(form):
    (ball,) = load(form(element(form, "ball_constraint", POINTS))).constraints
    assert (ball.link_A, ball.link_B) == ("a", "b")
    np.testing.assert_array_equal((ball.p_AP, ball.p_BQ), ((1, 2, 3), (4, 5, 6)))


@BOTH
def test_a_distance_constraint_is_read(form):
    values = {**POINTS, "distance": "2", "stiffness": "30", "damping": "0.4"}
    (rod,) = load(form(element(form, "distance_constraint", values))).constraints
    assert (rod.distance, rod.stiffness, rod.damping) == (2, 30, 0.4)


TENDON = {
    "offset": "0.1",
    "lower_limit": "-0.2",
    "upper_limit": "inf",
    "stiffness": "1000",
    "damping": "5",
}


def test_a_tendon_is_read_from_sdf():
    text = element(sdf, "tendon_constraint", TENDON)
    joints = '<drake:tendon_constraint_joint name="j" a="0.5"/>'
    (tendon,) = load(
        sdf(sdf_joint() + text.replace("constraint>", f"constraint>{joints}", 1))
    ).constraints
    assert (tendon.joints, tendon.coefficients, tendon.offset) == (("j",), (0.5,), 0.1)
    assert (tendon.lower, tendon.upper, tendon.stiffness, tendon.damping) == (
        -0.2,
        math.inf,
        1000,
        5,
    )


# Filter groups: member groups in cycles, and unknown groups.


def test_member_groups_may_form_a_cycle() -> None:
    groups = (
        FilterGroup(name="g", links=("a",), groups=("h",)),
        FilterGroup(name="h", links=("b",), groups=("g",)),
    )
    diagnostics = Diagnostics()
    scene = resolve(Scene(name="s", filter_groups=groups), diagnostics)
    assert [set(group.links) for group in scene.filter_groups] == [{"a", "b"}, {"a", "b"}]
    assert not any(group.groups for group in scene.filter_groups)
    assert not list(diagnostics)


@pytest.mark.parametrize(
    ("groups", "rules", "code"),
    [
        ((FilterGroup(name="g", links=("a",), groups=("x",)),), (), "drake.unknown-group"),
        (
            (FilterGroup(name="g", links=("a",)),),
            (FilterRule(a="g", b="x"),),
            "drake.unknown-group",
        ),
        (
            (FilterGroup(name="g", links=("a",)), FilterGroup(name="g", links=("b",))),
            (),
            "drake.duplicate-group",
        ),
    ],
)
def test_names_of_groups_are_checked(
    groups: tuple[FilterGroup, ...], rules: tuple[FilterRule, ...], code: str
) -> None:
    diagnostics = Diagnostics()
    resolve(Scene(name="s", filter_groups=groups, filter_rules=rules), diagnostics)
    assert [entry.code for entry in diagnostics] == [code]


# Drake's elements of a whole model, with names in the scope of the model.

NESTED = """<sdf version="1.11" xmlns:drake="http://drake.mit.edu"><world name="w"><model name="m">
<link name="a"/><link name="b"/><drake:collision_filter_group name="g"><drake:member>a</drake:member>
<drake:member>b</drake:member><drake:ignored_collision_filter_group>g</drake:ignored_collision_filter_group>
</drake:collision_filter_group><drake:ball_constraint><drake:ball_constraint_body_A>a</drake:ball_constraint_body_A>
<drake:ball_constraint_body_B>b</drake:ball_constraint_body_B>
<drake:ball_constraint_p_AP>0 0 0</drake:ball_constraint_p_AP>
<drake:ball_constraint_p_BQ>0 0 0</drake:ball_constraint_p_BQ></drake:ball_constraint></model></world></sdf>"""


def test_names_carry_the_scope_of_the_model() -> None:
    scene = loaders.load_string(NESTED, format="sdf")
    assert [(group.name, group.links) for group in scene.filter_groups] == [
        ("m::g", ("m::a", "m::b"))
    ]
    assert [(rule.a, rule.b) for rule in scene.filter_rules] == [("m::g", "m::g")]
    (ball,) = scene.constraints
    assert isinstance(ball, loaders.model.BallConstraint)
    assert (ball.link_A, ball.link_B) == ("m::a", "m::b")
