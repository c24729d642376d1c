"""An exported folder holds the document, its assets, a README and a report, and is checked before
it is written.
"""

from __future__ import annotations

import dataclasses
import re
from pathlib import Path

import numpy as np
import pytest

import bridge
import loaders
from bridge.diagnostic_codes import CODES
from bridge.targets.report import read_back, require_equal
from bridge.targets.target import BUILT_IN
from loaders.diagnostics import ExportError
from tests.support.scenes import link, scene

ASSETS = Path(__file__).parents[3] / "assets"


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
    assert "<uri>arm_assets/finger.obj</uri>" in text
    assert set(assets) == {"finger.obj"}


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
