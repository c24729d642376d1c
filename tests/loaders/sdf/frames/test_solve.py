"""Poses, scopes and the two graphs of SDFormat, against Drake and closed forms."""

from __future__ import annotations

import math

import numpy as np
import pytest

import loaders
from loaders import LoadError, Pose, Scene
from loaders.model import by_name

pydrake_parsing = pytest.importorskip("pydrake.multibody.parsing")
pydrake_plant = pytest.importorskip("pydrake.multibody.plant")


def read(body: str, version: str = "1.10") -> Scene:
    return loaders.load_string(f"<sdf version='{version}'>{body}</sdf>", format="sdf")


def X_WL(scene: Scene, name: str) -> Pose:
    return by_name(scene.links)[name].X_WL


def turned(yaw: float, p: tuple[float, float, float]) -> Pose:
    return Pose.from_xyz_rpy(p, (0.0, 0.0, yaw))


TANGLED = """
<model name='top' placement_frame='sub::grip'>
  <pose>1 2 3 0.1 0.2 0.3</pose>
  <link name='base'><pose>0 0 1 0 0 0.5</pose></link>
  <frame name='mount' attached_to='base'><pose>0.1 0 0 0 0.4 0</pose></frame>
  <frame name='hook' attached_to='mount'><pose relative_to='sub::grip'>0 0 0.2 0 0 0</pose></frame>
  <model name='sub' placement_frame='grip'>
    <pose relative_to='mount'>0 1 0 0.3 0 0</pose>
    <link name='palm'><pose>0 0 2 0 0 0</pose></link>
    <link name='finger'><pose relative_to='bend'>0.5 0 0 0 0 0.7</pose></link>
    <joint name='bend' type='revolute'>
      <pose degrees='true' relative_to='palm'>0 0 0.3 90 0 45</pose>
      <parent>palm</parent><child>finger</child><axis><xyz expressed_in='__model__'>1 2 3</xyz></axis>
    </joint>
    <frame name='grip' attached_to='finger'><pose>0 0.2 0 0 0 1.1</pose></frame>
  </model>
  <link name='tool'><pose relative_to='hook' rotation_format='quat_xyzw'>0 0 1 0 0 0.6 0.8</pose></link>
  <joint name='hold' type='fixed'><parent>sub::grip</parent><child>tool</child></joint>
  <joint name='base_sub' type='prismatic'><parent>mount</parent><child>sub</child><axis><xyz>0 1 1</xyz></axis></joint>
</model>"""


@pytest.fixture(scope="module")
def drakes():
    plant = pydrake_plant.MultibodyPlant(0.0)
    parser = pydrake_parsing.Parser(plant)
    parser.AddModelsFromString(f"<sdf version='1.10'>{TANGLED}</sdf>", "sdf")
    plant.Finalize()
    return plant, plant.CreateDefaultContext()


@pytest.mark.parametrize("name", ["base", "tool", "sub::palm", "sub::finger"])
def test_a_tangle_of_frames_poses_links_as_drake_does(drakes, name: str) -> None:
    plant, context = drakes
    scope, _, link = f"top::{name}".rpartition("::")
    body = plant.GetBodyByName(link, plant.GetModelInstanceByName(scope))
    X_WB = plant.EvalBodyPoseInWorld(context, plant.GetBodyByName("base"))
    X_BL = plant.EvalBodyPoseInWorld(context, body)
    ours = X_WL(read(TANGLED), "base").inverse() @ X_WL(read(TANGLED), name)
    theirs = (X_WB.inverse() @ X_BL).GetAsMatrix4()
    assert np.allclose(ours.R, theirs[:3, :3], atol=1e-12)
    assert np.allclose(ours.p, theirs[:3, 3], atol=1e-12)


def test_the_outermost_pose_places_the_placement_frame() -> None:
    scene = read(TANGLED)
    finger = X_WL(scene, "sub::finger")
    grip = finger @ turned(1.1, (0.0, 0.2, 0.0))
    assert grip.is_close(Pose.from_xyz_rpy((1, 2, 3), (0.1, 0.2, 0.3)), 1e-12)


def test_a_frame_is_posed_from_one_thing_and_fixed_to_another() -> None:
    scene = read(TANGLED)
    hook = by_name(scene.frames)["hook"]
    assert hook.link == "base"
    grip = by_name(scene.frames)["sub::grip"]
    X_WG = X_WL(scene, grip.link) @ grip.X_LF
    assert (X_WL(scene, "base") @ hook.X_LF).is_close(X_WG @ turned(0, (0, 0, 0.2)), 1e-12)


def test_every_pose_format_says_the_same() -> None:
    angle = math.radians(30.0)
    scene = read(
        "<model name='m'>"
        f"<link name='rpy'><pose>1 2 3 0 0 {angle!r}</pose></link>"
        "<link name='deg'><pose degrees='true'>1 2 3 0 0 30</pose></link>"
        "<link name='quat'><pose rotation_format='quat_xyzw'>1 2 3 "
        f"0 0 {math.sin(angle / 2)!r} {math.cos(angle / 2)!r}</pose></link>"
        f"<link name='long'><pose rotation_format='quat_xyzw'>1 2 3 0 0 {3 * math.sin(angle / 2)!r}"
        f" {3 * math.cos(angle / 2)!r}</pose></link>"
        "<link name='explicit'><pose degrees='true'>\n1\t2 3\n 0 0 30 </pose></link></model>"
    )
    for link in scene.links:
        assert link.X_WL.is_close(turned(angle, (1, 2, 3)), 1e-15), link.name


def test_references_go_down_and_not_up() -> None:
    up = "<model name='m'><link name='a'/><model name='n'><link name='x'><pose relative_to='a'/></link></model></model>"
    with pytest.raises(LoadError, match=r"sdf\.pose-relative-to"):
        read(up)


def test_the_world_is_a_frame_of_worlds_only() -> None:
    world = "<world name='w'><frame name='f' attached_to='world'><pose>0 0 1 0 0 0</pose></frame></world>"
    assert read(world).frames[0].link == "world"
    with pytest.raises(LoadError, match="only the parent of a joint can be the world"):
        read("<model name='m'><link name='a'/><frame name='f' attached_to='world'/></model>")


def test_world_frames_and_joints_reach_into_models() -> None:
    scene = read(
        "<world name='w'><model name='m'><pose>1 0 0 0 0 0</pose><link name='l'><pose>0 0 2 0 0 0</pose></link></model>"
        "<frame name='f' attached_to='m::l'><pose>0 1 0 0 0 0</pose></frame>"
        "<joint name='j' type='fixed'><parent>world</parent><child>m</child></joint></world>"
    )
    assert [(frame.name, frame.link, frame.X_LF.p.tolist()) for frame in scene.frames] == [("f", "m::l", [0, 1, 0])]
    joint = scene.joints[0]
    assert (joint.parent, joint.child) == ("world", "m::l")
    assert joint.X_PJ.p.tolist() == [1, 0, 0]


def test_the_canonical_link_is_stated_or_first_or_nested() -> None:
    def canonical(body: str) -> str | None:
        return read(body).models[0].canonical_link

    assert canonical("<model name='m'><link name='a'/><link name='b'/></model>") == "a"
    assert canonical("<model name='m' canonical_link='b'><link name='a'/><link name='b'/></model>") == "b"
    nested = "<model name='m'><model name='n'><model name='o'><link name='deep'/></model></model></model>"
    assert canonical(nested) == "n::o::deep"


def test_names_leave_out_a_root_model_and_keep_it_in_a_world() -> None:
    inner = "<model name='m'><link name='l'/><model name='m'><link name='l'/></model></model>"
    alone, within = read(inner), read(f"<world name='w'>{inner}</world>")
    assert [link.name for link in alone.links] == ["l", "m::l"]
    assert [model.name for model in alone.models] == ["m", "m::m"]
    assert [link.model for link in alone.links] == ["m", "m::m"]
    assert [link.name for link in within.links] == ["m::l", "m::m::l"]
    assert [model.name for model in within.models] == ["m", "m::m"]


def test_names_with_separators_of_old_files_are_found_whole() -> None:
    scene = read(
        "<model name='P'><frame name='C::__model__' attached_to='C::L'><pose relative_to='__model__'>1 0 0 0 0 0</pose>"
        "</frame><link name='C::L'><pose relative_to='C::__model__'>0 1 0 0 0 0</pose></link></model>",
        version="1.7",
    )
    assert X_WL(scene, "C::L").p.tolist() == [1, 1, 0]


def test_a_static_model_holds_what_is_attached_to_it_and_what_it_contains() -> None:
    scene = read(
        "<world name='w'><model name='s'><static>true</static><pose>0 0 1 0 0 0</pose><link name='l'/>"
        "<model name='t'><link name='l'/></model></model><model name='e'><static>1</static></model>"
        "<frame name='f' attached_to='s'/><frame name='g' attached_to='e'/></world>"
    )
    assert {model.name: model.static for model in scene.models} == {"s": True, "s::t": True, "e": True}
    assert {frame.name: frame.link for frame in scene.frames} == {"f": "s::l", "g": "world"}


def test_only_what_is_on_a_cycle_is_blamed_and_only_once() -> None:
    links = "".join(f"<link name='l{i}'><pose relative_to='l{(i + 1) % 3}'/></link>" for i in range(3))
    tail = "<link name='t'><pose relative_to='l0'/></link><link name='u'><pose relative_to='t'/></link>"
    with pytest.raises(LoadError) as caught:
        read(f"<model name='m'>{tail}{links}</model>")
    assert [entry.code for entry in caught.value.diagnostics] == ["sdf.pose-cycle"]
    assert caught.value.diagnostics[0].subjects == ("l0", "l1", "l2")


def test_a_long_chain_needs_no_recursion() -> None:
    links = "".join(f"<link name='l{i}'><pose relative_to='l{i - 1}'>0 0 1 0 0 0</pose></link>" for i in range(1, 5000))
    scene = read(f"<model name='m'><link name='l0'/>{links}</model>")
    assert X_WL(scene, "l4999").p.tolist() == [0, 0, 4999]
