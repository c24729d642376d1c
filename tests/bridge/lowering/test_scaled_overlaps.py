"""Overlaps of a scaled mechanism: those of its scaled shapes."""

from __future__ import annotations

import pytest

import bridge
from bridge.lowering.transform import scaled
from loaders.model import Sphere
from loaders.pose import Pose
from tests.support.scenes import joint, link, scene


@pytest.mark.parametrize("scale", [0.5, 1.0, 2.0])
def test_overlaps_grow_with_the_scale(scale: float) -> None:
    """Two balls of radius 0.1 m, 0.15 m apart, lie 0.05 m deep in each other."""
    ball = Sphere(radius=0.1)
    links = [link("a", shape=ball), link("b"), link("c", shape=ball)]
    joints = [joint("j", "a", "b", X_PJ=Pose.of(p=(0.15, 0.0, 0.0))), joint("k", "b", "c")]
    (found,) = scaled(bridge.lower(scene(links, joints)), scale).overlaps
    assert found.depth == pytest.approx(0.05 * scale, rel=1e-9)
