"""An export states its source and the program."""

from __future__ import annotations

import hashlib
import shutil
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

import bridge
import loaders
from bridge.targets.folder import Export
from bridge.targets.report import WRITTEN_BY, derivation, origin_comment, source_file
from loaders.scene import Scene


def test_the_derivation_has_the_hash_of_the_source(tmp_path: Path) -> None:
    (tmp_path / "a.sdf").write_bytes(b"x")
    scene = Scene(name="a", source=str(tmp_path / "a.sdf"))
    text = "\n".join(derivation(scene, "export_sdf", "a", {"world": "never"}))
    assert hashlib.sha256(b"x").hexdigest() in text
    assert '`bridge.export_sdf("a.sdf", "a", world="never")`' in text
    assert origin_comment(scene).startswith(WRITTEN_BY)
    assert source_file(Scene(name="a")) == "a scene in memory"


LEG = Path(__file__).parents[3] / "assets" / "leg.sdf"
ODD_NAMES = (
    "line\nbreak: 1",
    "line\u2028break: 1",
    "a--><evil x='",
    "turned\u202eround",
    "no text \udcff",
    "a|b`c",
)
"""Names of files that would end a comment, or that no file of text can hold."""


@pytest.mark.parametrize(
    "export", [bridge.export_sdf, bridge.export_urdf, bridge.export_directives]
)
@pytest.mark.parametrize("name", ODD_NAMES)
def test_the_name_of_the_source_never_ends_the_comment(
    name: str, export: Callable[..., Export], tmp_path: Path
) -> None:
    source = tmp_path / f"{name}.sdf"
    shutil.copy(LEG, source)
    result = export(source, tmp_path / "out", quiet=True)
    texts = [
        (tmp_path / "out" / file).read_text()
        for file in result.files
        if not file.startswith("assets/")
    ]
    assert all("\u202e" not in text for text in texts)
    assert loaders.load(result.path).name


JOINT = '<joint name="j" limited="true" range="-1 1" frictionloss="1" stiffness="3" user="4"/>'
ARM = (
    f'<mujoco model="arm"><worldbody><body name="a">{JOINT}<geom '
    f'size="1"/></body></worldbody></mujoco>'
)


@pytest.mark.parametrize(
    ("inside", "named"), [("", "robot.mjz"), ("/parts/arm.xml", "robot.mjz/parts/arm.xml")]
)
@pytest.mark.parametrize(
    "export", [bridge.export_sdf, bridge.export_urdf, bridge.export_mjcf, bridge.export_directives]
)
def test_the_source_of_a_model_in_an_archive_is_the_archive(
    export: Callable[..., Export], inside: str, named: str, tmp_path: Path
) -> None:
    archive = tmp_path / "robot.mjz"
    with zipfile.ZipFile(archive, "w") as file:
        file.writestr("model.xml", ARM)
        file.writestr("parts/arm.xml", ARM)
    result = export(f"{archive}{inside}", tmp_path / "out", quiet=True)
    assert f" from {named}; see" in result.path.read_text()
    readme = (tmp_path / "out" / "README.md").read_text()
    assert f"| source | `{named}` |" in readme
    assert hashlib.sha256(archive.read_bytes()).hexdigest() in readme
    assert f'("{named}", ' in readme
    member = inside or "/model.xml"
    report = (tmp_path / "out" / "FIDELITY.md").read_text()
    assert f"robot.mjz{member}:1" in report.replace("\\", "")


def test_a_model_that_was_exported_and_then_packed_keeps_its_first_source(tmp_path: Path) -> None:
    result = bridge.export_mjcf(LEG, tmp_path / "out", quiet=True)
    with zipfile.ZipFile(tmp_path / "robot.mjz", "w") as file:
        file.write(result.path, "model.xml")
    again = bridge.export_mjcf(tmp_path / "robot.mjz", tmp_path / "again", quiet=True)
    assert " from leg.sdf; see" in again.path.read_text()
