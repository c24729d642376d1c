"""Directives and one file for each model move as the scene, for our reader and for Drake."""

from __future__ import annotations

import dataclasses
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import bridge
import loaders
from bridge.diff.mechanics import mechanical_error
from bridge.targets.target import BUILT_IN
from tests.support.scenes import link, random_pose, scene

WORLD = """<sdf version='1.12'><world name='hall'><gravity>0 0 -9.81</gravity>
<model name='arm'><pose>1 2 3 0.1 0.2 0.3</pose>
<link name='base'/><link name='tip'><pose>0 0 1 0 0 0.4</pose></link>
<joint name='j' type='revolute'><parent>base</parent><child>tip</child><axis><xyz>1 0 0</xyz></axis></joint>
<joint name='hold' type='fixed'><parent>world</parent><child>base</child></joint></model>
<model name='box'><pose>0 0 5 0 0 1</pose><link name='base'><inertial><mass>2</mass></inertial></link></model>
<model name='lid'><pose>0 0 6 0 0 1</pose><link name='base'/></model>
<joint name='glue' type='fixed'><parent>box::base</parent><child>lid::base</child></joint>
<frame name='spot'><pose>1 0 0 0 0 0.5</pose></frame>
</world></sdf>"""


@pytest.fixture(scope="module")
def hall() -> loaders.Scene:
    return loaders.load_string(WORLD, format="sdf")


@pytest.mark.parametrize("models", ["sdf", "urdf"])
def test_what_is_read_back_moves_as_the_scene(
    hall: loaders.Scene, models: str, tmp_path: Path
) -> None:
    result = bridge.export_directives(hall, tmp_path / "out", models=models)  # type: ignore[arg-type]
    found = loaders.load(result.path)
    assert mechanical_error(hall, found, result.names).is_within(1e-9)
    assert {frame.name for frame in found.frames} == {"spot"}
    assert [entry for entry in result.diagnostics if entry.severity == "warning"] == []


def test_each_model_has_a_file_of_its_own(hall: loaders.Scene, tmp_path: Path) -> None:
    result = bridge.export_directives(hall, tmp_path / "out")
    assert set(result.files) == {
        "hall.dmd.yaml",
        "arm.sdf",
        "box.sdf",
        "lid.sdf",
        "package.xml",
        "README.md",
        "FIDELITY.md",
    }
    assert "package://hall/arm.sdf" in result.path.read_text()


def test_trees_are_not_torn_apart(hall: loaders.Scene, tmp_path: Path) -> None:
    result = bridge.export_directives(hall, tmp_path / "out", models="urdf")
    assert {file for file in result.files if file.endswith(".urdf")} == {
        "arm.urdf",
        "box_base.urdf",
    }


@pytest.mark.parametrize("models", ["sdf", "urdf"])
def test_drake_places_the_links_where_the_scene_has_them(
    hall: loaders.Scene, models: str, tmp_path: Path
) -> None:
    parsing = pytest.importorskip("pydrake.multibody.parsing")
    from pydrake.multibody.plant import MultibodyPlant

    result = bridge.export_directives(hall, tmp_path / "out", models=models)  # type: ignore[arg-type]
    plant = MultibodyPlant(0.001)
    parser = parsing.Parser(plant)
    parser.package_map().Add("hall", str(tmp_path / "out"))
    parser.AddModels(str(result.path))
    plant.Finalize()
    context = plant.CreateDefaultContext()
    found = loaders.load(result.path)
    for name, X_WL in bridge.lower(found).link_poses().items():
        model, _, body = name.rpartition("::")
        pose = plant.GetBodyByName(body, plant.GetModelInstanceByName(model)).EvalPoseInWorld(
            context
        )
        np.testing.assert_allclose(pose.translation(), X_WL.p, atol=1e-12)
        np.testing.assert_allclose(pose.rotation().matrix(), X_WL.R, atol=1e-12)


def test_initial_positions_are_those_of_the_joints(hall: loaders.Scene, tmp_path: Path) -> None:
    started = (
        dataclasses.replace(joint, default_position=(0.5,)) if joint.name == "arm::j" else joint
        for joint in hall.joints
    )
    result = bridge.export_directives(
        dataclasses.replace(hall, joints=tuple(started)), tmp_path / "out"
    )
    found = {joint.name: joint.default_position for joint in loaders.load(result.path).joints}
    assert found["arm::j"] == (0.5,)


def test_one_model_takes_its_name_as_scope(tmp_path: Path) -> None:
    leg = Path(__file__).parents[4] / "assets" / "leg.sdf"
    result = bridge.export_directives(leg, tmp_path / "out")
    scene, found = loaders.load(leg), loaders.load(result.path)
    assert {link.name for link in found.links} == {f"leg::{link.name}" for link in scene.links}
    assert "dmdout.name" in {entry.code for entry in result.diagnostics}


def test_a_folder_is_stale_when_the_scene_changes(hall: loaders.Scene, tmp_path: Path) -> None:
    bridge.export_directives(hall, tmp_path / "out")
    assert BUILT_IN["directives"].stale_files(hall, tmp_path / "out") == ()
    changed = loaders.load_string(WORLD.replace("<mass>2", "<mass>3"), format="sdf")
    assert BUILT_IN["directives"].stale_files(changed, tmp_path / "out") == ("box.sdf",)


def test_a_model_of_nested_models_alone_is_one_model(tmp_path: Path) -> None:
    text = """<sdf version="1.9"><model name="top"><model name="sub"><link name="a"/></model>
        <model name="other"><pose>1 0 0 0 0 0</pose><link name="a"/></model></model></sdf>"""
    source = loaders.load_string(text, format="sdf", quiet=True)
    result = bridge.export_directives(source, tmp_path / "top", quiet=True)
    found = loaders.load(result.path, package_map={"top": str(tmp_path / "top")}, quiet=True)
    assert {link.name: tuple(link.X_WL.p) for link in found.links} == {
        "top::sub::a": (0.0, 0.0, 0.0),
        "top::other::a": (1.0, 0.0, 0.0),
    }


def test_the_text_and_its_files_are_those_of_a_folder(tmp_path: Path) -> None:
    scene = loaders.load_string(WORLD, format="sdf", quiet=True)
    directives = bridge.to_directives(scene, quiet=True)
    result = bridge.export_directives(scene, tmp_path / "hall", quiet=True)
    assert str(directives) == result.path.read_text()
    assert {"FIDELITY.md", "README.md", "hall.dmd.yaml", *directives.assets} == set(result.files)
    assert all(
        (tmp_path / "hall" / name).read_bytes() == data for name, data in directives.assets.items()
    )
    assert directives.names == result.names
    assert directives.diagnostics == result.diagnostics


@pytest.mark.parametrize("models", ["sdf", "urdf"])
def test_what_was_written_is_written_the_same_again(models: Any, tmp_path: Path) -> None:
    """A model of two free links far from decimals, of which directives and documents state the
    poses.
    """
    loose = scene(
        [link(name, X_WL=random_pose(np.random.default_rng(i))) for i, name in enumerate("ab")]
    )
    first = bridge.export_directives(loose, tmp_path / "first", models=models)
    again = bridge.export_directives(loaders.load(first.path), tmp_path / "again", models=models)
    texts = [
        {
            name: re.sub("#.*", "", (result.path.parent / name).read_text())
            for name in result.files
            if not name.endswith(".md")
        }
        for result in (first, again)
    ]
    assert texts[0] == texts[1]


def test_drake_reads_directives_without_a_model(tmp_path: Path) -> None:
    pytest.importorskip("pydrake", reason="Drake reads directives")
    from pydrake.multibody.parsing import LoadModelDirectives

    nothing = loaders.load_string("<mujoco model='nothing'/>", format="mjcf")
    result = bridge.export_directives(nothing, tmp_path / "out", quiet=True)
    assert LoadModelDirectives(str(result.path)).directives == []


# Unknown options and values are refused with the choices.


def test_unknown_options_and_values(tmp_path: Path) -> None:
    given = scene([link("a")])
    with pytest.raises(TypeError, match="did you mean 'models'"):
        bridge.export_directives(given, tmp_path / "x", model="sdf")  # type: ignore[call-arg]
    with pytest.raises(ValueError, match="expected one of: sdf, urdf"):
        bridge.export_directives(given, tmp_path / "x", models="mjcf")  # type: ignore[arg-type]
    assert not (tmp_path / "x").exists()


@pytest.mark.parametrize("name", ["a\x7fb", "a\x85b", "a\u2028b", "a\u202eb", 'a"\\b', "a: b #c"])
def test_a_name_with_any_character_is_read_back(name: str, tmp_path: Path) -> None:
    world = WORLD.replace("'arm'", f"'{name}'")
    result = bridge.export_directives(loaders.load_string(world, format="sdf"), tmp_path / "out")
    assert {link.name for link in loaders.load(result.path).links} >= {f"{name}::base"}
