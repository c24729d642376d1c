"""An exported folder holds the document, its assets, a README and a report, and is checked before
it is written.
"""

from __future__ import annotations

import re
from pathlib import Path

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
    assert 'filename="arm_assets/finger.obj"' in text
    assert set(assets) == {"capsule.obj", "ellipsoid.obj", "finger.obj"}
