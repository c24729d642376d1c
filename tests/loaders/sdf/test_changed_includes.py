"""Merged includes, and changes of an included model by ``<experimental:params>``."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import loaders
from loaders import LoadError
from loaders.model import Box, Sphere, by_name
from tests.support.sdf import (
    ARM,
    X_MBOOM,
    X_MHOOK,
    X_WF,
    X_WL,
    Q,
    assert_pose,
    axis_in_world,
    chain,
    codes_in,
    compose,
    findings_in,
    in_model,
    in_world,
    inverse,
    joint_of,
    load_main,
    transform,
)

# Merged includes: names, the proxy frame, dropped elements, and merging into a world.


def test_merged_elements_keep_their_names_and_poses(folder: Path) -> None:
    include = (
        "<include merge='true'><uri>arm</uri><name>left</name><pose relative_to='torso'>0 1 "
        "0 0 0 0</pose></include>"
    )
    scene = load_main(folder, in_model(include))
    links = by_name(scene.links)
    assert {name: link.X_WL.p.tolist() for name, link in links.items()} == {
        "torso": [0, 0, 1],
        "base": [0, 1, 1],
        "tip": [1, 1, 1],
    }
    assert {link.model for link in scene.links} == {"robot"}
    frames = by_name(scene.frames)
    assert set(frames) == {"_merged__left__model__", "grasp", "own"}
    assert frames["own"].link == "base"
    assert (scene.joints[0].parent, scene.joints[0].child) == ("base", "tip")


def test_a_proxy_frame_replaces_the_implicit_frame_of_a_merged_model(library: Path) -> None:
    scene = compose(
        library,
        f"""<model name='ship'><link name='deck'><pose>0 0 5 0 0 0</pose></link>
        <include merge='true'><uri>model://crane</uri><name>aft</name>
          <pose relative_to='deck'>-3 0 0 0 0 {Q}</pose></include>
        <joint name='bolt' type='fixed'><parent>deck</parent><child>mast</child></joint></model>""",
    )
    X_WP = chain(transform(0, 0, 5), transform(-3, 0, 0, yaw=Q))
    assert set(by_name(scene.links)) == {"deck", "mast", "boom", "ballast"}
    assert [model.name for model in scene.models] == ["ship"]
    assert by_name(scene.frames)["_merged__aft__model__"].link == "mast"
    assert_pose(X_WF(scene, "_merged__aft__model__"), X_WP)
    assert_pose(X_WL(scene, "boom"), X_WP, X_MBOOM)
    assert_pose(X_WL(scene, "ballast"), X_WP, X_MHOOK, transform(0, -2, 0))
    assert_pose(X_WF(scene, "lamp"), X_WP, transform(0, 0, 9))
    assert by_name(scene.frames)["lamp"].link == "mast"
    assert (joint_of(scene, "weld").parent, joint_of(scene, "weld").child) == ("mast", "ballast")
    np.testing.assert_allclose(axis_in_world(scene, "slew"), X_WP[:3, 1], atol=1e-15)


def test_the_placement_frame_of_a_merged_model_has_the_pose_of_the_include(folder: Path) -> None:
    include = (
        "<include "
        "merge='true'><uri>arm</uri><placement_frame>grasp</placement_frame><pose>0 0 7 0 0 "
        "0</pose></include>"
    )
    scene = load_main(folder, in_model(include))
    assert by_name(scene.links)["tip"].X_WL.p.tolist() == [0, 0, 6]


def test_the_proxy_frame_takes_the_placement_frame_into_account(library: Path) -> None:
    scene = compose(
        library,
        """<model name='ship'><link name='deck'/>
        <include merge='true'><uri>model://crane</uri><placement_frame>hook</placement_frame><pose>0 0 8 0 0 0</pose>
        </include></model>""",
    )
    assert_pose(X_WF(scene, "hook"), transform(0, 0, 8))
    assert_pose(X_WL(scene, "mast"), transform(0, 0, 8), inverse(X_MHOOK), transform(0, 0, 2))
    assert_pose(X_WF(scene, "_merged__crane__model__"), transform(0, 0, 8), inverse(X_MHOOK))


def test_flags_of_a_merged_model_are_dropped_with_a_note(folder: Path) -> None:
    (folder / "arm" / "model.sdf").write_text(
        ARM.replace("<plugin", "<static>true</static><plugin")
    )
    scene = load_main(folder, in_model("<include merge='true'><uri>arm</uri></include>"))
    assert not scene.models[0].static
    assert "sdf.merge-drops" in {entry.code for entry in scene.diagnostics}


def test_a_dropped_flag_is_about_the_including_model(folder: Path) -> None:
    (folder / "arm" / "model.sdf").write_text(
        ARM.replace("<plugin", "<static>true</static><plugin")
    )
    scene = load_main(folder, in_model("<include merge='true'><uri>arm</uri></include>"))
    (entry,) = [entry for entry in scene.diagnostics if entry.code == "sdf.merge-drops"]
    assert (entry.subjects, entry.arguments["tag"]) == (("robot",), "static")


def test_diagnostics_of_merged_elements_name_them_as_the_scene_does(folder: Path) -> None:
    (folder / "arm" / "model.sdf").write_text(
        ARM.replace("<link name='base'>", "<link name='base'><unread/>")
    )
    merged = load_main(folder, in_model("<include merge='true'><uri>arm</uri></include>"))
    included = load_main(folder, in_model("<include><uri>arm</uri><name>left</name></include>"))
    assert [entry.subjects for entry in merged.diagnostics if entry.code == "xml.unread"] == [
        ("base",)
    ]
    assert [entry.subjects for entry in included.diagnostics if entry.code == "xml.unread"] == [
        ("left::base",)
    ]


def test_a_merged_static_model_does_not_make_the_including_model_static(library: Path) -> None:
    scene = compose(
        library, "<model name='m'><include merge='true'><uri>model://idol</uri></include></model>"
    )
    assert [(model.name, model.static) for model in scene.models] == [("m", False)]


def test_merging_a_model_twice_is_an_error_because_of_duplicate_names(library: Path) -> None:
    twice = "<include merge='true'><uri>model://crane</uri></include>" * 2
    with pytest.raises(LoadError, match=r"sdf\.duplicate-name"):
        compose(library, f"<model name='m'><link name='l'/>{twice}</model>")


# --- worlds ---------------------------------------------------------------------------------------


def test_links_cannot_be_merged_into_a_world_but_models_can(folder: Path) -> None:
    assert "sdf.merge-unsupported" in codes_in(
        folder, in_world("<include merge='true'><uri>arm</uri></include>")
    )
    (folder / "pair.sdf").write_text(
        "<sdf version='1.10'><model name='pair'><model name='a'><link name='l'/></model>"
        "<frame name='f' attached_to='a::l'/></model></sdf>"
    )
    scene = load_main(
        folder,
        in_world("<include merge='true'><uri>pair.sdf</uri><pose>0 0 3 0 0 0</pose></include>"),
    )
    assert [(link.name, link.X_WL.p.tolist()) for link in scene.links] == [("a::l", [0, 0, 3])]


def test_a_model_of_models_can_be_merged_into_a_world(library: Path) -> None:
    scene = compose(
        library,
        (
            f"<world name='w'><include merge='true'><uri>model://pair</uri><pose>2 0 0 0 0 "
            f"{Q}</pose></include></world>"
        ),
    )
    assert set(by_name(scene.models)) == {"left", "right"}
    assert_pose(X_WL(scene, "right::r"), transform(2, 0, 0, yaw=Q), transform(0, 1, 0))
    assert by_name(scene.frames)["between"].link == "left::l"
    assert_pose(X_WF(scene, "between"), transform(2, 0, 0, yaw=Q), transform(0, 0.5, 0))
    assert (joint_of(scene, "bond").parent, joint_of(scene, "bond").child) == (
        "left::l",
        "right::r",
    )


def test_a_model_with_links_cannot_be_merged_into_a_world(library: Path) -> None:
    with pytest.raises(LoadError, match="merge"):
        compose(
            library,
            "<world name='w'><include merge='true'><uri>model://crane</uri></include></world>",
        )


# ``<experimental:params>``: changes of an included model.


def with_params(change: str) -> str:
    return in_world(
        f"<include><uri>arm</uri><pose/><experimental:params>{change}</experimental:params></include>"
    )


def test_changes_add_modify_replace_and_remove_elements(folder: Path) -> None:
    scene = load_main(
        folder,
        with_params(
            "<link element_id='' name='extra' action='add'><pose>0 0 8 0 0 0</pose></link>"
            "<link element_id='tip' action='modify'><pose>2 0 0 0 0 0</pose></link>"
            "<visual element_id='base::v'>"
            "<geometry action='replace'><sphere><radius>4</radius></sphere></geometry></visual>"
            "<visual element_id='tip' name='w' action='add'><geometry><box><size>1 1 "
            "1</size></box></geometry></visual>"
            "<frame element_id='own' action='remove'/>"
        ),
    )
    links = by_name(scene.links)
    assert links["arm::extra"].X_WL.p.tolist() == [0, 0, 8]
    assert links["arm::tip"].X_WL.p.tolist() == [2, 0, 0]
    assert links["arm::base"].visuals[0].geometry == Sphere(radius=4)
    assert links["arm::tip"].visuals[0].geometry == Box(size=(1, 1, 1))
    assert [frame.name for frame in scene.frames] == ["arm::grasp"]


@pytest.mark.parametrize(
    "change",
    [
        "<link/>",
        "<link element_id='nowhere' action='modify'/>",
        "<link element_id='tip::' action='modify'/>",
        "<link element_id='tip' action='paint'/>",
        "<link element_id='' action='add'/>",
        "<visual element_id='base' name='v' action='add'/>",
        "<visual element_id='nowhere' name='v' action='add'/>",
        "<visual element_id='base::v'><geometry><box/></geometry></visual>",
        "<visual element_id='base::v'><geometry action='paint'/></visual>",
        "<visual element_id='base::v'><material action='remove'/></visual>",
        "<link element_id='base'><visual action='replace'/></link>",
        "<link element_id='base' action='modify'><sensor/></link>",
        "<link element_id='base' action='remove'><sensor/></link>",
    ],
)
def test_a_change_that_cannot_be_applied_is_an_error_and_the_others_are_applied(
    folder: Path, change: str
) -> None:
    found = findings_in(
        folder, with_params(change + "<link element_id='tip' action='modify'><pose>x</pose></link>")
    )
    assert [entry.code for entry in found if entry.severity == "error"] == [
        "sdf.params",
        "sdf.pose-format",
    ]


def test_lenient_loading_leaves_out_a_change_of_an_element_that_is_not_there(folder: Path) -> None:
    """Such an element is often in a model that is on Gazebo Fuel only."""
    change = "<link element_id='tip' action='modify'><pose>2 0 0 0 0 0</pose></link>"
    scene = load_main(
        folder, with_params("<plugin element_id='motor' action='remove'/>" + change), lenient=True
    )
    assert by_name(scene.links)["arm::tip"].X_WL.p.tolist() == [2, 0, 0]
    skipped = [entry for entry in scene.diagnostics if entry.fate is loaders.Fate.SKIPPED]
    assert [entry.code for entry in skipped] == ["sdf.params"]
