"""Frames and lights have the poses of the model."""

from __future__ import annotations

import numpy as np

from bridge.targets.mjcf import to_mjcf
from loaders.model import WORLD, Frame, Light
from loaders.pose import quaternion_to_matrix
from tests.support.mjcf_scenes import X_LG, link, scene_of
from tests.support.mujoco_oracle import compiled


def test_frames_and_lights_stand_where_the_model_has_them():
    frame = Frame(name="tip", link="a", X_LF=X_LG)
    light = Light(
        name="sun", type="directional", link=WORLD, X_LLight=X_LG, direction=(0.0, 0.6, -0.8)
    )
    model = compiled(to_mjcf(scene_of(link("a"), frames=(frame,), lights=(light,))))
    site = model.site("tip")
    assert np.abs(site.pos - X_LG.p).max() <= 1e-15
    assert np.abs(quaternion_to_matrix(site.quat) - X_LG.R).max() <= 1e-15
    assert np.allclose(model.light("sun").dir, X_LG.R @ (0.0, 0.6, -0.8))
