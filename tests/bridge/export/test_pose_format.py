"""The text of a computed pose reads back as the same text."""

from __future__ import annotations

import math

import numpy as np
from transforms3d.euler import euler2mat

from bridge.targets.numbers import direction_text, is_ill_conditioned, pose_text, roll_pitch_yaw
from loaders.pose import IDENTITY, Pose
from tests.support.scenes import random_pose


def test_a_pose_behind_another_pose_keeps_its_text() -> None:
    for seed in range(20):
        rng = np.random.default_rng(seed)
        X_WM, X_ML = random_pose(rng), random_pose(rng)
        text = pose_text(X_ML)
        assert text is not None
        values = [float(word) for word in text.split()]
        again = Pose.from_xyz_rpy(values[:3], values[3:])
        assert again.is_close(X_ML, 1e-12)
        assert pose_text(X_WM.inverse() @ (X_WM @ again)) == text


def test_right_angles_are_exact_and_the_identity_has_no_text() -> None:
    assert (
        pose_text(Pose.from_xyz_rpy((0, 0, 0), (0, math.pi / 2, 0)))
        == "0 0 0 0 1.5707963267948966 0"
    )
    assert pose_text(IDENTITY) is None
    assert pose_text(Pose.of(p=(0.0, 1e-17, 0.0))) is None


def test_only_pitches_close_to_a_right_angle_need_a_quaternion() -> None:
    pitches = {0.0: False, 1.0: False, math.pi / 2 - 1e-3: True, math.pi / 2: False}
    found = {pitch: is_ill_conditioned(euler2mat(0.3, pitch, 0.2, "sxyz")) for pitch in pitches}
    assert found == pitches


def test_angles_reproduce_a_rotation() -> None:
    R = euler2mat(0.3, 1.5, -2.0, "sxyz")
    np.testing.assert_allclose(euler2mat(*roll_pitch_yaw(R), "sxyz"), R, atol=1e-14)


def test_a_direction_normalized_again_keeps_its_text() -> None:
    for seed in range(200):
        axis = np.random.default_rng(seed).normal(size=3)
        text = direction_text(axis / np.linalg.norm(axis))
        values = np.array([float(word) for word in text.split()])
        x, y, z = values.tolist()
        assert direction_text(values / math.hypot(x, y, z)) == text


def test_random_directions_are_written_the_same_after_a_reader_normalized_them() -> None:
    rng = np.random.default_rng(0)
    for _ in range(2000):
        text = direction_text(rng.normal(size=3))
        xyz = [float(word) for word in text.split()]
        length = math.hypot(*xyz)
        assert direction_text([x / length for x in xyz]) == text
