"""Files, folders and standard input, in every format."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

import bridge
import loaders
from bridge.batches.inputs import manifest_file
from bridge.cli.errors import UsageError
from bridge.cli.inputs import expand
from bridge.diff.mechanics import mechanical_error
from tests.support.command_line import ROOT, call
from tests.support.mjcf_documents import BALL, document, written

# Files, folders and standard input.

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
    command = [sys.executable, "-m", "sdfbridge", *words]
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
    assert done.stdout.splitlines()[0] == "2 files: 2 valid, 0 invalid"
    done = call("check", models, broken)
    assert done.returncode == 1
    assert done.stdout.splitlines()[0] == "4 files: 3 valid, 1 invalid; 3 errors, 1 warning"


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
    assert done.stdout.splitlines()[0].startswith("2 files: 1 valid, 1 invalid")


def test_a_name_with_a_line_break_stays_in_its_line(tmp_path: Path) -> None:
    """Else the name of a file could claim that another one is valid."""
    path = tmp_path / "bad\ngood.xml"
    path.write_text("<mujoco><worldbody><body name='a'/></worldbody></mujoco>")
    done = call("check", path)
    assert done.stdout.splitlines() == [f"{tmp_path}/bad\\x0agood.xml: valid"]


# The commands take MJCF, as every other format.

ROBOT = document(f'<body name="a"><joint name="j" range="-90 90"/>{BALL}</body>', name="robot")


@pytest.mark.parametrize("command", ["check", "info", "graph"])
def test_a_command_takes_mjcf(command: str, tmp_path: Path) -> None:
    done = call(command, written(tmp_path, ROBOT))
    assert done.returncode == 0, done.stderr


def test_convert_writes_the_same_model(tmp_path: Path) -> None:
    import mujoco

    done = call("convert", written(tmp_path, ROBOT), tmp_path / "out")
    assert done.returncode == 0, done.stderr
    path = next((tmp_path / "out").glob("robot*.xml"))
    original, exported = (
        mujoco.MjModel.from_xml_path(str(p)) for p in (tmp_path / "robot.xml", path)
    )
    assert exported.jnt_range.tolist() == original.jnt_range.tolist()
    assert exported.body_mass.sum() == pytest.approx(original.body_mass.sum(), rel=1e-12)


CHAIN = document(
    f'<body name="a"><joint name="j" axis="0 1 0"/><joint name="k" type="slide"/>{BALL}</body>',
    name="robot",
)
"""A body with two joints, which a scene has as a chain of two links."""


def test_flags_of_the_source_and_of_the_filters_are_one_element() -> None:
    """Two elements would be an error of MuJoCo's reader, so both flags must be in force in the
    compiled model.
    """
    import mujoco

    bodies = f'<body name="a"><joint/>{BALL}<body name="b"><joint/>{BALL}</body></body>'
    text = document(bodies, '<option><flag energy="enable" filterparent="disable"/></option>')
    mjcf = bridge.to_mjcf(loaders.load_string(text, format="mjcf", quiet=True), quiet=True)
    option = mujoco.MjModel.from_xml_string(mjcf).opt
    assert mjcf.count("<flag ") == 1
    assert option.disableflags & mujoco.mjtDisableBit.mjDSBL_FILTERPARENT
    assert option.enableflags & mujoco.mjtEnableBit.mjENBL_ENERGY


def test_several_joints_in_a_body_are_converted_and_compared(tmp_path: Path) -> None:
    import mujoco

    path = written(tmp_path, CHAIN)
    assert call("convert", path, tmp_path / "out").returncode == 0
    exported = mujoco.MjModel.from_xml_path(str(tmp_path / "out" / "robot.xml"))
    assert [exported.body(1).name, exported.joint(0).name, exported.joint(1).name] == [
        "a",
        "j",
        "k",
    ]
    done = call("compare", path, "--engines", "mujoco,mujoco-native", "--level", "1")
    assert "DIFFERS" not in done.stdout
    assert done.returncode in {0, 4}, done.stderr


@pytest.mark.parametrize("target", ["sdf", "urdf"])
def test_several_joints_and_half_a_gravity_are_written_to_other_formats(
    target: str, tmp_path: Path
) -> None:
    """The exports read their files back and refuse them if they do not say the model."""
    scene = loaders.load(
        written(tmp_path, CHAIN.replace('<body name="a"', '<body name="a" gravcomp="0.5"')),
        quiet=True,
    )
    export = {"sdf": bridge.export_sdf, "urdf": bridge.export_urdf}[target]
    result = export(scene, tmp_path / "out", quiet=True)
    found = loaders.load(result.path, quiet=True)
    names = {} if target == "urdf" else bridge.to_sdf(scene, quiet=True).names
    assert mechanical_error(scene, found, names).is_within(1e-9)
    assert any("gravcomp" in entry.message for entry in result.diagnostics)
