"""The command convert writes SDFormat as a folder or as one file."""

from __future__ import annotations

import json
from pathlib import Path

import mujoco
import pytest

import loaders
from bridge.cli import main

ARM = str(Path(__file__).parents[4] / "assets" / "arm" / "model.sdf")


def test_the_suffix_of_the_output_selects_one_file(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["convert", ARM, str(tmp_path / "x.sdf"), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["files"] == [
        str(tmp_path / "x.sdf"),
        str(*tmp_path.glob("x_assets/*/finger.obj")),
    ]
    assert loaders.load(tmp_path / "x.sdf").name == "arm"


def test_a_folder_is_written_checked_and_kept_current(tmp_path: Path) -> None:
    words = ["convert", ARM, str(tmp_path / "arm"), "--to", "sdf"]
    assert main([*words, "--check"]) == 1
    assert main(words) == 0
    assert main([*words, "--check"]) == 0
    assert (tmp_path / "arm" / "arm.sdf").is_file()


@pytest.mark.parametrize(
    "option", [["--actuators", "motor"], ["--inertia", "from_geometry"], ["--base", "fixed"]]
)
def test_options_of_mjcf_are_refused(option: list[str], tmp_path: Path) -> None:
    assert main(["convert", ARM, str(tmp_path / "x.sdf"), *option]) == 2
    assert main(["convert", ARM, str(tmp_path / "x.sdf"), "--check"]) == 2


def test_urdf_by_the_suffix_and_by_the_option(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["convert", ARM, str(tmp_path / "x.urdf")]) == 0
    assert loaders.load(tmp_path / "x.urdf").name == "arm"
    assert list(tmp_path.glob("x_assets/*/finger.obj"))
    words = ["convert", ARM, str(tmp_path / "arm"), "--to", "urdf"]
    assert main(words) == 0
    assert (tmp_path / "arm" / "arm.urdf").is_file()
    assert main([*words, "--check"]) == 0
    capsys.readouterr()


def test_the_version_and_the_description_of_a_model(tmp_path: Path) -> None:
    words = [
        "convert",
        ARM,
        str(tmp_path / "arm"),
        "--to",
        "sdf",
        "--sdf-version",
        "lowest",
        "--model-config",
    ]
    assert main(words) == 0
    assert 'version="1.8"' in (tmp_path / "arm" / "arm.sdf").read_text()
    assert (tmp_path / "arm" / "model.config").is_file()


@pytest.mark.parametrize("target", ["urdf", "mjcf"])
def test_options_of_sdformat_are_refused_for_other_targets(target: str, tmp_path: Path) -> None:
    assert main(["convert", ARM, str(tmp_path / "x"), "--to", target, "--sdf-version", "1.9"]) == 2
    assert not (tmp_path / "x").exists()


def test_the_options_of_urdf(tmp_path: Path) -> None:
    words = [
        "--extensions",
        "none",
        "--joints",
        "plain",
        "--frame-links",
        "all",
        "--meshes",
        "package",
        "--write-srdf",
    ]
    assert (
        main(["convert", ARM, str(tmp_path / "arm"), "--to", "urdf", "--no-couplings", *words]) == 0
    )
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
    assert main(["convert", ARM, str(tmp_path / "x"), "--to", "sdf", "--models", "urdf"]) == 2


@pytest.mark.parametrize("models", ["sdf", "urdf"])
def test_directives_are_one_file_with_their_models_beside(models: str, tmp_path: Path) -> None:
    out = tmp_path / "hall.dmd.yaml"
    assert main(["convert", ARM, str(out), "--models", models]) == 0
    assert {path.name for path in tmp_path.iterdir()} == {"hall.dmd.yaml", "hall_models"}
    assert "README" not in out.read_text()
    assert len(loaders.load(out).links) == len(loaders.load(ARM).links)
    for name in ("hall.yaml", "hall.sdf"):
        assert main(["convert", ARM, str(tmp_path / name), "--to", "directives"]) == 2
    assert main(["convert", ARM, str(out), "--to", "sdf"]) == 2


def test_mjcf_is_one_file_with_its_assets_beside(tmp_path: Path) -> None:
    out = tmp_path / "arm.xml"
    assert main(["convert", ARM, str(out), "--actuators", "motor"]) == 0
    assert {path.name for path in tmp_path.iterdir()} == {"arm.xml", "arm_assets"}
    model = mujoco.MjModel.from_xml_path(str(out))
    assert model.nu > 0
    assert {model.body(link.name).name for link in loaders.load(ARM).links}
    assert main(["convert", ARM, str(out), "--check"]) == 2


def test_the_option_outweighs_the_suffix(tmp_path: Path) -> None:
    assert main(["convert", ARM, str(tmp_path / "arm.xml"), "--to", "urdf"]) == 0
    assert "<robot " in (tmp_path / "arm.xml").read_text()


@pytest.mark.parametrize("more", [[], ["--to", "sdf"]])
def test_an_unknown_suffix_is_no_folder(
    more: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["convert", ARM, str(tmp_path / "out.foo"), *more]) == 2
    assert "out.foo has an unknown suffix; expected one of .xml, " in capsys.readouterr().err
    assert not list(tmp_path.iterdir())
    (tmp_path / "out.foo").mkdir()
    assert main(["convert", ARM, str(tmp_path / "out.foo"), *more]) == 0
    assert main(["convert", ARM, str(tmp_path / "arm_1.2"), *more]) == 0
    assert (tmp_path / "arm_1.2").is_dir()


@pytest.mark.parametrize("name", ["x.urdf", "x.sdf", "x.xml", "x.dmd.yaml"])
def test_one_file_replaces_only_what_an_export_wrote(name: str, tmp_path: Path) -> None:
    out, words = tmp_path / name, ["convert", ARM, str(tmp_path / name)]
    out.write_text("mine")
    assert main(words) != 0
    assert [path.name for path in tmp_path.iterdir()] == [name]
    assert out.read_text() == "mine"
    assert main([*words, "--force"]) == 0
    assert main(words) == 0
    out.write_bytes(mine := out.read_bytes().replace(b"arm", b"ARM", 1))
    assert main(words) != 0
    assert out.read_bytes() == mine
