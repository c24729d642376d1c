"""Shapes touch in DART where they are, with their friction, and only the pairs that may."""

from __future__ import annotations

import math

import numpy as np
import pytest

import bridge
from bridge.parity.engines.dart.engine import DartEngine
from bridge.parity.engines.dart.skeleton import is_supported
from loaders.inertia import SpatialInertia
from loaders.model import (
    WORLD,
    Box,
    Capsule,
    Collision,
    Cylinder,
    Friction,
    Geometry,
    JointType,
    Mesh,
    Plane,
    Sphere,
    Surface,
)
from loaders.pose import IDENTITY, Pose
from tests.support.scenes import joint, link, random_scene, scene

pytest.importorskip("dartpy")

POINT = SpatialInertia.of(1.0, I_Lcm=np.diag((0.1, 0.1, 0.1)))


def resting(
    shape: Geometry, height: float, mu: float = 1.0, gravity: tuple[float, ...] = (0.0, 0.0, -9.81)
) -> DartEngine:
    surface = Surface(friction=Friction(mu=mu, mu2=mu))
    ground = Collision(name="g", X_LG=IDENTITY, geometry=Plane(), surface=surface)
    body = Collision(name="c", X_LG=IDENTITY, geometry=shape, surface=surface)
    links = [
        link("ground", model="n", collisions=(ground,)),
        link("a", inertia=POINT, X_WL=Pose.of(p=(0.0, 0.0, height)), collisions=(body,)),
    ]
    weld = joint("w", WORLD, "ground", JointType.FIXED)
    return DartEngine.as_exported(bridge.lower(scene(links, [weld], gravity=np.array(gravity))))


@pytest.mark.parametrize(
    ("shape", "height"),
    [
        (Box(size=(0.4, 0.6, 0.3)), 0.15),
        (Sphere(radius=0.2), 0.2),
        (Cylinder(radius=0.3, length=0.5), 0.25),
        (Capsule(radius=0.2, length=0.4), 0.4),
    ],
)
def test_a_shape_comes_to_rest_at_its_height(shape: Geometry, height: float) -> None:
    dart = resting(shape, height + 0.002)
    dart.set_step(1e-3)
    dart.set_state({}, {})
    dart.step(200)
    assert dart.link_poses()["a"].p[2] == pytest.approx(height, abs=2e-3)
    dart.close()


def test_a_block_slides_as_its_friction_says() -> None:
    slope = math.radians(15.0)
    gravity = (9.81 * math.sin(slope), 0.0, -9.81 * math.cos(slope))
    dart = resting(Box(size=(0.4, 0.4, 0.1)), 0.05, 0.2, gravity)
    dart.set_step(1e-3)
    dart.set_state({}, {})
    dart.step(500)
    exact = 0.5 * 9.81 * (math.sin(slope) - 0.2 * math.cos(slope)) * 0.5**2
    assert dart.link_poses()["a"].p[0] == pytest.approx(exact, rel=0.02)
    dart.close()


def test_pairs_that_touch_are_those_of_the_mechanism() -> None:
    made = random_scene(5, fixed=True, kinds=(JointType.REVOLUTE,), size=6)
    shaped = [
        link(one.name, X_WL=one.X_WL, inertia=one.inertia, shape=Box(size=(0.1, 0.1, 0.1)))
        for one in made.links
    ]
    mechanism = bridge.lower(scene(shaped, made.joints))
    dart = DartEngine(mechanism)
    welded = {
        pair
        for pair in mechanism.collidable_pairs()
        if len({mechanism.weld_group_of(n) for n in pair}) > 1
    }
    assert dart.collidable_pairs() == welded
    dart.close()


def test_meshes_are_not_supported() -> None:
    assert not is_supported(
        Collision(name="c", X_LG=IDENTITY, geometry=Mesh(uri="a.obj", path=None))
    )
