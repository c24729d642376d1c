"""Collision masks, and which pairs the running engines let collide under them."""

from __future__ import annotations

from itertools import combinations

import mujoco
import numpy as np
import pybullet
import pytest
from hypothesis import HealthCheck, given, seed, settings
from hypothesis import strategies as st
from pybullet_utils.bullet_client import BulletClient

from bridge.targets.mjcf.collision_filter import masks


@st.composite
def graphs(draw, size=9):
    names = [f"l{i}" for i in range(draw(st.integers(0, size)))]
    pairs = [frozenset(pair) for pair in combinations(names, 2)]
    flags = draw(st.lists(st.booleans(), min_size=len(pairs), max_size=len(pairs)))
    return names, {pair for pair, flag in zip(pairs, flags, strict=True) if flag}


def all_pairs(names):
    return {frozenset(pair) for pair in combinations(names, 2)}


@seed(0)
@settings(max_examples=300, deadline=None, derandomize=False, database=None)
@given(graphs(size=14))
def test_masks_let_exactly_the_pairs_touch_that_are_not_excluded(graph):
    names, excluded = graph
    found = masks(names, excluded)
    touching = {frozenset((a, b)) for a, b in combinations(names, 2) if found[a].meets(found[b])}
    assert touching == all_pairs(names) - excluded


def test_a_graph_that_needs_more_bits_than_there_are_has_no_masks():
    names = [f"l{i}" for i in range(12)]
    matching = {frozenset((names[2 * i], names[2 * i + 1])) for i in range(6)}
    excluded = all_pairs(names) - matching
    assert masks(names, excluded, bits=6) is not None
    assert masks(names, excluded, bits=5) is None


def test_masks_fit_into_a_signed_integer_of_32_bits():
    names = [f"l{i}" for i in range(60)]
    matching = {frozenset((names[2 * i], names[2 * i + 1])) for i in range(30)}
    found = masks(names, all_pairs(names) - matching)
    assert max(max(mask.kind, mask.touches) for mask in found.values()) <= 2**31 - 1


def mujoco_contacts(model):
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    names = [model.body(model.geom_bodyid[i]).name for i in range(model.ngeom)]
    return {frozenset((names[a], names[b])) for a, b in data.contact.geom}


@seed(1)
@settings(max_examples=25, deadline=None, database=None)
@given(graphs(size=7))
def test_masks_are_what_running_mujoco_obeys(graph):
    names, excluded = graph
    found = masks(names, excluded)
    bodies = "".join(
        f'<body name="{name}" pos="{0.01 * i} 0 0"><freejoint/><geom size="0.1" '
        f'contype="{found[name].kind}"'
        f' conaffinity="{found[name].touches}"/></body>'
        for i, name in enumerate(names)
    )
    model = mujoco.MjModel.from_xml_string(f"<mujoco><worldbody>{bodies}</worldbody></mujoco>")
    assert mujoco_contacts(model) == all_pairs(names) - excluded


@pytest.fixture(scope="module")
def bullet():
    client = BulletClient(connection_mode=pybullet.DIRECT)
    yield client
    client.disconnect()


def bullet_contacts(client, names):
    client.performCollisionDetection()
    return {frozenset((names[c[1]], names[c[2]])) for c in client.getContactPoints()}


@seed(2)
@settings(
    max_examples=25,
    deadline=None,
    database=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(graphs(size=7))
def test_masks_are_what_running_pybullet_obeys(bullet, graph):
    names, excluded = graph
    bullet.resetSimulation()
    shape = bullet.createCollisionShape(pybullet.GEOM_SPHERE, radius=0.1)
    bodies = [
        bullet.createMultiBody(1.0, shape, basePosition=(0.01 * i, 0, 0)) for i in range(len(names))
    ]
    found = masks(names, excluded)
    for body, name in zip(bodies, names, strict=True):
        bullet.setCollisionFilterGroupMask(body, -1, found[name].kind, found[name].touches)
    assert bullet_contacts(bullet, names) == all_pairs(names) - excluded


@pytest.mark.slow
def test_many_links_are_masked_quickly():
    names = [f"l{i}" for i in range(1500)]
    excluded = {
        frozenset(p) for k in range(30) for p in combinations(names[50 * k : 50 * k + 50], 2)
    }
    found = masks(names, excluded)
    rng = np.random.default_rng(0)
    for i, j in rng.integers(0, 1500, (200, 2)):
        if i != j:
            a, b = names[i], names[j]
            assert found[a].meets(found[b]) == (frozenset((a, b)) not in excluded)


def test_an_excluded_pair_of_a_body_that_is_not_asked_for_changes_nothing():
    found = masks(["a", "b"], [frozenset(("a", "c")), frozenset(("c", "d"))])
    assert found["a"].meets(found["b"])


def test_two_bodies_that_exclude_each_other_do_not_meet():
    found = masks(["a", "b"], [frozenset("ab")])
    assert not found["a"].meets(found["b"])
