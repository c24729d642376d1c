"""Joints that follow others through couplings."""

from __future__ import annotations

import pytest

from bridge.lowering import lower
from bridge.mechanism import Mechanism
from bridge.mechanism.coordinates import with_followers
from loaders.model import WORLD, Coupling
from tests.support.scenes import joint, link, scene


@pytest.fixture
def chain() -> Mechanism:
    """Three joints: b follows a, c follows b."""
    links = [link(name) for name in ("x", "y", "z")]
    joints = [joint("a", WORLD, "x"), joint("b", "x", "y"), joint("c", "y", "z")]
    couplings = (
        Coupling(follower="c", leader="b", multiplier=3.0, offset=0.5),
        Coupling(follower="b", leader="a", multiplier=2.0, offset=0.25),
    )
    return lower(scene(links, joints, couplings=couplings))


def test_positions_follow_through_several_couplings(chain: Mechanism) -> None:
    assert with_followers(chain, {"a": 1.0}) == {"a": 1.0, "b": (2.25,), "c": (7.25,)}


def test_velocities_follow_without_the_offset(chain: Mechanism) -> None:
    assert with_followers(chain, {"a": 1.0}, rates=True) == {"a": 1.0, "b": (2.0,), "c": (6.0,)}


def test_given_values_do_not_change(chain: Mechanism) -> None:
    assert with_followers(chain, {"a": 1.0, "b": 0.0}) == {"a": 1.0, "b": 0.0, "c": (0.5,)}
    assert with_followers(chain, {"c": 1.0}) == {"c": 1.0}
