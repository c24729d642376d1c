"""Restitution and effective masses of contacts, measured in MuJoCo."""

from __future__ import annotations

import mujoco
import pytest

from bridge.targets.mjcf import to_mjcf
from loaders.model import Collision, Plane
from loaders.pose import IDENTITY
from tests.support.mjcf_scenes import ball, codes, link, scene_of
from tests.support.mujoco_oracle import compiled


@pytest.mark.parametrize(("e", "error"), [(1.0, 0.05), (0.8, 0.06), (0.5, 0.1)])
def test_a_ball_bounces_within_the_stated_error(e, error):
    floor = link(
        "floor", model="ground", collisions=(Collision(name="f", X_LG=IDENTITY, geometry=Plane()),)
    )
    drop = link("ball", p=(0.0, 0.0, 1.0), collisions=(ball("b", restitution=e),))
    mjcf = to_mjcf(scene_of(floor, drop))
    model = compiled(mjcf)
    data = mujoco.MjData(model)
    speeds = []
    for _ in range(1500):
        mujoco.mj_step(model, data)
        speeds.append(data.qvel[2])
    impact = min(speeds)
    rebound = max(speeds[speeds.index(impact) :])
    assert -rebound / impact == pytest.approx(e, abs=error)
    assert "mjcf.restitution" in codes(mjcf)
