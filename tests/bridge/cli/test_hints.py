"""Hints name options of the command line, never those of Python."""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from bridge.cli.output import EXPORT_OPTIONS, in_command_words, with_command_words
from bridge.cli.parser import make_parser, subparsers_of
from loaders import LoadOptions
from loaders.diagnostics import Diagnostic, Fate
from tests.support.command_line import ROOT, call

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
            docstrings = {id(node.value) for node in nodes if isinstance(node, ast.Expr)}
            for node in formatted:
                yield "".join(
                    part.value if isinstance(part, ast.Constant) else "x" for part in node.values
                )
            for node in nodes:
                if (
                    isinstance(node, ast.Constant)
                    and id(node) not in parts | docstrings
                    and isinstance(node.value, str)
                ):
                    yield node.value


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
