"""The command compare prints the verdict and writes the report."""

from __future__ import annotations

import json
import shlex
import sys
from pathlib import Path

import pytest

from bridge.cli import main
from bridge.cli.commands import compare
from bridge.output import MANIFEST
from tests.support.command_line import call

ARM = Path(__file__).parents[4] / "assets" / "arm" / "model.sdf"


def test_compare_prints_the_verdict_and_writes_the_report(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ["compare", str(ARM), "--level", "L0,L1", "--configurations", "2"]
    assert main([*words, "--report", str(tmp_path)]) == 4
    text = capsys.readouterr().out
    assert "arm: INCOMPLETE" in text
    assert "not compared: motion: level L2 was not run" in text
    assert {path.name for path in tmp_path.iterdir()} == {
        "report.html",
        "results.json",
        "junit.xml",
        MANIFEST,
    }
    assert main([*words, "--json"]) == 4
    assert json.loads(capsys.readouterr().out)["verdict"] == "INCOMPLETE"


def test_compare_ends_with_zero_if_everything_agrees(capsys: pytest.CaptureFixture[str]) -> None:
    assert (
        main(
            [
                "compare",
                str(ARM.parents[1] / "double_pendulum.urdf"),
                "--configurations",
                "2",
                "--strict",
            ]
        )
        == 0
    )
    assert "double_pendulum: EQUIVALENT" in capsys.readouterr().out


def test_a_report_replaces_an_earlier_one_but_no_file_of_somebody_else(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(compare, "_DRAWN", set())  # pictures take long
    words = ["compare", str(ARM), "--engines", "mujoco", "--level", "L0", "--configurations", "1"]
    report = ["--report", str(tmp_path / "out")]
    assert main([*words, *report]) == 4
    assert main([*words, *report]) == 4
    (tmp_path / "out" / "results.json").write_text("mine", encoding="utf-8")
    (tmp_path / "out" / "notes.txt").write_text("mine", encoding="utf-8")
    capsys.readouterr()
    assert main([*words, *report]) == 1
    told = capsys.readouterr()
    assert "edited since it was written: results.json" in told.err
    assert "not written by sdfbridge: notes.txt" in told.err
    assert "MuJoCo" not in told.out, "the refusal comes before the work"
    assert (tmp_path / "out" / "results.json").read_text(encoding="utf-8") == "mine"
    assert main([*words, *report, "--force"]) == 4
    assert json.loads((tmp_path / "out" / "results.json").read_text(encoding="utf-8"))["verdict"]
    assert (tmp_path / "out" / "notes.txt").read_text(encoding="utf-8") == "mine"


@pytest.mark.parametrize("package", ["jinja2", "matplotlib"])
def test_a_report_without_the_packages_that_draw_it_is_refused_before_the_work(
    tmp_path: Path,
    package: str,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(sys.modules, package, None)
    assert main(["compare", str(ARM), "--level", "L0", "--report", str(tmp_path / "out")]) == 3
    text = capsys.readouterr().err
    assert (
        text
        == "sdfbridge: the HTML report needs jinja2 and matplotlib: pip install 'sdfbridge[report]'\n"
    )
    assert not (tmp_path / "out").exists()


def test_the_command_to_repeat_has_all_options_of_this_one(tmp_path: Path) -> None:
    words = (
        "compare",
        ARM,
        "--engines",
        "mujoco",
        "--level",
        "L0",
        "--configurations",
        "2",
        "--path",
        tmp_path,
    )
    done = call(*words, "--json")
    assert json.loads(done.stdout)["command"] == shlex.join(
        map(str, ("sdfbridge", *words, "--json"))
    )


def test_warnings_of_one_kind_are_printed_once(capsys: pytest.CaptureFixture[str]) -> None:
    assert (
        main(["compare", str(ARM), "--engines", "mujoco", "--level", "L0", "--configurations", "1"])
        == 4
    )
    text = capsys.readouterr().err
    assert text.count("[mjcf.velocity-limit]") == 1 + 1, "one of them, and the number of the others"
    assert f"{ARM}:" not in text, "paths are relative to the current folder"


def test_strict_refuses_what_an_engine_cannot_represent(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "limited.urdf"
    path.write_text(
        "<robot name='r'><link name='a'/><link name='b'/><joint name='j' type='revolute'><parent "
        "link='a'/>"
        "<child link='b'/><limit lower='-1' upper='1' effort='5' velocity='2'/></joint></robot>",
        encoding="utf-8",
    )
    words = ["compare", str(path), "--level", "L0", "--configurations", "1"]
    assert main(words) == 4
    assert main([*words, "--strict"]) == 1
    assert "[pybullet.velocity-limit]" in capsys.readouterr().err


def test_strict_refuses_an_unread_element(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "unread.urdf"
    path.write_text("<robot name='r'><link name='a'/><nonsense/></robot>", encoding="utf-8")
    assert main(["compare", str(path), "--level", "L0", "--strict"]) == 1
    assert "[xml.unread]" in capsys.readouterr().err
