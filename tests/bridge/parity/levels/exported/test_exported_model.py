"""The exported model keeps everything that moves, and loses its shapes."""

from __future__ import annotations

import dataclasses

import bridge
from bridge.parity.states import exported
from loaders.model import WORLD, Coupling
from tests.support.scenes import UNIT_BOX, joint, link, scene


def test_only_shapes_go() -> None:
    axis = {"damping": 0.3, "friction": 0.2, "lower": -1.0, "upper": 1.0, "spring_stiffness": 2.0}
    arm = scene(
        [link("a", shape=UNIT_BOX), link("b")],
        [joint("j", WORLD, "a", axis=axis), joint("k", "a", "b", axis=axis)],
    )
    arm = dataclasses.replace(arm, couplings=(Coupling(follower="k", leader="j"),))
    moved = exported(bridge.lower(arm), 5e-4)
    assert [each.axes[0].friction for each in moved.scene.joints] == [0.2, 0.2]
    assert [each.axes[0].upper for each in moved.scene.joints] == [1.0, 1.0]
    assert moved.scene.couplings == arm.couplings
    assert moved.scene.physics.time_step == 5e-4
    assert not any(each.collisions for each in moved.scene.links)
