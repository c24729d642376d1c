"""The document of a scene, its folder and its options."""

from __future__ import annotations

import dataclasses
import re
import xml.etree.ElementTree as ET
from pathlib import Path

import numpy as np
import pytest

import bridge
import loaders
from bridge.diagnostic_codes import CODES
from bridge.targets.report import read_back, require_equal
from bridge.targets.sdf.document import build, model_config
from bridge.targets.target import BUILT_IN
from loaders import model as m
from loaders.diagnostics import ExportError
from loaders.pose import IDENTITY, Pose
from tests.support.scenes import joint, link, scene
from tests.support.sdf_writer import element, read

# The document has the models of the scene, each with what belongs to it.

X = Pose.from_xyz_rpy((1.0, 2.0, 3.0), (0.1, 0.2, 0.3))


def test_nested_models_keep_names_poses_and_canonical_links() -> None:
    models = (
        m.Model(name="r", X_WM=X, canonical_link="n::b"),
        m.Model(name="n", X_WM=X @ X, canonical_link="n::c", static=False, self_collide=True),
    )
    links = [
        link("a", model="r", X_WL=X),
        link("n::b", model="n", X_WL=X),
        link("n::c", model="n", X_WL=X @ X @ X),
    ]
    given = scene(links, models=models)
    found = read(given)
    assert [(item.name, item.canonical_link, item.self_collide) for item in found.models] == [
        ("test", "n::b", False),
        ("n", "n::c", True),
    ]
    for ours, theirs in zip(given.links, found.links, strict=True):
        assert ours.X_WL.is_close(theirs.X_WL)
    assert element(given, "model/model").get("name") == "n"


def test_a_world_has_its_settings() -> None:
    given = scene(
        [link("a")],
        physics=m.Physics(
            time_step=0.002, engine="bullet", parameters=(("bullet/solver/iters", "7"),)
        ),
        lights=(
            m.Light(name="sun", type="directional", link=m.WORLD, X_LLight=IDENTITY, intensity=2.0),
        ),
    )
    found = read(given)
    assert found.physics == given.physics
    assert [(light.name, light.intensity) for light in found.lights] == [("sun", 2.0)]


# An exported folder holds the document, its assets, a README and a report, and is checked before it
# is written.

ASSETS = Path(__file__).parents[4] / "assets"


def test_a_folder_reads_back_with_its_meshes(tmp_path: Path) -> None:
    result = bridge.export_sdf(ASSETS / "arm" / "model.sdf", tmp_path / "arm")
    assert result.files == ("FIDELITY.md", "README.md", "arm.sdf", "assets/finger.obj")
    found = loaders.load(result.path)
    meshes = {
        c.geometry.path for item in found.links for c in item.visuals if hasattr(c.geometry, "path")
    }
    assert meshes == {str(tmp_path / "arm" / "assets" / "finger.obj")}


def test_a_second_export_of_the_export_writes_the_same_document(tmp_path: Path) -> None:
    first = bridge.export_sdf(ASSETS / "arm" / "model.sdf", tmp_path / "a").path
    second = bridge.export_sdf(first, tmp_path / "b").path
    texts = [re.sub("<!--.*-->", "", path.read_text()) for path in (first, second)]
    assert texts[0] == texts[1]


def test_a_folder_is_stale_when_the_source_changes(tmp_path: Path) -> None:
    bridge.export_sdf(scene([link("a")]), tmp_path / "m")
    assert BUILT_IN["sdf"].stale_files(scene([link("a")]), tmp_path / "m") == ()
    assert "test.sdf" in BUILT_IN["sdf"].stale_files(scene([link("b")]), tmp_path / "m")


@pytest.mark.parametrize(
    "name", ["double_pendulum.urdf", "leg.sdf", "arm/model.sdf", "orthogonal_x.sdf"]
)
def test_every_difference_of_the_written_file_is_in_the_report(name: str, tmp_path: Path) -> None:
    result = bridge.export_sdf(ASSETS / name, tmp_path / "out", quiet=True)
    reported = {subject for entry in result.diagnostics for subject in entry.subjects}
    assert {
        entry.name for entry in bridge.compare_files(ASSETS / name, result.path).differences
    } <= reported


def test_a_document_that_says_another_model_is_refused() -> None:
    text = str(bridge.to_sdf(scene([link("a")])))
    failures = read_back(
        {"x.sdf": text.encode()}, "x.sdf", scene([link("b")]), CODES["sdfout.read-back"]
    )
    with pytest.raises(ExportError, match="link b is only in A"):
        require_equal(failures)


def test_one_file_names_its_assets_in_the_given_folder() -> None:
    text, assets, _ = BUILT_IN["sdf"].single_file(ASSETS / "arm" / "model.sdf", assets="arm_assets")
    (name,) = assets
    assert f"<uri>arm_assets/{name}</uri>" in text
    assert re.fullmatch(r"[0-9a-f]{16}/finger\.obj", name)  # in a folder named after the content


def test_gazebo_finds_the_model_by_its_description(tmp_path: Path) -> None:
    result = bridge.export_sdf(
        ASSETS / "leg.sdf", tmp_path / "leg", model_config=True, version="1.9"
    )
    assert "model.config" in result.files
    assert '<sdf version="1.9">leg.sdf</sdf>' in (tmp_path / "leg" / "model.config").read_text()
    include = "<include><uri>model://leg</uri></include>"
    world = f'<sdf version="1.9"><world name="w">{include}</world></sdf>'
    assert loaders.load_string(world, format="sdf", paths=[tmp_path]).models[0].name == "leg"


def test_a_described_model_leaves_gravity_to_its_world(tmp_path: Path) -> None:
    moon = dataclasses.replace(scene([link("a")]), gravity=np.array([0.0, 0.0, -1.62]))
    result = bridge.export_sdf(moon, tmp_path / "m", model_config=True)
    assert "<world" not in result.path.read_text()
    assert "sdfout.world-settings" in {entry.code for entry in result.diagnostics}


# The description of a model names its file and the version of SDFormat that this has.


def test_the_description_names_the_file_and_its_version() -> None:
    root = ET.fromstring(model_config("my robot", "robot.sdf", "1.9"))
    assert root.tag == "model"
    assert root.findtext("name") == "my robot"
    assert root.findtext("sdf") == "robot.sdf"
    assert root.find("sdf[@version='1.9']") is not None


# The options are checked, and a loss is an error if that is asked for.


def test_strict_refuses_a_loss() -> None:
    given = scene(
        [link("a")], [joint("j", "world", "a", default_position=(0.5,), axis={"effort": 0.0})]
    )
    assert [entry.code for entry in build(given, {}).diagnostics] == ["sdfout.default-position"]
    with pytest.raises(ExportError, match="initial positions"):
        bridge.to_sdf(given, strict=True)


# Unknown options and values are refused with the choices.


def test_unknown_options_and_values() -> None:
    given = scene([link("a")])
    with pytest.raises(TypeError, match="did you mean 'world'"):
        bridge.to_sdf(given, wrld="auto")  # type: ignore[call-arg]
    with pytest.raises(ValueError, match="auto, always, never"):
        bridge.to_sdf(given, world="perhaps")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match=r"expected one of: .*, lowest"):
        bridge.to_sdf(given, version="1.13")
    with pytest.raises(ValueError, match="beside model_config"):
        bridge.to_sdf(given, world="always", model_config=True)
