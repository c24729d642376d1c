"""Scopes: references into nested models, names in the scene, and the world."""

from __future__ import annotations

import pytest

from loaders import LoadError
from tests.support.sdf import (
    X_WL,
    error_codes,
    read_sdf,
)


def test_references_cannot_leave_their_scope() -> None:
    up = (
        "<model name='m'><link name='a'/><model name='n'><link name='x'><pose "
        "relative_to='a'/></link></model></model>"
    )
    with pytest.raises(LoadError, match=r"sdf\.pose-relative-to"):
        read_sdf(up)


def test_only_elements_of_a_world_can_be_attached_to_the_world() -> None:
    world = (
        "<world name='w'><frame name='f' attached_to='world'><pose>0 0 1 0 0 "
        "0</pose></frame></world>"
    )
    assert read_sdf(world).frames[0].link == "world"
    with pytest.raises(LoadError, match="only the parent of a joint can be the world"):
        read_sdf("<model name='m'><link name='a'/><frame name='f' attached_to='world'/></model>")


LINKED = (
    "<model name='m'><pose>0 3 0 0 0 {yaw}</pose><link name='l'><pose>0 0 1 0 0 "
    "0</pose></link>{rest}</model>"
)


@pytest.mark.parametrize("version", ["1.4", "1.7", "1.11"])
@pytest.mark.parametrize(
    "rest",
    [
        "<joint name='j' type='fixed'><parent>l</parent><child>world</child></joint>",
        "<frame name='f'><pose relative_to='world'/></frame>",
        "<frame name='f' attached_to='world'/>",
        "<link name='world'/>",
    ],
)
def test_inside_a_model_the_world_can_only_be_the_parent_of_a_joint(
    rest: str, version: str
) -> None:
    assert error_codes(LINKED.format(yaw=0, rest=rest), version)


def test_frames_and_joints_of_a_world_can_refer_to_links_of_models() -> None:
    scene = read_sdf(
        "<world name='w'><model name='m'><pose>1 0 0 0 0 0</pose><link name='l'><pose>0 0 2 0 0 "
        "0</pose></link></model>"
        "<frame name='f' attached_to='m::l'><pose>0 1 0 0 0 0</pose></frame>"
        "<joint name='j' type='fixed'><parent>world</parent><child>m</child></joint></world>"
    )
    assert [(frame.name, frame.link, frame.X_LF.p.tolist()) for frame in scene.frames] == [
        ("f", "m::l", [0, 1, 0])
    ]
    joint = scene.joints[0]
    assert (joint.parent, joint.child) == ("world", "m::l")
    assert joint.X_PJ.p.tolist() == [1, 0, 0]


def test_names_have_the_outermost_model_as_prefix_only_in_a_world() -> None:
    inner = "<model name='m'><link name='l'/><model name='m'><link name='l'/></model></model>"
    alone, within = read_sdf(inner), read_sdf(f"<world name='w'>{inner}</world>")
    assert [link.name for link in alone.links] == ["l", "m::l"]
    assert [model.name for model in alone.models] == ["m", "m::m"]
    assert [link.model for link in alone.links] == ["m", "m::m"]
    assert [link.name for link in within.links] == ["m::l", "m::m::l"]
    assert [model.name for model in within.models] == ["m", "m::m"]


def test_names_with_separators_in_old_files_can_be_referenced() -> None:
    scene = read_sdf(
        "<model name='P'><frame name='C::__model__' attached_to='C::L'><pose "
        "relative_to='__model__'>1 0 0 0 0 0</pose>"
        "</frame><link name='C::L'><pose relative_to='C::__model__'>0 1 0 0 0 "
        "0</pose></link></model>",
        version="1.7",
    )
    assert X_WL(scene, "C::L").p.tolist() == [1, 1, 0]


def test_an_unknown_name_suggests_the_closest_member() -> None:
    with pytest.raises(LoadError) as caught:
        read_sdf(
            "<model name='m'><link name='gripper'/><frame name='f' attached_to='griper'/></model>"
        )
    (entry,) = caught.value.diagnostics
    assert (entry.code, entry.subjects, entry.hint) == (
        "sdf.attached-to",
        ("f",),
        "did you mean gripper?",
    )
