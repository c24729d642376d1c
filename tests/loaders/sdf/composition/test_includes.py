"""Includes: files found, chosen, overridden, merged and changed by parameters."""

from __future__ import annotations

import importlib
from pathlib import Path

import pytest

import loaders
from loaders import Diagnostic, LoadError, Scene
from loaders.model import Box, Sphere, by_name

ARM = """<sdf version='1.9'><model name='arm'><pose>9 9 9 0 0 0</pose>
<link name='base'><visual name='v'><geometry><box><size>1 2 3</size></box></geometry></visual></link>
<link name='tip'><pose>1 0 0 0 0 0</pose></link>
<frame name='grasp' attached_to='tip'><pose>0 0 1 0 0 0</pose></frame>
<frame name='own'><pose>0 5 0 0 0 0</pose></frame>
<joint name='j' type='revolute'><parent>__model__</parent><child>tip</child>
<axis><xyz expressed_in='__model__'>0 0 1</xyz></axis></joint>
<plugin name='p' filename='libp.so'/></model></sdf>"""

ROBOT = """<robot name='bot'><link name='torso'><visual><geometry><sphere radius='1'/></geometry></visual></link>
<link name='head'/><joint name='neck' type='revolute'><origin xyz='0 0 2'/><parent link='torso'/><child link='head'/>
<axis xyz='0 0 1'/><limit lower='-1' upper='1' effort='5' velocity='6'/></joint></robot>"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    arm = tmp_path / "arm"
    arm.mkdir()
    (arm / "model.config").write_text("<model><sdf version='1.9'>model.sdf</sdf></model>")
    (arm / "model.sdf").write_text(ARM)
    (tmp_path / "bot.urdf").write_text(ROBOT)
    return tmp_path


def load(folder: Path, body: str, version: str = "1.10") -> Scene:
    path = folder / "main.sdf"
    path.write_text(f"<sdf version='{version}' xmlns:experimental='x'>{body}</sdf>")
    return loaders.load(path)


def codes(folder: Path, body: str, version: str = "1.10") -> list[str]:
    return [entry.code for entry in findings(folder, body, version)]


def findings(folder: Path, body: str, version: str = "1.10") -> tuple[Diagnostic, ...]:
    try:
        return load(folder, body, version).diagnostics
    except LoadError as error:
        return error.diagnostics


def in_world(include: str) -> str:
    return f"<world name='w'>{include}</world>"


def in_model(include: str) -> str:
    return f"<model name='robot'><link name='torso'><pose>0 0 1 0 0 0</pose></link>{include}</model>"


# --- placing and overriding ------------------------------------------------------------------------------------------


def test_without_a_pose_the_model_keeps_its_own_and_an_empty_one_resets_it(folder: Path) -> None:
    scene = load(
        folder,
        in_world(
            "<include><uri>model://arm</uri></include><include><uri>arm</uri><name>b</name><pose/></include>"
            "<include><uri>arm</uri><name>c</name><placement_frame>grasp</placement_frame>"
            "<pose>0 0 7 0 0 0</pose></include>"
        ),
    )
    models = by_name(scene.models)
    assert models["arm"].X_WM.p.tolist() == [9, 9, 9]
    assert models["b"].X_WM.p.tolist() == [0, 0, 0]
    assert models["c"].X_WM.p.tolist() == [-1, 0, 6]
    assert models["c"].placement_frame == "grasp"


def test_an_include_overrides_name_and_static_and_adds_plugins(folder: Path) -> None:
    include = (
        "<include><uri>arm</uri><name>left</name><static>true</static><plugin name='q' filename='q.so'/></include>"
    )
    scene = load(folder, in_world(include))
    assert [(model.name, model.static) for model in scene.models] == [("left", True)]
    assert {"left::base", "left::tip"} == {link.name for link in scene.links}
    assert sum(entry.code == "sdf.plugin" for entry in scene.diagnostics) == 2


def test_each_file_keeps_its_own_lines(folder: Path) -> None:
    scene = load(folder, in_world("<include><uri>arm</uri></include>"))
    joint = scene.joints[0]
    assert (Path(joint.where.file).name, joint.where.line) == ("model.sdf", 6)


def test_an_included_file_is_upgraded_by_its_own_version(folder: Path) -> None:
    (folder / "old.sdf").write_text(
        "<sdf version='1.6'><model name='old'><link name='a'><pose>1 0 0 0 0 0</pose></link>"
        "<link name='b'><pose frame='a'>1 0 0 0 0 0</pose></link></model></sdf>"
    )
    scene = load(folder, in_world("<include><uri>old.sdf</uri></include>"))
    assert by_name(scene.links)["old::b"].X_WL.p.tolist() == [2, 0, 0]


# --- choosing files --------------------------------------------------------------------------------------------------


def test_the_manifest_chooses_the_greatest_version_that_is_known(folder: Path) -> None:
    for minor in ("4", "8", "9", "99"):
        (folder / "arm" / f"{minor}.sdf").write_text(ARM.replace("name='arm'", f"name='arm{minor}'"))
    entries = "".join(f"<sdf version='1.{minor}'>{minor}.sdf</sdf>" for minor in ("8", "99", "9", "4"))
    (folder / "arm" / "model.config").write_text(f"<model>{entries}</model>")
    scene = load(folder, in_world("<include><uri>model://arm</uri></include>"))
    assert scene.models[0].name == "arm9"
    assert [entry.code for entry in scene.diagnostics if entry.severity == "warning"] == ["sdf.newer-model-file"]


def test_the_old_name_of_the_manifest_is_noted(folder: Path) -> None:
    (folder / "arm" / "model.config").rename(folder / "arm" / "manifest.xml")
    assert "sdf.old-manifest" in codes(folder, in_world("<include><uri>arm</uri></include>"))


def test_a_folder_without_a_manifest_is_an_error_and_the_rest_is_read(folder: Path) -> None:
    (folder / "bare").mkdir()
    found = codes(folder, in_world("<include><uri>bare</uri></include><model name='n'><link name=''/></model>"))
    assert {"sdf.no-model-config", "sdf.no-name"} <= set(found)


def test_what_stands_beside_the_model_of_an_included_file_is_reported(folder: Path) -> None:
    (folder / "lone.sdf").write_text(
        "<sdf version='1.9' colour='red'>\n<model name='m'><link name='l'/></model>\n<fog/></sdf>"
    )
    found = findings(folder, in_world("<include><uri>lone.sdf</uri></include>"))
    assert [(entry.code, entry.where.line) for entry in found] == [("xml.unread", 1), ("xml.unread", 3)]


def test_an_included_model_needs_a_name_though_the_include_gives_another(folder: Path) -> None:
    (folder / "lone.sdf").write_text("<sdf version='1.9'>\n<model><link name='l'/></model></sdf>")
    found = findings(folder, in_world("<include><name>n</name><uri>lone.sdf</uri></include>"))
    assert [(entry.code, entry.where.line) for entry in found] == [("sdf.no-name", 2)]


def test_files_that_include_each_other_are_refused(folder: Path) -> None:
    (folder / "a.sdf").write_text(f"<sdf version='1.9'>{in_model('<include><uri>b.sdf</uri></include>')}</sdf>")
    (folder / "b.sdf").write_text(f"<sdf version='1.9'>{in_model('<include><uri>a.sdf</uri></include>')}</sdf>")
    with pytest.raises(LoadError) as caught:
        loaders.load(folder / "a.sdf")
    (cycle,) = [entry for entry in caught.value.diagnostics if entry.code == "sdf.include-cycle"]
    assert cycle.arguments["files"] == ("a.sdf", "b.sdf", "a.sdf")


def test_files_that_multiply_are_stopped(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(importlib.import_module("loaders.sdf.composition.includes"), "MAX_ELEMENTS", 2000)
    (folder / "f0.sdf").write_text(ARM)
    for level in range(1, 9):
        include = "".join(f"<include><uri>f{level - 1}.sdf</uri><name>n{i}</name></include>" for i in range(9))
        (folder / f"f{level}.sdf").write_text(f"<sdf version='1.9'><model name='m'>{include}</model></sdf>")
    assert "sdf.too-many-elements" in codes(folder, in_world("<include><uri>f8.sdf</uri></include>"))


def test_an_included_file_gives_one_element(folder: Path) -> None:
    (folder / "two.sdf").write_text(
        "<sdf version='1.9'><light name='l' type='point'/><model name='m'><link name='a'/></model></sdf>"
    )
    (folder / "none.sdf").write_text("<sdf version='1.9'/>")
    found = codes(folder, in_world("<include><uri>two.sdf</uri></include><include><uri>none.sdf</uri></include>"))
    assert found == ["sdf.extra-element", "sdf.include-empty"]


# --- merging ---------------------------------------------------------------------------------------------------------


def test_merged_parts_keep_their_names_and_places(folder: Path) -> None:
    include = (
        "<include merge='true'><uri>arm</uri><name>left</name><pose relative_to='torso'>0 1 0 0 0 0</pose></include>"
    )
    scene = load(folder, in_model(include))
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


def test_a_placement_frame_places_what_is_merged(folder: Path) -> None:
    include = (
        "<include merge='true'><uri>arm</uri><placement_frame>grasp</placement_frame><pose>0 0 7 0 0 0</pose></include>"
    )
    scene = load(folder, in_model(include))
    assert by_name(scene.links)["tip"].X_WL.p.tolist() == [0, 0, 6]


def test_a_merged_model_loses_its_flags_with_a_note(folder: Path) -> None:
    (folder / "arm" / "model.sdf").write_text(ARM.replace("<plugin", "<static>true</static><plugin"))
    scene = load(folder, in_model("<include merge='true'><uri>arm</uri></include>"))
    assert not scene.models[0].static
    assert "sdf.merge-drops" in {entry.code for entry in scene.diagnostics}


def test_links_cannot_be_merged_into_a_world_but_models_can(folder: Path) -> None:
    assert "sdf.merge-unsupported" in codes(folder, in_world("<include merge='true'><uri>arm</uri></include>"))
    (folder / "pair.sdf").write_text(
        "<sdf version='1.10'><model name='pair'><model name='a'><link name='l'/></model>"
        "<frame name='f' attached_to='a::l'/></model></sdf>"
    )
    scene = load(folder, in_world("<include merge='true'><uri>pair.sdf</uri><pose>0 0 3 0 0 0</pose></include>"))
    assert [(link.name, link.X_WL.p.tolist()) for link in scene.links] == [("a::l", [0, 0, 3])]


# --- other formats ---------------------------------------------------------------------------------------------------


def test_an_included_urdf_is_a_model_whose_frames_are_known(folder: Path) -> None:
    scene = load(
        folder,
        in_world(
            "<include><uri>bot.urdf</uri><name>u</name><pose>1 0 0 0 0 0</pose></include>"
            "<frame name='f' attached_to='u::neck'/>"
            "<model name='hat'><link name='l'/></model>"
            "<joint name='on' type='fixed'><parent>u::head</parent><child>hat</child></joint>"
        ),
    )
    links = by_name(scene.links)
    assert links["u::head"].X_WL.p.tolist() == [1, 0, 2]
    assert links["u::head"].model == "u"
    frame = by_name(scene.frames)["f"]
    assert (frame.link, (links["u::head"].X_WL @ frame.X_LF).p.tolist()) == ("u::head", [1, 0, 2])
    assert by_name(scene.joints)["on"].parent == "u::head"
    assert by_name(scene.joints)["on"].X_PJ.p.tolist() == [-1, 0, -2]
    assert [model.name for model in scene.models] == ["u", "hat"]


def test_a_urdf_can_be_merged_and_included_twice(folder: Path) -> None:
    scene = load(
        folder,
        in_model(
            "<include merge='true'><uri>bot.urdf</uri><pose relative_to='torso_frame'/></include>"
            "<frame name='torso_frame'><pose>0 3 0 0 0 0</pose></frame>"
            "<include><uri>bot.urdf</uri><name>second</name></include>"
        ).replace("<link name='torso'>", "<link name='chest'>"),
    )
    places = {link.name: (link.model, link.X_WL.p.tolist()) for link in scene.links}
    assert places["head"] == ("robot", [0, 3, 2])
    assert places["second::head"] == ("second", [0, 0, 2])


def test_directives_are_included_as_a_model_of_their_models(folder: Path) -> None:
    (folder / "pair.dmd.yaml").write_text(
        "directives:\n"
        "- add_model: {name: left, file: bot.urdf}\n"
        "- add_model: {name: right, file: bot.urdf, default_free_body_pose: {torso: {translation: [0, 1, 0]}}}\n"
    )
    scene = load(
        folder,
        in_world(
            "<include><uri>pair.dmd.yaml</uri><name>p</name><pose>5 0 0 0 0 0</pose></include>"
            "<frame name='f' attached_to='p::left::head'/>"
        ),
    )
    assert {model.name for model in scene.models} == {"p", "p::left", "p::right"}
    assert by_name(scene.links)["p::left::head"].X_WL.p.tolist() == [5, 0, 2]
    frame = by_name(scene.frames)["f"]
    assert (frame.link, frame.X_LF.p.tolist()) == ("p::left::head", [0, 0, 0])


# --- parameters ------------------------------------------------------------------------------------------------------


def with_params(change: str) -> str:
    return in_world(f"<include><uri>arm</uri><pose/><experimental:params>{change}</experimental:params></include>")


def test_parameters_add_modify_replace_and_remove(folder: Path) -> None:
    scene = load(
        folder,
        with_params(
            "<link element_id='' name='extra' action='add'><pose>0 0 8 0 0 0</pose></link>"
            "<link element_id='tip' action='modify'><pose>2 0 0 0 0 0</pose></link>"
            "<visual element_id='base::v'>"
            "<geometry action='replace'><sphere><radius>4</radius></sphere></geometry></visual>"
            "<visual element_id='tip' name='w' action='add'><geometry><box><size>1 1 1</size></box></geometry></visual>"
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
def test_a_change_that_cannot_be_made_is_an_error_and_the_others_are_made(folder: Path, change: str) -> None:
    found = findings(folder, with_params(change + "<link element_id='tip' action='modify'><pose>x</pose></link>"))
    assert [entry.code for entry in found if entry.severity == "error"] == ["sdf.params", "sdf.pose-format"]


def test_a_placement_frame_needs_a_pose_beside_it(folder: Path) -> None:
    include = "<include><uri>arm</uri><placement_frame>grasp</placement_frame></include>"
    assert "sdf.placement-without-pose" in codes(folder, in_world(include))
