"""``<pose>``: six numbers, or seven with a quaternion, and the frame that it is relative to."""

from __future__ import annotations

import math

from loaders.node import Node
from loaders.numbers import plain_numbers
from loaders.pose import IDENTITY, Pose
from loaders.sdf import codes

_COUNTS = {"euler_rpy": 6, "quat_xyzw": 7}
"""Number of values in each rotation format."""


_ATTRIBUTES = ("@relative_to", "@rotation_format", "@degrees")


def read_pose(element: Node) -> tuple[str, Pose]:
    """Return the name of the frame R that the pose of an element E is relative to (empty: the
    default) and ``X_RE``.
    """
    node = element.child("pose")
    if node is None:
        return "", IDENTITY
    node.mark(*_ATTRIBUTES)
    if (
        not node.attributes
        and (values := plain_numbers(node.text, _COUNTS["euler_rpy"])) is not None
    ):
        return "", _from_angles(values, in_degrees=False)
    if not node.attributes.get("frame", "?").strip():  # an empty one says nothing in any version
        node.mark("@frame")
    return node.word("@relative_to", ""), _read_values(node)


def read_local_pose(element: Node) -> Pose:
    """Return the pose of an element that is always relative to its parent element; ``relative_to``
    has no effect.
    """
    relative_to, X_RE = read_pose(element)
    if relative_to:
        element.report(codes.POSE_RELATIVE_TO_IGNORED, tag=element.tag, frame=relative_to)
    return X_RE


def _read_values(node: Node) -> Pose:
    if (
        "rotation_format" not in node.attributes
        and "degrees" not in node.attributes
        and (values := plain_numbers(node.text, 6)) is not None
    ):
        return _from_angles(values, in_degrees=False)
    rotation_format = node.word("@rotation_format", "euler_rpy")
    in_degrees = node.flag("@degrees", False)
    words = node.text.split()
    if rotation_format == "euler_rpy" and len(words) not in (0, _COUNTS["euler_rpy"]):
        return _from_wrong_count(node, words, in_degrees)
    if not _check_format(node, rotation_format, in_degrees) or not node.text.strip():
        return IDENTITY
    values = node.numbers(".", _COUNTS[rotation_format])
    return (
        _from_quaternion(node, values)
        if rotation_format == "quat_xyzw"
        else _from_angles(values, in_degrees)
    )


def _check_format(node: Node, rotation_format: str, in_degrees: bool) -> bool:
    """Report a wrong format or number of values; return whether the values can be read."""
    count = len(node.text.split())
    if rotation_format not in _COUNTS:
        node.report(codes.POSE_FORMAT, rotation_format=rotation_format, formats=tuple(_COUNTS))
    elif in_degrees and rotation_format != "euler_rpy":
        node.report(codes.POSE_FORMAT_DEGREES)
    elif count not in (0, _COUNTS[rotation_format]):
        node.report(codes.POSE_FORMAT_COUNT, expected=_COUNTS[rotation_format], count=count)
    else:
        return True
    return False


def _from_wrong_count(node: Node, words: list[str], in_degrees: bool) -> Pose:
    """Return the pose of too few numbers, completed with zeros as in Gazebo classic, or of too
    many.
    """
    count, expected = len(words), _COUNTS["euler_rpy"]
    values = plain_numbers(node.text, count)
    if values is None:
        node.report(codes.POSE_FORMAT_COUNT, expected=expected, count=count)
        return IDENTITY
    code = codes.POSE_FORMAT_TOO_MANY
    if count == 3:
        code = codes.POSE_FORMAT_NO_ANGLES
    elif count < expected:
        code = codes.POSE_FORMAT_TOO_FEW
    node.report(code, expected=expected, count=count)
    return _from_angles((*values, *(0.0,) * expected)[:expected], in_degrees)


def _from_angles(values: tuple[float, ...], in_degrees: bool) -> Pose:
    angles = tuple(map(math.radians, values[3:])) if in_degrees else values[3:]
    return IDENTITY if not any(values) else Pose.from_xyz_rpy(values[:3], angles)


def _from_quaternion(node: Node, values: tuple[float, ...]) -> Pose:
    x, y, z, w = values[3:]
    if not any((x, y, z, w)):
        node.report(codes.ZERO_QUATERNION)
        w = 1.0
    return Pose.from_vector((*values[:3], w, x, y, z))
