"""The program as a whole: usage, exit status, and the separation of data from progress."""

from __future__ import annotations

import ast
import json
import subprocess
import sys
from pathlib import Path

import pytest

import loaders
from bridge.cli import main
from tests.support.command_line import run

ARM = Path(__file__).parents[3] / "assets" / "arm" / "model.sdf"


@pytest.mark.parametrize("command", ["info", "check", "graph"])
def test_a_broken_file_gives_all_its_errors_and_status_1(
    command: str, broken: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([command, str(broken)]) == 1
    captured = capsys.readouterr()
    with pytest.raises(loaders.LoadError) as error:
        loaders.load(broken)
    assert len(error.value.diagnostics) >= 3
    for diagnostic in error.value.diagnostics:
        if diagnostic.severity == "error":
            assert str(diagnostic) in captured.err
    assert captured.out == ("" if command != "check" else f"{broken}: invalid\n")


@pytest.mark.parametrize(
    ("words", "status"),
    [
        (["compare", str(ARM), "--engines", "ode"], 2),
        (["compare", str(ARM), "--level", "L9"], 2),
        (["info", str(ARM), "--package", "no-equals-sign"], 2),
        (["info", "/no/such/file.sdf"], 1),
    ],
)
def test_a_wrong_call_has_its_status_and_no_traceback(
    words: list[str], status: int, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(words) == status
    captured = capsys.readouterr()
    assert captured.out == ""
    assert "Traceback" not in captured.err
    assert captured.err


@pytest.mark.parametrize("words", [["fly"], ["info"], ["convert", "x.sdf"]])
def test_wrong_usage_is_status_2(words: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(words) == 2
    assert "usage" in capsys.readouterr().err


def test_a_missing_engine_is_status_3(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(sys.modules, "pybullet", None)
    assert main(["compare", str(ARM), "--engines", "mujoco,pybullet"]) == 3
    assert "pip install pybullet" in capsys.readouterr().err


def test_python_m_bridge_is_the_program_and_its_data_is_clean_json() -> None:
    done = run("compare", ARM, "--json", "--level", "L0", "--configurations", "1")
    assert done.returncode == 4, done.stderr
    assert json.loads(done.stdout)["model"] == "arm"


@pytest.mark.slow
def test_nothing_is_colored_off_a_terminal_or_where_color_is_unwanted() -> None:
    for environment in ({}, {"NO_COLOR": "1"}):
        assert "\x1b[" not in run("doctor", **environment).stdout


@pytest.mark.parametrize(
    "command", ["check", "info", "graph", "resolve", "convert", "view", "compare"]
)
def test_every_command_that_reads_a_file_has_the_same_options_of_reading(
    command: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([command, "--help"]) == 0
    text = capsys.readouterr().out
    for option in (
        "--package",
        "--path",
        "--strict",
        "--unsafe-paths",
        "--xacro",
        "--srdf",
        "--json",
    ):
        assert option in text, option


HEAVY = (
    "numpy",
    "mujoco",
    "pybullet",
    "trimesh",
    "PIL",
    "bridge.targets.mjcf",
    "bridge.targets.pybullet",
    "bridge.parity.comparison",
)


def imported(*arguments: str) -> tuple[str, list[str]]:
    """Run a command; return what it prints, and which heavy modules it imports."""
    code = (
        f"import atexit, sys; atexit.register(lambda: print([m for m in {HEAVY!r} if m in "
        f"sys.modules]));"
        f"import bridge.cli; bridge.cli.main({list(arguments)!r})"
    )
    command = [sys.executable, "-c", code]
    out = subprocess.run(
        command, capture_output=True, text=True, cwd=ARM.parents[2], check=True
    ).stdout
    text, _, modules = out.strip().rpartition("\n")
    return text, ast.literal_eval(modules)


@pytest.mark.parametrize("command", [(), ("compare",), ("convert",)])
def test_help_is_shown_without_numpy(command: tuple[str, ...]) -> None:
    text, modules = imported(*command, "--help")
    assert text.startswith("usage: sdfbridge")
    assert modules == []


@pytest.mark.parametrize("command", ["check", "info", "graph", "resolve"])
def test_commands_that_only_read_import_no_engine_and_no_target(command: str) -> None:
    text, modules = imported(command, str(ARM))
    assert text
    assert set(modules) <= {"numpy", "trimesh", "PIL"}
