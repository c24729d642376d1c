"""The place of a body's joint is that of the joint in the source."""

from __future__ import annotations

from bridge import lower
from bridge.targets.mjcf.joint import where_of
from loaders.diagnostics import NOWHERE
from tests.support.mjcf_scenes import link, one_joint, scene_of


def test_a_joint_of_the_source_has_its_place() -> None:
    places = {body.name: where_of(body) for body in lower(one_joint()).bodies}
    assert (places["arm"].file, places["arm"].line) == ("arm.sdf", 20)


def test_a_free_link_has_no_joint_in_the_source() -> None:
    (body,) = lower(scene_of(link("a"))).bodies
    assert where_of(body) == NOWHERE
