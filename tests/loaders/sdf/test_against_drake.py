"""Poses and attachments of the frame graphs, compared with Drake and with 4x4 matrices."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from loaders import WORLD, LoadError, Pose
from loaders.model import by_name
from tests.support.drake_oracle import DrakePlant
from tests.support.sdf import (
    X_MBOOM,
    X_WF,
    X_WL,
    Q,
    assert_pose,
    chain,
    compose,
    inverse,
    joint_of,
    read_sdf,
    transform,
)


def turned(yaw: float, p: tuple[float, float, float]) -> Pose:
    return Pose.from_xyz_rpy(p, (0.0, 0.0, yaw))


NESTED = """
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
def drake_plant() -> tuple[Any, Any]:
    """A MultibodyPlant of the model, and its default context."""
    parsing = pytest.importorskip("pydrake.multibody.parsing")
    plant = pytest.importorskip("pydrake.multibody.plant").MultibodyPlant(0.0)
    parsing.Parser(plant).AddModelsFromString(f"<sdf version='1.10'>{NESTED}</sdf>", "sdf")
    plant.Finalize()
    return plant, plant.CreateDefaultContext()


@pytest.mark.parametrize("name", ["base", "tool", "sub::palm", "sub::finger"])
def test_links_among_nested_frames_have_the_poses_of_drake(
    drake_plant: tuple[Any, Any], name: str
) -> None:
    plant, context = drake_plant
    scope, _, link = f"top::{name}".rpartition("::")
    body = plant.GetBodyByName(link, plant.GetModelInstanceByName(scope))
    X_WB = plant.EvalBodyPoseInWorld(context, plant.GetBodyByName("base"))
    X_BL = plant.EvalBodyPoseInWorld(context, body)
    ours = X_WL(read_sdf(NESTED), "base").inverse() @ X_WL(read_sdf(NESTED), name)
    theirs = (X_WB.inverse() @ X_BL).GetAsMatrix4()
    assert np.allclose(ours.R, theirs[:3, :3], atol=1e-12)
    assert np.allclose(ours.p, theirs[:3, 3], atol=1e-12)


def test_a_part_that_is_turned_against_the_frame_of_its_pose_has_the_pose_of_drake(
    tmp_path: Path,
) -> None:
    """Every pose has a rotation, so that their order matters."""
    pytest.importorskip("pydrake")
    collision = """<collision name='c'><pose relative_to='peg'>0.1 0.2 0.3 0.4 0.5 0.6</pose>
      <geometry><box><size>1 2 3</size></box></geometry></collision>"""
    text = f"""<model name='m'><link name='a'><pose>0 1 0 0.3 -0.2 0.9</pose>{collision}</link>
      <frame name='peg'><pose>1 0 2 0.7 0.1 -0.4</pose></frame></model>"""
    path = tmp_path / "m.sdf"
    path.write_text(f"<sdf version='1.10'>{text}</sdf>")
    inspector = DrakePlant(path).scene_graph.model_inspector()
    X_LG = inspector.GetPoseInFrame(inspector.GetAllGeometryIds()[0])
    ours = read_sdf(text).links[0].collisions[0].X_LG
    np.testing.assert_allclose(ours.R, X_LG.rotation().matrix(), atol=1e-14)
    np.testing.assert_allclose(ours.p, X_LG.translation(), atol=1e-14)


# --- pose relative-to graph -----------------------------------------------------------------------


def test_the_outermost_pose_places_the_placement_frame() -> None:
    scene = read_sdf(NESTED)
    finger = X_WL(scene, "sub::finger")
    grip = finger @ turned(1.1, (0.0, 0.2, 0.0))
    assert grip.is_close(Pose.from_xyz_rpy((1, 2, 3), (0.1, 0.2, 0.3)), 1e-12)


def test_nested_placement_frames_are_resolved_from_the_inside() -> None:
    scene = read_sdf(
        f"""<model name='outer' placement_frame='inner::tip'><pose>5 0 0 0 0 0</pose>
        <link name='hub'><pose>0 1 0 0 0 0</pose></link>
        <model name='inner' placement_frame='tip'><pose relative_to='hub'>0 0 2 {Q} 0 0</pose>
          <link name='rod'/><frame name='tip'><pose>0 0 3 0 0 0</pose></frame></model></model>"""
    )
    X_Mtip = chain(transform(0, 1, 0), transform(0, 0, 2, roll=Q))
    assert_pose(X_WF(scene, "inner::tip"), transform(5, 0, 0))
    assert_pose(X_WL(scene, "hub"), transform(5, 0, 0), inverse(X_Mtip), transform(0, 1, 0))
    assert_pose(X_WL(scene, "inner::rod"), transform(5, 0, 0), inverse(transform(0, 0, 3)))


def test_a_frame_can_be_posed_relative_to_one_frame_and_attached_to_another() -> None:
    scene = read_sdf(NESTED)
    hook = by_name(scene.frames)["hook"]
    assert hook.link == "base"
    grip = by_name(scene.frames)["sub::grip"]
    X_WG = X_WL(scene, grip.link) @ grip.X_LF
    assert (X_WL(scene, "base") @ hook.X_LF).is_close(X_WG @ turned(0, (0, 0, 0.2)), 1e-12)


def test_relative_to_does_not_change_the_attachment_of_a_frame() -> None:
    scene = read_sdf(
        f"""<world name='w'><model name='cart'><pose>2 0 0 0 0 {Q}</pose>
          <link name='bed'><pose>0 0 1 0 0 0</pose></link>
          <model name='arm'><pose>0 4 0 0 0 {Q}</pose><link name='hand'><pose>1 0 0 0 0 0</pose></link>
            <frame name='nail' attached_to='hand'><pose>0 0 0.5 0 0 0</pose></frame></model>
          <frame name='on' attached_to='arm::nail'><pose>0 1 0 0 0 0</pose></frame>
          <frame name='off' attached_to='on'><pose relative_to='bed'>0 0 7 0 0 0</pose></frame>
          <frame name='whole' attached_to='arm'/>
          <frame name='plain'><pose>0 0 3 0 0 0</pose></frame></model>
        <frame name='sky' attached_to='cart::arm::nail'><pose>0 0 0 0 0 0</pose></frame>
        <frame name='ground'><pose>1 2 3 0 0 0</pose></frame></world>"""
    )
    X_WM = transform(2, 0, 0, yaw=Q)
    X_Warm = X_WM @ transform(0, 4, 0, yaw=Q)
    X_Wnail = X_Warm @ transform(1, 0, 0.5)
    frames = by_name(scene.frames)
    assert (
        frames["cart::on"].link
        == frames["cart::off"].link
        == frames["cart::whole"].link
        == "cart::arm::hand"
    )
    assert frames["cart::plain"].link == "cart::bed"
    assert frames["sky"].link == "cart::arm::hand"
    assert frames["ground"].link == WORLD
    assert_pose(X_WF(scene, "cart::on"), X_Wnail, transform(0, 1, 0))
    assert_pose(X_WF(scene, "cart::off"), X_WM, transform(0, 0, 8))
    assert_pose(X_WF(scene, "cart::whole"), X_Warm)
    assert_pose(X_WF(scene, "cart::plain"), X_WM, transform(0, 0, 3))
    assert_pose(X_WF(scene, "sky"), X_Wnail)
    assert_pose(X_WF(scene, "ground"), transform(1, 2, 3))


def test_a_cycle_is_reported_once_with_its_vertices_only() -> None:
    links = "".join(
        f"<link name='l{i}'><pose relative_to='l{(i + 1) % 3}'/></link>" for i in range(3)
    )
    tail = (
        "<link name='t'><pose relative_to='l0'/></link><link name='u'><pose "
        "relative_to='t'/></link>"
    )
    with pytest.raises(LoadError) as caught:
        read_sdf(f"<model name='m'>{tail}{links}</model>")
    assert [entry.code for entry in caught.value.diagnostics] == ["sdf.pose-cycle"]
    assert caught.value.diagnostics[0].subjects == ("l0", "l1", "l2")


def test_a_long_chain_of_poses_is_solved_without_recursion() -> None:
    links = "".join(
        f"<link name='l{i}'><pose relative_to='l{i - 1}'>0 0 1 0 0 0</pose></link>"
        for i in range(1, 5000)
    )
    scene = read_sdf(f"<model name='m'><link name='l0'/>{links}</model>")
    assert X_WL(scene, "l4999").p.tolist() == [0, 0, 4999]


# --- frame attached-to graph ----------------------------------------------------------------------


def test_the_canonical_link_is_declared_or_the_first_or_nested() -> None:
    def canonical(body: str) -> str | None:
        return read_sdf(body).models[0].canonical_link

    assert canonical("<model name='m'><link name='a'/><link name='b'/></model>") == "a"
    assert (
        canonical("<model name='m' canonical_link='b'><link name='a'/><link name='b'/></model>")
        == "b"
    )
    nested = (
        "<model name='m'><model name='n'><model name='o'><link "
        "name='deep'/></model></model></model>"
    )
    assert canonical(nested) == "n::o::deep"


def test_frames_of_a_model_are_attached_to_its_canonical_link() -> None:
    nested = (
        "<model name='n'><model name='deep'><link name='down'/></model></model><model "
        "name='o'><link name='x'/></model>"
    )
    named = read_sdf(
        """<model name='m' canonical_link='n::l'><link name='first'/><frame name='f'><pose>0 0 1 0 0 0</pose></frame>
        <model name='n'><pose>0 0 4 0 0 0</pose><link name='l'/></model></model>"""
    )
    assert by_name(named.frames)["f"].link == "n::l"
    assert_pose(X_WF(named, "f"), transform(0, 0, 1))
    below = read_sdf(f"<model name='m'>{nested}<frame name='f'/></model>")
    assert (
        by_name(below.frames)["f"].link
        == by_name(below.models)["m"].canonical_link
        == "n::deep::down"
    )
    after = read_sdf(f"<model name='m'>{nested}<link name='own'/><frame name='f'/></model>")
    assert by_name(after.frames)["f"].link == "own"


def test_models_in_a_static_model_are_static() -> None:
    scene = read_sdf(
        "<world name='w'><model name='s'><static>true</static><pose>0 0 1 0 0 0</pose><link "
        "name='l'/>"
        "<model name='t'><link name='l'/></model></model><model name='e'><static>1</static></model>"
        "<frame name='f' attached_to='s'/><frame name='g' attached_to='e'/></world>"
    )
    assert {model.name: model.static for model in scene.models} == {
        "s": True,
        "s::t": True,
        "e": True,
    }
    assert {frame.name: frame.link for frame in scene.frames} == {"f": "s::l", "g": "world"}


def test_frames_attached_to_a_static_model_are_fixed_to_the_world(library: Path) -> None:
    scene = compose(
        library,
        """<world name='w'><model name='rock'><static>true</static><pose>0 0 1 0 0 0</pose></model>
        <frame name='moss' attached_to='rock'/>
        <model name='hut'><link name='wall'/><include><uri>model://idol</uri><pose>0 3 0 0 0 0</pose></include>
          <frame name='smoke' attached_to='idol::crown'/>
          <joint name='rope' type='fixed'><parent>idol</parent><child>wall</child></joint></model>
        <include><uri>model://crane</uri><static>true</static></include></world>""",
    )
    frames = by_name(scene.frames)
    fixed = {
        WORLD,
        *(link.name for link in scene.links if by_name(scene.models)[link.model].static),
    }
    assert frames["moss"].link == WORLD
    assert frames["hut::smoke"].link in fixed
    assert_pose(X_WF(scene, "moss"), transform(0, 0, 1))
    assert_pose(X_WF(scene, "hut::smoke"), transform(0, 3, 1.5))
    assert joint_of(scene, "hut::rope").parent in fixed
    assert {model.name: model.static for model in scene.models} == {
        "rock": True,
        "hut": False,
        "hut::idol": True,
        "crane": True,
    }
    assert_pose(X_WL(scene, "crane::boom"), transform(4, 5, 6), X_MBOOM)
