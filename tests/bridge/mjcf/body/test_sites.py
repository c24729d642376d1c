"""Sites have unique names and the pose of their frame in the running MuJoCo."""

from __future__ import annotations

import mujoco
import numpy as np

from bridge.targets.mjcf import to_mjcf
from loaders.model import Frame, SpringDamper
from tests.support.mjcf_scenes import X_LG, link, scene_of
from tests.support.mujoco_oracle import compiled


def test_two_frames_of_one_name_are_two_sites_at_their_places() -> None:
    frames = (
        Frame(name="tip", link="a", X_LF=X_LG),
        Frame(name="tip", link="b", X_LF=X_LG.inverse()),
    )
    mjcf = to_mjcf(scene_of(link("a"), link("b", p=(1.0, 0.0, 0.0)), frames=frames))
    model = compiled(mjcf)
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    assert mjcf.names == {"tip": "tip_2"}
    assert np.allclose(data.site("tip").xpos, X_LG.p)
    assert np.allclose(data.site("tip_2").xpos, X_LG.inverse().p + np.array((1.0, 0.0, 0.0)))


def test_springs_between_the_same_points_share_their_sites() -> None:
    spring = SpringDamper(
        link_A="a",
        link_B="b",
        p_AP=X_LG.p,
        p_BQ=X_LG.p,
        free_length=1.0,
        stiffness=1.0,
        damping=0.0,
    )
    model = compiled(
        to_mjcf(scene_of(link("a"), link("b", p=(1.0, 0.0, 0.0)), forces=(spring, spring)))
    )
    assert (model.ntendon, model.nsite) == (2, 2)
    assert np.allclose(model.site_pos, X_LG.p)
