"""Articulations: the grouping of a mechanism into PyBullet bodies and their segments."""

from __future__ import annotations

from bridge import lower
from bridge.targets.pybullet.articulation import articulate
from bridge.targets.pybullet.client import BASE
from loaders.diagnostics import Diagnostics
from loaders.model import WORLD, JointType
from tests.support.scenes import joint, link, scene


def test_a_joint_of_several_axes_is_a_chain_of_segments_with_the_mass_on_the_last() -> None:
    source = scene([link("a"), link("b")], [joint("j", "a", "b", JointType.UNIVERSAL)])
    (articulation,) = articulate(lower(source), Diagnostics())
    assert [segment.joint for segment in articulation.segments] == ["", "j_1", "j_2"]
    assert [segment.parent for segment in articulation.segments] == [BASE, BASE, 0]
    assert [segment.inertia.mass > 0.0 for segment in articulation.segments] == [True, False, True]
    assert articulation.joints == {"j_1": 0, "j_2": 1, "j": 1}
    assert articulation.joint_segments == ((), (0, 1))
    assert articulation.link_segments["b"][0] == 1


def test_free_trees_are_bodies_and_trees_on_the_world_share_one() -> None:
    links = [link(name) for name in "abcd"]
    joints = [joint("j", WORLD, "a"), joint("k", WORLD, "b"), joint("l", "c", "d")]
    fixed, free = articulate(lower(scene(links, joints)), Diagnostics())
    assert (fixed.is_fixed, set(fixed.link_segments)) == (True, {"a", "b"})
    assert (free.is_free, set(free.link_segments)) == (True, {"c", "d"})
    assert fixed.segments[0].links == ()


def test_the_first_primitive_of_a_screw_carries_its_limits() -> None:
    source = scene([link("a"), link("b")], [joint("j", "a", "b", JointType.SCREW)])
    (articulation,) = articulate(lower(source), Diagnostics())
    kinds = [
        (str(s.primitive.kind), s.is_primary)
        for s in articulation.segments
        if s.primitive is not None
    ]
    assert sorted(kinds) == [("hinge", True), ("slide", False)]
