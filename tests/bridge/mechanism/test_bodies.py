"""Properties of bodies."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

from bridge.lowering import lower
from bridge.mechanism import Mechanism
from bridge.mechanism.bodies import (
    ROOT,
    members_by_key,
    moving_ancestors,
    primitive_names,
    root_bodies,
)
from loaders.model import WORLD, JointType
from tests.support.scenes import joint, link, scene
from tests.support.seeds import seeds


def test_a_body_has_the_velocities_of_its_joint() -> None:
    mechanism = lower(scene([link("a"), link("b")], [joint("j", "a", "b", JointType.UNIVERSAL)]))
    a, b = mechanism.bodies
    assert (a.name, a.nv, a.dofs) == ("a", 6, tuple(("a", k) for k in range(6)))
    assert (b.name, b.nv, b.dofs) == ("b", 2, (("j", 0), ("j", 1)))
    assert a.dofs + b.dofs == mechanism.v_order


def test_only_a_kinematic_link_without_a_joint_is_a_kinematic_body() -> None:
    alone = dataclasses.replace(link("alone"), kinematic=True)
    carried = dataclasses.replace(link("carried"), kinematic=True)
    bodies = lower(scene([alone, carried, link("free")], [joint("j", WORLD, "carried")])).bodies
    assert {body.name: body.is_kinematic for body in bodies} == {
        "alone": True,
        "carried": False,
        "free": False,
    }


@pytest.mark.parametrize(
    ("kind", "names"),
    [
        (JointType.REVOLUTE, ("j",)),
        (JointType.FIXED, ()),
        (JointType.BALL, ("j",)),
        (JointType.UNIVERSAL, ("j_1", "j_2")),
        (JointType.REVOLUTE2, ("j_1", "j_2")),
        (JointType.PLANAR, ("j_x", "j_y", "j_theta")),
        (JointType.SCREW, ("j", "j_slide")),
    ],
)
def test_each_primitive_has_the_name_of_the_joint_with_a_suffix(
    kind: JointType, names: tuple[str, ...]
) -> None:
    (body,) = lower(scene([link("a")], [joint("j", WORLD, "a", kind)])).bodies
    assert primitive_names(body) == names


# --- trees, against a walk up the tree from each body ---------------------------------------------


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


@pytest.mark.parametrize("seed", seeds(10))
def test_roots_and_moving_ancestors_are_those_of_a_walk_up_the_tree(seed: int) -> None:
    mechanism = random_forest(seed)
    chains = [ancestors(mechanism, i) for i in range(len(mechanism.bodies))]
    moving = [next((k for k in chain if mechanism.bodies[k].primitives), ROOT) for chain in chains]
    assert root_bodies(mechanism.bodies) == tuple(chain[-1] for chain in chains)
    assert moving_ancestors(mechanism.bodies) == tuple(moving)


def test_members_are_grouped_in_order() -> None:
    assert members_by_key([5, 3, 5, 3, 4]) == {5: (0, 2), 3: (1, 3), 4: (4,)}
