"""What touches what in the running engine, and how."""

import dataclasses
import math
from itertools import combinations

import numpy as np
import pybullet
import pytest
from pybullet_utils.bullet_client import BulletClient

from bridge import load_into_pybullet, lower
from bridge.bullet.contact.pair_filters import any_may_collide, forbidden_pairs
from bridge.bullet.contact.parameters import spinning_friction
from loaders.model import (
    WORLD,
    Box,
    Capsule,
    Collision,
    Cone,
    Cylinder,
    Ellipsoid,
    FilterGroup,
    FilterRule,
    Friction,
    JointType,
    Material,
    Mesh,
    Model,
    Plane,
    Sphere,
    Surface,
    Visual,
)
from loaders.scene_queries.excluded_pairs import POLICIES
from loaders.spatial import IDENTITY, Pose, frozen
from tests.support.scenes import UNIT_BOX, codes, joint, link, scene, touching


def crowd(seed, *, fixed):
    """Boxes on top of each other, in a random forest with welds and filter groups."""
    rng = np.random.default_rng(seed)
    links = [link(f"l{i}", shape=UNIT_BOX) for i in range(8)]
    joints = [joint("weld", WORLD, "l0", JointType.FIXED)] if fixed else []
    for i in range(1, 8):
        if rng.random() < 0.8:
            kind = JointType.FIXED if rng.random() < 0.4 else JointType.REVOLUTE
            joints.append(joint(f"j{i}", f"l{rng.integers(i)}", f"l{i}", kind))
    groups = (FilterGroup(name="a", links=("l1", "l3", "l5")), FilterGroup(name="b", links=("l2", "l6")))
    rules = (FilterRule(a="a", b="b"), FilterRule(a="b", b="b"))
    models = (Model(name="m", X_WM=IDENTITY, canonical_link="l0", self_collide=True),)
    return scene(links, joints, models=models, filter_groups=groups, filter_rules=rules)


@pytest.mark.parametrize("policy", POLICIES)
@pytest.mark.parametrize("fixed", [True, False])
@pytest.mark.parametrize("seed", range(3))
def test_the_pairs_that_touch_are_those_that_the_model_lets_touch(bullet_client, seed, fixed, policy):
    source = crowd(seed, fixed=fixed)
    loaded = load_into_pybullet(source, physicsClientId=bullet_client, policy=policy)
    assert touching(loaded, bullet_client) == lower(source).collidable_pairs(policy)


def test_links_of_the_world_itself_and_static_models_touch_what_moves(bullet_client):
    models = (
        Model(name="m", X_WM=IDENTITY, canonical_link="m::a"),
        Model(name="s", X_WM=IDENTITY, canonical_link="s::b", static=True),
    )
    links = [
        link("m::a", shape=UNIT_BOX),
        link("m::d", shape=UNIT_BOX),
        link("s::b", model="s", shape=UNIT_BOX),
        link("s::c", model="s", shape=UNIT_BOX, X_WL=Pose.of(p=(0.3, 0, 0))),
    ]
    source = scene(links, [joint("m::j", "m::a", "m::d")], models=models)
    loaded = load_into_pybullet(source, physicsClientId=bullet_client)
    pairs = {frozenset((f"m::{x}", f"s::{y}")) for x in "ad" for y in "bc"}
    assert touching(loaded, bullet_client) == pairs == lower(source).collidable_pairs()
    assert [body.name for body in loaded] == ["m", "s"]
    np.testing.assert_allclose(loaded["s"].link_pose("s::c").p, (0.3, 0, 0), atol=1e-15)


# --- shapes ----------------------------------------------------------------------------------------------------------

EXTENTS = [
    (Box(size=(0.2, 0.4, 0.6)), (0.2, 0.4, 0.6)),
    (Sphere(radius=0.3), (0.6, 0.6, 0.6)),
    (Cylinder(radius=0.2, length=0.5), (0.4, 0.4, 0.5)),
    (Capsule(radius=0.2, length=0.5), (0.4, 0.4, 0.9)),
]


def distance_from(loaded, client, direction):
    """How far a link's shape at the origin reaches along a direction, found with a small ball far out."""
    radius, far = 0.01, 5.0
    shape = pybullet.createCollisionShape(pybullet.GEOM_SPHERE, radius=radius, physicsClientId=client)
    place = (far * np.asarray(direction)).tolist()
    ball = pybullet.createMultiBody(0, shape, basePosition=place, physicsClientId=client)
    (closest, *_) = pybullet.getClosestPoints(int(loaded), ball, 10.0, physicsClientId=client)
    pybullet.removeBody(ball, client)
    return far - radius - closest[8]


@pytest.mark.parametrize(("shape", "extent"), EXTENTS, ids=lambda x: type(x).__name__)
def test_primitives_have_their_size(bullet_client, shape, extent):
    robot = load_into_pybullet(scene([link("a", shape=shape)]), physicsClientId=bullet_client)
    reached = [distance_from(robot, bullet_client, axis) for axis in np.eye(3)]
    np.testing.assert_allclose(reached, np.array(extent) / 2, atol=2e-6)  # the engine's own solver for distances
    assert not any(entry.code.startswith("mesh.") for entry in robot.diagnostics)


def test_an_ellipsoid_is_a_hull_within_what_it_says(bullet_client):
    source = scene([link("a", shape=Ellipsoid(radii=(0.1, 0.2, 0.3)))])
    robot = load_into_pybullet(source, physicsClientId=bullet_client)
    reached = [distance_from(robot, bullet_client, axis) for axis in np.eye(3)]
    np.testing.assert_allclose(reached, (0.1, 0.2, 0.3), atol=0.001 + 0.003)
    assert "pybullet.shape-as-hull" in codes(robot)


def test_a_cone_is_a_hull(bullet_client):
    robot = load_into_pybullet(scene([link("a", shape=Cone(radius=0.2, length=0.6))]), physicsClientId=bullet_client)
    reached = [distance_from(robot, bullet_client, axis) for axis in ((0, 0, 1), (0, 0, -1))]
    np.testing.assert_allclose(reached, (0.3, 0.3), atol=0.002)


def test_a_plane_holds_what_falls_on_it(bullet_client):
    ground = scene(
        [link("g", shape=Plane()), link("box", shape=Box(size=(0.2, 0.2, 0.2)), X_WL=Pose.of(p=(0, 0, 0.3)))],
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
        assert distance_from(robot, bullet_client, axis) == pytest.approx((scaled @ axis).max(), abs=2e-3)


def test_a_mesh_that_stands_still_has_its_hollows(bullet_client, tmp_path):
    """A valley: what falls into it comes to rest below the ridge, inside the convex hull."""
    path = tmp_path / "valley.obj"
    profile = ((-1, 1), (0, 0), (1, 1))
    corners = [(x, y, z) for y in (-1, 1) for x, z in profile]
    path.write_text("".join(f"v {x} {y} {z}\n" for x, y, z in corners) + "f 1 2 5\nf 1 5 4\nf 2 3 6\nf 2 6 5\n")
    ball = link("ball", shape=Sphere(radius=0.1), X_WL=Pose.of(p=(0.02, 0, 0.8)))
    valley = link("valley", shape=Mesh(uri="valley.obj", path=str(path)))
    source = scene([valley, ball], [joint("w", WORLD, "valley", JointType.FIXED)])
    bodies = load_into_pybullet(source, physicsClientId=bullet_client)
    assert "mesh.convex-hull" not in {entry.code for entry in bodies.diagnostics}
    pybullet.setGravity(0, 0, -9.81, physicsClientId=bullet_client)
    for _ in range(480):
        pybullet.stepSimulation(bullet_client)
    assert bodies.link_pose("ball").p[2] == pytest.approx(0.1 * math.sqrt(2), abs=0.05)


def test_a_plane_is_drawn_as_large_as_it_says(bullet_client):
    seen = Visual(name="v", X_LG=IDENTITY, geometry=Plane(normal=(1.0, 0.0, 0.0), size=(2.0, 3.0)))
    robot = load_into_pybullet(scene([link("a", visuals=(seen,))]), physicsClientId=bullet_client)
    ((_, _, kind, size, *_),) = pybullet.getVisualShapeData(robot, physicsClientId=bullet_client)
    assert kind == pybullet.GEOM_BOX
    assert size[:2] == pytest.approx((2.0, 3.0))


def test_every_collision_and_visual_stands_in_its_place(bullet_client):
    X_LG = Pose.from_vector((0.1, 0.2, 0.3, 0.9, 0.1, -0.3, 0.2))
    look = Material(diffuse=(0.1, 0.2, 0.3, 0.8))
    shapes = {
        "collisions": tuple(Collision(name=f"c{i}", X_LG=X_LG, geometry=UNIT_BOX) for i in range(3)),
        "visuals": (Visual(name="v", X_LG=X_LG, geometry=UNIT_BOX, material=look, transparency=0.5),),
    }
    source = scene([link("a"), link("b", **shapes)], [joint("j", "a", "b", X_CJ=Pose.of(p=(0.3, 0, 0)))])
    robot = load_into_pybullet(source, physicsClientId=bullet_client)
    found = pybullet.getCollisionShapeData(robot, robot.links["b"], physicsClientId=bullet_client)
    assert len(found) == 3
    (drawn,) = pybullet.getVisualShapeData(robot, physicsClientId=bullet_client)
    assert drawn[7] == pytest.approx((0.1, 0.2, 0.3, 0.4))
    state = pybullet.getLinkState(robot, robot.links["b"], physicsClientId=bullet_client)
    for shape in found:  # in the inertial frame of the link
        position, _ = pybullet.multiplyTransforms(state[0], state[1], shape[5], shape[6])
        np.testing.assert_allclose(position, robot.link_pose("b").p + robot.link_pose("b").R @ X_LG.p, atol=1e-6)


# --- surfaces --------------------------------------------------------------------------------------------------------


def with_surface(surface, name="a", **rest):
    shape = Collision(name="c", X_LG=IDENTITY, geometry=UNIT_BOX, surface=surface)
    return link(name, collisions=(shape,), **rest)


def test_surfaces_reach_the_engine(bullet_client):
    friction = Friction(mu=0.7, mu2=0.7, rolling=0.01, torsional=0.5, patch_radius=0.02)
    surface = Surface(friction=friction, restitution=0.3, stiffness=1e5, damping=50.0)
    robot = load_into_pybullet(scene([with_surface(surface)]), physicsClientId=bullet_client)
    info = pybullet.getDynamicsInfo(robot, -1, bullet_client)
    assert (info[1], info[5], info[6], info[8], info[9]) == pytest.approx((0.7, 0.3, 0.01, 50.0, 1e5))
    assert info[7] == pytest.approx(spinning_friction(friction)) == pytest.approx(3 * math.pi / 16 * 0.02 * 0.5)


def test_a_box_slides_as_the_product_of_frictions_says(bullet_client):
    box = with_surface(Surface(friction=Friction(mu=0.5, mu2=0.5)), "box", X_WL=Pose.of(p=(0, 0, 0.5)))
    ground = Collision(name="c", X_LG=IDENTITY, geometry=Plane(), surface=Surface(friction=Friction(mu=0.4, mu2=0.4)))
    held = joint("w", WORLD, "g", JointType.FIXED)
    inertia = dataclasses.replace(box.inertia, p_LLcm=frozen((0, 0, -0.4)))
    source = scene([dataclasses.replace(box, inertia=inertia), link("g", collisions=(ground,))], [held])
    bodies = load_into_pybullet(source, physicsClientId=bullet_client)
    assert "pybullet.friction-product" in codes(bodies)
    pybullet.setTimeStep(1e-3, bullet_client)
    pybullet.setGravity(0, 0, -10.0, physicsClientId=bullet_client)
    for _ in range(100):
        pybullet.stepSimulation(bullet_client)
    bodies.set_velocities({"box": (3.0, 0, 0, 0, 0, 0)})
    for _ in range(500):
        pybullet.stepSimulation(bullet_client)
    assert bodies.velocities()["box"][0] == pytest.approx(3.0 - 0.5 * 0.4 * 10.0 * 0.5, abs=0.05)


def test_what_a_surface_loses_is_said(bullet_client):
    surface = Surface(friction=Friction(mu=0.5, mu2=0.2, fdir1=(1.0, 0, 0), slip1=0.1), soft_cfm=0.1, max_velocity=0.2)
    robot = load_into_pybullet(scene([with_surface(surface)]), physicsClientId=bullet_client)
    entries = [entry for entry in robot.diagnostics if entry.code == "pybullet.contact-property"]
    parameters = [entry.arguments["parameter"] for entry in entries]
    assert parameters == sorted(["mu2", "fdir1", "slip1", "soft_cfm", "max_velocity"])


def test_two_surfaces_on_one_link_are_said_to_be_one(bullet_client):
    surfaces = (Surface(friction=Friction(mu=0.5, mu2=0.5)), Surface())
    shapes = tuple(Collision(name=f"c{i}", X_LG=IDENTITY, geometry=UNIT_BOX, surface=s) for i, s in enumerate(surfaces))
    robot = load_into_pybullet(scene([link("a", collisions=shapes)]), physicsClientId=bullet_client)
    assert "pybullet.surface-per-link" in codes(robot)
    assert pybullet.getDynamicsInfo(robot, -1, bullet_client)[1] == 0.5


# --- pairs that PyBullet is told not to collide ---------------------------------------------------------------------


def all_pairs(names):
    return {frozenset(pair) for pair in combinations(names, 2)}


@pytest.fixture(scope="module")
def bullet():
    client = BulletClient(connection_mode=pybullet.DIRECT)
    yield client
    client.disconnect()


def bullet_contacts(client, names):
    client.performCollisionDetection()
    return {frozenset((names[c[1]], names[c[2]])) for c in client.getContactPoints()}


def test_forbidden_pairs_are_what_running_pybullet_obeys(bullet):
    bullet.resetSimulation()
    names = range(4)
    excluded = {frozenset((0, 1)), frozenset((2, 3)), frozenset((0, 3))}
    shape = bullet.createCollisionShape(pybullet.GEOM_SPHERE, radius=0.1)
    bodies = [bullet.createMultiBody(1.0, shape, basePosition=(0.01 * i, 0, 0)) for i in range(4)]
    refs = {name: (body, -1) for name, body in zip(names, bodies, strict=True)}
    for (body_a, link_a), (body_b, link_b) in forbidden_pairs(refs, excluded):
        bullet.setCollisionFilterPair(body_a, body_b, link_a, link_b, 0)
    assert bullet_contacts(bullet, names) == all_pairs(names) - excluded


def test_links_that_are_merged_are_forbidden_only_together():
    refs = {0: (0, -1), 1: (0, -1), 2: (0, 3)}
    assert forbidden_pairs(refs, {frozenset((0, 2))}) == ()
    assert forbidden_pairs(refs, {frozenset((0, 2)), frozenset((1, 2)), frozenset((0, 1))}) == (((0, -1), (0, 3)),)


def test_whether_any_two_links_may_touch():
    apart = {0: (0, -1), 1: (0, 0), 2: (0, 1)}
    assert any_may_collide(apart, {frozenset((0, 1))})
    assert not any_may_collide({0: (0, -1), 1: (0, 0)}, {frozenset((0, 1))})
    assert not any_may_collide({0: (0, -1)}, set())


def test_links_that_are_merged_do_not_count_as_touching():
    merged = {0: (0, -1), 1: (0, -1), 2: (0, 0)}
    assert not any_may_collide({0: (0, -1), 1: (0, -1)}, set())
    assert any_may_collide(merged, {frozenset((0, 2))})
    assert not any_may_collide(merged, {frozenset((0, 2)), frozenset((1, 2))})
