"""Shapes have their size and place in the running engine."""

import math

import numpy as np
import pybullet
import pytest

from bridge import load_into_pybullet
from loaders.model import (
    WORLD,
    Box,
    Capsule,
    Collision,
    Cone,
    Cylinder,
    Ellipsoid,
    JointType,
    Material,
    Mesh,
    Plane,
    Sphere,
    Visual,
)
from loaders.pose import IDENTITY, Pose
from tests.support.scenes import UNIT_BOX, codes, joint, link, scene

EXTENTS = [
    (Box(size=(0.2, 0.4, 0.6)), (0.2, 0.4, 0.6)),
    (Sphere(radius=0.3), (0.6, 0.6, 0.6)),
    (Cylinder(radius=0.2, length=0.5), (0.4, 0.4, 0.5)),
    (Capsule(radius=0.2, length=0.5), (0.4, 0.4, 0.9)),
]


def distance_from(loaded, client, direction):
    """Return the extent of a link's shape at the origin along a direction, found with a small ball
    far out.
    """
    radius, far = 0.01, 5.0
    shape = pybullet.createCollisionShape(
        pybullet.GEOM_SPHERE, radius=radius, physicsClientId=client
    )
    place = (far * np.asarray(direction)).tolist()
    ball = pybullet.createMultiBody(0, shape, basePosition=place, physicsClientId=client)
    (closest, *_) = pybullet.getClosestPoints(int(loaded), ball, 10.0, physicsClientId=client)
    pybullet.removeBody(ball, client)
    return far - radius - closest[8]


@pytest.mark.parametrize(("shape", "extent"), EXTENTS, ids=lambda x: type(x).__name__)
def test_primitives_have_their_size(bullet_client, shape, extent):
    robot = load_into_pybullet(scene([link("a", shape=shape)]), physicsClientId=bullet_client)
    reached = [distance_from(robot, bullet_client, axis) for axis in np.eye(3)]
    np.testing.assert_allclose(
        reached, np.array(extent) / 2, atol=2e-6
    )  # the engine's own solver for distances
    assert not any(entry.code.startswith("mesh.") for entry in robot.diagnostics)


def test_an_ellipsoid_is_a_hull_within_the_reported_error(bullet_client):
    source = scene([link("a", shape=Ellipsoid(radii=(0.1, 0.2, 0.3)))])
    robot = load_into_pybullet(source, physicsClientId=bullet_client)
    reached = [distance_from(robot, bullet_client, axis) for axis in np.eye(3)]
    np.testing.assert_allclose(reached, (0.1, 0.2, 0.3), atol=0.001 + 0.003)
    assert "pybullet.shape-as-hull" in codes(robot)


def test_a_cone_is_a_hull(bullet_client):
    robot = load_into_pybullet(
        scene([link("a", shape=Cone(radius=0.2, length=0.6))]), physicsClientId=bullet_client
    )
    reached = [distance_from(robot, bullet_client, axis) for axis in ((0, 0, 1), (0, 0, -1))]
    np.testing.assert_allclose(reached, (0.3, 0.3), atol=0.002)


def test_a_plane_holds_what_falls_on_it(bullet_client):
    ground = scene(
        [
            link("g", shape=Plane()),
            link("box", shape=Box(size=(0.2, 0.2, 0.2)), X_WL=Pose.of(p=(0, 0, 0.3))),
        ],
        [joint("w", WORLD, "g", JointType.FIXED, X_PJ=Pose.of(p=(0, 0, 0.1)))],
    )
    bodies = load_into_pybullet(ground, physicsClientId=bullet_client)
    pybullet.setGravity(0, 0, -9.81, physicsClientId=bullet_client)
    for _ in range(480):
        pybullet.stepSimulation(bullet_client)
    assert bodies.link_pose("box").p[2] == pytest.approx(0.2, abs=2e-3)


def test_a_mesh_of_its_own_scale_collides_where_it_is(bullet_client, tmp_path):
    vertices = np.array(((0, 0, 0), (0.1, 0, 0), (0, 0.2, 0), (0.05, 0.05, 0.3)))
    path = tmp_path / "tetrahedron.obj"
    faces = "f 1 3 2\nf 1 2 4\nf 2 3 4\nf 3 1 4\n"
    path.write_text("".join(f"v {x} {y} {z}\n" for x, y, z in vertices) + faces)
    mesh = Mesh(uri="tetrahedron.obj", path=str(path), scale=(2.0, 3.0, -4.0))
    robot = load_into_pybullet(scene([link("a", shape=mesh)]), physicsClientId=bullet_client)
    scaled = vertices * (2.0, 3.0, -4.0)
    for axis in np.eye(3):
        assert distance_from(robot, bullet_client, axis) == pytest.approx(
            (scaled @ axis).max(), abs=2e-3
        )


def test_a_mesh_that_stands_still_has_its_hollows(bullet_client, tmp_path):
    """A valley: what falls into it comes to rest below the ridge, inside the convex hull."""
    path = tmp_path / "valley.obj"
    profile = ((-1, 1), (0, 0), (1, 1))
    corners = [(x, y, z) for y in (-1, 1) for x, z in profile]
    path.write_text(
        "".join(f"v {x} {y} {z}\n" for x, y, z in corners) + "f 1 2 5\nf 1 5 4\nf 2 3 6\nf 2 6 5\n"
    )
    ball = link("ball", shape=Sphere(radius=0.1), X_WL=Pose.of(p=(0.02, 0, 0.8)))
    valley = link("valley", shape=Mesh(uri="valley.obj", path=str(path)))
    source = scene([valley, ball], [joint("w", WORLD, "valley", JointType.FIXED)])
    bodies = load_into_pybullet(source, physicsClientId=bullet_client)
    assert "mesh.convex-hull" not in {entry.code for entry in bodies.diagnostics}
    pybullet.setGravity(0, 0, -9.81, physicsClientId=bullet_client)
    for _ in range(480):
        pybullet.stepSimulation(bullet_client)
    assert bodies.link_pose("ball").p[2] == pytest.approx(0.1 * math.sqrt(2), abs=0.05)


def test_a_mesh_of_several_materials_that_stands_still_is_one_shape(bullet_client, tmp_path):
    path = tmp_path / "two.obj"
    corners = [
        (x + d, y, z) for d in (0, 3) for x, y, z in ((0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1))
    ]
    (tmp_path / "m.mtl").write_text("newmtl red\nKd 1 0 0\nnewmtl blue\nKd 0 0 1\n")
    faces = ["usemtl red", "f 1 3 2", "f 1 2 4", "f 1 4 3", "f 2 3 4"]
    faces += ["usemtl blue", "f 5 7 6", "f 5 6 8", "f 5 8 7", "f 6 7 8"]
    path.write_text(
        "mtllib m.mtl\n" + "".join(f"v {x} {y} {z}\n" for x, y, z in corners) + "\n".join(faces)
    )
    source = scene(
        [link("a", shape=Mesh(uri="two.obj", path=str(path)))],
        [joint("w", WORLD, "a", JointType.FIXED)],
    )
    robot = load_into_pybullet(source, physicsClientId=bullet_client)
    index = robot.links["a"]
    assert (
        len(pybullet.getCollisionShapeData(int(robot), index, physicsClientId=bullet_client)) == 1
    )
    assert pybullet.getAABB(int(robot), index, physicsClientId=bullet_client)[1][
        0
    ] == pytest.approx(4.0, abs=0.05)


def test_a_plane_is_drawn_in_its_stated_size(bullet_client):
    seen = Visual(name="v", X_LG=IDENTITY, geometry=Plane(normal=(1.0, 0.0, 0.0), size=(2.0, 3.0)))
    robot = load_into_pybullet(scene([link("a", visuals=(seen,))]), physicsClientId=bullet_client)
    ((_, _, kind, size, *_),) = pybullet.getVisualShapeData(robot, physicsClientId=bullet_client)
    assert kind == pybullet.GEOM_BOX
    assert size[:2] == pytest.approx((2.0, 3.0))


def test_every_collision_and_visual_stands_in_its_place(bullet_client):
    X_LG = Pose.from_vector((0.1, 0.2, 0.3, 0.9, 0.1, -0.3, 0.2))
    look = Material(diffuse=(0.1, 0.2, 0.3, 0.8))
    shapes = {
        "collisions": tuple(
            Collision(name=f"c{i}", X_LG=X_LG, geometry=UNIT_BOX) for i in range(3)
        ),
        "visuals": (
            Visual(name="v", X_LG=X_LG, geometry=UNIT_BOX, material=look, transparency=0.5),
        ),
    }
    source = scene(
        [link("a"), link("b", **shapes)], [joint("j", "a", "b", X_CJ=Pose.of(p=(0.3, 0, 0)))]
    )
    robot = load_into_pybullet(source, physicsClientId=bullet_client)
    found = pybullet.getCollisionShapeData(robot, robot.links["b"], physicsClientId=bullet_client)
    assert len(found) == 3
    (drawn,) = pybullet.getVisualShapeData(robot, physicsClientId=bullet_client)
    assert drawn[7] == pytest.approx((0.1, 0.2, 0.3, 0.4))
    state = pybullet.getLinkState(robot, robot.links["b"], physicsClientId=bullet_client)
    for shape in found:  # in the inertial frame of the link
        position, _ = pybullet.multiplyTransforms(state[0], state[1], shape[5], shape[6])
        np.testing.assert_allclose(
            position, robot.link_pose("b").p + robot.link_pose("b").R @ X_LG.p, atol=1e-6
        )
