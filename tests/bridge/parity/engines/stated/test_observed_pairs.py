"""Pairs of links that touch in running bodies, whose filters are set or changed after loading."""

from __future__ import annotations

from typing import Any

import pytest

import bridge
from bridge.parity import Outcome, compare
from bridge.parity.engines.pybullet.engine import PyBulletEngine
from bridge.parity.engines.pybullet.shapes import ObservedPairs, of_links
from loaders.model import WORLD, Box, Cylinder, FilterGroup, FilterRule, JointType, Sphere
from loaders.pose import Pose
from tests.support.running_faults import faulty_pybullet
from tests.support.scenes import joint, link, scene

pybullet = pytest.importorskip("pybullet")
NEAR = frozenset(((0, 4), (0, 5)))
LONG = Box(size=(0.1, 0.1, 1.0))


def chain(**rest: Any) -> Any:
    """Four bars on hinges, of which any two can overlap."""
    names = ["a", "b", "c", "d"]
    links = [link(name, shape=LONG) for name in names]
    parents = [WORLD, *names[:-1]]
    hinges = [
        joint(f"j{name}", parent, name, xyz=(0.6, 0.0, 0.8), X_PJ=Pose.of(p=(0.0, 0.0, 0.3)))
        for parent, name in zip(parents, names, strict=True)
    ]
    return scene(links, hinges, **rest)


def disable(engine: PyBulletEngine) -> None:
    (body,) = engine._bodies
    client = engine._client
    pybullet.setCollisionFilterPair(
        int(body), int(body), body.links["a"], body.links["c"], 0, physicsClientId=client
    )


def enable(engine: PyBulletEngine) -> None:
    (body,) = engine._bodies
    client = engine._client
    pybullet.setCollisionFilterPair(
        int(body), int(body), body.links["b"], body.links["d"], 1, physicsClientId=client
    )


def failed(change: Any, model: Any) -> set[tuple[str, str]]:
    rows = compare(
        model, ("mujoco", faulty_pybullet(change)), levels=("L1",), configurations=1
    ).rows
    return {(row.quantity, str(row.where)) for row in rows if row.outcome is Outcome.FAILED}


def test_a_pair_that_is_disabled_in_the_running_body_is_found_and_named() -> None:
    assert failed(disable, chain()) == {("collidable pairs", "a with c")}


def test_a_pair_that_is_enabled_in_the_running_body_is_found_and_named() -> None:
    group = FilterGroup(name="apart", links=("b", "d"))
    model = chain(filter_groups=(group,), filter_rules=(FilterRule(a="apart", b="apart"),))
    assert failed(lambda _engine: None, model) == set()
    assert failed(enable, model) == {("collidable pairs", "b with d")}


def test_the_bodies_are_where_they_were() -> None:
    engine = PyBulletEngine(bridge.lower(chain()))
    q, v = (
        {"ja": 0.3, "jb": -0.2, "jc": 0.1, "jd": 1.0},
        {"ja": 1.0, "jb": 2.0, "jc": 0.0, "jd": -1.0},
    )
    engine.set_state(q, v)
    engine.collidable_pairs()
    positions, velocities = engine.positions(), engine.velocities().tolist()
    engine.close()
    assert positions == pytest.approx(q)
    assert velocities == pytest.approx(list(v.values()))


def slider(shape: Any, p: tuple[float, float, float]) -> Any:
    """A link on a slide along x, and another at a point beside its path."""
    rail = joint("rail", WORLD, "a", JointType.PRISMATIC, xyz=(1, 0, 0))
    hold = joint("hold", WORLD, "b", JointType.FIXED, X_PJ=Pose.of(p=p))
    turn = joint("turn", "b", "c")
    return scene([link("a", shape=shape), link("b"), link("c", shape=shape)], [rail, hold, turn])


def disable_both(engine: PyBulletEngine) -> None:
    (a, i), (b, j) = (
        (int(body), body.links[n]) for n in "ac" for body in engine._bodies if n in body.links
    )
    pybullet.setCollisionFilterPair(a, b, i, j, 0, physicsClientId=engine._client)


@pytest.mark.parametrize(
    ("shape", "p"),
    [
        (Cylinder(radius=0.05, length=0.01), (0.0, 0.0, 0.01 - 2e-5)),
        (Sphere(radius=0.001), (0.02, 0.0, 0.0)),
    ],
    ids=["disks that graze each other", "balls that rarely meet"],
)
def test_links_are_moved_closer_until_they_overlap(
    shape: Any, p: tuple[float, float, float]
) -> None:
    assert failed(lambda _engine: None, slider(shape, p)) == set()
    assert failed(disable_both, slider(shape, p)) == {("collidable pairs", "a with c")}


def test_one_contact_outweighs_any_overlap_without_one() -> None:
    pair, other = frozenset(((0, 1), (0, 2))), frozenset(((0, 1), (0, 3)))
    observed = ObservedPairs()
    observed.record({pair: -0.1, other: -0.2, NEAR: 0.01}, set(), [])
    assert observed.disabled == {pair, other}
    assert observed.nearest[NEAR] == (0.01, [])
    observed.record({}, {pair}, [])
    assert (observed.touching, observed.disabled) == ({pair}, {other})
    names = {(0, 1): ["a"], (0, 2): ["b", "c"]}
    assert of_links([pair, other], names) == {frozenset("ab"), frozenset("ac")}


def test_an_overlap_smaller_than_bullet_measures_is_not_certain() -> None:
    """A camera of a millimeter on a quadruped overlaps its thigh by 2e-5 m in one position, without
    a contact.
    """
    pair, other = frozenset(((0, 1), (0, 2))), frozenset(((0, 1), (0, 3)))
    observed = ObservedPairs()
    observed.record({pair: -2e-5, other: -2e-4}, set(), [])
    assert observed.disabled == {pair, other}
    assert observed.seen == {other}
