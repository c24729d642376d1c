"""Types of option values. Each returns the value that a word states, or says what was expected."""

from __future__ import annotations

import math
from argparse import ArgumentTypeError
from pathlib import Path

LEVELS = ("L0", "L1", "L2", "L3", "L4")
"""The levels of a comparison."""
EXTENSIONS = ("drake", "gazebo", "pybullet")
"""The extensions of a URDF."""


def name(text: str) -> str:
    """Return the name of a file or folder.

    Raises:
        ArgumentTypeError: if it is empty, as a variable of the shell may be.
    """
    if not text.strip():
        raise ArgumentTypeError("the name is empty; expected a file or a folder")
    return text


def path(text: str) -> Path:
    """Return the path of a file or folder, which need not exist; see `name`."""
    return Path(name(text))


def folder(text: str) -> Path:
    """Return a folder that exists.

    Raises:
        ArgumentTypeError: if there is none.
    """
    place = path(text)
    if not place.is_dir():
        problem = "is not a folder" if place.exists() else "does not exist"
        raise ArgumentTypeError(f"{text} {problem}; expected a folder that exists")
    return place


def package(text: str) -> tuple[str, Path]:
    """Return a package's name and its folder, from ``NAME=DIR``.

    Raises:
        ArgumentTypeError: if it has another form, or if there is no such folder.
    """
    package_name, equals, place = text.partition("=")
    if not (package_name and equals and place):
        raise ArgumentTypeError(f"invalid value {text!r}; expected NAME=DIR, such as my_robot=src/my_robot")
    return package_name, folder(place)


def renaming(text: str) -> tuple[str, str]:
    """Return two names, from ``A=B``.

    Raises:
        ArgumentTypeError: if it has another form.
    """
    first, equals, second = text.partition("=")
    if not (first and equals and second):
        raise ArgumentTypeError(f"invalid value {text!r}; expected A=B, such as elbow=joint_2")
    return first, second


def xacro_argument(text: str) -> tuple[str, str]:
    """Return the name and the value of an argument of xacro, from ``NAME:=VALUE``.

    Raises:
        ArgumentTypeError: if it has another form.
    """
    name, assignment, value = text.partition(":=")
    if not (name and assignment):
        raise ArgumentTypeError(f"invalid value {text!r}; expected NAME:=VALUE, such as name:=ur5e")
    return name, value


def positive(text: str) -> int:
    """Return a whole number of at least 1."""
    return _whole(text, 1)


def natural(text: str) -> int:
    """Return a whole number of at least 0."""
    return _whole(text, 0)


def _whole(text: str, least: int) -> int:
    try:
        number = int(text)
    except ValueError:
        number = least - 1
    if number < least:
        raise ArgumentTypeError(f"invalid value {text!r}; expected a whole number of at least {least}")
    return number


def positive_number(text: str) -> float:
    """Return a positive number.

    Raises:
        ArgumentTypeError: if it is something else.
    """
    try:
        number = float(text)
    except ValueError:
        number = 0.0
    if not 0.0 < number < math.inf:
        raise ArgumentTypeError(f"invalid value {text!r}; expected a positive number")
    return number


def shard(text: str) -> tuple[int, int]:
    """Return the number of a shard and the number of shards, from ``I/N``.

    Raises:
        ArgumentTypeError: if there is no such shard.
    """
    number, _, count = text.partition("/")
    if not (number.isdecimal() and count.isdecimal() and 1 <= int(number) <= int(count)):
        raise ArgumentTypeError(f"invalid value {text!r}; expected I/N with I from 1 to N, such as 2/4")
    return int(number), int(count)


def limit(text: str) -> tuple[str, int]:
    """Return a limit's name and its value, from ``NAME=N``.

    Raises:
        ArgumentTypeError: if it has another form.
    """
    option, equals, number = text.partition("=")
    if not (option and equals):
        raise ArgumentTypeError(f"invalid value {text!r}; expected NAME=N, such as elements=2000000")
    return option, positive(number)


def levels(text: str) -> tuple[str, ...]:
    """Return levels that are separated by commas, such as ``L0,L1`` or ``0,1``.

    Raises:
        ArgumentTypeError: if a level is unknown.
    """
    named = tuple(f"L{word}" if word.isdigit() else word.upper() for word in names(text))
    for level in named:
        if level not in LEVELS:
            raise ArgumentTypeError(f"unknown level {level!r}; expected one or more of: {', '.join(LEVELS)}")
    return named


def extensions(text: str) -> tuple[str, ...]:
    """Return the extensions of a URDF that are separated by commas; ``none`` means an empty list.

    Raises:
        ArgumentTypeError: if one is unknown.
    """
    if text == "none":
        return ()
    found = names(text)
    for word in found:
        if word not in EXTENSIONS:
            raise ArgumentTypeError(f"unknown extension {word!r}; expected none, or some of: {', '.join(EXTENSIONS)}")
    return found


def names(text: str) -> tuple[str, ...]:
    """Return one or more names that are separated by commas, each once.

    Raises:
        ArgumentTypeError: if there is none.
    """
    found = tuple(dict.fromkeys(word.strip() for word in text.split(",") if word.strip()))
    if not found:
        raise ArgumentTypeError(f"invalid value {text!r}; expected one or more names, separated by commas")
    return found


def joint_position(text: str) -> tuple[str, float | tuple[float, ...]]:
    """Return ``joint=value``: several numbers are separated by commas, and a number of degrees ends with ``deg``.

    Raises:
        ArgumentTypeError: if it has another form.
    """
    joint, equals, value = text.rpartition("=")
    try:
        numbers = tuple(_angle(part) for part in value.split(","))
    except ValueError:
        numbers = ()
    if not (joint and equals and numbers and all(map(math.isfinite, numbers))):
        raise ArgumentTypeError(f"invalid value {text!r}; expected JOINT=VALUE, such as elbow=0.5 or elbow=30deg")
    return joint, numbers if len(numbers) > 1 else numbers[0]


def _angle(text: str) -> float:
    degrees = text.strip().removesuffix("deg")
    return math.radians(float(degrees)) if degrees != text.strip() else float(text)
