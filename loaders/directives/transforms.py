"""Reader of transforms in directives (``X_PF``, ``X_PC``, poses): a translation and a rotation."""

from __future__ import annotations

import math

import numpy as np

from loaders.node import Node
from loaders.spatial import IDENTITY, Array, Pose, rotation_about

from .yaml_nodes import fields, vector, word, yaml_tag

_ROTATIONS = {"!Rpy": ("deg",), "!AngleAxis": ("angle_deg", "axis"), "!Identity": (), "": ()}
_RANDOM = ("!Uniform", "!UniformVector", "!Gaussian", "!GaussianVector", "!UniformDiscrete", "!Deterministic")


def read_transform(node: Node) -> Pose:
    """Return the pose in a mapping with ``translation`` and ``rotation``, whose keys were checked before."""
    for child in node.children:
        if yaml_tag(child) in _RANDOM and child.tag != "rotation":
            _report_random(child)
            return IDENTITY
    rotation = node.peek("rotation")
    return Pose.of(None if rotation is None else _read_rotation(rotation), vector(node, "translation"))


def _read_rotation(node: Node) -> Array | None:
    tag = yaml_tag(node)
    if tag in _RANDOM:
        _report_random(node)
        return None
    keys = _ROTATIONS.get(tag)
    if keys is None:
        known = tuple(filter(None, _ROTATIONS))
        message = "unknown rotation {tag}; expected one of: {known}"
        node.invalid("directives.rotation", message, tag=tag, known=known)
        return None
    if not fields(node, keys) or not keys:
        return None
    if tag == "!Rpy":
        return Pose.from_xyz_rpy((0.0, 0.0, 0.0), tuple(map(math.radians, vector(node, "deg")))).R
    return _read_angle_axis(node)


def _read_angle_axis(node: Node) -> Array | None:
    axis = np.array(vector(node, "axis"))
    length = float(np.linalg.norm(axis))
    child = node.peek("angle_deg")
    if length == 0.0 or child is None or not word(node, "angle_deg"):
        node.invalid("directives.rotation", "!AngleAxis requires an angle and an axis that is not zero")
        return None
    return rotation_about(axis / length, math.radians(child.number(".")))


def _report_random(node: Node) -> None:
    node.invalid(
        "directives.random",
        "{tag} is random ({yaml_tag}); a scene requires a definite value",
        hint="use !Rpy, !AngleAxis or !Identity",
        tag=node.tag,
        yaml_tag=yaml_tag(node),
    )
