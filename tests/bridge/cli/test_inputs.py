"""Files, folders and standard input."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from bridge.batches.inputs import manifest_file
from bridge.cli.errors import UsageError
from bridge.cli.inputs import expand
from tests.support.command_line import ROOT, call

MODEL = "<sdf version='1.11'><model name='{}'><link name='a'/></model></sdf>"


@pytest.fixture
def models(tmp_path: Path) -> Path:
    """A folder of models: a file, a folder with a manifest, two files and a folder of parts, and a
    hidden folder.
    """
    files = (
        (".", "one.sdf"),
        ("cup", "cup.sdf"),
        ("cup", "cup-1_5.sdf"),
        ("cup/parts", "ear.sdf"),
        (".git", "old.sdf"),
    )
    for place, name in files:
        (tmp_path / place).mkdir(exist_ok=True)
        (tmp_path / place / name).write_text(MODEL.format(name.partition(".")[0]), encoding="utf-8")
    (tmp_path / "robot.urdf").write_text(
        "<robot name='r'><link name='a'/></robot>", encoding="utf-8"
    )
    (tmp_path / "notes.txt").write_text("no model", encoding="utf-8")
    manifest = (
        "<model><sdf version='1.5'>cup-1_5.sdf</sdf><sdf version='1.11'>cup.sdf</sdf></model>"
    )
    (tmp_path / "cup" / "model.config").write_text(manifest, encoding="utf-8")
    return tmp_path


def stdin(text: bytes, *words: str) -> subprocess.CompletedProcess[bytes]:
    command = [sys.executable, "-m", "bridge", *words]
    return subprocess.run(command, input=text, capture_output=True, check=False, cwd=ROOT)


def test_a_folder_stands_for_its_models_and_a_manifest_for_its_newest_file(models: Path) -> None:
    names = [str(Path(file).relative_to(models)) for file in expand([str(models)], xacro=False)]
    assert names == ["one.sdf", "robot.urdf", "cup"]
    assert list(expand([str(models / "cup")], xacro=False)) == [str(models / "cup")]
    assert manifest_file(models / "cup", unsafe_paths=False) == str(models / "cup" / "cup.sdf")


def test_other_arguments_are_kept_once() -> None:
    assert list(expand(["a.sdf", "-", "rd://panda", "a.sdf"], xacro=False)) == [
        "a.sdf",
        "-",
        "rd://panda",
    ]


def test_a_folder_without_models_is_wrong_usage(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"holds no model; expected model\.config or files"):
        list(expand([str(tmp_path)], xacro=False))
    assert call("check", tmp_path).returncode == 2


def test_a_command_for_one_model_takes_a_folder_with_one_and_refuses_several(models: Path) -> None:
    done = call("info", models / "cup")
    assert (done.returncode, done.stdout.split(":")[0]) == (0, "cup")
    done = call("info", models)
    assert (done.returncode, done.stdout) == (2, "")
    assert "holds 3 models; name one of them: " in done.stderr


def test_several_files_have_one_summary_and_one_status(models: Path, broken: Path) -> None:
    done = call("check", models / "one.sdf", models / "cup", models / "one.sdf")
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines()[-1] == "2 files: 2 valid, 0 invalid"
    done = call("check", models, broken)
    assert done.returncode == 1
    assert done.stdout.splitlines()[-1] == "4 files: 3 valid, 1 invalid; 3 errors, 1 warning"


def test_an_invalid_manifest_is_reported(tmp_path: Path) -> None:
    (tmp_path / "model.config").write_text("<model/>", encoding="utf-8")
    done = call("check", tmp_path)
    assert done.returncode == 1
    assert "[sdf.no-model-config]" in done.stderr


@pytest.mark.parametrize(
    "text",
    [
        MODEL.format("m").encode(),
        b"\xef\xbb\xbf<?xml version='1.0'?>\n<robot name='r'><link name='a'/></robot>",
        b"directives:\n- add_frame: {name: f, X_PF: {base_frame: world}}\n",
    ],
    ids=["sdf", "urdf", "directives"],
)
def test_standard_input_is_read_in_its_own_format(text: bytes) -> None:
    done = stdin(text, "check", "-")
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith(b"<stdin>: valid")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("text", "words", "message"),
    [
        (b"", [], b"standard input is empty; expected a model"),
        (b"\xff\xfe", [], b"standard input is not UTF-8"),
        (b"<sdf/>", ["--xacro"], b"need a file"),
    ],
)
def test_standard_input_without_a_model_is_wrong_usage(
    text: bytes, words: list[str], message: bytes
) -> None:
    done = stdin(text, "info", "-", *words)
    assert (done.returncode, done.stdout) == (2, b"")
    assert message in done.stderr


def test_a_problem_of_standard_input_has_its_line() -> None:
    done = stdin(
        b"<sdf version='1.11'>\n<model name='m'><link name='a'/>\n<wings/></model></sdf>",
        "check",
        "-",
    )
    assert b"<stdin>:3: warning: " in done.stderr


def test_a_name_that_the_system_refuses_leaves_the_other_files_to_be_read(tmp_path: Path) -> None:
    (tmp_path / "a.xml").write_text(
        "<mujoco><worldbody><body name='a'><geom size='1'/></body></worldbody></mujoco>"
    )
    done = call("check", f"{'x' * 300}.xml", tmp_path / "a.xml")
    assert done.returncode == 1
    assert "error: cannot read the file: File name too long  [file.unreadable]" in done.stderr
    assert done.stdout.splitlines()[-1].startswith("2 files: 1 valid, 1 invalid")


def test_a_name_with_a_line_break_stays_in_its_line(tmp_path: Path) -> None:
    """Else the name of a file could claim that another one is valid."""
    path = tmp_path / "bad\ngood.xml"
    path.write_text("<mujoco><worldbody><body name='a'/></worldbody></mujoco>")
    done = call("check", path)
    assert done.stdout.splitlines() == [f"{tmp_path}/bad\\x0agood.xml: valid"]
