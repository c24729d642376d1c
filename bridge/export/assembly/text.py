"""Text of Drake's directives."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterable, Sequence

from bridge.export.number_format import numbers
from bridge.export.pose_format import angle_values, position_values
from loaders.spatial import Pose

_PLAIN = re.compile(r"[A-Za-z_][\w./-]*(::?[\w./-]+)*")
_WORDS = frozenset({"true", "false", "null", "yes", "no", "on", "off"})
Lines = list[str]


def word(text: str) -> str:
    """Return a name as a scalar of YAML, in quotes if it could be read as something else."""
    plain = _PLAIN.fullmatch(text) and ": " not in text and text.lower() not in _WORDS
    return text if plain else json.dumps(text, ensure_ascii=False)


def values(sequence: Iterable[float]) -> str:
    """Return numbers as a sequence of YAML, in which a number with an exponent has a point."""
    words = (re.sub(r"^(-?\d+)e", r"\1.0e", text) for text in numbers(sequence).split())
    return f"[{', '.join(words)}]"


def pose_lines(X: Pose, indent: str, base: str | None = None) -> Lines:
    """Return the lines of a transform.

    Args:
        X: The pose.
        indent: The spaces before each line.
        base: The frame that the pose refers to, if it must be named.
    """
    lines = [] if base is None else [f"{indent}base_frame: {word(base)}"]
    lines.append(f"{indent}translation: {values(position_values(X.p))}")
    angles = [math.degrees(angle) for angle in angle_values(X.R)]
    if any(angles):
        lines.append(f"{indent}rotation: !Rpy {{ deg: {values(angles)} }}")
    return lines


def add_model(name: str, uri: str, positions: dict[str, Sequence[float]], free_pose: tuple[str, Pose] | None) -> Lines:
    """Return the directive that adds a model.

    Args:
        name: Its name.
        uri: URI of its file.
        positions: Initial positions of its joints.
        free_pose: Name of its free root and the pose of this, if the file does not state it.
    """
    lines = ["- add_model:", f"    name: {word(name)}", f"    file: {word(uri)}"]
    if positions:
        lines.append("    default_joint_positions:")
        lines += [f"      {word(joint)}: {values(q)}" for joint, q in positions.items()]
    if free_pose is not None:
        lines += ["    default_free_body_pose:", f"      {word(free_pose[0])}:", *pose_lines(free_pose[1], " " * 8)]
    return lines


def add_instance(name: str) -> Lines:
    """Return the directive that adds a namespace."""
    return ["- add_model_instance:", f"    name: {word(name)}"]


def add_frame(name: str, base: str, X_PF: Pose) -> Lines:
    """Return the directive that adds a frame.

    Args:
        name: Its name.
        base: The frame that its pose refers to.
        X_PF: Its pose in that frame.
    """
    return ["- add_frame:", f"    name: {word(name)}", "    X_PF:", *pose_lines(X_PF, " " * 6, base)]


def add_weld(parent: str, child: str, X_PC: Pose) -> Lines:
    """Return the directive that welds a link to another.

    Args:
        parent: The parent link.
        child: The child link.
        X_PC: The pose of the child in the parent.
    """
    ends = [f"    parent: {word(parent)}", f"    child: {word(child)}"]
    return ["- add_weld:", *ends, "    X_PC:", *pose_lines(X_PC, " " * 6)]


def add_group(name: str, members: Iterable[str], groups: Iterable[str], ignored: Iterable[str]) -> Lines:
    """Return the directive that adds a collision filter group.

    Args:
        name: Its name.
        members: Its links.
        groups: The groups whose links are members too.
        ignored: The groups with whose links its links do not collide.
    """
    lines = ["- add_collision_filter_group:", f"    name: {word(name)}"]
    lists = (("members", members), ("member_groups", groups), ("ignored_collision_filter_groups", ignored))
    for key, names in lists:
        listed = [f"    - {word(item)}" for item in names]
        lines += [f"    {key}:", *listed] if listed else []
    return lines
