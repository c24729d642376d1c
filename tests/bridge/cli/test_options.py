"""Options that several commands share, and the types of their values."""

from __future__ import annotations

import math
from argparse import ArgumentParser, ArgumentTypeError, Namespace
from pathlib import Path

import pytest

from bridge.cli import main
from bridge.cli.errors import UsageError
from bridge.cli.inputs import search
from bridge.cli.options import (
    LEVELS,
    add_compare_options,
    add_load_options,
    joint_position,
    levels,
    names,
    target_options,
    xacro_argument,
)
from bridge.cli.parser import parse
from bridge.parity.verdict import DEFAULT_LEVELS, Level
from bridge.targets.target import BUILT_IN, MJCF
from loaders.collision_pairs import POLICIES
from tests.support.command_line import call

# Options that several commands share.


def test_every_option_of_a_target_is_a_flag_of_convert_and_batch_and_nothing_is_stated() -> None:
    for words in (["convert", "a.sdf", "out"], ["batch", "convert", "a.sdf", "-o", "out"]):
        parsed = parse(words)
        assert isinstance(parsed, Namespace)
        for target in BUILT_IN.values():
            assert target_options(parsed, target, BUILT_IN) == {}


def test_words_of_the_command_line_become_keywords_of_the_target() -> None:
    words = ["--no-couplings", "--extensions", "none", "--inertia", "repair", "--to", "urdf"]
    parsed = parse(["convert", "a.sdf", "out", *words])
    assert isinstance(parsed, Namespace)
    assert target_options(parsed, BUILT_IN["urdf"], BUILT_IN) == {
        "couplings": False,
        "extensions": (),
        "inertia": "repair",
    }


@pytest.mark.parametrize(
    ("words", "target", "message"),
    [
        (["--actuators", "motor"], "sdf", "--actuators applies to --to mjcf; expected that, or no"),
        (["--no-couplings"], "mjcf", "--no-couplings applies to --to urdf; expected that, or no"),
        (["--sdf-version", "1.7"], "urdf", "--sdf-version applies to --to sdf; expected that, or"),
        (["--inertia", "error"], "sdf", "--inertia error does not apply to --to sdf; expected kee"),
    ],
)
def test_an_option_of_another_target_is_refused(
    words: list[str], target: str, message: str
) -> None:
    parsed = parse(["convert", "a.sdf", "out", *words])
    assert isinstance(parsed, Namespace)
    with pytest.raises(UsageError) as caught:
        target_options(parsed, BUILT_IN[target], BUILT_IN)
    assert str(caught.value).startswith(message)


def test_the_policies_and_levels_are_those_of_the_library() -> None:
    choices = {entry.name: entry.choices for entry in MJCF.options.declared()}
    assert choices["policy"] == tuple(POLICIES)
    parser = ArgumentParser()
    add_compare_options(parser)
    assert parser.parse_args([]).level == DEFAULT_LEVELS
    assert parser.parse_args([]).base == "as_is"
    assert tuple(Level) == LEVELS


def test_packages_and_paths_reach_the_library(tmp_path: Path) -> None:
    parser = ArgumentParser()
    add_load_options(parser)
    for name in ("cups", "shelf", "table"):
        (tmp_path / name).mkdir()
    words = [
        "--package",
        f"cups={tmp_path / 'cups'}",
        "--path",
        str(tmp_path / "shelf"),
        "--path",
        str(tmp_path),
    ]
    assert search(parser.parse_args(["a.sdf", *words])) == {
        "package_map": {"cups": tmp_path / "cups"},
        "paths": [tmp_path / "shelf", tmp_path],
        "fetch": False,
        "unsafe_paths": False,
    }


def test_xacro_runs_only_on_request(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    pytest.importorskip("xacro")
    text = (
        "<robot name='r' xmlns:xacro='http://wiki.ros.org/xacro'><link name='l${1 + 1}'/></robot>"
    )
    (tmp_path / "r.urdf.xacro").write_text(text)
    assert main(["info", str(tmp_path / "r.urdf.xacro")]) == 1
    assert main(["info", "--xacro", str(tmp_path / "r.urdf.xacro")]) == 0
    assert "l2" in capsys.readouterr().out


# Types of option values: what each accepts, and what it says was expected.

ARM = Path(__file__).parents[3] / "assets" / "arm" / "model.sdf"


@pytest.mark.parametrize(
    ("text", "position"),
    [
        ("elbow=0.5", ("elbow", 0.5)),
        ("elbow=30deg", ("elbow", math.radians(30.0))),
        ("a::ball=1,0,0,0", ("a::ball", (1.0, 0.0, 0.0, 0.0))),
    ],
)
def test_a_position_is_read_in_radians_degrees_or_several_numbers(
    text: str, position: tuple[str, object]
) -> None:
    assert joint_position(text) == position


def test_levels_are_read_with_and_without_their_letter() -> None:
    assert levels("0,L1,l2") == ("L0", "L1", "L2")
    assert names("mujoco, pybullet,") == ("mujoco", "pybullet")


@pytest.mark.parametrize(
    ("command", "option", "value", "expected"),
    [
        ("compare", "--configurations", "-3", "expected a whole number of at least 1"),
        ("compare", "--configurations", "0", "expected a whole number of at least 1"),
        ("compare", "--configurations", "many", "expected a whole number of at least 1"),
        ("compare", "--seed", "-1", "expected a whole number of at least 0"),
        (
            "compare",
            "--level",
            "9",
            "unknown level 'L9'; expected one or more of: L0, L1, L2, L3, L4",
        ),
        ("compare", "--level", "", "expected one or more names"),
        ("compare", "--engines", ",", "expected one or more names"),
        ("compare", "--set", "elbow", "expected JOINT=VALUE"),
        ("compare", "--set", "=1", "expected JOINT=VALUE"),
        ("compare", "--set", "elbow=far", "expected JOINT=VALUE"),
        ("compare", "--set", "elbow=nan", "expected JOINT=VALUE"),
        ("info", "--package", "no-equals-sign", "expected NAME=DIR"),
        (
            "info",
            "--package",
            "cups=/no/such/folder",
            "/no/such/folder does not exist; expected a folder that exists",
        ),
        ("info", "--package", f"cups={ARM}", "is not a folder; expected a folder that exists"),
        (
            "info",
            "--path",
            "/no/such/folder",
            "/no/such/folder does not exist; expected a folder that exists",
        ),
    ],
)
def test_a_wrong_value_is_wrong_usage_that_says_what_was_expected(
    command: str, option: str, value: str, expected: str
) -> None:
    done = call(command, ARM, option, value)
    assert (done.returncode, done.stdout) == (2, "")
    assert f"argument {option}: " in done.stderr
    assert expected in done.stderr


def test_arguments_of_xacro_are_assignments() -> None:
    assert xacro_argument("name:=ur5e") == ("name", "ur5e")
    assert xacro_argument("path:=a:=b") == ("path", "a:=b")
    for text in ("name=ur5e", ":=x", "name"):
        with pytest.raises(ArgumentTypeError, match="NAME:=VALUE"):
            xacro_argument(text)
