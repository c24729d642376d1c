"""Poses read back as they were and keep their text, also where roll and yaw are hardly defined."""

from __future__ import annotations

import math

import numpy as np
import pytest

from bridge.targets.urdf.link import axis_text, pose_attributes, vector
from loaders.pose import Pose, rotation_about


def parsed(attributes: dict[str, object]) -> Pose:
    xyz, rpy = (
        [float(word) for word in str(attributes.get(key, "0 0 0")).split()]
        for key in ("xyz", "rpy")
    )
    return Pose.from_xyz_rpy(xyz, rpy)


@pytest.mark.parametrize("distance", [0.5, 0.019, 1e-3, 1e-6, 1e-9, 1e-12, 0.0])
@pytest.mark.parametrize("sign", [1.0, -1.0])
def test_rotations_near_a_pitch_of_90_degrees(distance: float, sign: float) -> None:
    rng = np.random.default_rng(3)
    for _ in range(50):
        roll, yaw = rng.uniform(-3.0, 3.0, 2)
        X = Pose.from_xyz_rpy((0.1, 0.2, 0.3), (roll, sign * (math.pi / 2 - distance), yaw))
        other = Pose.from_xyz_rpy((0.0, 0.0, 0.0), rng.uniform(-1.0, 1.0, 3))
        X = other @ (other.inverse() @ X)  # with the rounding errors of a computed pose
        text = pose_attributes(X)
        again = parsed(text)
        assert again.is_close(X, 1e-12)
        assert pose_attributes(again) == text


def test_the_identity_is_written_as_nothing() -> None:
    assert pose_attributes(Pose.of()) == {}


def test_an_axis_keeps_its_text_when_it_is_read() -> None:
    rng = np.random.default_rng(0)
    for v in rng.normal(size=(200, 3)):
        text = axis_text(v / np.linalg.norm(v))
        values = [float(word) for word in text.split()]
        assert axis_text([x / math.hypot(*values) for x in values]) == text


def test_rounding_errors_are_removed() -> None:
    assert vector((0.1 + 0.2, 1e-17, 1.0)) == (0.3, 0.0, 1.0)


@pytest.mark.parametrize("roll", [math.pi - 1e-11, 1e-11 - math.pi])
def test_half_a_turn_near_a_pitch_of_90_degrees_has_one_sign(roll: float) -> None:
    pitch = 1.5705926535898
    R = rotation_about((0.0, 1.0, 0.0), pitch) @ rotation_about((1.0, 0.0, 0.0), roll)
    first = pose_attributes(Pose.of(R))
    assert first == pose_attributes(parsed(first))
    assert str(first["rpy"]).startswith("3.141592653589793 ")
