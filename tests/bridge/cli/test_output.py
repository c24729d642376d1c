"""Output of the commands: diagnostics and their hints, JSON, and names of files."""

from __future__ import annotations

import ast
import io
import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from bridge.cli import main
from bridge.cli.json_report import diagnostic_entry, failure_report, shown_path
from bridge.cli.output import EXPORT_OPTIONS, Output, in_command_words, with_command_words
from bridge.cli.parser import make_parser, subparsers_of
from loaders import LoadOptions
from loaders.diagnostics import Diagnostic, Fate, Where
from tests.support.command_line import ROOT, call

# Output of the commands: which diagnostics are printed, and where.

ARM = Path(__file__).parents[3] / "assets" / "arm" / "model.sdf"


def test_many_warnings_alike_are_counted_unless_all_are_asked_for(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    links = "\n".join(f"<link name='l{i}'><colour/></link>" for i in range(40))
    path = tmp_path / "many.urdf"
    path.write_text(f"<robot name='r'>{links}</robot>", encoding="utf-8")
    assert main(["check", str(path)]) == 0
    text = capsys.readouterr().err
    assert text.count("[xml.unread]") == 5 + 1, "five of them, and their number"
    assert "and 35 more like it  [xml.unread] (-v shows all)" in text
    assert main(["check", "-v", str(path)]) == 0
    text = capsys.readouterr().err
    assert text.count("[xml.unread]") == 40
    assert "more like it" not in text


def test_quiet_hides_warnings_and_verbose_adds_notes(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    lines = {}
    for flag in ("-q", "-v"):
        assert main(["convert", str(ARM), "-o", str(tmp_path / flag), flag]) == 0
        lines[flag] = capsys.readouterr().err
    assert lines["-q"] == ""
    assert "note:" in lines["-v"]
    assert "warning:" in lines["-v"]


def test_findings_of_one_kind_are_folded(capsys: pytest.CaptureFixture[str]) -> None:
    warnings = [
        Diagnostic("a.b", Fate.DROPPED, "link {link}", arguments={"link": f"l{i}"})
        for i in range(7)
    ]
    others = [Diagnostic("a.c", Fate.DROPPED, "joint {joint}", arguments={"joint": "j"})]
    errors = [
        Diagnostic("a.d", Fate.INVALID, "link {link}", arguments={"link": f"l{i}"})
        for i in range(9)
    ]
    Output().diagnostics([*warnings, *others, *errors])
    lines = capsys.readouterr().err.splitlines()
    assert [line for line in lines if "[a.b]" in line] == [
        *(f"warning: link l{i}  [a.b]" for i in range(5)),
        "and 2 more like it  [a.b] (-v shows all)",
    ]
    assert [line for line in lines if "[a.d]" in line] == [
        *(f"error: link l{i}  [a.d]" for i in range(5)),
        "and 4 more like it  [a.d] (-v shows all)",
    ]
    assert lines[-1] == "9 errors, 8 warnings"


def test_warnings_of_one_code_with_different_templates_are_counted_apart(
    capsys: pytest.CaptureFixture[str],
) -> None:
    entries = [
        Diagnostic("a.b", Fate.DROPPED, template, Where("a", line))
        for template in ("one", "two")
        for line in range(4)
    ]
    Output(similar=2).diagnostics(entries)
    lines = capsys.readouterr().err.splitlines()
    assert lines.count("and 2 more like it  [a.b] (-v shows all)") == 2
    assert sum("warning: two" in line for line in lines) == 2


def test_a_command_with_a_result_says_the_three_worst_kinds_in_words_and_counts_the_rest(
    capsys: pytest.CaptureFixture[str],
) -> None:
    calm = [Diagnostic(f"a.{letter}", Fate.DROPPED, letter) for letter in "bcd" for _ in range(2)]
    sentence = "base falls"
    worst = Diagnostic("z.falls", Fate.ASSUMED, sentence, harm=2)
    Output(command="convert").diagnostics([*calm, worst])
    assert capsys.readouterr().err.splitlines() == [
        "warning: base falls  [z.falls]",
        "warning: b  [a.b]",
        "and 1 more like it  [a.b] (-v shows all)",
        "warning: c  [a.c]",
        "and 1 more like it  [a.c] (-v shows all)",
        "less harmful: 2 a.d (-v shows all)",
        "7 warnings",
    ]


@pytest.mark.slow
@pytest.mark.skipif(os.name != "posix", reason="pseudo-terminals of POSIX")
def test_progress_is_shown_on_a_terminal_only() -> None:
    pty = pytest.importorskip("pty")
    command = [
        sys.executable,
        "-m",
        "sdfbridge",
        "check",
        str(ARM),
        str(ARM.parents[1] / "leg.sdf"),
    ]
    controller, terminal = pty.openpty()
    done = subprocess.run(
        command, stdout=subprocess.PIPE, stderr=terminal, text=True, check=True, cwd=ROOT
    )
    os.close(terminal)
    assert b"(1 of 2)" in os.read(controller, 100_000)
    os.close(controller)
    assert done.stdout.splitlines()[0] == "2 files: 2 valid, 0 invalid"
    assert (
        "of 2)"
        not in subprocess.run(command, capture_output=True, text=True, check=True, cwd=ROOT).stderr
    )


class Terminal(io.StringIO):
    """A terminal."""

    def isatty(self) -> bool:
        return True


ROWS = [("mass", "a long place " * 4, "pass"), ("a\x1b[2J\nb", "hand", "FAIL")]


def test_a_table_has_the_width_of_the_terminal_and_its_colors(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def printed(stream: io.StringIO) -> list[str]:
        monkeypatch.setattr(sys, "stdout", stream)
        Output().table(("quantity", "where", ""), ROWS, [None, "bold red"])
        return stream.getvalue().splitlines()

    monkeypatch.setenv("COLUMNS", "40")
    plain, narrow = printed(io.StringIO()), printed(Terminal())
    assert [line.split() for line in plain] == [
        [], ["quantity", "where"], ["-" * 75],
        ["mass", *ROWS[0][1].split(), "pass"], ["a\\x1b[2J\\x0ab", "hand", "FAIL"], [],
    ]  # fmt: skip
    assert all(len(line) <= 40 for line in narrow[:-2])
    assert narrow[3].split() == ["mass", *["a", "long", "place", "a"], "pass"]
    assert narrow[-2].startswith("\x1b[1;31m a")
    assert narrow[-2].endswith("FAIL\x1b[0m")
    monkeypatch.setenv("NO_COLOR", "1")
    assert printed(Terminal())[-2].startswith(" a")


# Hints name options of the command line, never those of Python.

PYTHON = re.compile(
    rf'\b({"|".join(sorted({*EXPORT_OPTIONS, *LoadOptions.__optional_keys__}))})=(["TFL(]|$)'
)
"""An option with its value, as Python has it."""
ONLY_PYTHON = ("quiet",)
"""Options that messages of Python name, and that the command line does not print."""


@pytest.mark.parametrize(
    ("text", "command", "expected"),
    [
        ('use inertia="repair"', "convert", "use --inertia repair"),
        ('use inertia="repair"', "compare", "use --inertia repair"),
        ('use inertia="repair"', "check", "use sdfbridge convert --inertia repair"),
        (
            'contacts="pairs" writes each pair',
            "compare",
            "sdfbridge convert --contacts pairs writes each pair",
        ),
        (
            "add its folder to package_map or paths",
            "info",
            "add its folder to --package NAME=DIR or --path",
        ),
        (
            "add its folder to paths, or use unsafe_paths=True",
            "info",
            "add its folder to --path, or use --unsafe-paths",
        ),
        (
            "use allow_xacro=True if you trust the file",
            "check",
            "use --xacro if you trust the file",
        ),
        (
            "raise the limit with limits=Limits(files=...)",
            "check",
            "raise the limit with --limit files=N",
        ),
        ("rename one of them", "check", "rename one of them"),
    ],
)
def test_options_of_python_become_those_of_the_command(
    text: str, command: str, expected: str
) -> None:
    assert in_command_words(text, command) == expected
    assert in_command_words(expected, command) == expected
    assert (
        with_command_words(Diagnostic("a.b", Fate.DROPPED, "m", hint=text), command).hint
        == expected
    )


def texts() -> Iterator[str]:
    """Every text of the code but docstrings; the fields of a formatted text are ``x``."""
    for package in ("loaders", "bridge"):
        for path in (ROOT / package).rglob("*.py"):
            nodes = list(ast.walk(ast.parse(path.read_text(encoding="utf-8"))))
            formatted = [node for node in nodes if isinstance(node, ast.JoinedStr)]
            parts = {id(part) for node in formatted for part in node.values}
            others = parts | {id(node.value) for node in nodes if isinstance(node, ast.Expr)}
            for node in formatted:
                yield "".join(
                    part.value if isinstance(part, ast.Constant) else "x" for part in node.values
                )
            for node in nodes:
                if (
                    isinstance(node, ast.Constant)
                    and id(node) not in others
                    and isinstance(node.value, str)
                ):
                    yield node.value


@pytest.mark.slow
def test_no_option_of_python_is_left_in_a_hint() -> None:
    named = [
        text for text in texts() if PYTHON.search(text) and "`" not in text and "\\" not in text
    ]
    assert len(named) > 10, "the search finds the hints"
    left = [
        text
        for text in named
        if (found := PYTHON.search(in_command_words(text, "convert")))
        and found[1] not in ONLY_PYTHON
    ]
    assert left == []


@pytest.mark.parametrize("command", ["convert", "compare", "check"])
def test_the_options_that_hints_name_exist(command: str) -> None:
    parser = subparsers_of(make_parser())[command]
    known = {option for action in parser._actions for option in action.option_strings}
    text = (
        "allow_xacro=True unsafe_paths=True strict=True paths package_map "
        "limits=Limits(files=...) srdf=..."
    )
    assert set(re.findall(r"--[a-z-]+", in_command_words(text, command))) <= known
    exporting = {
        option
        for action in subparsers_of(make_parser())["convert"]._actions
        for option in action.option_strings
    }
    assert {f"--{name.replace('_', '-')}" for name in EXPORT_OPTIONS} <= exporting


def test_a_command_prints_its_own_options_in_text_and_in_json(tmp_path: Path) -> None:
    path = tmp_path / "r.urdf.xacro"
    path.write_text('<robot name="r" xmlns:xacro="http://ros.org/wiki/xacro"/>', encoding="utf-8")
    done = call("check", path, "--json")
    assert "use --xacro if you trust the file" in done.stderr
    assert [entry["hint"] for entry in json.loads(done.stdout)["diagnostics"]] == [
        "use --xacro if you trust the file"
    ]
    done = call("info", path, "--json")
    assert [entry["hint"] for entry in json.loads(done.stdout)["diagnostics"]] == [
        "use --xacro if you trust the file"
    ]


def test_a_limit_is_an_option(tmp_path: Path) -> None:
    path = tmp_path / "r.urdf"
    path.write_text('<robot name="r"><link name="a"/><link name="b"/></robot>', encoding="utf-8")
    done = call("check", path, "--limit", "elements=2")
    assert done.returncode == 1
    assert "raise the limit with --limit elements=N" in done.stderr
    done = call("check", path, "--limit", "wheels=2")
    assert done.returncode == 2
    assert "unknown limit 'wheels'; expected one of: files, bytes" in done.stderr


# Diagnostics as plain data.


def test_a_diagnostic_keeps_every_field() -> None:
    where = Where("/a.sdf", 3, "/sdf/model[m]")
    arguments = {"names": ("a", "b"), "size": float("inf")}
    entry = Diagnostic(
        "a.b",
        Fate.DROPPED,
        "{names} {size}",
        where,
        "mujoco",
        "do it",
        arguments=arguments,
        subjects=("a",),
    )
    assert diagnostic_entry(entry) == {
        "code": "a.b",
        "fate": "dropped",
        "severity": "warning",
        "message": "a, b inf",
        "arguments": {"names": ["a", "b"], "size": "inf"},
        "subjects": ["a"],
        "file": "/a.sdf",
        "line": 3,
        "path": "/sdf/model[m]",
        "target": "mujoco",
        "hint": "do it",
    }


def test_a_failure_without_files_is_strict_json() -> None:
    report = failure_report("check", 2, error="no file")
    assert json.loads(json.dumps(report, allow_nan=False)) == {
        "sdfbridge": 1,
        "command": "check",
        "status": 2,
        "error": "no file",
        "files": [],
        "diagnostics": [],
    }


# Names of files in what people read.


def test_a_path_below_the_current_folder_is_relative(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert shown_path(str(tmp_path / "robots" / "a.sdf")) == "robots/a.sdf"
    assert shown_path("robots/a.sdf") == "robots/a.sdf"
    assert shown_path("/elsewhere/a.sdf") == "/elsewhere/a.sdf"
    assert shown_path("<string>.sdf") == "<stdin>"
    assert shown_path("") == ""


@pytest.mark.parametrize("name", ["stdout", "stderr"])
def test_a_closed_output_is_no_error(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Python has None in its place, as after ``>&-`` in a shell."""
    monkeypatch.setattr(sys, name, None)
    assert main(["check", "assets/arm/model.sdf"]) == 0
    getattr(sys, name).close()


@pytest.mark.skipif(os.name != "posix", reason="pipes of POSIX")
@pytest.mark.parametrize("name", ["stdout", "stderr"])
def test_a_command_whose_reader_has_gone_keeps_its_status(name: str, tmp_path: Path) -> None:
    """With ``pipefail``, a shell would take the status of ``sdfbridge check FILE | head`` else."""
    robot = tmp_path / "r.urdf"
    robot.write_text('<robot name="r"><link name="a"/><link name="a"/></robot>')
    ours, theirs = os.pipe()
    os.close(ours)
    done = subprocess.run(
        [sys.executable, "-m", "sdfbridge", "check", str(robot)],
        cwd=ROOT,
        check=False,
        **{"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL, name: theirs},
    )
    os.close(theirs)
    assert done.returncode == 1


@pytest.mark.slow
@pytest.mark.skipif(os.name != "posix", reason="pseudo-terminals of POSIX")
def test_a_terminal_gets_sentences_broken_between_words_and_other_streams_whole_lines(
    tmp_path: Path,
) -> None:
    pty = pytest.importorskip("pty")
    robot = tmp_path / "a robot whose file has a long name.urdf"
    robot.write_text(
        "<robot name='r'><link name='a'><inertial><mass value='2'/></inertial></link></robot>"
    )
    command = [sys.executable, "-m", "sdfbridge", "check", robot.name]
    environment = os.environ | {"COLUMNS": "60", "PYTHONPATH": str(ROOT)}
    controller, terminal = pty.openpty()
    options = {"text": True, "cwd": tmp_path, "env": environment}
    subprocess.run(command, stdout=terminal, stderr=subprocess.DEVNULL, check=True, **options)
    os.close(terminal)
    shown = os.read(controller, 100_000).decode().replace("\r\n", "\n")
    os.close(controller)
    whole = subprocess.run(command, capture_output=True, check=True, **options).stdout
    assert max(map(len, shown.splitlines())) <= 60 < max(map(len, whole.splitlines()))
    assert shown.split() == whole.split()


# What a terminal shows.

PENDULUM = ROOT / "assets" / "double_pendulum.urdf"
SHOWN = {
    "info": (str(ARM),),
    "check": (str(PENDULUM), "FAULTY", "nowhere.urdf"),
    "convert": (str(ARM), "-o", "OUT/arm"),
    "compare": (str(PENDULUM), "FAULTY", "--engines", "mujoco", "-v"),
    "replay": (str(ARM), "nowhere.csv"),
    "batch": ("merge", "nowhere", "-o", "OUT/batch"),
    "fix": ("FAULTY",),
    "explain": ("xml.unread",),
    "resolve": (str(ARM), "--fetch", "--nonsense"),
    "view": ("nowhere.urdf",),
    "demo": ("--nonsense",),
    "print": ("nowhere.urdf",),
    "doctor": (),
    "completion": ("nonsense",),
    "graph": ("nowhere.urdf",),
}
"""Words after each command, many of them wrong."""
DATA = re.compile(r"""^[-+ ]<|\S{60}|^\s*"|: \[|^[-+]{3} """)
"""Lines that are text of a file, or have a word that cannot be broken."""


@pytest.mark.parametrize("columns", [80, 120])
@pytest.mark.parametrize("command", subparsers_of(make_parser()))
def test_every_command_and_its_help_fit_the_terminal(
    command: str, columns: int, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", str(columns))
    link = "<link name='{}'><colour/><inertial><mass value='1'/><inertia ixx='1' iyy='1' izz='3'/>"
    links = "\n".join(
        f"{link.format(f'a_link_with_a_long_name_{i}')}</inertial></link>" for i in "ab"
    )
    (tmp_path / "faulty.urdf").write_text(f"<robot name='r'>\n{links}</robot>", encoding="utf-8")
    words = [
        word.replace("FAULTY", "faulty.urdf").replace("OUT", str(tmp_path))
        for word in SHOWN[command]
    ]
    for given in ([command, "--help"], [command, *words]):
        shown = Terminal()
        monkeypatch.setattr(sys, "stdout", shown)
        monkeypatch.setattr(sys, "stderr", shown)
        main(given)
        lines = re.sub(r"\r\x1b\[K.*\r\x1b\[K|\x1b\[[\d;]*m", "", shown.getvalue()).splitlines()
        assert lines
        assert not [line for line in lines if len(line) > columns and not DATA.search(line)]


@pytest.mark.parametrize("command", subparsers_of(make_parser()))
def test_help_says_at_once_what_a_command_does(
    command: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    shown = Terminal()
    monkeypatch.setattr(sys, "stdout", shown)
    assert main([command, "--help"]) == 0
    usage, empty, description, *_ = shown.getvalue().splitlines()
    assert usage.startswith(f"usage: sdfbridge {command} [OPTION ...]")
    assert not empty
    assert description == subparsers_of(make_parser())[command].description


def test_a_tree_goes_on_beside_a_line_that_is_broken(monkeypatch: pytest.MonkeyPatch) -> None:
    shown = Terminal()
    monkeypatch.setattr(sys, "stdout", shown)
    monkeypatch.setenv("COLUMNS", "31")
    Output().outline(
        "world\n|-- a  <- hinge (revolute [-1, 1])\n|   `-- b  <- other (fixed)  22.5 kg"
    )
    assert shown.getvalue().splitlines() == [
        "world",
        "|-- a  <- hinge (revolute [-1,",
        "|       1])",
        "|   `-- b  <- other (fixed)",
        "|           22.5 kg",
    ]


def test_a_comparison_of_two_files_says_what_it_does(monkeypatch: pytest.MonkeyPatch) -> None:
    said: list[str] = []
    monkeypatch.setattr(Output, "status", lambda _, text: said.append(text))
    assert main(["compare", str(PENDULUM), str(PENDULUM)]) == 0
    assert said[0] == f"comparing {PENDULUM} with {PENDULUM}"
