"""Where readers of SDFormat go wrong: poses and axes worked out by hand, with 4x4 matrices of our own."""

from __future__ import annotations

import math
from functools import reduce
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

import loaders
from loaders import WORLD, LoadError, Pose, Scene
from loaders.model import Joint, by_name

Q = math.pi / 2
Matrix = NDArray[np.float64]


def place(x: float, y: float, z: float, roll: float = 0.0, pitch: float = 0.0, yaw: float = 0.0) -> Matrix:
    """``X_AB`` as a 4x4 matrix, of a pose as SDFormat writes it."""
    (sr, cr), (sp, cp), (sy, cy) = ((math.sin(a), math.cos(a)) for a in (roll, pitch, yaw))
    about_x = np.array(((1, 0, 0), (0, cr, -sr), (0, sr, cr)))
    about_y = np.array(((cp, 0, sp), (0, 1, 0), (-sp, 0, cp)))
    about_z = np.array(((cy, -sy, 0), (sy, cy, 0), (0, 0, 1)))
    X = np.eye(4)
    X[:3, :3], X[:3, 3] = about_z @ about_y @ about_x, (x, y, z)
    return X


def chain(*poses: Matrix) -> Matrix:
    return reduce(np.matmul, poses)


def undone(X: Matrix) -> Matrix:
    return np.linalg.inv(X)


def assert_at(pose: Pose, *expected: Matrix) -> None:
    X = np.eye(4)
    X[:3, :3], X[:3, 3] = pose.R, pose.p
    np.testing.assert_allclose(X, chain(*expected), atol=1e-12)


def read(body: str, version: str = "1.10") -> Scene:
    return loaders.load_string(f"<sdf version='{version}'>{body}</sdf>", format="sdf")


def refused(body: str, version: str = "1.10") -> set[str]:
    with pytest.raises(LoadError) as caught:
        read(body, version)
    return {entry.code for entry in caught.value.diagnostics if entry.severity == "error"}


def X_WL(scene: Scene, name: str) -> Pose:
    return by_name(scene.links)[name].X_WL


def X_WF(scene: Scene, name: str) -> Pose:
    frame = by_name(scene.frames)[name]
    return frame.X_LF if frame.link == WORLD else X_WL(scene, frame.link) @ frame.X_LF


def joint(scene: Scene, name: str) -> Joint:
    return by_name(scene.joints)[name]


def X_WJ(scene: Scene, name: str) -> Pose:
    return X_WL(scene, joint(scene, name).child) @ joint(scene, name).X_CJ


def axis_in_world(scene: Scene, name: str, index: int = 0) -> NDArray[np.float64]:
    return X_WJ(scene, name).R @ joint(scene, name).axes[index].xyz


# --- a library of models that others include -------------------------------------------------------------------------

CRANE = f"""<sdf version='1.8'><model name='crane'>
  <pose>4 5 6 0 0 0</pose>
  <link name='mast'><pose>0 0 2 0 0 0</pose></link>
  <link name='boom'><pose>0 3 2 0 0 {Q}</pose></link>
  <frame name='hook' attached_to='boom'><pose>0.25 0 -1 0 0 0</pose></frame>
  <frame name='lamp'><pose>0 0 9 0 0 0</pose></frame>
  <joint name='slew' type='revolute'><parent>mast</parent><child>boom</child>
    <axis><xyz expressed_in='__model__'>0 1 0</xyz></axis></joint>
  <joint name='weld' type='fixed'><parent>__model__</parent><child>ballast</child></joint>
  <link name='ballast'><pose relative_to='hook'>0 -2 0 0 0 0</pose></link>
</model></sdf>"""
X_MBOOM = place(0, 3, 2, yaw=Q)
X_MHOOK = X_MBOOM @ place(0.25, 0, -1)
HINGED = f"""<sdf version='1.4'><model name='gate'>
  <link name='post'/>
  <link name='leaf'><pose>0 1 0 0 0 {Q}</pose></link>
  <joint name='hinge' type='revolute'><pose>0 0 0.5 0 {Q} 0</pose>
    <parent>post</parent><child>leaf</child><axis><xyz>1 0 0</xyz></axis></joint>
</model></sdf>"""
IDOL = """<sdf version='1.8'><model name='idol'><static>true</static>
  <link name='stone'/><frame name='crown'><pose>0 0 1.5 0 0 0</pose></frame></model></sdf>"""
PAIR = """<sdf version='1.10'><model name='pair'>
  <frame name='between'><pose>0 0.5 0 0 0 0</pose></frame>
  <model name='left'><link name='l'/></model><model name='right'><pose>0 1 0 0 0 0</pose><link name='r'/></model>
  <joint name='bond' type='fixed'><parent>left</parent><child>right</child></joint></model></sdf>"""


@pytest.fixture
def library(tmp_path: Path) -> Path:
    for name, text in {"crane": CRANE, "gate": HINGED, "idol": IDOL, "pair": PAIR}.items():
        folder = tmp_path / "library" / name
        folder.mkdir(parents=True)
        (folder / "model.sdf").write_text(text)
        manifest = f"<model><name>{name}</name><sdf version='1.8'>model.sdf</sdf></model>"
        (folder / "model.config").write_text(manifest)
    return tmp_path / "library"


def compose(library: Path, body: str, version: str = "1.10") -> Scene:
    return loaders.load_string(f"<sdf version='{version}'>{body}</sdf>", format="sdf", paths=[library])


# --- placing ---------------------------------------------------------------------------------------------------------


def test_the_pose_of_an_include_places_the_placement_frame_and_replaces_the_models_own_pose(library: Path) -> None:
    scene = compose(
        library,
        f"""<world name='w'><frame name='quay'><pose>0 20 0 0 0 {-Q}</pose></frame>
        <include><uri>model://crane</uri><name>placed</name><placement_frame>hook</placement_frame>
          <pose relative_to='quay'>1 0 3 0 0 0</pose></include>
        <include><uri>model://crane</uri><name>own</name></include>
        <include><uri>model://crane</uri><name>zero</name><pose/></include></world>""",
    )
    models = by_name(scene.models)
    assert_at(models["placed"].X_WM, place(0, 20, 0, yaw=-Q), place(1, 0, 3), undone(X_MHOOK))
    assert_at(models["own"].X_WM, place(4, 5, 6))
    assert_at(models["zero"].X_WM, np.eye(4))
    assert_at(X_WF(scene, "placed::hook"), place(0, 20, 0, yaw=-Q), place(1, 0, 3))


def test_placement_frames_within_placement_frames_resolve_from_the_inside() -> None:
    scene = read(
        f"""<model name='outer' placement_frame='inner::tip'><pose>5 0 0 0 0 0</pose>
        <link name='hub'><pose>0 1 0 0 0 0</pose></link>
        <model name='inner' placement_frame='tip'><pose relative_to='hub'>0 0 2 {Q} 0 0</pose>
          <link name='rod'/><frame name='tip'><pose>0 0 3 0 0 0</pose></frame></model></model>"""
    )
    X_Mtip = chain(place(0, 1, 0), place(0, 0, 2, roll=Q))
    assert_at(X_WF(scene, "inner::tip"), place(5, 0, 0))
    assert_at(X_WL(scene, "hub"), place(5, 0, 0), undone(X_Mtip), place(0, 1, 0))
    assert_at(X_WL(scene, "inner::rod"), place(5, 0, 0), undone(place(0, 0, 3)))


# --- frames ----------------------------------------------------------------------------------------------------------


def test_relative_to_moves_a_frame_and_never_changes_what_it_is_attached_to() -> None:
    scene = read(
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
    X_WM = place(2, 0, 0, yaw=Q)
    X_Warm = X_WM @ place(0, 4, 0, yaw=Q)
    X_Wnail = X_Warm @ place(1, 0, 0.5)
    frames = by_name(scene.frames)
    assert frames["cart::on"].link == frames["cart::off"].link == frames["cart::whole"].link == "cart::arm::hand"
    assert frames["cart::plain"].link == "cart::bed"
    assert frames["sky"].link == "cart::arm::hand"
    assert frames["ground"].link == WORLD
    assert_at(X_WF(scene, "cart::on"), X_Wnail, place(0, 1, 0))
    assert_at(X_WF(scene, "cart::off"), X_WM, place(0, 0, 8))
    assert_at(X_WF(scene, "cart::whole"), X_Warm)
    assert_at(X_WF(scene, "cart::plain"), X_WM, place(0, 0, 3))
    assert_at(X_WF(scene, "sky"), X_Wnail)
    assert_at(X_WF(scene, "ground"), place(1, 2, 3))


def test_a_joint_stands_in_its_child_frame_as_written_and_is_a_frame_itself() -> None:
    scene = read(
        f"""<model name='m'><link name='base'><pose>0 2 0 0 0 0</pose></link>
        <link name='arm'><pose>1 0 0 0 0 {Q}</pose></link>
        <frame name='socket' attached_to='base'><pose>0 0 1 0 0 0</pose></frame>
        <frame name='plug' attached_to='arm'><pose>0 3 0 0 {Q} 0</pose></frame>
        <joint name='turn' type='revolute'><pose>0.5 0 0 0 0 0</pose><parent>socket</parent><child>plug</child>
          <axis><xyz>0 3 4</xyz></axis></joint>
        <joint name='slide' type='prismatic'><pose relative_to='socket'/><parent>turn</parent><child>tool</child>
          <axis><xyz expressed_in='plug'>0 0 5</xyz></axis></joint>
        <link name='tool'><pose relative_to='turn'>0 0 2 0 0 0</pose></link></model>"""
    )
    X_Wplug = chain(place(1, 0, 0, yaw=Q), place(0, 3, 0, pitch=Q))
    assert (joint(scene, "turn").parent, joint(scene, "turn").child) == ("base", "arm")
    assert (joint(scene, "slide").parent, joint(scene, "slide").child) == ("arm", "tool")
    assert_at(X_WJ(scene, "turn"), X_Wplug, place(0.5, 0, 0))
    assert_at(X_WL(scene, "tool"), X_Wplug, place(0.5, 0, 2))
    assert_at(X_WJ(scene, "slide"), place(0, 2, 1))
    np.testing.assert_allclose(joint(scene, "turn").axes[0].xyz, (0, 0.6, 0.8), atol=1e-15)
    np.testing.assert_allclose(axis_in_world(scene, "slide"), X_Wplug[:3, 2], atol=1e-15)


# --- merging ---------------------------------------------------------------------------------------------------------


def test_merging_keeps_names_and_puts_a_frame_where_the_model_frame_was(library: Path) -> None:
    scene = compose(
        library,
        f"""<model name='ship'><link name='deck'><pose>0 0 5 0 0 0</pose></link>
        <include merge='true'><uri>model://crane</uri><name>aft</name>
          <pose relative_to='deck'>-3 0 0 0 0 {Q}</pose></include>
        <joint name='bolt' type='fixed'><parent>deck</parent><child>mast</child></joint></model>""",
    )
    X_WP = chain(place(0, 0, 5), place(-3, 0, 0, yaw=Q))
    assert set(by_name(scene.links)) == {"deck", "mast", "boom", "ballast"}
    assert [model.name for model in scene.models] == ["ship"]
    assert by_name(scene.frames)["_merged__aft__model__"].link == "mast"
    assert_at(X_WF(scene, "_merged__aft__model__"), X_WP)
    assert_at(X_WL(scene, "boom"), X_WP, X_MBOOM)
    assert_at(X_WL(scene, "ballast"), X_WP, X_MHOOK, place(0, -2, 0))
    assert_at(X_WF(scene, "lamp"), X_WP, place(0, 0, 9))
    assert by_name(scene.frames)["lamp"].link == "mast"
    assert (joint(scene, "weld").parent, joint(scene, "weld").child) == ("mast", "ballast")
    np.testing.assert_allclose(axis_in_world(scene, "slew"), X_WP[:3, 1], atol=1e-15)


def test_a_placement_frame_is_applied_before_merging(library: Path) -> None:
    scene = compose(
        library,
        """<model name='ship'><link name='deck'/>
        <include merge='true'><uri>model://crane</uri><placement_frame>hook</placement_frame><pose>0 0 8 0 0 0</pose>
        </include></model>""",
    )
    assert_at(X_WF(scene, "hook"), place(0, 0, 8))
    assert_at(X_WL(scene, "mast"), place(0, 0, 8), undone(X_MHOOK), place(0, 0, 2))
    assert_at(X_WF(scene, "_merged__crane__model__"), place(0, 0, 8), undone(X_MHOOK))


def test_a_model_without_links_of_its_own_merges_into_a_world(library: Path) -> None:
    scene = compose(
        library,
        f"<world name='w'><include merge='true'><uri>model://pair</uri><pose>2 0 0 0 0 {Q}</pose></include></world>",
    )
    assert set(by_name(scene.models)) == {"left", "right"}
    assert_at(X_WL(scene, "right::r"), place(2, 0, 0, yaw=Q), place(0, 1, 0))
    assert by_name(scene.frames)["between"].link == "left::l"
    assert_at(X_WF(scene, "between"), place(2, 0, 0, yaw=Q), place(0, 0.5, 0))
    assert (joint(scene, "bond").parent, joint(scene, "bond").child) == ("left::l", "right::r")


def test_a_model_with_links_does_not_merge_into_a_world(library: Path) -> None:
    with pytest.raises(LoadError, match="merge"):
        compose(library, "<world name='w'><include merge='true'><uri>model://crane</uri></include></world>")


# --- axes ------------------------------------------------------------------------------------------------------------


def test_axes_may_be_expressed_in_nested_frames_and_models() -> None:
    scene = read(
        f"""<model name='m'><link name='base'/>
        <model name='wrist'><pose>0 0 0 {Q} 0 0</pose><link name='palm'><pose>0 0 0 0 0 {Q}</pose></link>
          <frame name='skew'><pose>0 0 0 0 {Q} 0</pose></frame></model>
        <joint name='u' type='universal'><parent>base</parent><child>wrist::palm</child>
          <axis><xyz expressed_in='wrist::skew'>1 0 0</xyz></axis>
          <axis2><xyz expressed_in='wrist'>1 0 0</xyz></axis2></joint></model>"""
    )
    np.testing.assert_allclose(
        axis_in_world(scene, "u", 0), (place(0, 0, 0, Q) @ place(0, 0, 0, 0, Q))[:3, 0], atol=1e-15
    )
    np.testing.assert_allclose(axis_in_world(scene, "u", 1), (1, 0, 0), atol=1e-15)
    np.testing.assert_allclose(joint(scene, "u").axes[1].xyz, (0, -1, 0), atol=1e-15)


@pytest.mark.parametrize("word", ["true", "True", "TRUE", "1"])
def test_the_parent_model_frame_is_that_of_the_model_that_holds_the_joint_at_any_depth(word: str) -> None:
    def hinge(parent: str, child: str, extra: str) -> str:
        return f"""<joint name='{child}_hinge' type='revolute'><parent>{parent}</parent><child>{child}</child>
            <axis><xyz>1 0 0</xyz>{extra}</axis></joint>"""

    flag = f"<use_parent_model_frame>{word}</use_parent_model_frame>"
    scene = read(
        f"""<world name='w'><model name='m'><pose>0 0 0 0 0 {Q}</pose><link name='a'/>
        <link name='b'><pose>0 0 0 0 {Q} 0</pose></link><link name='c'><pose>0 0 0 0 {Q} 0</pose></link>
        {hinge("a", "b", flag)}{hinge("a", "c", "")}
        <model name='n'><pose>0 0 0 0 0 {Q}</pose><link name='d'/><link name='e'><pose>0 0 0 0 {Q} 0</pose></link>
        {hinge("d", "e", flag)}</model></model></world>""",
        version="1.5",
    )
    np.testing.assert_allclose(joint(scene, "m::b_hinge").axes[0].xyz, (0, 0, 1), atol=1e-15)
    np.testing.assert_allclose(joint(scene, "m::c_hinge").axes[0].xyz, (1, 0, 0), atol=1e-15)
    np.testing.assert_allclose(joint(scene, "m::n::e_hinge").axes[0].xyz, (0, 0, 1), atol=1e-15)


@pytest.mark.parametrize(
    ("version", "in_joint"),
    [("1.2", (0, 0, 1)), ("1.3", (0, 0, 1)), ("1.4", (0, 0, 1)), ("1.5", (0, 1, 0)), ("1.7", (0, 1, 0))],
)
def test_until_1_4_axes_are_in_the_model_frame_and_joints_always_on_their_child(
    version: str, in_joint: tuple[float, float, float]
) -> None:
    scene = read(
        f"""<model name='m'><pose>7 0 0 0 0 {Q}</pose><link name='a'/><link name='b'><pose>0 0 1 0 0 0</pose></link>
        <joint name='j' type='revolute'><pose>0 0 2 {-Q} 0 0</pose><parent>a</parent><child>b</child>
        <axis><xyz>0 1 0</xyz></axis></joint></model>""",
        version,
    )
    np.testing.assert_allclose(joint(scene, "j").axes[0].xyz, in_joint, atol=1e-15)
    assert_at(X_WJ(scene, "j"), place(7, 0, 0, yaw=Q), place(0, 0, 3, roll=-Q))


def test_the_old_axis_rule_does_not_reach_joints_of_nested_models() -> None:
    scene = read(
        f"""<model name='m'><link name='l'/><model name='n'><link name='a'/>
        <link name='b'><pose>0 0 0 {Q} 0 0</pose></link>
        <joint name='j' type='revolute'><parent>a</parent><child>b</child><axis><xyz>0 1 0</xyz></axis></joint></model>
        </model>""",
        "1.4",
    )
    np.testing.assert_allclose(joint(scene, "n::j").axes[0].xyz, (0, 1, 0), atol=1e-15)


def test_an_included_file_is_read_by_its_own_version_wherever_it_is_nested(library: Path) -> None:
    scene = compose(
        library,
        f"""<world name='w'><include><uri>model://gate</uri></include><model name='yard'><link name='lawn'/>
        <include><uri>model://gate</uri><name>back</name><pose>0 0 0 {Q} 0 0</pose></include></model></world>""",
        "1.9",
    )
    X_ML = place(0, 1, 0, yaw=Q)
    in_joint = (X_ML @ place(0, 0, 0.5, pitch=Q))[:3, :3].T @ (1, 0, 0)
    for name in ("gate::hinge", "yard::back::hinge"):
        np.testing.assert_allclose(joint(scene, name).axes[0].xyz, in_joint, atol=1e-15)
    assert_at(X_WL(scene, "yard::back::leaf"), place(0, 0, 0, roll=Q), X_ML)


# --- flattened names -------------------------------------------------------------------------------------------------

FLAT = f"""<model name='robot'><frame name='arm::__model__' attached_to='arm::upper'>
    <pose relative_to='__model__'>0 2 0 0 0 {Q}</pose></frame>
  <link name='arm::upper'><pose relative_to='arm::__model__'>1 0 0 0 0 0</pose></link>
  <link name='arm::lower'><pose relative_to='arm::upper'>0 0 -1 0 0 0</pose></link>
  <joint name='arm::elbow' type='revolute'><parent>arm::upper</parent><child>arm::lower</child>
    <axis><xyz expressed_in='arm::__model__'>1 0 0</xyz></axis></joint>
  <link name='body'/></model>"""


@pytest.mark.parametrize(("text", "scope"), [(f"<world name='w'>{FLAT}</world>", "robot::"), (FLAT, "")])
def test_flattened_names_of_1_7_mean_nested_models_with_the_same_poses(text: str, scope: str) -> None:
    scene = read(text, "1.7")
    X_Marm = place(0, 2, 0, yaw=Q)
    assert set(by_name(scene.links)) == {scope + name for name in ("arm::upper", "arm::lower", "body")}
    assert_at(X_WL(scene, scope + "arm::upper"), X_Marm, place(1, 0, 0))
    assert_at(X_WL(scene, scope + "arm::lower"), X_Marm, place(1, 0, -1))
    np.testing.assert_allclose(axis_in_world(scene, scope + "arm::elbow"), (0, 1, 0), atol=1e-15)


def test_only_worlds_are_unflattened_and_the_first_link_is_the_canonical_one() -> None:
    nested = by_name(read(f"<world name='w'>{FLAT}</world>", "1.7").models)
    assert nested["robot"].canonical_link == "robot::body"
    assert nested["robot::arm"].canonical_link == "robot::arm::upper"
    flat = read(FLAT, "1.7").models
    assert [(model.name, model.canonical_link) for model in flat] == [("robot", "arm::upper")]


def test_from_1_8_on_no_name_may_hold_colons() -> None:
    assert "sdf.scoped-name" in refused(FLAT, "1.8")


# --- poses -----------------------------------------------------------------------------------------------------------


def test_poses_come_as_angles_degrees_and_quaternions_of_any_length_in_any_version() -> None:
    scene = read(
        """<model name='m'>
        <link name='quaternion'><pose rotation_format='quat_xyzw'>1 0 0 0.6 0 0 0.8</pose></link>
        <link name='long'><pose rotation_format='quat_xyzw'>0 1 0 0 3 0 4</pose></link>
        <link name='degrees'><pose degrees='true'>0 0 1 0 30 60</pose></link>
        <link name='angles'><pose>0 0 0 0.3 -0.2 0.1</pose></link>
        <link name='empty'><pose/></link>
        <link name='lines'><pose>
           4   5
           6 0 0 0 </pose></link></model>""",
        "1.5",
    )
    angle = 2 * math.atan2(0.6, 0.8)
    assert_at(X_WL(scene, "quaternion"), place(1, 0, 0, roll=angle))
    assert_at(X_WL(scene, "long"), place(0, 1, 0, pitch=angle))
    assert_at(X_WL(scene, "degrees"), place(0, 0, 1, 0, math.pi / 6, math.pi / 3))
    assert_at(X_WL(scene, "angles"), place(0, 0, 0, 0.3, -0.2, 0.1))
    assert_at(X_WL(scene, "empty"), np.eye(4))
    assert_at(X_WL(scene, "lines"), place(4, 5, 6))


@pytest.mark.parametrize(
    "pose",
    [
        "<pose>0 0 0 0 0</pose>",
        "<pose>0 0 0 0 0 nan</pose>",
        "<pose rotation_format='quat_xyzw'>0 0 0 0 0 1</pose>",
        "<pose rotation_format='quat_xyzw' degrees='true'>0 0 0 0 0 0 1</pose>",
        "<pose rotation_format='axis_angle'>0 0 0 0 0 0</pose>",
    ],
)
def test_a_pose_of_the_wrong_form_refuses_the_file(pose: str) -> None:
    assert refused(f"<model name='m'><link name='l'>{pose}</link></model>")


def test_the_frame_attribute_of_old_poses_is_relative_to() -> None:
    scene = read(
        f"""<model name='m'><link name='a'><pose>0 1 0 0 0 {-Q}</pose></link>
        <link name='b'><pose frame='a'>0 2 0 0 0 0</pose></link>
        <frame name='f'><pose frame='b'>0 0 3 0 0 0</pose></frame></model>""",
        "1.6",
    )
    assert_at(X_WL(scene, "b"), place(0, 1, 0, yaw=-Q), place(0, 2, 0))
    assert_at(X_WF(scene, "f"), place(2, 1, 3, yaw=-Q))
    assert by_name(scene.frames)["f"].link == "a"


# --- joints of worlds, and to the world ------------------------------------------------------------------------------

TWO_MODELS = f"""<model name='left'><pose>0 1 0 0 0 0</pose><link name='l'/></model>
  <model name='right'><pose>0 -1 0 {Q} 0 0</pose><link name='r'><pose>2 0 0 0 0 0</pose></link></model>"""


def test_joints_of_a_world_connect_models_and_frames() -> None:
    scene = read(
        f"""<world name='w'>{TWO_MODELS}<frame name='anchor'><pose>0 0 6 0 0 0</pose></frame>
        <joint name='swing' type='revolute'><parent>anchor</parent><child>left::l</child>
          <axis><xyz expressed_in='right'>0 1 0</xyz></axis></joint>
        <joint name='tie' type='fixed'><parent>left</parent><child>right</child></joint></world>"""
    )
    assert (joint(scene, "swing").parent, joint(scene, "swing").child) == (WORLD, "left::l")
    np.testing.assert_allclose(joint(scene, "swing").axes[0].xyz, (0, 0, 1), atol=1e-15)
    assert_at(X_WJ(scene, "swing"), place(0, 1, 0))
    assert (joint(scene, "tie").parent, joint(scene, "tie").child) == ("left::l", "right::r")
    assert_at(X_WJ(scene, "tie"), place(0, -1, 0, roll=Q))


def test_a_joint_whose_child_is_fixed_to_the_world_is_an_error() -> None:
    frame = "<frame name='anchor'/>"
    tie = "<joint name='tie' type='fixed'><parent>left</parent><child>anchor</child></joint>"
    assert refused(f"<world name='w'>{TWO_MODELS}{frame}{tie}</world>") == {"sdf.joint-child"}


LINKED = "<model name='m'><pose>0 3 0 0 0 {yaw}</pose><link name='l'><pose>0 0 1 0 0 0</pose></link>{rest}</model>"


def test_the_world_may_be_the_parent_of_a_joint() -> None:
    weld = "<joint name='j' type='fixed'><parent>world</parent><child>l</child></joint>"
    scene = read(LINKED.format(yaw=Q, rest=weld))
    assert joint(scene, "j").parent == WORLD
    assert_at(joint(scene, "j").X_PJ, place(0, 3, 1, yaw=Q))


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
def test_the_world_is_nothing_else_within_a_model(rest: str, version: str) -> None:
    assert refused(LINKED.format(yaw=0, rest=rest), version)


# --- canonical links and static models -------------------------------------------------------------------------------


def test_the_canonical_link_is_the_one_named_or_the_first_or_the_first_one_down() -> None:
    nested = (
        "<model name='n'><model name='deep'><link name='down'/></model></model><model name='o'><link name='x'/></model>"
    )
    named = read(
        """<model name='m' canonical_link='n::l'><link name='first'/><frame name='f'><pose>0 0 1 0 0 0</pose></frame>
        <model name='n'><pose>0 0 4 0 0 0</pose><link name='l'/></model></model>"""
    )
    assert by_name(named.frames)["f"].link == "n::l"
    assert_at(X_WF(named, "f"), place(0, 0, 1))
    below = read(f"<model name='m'>{nested}<frame name='f'/></model>")
    assert by_name(below.frames)["f"].link == by_name(below.models)["m"].canonical_link == "n::deep::down"
    after = read(f"<model name='m'>{nested}<link name='own'/><frame name='f'/></model>")
    assert by_name(after.frames)["f"].link == "own"


def test_what_is_attached_to_a_static_model_is_fixed_to_the_world(library: Path) -> None:
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
    fixed = {WORLD, *(link.name for link in scene.links if by_name(scene.models)[link.model].static)}
    assert frames["moss"].link == WORLD
    assert frames["hut::smoke"].link in fixed
    assert_at(X_WF(scene, "moss"), place(0, 0, 1))
    assert_at(X_WF(scene, "hut::smoke"), place(0, 3, 1.5))
    assert joint(scene, "hut::rope").parent in fixed
    assert {model.name: model.static for model in scene.models} == {
        "rock": True,
        "hut": False,
        "hut::idol": True,
        "crane": True,
    }
    assert_at(X_WL(scene, "crane::boom"), place(4, 5, 6), X_MBOOM)


# --- joints in numbers -----------------------------------------------------------------------------------------------


def one_joint(kind: str, body: str, version: str) -> Joint:
    ends = "<parent>a</parent><child>b</child>"
    text = f"<model name='m'><link name='a'/><link name='b'/><joint name='j' type='{kind}'>{ends}{body}</joint></model>"
    return joint(read(text, version), "j")


@pytest.mark.parametrize(
    ("version", "body", "pitch"),
    [
        ("1.5", "<thread_pitch>4</thread_pitch>", -math.pi / 2),
        ("1.11", "<thread_pitch>-4</thread_pitch>", math.pi / 2),
        ("1.11", "<screw_thread_pitch>0.02</screw_thread_pitch>", 0.02),
        ("1.6", "<thread_pitch>4</thread_pitch><screw_thread_pitch>0.02</screw_thread_pitch>", 0.02),
        ("1.9", "", 1.0),
    ],
)
def test_the_old_thread_pitch_is_radians_a_metre_the_other_way_round(version: str, body: str, pitch: float) -> None:
    assert one_joint("screw", body + "<axis/>", version).pitch == pytest.approx(pitch, rel=1e-15)


@pytest.mark.parametrize("version", ["1.2", "1.6", "1.9", "1.12"])
def test_limits_have_the_newest_defaults_in_every_version(version: str) -> None:
    free = one_joint("revolute", "<axis><xyz>0 0 1</xyz></axis>", version).axes[0]
    assert (free.lower, free.upper, free.effort, free.velocity) == (-math.inf, math.inf, math.inf, math.inf)
    limit = "<lower>-1e16</lower><upper>1e16</upper><effort>-1</effort><velocity>-2</velocity>"
    spelt = one_joint("revolute", f"<axis><xyz>0 0 1</xyz><limit>{limit}</limit></axis>", version).axes[0]
    assert (spelt.lower, spelt.upper, spelt.effort, spelt.velocity) == (-math.inf, math.inf, math.inf, math.inf)


def test_crossed_limits_zero_effort_and_negative_damping_are_kept() -> None:
    limit = "<limit><lower>0.4</lower><upper>0.1</upper><effort>0</effort></limit>"
    dynamics = "<dynamics><damping>-2</damping><spring_stiffness>9</spring_stiffness></dynamics>"
    axis = one_joint("prismatic", f"<axis><xyz>0 0 1</xyz>{limit}{dynamics}</axis>", "1.7").axes[0]
    assert (axis.lower, axis.upper, axis.effort) == (0.4, 0.1, 0.0)
    assert (axis.damping, axis.spring_stiffness, axis.spring_reference) == (-2.0, 9.0, 0.0)


# --- inertia ---------------------------------------------------------------------------------------------------------


def inertia_of(body: str, version: str = "1.7") -> tuple[float, list[float], NDArray[np.float64]]:
    found = read(f"<model name='m'><link name='l'>{body}</link></model>", version).links[0].inertia
    assert found is not None
    return found.mass, found.p_LLcm.tolist(), found.I_Lcm


def test_an_inertia_that_is_not_given_is_one_kilogram_and_the_identity() -> None:
    for body in ("", "<inertial/>"):
        mass, com, moments = inertia_of(body)
        assert (mass, com, moments.tolist()) == (1.0, [0.0, 0.0, 0.0], np.eye(3).tolist())
    mass, _, moments = inertia_of("<inertial><mass>3</mass></inertial>")
    assert (mass, moments.tolist()) == (3.0, np.eye(3).tolist())


def test_the_pose_of_an_inertial_turns_its_moments() -> None:
    values = "<ixx>2</ixx><iyy>3</iyy><izz>4</izz><ixz>0.5</ixz>"
    _, com, moments = inertia_of(
        f"<inertial><pose>0 0.3 0 {Q} 0 0</pose><mass>5</mass><inertia>{values}</inertia></inertial>"
    )
    R = place(0, 0, 0, roll=Q)[:3, :3]
    assert com == [0.0, 0.3, 0.0]
    np.testing.assert_allclose(moments, R @ np.array(((2, 0, 0.5), (0, 3, 0), (0.5, 0, 4))) @ R.T, atol=1e-15)


def test_a_triangle_of_moments_may_be_flat_and_a_body_may_have_no_mass() -> None:
    inertia_of("<inertial><mass>1</mass><inertia><ixx>1</ixx><iyy>2</iyy><izz>3</izz></inertia></inertial>")
    nothing = "<inertia><ixx>0</ixx><iyy>0</iyy><izz>0</izz></inertia>"
    inertia_of(f"<inertial><mass>0</mass>{nothing}</inertial>")


def test_a_computed_inertia_weighs_each_shape_by_the_nearest_density() -> None:
    def ball(name: str, x: float, density: str = "") -> str:
        shape = "<geometry><sphere><radius>0.1</radius></sphere></geometry>"
        return f"<collision name='{name}'><pose>{x} 0 0 0 0 0</pose>{density}{shape}</collision>"

    volume = 4 / 3 * math.pi * 0.1**3
    two = ball("left", -1, "<density>300</density>") + ball("right", 1)
    mass, com, moments = inertia_of(f"<inertial auto='true'><density>100</density></inertial>{two}", "1.11")
    assert mass == pytest.approx(400 * volume)
    np.testing.assert_allclose(com, (-0.5, 0, 0), atol=1e-15)
    own = 0.4 * mass * 0.1**2
    apart = volume * (300 * 0.5**2 + 100 * 1.5**2)
    np.testing.assert_allclose(moments, np.diag((own, own + apart, own + apart)), rtol=1e-12, atol=1e-12)
    water, _, _ = inertia_of(f"<inertial auto='true'/>{ball('drop', 0)}", "1.11")
    assert water == pytest.approx(1000 * volume)
    weighed, _, scaled = inertia_of(
        f"<inertial auto='true'><mass>8</mass><density>100</density></inertial>{two}", "1.11"
    )
    assert weighed == 8.0
    np.testing.assert_allclose(scaled, moments * (8.0 / mass), rtol=1e-12, atol=1e-15)


# --- what hangs on links, and includes -------------------------------------------------------------------------------


def test_shapes_lights_and_sensors_may_be_posed_from_anything_in_their_model() -> None:
    box = "<geometry><box><size>1 1 1</size></box></geometry>"
    scene = read(
        f"""<model name='m'><link name='a'><pose>0 1 0 0 0 {Q}</pose>
          <collision name='c'><pose relative_to='peg'>0 0 0 0 0 0</pose>{box}</collision>
          <visual name='v'><pose relative_to='j'/>{box}</visual>
          <visual name='home'><pose relative_to='__model__'/>{box}</visual>
          <light name='lamp' type='point'><pose relative_to='b'>0 0 1 0 0 0</pose></light>
          <sensor name='eye' type='imu'><pose relative_to='n::spot'/></sensor></link>
        <link name='b'><pose>5 0 0 0 0 0</pose></link>
        <frame name='peg' attached_to='b'><pose>0 0 2 0 0 0</pose></frame>
        <joint name='j' type='revolute'><pose>0 0.5 0 0 0 0</pose><parent>a</parent><child>b</child><axis/>
          <sensor name='gauge' type='force_torque'><pose>0 0 0.2 0 0 0</pose></sensor></joint>
        <model name='n'><pose>0 0 -1 0 0 0</pose><link name='l'/><frame name='spot'><pose>3 0 0 0 0 0</pose></frame>
        </model></model>"""
    )
    X_aW = undone(place(0, 1, 0, yaw=Q))
    link = by_name(scene.links)["a"]
    assert_at(link.collisions[0].X_LG, X_aW, place(5, 0, 2))
    assert_at(link.visuals[0].X_LG, X_aW, place(5, 0.5, 0))
    assert_at(link.visuals[1].X_LG, X_aW)
    assert_at(link.sensors[0].X_LS, X_aW, place(3, 0, -1))
    assert scene.lights[0].link == "a"
    assert_at(scene.lights[0].X_LLight, X_aW, place(5, 0, 1))
    assert_at(joint(scene, "j").sensors[0].X_LS, place(0, 0.5, 0.2))


def test_a_name_given_by_an_include_is_the_scope_of_references_into_it(library: Path) -> None:
    scene = compose(
        library,
        """<model name='ship'><link name='deck'/>
        <include><uri>model://crane</uri><name>fore</name><static>false</static><pose>0 10 0 0 0 0</pose></include>
        <joint name='bolt' type='fixed'><parent>deck</parent><child>fore::mast</child></joint>
        <joint name='winch' type='revolute'><pose relative_to='fore::hook'/><parent>deck</parent>
          <child>fore::ballast</child><axis><xyz expressed_in='fore'>1 0 0</xyz></axis></joint></model>""",
    )
    assert joint(scene, "bolt").child == "fore::mast"
    assert_at(X_WJ(scene, "bolt"), place(0, 10, 2))
    assert_at(X_WJ(scene, "winch"), place(0, 10, 0), X_MHOOK)
    np.testing.assert_allclose(axis_in_world(scene, "winch"), (1, 0, 0), atol=1e-15)


# --- names -----------------------------------------------------------------------------------------------------------

CLASH = """<model name='m'><link name='base'/><link name='tip'/>
  <joint name='tip' type='fixed'><parent>base</parent><child>tip</child></joint></model>"""


def test_before_1_7_a_joint_called_like_a_link_is_renamed_and_references_mean_the_link() -> None:
    scene = read(CLASH, "1.6")
    (only,) = scene.joints
    assert (only.name, only.parent, only.child) == ("tip_joint", "base", "tip")
    assert any(entry.code == "sdf.name-clash" for entry in scene.diagnostics)


def test_from_1_7_on_it_is_an_error_and_two_links_of_one_name_always_are() -> None:
    assert "sdf.duplicate-name" in refused(CLASH, "1.7")
    for version in ("1.5", "1.7", "1.12"):
        assert "sdf.duplicate-name" in refused("<model name='m'><link name='l'/><link name='l'/></model>", version)


# --- worlds and manifests --------------------------------------------------------------------------------------------


def test_old_settings_of_physics_and_gravity_are_found_where_they_are_today() -> None:
    scene = read(
        """<world name='w'><physics type='ode'><gravity>0 -2 0</gravity><update_rate>40</update_rate>
        <ode><solver><type>quick</type><dt>0.02</dt></solver></ode></physics></world>""",
        "1.3",
    )
    assert scene.gravity.tolist() == [0.0, -2.0, 0.0]
    assert (scene.physics.time_step, scene.physics.real_time_update_rate) == (0.02, 40.0)
    assert read("<world name='w'/>", "1.4").gravity.tolist() == [0.0, 0.0, -9.8]
    magnetic = read(
        "<world name='w'><physics type='ode'><magnetic_field>1 2 3</magnetic_field></physics></world>", "1.5"
    )
    assert magnetic.magnetic_field.tolist() == [1.0, 2.0, 3.0]


@pytest.mark.parametrize("order", [(0, 1, 2), (2, 1, 0), (1, 2, 0)])
def test_a_manifest_offers_versions_and_the_greatest_one_that_is_known_counts(
    tmp_path: Path, order: tuple[int, ...]
) -> None:
    folder = tmp_path / "many"
    folder.mkdir()
    entries = [("1.4", "old"), ("1.10", "best"), ("1.77", "future")]
    lines = [f"<sdf version='{entries[i][0]}'>{entries[i][1]}.sdf</sdf>" for i in order]
    (folder / "model.config").write_text(f"<model><name>many</name>{''.join(lines)}</model>")
    for version, name in entries:
        (folder / f"{name}.sdf").write_text(
            f"<sdf version='{version}'><model name='{name}'><link name='l'/></model></sdf>"
        )
    scene = compose(tmp_path, "<world name='w'><include><uri>model://many</uri></include></world>")
    assert [model.name for model in scene.models] == ["best"]


def test_an_included_urdf_keeps_every_link_and_fixed_joint(tmp_path: Path) -> None:
    (tmp_path / "bot.urdf").write_text(
        """<robot name='bot'><link name='base'/><link name='plate'/>
        <joint name='mount' type='fixed'><origin xyz='0 0 2'/><parent link='base'/><child link='plate'/></joint>
        </robot>"""
    )
    scene = compose(tmp_path, "<world name='w'><include><uri>bot.urdf</uri><pose>1 0 0 0 0 0</pose></include></world>")
    assert_at(X_WL(scene, "bot::plate"), place(1, 0, 2))
    assert joint(scene, "bot::mount").parent == "bot::base"


def test_a_bad_parent_in_a_nested_model_is_reported() -> None:
    scene = read(
        """<model name='m'><link name='l'/><model name='n'><link name='x'/>
        <joint name='j' type='fixed'><parent>lost</parent><child>x</child></joint></model></model>"""
    )
    assert any("lost" in entry.message for entry in scene.diagnostics)


# --- short cases -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "body",
    [
        "<frame name='f' attached_to='f'/>",
        "<link name='k'><pose relative_to='k'/></link>",
        "<frame name='f'><pose relative_to='g'/></frame><frame name='g'><pose relative_to='f'/></frame>",
        "<joint name='j' type='fixed'><parent>l</parent><child>l</child></joint>",
        "<frame name='f' attached_to='l'/><joint name='j' type='fixed'><parent>f</parent><child>l</child></joint>",
        "<joint name='j' type='bend'><parent>l</parent><child>k</child></joint><link name='k'/>",
        "<joint name='j' type='fixed'><child>l</child></joint>",
        "<frame name='f' attached_to='__root__'/>",
        "<frame name='__f__'/>",
        "<link name=''/>",
        "<link/>",
        "<link name='k'><gravity>maybe</gravity></link>",
        "<link name='k'><inertial><mass>heavy</mass></inertial></link>",
        "<model name='n'><link name='x'><pose relative_to='l'/></link></model>",
        "<model name='n'><link name='x'/></model><model name='o'><link name='y'><pose relative_to='n'/></link></model>",
        "<link name='k'/><joint name='j' type='revolute'><parent>l</parent><child>k</child>"
        "<axis><xyz>0 0 0</xyz></axis></joint>",
        "<include><uri>nothing_of_this_name</uri></include>",
        "<include/>",
    ],
)
def test_these_are_errors_in_a_model(body: str) -> None:
    assert refused(f"<model name='m'><link name='l'/>{body}</model>")


@pytest.mark.parametrize(
    "body",
    [
        "<frame name='___'/>",
        "<link name='k'><visual name='x'/><collision name='x'/></link>",
        "<link name='k'><gravity>TRUE</gravity><kinematic>0</kinematic></link>",
        "<link name='k'/><joint name='j' type='FIXED'><parent>l</parent><child>k</child></joint>",
        "<link name='k'/><joint name='j' type='revolute'><parent>l</parent><child>k</child><axis/></joint>",
        "<link name='k'><inertial><mass>0x10</mass></inertial></link>",
        "<frame name='f' attached_to='n::__model__'/><model name='n'><link name='x'/></model>",
        "<my:own xmlns:my='urn:x' attribute='1'><deep/></my:own>",
    ],
)
def test_these_are_none(body: str) -> None:
    read(f"<model name='m'><link name='l'/>{body}</model>")


def test_mimic_may_name_a_joint_that_comes_later() -> None:
    scene = read(
        """<model name='m'><link name='a'/><link name='b'/><link name='c'/>
        <joint name='follows' type='revolute'><parent>a</parent><child>b</child><axis><xyz>0 0 1</xyz>
          <mimic joint='leads'><multiplier>-2</multiplier><offset>0.5</offset><reference>0.25</reference></mimic></axis>
        </joint><joint name='leads' type='revolute'><parent>b</parent><child>c</child><axis/></joint></model>""",
        "1.11",
    )
    (coupling,) = scene.couplings
    assert (coupling.follower, coupling.leader) == ("follows", "leads")
    assert (coupling.multiplier, coupling.offset) == (-2.0, 0.5 + 2.0 * 0.25)


def test_merging_a_model_twice_takes_its_names_twice(library: Path) -> None:
    twice = "<include merge='true'><uri>model://crane</uri></include>" * 2
    with pytest.raises(LoadError, match=r"sdf\.duplicate-name"):
        compose(library, f"<model name='m'><link name='l'/>{twice}</model>")


def test_merging_forgets_that_the_model_was_static(library: Path) -> None:
    scene = compose(library, "<model name='m'><include merge='true'><uri>model://idol</uri></include></model>")
    assert [(model.name, model.static) for model in scene.models] == [("m", False)]


def test_a_colon_in_the_name_that_an_include_gives_is_an_error(library: Path) -> None:
    with pytest.raises(LoadError, match="::"):
        compose(library, "<world name='w'><include><uri>model://crane</uri><name>a::b</name></include></world>")
