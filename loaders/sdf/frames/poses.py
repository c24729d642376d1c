"""``<pose>``: six numbers, or seven with a quaternion, and the frame that they are measured from."""

from __future__ import annotations

import math

from loaders.diagnostics import Fate
from loaders.node import Node
from loaders.spatial import IDENTITY, Pose

_COUNTS = {"euler_rpy": 6, "quat_xyzw": 7}


def read_pose(element: Node) -> tuple[str, Pose]:
    """The ``<pose>`` of an element: the name of its frame R, empty for the default one, and ``X_RE``."""
    node = element.child("pose")
    if node is None:
        return "", IDENTITY
    return node.word("@relative_to", ""), _read_numbers(node)


def read_local_pose(element: Node) -> Pose:
    """The ``<pose>`` of an element that is always posed from its parent, and whose ``relative_to`` means nothing."""
    base, X_RE = read_pose(element)
    if base:
        element.report(
            Fate.ASSUMED,
            "sdf.pose-relative-to-ignored",
            "the pose of <{tag}> has no relative_to; {base!r} is not used",
            tag=element.tag,
            base=base,
        )
    return X_RE


def _read_numbers(node: Node) -> Pose:
    form = node.word("@rotation_format", "euler_rpy")
    in_degrees = node.flag("@degrees", False)
    words = node.text.split()
    if form not in _COUNTS:
        node.invalid(
            "sdf.pose-format",
            "rotation_format is {form!r}, which is none of {names}",
            form=form,
            names=", ".join(_COUNTS),
        )
    elif in_degrees and form != "euler_rpy":
        node.invalid("sdf.pose-format", "a quaternion has no degrees", hint="remove degrees='true'")
    elif words and len(words) != _COUNTS[form]:
        node.invalid(
            "sdf.pose-format", "{counts} numbers are expected, not {count}", counts=_COUNTS[form], count=len(words)
        )
    elif words:
        values = node.numbers(".", _COUNTS[form])
        return _from_quaternion(node, values) if form == "quat_xyzw" else _from_angles(values, in_degrees)
    return IDENTITY


def _from_angles(values: tuple[float, ...], in_degrees: bool) -> Pose:
    angles = tuple(map(math.radians, values[3:])) if in_degrees else values[3:]
    return IDENTITY if not any(values) else Pose.from_xyz_rpy(values[:3], angles)


def _from_quaternion(node: Node, values: tuple[float, ...]) -> Pose:
    x, y, z, w = values[3:]
    if not any((x, y, z, w)):
        node.report(Fate.ASSUMED, "sdf.zero-quaternion", "a quaternion of zeros turns nothing; no rotation is taken")
        w = 1.0
    return Pose.from_vector((*values[:3], w, x, y, z))
