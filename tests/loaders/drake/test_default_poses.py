"""Initial poses of links and free bodies, and initial joint positions, compared with Drake's
default context.
"""

from __future__ import annotations

import pytest

import bridge
import loaders
from bridge.mechanism.coordinates import initial_positions
from loaders.collision_pairs import connected_components, is_connection
from loaders.diagnostics import Fate
from loaders.drake.directives import bases_of, initial_link_poses
from loaders.model import WORLD, by_name
from tests.support.directives_files import MASS, drake, errors, load, model, write
from tests.support.drake_oracle import pose_error

# Poses of links at the initial positions of all types of joints, compared with Drake.

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


# Initial poses of free bodies in directives, compared with Drake's default context.

SLED = (
    f"<sdf version='1.11'><model name='m'><link name='l0'><pose>0 1 0 0 0 "
    f"0</pose>{MASS}</link><link name='l1'>{MASS}"
    "</link><joint name='j1' type='revolute'><parent>l0</parent><child>l1</child><axis><xyz>0 0 "
    "1</xyz></axis></joint>"
    "<frame name='tip' attached_to='l1'><pose>0 0 7 0.5 0 0</pose></frame></model></sdf>"
)


def posed(poses, name="a", file="arm.sdf", positions=""):
    first = f", default_joint_positions: {{{positions}}}" if positions else ""
    return model(name, file, f"{first}, default_free_body_pose: {{{poses}}}")


def weld(parent, child):
    return f"- add_weld: {{parent: '{parent}', child: '{child}'}}\n"


ON_WORLD = "- add_frame: {name: f, X_PF: {base_frame: world, translation: [1, 1, 1]}}\n"
HIGH = "translation: [1, 2, 3], rotation: !Rpy {deg: [10, 20, 30]}"
BENT = "j1: [0.5], j2: [0.1, 0.2, 0.3]"

USED = {
    "of a base": posed(f"l0: {{{HIGH}}}"),
    "from a frame of the world": ON_WORLD + posed(f"l0: {{base_frame: f, {HIGH}}}"),
    "from the frame of a bent arm": model("b", extra=f", default_joint_positions: {{{BENT}}}")
    + posed(f"l0: {{base_frame: 'b::tip', {HIGH}}}", positions=BENT),
    "from a free body that is itself placed on a bent arm": model(
        "b", extra=f", default_joint_positions: {{{BENT}}}"
    )
    + posed("body: {base_frame: 'b::l2', translation: [1, 0, 0]}", "c", "box.sdf")
    + posed(f"l0: {{base_frame: 'c::body', {HIGH}}}"),
    "from a free body that is placed later": model("c", "box.sdf")
    + posed(f"l0: {{base_frame: 'c::body', {HIGH}}}")
    + posed(f"body: {{{HIGH}}}", "d", "box.sdf"),
    "of a link that another one carries, from a frame": ON_WORLD
    + posed(f"l1: {{base_frame: f, {HIGH}}}"),
    "of a frame of the model": posed(
        f"__model__: {{{HIGH}}}", file="sled.sdf", positions="j1: [0.4]"
    ),
    "of a frame of a link that another one carries": posed(
        f"tip: {{{HIGH}}}", file="sled.sdf", positions="j1: [0.4]"
    ),
    "of a body that carries another": posed(f"l0: {{{HIGH}}}")
    + model("b", "box.sdf")
    + weld("a::l0", "b::body"),
    "of a free MJCF body that is welded": model("b", "free.xml") + weld("world", "b::l0"),
}
UNUSED = {
    "of a link that another one carries": posed(f"l1: {{{HIGH}}}", positions=BENT),
    "of a link that another one carries, from the world": posed(
        f"l1: {{base_frame: world, {HIGH}}}"
    ),
    "of a body that is then welded": posed(f"l0: {{{HIGH}}}") + weld("world", "a::l0"),
    "of a body that is then welded to a free one": posed(f"l0: {{{HIGH}}}")
    + model("b", "box.sdf")
    + weld("b::body", "a::l0"),
    "of two links of one tree": posed(f"l0: {{{HIGH}}}, l1: {{}}"),
    "of a base and its model frame": posed(f"l0: {{}}, __model__: {{{HIGH}}}", file="sled.sdf"),
}
REFUSED = {
    "from a frame, of a body that is then welded": model("b", "box.sdf")
    + posed(f"l0: {{base_frame: 'b::body', {HIGH}}}")
    + weld("world", "a::l0"),
    "from a frame that it carries": posed("l0: {base_frame: 'a::l1'}"),
    "of two links of one tree from frames": model("b", "box.sdf")
    + posed("l0: {base_frame: 'b::body'}, l1: {base_frame: 'b::body'}"),
}
FREE = (
    "<mujoco><worldbody><body name='l0' pos='1 2 3'><freejoint/><inertial pos='0 0 0' mass='1' "
    "diaginertia='.1 .1 .1'/>"
    "</body></worldbody></mujoco>"
)


@pytest.fixture
def models(folder):
    write(folder, SLED, "sled.sdf")
    write(folder, FREE, "free.xml")
    return folder


def check_initial_poses(scene, oracle):
    """Compare the pose of every link in the initial state with that in Drake's default context."""
    mechanism = bridge.lower(scene)
    poses = mechanism.link_poses(initial_positions(mechanism))
    for index in range(1, oracle.plant.num_bodies()):
        body = oracle.plant.get_body(type(oracle.plant.world_body().index())(index))
        assert (
            pose_error(
                poses[oracle.name(body)], body.EvalPoseInWorld(oracle.context).GetAsMatrix4()
            )
            < 1e-9
        )


@pytest.mark.parametrize("body", USED.values(), ids=USED)
def test_free_bodies_start_where_drake_puts_them(models, body):
    text = "directives:\n" + body
    scene = load(models, text, quiet=True)
    check_initial_poses(scene, drake(models, text))
    assert not [entry for entry in scene.diagnostics if entry.code == "directives.unused-pose"]


@pytest.mark.parametrize("body", UNUSED.values(), ids=UNUSED)
def test_poses_that_drake_does_not_use_are_reported(models, body):
    text = "directives:\n" + body
    scene = load(models, text, quiet=True)
    check_initial_poses(scene, drake(models, text))
    (finding,) = scene.diagnostics
    assert (finding.code, finding.fate, finding.where.line) == (
        "directives.unused-pose",
        Fate.DROPPED,
        2,
    )


@pytest.mark.parametrize("body", REFUSED.values(), ids=REFUSED)
def test_poses_that_would_close_a_loop_are_refused_as_in_drake(models, body):
    text = "directives:\n" + body
    with pytest.raises(RuntimeError):
        drake(models, text)
    assert "directives.unused-pose" in errors(models, text)


def test_poses_of_bodies_that_are_measured_from_each_other_are_refused(models):
    write(models, SLED.replace("</joint>", "</joint><link name='l2'/>", 1), "two.sdf")
    poses = "l0: {base_frame: 'a::l2'}, l2: {base_frame: 'a::l0'}"
    text = "directives:\n" + posed(poses, file="two.sdf")
    with pytest.raises(RuntimeError):
        drake(models, text)
    assert "directives.unused-pose" in errors(models, text)


# Initial joint positions in directives.


def test_joints_start_at_the_given_positions(folder):
    positions = ", default_joint_positions: {j1: [0.25], j2: [0.1, 0.2, 0.3]}"
    text = "directives:\n" + model("a", extra=positions)
    joints, plant = by_name(load(folder, text).joints), drake(folder, text).plant
    assert (
        joints["a::j1"].default_position
        == (0.25,)
        == tuple(plant.GetJointByName("j1").default_positions())
    )
    w, x, y, z = joints["a::j2"].default_position
    roll, pitch, yaw = plant.GetJointByName("j2").default_positions()
    expected = loaders.Pose.from_xyz_rpy((0, 0, 0), (roll, pitch, yaw))
    assert loaders.Pose.from_vector((0, 0, 0, w, x, y, z)).is_close(expected)
