"""Drake's elements of a whole model, with names in the scope of the model."""

from __future__ import annotations

import loaders

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
