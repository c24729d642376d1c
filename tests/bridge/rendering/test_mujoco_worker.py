"""MuJoCo's renderer in a separate process."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import mujoco
import numpy as np
import pytest

from bridge.demo import mujoco_worker

BALL = (
    '<mujoco><worldbody><body><freejoint/><geom size="0.2" rgba="1 0 0 '
    '1"/></body></worldbody></mujoco>'
)
PLATFORMS = ("egl", "osmesa", "glfw")


def run(folder: Path, platform: str) -> bool:
    command = [sys.executable, "-P", str(mujoco_worker.__file__), str(folder)]
    environment = os.environ | {"MUJOCO_GL": platform}
    environment.pop("PYOPENGL_PLATFORM", None)
    return (
        subprocess.run(
            command, env=environment, capture_output=True, timeout=120, check=False
        ).returncode
        == 0
    )


def test_each_position_has_an_image_and_a_mask_of_the_model(tmp_path: Path) -> None:
    model = mujoco.MjModel.from_xml_string(BALL)
    mujoco.mj_saveModel(model, str(tmp_path / "model.mjb"), None)
    qpos = [
        (0, 0, 0, 1, 0, 0, 0),
        (0, 0, 100, 1, 0, 0, 0),
    ]  # in the center of the image, and out of sight
    np.savez(
        tmp_path / "views.npz",
        qpos=qpos,
        target=(0, 0, 0),
        size=(64, 48),
        fov=35.0,
        orbit=(2.0, 140.0, -18.0),
    )
    if not any(run(tmp_path, platform) for platform in PLATFORMS):
        pytest.skip("no rendering platform works on this machine")
    drawn = np.load(tmp_path / "images.npz")
    assert drawn["images"].shape == (2, 48, 64, 3)
    in_sight, out_of_sight = drawn["masks"]
    assert in_sight[24, 32]
    assert not in_sight[0, 0]
    assert not out_of_sight.any()
    red, green, blue = drawn["images"][0, 24, 32].tolist()
    assert red > green + 50
    assert green == blue


def test_each_position_may_have_its_own_camera(tmp_path: Path) -> None:
    model = mujoco.MjModel.from_xml_string(BALL)
    mujoco.mj_saveModel(model, str(tmp_path / "model.mjb"), None)
    qpos = [(0, 0, 0, 1, 0, 0, 0), (0, 0, 100, 1, 0, 0, 0)]
    orbit = [(2.0, 140.0, -18.0), (8.0, 140.0, -18.0)]
    np.savez(
        tmp_path / "views.npz",
        qpos=qpos,
        target=[(0, 0, 0), (0, 0, 100)],
        size=(64, 48),
        fov=35.0,
        orbit=orbit,
    )
    if not any(run(tmp_path, platform) for platform in PLATFORMS):
        pytest.skip("no rendering platform works on this machine")
    near, far = np.load(tmp_path / "images.npz")["masks"]
    assert near[24, 32]
    assert far[24, 32]
    assert near.sum() > 4 * far.sum() > 0
