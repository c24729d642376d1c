"""Shapes of running PyBullet bodies, also of links that are merged."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import numpy as np
import pytest

import bridge
from bridge.parity.engines.pybullet.engine import PyBulletEngine
from loaders.model import (
    WORLD,
    Box,
    Capsule,
    Collision,
    Cylinder,
    JointType,
    Mesh,
    Plane,
    Sphere,
    Visual,
)
from loaders.pose import Pose
from tests.support.scenes import joint, link, scene

pytest.importorskip("pybullet")
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
