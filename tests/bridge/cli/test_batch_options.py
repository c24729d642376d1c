"""The options of batch belong to its tasks."""

from __future__ import annotations

from argparse import Namespace

import pytest

from bridge.cli.errors import UsageError
from bridge.cli.options import task_options
from bridge.cli.parser import parse


def options(*words: str) -> Namespace:
    parsed = parse(["batch", *words, "a.sdf", "-o", "out"])
    assert isinstance(parsed, Namespace)
    return parsed


def test_only_stated_options_are_passed_on() -> None:
    assert task_options(options("compare")) == {}
    assert task_options(options("compare", "--level", "0,1", "--seed", "0")) == {
        "levels": ("L0", "L1"),
        "seed": 0,
    }
    assert task_options(options("convert", "--to", "sdf", "--inertia", "repair")) == {
        "to": "sdf",
        "inertia": "repair",
    }


@pytest.mark.parametrize(
    "words",
    [
        ("convert", "--engines", "mujoco"),
        ("check", "--inertia", "keep"),
        ("compare", "--no-couplings"),
        ("check", "--to", "sdf"),
    ],
)
def test_options_of_another_task_are_refused(words: tuple[str, ...]) -> None:
    with pytest.raises(ValueError, match=f"batch {words[0]} has no option {words[1]}"):
        task_options(options(*words))


def test_options_of_every_target_are_taken_and_those_of_another_are_refused() -> None:
    words = ("convert", "--to", "directives", "--models", "urdf")
    assert task_options(options(*words)) == {"to": "directives", "models": "urdf"}
    assert task_options(options("convert", "--to", "sdf", "--sdf-version", "1.9")) == {
        "to": "sdf",
        "version": "1.9",
    }
    with pytest.raises(UsageError, match="--models applies to --to directives"):
        task_options(options("convert", "--models", "urdf"))


def test_the_defaults_of_running() -> None:
    parsed = options("check")
    assert (parsed.timeout, parsed.memory, parsed.jobs, parsed.resume, parsed.shard) == (
        300.0,
        4.0,
        None,
        False,
        None,
    )
    assert options("check", "--shard", "2/4").shard == (2, 4)
