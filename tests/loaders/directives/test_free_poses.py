"""Initial poses of free bodies in directives, compared with Drake's default context."""

from __future__ import annotations

import pytest

import bridge
from bridge.mechanism.coordinates import initial_positions
from loaders.diagnostics import Fate
from tests.support.directives_files import MASS, drake, errors, load, model, write
from tests.support.drake_oracle import pose_error

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
