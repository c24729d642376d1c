"""What a comparison takes for equal where a number says little."""

from __future__ import annotations

import numpy as np
import pytest

from bridge import compare
from loaders.model import WORLD, JointAxis, JointType
from loaders.spatial import SpatialInertia, frozen
from tests.bridge.bullet_scenes import joint, link, scene

BALL = SpatialInertia.of(1.0, (0.0, 0.0, 0.0), 0.1 * np.eye(3))
AXES = tuple(JointAxis(xyz=frozen(xyz)) for xyz in ((1, 0, 0), (0, 1, 0)))


def rows(source, engine):
    return {row.quantity: row for row in compare(source, engines=(engine,), levels=("L0", "L1")).rows}


@pytest.mark.parametrize("engine", ["mujoco", "pybullet"])
def test_forces_that_are_nothing_but_rounding_are_equal(engine):
    balanced = scene([link("ball", inertia=BALL)], [joint("j", WORLD, "ball", JointType.UNIVERSAL, axes=AXES)])
    assert rows(balanced, engine)["bias forces"].passed


@pytest.mark.parametrize("engine", ["mujoco", "pybullet"])
def test_limits_that_no_joint_reaches_are_none(engine):
    far = {"lower": -1e12, "upper": 1e12}
    spinning = scene([link("rotor")], [joint("j", WORLD, "rotor", axis=far)])
    assert rows(spinning, engine)["limits"].passed
