"""Queries on a mechanism: indices, trees, weld groups, collision pairs, and its representation."""

from __future__ import annotations

import doctest

import numpy as np
import pytest

import bridge.mechanism.mechanism
from bridge.lowering import lower
from bridge.mechanism import Mechanism
from bridge.mechanism.bodies import ROOT
from loaders.model import WORLD, FilterGroup, FilterRule, JointType, Sphere
from tests.support.scenes import joint, link, scene

BALL = Sphere(radius=0.1)


@pytest.fixture
def mechanism() -> Mechanism:
    """A column fixed to the world, with an arm of two links on a hinge and a plate welded to its
    tip; a free stone.
    """
    links = [link(name, shape=BALL) for name in ("column", "arm", "tip", "plate", "stone")]
    joints = [
        joint("anchor", WORLD, "column", JointType.FIXED),
        joint("shoulder", "column", "arm"),
        joint("elbow", "arm", "tip"),
        joint("bolt", "tip", "plate", JointType.FIXED),
    ]
    group = FilterGroup(name="g", links=("arm", "stone"))
    return lower(
        scene(links, joints, filter_groups=(group,), filter_rules=(FilterRule(a="g", b="g"),))
    )


def test_the_example_of_the_docstring_runs() -> None:
    result = doctest.testmod(bridge.mechanism.mechanism)
    assert result.attempted > 0
    assert result.failed == 0


def test_names_have_indices(mechanism: Mechanism) -> None:
    assert [mechanism.bodies[mechanism.body_index[name]].name for name in ("arm", "stone")] == [
        "arm",
        "stone",
    ]
    assert mechanism.body_index[WORLD] == ROOT
    assert [mechanism.v_order[i] for i in mechanism.dof_index.values()] == list(mechanism.dof_index)


def test_trees_and_weld_groups(mechanism: Mechanism) -> None:
    index = mechanism.body_index
    column, arm, tip, plate, stone = (
        index[name] for name in ("column", "arm", "tip", "plate", "stone")
    )
    assert mechanism.trees == {column: (column, arm, tip, plate), stone: (stone,)}
    assert mechanism.root_of(plate) == column
    assert mechanism.root_of(ROOT) == ROOT
    assert [mechanism.moving_ancestor(i) for i in (ROOT, column, arm, plate)] == [
        ROOT,
        ROOT,
        arm,
        tip,
    ]
    assert mechanism.weld_groups == {
        ROOT: (column,),
        arm: (arm,),
        tip: (tip, plate),
        stone: (stone,),
    }
    assert mechanism.weld_group_of("plate") == mechanism.weld_group_of("tip") == tip
    assert mechanism.weld_group_of(WORLD) == mechanism.weld_group_of("column") == ROOT
    with pytest.raises(KeyError):
        mechanism.weld_group_of("unknown")


@pytest.mark.parametrize("policy", ["drake", "sdformat"])
def test_excluded_pairs_are_those_of_the_scene_by_index(mechanism: Mechanism, policy: str) -> None:
    names = {
        frozenset(mechanism.bodies[i].name for i in pair)
        for pair in mechanism.excluded_pairs(policy)
    }
    assert names == mechanism.scene.excluded_collision_pairs(policy)
    assert frozenset(("arm", "stone")) in names
    assert mechanism.excluded_pairs(policy) is mechanism.excluded_pairs(policy)


def test_an_unknown_policy_is_refused(mechanism: Mechanism) -> None:
    with pytest.raises(ValueError, match="policy"):
        mechanism.excluded_pairs("unknown")


def test_bodies_with_collisions_are_in_the_order_of_the_scene(mechanism: Mechanism) -> None:
    names = [mechanism.bodies[i].name for i in mechanism.colliding_bodies]
    assert names == [item.name for item in mechanism.scene.links if item.collisions]


def test_the_mass_matrix_at_zero_is_computed_once(mechanism: Mechanism) -> None:
    at_zero = mechanism.mass_matrix_at_zero
    assert at_zero is not None
    assert at_zero is mechanism.mass_matrix_at_zero
    np.testing.assert_array_equal(at_zero.matrix, mechanism.mass_matrix())


def test_the_representation_is_short(mechanism: Mechanism) -> None:
    text = "Mechanism('test': 5 bodies, 8 velocities, 0 closures, 0 couplings, 0 actuators)"
    assert repr(mechanism) == text
    long_name = lower(scene([link("a")], name="x" * 1000))
    assert len(repr(long_name)) < 200
