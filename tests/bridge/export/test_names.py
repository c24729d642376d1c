"""Names of MJCF elements are unique and otherwise those of the source."""

from __future__ import annotations

from bridge.targets.mjcf import to_mjcf
from bridge.targets.xml import changed_names
from tests.support.mjcf_scenes import ball, link, scene_of
from tests.support.mujoco_oracle import compiled


def test_names_that_clash_are_made_unique_and_those_of_links_and_joints_never_change():
    links = [link(f"m::l{i}", collisions=(ball("c"),)) for i in range(3)]
    model = compiled(to_mjcf(scene_of(*links)))
    assert [model.body(i).name for i in range(1, 4)] == ["m::l0", "m::l1", "m::l2"]
    assert [model.geom(i).name for i in range(3)] == ["m::l0::c", "m::l1::c", "m::l2::c"]


def test_an_item_whose_name_another_kind_has_keeps_an_entry_of_its_own():
    names = {
        "link": {"a": "m::a", "b": "b"},
        "joint": {"a": "m::a_joint", "j": "m::j"},
        "frame": {"j": "m::j_frame"},
    }
    assert changed_names(names, ("link", "joint", "frame")) == {
        "a": "m::a",
        "joint a": "m::a_joint",
        "j": "m::j",
        "frame j": "m::j_frame",
    }
