"""Roots and moving ancestors, against a walk up the tree from each body."""

from __future__ import annotations

import numpy as np
import pytest

from bridge.lowering import lower
from bridge.mechanism import Mechanism
from bridge.mechanism.bodies import ROOT
from bridge.mechanism.topology import members_by_key, moving_ancestors, root_bodies
from loaders.model import WORLD, JointType
from tests.support.scenes import joint, link, scene


def random_forest(seed: int) -> Mechanism:
    rng = np.random.default_rng(seed)
    names = [f"l{i}" for i in range(12)]
    joints = []
    for i, name in enumerate(names):
        parent = [None, WORLD, *names[:i]][int(rng.integers(0, i + 2))]
        kind = JointType.FIXED if rng.random() < 0.5 else JointType.REVOLUTE
        if parent is not None:
            joints.append(joint(f"j{i}", parent, name, kind))
    return lower(scene([link(name) for name in names], joints))


def ancestors(mechanism: Mechanism, i: int) -> list[int]:
    """Return the body itself and all its ancestors, nearest first."""
    chain = []
    while i != ROOT:
        chain.append(i)
        i = mechanism.bodies[i].parent
    return chain


@pytest.mark.parametrize("seed", range(10))
def test_roots_and_moving_ancestors_are_those_of_a_walk_up_the_tree(seed: int) -> None:
    mechanism = random_forest(seed)
    chains = [ancestors(mechanism, i) for i in range(len(mechanism.bodies))]
    moving = [next((k for k in chain if mechanism.bodies[k].primitives), ROOT) for chain in chains]
    assert root_bodies(mechanism.bodies) == tuple(chain[-1] for chain in chains)
    assert moving_ancestors(mechanism.bodies) == tuple(moving)


def test_members_are_grouped_in_order() -> None:
    assert members_by_key([5, 3, 5, 3, 4]) == {5: (0, 2), 3: (1, 3), 4: (4,)}
