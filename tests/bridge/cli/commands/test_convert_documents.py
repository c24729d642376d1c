"""The command convert writes SDFormat as a folder or as one file."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import loaders
from bridge.cli import main

ARM = str(Path(__file__).parents[4] / "assets" / "arm" / "model.sdf")


def test_the_suffix_of_the_output_selects_one_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["convert", ARM, str(tmp_path / "x.sdf"), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["files"] == [
        str(tmp_path / "x.sdf"), str(tmp_path / "x_assets" / "finger.obj"),
    ]  # fmt: skip
    assert loaders.load(tmp_path / "x.sdf").name == "arm"


def test_a_folder_is_written_checked_and_kept_current(tmp_path: Path) -> None:
    words = ["convert", ARM, str(tmp_path / "arm"), "--to", "sdf"]
    assert main([*words, "--check"]) == 1
    assert main(words) == 0
    assert main([*words, "--check"]) == 0
    assert (tmp_path / "arm" / "arm.sdf").is_file()


@pytest.mark.parametrize("option", [["--actuators", "motor"], ["--inertia", "from_geometry"], ["--base", "fixed"]])
def test_options_of_mjcf_are_refused(option: list[str], tmp_path: Path) -> None:
    assert main(["convert", ARM, str(tmp_path / "x.sdf"), *option]) == 2
    assert main(["convert", ARM, str(tmp_path / "x.sdf"), "--check"]) == 2


def test_urdf_by_the_suffix_and_by_the_option(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["convert", ARM, str(tmp_path / "x.urdf")]) == 0
    assert loaders.load(tmp_path / "x.urdf").name == "arm"
    assert (tmp_path / "x_assets" / "finger.obj").is_file()
    words = ["convert", ARM, str(tmp_path / "arm"), "--to", "urdf"]
    assert main(words) == 0
    assert (tmp_path / "arm" / "arm.urdf").is_file()
    assert main([*words, "--check"]) == 0
    capsys.readouterr()


def test_the_version_and_the_description_of_a_model(tmp_path: Path) -> None:
    words = ["convert", ARM, str(tmp_path / "arm"), "--to", "sdf", "--sdf-version", "lowest", "--model-config"]
    assert main(words) == 0
    assert 'version="1.8"' in (tmp_path / "arm" / "arm.sdf").read_text()
    assert (tmp_path / "arm" / "model.config").is_file()


@pytest.mark.parametrize("target", ["urdf", "mjcf"])
def test_options_of_sdformat_are_refused_for_other_targets(target: str, tmp_path: Path) -> None:
    assert main(["convert", ARM, str(tmp_path / "x"), "--to", target, "--sdf-version", "1.9"]) == 2
    assert not (tmp_path / "x").exists()


def test_the_options_of_urdf(tmp_path: Path) -> None:
    words = ["--extensions", "none", "--joints", "plain", "--frame-links", "all", "--meshes", "package", "--write-srdf"]
    assert main(["convert", ARM, str(tmp_path / "arm"), "--to", "urdf", "--no-couplings", *words]) == 0
    text = (tmp_path / "arm" / "arm.urdf").read_text()
    assert "drake:" not in text
    assert "package://arm/assets/finger.obj" in text
    assert (tmp_path / "arm" / "arm.srdf").is_file()
    assert main(["convert", ARM, str(tmp_path / "x.urdf"), "--meshes", "package"]) == 2
    assert main(["convert", ARM, str(tmp_path / "x.urdf"), "--extensions", "ros"]) == 2
    assert main(["convert", ARM, str(tmp_path / "x.sdf"), "--no-couplings"]) == 2


def test_directives_are_a_folder(tmp_path: Path) -> None:
    words = ["convert", ARM, str(tmp_path / "scene"), "--to", "directives"]
    assert main([*words, "--models", "urdf"]) == 0
    assert (tmp_path / "scene" / "arm.dmd.yaml").is_file()
    assert main([*words, "--models", "urdf", "--check"]) == 0
    assert main([*words, "--check"]) == 1
    assert main(["convert", ARM, str(tmp_path / "x.dmd.yaml")]) == 2
    assert main(["convert", ARM, str(tmp_path / "x"), "--to", "sdf", "--models", "urdf"]) == 2
