"""Transforms in directives: the three kinds of rotation, and random values."""

from __future__ import annotations

import math

import numpy as np
import pytest

from loaders.diagnostics import Diagnostics
from loaders.drake.yaml_nodes import parse, read_transform
from loaders.pose import Pose, rotation_about


def read(text: str) -> tuple[Pose, list[str]]:
    diagnostics = Diagnostics()
    node = parse(text.encode(), "f", diagnostics)
    assert node is not None
    return read_transform(node), [entry.code for entry in diagnostics]


@pytest.mark.parametrize(
    ("rotation", "R"),
    [
        ("!Rpy {deg: [0, 0, 90]}", rotation_about((0.0, 0.0, 1.0), math.pi / 2.0)),
        (
            "!AngleAxis {angle_deg: 30, axis: [0, 2, 0]}",
            rotation_about((0.0, 1.0, 0.0), math.pi / 6.0),
        ),
        ("!Identity {}", np.eye(3)),
    ],
)
def test_rotations(rotation: str, R: np.ndarray) -> None:
    pose, codes = read(f"translation: [1, 2, 3]\nrotation: {rotation}")
    assert not codes
    np.testing.assert_allclose(pose.R, R, atol=1e-15)
    assert pose.p.tolist() == [1.0, 2.0, 3.0]


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("rotation: !Uniform {}", "directives.random"),
        ("translation: !GaussianVector {mean: [0, 0, 0]}", "directives.random"),
        ("rotation: !Quaternion {}", "directives.rotation"),
        ("rotation: !AngleAxis {angle_deg: 30, axis: [0, 0, 0]}", "directives.rotation"),
    ],
)
def test_invalid_rotations(text: str, code: str) -> None:
    assert read(text)[1] == [code]
