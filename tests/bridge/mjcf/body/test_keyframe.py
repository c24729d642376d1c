"""The keyframe home: initial positions within the limits."""

from __future__ import annotations

import dataclasses

from bridge.mjcf import to_mjcf
from loaders.model import (
    WORLD,
)
from tests.support.mjcf_scenes import codes, hinge, link, scene_of
from tests.support.mujoco_oracle import compiled


def test_a_default_position_becomes_the_key_home():
    joint = dataclasses.replace(hinge("j", WORLD, "a", lower=-1.0, upper=1.0), default_position=(0.5,))
    model = compiled(to_mjcf(scene_of(link("a"), joints=(joint,))))
    assert tuple(model.key("home").qpos) == (0.5,)


def test_position_controllers_hold_the_key_home():
    joint = dataclasses.replace(hinge("j", WORLD, "a", lower=-1.0, upper=1.0, effort=9.0), default_position=(0.5,))
    free = link("b", p=(0.0, 0.0, 5.0))
    model = compiled(to_mjcf(scene_of(free, link("a"), joints=(joint,)), actuators="position"))
    assert tuple(model.key("home").ctrl) == (0.5,)
    assert tuple(model.key("home").qpos) == (0, 0, 5, 1, 0, 0, 0, 0.5)


def test_where_zero_is_outside_the_limits_home_is_inside():
    mjcf = to_mjcf(scene_of(link("a"), joints=(hinge("j", WORLD, "a", lower=0.2, upper=1.0),)))
    assert tuple(compiled(mjcf).key("home").qpos) == (0.2,)
    assert "mjcf.zero-outside-limits" in codes(mjcf)
