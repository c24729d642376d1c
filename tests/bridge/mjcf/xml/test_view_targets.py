"""Targets of lights and cameras."""

from __future__ import annotations

import dataclasses

from bridge.targets.mjcf import to_mjcf
from loaders.model import WORLD, Light
from loaders.pose import IDENTITY
from tests.support.mjcf_scenes import codes, link, scene_of
from tests.support.mujoco_oracle import compiled

AT_A = Light(
    name="l",
    type="spot",
    link=WORLD,
    X_LLight=IDENTITY,
    target="a",
    engine_settings=(("mujoco", (("mode", "targetbody"),)),),
)


def test_a_light_turns_to_its_target() -> None:
    model = compiled(to_mjcf(dataclasses.replace(scene_of(link("a")), lights=(AT_A,))))
    assert model.light_targetbodyid[0] == model.body("a").id


def test_a_target_that_does_not_exist_is_reported() -> None:
    lost = dataclasses.replace(AT_A, target="moon")
    mjcf = to_mjcf(dataclasses.replace(scene_of(link("a")), lights=(lost,)))
    assert "mjcf.view-target" in codes(mjcf)
