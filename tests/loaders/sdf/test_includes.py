"""Includes: finding and choosing files, overriding values, other formats, and the stand-ins of
lenient loading.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import loaders
from loaders import Limits, LoadError
from loaders.diagnostics import Diagnostics
from loaders.model import Plane, by_name
from loaders.node import Node
from loaders.sdf.include import model_file, parse_stand_in
from tests.support.sdf import (
    ARM,
    ROBOT,
    X_MHOOK,
    X_WF,
    X_WJ,
    X_WL,
    Q,
    assert_pose,
    axis_in_world,
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

# Includes: finding files, overriding values, upgrading each file, and including other formats.


def test_an_include_without_a_pose_keeps_that_of_the_model_and_an_empty_pose_is_the_identity(
    folder: Path,
) -> None:
    scene = load_main(
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


def test_the_pose_of_an_include_replaces_that_of_the_model_and_places_its_placement_frame(
    library: Path,
) -> None:
    scene = compose(
        library,
        f"""<world name='w'><frame name='quay'><pose>0 20 0 0 0 {-Q}</pose></frame>
        <include><uri>model://crane</uri><name>placed</name><placement_frame>hook</placement_frame>
          <pose relative_to='quay'>1 0 3 0 0 0</pose></include>
        <include><uri>model://crane</uri><name>own</name></include>
        <include><uri>model://crane</uri><name>zero</name><pose/></include></world>""",
    )
    models = by_name(scene.models)
    assert_pose(
        models["placed"].X_WM, transform(0, 20, 0, yaw=-Q), transform(1, 0, 3), inverse(X_MHOOK)
    )
    assert_pose(models["own"].X_WM, transform(4, 5, 6))
    assert_pose(models["zero"].X_WM, np.eye(4))
    assert_pose(X_WF(scene, "placed::hook"), transform(0, 20, 0, yaw=-Q), transform(1, 0, 3))


def test_a_placement_frame_without_a_pose_is_an_error(folder: Path) -> None:
    include = "<include><uri>arm</uri><placement_frame>grasp</placement_frame></include>"
    assert "sdf.placement-without-pose" in codes_in(folder, in_world(include))


def test_an_include_overrides_name_and_static_and_adds_plugins(folder: Path) -> None:
    include = (
        "<include><uri>arm</uri><name>left</name><static>true</static><plugin name='q' "
        "filename='q.so'/></include>"
    )
    scene = load_main(folder, in_world(include))
    assert [(model.name, model.static) for model in scene.models] == [("left", True)]
    assert {"left::base", "left::tip"} == {link.name for link in scene.links}
    assert sum(entry.code == "sdf.plugin" for entry in scene.diagnostics) == 2


def test_references_into_an_included_model_use_the_name_of_the_include(library: Path) -> None:
    scene = compose(
        library,
        """<model name='ship'><link name='deck'/>
        <include><uri>model://crane</uri><name>fore</name><static>false</static><pose>0 10 0 0 0 0</pose></include>
        <joint name='bolt' type='fixed'><parent>deck</parent><child>fore::mast</child></joint>
        <joint name='winch' type='revolute'><pose relative_to='fore::hook'/><parent>deck</parent>
          <child>fore::ballast</child><axis><xyz expressed_in='fore'>1 0 0</xyz></axis></joint></model>""",
    )
    assert joint_of(scene, "bolt").child == "fore::mast"
    assert_pose(X_WJ(scene, "bolt"), transform(0, 10, 2))
    assert_pose(X_WJ(scene, "winch"), transform(0, 10, 0), X_MHOOK)
    np.testing.assert_allclose(axis_in_world(scene, "winch"), (1, 0, 0), atol=1e-15)


def test_an_include_name_with_a_scope_separator_is_an_error(library: Path) -> None:
    with pytest.raises(LoadError, match="::"):
        compose(
            library,
            "<world name='w'><include><uri>model://crane</uri><name>a::b</name></include></world>",
        )


def test_an_included_model_needs_a_name_even_if_the_include_overrides_it(folder: Path) -> None:
    (folder / "lone.sdf").write_text("<sdf version='1.9'>\n<model><link name='l'/></model></sdf>")
    found = findings_in(folder, in_world("<include><name>n</name><uri>lone.sdf</uri></include>"))
    assert [(entry.code, entry.where.line) for entry in found] == [("sdf.no-name", 2)]


def test_items_keep_the_file_and_line_of_the_included_file(folder: Path) -> None:
    scene = load_main(folder, in_world("<include><uri>arm</uri></include>"))
    joint = scene.joints[0]
    assert (Path(joint.where.file).name, joint.where.line) == ("model.sdf", 6)


def test_an_included_file_is_upgraded_from_its_own_version(folder: Path) -> None:
    (folder / "old.sdf").write_text(
        "<sdf version='1.6'><model name='old'><link name='a'><pose>1 0 0 0 0 0</pose></link>"
        "<link name='b'><pose frame='a'>1 0 0 0 0 0</pose></link></model></sdf>"
    )
    scene = load_main(folder, in_world("<include><uri>old.sdf</uri></include>"))
    assert by_name(scene.links)["old::b"].X_WL.p.tolist() == [2, 0, 0]


def test_the_axes_of_an_included_1_4_file_are_in_the_frame_of_its_own_model(library: Path) -> None:
    scene = compose(
        library,
        f"""<world name='w'><include><uri>model://gate</uri></include><model name='yard'><link name='lawn'/>
        <include><uri>model://gate</uri><name>back</name><pose>0 0 0 {Q} 0 0</pose></include></model></world>""",
        "1.9",
    )
    X_ML = transform(0, 1, 0, yaw=Q)
    in_joint = (X_ML @ transform(0, 0, 0.5, pitch=Q))[:3, :3].T @ (1, 0, 0)
    for name in ("gate::hinge", "yard::back::hinge"):
        np.testing.assert_allclose(joint_of(scene, name).axes[0].xyz, in_joint, atol=1e-15)
    assert_pose(X_WL(scene, "yard::back::leaf"), transform(0, 0, 0, roll=Q), X_ML)


# --- errors ---------------------------------------------------------------------------------------


def test_unread_elements_beside_the_model_of_an_included_file_are_reported(folder: Path) -> None:
    (folder / "lone.sdf").write_text(
        "<sdf version='1.9' colour='red'>\n<model name='m'><link name='l'/></model>\n<fog/></sdf>"
    )
    found = findings_in(folder, in_world("<include><uri>lone.sdf</uri></include>"))
    assert [(entry.code, entry.where.line) for entry in found] == [
        ("xml.unread", 1),
        ("xml.unread", 3),
    ]


def test_an_include_cycle_is_an_error_that_lists_the_files(folder: Path) -> None:
    (folder / "a.sdf").write_text(
        f"<sdf version='1.9'>{in_model('<include><uri>b.sdf</uri></include>')}</sdf>"
    )
    (folder / "b.sdf").write_text(
        f"<sdf version='1.9'>{in_model('<include><uri>a.sdf</uri></include>')}</sdf>"
    )
    with pytest.raises(LoadError) as caught:
        loaders.load(folder / "a.sdf")
    (cycle,) = [entry for entry in caught.value.diagnostics if entry.code == "sdf.include-cycle"]
    assert cycle.arguments["files"] == ("a.sdf", "b.sdf", "a.sdf")


def test_includes_nested_too_deep_are_an_error(tmp_path: Path) -> None:
    for level in range(40):
        include = (
            f"<include><uri>f{level + 1}.sdf</uri></include>" if level < 39 else "<link name='l'/>"
        )
        (tmp_path / f"f{level}.sdf").write_text(
            f"<sdf version='1.9'><model name='m{level}'>{include}</model></sdf>"
        )
    with pytest.raises(LoadError) as caught:
        loaders.load(tmp_path / "f0.sdf")
    (depth,) = [entry for entry in caught.value.diagnostics if entry.code == "sdf.include-cycle"]
    assert depth.arguments["limit"] == 32


def test_the_number_of_included_elements_is_limited(folder: Path) -> None:
    (folder / "f0.sdf").write_text(ARM)
    for level in range(1, 9):
        include = "".join(
            f"<include><uri>f{level - 1}.sdf</uri><name>n{i}</name></include>" for i in range(9)
        )
        (folder / f"f{level}.sdf").write_text(
            f"<sdf version='1.9'><model name='m'>{include}</model></sdf>"
        )
    text = f"<sdf version='1.9'>{in_world('<include><uri>f8.sdf</uri></include>')}</sdf>"
    with pytest.raises(LoadError, match="more than 2000 elements"):
        loaders.load_string(text, format="sdf", base=folder, limits=Limits(elements=2000))


def test_links_of_an_included_urdf_count_as_often_as_they_are_placed(tmp_path: Path) -> None:
    links = "".join(
        (
            f"<link name='l{i}'/><joint name='j{i}' type='fixed'><parent link='l'/><child "
            f"link='l{i}'/></joint>"
        )
        for i in range(200)
    )
    (tmp_path / "f0.sdf").write_text(f"<robot name='r'><link name='l'/>{links}</robot>")
    for level in range(1, 7):
        include = "".join(
            f"<include><uri>f{level - 1}.sdf</uri><name>n{i}</name></include>" for i in range(2)
        )
        (tmp_path / f"f{level}.sdf").write_text(
            f"<sdf version='1.9'><model name='m'>{include}</model></sdf>"
        )
    with pytest.raises(LoadError, match="more than 10000 elements"):
        loaders.load(tmp_path / "f6.sdf", limits=Limits(elements=10_000))
    assert len(loaders.load(tmp_path / "f3.sdf", limits=Limits(elements=10_000)).links) == 8 * 201


def test_an_included_file_provides_one_element(folder: Path) -> None:
    (folder / "two.sdf").write_text(
        "<sdf version='1.9'><light name='l' type='point'/><model name='m'><link "
        "name='a'/></model></sdf>"
    )
    (folder / "none.sdf").write_text("<sdf version='1.9'/>")
    found = codes_in(
        folder,
        in_world("<include><uri>two.sdf</uri></include><include><uri>none.sdf</uri></include>"),
    )
    assert found == ["sdf.extra-element", "sdf.include-empty"]


# --- interface models -----------------------------------------------------------------------------


def test_the_links_and_joints_of_an_included_urdf_can_be_referenced(folder: Path) -> None:
    scene = load_main(
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


def test_an_included_urdf_keeps_its_fixed_joints(tmp_path: Path) -> None:
    (tmp_path / "bot.urdf").write_text(
        """<robot name='bot'><link name='base'/><link name='plate'/>
        <joint name='mount' type='fixed'><origin xyz='0 0 2'/><parent link='base'/><child link='plate'/></joint>
        </robot>"""
    )
    scene = compose(
        tmp_path,
        "<world name='w'><include><uri>bot.urdf</uri><pose>1 0 0 0 0 0</pose></include></world>",
    )
    assert_pose(X_WL(scene, "bot::plate"), transform(1, 0, 2))
    assert joint_of(scene, "bot::mount").parent == "bot::base"


def test_a_urdf_can_be_merged_and_included_twice(folder: Path) -> None:
    scene = load_main(
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


def test_included_directives_are_a_model_that_contains_their_models(folder: Path) -> None:
    (folder / "pair.dmd.yaml").write_text(
        "directives:\n"
        "- add_model: {name: left, file: bot.urdf}\n"
        "- add_model: {name: right, file: bot.urdf, default_free_body_pose: {torso: {translation: "
        "[0, 1, 0]}}}\n"
    )
    scene = load_main(
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


def test_subjects_of_an_included_urdf_are_names_in_the_whole_scene(folder: Path) -> None:
    unread = ROBOT.replace("<link name='head'/>", "<link name='head'><unread/></link><unread/>")
    (folder / "bot.urdf").write_text(unread)
    include = "<include><uri>bot.urdf</uri><name>{}</name><pose/></include>"
    scene = load_main(folder, in_world(include.format("u") + include.format("v")))
    subjects = [entry.subjects for entry in scene.diagnostics if entry.code == "xml.unread"]
    assert sorted(subjects) == [("u", "v"), ("u::head", "v::head")]
    merged = "<include merge='true'><uri>bot.urdf</uri></include>"
    scene = load_main(folder, in_model(merged).replace("torso", "chest"))
    subjects = [entry.subjects for entry in scene.diagnostics if entry.code == "xml.unread"]
    assert sorted(subjects) == [("head",), ("robot",)]


# The choice of a model file by ``model.config``.


def test_the_file_of_the_newest_known_version_is_used(folder: Path) -> None:
    for minor in ("4", "8", "9", "99"):
        (folder / "arm" / f"{minor}.sdf").write_text(
            ARM.replace("name='arm'", f"name='arm{minor}'")
        )
    entries = "".join(
        f"<sdf version='1.{minor}'>{minor}.sdf</sdf>" for minor in ("8", "99", "9", "4")
    )
    (folder / "arm" / "model.config").write_text(f"<model>{entries}</model>")
    scene = load_main(folder, in_world("<include><uri>model://arm</uri></include>"))
    assert scene.models[0].name == "arm9"
    assert [entry.code for entry in scene.diagnostics if entry.severity == "warning"] == [
        "sdf.newer-model-file"
    ]


@pytest.mark.parametrize("order", [(0, 1, 2), (2, 1, 0), (1, 2, 0)])
def test_the_order_of_the_entries_does_not_matter(tmp_path: Path, order: tuple[int, ...]) -> None:
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


def test_an_entry_without_a_version_has_precedence(tmp_path: Path) -> None:
    (tmp_path / "model.config").write_text(
        "<model><sdf version='1.9'>a.sdf</sdf><sdf>b.sdf</sdf></model>"
    )
    include = Node("include", {}, file="main.sdf", line=1, diagnostics=Diagnostics())
    assert model_file(tmp_path, include) == tmp_path / "b.sdf"


def test_the_old_name_of_the_manifest_is_noted(folder: Path) -> None:
    (folder / "arm" / "model.config").rename(folder / "arm" / "manifest.xml")
    assert "sdf.old-manifest" in codes_in(folder, in_world("<include><uri>arm</uri></include>"))


def test_a_folder_without_a_manifest_is_an_error_and_other_errors_are_reported_too(
    folder: Path,
) -> None:
    (folder / "bare").mkdir()
    found = codes_in(
        folder,
        in_world("<include><uri>bare</uri></include><model name='n'><link name=''/></model>"),
    )
    assert {"sdf.no-model-config", "sdf.no-name"} <= set(found)


@pytest.mark.parametrize("kind", ["absolute", "parent", "link"])
def test_a_manifest_names_no_file_outside_its_folder(tmp_path: Path, kind: str) -> None:
    folder = tmp_path / "arm"
    folder.mkdir()
    secret = tmp_path / "secret.sdf"
    secret.write_text(ARM)
    (folder / "link.sdf").symlink_to(secret)
    name = {"absolute": str(secret), "parent": "../secret.sdf", "link": "link.sdf"}[kind]
    (folder / "model.config").write_text(f"<model><sdf>{name}</sdf></model>")
    diagnostics = Diagnostics()
    node = Node("include", {}, file="w.sdf", line=1, diagnostics=diagnostics)
    assert model_file(folder, node) is None
    assert [entry.code for entry in diagnostics] == ["sdf.model-file-outside"]
    assert model_file(folder, node, unsafe_paths=True) is not None


def test_a_version_of_thousands_of_digits_is_a_newer_version(tmp_path: Path) -> None:
    (tmp_path / "model.config").write_text(
        f"<model><sdf version='1.{'9' * 5000}'>a.sdf</sdf></model>"
    )
    diagnostics = Diagnostics()
    node = Node("include", {}, file="w.sdf", line=1, diagnostics=diagnostics)
    assert model_file(tmp_path, node) is None
    assert [entry.code for entry in diagnostics] == ["sdf.newer-model-file", "sdf.no-model-config"]


# The stand-ins of sun and ground plane: named, refused by strict loading, and what Gazebo's models
# are.

FUEL = "https://fuel.gazebosim.org/1.0/OpenRobotics/models"
WORLD = "<sdf version='1.9'><world name='w'><include><uri>{}</uri></include></world></sdf>"


@pytest.mark.parametrize("uri", ["model://sun", "model://sun/", f"{FUEL}/Sun"])
def test_a_missing_sun_becomes_a_directional_light(uri: str) -> None:
    scene = loaders.load_string(WORLD.format(uri), format="sdf", quiet=True)
    assert [(light.name, light.type) for light in scene.lights] == [("sun", "directional")]
    assert [entry.code for entry in scene.diagnostics if entry.severity != "note"] == [
        "sdf.include-not-found"
    ]


@pytest.mark.parametrize(
    "uri", ["model://ground_plane", f"{FUEL}/Ground Plane", f"{FUEL}/Ground%20Plane"]
)
def test_a_missing_ground_plane_becomes_a_static_plane(uri: str) -> None:
    scene = loaders.load_string(WORLD.format(uri), format="sdf", quiet=True)
    assert scene.models[0].static
    (collision,) = scene.links[0].collisions
    assert isinstance(collision.geometry, Plane)
    assert collision.surface.friction.mu == 100.0


@pytest.mark.parametrize("uri", ["model://sun", "model://ground_plane"])
def test_strict_loading_refuses_a_missing_model_all_the_same(uri: str) -> None:
    with pytest.raises(loaders.LoadError, match="stand-in"):
        loaders.load_string(WORLD.format(uri), format="sdf", strict=True)


def test_other_models_have_no_stand_in() -> None:
    assert parse_stand_in("model://sunflower", Diagnostics()) is None
