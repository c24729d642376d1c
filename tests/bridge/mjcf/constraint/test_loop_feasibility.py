"""Points that can meet are pulled together; points that cannot are held softly, with a
diagnostic.
"""

from __future__ import annotations

import dataclasses
import math

import mujoco
import numpy as np
import pytest

from bridge.targets.mjcf import to_mjcf
from loaders.model import BallConstraint
from loaders.pose import frozen
from tests.support.mjcf_scenes import codes, one_joint, z_axis
from tests.support.mujoco_oracle import compiled, quietly


@pytest.mark.parametrize(
    ("reach", "stop", "least"), [(1.5, 3.0, 0.5), (1.0, 0.5, 2.0 * math.sin(math.pi / 4 - 0.25))]
)
def test_points_that_never_meet_are_held_softly_and_reported(reach, stop, least):
    scene = one_joint(z_axis(lower=-stop, upper=stop, damping=0.5))
    held = BallConstraint(
        link_A="arm", link_B="base", p_AP=frozen((1, 0, 0)), p_BQ=frozen((0, reach, 0))
    )
    mjcf = to_mjcf(dataclasses.replace(scene, constraints=(held,), gravity=frozen((0, 0, 0))))
    found = [entry.message for entry in mjcf.diagnostics if entry.code == "mjcf.never-closes"]
    assert found[0].endswith(f"{least:.3g} m")
    assert "mjcf.open-at-zero" not in codes(mjcf.diagnostics)
    model = compiled(mjcf)
    data = mujoco.MjData(model)
    quietly(lambda: [mujoco.mj_step(model, data) for _ in range(3000)])
    gap = data.site("arm_base_A").xpos - data.site("arm_base_B").xpos
    assert np.linalg.norm(gap) == pytest.approx(least, abs=2e-3)


def test_points_that_meet_away_from_zero_are_pulled_together():
    scene = one_joint(z_axis(lower=-3.0, upper=3.0))
    held = BallConstraint(
        link_A="arm", link_B="base", p_AP=frozen((1, 0, 0)), p_BQ=frozen((0, 1, 0))
    )
    mjcf = to_mjcf(dataclasses.replace(scene, constraints=(held,)))
    assert "mjcf.open-at-zero" in codes(mjcf.diagnostics)
    model = compiled(mjcf)
    data = mujoco.MjData(model)
    quietly(lambda: [mujoco.mj_step(model, data) for _ in range(1000)])
    assert data.qpos[0] == pytest.approx(math.pi / 2, abs=1e-4)
