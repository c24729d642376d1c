"""The document of a scene, its SRDF, its folder, several trees, Gazebo's extensions and options."""

from __future__ import annotations

import dataclasses
import itertools
import re
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest

import bridge
import loaders
from bridge.diagnostic_codes import CODES
from bridge.diff.mechanics import mechanical_error
from bridge.targets.report import read_back, require_equal
from bridge.targets.target import BUILT_IN
from bridge.targets.urdf.document import build, srdf_text
from loaders import model as m
from loaders.diagnostics import ExportError
from loaders.model import WORLD, JointType
from loaders.pose import IDENTITY, Pose
from tests.code_examples import scenes as s
from tests.support.scenes import UNIT_BOX, joint, link, scene
from tests.support.urdf_writer import read, with_poses

# The order of the elements is that in which people write them; the world is a link if a joint needs
# it.


def tags(given: loaders.Scene) -> list[tuple[str, str | None]]:
    return [(child.tag, child.get("name")) for child in ET.fromstring(bridge.to_urdf(given))]


def test_materials_links_and_joints_in_order() -> None:
    red = m.Material(name="red", diffuse=(1.0, 0.0, 0.0, 1.0))
    visual = m.Visual(name="v", X_LG=IDENTITY, geometry=UNIT_BOX, material=red)
    given = scene(
        [link("a", visuals=(visual,)), link("b")], [joint("j", "a", "b"), joint("w", m.WORLD, "a")]
    )
    assert tags(given) == [
        ("material", "red"),
        *(("link", n) for n in ("world", "a", "b")),
        ("joint", "j"),
        ("joint", "w"),
    ]


def test_a_free_robot_has_no_link_for_the_world() -> None:
    assert tags(scene([link("a")])) == [("link", "a")]


# Flags, springs and sensors in Gazebo's extensions, read back.


def test_flags_of_a_link() -> None:
    flags = {"gravity": False, "kinematic": True, "self_collide": True, "enable_wind": True}
    found = read(s.one(**flags, velocity_decay=(0.1, 0.1))).links[0]
    assert {key: getattr(found, key) for key in flags} == flags
    assert found.velocity_decay == (0.1, 0.1)


def test_flags_of_a_model() -> None:
    given = s.one()
    model = dataclasses.replace(
        given.models[0], self_collide=True, allow_auto_disable=False, enable_wind=True
    )
    found = read(dataclasses.replace(given, models=(model,))).models[0]
    assert (found.self_collide, found.allow_auto_disable, found.enable_wind) == (True, False, True)


def test_springs_and_stops() -> None:
    values = {
        "spring_stiffness": 1.0,
        "spring_reference": 0.5,
        "limit_stiffness": 2.0,
        "limit_dissipation": 3.0,
    }
    axis = read(s.hinge(**values)).joints[0].axes[0]
    assert {key: getattr(axis, key) for key in values} == values


def test_sensors() -> None:
    sensor = m.Sensor(
        name="s", type="imu", X_LS=IDENTITY, update_rate=10.0, parameters=(("topic", "t"),)
    )
    (found,) = read(s.one(sensors=(sensor,))).links[0].sensors
    assert (found.name, found.type, found.update_rate, found.parameters) == (
        "s",
        "imu",
        10.0,
        (("topic", "t"),),
    )


def test_the_direction_of_friction_of_a_link() -> None:
    for friction in (m.Friction(fdir1=(1.0, 0.0, 0.0)), m.Friction(mu=0.5, mu2=0.5)):
        shape = m.Collision(
            name="c", X_LG=IDENTITY, geometry=UNIT_BOX, surface=m.Surface(friction=friction)
        )
        found = read(s.one(collisions=(shape,))).links[0].collisions[0].surface.friction
        assert (found.mu, found.fdir1) == (friction.mu, friction.fdir1)


@pytest.mark.parametrize("stated", [True, False])
def test_a_joint_that_reports_its_forces(stated: bool) -> None:
    given = s.hinge(fields={"provide_feedback": stated})
    assert read(given).joints[0].provide_feedback is stated
    assert ("provideFeedback" in bridge.to_urdf(given)) is stated


# The pairs that never collide, read from the written SRDF, are those of the model.

LINKS = [link(name, shape=UNIT_BOX) for name in "abcd"]
CHAIN = scene(
    LINKS,
    [joint(f"{p}{c}", p, c) for p, c in itertools.pairwise("abcd")],
    filter_groups=(m.FilterGroup(name="g", links=("a", "d")),),
    filter_rules=(m.FilterRule(a="g", b="g"),),
)


def test_each_excluded_pair_is_listed_once_with_its_reason() -> None:
    text = srdf_text(CHAIN, CHAIN, {})
    assert '<disable_collisions link1="a" link2="d" reason="Never"/>' in text
    pairs = CHAIN.excluded_collision_pairs()
    assert text.count("<disable_collisions") == len(pairs)
    assert text.count("Adjacent") == sum(
        pair in pairs for pair in map(frozenset, itertools.pairwise("abcd"))
    )


def test_a_reader_finds_the_pairs_of_the_model(tmp_path: Path) -> None:
    result = bridge.export_urdf(CHAIN, tmp_path / "m", write_srdf=True, extensions=())
    assert "test.srdf" in result.files
    found = loaders.load(result.path, srdf=tmp_path / "m" / "test.srdf")
    assert CHAIN.excluded_collision_pairs() <= found.excluded_collision_pairs()
    assert frozenset("ad") not in loaders.load(result.path).excluded_collision_pairs()


# An exported folder holds the document, its assets, a README and a report, and is checked before it
# is written.

ASSETS = Path(__file__).parents[4] / "assets"


def test_a_folder_reads_back_with_its_meshes(tmp_path: Path) -> None:
    result = bridge.export_urdf(ASSETS / "arm" / "model.sdf", tmp_path / "arm", quiet=True)
    assets = ("assets/capsule.obj", "assets/ellipsoid.obj", "assets/finger.obj")
    assert result.files == ("FIDELITY.md", "README.md", "arm.urdf", *assets)
    found = loaders.load(result.path, quiet=True)
    meshes = {
        c.geometry.path for item in found.links for c in item.visuals if hasattr(c.geometry, "path")
    }
    assert meshes == {str(tmp_path / "arm" / name) for name in assets[1:]}


def test_a_second_export_of_the_export_writes_the_same_document(tmp_path: Path) -> None:
    first = bridge.export_urdf(ASSETS / "arm" / "model.sdf", tmp_path / "a", quiet=True).path
    second = bridge.export_urdf(first, tmp_path / "b", quiet=True).path
    texts = [re.sub("<!--.*-->", "", path.read_text()) for path in (first, second)]
    assert texts[0] == texts[1]


def test_a_folder_is_stale_when_the_source_changes(tmp_path: Path) -> None:
    bridge.export_urdf(scene([link("a")]), tmp_path / "m")
    assert BUILT_IN["urdf"].stale_files(scene([link("a")]), tmp_path / "m") == ()
    assert "test.urdf" in BUILT_IN["urdf"].stale_files(scene([link("b")]), tmp_path / "m")


def test_a_document_that_says_another_model_is_refused() -> None:
    text = str(bridge.to_urdf(scene([link("a")])))
    failures = read_back(
        {"x.urdf": text.encode()}, "x.urdf", scene([link("b")]), CODES["urdfout.read-back"]
    )
    with pytest.raises(ExportError, match="link b is only in A"):
        require_equal(failures)


def test_one_file_names_its_assets_in_the_given_folder() -> None:
    text, assets, _ = BUILT_IN["urdf"].single_file(
        ASSETS / "arm" / "model.sdf", assets="arm_assets", quiet=True
    )
    (folder,) = {name.partition("/")[0] for name in assets}  # named after the content
    assert f'filename="arm_assets/{folder}/finger.obj"' in text
    assert set(assets) == {f"{folder}/{name}.obj" for name in ("capsule", "ellipsoid", "finger")}


# A scene of several trees is exported as a URDF for each and directives that place them.

AWAY = Pose.from_xyz_rpy((1.0, 2.0, 3.0), (0.1, 0.2, 0.3))
TREES = with_poses(
    scene(
        [link("a"), link("b"), link("c", X_WL=AWAY), link("d")],
        [joint("ab", "a", "b"), joint("cd", "c", "d", X_CJ=Pose.of(p=(0.1, 0.2, 0.0)))],
    )
)


def test_the_trees_move_as_the_scene(tmp_path: Path) -> None:
    result = bridge.export_urdf(TREES, tmp_path / "out")
    assert result.path.name == "test.dmd.yaml"
    assert {file for file in result.files if file.endswith(".urdf")} == {"a.urdf", "c.urdf"}
    found = loaders.load(result.path)
    names = {
        "a": "a::a",
        "b": "a::b",
        "c": "c::c",
        "d": "c::d_origin",
        "ab": "a::ab",
        "cd": "c::cd",
    }
    error = mechanical_error(TREES, found, names)
    assert not error.missing
    assert error.pose < 1e-9
    assert error.mass_matrix < 1e-9


def test_the_pose_of_a_free_root_is_not_lost(tmp_path: Path) -> None:
    result = bridge.export_urdf(TREES, tmp_path / "out")
    assert "default_free_body_pose" in result.path.read_text()
    assert "urdfout.root-pose" not in {entry.code for entry in result.diagnostics}


def test_one_document_cannot_state_several_trees() -> None:
    with pytest.raises(ExportError, match="a URDF has one tree"):
        bridge.to_urdf(TREES)


def test_the_folder_is_current_until_the_scene_changes(tmp_path: Path) -> None:
    bridge.export_urdf(TREES, tmp_path / "out")
    assert BUILT_IN["urdf"].stale_files(TREES, tmp_path / "out") == ()
    assert BUILT_IN["urdf"].stale_files(scene([link("a"), link("b")]), tmp_path / "out")


def test_a_root_that_is_held_has_no_pose_of_a_free_body(tmp_path: Path) -> None:
    held = joint("hold", WORLD, "c", JointType.FIXED, X_PJ=AWAY)
    result = bridge.export_urdf(
        with_poses(scene(TREES.links, (*TREES.joints, held))), tmp_path / "out"
    )
    poses = {each.name: each.X_WL for each in loaders.load(result.path).links}
    assert "default_free_body_pose" not in result.path.read_text()
    assert poses["c::c"].is_close(AWAY, 1e-9)


# A loss is an error if that is asked for.


def test_strict_refuses_a_loss() -> None:
    given = scene([link("a")], [joint("j", "world", "a", default_position=(0.5,))])
    assert [entry.code for entry in build(given, {}).diagnostics] == ["urdfout.field"]
    with pytest.raises(ExportError, match="default position"):
        bridge.to_urdf(given, strict=True)


# Unknown options and values are refused with the choices.

T = m.JointType


def test_unknown_options_and_values() -> None:
    given = scene([link("a")])
    with pytest.raises(TypeError, match="did you mean 'extensions'"):
        bridge.to_urdf(given, extension=())  # type: ignore[call-arg]
    with pytest.raises(ValueError, match="drake, gazebo, pybullet"):
        bridge.to_urdf(given, extensions=("ros",))  # type: ignore[list-item]
    with pytest.raises(TypeError, match="a sequence"):
        bridge.to_urdf(given, extensions="drake")  # type: ignore[arg-type]
    for option in ("joints", "frame_links", "meshes"):
        with pytest.raises(ValueError, match=f"unknown value 'some' of {option}; expected one of"):
            bridge.to_urdf(given, **{option: "some"})  # type: ignore[arg-type]


def test_couplings_and_actuators_are_written_unless_they_are_switched_off() -> None:
    given = dataclasses.replace(
        s.coupled("bc", "ab", T.REVOLUTE, T.REVOLUTE), actuators=(m.Actuator(name="x", joint="ab"),)
    )
    assert "<mimic" in bridge.to_urdf(given)
    assert "<transmission" in bridge.to_urdf(given)
    urdf = bridge.to_urdf(given, couplings=False, transmissions=False)
    assert "<mimic" not in urdf
    assert "<transmission" not in urdf
    assert [
        entry.arguments["field"] for entry in urdf.diagnostics if entry.code == "urdfout.field"
    ] == [
        "couplings",
        "actuators",
    ]


@pytest.mark.parametrize("extension", ["drake", "gazebo", "pybullet"])
def test_each_extension_is_written_only_where_it_is_allowed(extension: str) -> None:
    tags = {"drake": "drake:surface_velocity_axis", "gazebo": "<gazebo", "pybullet": "<contact"}
    given = s.rubbing(mu=0.5, mu2=0.5, rolling=0.1)
    links = tuple(
        dataclasses.replace(k, gravity=False, surface_velocity_axis=(1.0, 0.0, 0.0))
        for k in given.links
    )
    given = dataclasses.replace(given, links=links)
    assert tags[extension] in bridge.to_urdf(given)
    others = tuple(name for name in tags if name != extension)
    assert tags[extension] not in bridge.to_urdf(given, extensions=others)  # type: ignore[arg-type]
