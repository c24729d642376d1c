"""What is done with each model, in this process."""

from __future__ import annotations

from pathlib import Path

import pytest

import loaders
from bridge.batches.results import BatchOutcome
from bridge.batches.tasks import check, compare, convert, name_of
from bridge.output import OutputFolderError
from bridge.targets.target import BUILT_IN

ASSETS = Path(__file__).parents[3] / "assets"
PENDULUM = str(ASSETS / "double_pendulum.urdf")
WEIGHTLESS = (
    "<sdf version='1.11'><model name='m'><link "
    "name='a'><inertial><mass>1</mass><inertia><ixx>1</ixx><iyy>1</iyy>"
    "<izz>9</izz></inertia></inertial></link></model></sdf>"
)


def test_a_folder_with_a_manifest_is_a_model() -> None:
    assert check(str(ASSETS / "arm"), "", {})["outcome"] is BatchOutcome.VALID


def test_a_strict_check_refuses_what_is_lost(tmp_path: Path) -> None:
    path = tmp_path / "m.sdf"
    path.write_text(
        "<sdf version='1.11'><model name='m'><link name='a'><unknown/></link></model></sdf>"
    )
    assert check(str(path), "", {})["outcome"] is BatchOutcome.VALID
    assert check(str(path), "", {"strict": True})["outcome"] is BatchOutcome.INVALID


def test_a_model_that_the_target_cannot_represent_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "m.sdf"
    path.write_text(WEIGHTLESS)
    fields = convert(str(path), str(tmp_path), {"to": "mjcf"})
    assert fields["outcome"] is BatchOutcome.REFUSED
    assert fields["detail"]
    assert (
        convert(str(path), str(tmp_path), {"to": "mjcf", "inertia": "repair"})["outcome"]
        is BatchOutcome.CONVERTED
    )


@pytest.mark.slow
@pytest.mark.parametrize("name", BUILT_IN)
def test_every_target_is_written_and_read_back(name: str, tmp_path: Path) -> None:
    fields = convert(PENDULUM, str(tmp_path), {"to": name})
    assert fields["outcome"] is BatchOutcome.CONVERTED
    report = tmp_path / fields["report"]
    assert report.name == "FIDELITY.md"
    (file,) = (
        path
        for suffix in BUILT_IN[name].suffixes
        for path in report.parent.glob(f"*{suffix}")
        if path.name != "scene.xml" and "package" not in path.name
    )
    assert [
        joint.name.rpartition("::")[2] for joint in loaders.load(file).joints if joint.axes
    ] == [
        "shoulder",
        "elbow",
    ]


def test_a_comparison_without_a_folder_writes_nothing() -> None:
    fields = compare(PENDULUM, "", {"engines": ("mujoco",), "levels": ("L0",), "configurations": 1})
    assert fields["report"] == ""
    assert fields["severities"].keys() <= {"note", "warning"}


def test_the_names_of_folders_are_safe_and_differ() -> None:
    sources = [
        "../a/model.sdf",
        "a/model.sdf",
        "a model.sdf",
        "a/\u00e9.sdf",
        "...",
        "x" * 500,
        "a/b<script>.sdf",
        "\udcff",
    ]
    names = [name_of(source) for source in sources]
    assert len(set(names)) == len(sources)
    assert all(
        len(name) < 100 and name.replace("-", "").replace("_", "").isalnum() and name.isascii()
        for name in names
    )


@pytest.mark.slow
def test_a_picture_that_was_edited_is_kept_unless_forced(tmp_path: Path) -> None:
    fields = check(PENDULUM, str(tmp_path), {})
    assert check(PENDULUM, str(tmp_path), {}) == fields
    picture = tmp_path / fields["thumbnail"]
    picture.write_bytes(b"mine")
    with pytest.raises(OutputFolderError, match="did not write it"):
        check(PENDULUM, str(tmp_path), {})
    assert picture.read_bytes() == b"mine"
    check(PENDULUM, str(tmp_path), {"force": True})
    assert picture.read_bytes() != b"mine"
