"""``X_PF``, ``X_PC`` and poses in directives: a translation and one of three kinds of rotation."""

from __future__ import annotations

import math

import numpy as np

from loaders.node import Node
from loaders.spatial import IDENTITY, Array, Pose, rotation_about

from .yaml_nodes import fields, vector, word, yaml_tag

_ROTATIONS = {"!Rpy": ("deg",), "!AngleAxis": ("angle_deg", "axis"), "!Identity": (), "": ()}
_RANDOM = ("!Uniform", "!UniformVector", "!Gaussian", "!GaussianVector", "!UniformDiscrete", "!Deterministic")


def read_transform(node: Node) -> Pose:
    """The pose in a mapping with ``translation`` and ``rotation``; its keys have been checked."""
    for child in node.children:
        if yaml_tag(child) in _RANDOM and child.tag != "rotation":
            _refuse_random(child)
            return IDENTITY
    rotation = node.peek("rotation")
    return Pose.of(None if rotation is None else _read_rotation(rotation), vector(node, "translation"))


def _read_rotation(node: Node) -> Array | None:
    tag = yaml_tag(node)
    if tag in _RANDOM:
        _refuse_random(node)
        return None
    keys = _ROTATIONS.get(tag)
    if keys is None:
        known = ", ".join(filter(None, _ROTATIONS))
        node.invalid("directives.rotation", "the rotation {tag} is none of {known}", tag=tag, known=known)
        return None
    if not fields(node, keys) or not keys:
        return None
    if tag == "!Rpy":
        return Pose.from_xyz_rpy((0.0, 0.0, 0.0), tuple(map(math.radians, vector(node, "deg")))).R
    return _about(node)


def _about(node: Node) -> Array | None:
    axis = np.array(vector(node, "axis"))
    length = float(np.linalg.norm(axis))
    child = node.peek("angle_deg")
    if length == 0.0 or child is None or not word(node, "angle_deg"):
        node.invalid("directives.rotation", "an !AngleAxis needs an angle and an axis that is not zero")
        return None
    return rotation_about(axis / length, math.radians(child.number(".")))


def _refuse_random(node: Node) -> None:
    node.invalid(
        "directives.random",
        "{tag} is random ({yaml_tag}); a scene needs one value",
        hint="write a !Rpy, !AngleAxis or !Identity",
        tag=node.tag,
        yaml_tag=yaml_tag(node),
    )
