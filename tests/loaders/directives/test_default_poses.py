"""Poses of links at the initial positions of all types of joints, compared with Drake."""

from __future__ import annotations

import pytest

from loaders.collision_pairs import connected_components, is_connection
from loaders.drake.default_poses import bases_of, initial_link_poses
from loaders.model import WORLD
from tests.support.directives_files import MASS, drake, load, model, write
from tests.support.drake_oracle import pose_error

TYPES = {
    "revolute": ("revolute", "<axis><xyz>1 2 3</xyz></axis>", "[0.3]"),
    "prismatic": ("prismatic", "<axis><xyz>1 2 3</xyz></axis>", "[0.3]"),
    "continuous": ("continuous", "<axis><xyz>0 1 0</xyz></axis>", "[-0.3]"),
    "screw": (
        "screw",
        "<screw_thread_pitch>0.2</screw_thread_pitch><axis><xyz>0 1 0</xyz></axis>",
        "[0.7]",
    ),
    "ball": ("ball", "", "[0.1, 0.2, 0.3]"),
    "universal": (
        "universal",
        "<axis><xyz>1 0 0</xyz></axis><axis2><xyz>0 1 0</xyz></axis2>",
        "[0.4, -0.3]",
    ),
}
LINK = "<link name='{}'><pose>{} 1 0 0.1 0.2 0.3</pose>" + MASS + "</link>"
"""A link, to format with its name and its x."""


@pytest.mark.parametrize(("kind", "axes", "position"), TYPES.values(), ids=TYPES)
def test_links_are_where_drakes_default_context_has_them(folder, kind, axes, position):
    pose = "<pose>0.1 0.2 0.3 0.4 0.5 0.6</pose>"
    joint = f"<joint name='j' type='{kind}'>{pose}<parent>a</parent><child>b</child>{axes}"
    links = LINK.format("a", 0) + LINK.format("b", 1)
    write(
        folder,
        f"<sdf version='1.11'><model name='m'>{links}{joint}</joint></model></sdf>",
        "two.sdf",
    )
    text = "directives:\n" + model("m", "two.sdf", f", default_joint_positions: {{j: {position}}}")
    scene, oracle = load(folder, text), drake(folder, text)
    poses = initial_link_poses(scene, ["m::a"])
    for name in "ab":
        theirs = oracle.plant.GetBodyByName(name).EvalPoseInWorld(oracle.context).GetAsMatrix4()
        assert pose_error(poses[f"m::{name}"], theirs) < 1e-12


def test_planar_joints_of_urdf_are_where_drakes_default_context_has_them(folder):
    links = "".join(
        f"<link name='{name}'><inertial><mass value='1'/></inertial></link>" for name in "ab"
    )
    joint = (
        "<drake:joint name='j' type='planar'><parent link='a'/><child link='b'/><origin xyz='1 2 "
        "3' rpy='0.1 0.2 0.3'/>"
        "<axis xyz='0 1 1'/></drake:joint>"
    )
    write(folder, f"<robot name='r'>{links}{joint}</robot>", "planar.urdf")
    text = "directives:\n" + model(
        "m", "planar.urdf", ", default_joint_positions: {j: [0.1, 0.2, 0.3]}"
    )
    oracle = drake(folder, text)
    theirs = oracle.plant.GetBodyByName("b").EvalPoseInWorld(oracle.context).GetAsMatrix4()
    assert pose_error(initial_link_poses(load(folder, text), ["m::a"])["m::b"], theirs) < 1e-12


def test_joints_are_followed_from_the_child_to_the_parent_too(folder):
    joint = (
        "<joint name='j' type='revolute'><parent>a</parent><child>b</child><axis><xyz>0 0 "
        "1</xyz></axis></joint>"
    )
    links = LINK.format("a", 0) + LINK.format("b", 1)
    write(folder, f"<sdf version='1.11'><model name='m'>{links}{joint}</model></sdf>", "two.sdf")
    scene = load(
        folder, "directives:\n" + model("m", "two.sdf", ", default_joint_positions: {j: [0.3]}")
    )
    down, up = initial_link_poses(scene, ["m::a"]), initial_link_poses(scene, ["m::b"])
    X_ab = down["m::a"].inverse() @ down["m::b"]
    assert (up["m::a"].inverse() @ up["m::b"]).is_close(X_ab)
    assert up["m::b"].is_close(next(link.X_WL for link in scene.links if link.name == "m::b"))


def test_the_base_is_the_first_link_that_no_joint_carries(folder):
    scene = load(folder, "directives:\n" + model("a") + model("b", "box.sdf"))
    components = connected_components(scene, is_connection)
    number = {name: i for i, names in enumerate(components) for name in names}
    assert bases_of(scene, number) == {1: "a::l0", 2: "b::body"}
    assert components[0] == [WORLD]
