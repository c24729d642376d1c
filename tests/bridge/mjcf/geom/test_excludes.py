"""The pairs that collide in MuJoCo are those that may collide in the model."""

from __future__ import annotations

import re

import pytest

from bridge import lower
from bridge.targets.mjcf import to_mjcf
from loaders.collision_pairs import POLICIES, weld_groups
from loaders.model import WORLD, JointType
from tests.support.mjcf_scenes import MASKS, ball, codes, hinge, link, scene_of, two_robots
from tests.support.mujoco_oracle import can_touch, compiled
from tests.support.seeds import seeds


@pytest.mark.parametrize("policy", POLICIES)
@pytest.mark.parametrize("seed", seeds(8))
def test_the_pairs_that_touch_in_mujoco_are_the_pairs_that_may_touch(seed, policy):
    """All but pairs that cannot move against each other, which MuJoCo never lets collide and a
    diagnostic reports.
    """
    scene = two_robots(seed)
    mechanism = lower(scene)
    mjcf = to_mjcf(mechanism, policy=policy)
    group = {name: i for i, names in enumerate(weld_groups(scene)) for name in names}
    expected = mechanism.collidable_pairs(policy)
    still = {pair for pair in expected if len({group[name] for name in pair}) == 1}
    assert can_touch(compiled(mjcf)) == expected - still
    assert ("mjcf.welded-contact" in codes(mjcf)) == bool(still)


def test_an_arm_on_the_ground_needs_one_exclude():
    links = [link(f"l{i}", collisions=(ball("c"),)) for i in range(4)]
    joints = [hinge("stand", WORLD, "l0", JointType.FIXED)]
    joints += [hinge(f"j{i}", f"l{i - 1}", f"l{i}") for i in range(1, 4)]
    mjcf = to_mjcf(scene_of(*links, joints=joints))
    assert re.findall(r"<exclude .*?>", mjcf) == ['<exclude body1="l0" body2="l1"/>']
    assert "filterparent" not in mjcf


@pytest.mark.parametrize("masks", MASKS)
def test_bitmasks_decide_as_in_the_source(masks):
    balls = [
        link(f"l{i}", model=f"m{i}", collisions=(ball(f"c{i}", collide_bitmask=mask),))
        for i, mask in enumerate(masks)
    ]
    heeded = to_mjcf(scene_of(*balls), policy="sdformat")
    assert bool(can_touch(compiled(heeded))) == bool(masks[0] & masks[1])
    unheeded = to_mjcf(scene_of(*balls))
    assert can_touch(compiled(unheeded))
    assert ("mjcf.contact-policy" in codes(unheeded)) == (masks != (0xFFFF, 0xFFFF))
