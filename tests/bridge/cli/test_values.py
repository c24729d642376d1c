"""Types of option values: what each accepts, and what it says was expected."""

from __future__ import annotations

import math
from argparse import ArgumentTypeError
from pathlib import Path

import pytest

from bridge.cli.options import joint_position, levels, names, xacro_argument
from tests.support.command_line import call

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
