"""The command line as a whole: words, usage, exit status, and data apart from progress."""

from __future__ import annotations

import ast
import json
import re
import subprocess
import sys
from importlib import metadata
from pathlib import Path

import pytest

import loaders
from bridge.cli import main
from bridge.cli.parser import make_parser, parse, subparsers_of
from tests.support.command_line import ROOT, call, run

# The program as a whole: usage, exit status, and the separation of data from progress.

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
    assert "pip install 'sdfbridge[pybullet]'" in capsys.readouterr().err


@pytest.mark.slow
def test_python_m_sdfbridge_is_the_program_and_its_data_is_clean_json() -> None:
    done = run("compare", ARM, "--json", "--level", "L0", "--configurations", "1")
    assert done.returncode == 4, done.stderr
    assert json.loads(done.stdout)["model"] == "arm"


@pytest.mark.slow
def test_nothing_is_colored_off_a_terminal_or_where_color_is_unwanted() -> None:
    for environment in ({}, {"NO_COLOR": "1"}):
        assert "\x1b[" not in run("doctor", **environment).stdout


@pytest.mark.parametrize(
    "command", ["check", "info", "graph", "resolve", "convert", "view", "compare", "replay"]
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
        "--overrides",
        "--up-axis",
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
    of_distances = {"mujoco"} if command == "check" else set()  # it measures overlaps
    assert set(modules) <= {"numpy", "trimesh", "PIL"} | of_distances


# Words of the command line: version, help, and suggestions for words that are unknown.

COMMANDS = (
    "demo",
    "check",
    "info",
    "graph",
    "resolve",
    "convert",
    "view",
    "compare",
    "doctor",
    "completion",
)


def test_the_version_is_that_of_the_distribution() -> None:
    done = call("--version")
    assert (done.returncode, done.stdout) == (0, f"sdfbridge {metadata.version('sdfbridge')}\n")


@pytest.mark.parametrize("words", [(), ("--help",)])
def test_no_command_prints_the_help_with_every_command(words: tuple[str, ...]) -> None:
    done = call(*words)
    assert (done.returncode, done.stderr) == (0, "")
    assert [
        command
        for command in COMMANDS
        if not re.search(rf"^    {command}\s", done.stdout, re.MULTILINE)
    ] == []


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["chek", "a.sdf"], "unknown command 'chek'; did you mean 'check'?"),
        (["check", "--strct", "a.sdf"], "unknown option '--strct'; did you mean '--strict'?"),
        (["compare", "a.sdf", "--levl=L0"], "unknown option '--levl=L0'; did you mean '--level'?"),
        (["view", "a.sdf", "--actuators", "positon"], ("value of --actuators: 'positon'; did you "
                                                      "mean 'position'?")),
        (["info", "a.sdf", "b.sdf"], "unknown argument 'b.sdf'"),
        (["zzz"], "unknown command 'zzz'; expected one of: demo, check,"),
    ],
)  # fmt: skip
def test_an_unknown_keyword_is_named_with_a_suggestion(words: list[str], message: str) -> None:
    done = call(*words)
    assert (done.returncode, done.stdout) == (2, "")
    assert message in done.stderr.splitlines()[0], "the message comes before the synopsis"
    assert done.stderr.startswith("sdfbridge: ")
    assert "\nusage: sdfbridge" in done.stderr


@pytest.mark.parametrize(
    "words",
    [
        ("check", ""),
        ("info", " "),
        ("check", "a.sdf", "--path", ""),
        ("check", "a.sdf", "--srdf", ""),
        ("convert", "a.sdf", ""),
        ("graph", "a.sdf", "--out", ""),
        ("compare", "a.sdf", "--report", ""),
        ("demo", ""),
    ],
)
def test_an_empty_name_is_refused(
    words: tuple[str, ...], capsys: pytest.CaptureFixture[str]
) -> None:
    """A variable of the shell that is not set must not stand for the present folder."""
    assert main(words) == 2
    assert "the name is empty; expected a file or a folder" in capsys.readouterr().err


def test_wrong_usage_is_json_too_on_request() -> None:
    done = call("check", "--json")
    report = json.loads(done.stdout)
    assert (done.returncode, report["status"], report["command"]) == (2, 2, "check")
    assert "required" in report["error"]


def test_help_imports_no_reader_no_engine_and_nothing_heavy() -> None:
    code = (
        "import sys, bridge.cli; bridge.cli.main(['--help']); sys.stderr.write(' "
        "'.join(sys.modules))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=ROOT
    )
    modules = set(done.stderr.split())
    assert {name for name in modules if name.startswith("loaders.")} == {"loaders.deferred"}
    imported = {name.split(".")[0] for name in modules}
    assert not imported & {"numpy", "lxml", "rich", "mujoco", "pybullet", "shtab"}


WORDS = {
    "check": ("check", "a.xacro", "b.xacro"),
    "info": ("info", "a.xacro"),
    "graph": ("graph", "a.xacro"),
    "resolve": ("resolve", "a.xacro"),
    "convert": ("convert", "a.xacro", "out"),
    "print": ("print", "a.xacro"),
    "view": ("view", "a.xacro", "b.xacro"),
    "compare": ("compare", "a.xacro", "b.xacro"),
    "replay": ("replay", "a.xacro", "log.csv"),
    "batch": ("batch", "check", "a.xacro", "b.xacro", "--out", "d"),
}


def test_every_command_that_reads_a_file_takes_arguments_of_xacro() -> None:
    taking = {
        name
        for name, parser in subparsers_of(make_parser()).items()
        if any("--xacro-arg" in action.option_strings for action in parser._actions)
    }
    assert taking == set(WORDS)


@pytest.mark.parametrize("command", WORDS)
@pytest.mark.parametrize("place", [0, -1])
def test_arguments_of_xacro_stand_before_and_after_the_files(command: str, place: int) -> None:
    """The tools of ROS take them anywhere."""
    words = WORDS[command]
    first = 2 if command == "batch" else 1
    middle = (
        (*words[:first], "name:=ur5e", *words[first:]) if place == 0 else (*words, "name:=ur5e")
    )
    options, expected = parse([*middle, "--xacro-arg", "c:=d"]), parse(words)
    assert not isinstance(options, int)
    assert not isinstance(expected, int)
    assert sorted(options.xacro_arg) == [("c", "d"), ("name", "ur5e")]
    assert vars(options) | {"xacro_arg": []} == vars(expected)


def test_an_argument_of_xacro_alone_reaches_the_file(tmp_path: Path) -> None:
    pytest.importorskip("xacro")
    path = tmp_path / "r.urdf.xacro"
    path.write_text(
        "<robot name='r' xmlns:xacro='http://ros.org/wiki/xacro'><link name='$(arg name)'/></robot>"
    )
    done = call("info", path, "--xacro", "name:=ur5e", "--json")
    assert list(json.loads(done.stdout)["links"]) == ["ur5e"]
    assert "name:=VALUE" in call("info", path, "--xacro").stderr


FORMATS_READ = ("SDFormat", "URDF", "MJCF", "Drake directives")


@pytest.mark.parametrize("command", ["", "info", "convert", "compare"])
def test_the_help_names_every_format(command: str) -> None:
    parser = make_parser()
    shown = " ".join((subparsers_of(parser)[command] if command else parser).format_help().split())
    assert [name for name in FORMATS_READ if name not in shown] == []


def test_the_help_of_convert_names_every_format_that_is_written() -> None:
    description = subparsers_of(make_parser())["convert"].description
    assert description == "write a model as MJCF, SDFormat, URDF or Drake directives"


@pytest.mark.parametrize(
    ("words", "option"),
    [
        (("compare", "a.xml", "--level", "L0", "--level", "L1"), "--level"),
        (("compare", "a.xml", "--seed", "0", "--seed", "1"), "--seed"),
        (("convert", "a.xml", "out", "--to", "sdf", "--to=urdf"), "--to"),
        (("convert", "a.xml", "out", "--base", "as_is", "--base", "free"), "--base"),
        (("graph", "a.xml", "-o", "a.dot", "--out", "b.dot"), "-o/--out"),
        (("batch", "check", "a.xml", "-o", "d", "-j", "1", "-j", "2"), "-j/--jobs"),
    ],
)
def test_an_option_with_one_value_is_not_given_twice(
    words: tuple[str, ...], option: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(words) == 2
    first = capsys.readouterr().err.splitlines()[0]
    assert first.startswith(f"sdfbridge: argument {option}: given twice; expected it once")
    assert ("separate several values by commas" in first) is (option == "--level")


def test_options_of_several_values_may_be_repeated() -> None:
    options = parse(
        (
            "compare",
            "a.xml",
            "--set",
            "a=1",
            "--set",
            "b=2",
            "--limit",
            "files=9",
            "--limit",
            "bytes=8",
        )
    )
    assert not isinstance(options, int)
    assert (len(options.set), len(options.limit)) == (2, 2)
