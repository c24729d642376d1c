"""A written file is compared with the scene that it should say."""

from __future__ import annotations

from pathlib import Path

import pytest

import bridge
import loaders
from bridge.cli import main
from bridge.diagnostic_codes import CODES
from bridge.targets.report import read_back, require_equal
from bridge.targets.sdf.document import build
from loaders.diagnostics import ExportError
from tests.support.scenes import link, scene

CODE = CODES["sdfout.read-back"]


def test_equal_and_other_scenes_and_invalid_files() -> None:
    given = scene([link("a")])
    files = {"x.sdf": str(bridge.to_sdf(given)).encode()}
    same = build(given, {}).form.scene
    assert read_back(files, "x.sdf", same, CODE) == ()
    assert read_back({"x.sdf": b"<sdf"}, "x.sdf", same, CODE) != ()
    with pytest.raises(ExportError):
        require_equal(read_back(files, "x.sdf", scene([link("b")]), CODE))


ROBOT = (
    '<robot name="r"><link name="a"/><link name="b"/>'
    '<joint name="j" type="fixed"><parent link="a"/><child link="b"/></joint></robot>'
)


@pytest.mark.parametrize("target", ["sdf", "urdf", "directives"])
def test_a_raised_limit_holds_for_the_written_file_too(
    target: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "r.urdf").write_text(ROBOT)
    for module in ("loaders.limits", "loaders.formats"):  # in place of a very large file
        monkeypatch.setattr(f"{module}.DEFAULTS", loaders.Limits(elements=4))
    export = getattr(bridge, f"export_{target}")
    with pytest.raises(loaders.LoadError, match="elements"):
        export(tmp_path / "r.urdf", tmp_path / "refused")
    assert export(
        tmp_path / "r.urdf", tmp_path / "out", limits=loaders.Limits(elements=1_000)
    ).path.is_file()
    words = ["convert", str(tmp_path / "r.urdf"), str(tmp_path / "cli"), "--to", target]
    assert main(words) == 1
    assert main([*words, "--limit", "elements=1000"]) == 0


@pytest.mark.parametrize("suffix", ["sdf", "urdf"])
def test_a_raised_limit_holds_for_one_file(
    suffix: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "r.urdf").write_text(ROBOT)
    monkeypatch.setitem(loaders.Limits.__init__.__kwdefaults__, "elements", 4)
    words = ["convert", str(tmp_path / "r.urdf"), str(tmp_path / f"out.{suffix}")]
    assert main([*words, "--limit", "elements=1000"]) == 0


def test_a_lowered_limit_does_not_hold_for_the_written_files(tmp_path: Path) -> None:
    (tmp_path / "r.urdf").write_text(ROBOT)
    few = loaders.Limits(files=1)
    assert bridge.export_directives(
        tmp_path / "r.urdf", tmp_path / "out", limits=few
    ).path.is_file()
