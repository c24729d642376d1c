"""Shapes of running PyBullet bodies, and the pairs of links that touch."""

from __future__ import annotations

import dataclasses
from contextlib import closing
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import bridge
import loaders
from bridge.parity import Outcome, compare
from bridge.parity.engines.pybullet.engine import PyBulletEngine
from bridge.parity.engines.pybullet.shapes import ObservedPairs, of_links
from loaders.model import (
    WORLD,
    Box,
    Capsule,
    Collision,
    Cylinder,
    FilterGroup,
    FilterRule,
    JointType,
    Mesh,
    Plane,
    Sphere,
    Visual,
)
from loaders.pose import Pose
from tests.support.running_faults import faulty_pybullet
from tests.support.scenes import joint, link, scene

pybullet = pytest.importorskip("pybullet")


# Pairs of links that touch in running bodies, whose filters are set or changed after loading.

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
    return scene(links, hinges, collision_policy="drake", **rest)


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
    links = [link("a", shape=shape), link("b"), link("c", shape=shape)]
    return scene(links, [rail, hold, turn], collision_policy="drake")


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


def test_plates_that_are_apart_are_not_taken_for_a_disabled_pair() -> None:
    """They are 0.70 mm apart along an axis of one of them, by the theorem of separating axes, and
    0.29 mm within each other by PyBullet's closest points.
    """
    plate = '<geom type="box" size="0.047 0.032 0.00035" mass="1"/>'
    near, far = (
        f'<body name="{name}" pos="{p}" quat="{wxyz}"><freejoint/>{plate}</body>'
        for name, p, wxyz in (
            (
                "a",
                "-0.004309706750436293 0.077181286358361 -0.08308933599855699",
                "0.2135864242694124 -0.7825062265313383 -0.5799230101838657 0.07585609446034355",
            ),
            (
                "b",
                "-0.09084656942457653 0.06729954448236997 -0.07387098552686866",
                "0.3443847549206796 -0.9275575576694682 -0.11812831620671456 -0.08415354240102511",
            ),
        )
    )
    plates = loaders.load_string(
        f"<mujoco><worldbody>{near}{far}</worldbody></mujoco>", format="mjcf"
    )
    with closing(PyBulletEngine(bridge.lower(plates))) as engine:
        assert engine.collidable_pairs() == {frozenset("ab")}


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


# Shapes of running PyBullet bodies, also of links that are merged.

SIZES = {
    "box": Box(size=(2.0, 4.0, 6.0)),
    "ball": Sphere(radius=0.5),
    "roll": Cylinder(radius=0.5, length=2.0),
    "pill": Capsule(radius=0.5, length=2.0),
}


def test_shapes_are_read_with_their_poses() -> None:
    shapes = tuple(
        Collision(name=name, X_LG=Pose.of(p=(0.0, 0.0, k)), geometry=each)
        for k, (name, each) in enumerate(SIZES.items())
    )
    seen = (Visual(name="v", X_LG=Pose.of(p=(0.0, 5.0, 0.0)), geometry=SIZES["box"]),)
    engine = PyBulletEngine(
        bridge.lower(scene([dataclasses.replace(link("a"), collisions=shapes, visuals=seen)]))
    )
    found = engine.surfaces()
    engine.close()
    assert found.supports["a"][:, 2] == pytest.approx((3.0, 1.5, 3.0, 4.5))
    assert found.supports["a"][:, 0] == pytest.approx((1.0, 0.5, 0.5, 0.5))
    assert found.friction["a"] == [1.0] * 4
    assert found.visuals["a"][0].p == pytest.approx((0.0, 5.0, 0.0))


def test_links_that_pybullet_merges_keep_their_own_shapes() -> None:
    names = [f"l{i}" for i in range(200)]
    links = [link(name, shape=SIZES["box" if i % 2 else "ball"]) for i, name in enumerate(names)]
    welds = [
        joint(f"w{i}", names[i], names[i + 1], JointType.FIXED, X_PJ=Pose.of(p=(0.1, 0.0, 0.0)))
        for i in range(199)
    ]
    engine = PyBulletEngine(bridge.lower(scene(links, welds)))
    found, indices = (
        engine.surfaces(),
        {index for body in engine._bodies for index in body.links.values()},
    )
    engine.close()
    assert len(indices) < len(names), "this test needs links that are merged"
    assert all(np.shape(found.supports[name]) == (1, 66) for name in names)
    assert [float(found.supports[name][0, 0]) for name in names] == pytest.approx([0.5, 1.0] * 100)


def test_a_plane_reaches_up_to_its_surface() -> None:
    weld = joint("w", WORLD, "a", JointType.FIXED)
    engine = PyBulletEngine(
        bridge.lower(scene([link("a", shape=Plane(normal=(0.0, 1.0, 0.0)))], [weld]))
    )
    found = engine.surfaces()
    engine.close()
    assert found.supports["a"][0, 1] == pytest.approx(0.0)
    assert found.supports["a"][0, 0] > 1e5


def test_a_mesh_that_stands_still_is_read_from_the_file_that_pybullet_names(tmp_path: Path) -> None:
    """PyBullet reports no vertices of such a mesh."""
    (tmp_path / "a.obj").write_text(
        "v 0 0 0\nv 1 0 0\nv 0 2 0\nv 0 0 3\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n", "utf-8"
    )
    mesh = Mesh(uri="a.obj", path=str(tmp_path / "a.obj"), scale=(1.0, 1.0, 2.0))
    turned = Pose.of(
        np.array(((0.0, -1.0, 0.0), (1.0, 0.0, 0.0), (0.0, 0.0, 1.0))), (0.0, 0.0, 0.5)
    )
    base = dataclasses.replace(
        link("a"), collisions=(Collision(name="c", X_LG=turned, geometry=mesh),)
    )
    weld = joint("w", WORLD, "a", JointType.FIXED, X_PJ=Pose.of(p=(4.0, 0.0, 0.0)))
    engine = PyBulletEngine(bridge.lower(scene([base], [weld])))
    found = engine.surfaces().supports["a"][0]
    engine.close()
    assert found[:6] == pytest.approx((0.0, 1.0, 6.5, 2.0, 0.0, -0.5), abs=1e-6)
