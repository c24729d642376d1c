"""A renamed item is renamed wherever it is referred to."""

from __future__ import annotations

from bridge.diff.renaming import renamed
from loaders import model as m
from loaders.spatial import IDENTITY
from tests.support.scenes import joint, link, scene


def test_references_follow_and_the_world_stays() -> None:
    sensor = m.Sensor(name="s", type="force_torque", X_LS=IDENTITY, joint="j")
    given = scene(
        [link("a"), link("b")],
        [joint("j", "a", "b", sensors=(sensor,)), joint("k", m.WORLD, "a")],
        couplings=(m.Coupling(follower="j", leader="k"),),
        filter_groups=(m.FilterGroup(name="g", links=("a", "b")),),
    )
    found = renamed(given, {"link": {"a": "x", m.WORLD: "no"}, "joint": {"j": "y"}})
    assert [(item.name, item.parent, item.child) for item in found.joints] == [("y", "x", "b"), ("k", m.WORLD, "x")]
    assert found.joints[0].sensors[0].joint == found.couplings[0].follower == "y"
    assert found.filter_groups[0].links == ("x", "b")
    assert found.models[0].canonical_link == "x"
