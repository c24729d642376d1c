"""Contact parameters and coefficients of pairs in the running PyBullet, against closed forms."""

import dataclasses
import math
from itertools import combinations

import mujoco
import numpy as np
import pybullet
import pytest

import bridge
from bridge import load_into_pybullet, to_mjcf
from bridge.targets.pybullet.contact import pair_coefficients
from loaders.collision_pairs import PairSet
from loaders.inertia import SpatialInertia
from loaders.model import (
    WORLD,
    Box,
    Collision,
    Cone,
    Cylinder,
    Friction,
    JointType,
    Link,
    Mesh,
    Model,
    Physics,
    Plane,
    Sphere,
    Surface,
)
from loaders.pose import IDENTITY, Pose, frozen
from loaders.scene import Scene
from tests.support.scenes import UNIT_BOX, codes, joint, link, scene

# Contact parameters in the running PyBullet, against closed forms, and how it combines those of a
# pair.

STEP = 1e-3
RIGID = Surface()


def touching(name, shape, surface, *, inertia=None, X_WL=IDENTITY):
    collision = Collision(name="c", X_LG=IDENTITY, geometry=shape, surface=surface)
    return link(
        name,
        inertia=inertia or SpatialInertia.of(2.0, (0, 0, 0), 0.1 * np.eye(3)),
        X_WL=X_WL,
        collisions=(collision,),
    )


def on_ground(shape, surface, ground, *, height, inertia=None, gravity=(0, 0, -9.81), client=0):
    """A body above a ground; the ground's and its own surface."""
    floor = touching("floor", Plane(normal=(0, 0, 1), size=(9, 9)), ground)
    body = touching("body", shape, surface, inertia=inertia, X_WL=Pose.of(p=(0, 0, height)))
    bodies = load_into_pybullet(
        scene([floor, body], [joint("hold", WORLD, "floor", JointType.FIXED)]),
        physicsClientId=client,
    )
    pybullet.setGravity(*gravity, physicsClientId=client)
    pybullet.setTimeStep(STEP, client)
    return bodies


def parameters_run(client, seconds):
    for _ in range(round(seconds / STEP)):
        pybullet.stepSimulation(client)
        yield


BOX = Box(size=(0.2, 0.2, 0.2))


@pytest.mark.parametrize(
    ("k_body", "k_floor", "k"),
    [(1e4, None, 1e4), (None, 1e4, 1e4), (1e4, 1e4, 5e3), (2e4, 5e3, 4e3)],
)
def test_a_ball_sinks_by_its_weight_over_the_stiffness_of_both_surfaces_in_series(
    bullet_client, k_body, k_floor, k
):
    surfaces = [
        Surface(stiffness=stiffness, damping=stiffness and 100.0) for stiffness in (k_body, k_floor)
    ]
    bodies = on_ground(Sphere(radius=0.1), *surfaces, height=0.1, client=bullet_client)
    for _ in parameters_run(bullet_client, 2.0):
        pass
    sunk = 0.1 - bodies.link_pose("body").p[2]
    assert sunk == pytest.approx(2.0 * 9.81 / k + 1e-5, rel=0.01)


def test_a_rigid_box_rests_where_it_touches(bullet_client):
    bodies = on_ground(BOX, RIGID, RIGID, height=0.1, client=bullet_client)
    for _ in parameters_run(bullet_client, 1.0):
        pass
    assert bodies.link_pose("body").p[2] == pytest.approx(0.1, abs=2e-5)


@pytest.mark.parametrize("step", [1 / 240, 1e-3, 1e-4])
@pytest.mark.parametrize(("e_body", "e_floor"), [(0.8, 1.0), (1.0, 0.5), (0.8, 0.8)])
@pytest.mark.parametrize("on_slide", [False, True])
def test_a_ball_bounces_by_the_product_of_restitutions(
    bullet_client, step, e_body, e_floor, on_slide
):
    """PyBullet adds up to 0.09 of the speed, by where in a step they meet."""
    floor = touching("floor", Plane(normal=(0, 0, 1), size=(9, 9)), Surface(restitution=e_floor))
    ball = touching(
        "ball", Sphere(radius=0.1), Surface(restitution=e_body), X_WL=Pose.of(p=(0, 0, 1.1))
    )
    slide = joint("z", WORLD, "ball", JointType.PRISMATIC, X_PJ=ball.X_WL)
    load_into_pybullet(
        scene([floor], [joint("hold", WORLD, "floor", JointType.FIXED)]),
        physicsClientId=bullet_client,
    )
    body = load_into_pybullet(
        scene([ball], [slide] if on_slide else []), physicsClientId=bullet_client
    )
    assert "pybullet.restitution" in codes(body)
    pybullet.setGravity(0, 0, -9.81, physicsClientId=bullet_client)
    pybullet.setTimeStep(step, bullet_client)
    speeds = []
    for _ in range(round(0.6 / step)):
        pybullet.stepSimulation(bullet_client)
        v = body.velocities()
        speeds.append(v["z"] if on_slide else v["ball"][2])
    assert -0.01 <= max(speeds) / -min(speeds) - e_body * e_floor <= 0.09


@pytest.mark.parametrize(("mu_body", "mu_floor"), [(0.5, 1.0), (1.0, 0.3), (0.7, 0.7)])
@pytest.mark.parametrize("side", [-1, 1])
def test_a_box_slips_where_the_slope_is_steeper_than_the_product_of_frictions(
    bullet_client, mu_body, mu_floor, side
):
    slope = math.atan(mu_body * mu_floor) + side * 0.03
    surfaces = [Surface(friction=Friction(mu=mu, mu2=mu)) for mu in (mu_body, mu_floor)]
    gravity = (9.81 * math.sin(slope), 0, -9.81 * math.cos(slope))
    bodies = on_ground(BOX, *surfaces, height=0.1, gravity=gravity, client=bullet_client)
    for _ in parameters_run(bullet_client, 1.0):
        pass
    v = bodies.velocities()["body"][0]
    expected = max(0.0, math.sin(slope) - mu_body * mu_floor * math.cos(slope)) * 9.81
    assert v == pytest.approx(expected, abs=0.02)


@pytest.mark.parametrize(
    ("r_body", "mu_body", "r_floor", "mu_floor"), [(0.01, 1.0, 0.0, 1.0), (0.01, 0.8, 0.02, 0.5)]
)
def test_a_ball_rolls_to_rest_by_the_sum_of_rolling_times_lateral_friction(
    bullet_client, r_body, mu_body, r_floor, mu_floor
):
    """Rolling friction is a torque of ``c N``: it slows a ball of mass m, radius r by ``c N r / (I
    + m r^2)``.
    """
    surfaces = [
        Surface(friction=Friction(mu=mu, mu2=mu, rolling=r))
        for r, mu in ((r_body, mu_body), (r_floor, mu_floor))
    ]
    inertia = SpatialInertia.of(2.0, (0, 0, 0), 0.4 * 2.0 * 0.01 * np.eye(3))
    bodies = on_ground(
        Sphere(radius=0.1), *surfaces, height=0.1, inertia=inertia, client=bullet_client
    )
    bodies.set_velocities({"body": (2.0, 0, 0, 0, 20.0, 0)})
    for _ in parameters_run(bullet_client, 0.5):
        pass
    c = r_body * mu_floor + r_floor * mu_body
    slowed = c * 2.0 * 9.81 * 0.1 / (0.008 + 0.02)
    assert 2.0 - bodies.velocities()["body"][0] == pytest.approx(0.5 * slowed, rel=0.03)


def test_a_spinning_ball_stops_by_torsional_friction(bullet_client):
    """Torque ``3 pi / 16 patch coefficient N`` (SDFormat), times the lateral friction of the other
    surface.
    """
    friction = Friction(torsional=1.0, patch_radius=0.01)
    inertia = SpatialInertia.of(2.0, (0, 0, 0), 0.008 * np.eye(3))
    bodies = on_ground(
        Sphere(radius=0.1),
        Surface(friction=friction),
        RIGID,
        height=0.1,
        inertia=inertia,
        client=bullet_client,
    )
    bodies.set_velocities({"body": (0, 0, 0, 0, 0, 20.0)})
    for _ in parameters_run(bullet_client, 0.5):
        pass
    slowed = 3 * math.pi / 16 * 0.01 * 2.0 * 9.81 / 0.008
    assert 20.0 - bodies.velocities()["body"][5] == pytest.approx(0.5 * slowed, rel=0.03)


SPINNING = """<robot name="ball"><link name="a">
  <contact><lateral_friction value="1"/><rolling_friction value="0.01"/><spinning_friction value="0.02"/></contact>
  <inertial><mass value="1"/><inertia ixx="0.004" iyy="0.004" izz="0.004" ixy="0" ixz="0" iyz="0"/></inertial>
  <collision><geometry><sphere radius="0.1"/></geometry></collision></link></robot>"""


def test_spinning_friction_of_a_urdf_is_that_of_load_urdf(bullet_client, tmp_path):
    """Coefficients and motion are equal; MuJoCo's spin slows by c N / I."""
    file = tmp_path / "ball.urdf"
    file.write_text(SPINNING)
    pybullet.setGravity(0, 0, -9.81, physicsClientId=bullet_client)
    floor = pybullet.createCollisionShape(pybullet.GEOM_PLANE, physicsClientId=bullet_client)
    ground = pybullet.createMultiBody(0, floor, physicsClientId=bullet_client)
    pybullet.changeDynamics(ground, -1, lateralFriction=1.0, physicsClientId=bullet_client)
    native = pybullet.loadURDF(str(file), [0, 0, 0.1], physicsClientId=bullet_client)
    pybullet.changeDynamics(
        native, -1, linearDamping=0, angularDamping=0, physicsClientId=bullet_client
    )
    ours = load_into_pybullet(file, [3, 0, 0.1], quiet=True, physicsClientId=bullet_client)
    for body in (native, ours):
        assert pybullet.getDynamicsInfo(body, -1, physicsClientId=bullet_client)[6:8] == (
            0.01,
            0.02,
        )
        pybullet.resetBaseVelocity(body, [0, 0, 0], [0, 0, 30], physicsClientId=bullet_client)
    for _ in range(60):
        pybullet.stepSimulation(physicsClientId=bullet_client)
    spins = [
        pybullet.getBaseVelocity(body, physicsClientId=bullet_client)[1][2]
        for body in (native, ours)
    ]
    assert spins[0] == pytest.approx(spins[1], rel=1e-6)
    assert spins[1] < 30.0 - 0.25 * 9.81 * 0.02 / 0.004 * 0.9
    model = mujoco.MjModel.from_xml_string(to_mjcf(file, quiet=True))
    assert model.geom_friction[0].tolist() == [1.0, 0.02, 0.01]


RULES = {
    "restitution": Surface(restitution=0.5),
    "stiffness": Surface(stiffness=1e4),
    "damping": Surface(stiffness=1e4, damping=10.0),
    "rolling": Surface(friction=Friction(rolling=0.1)),
    "torsional": Surface(friction=Friction(torsional=1.0, patch_radius=0.1)),
}


@pytest.mark.parametrize("what", RULES)
def test_the_combination_rule_of_a_pair_is_reported_for_stated_values(bullet_client, what):
    bodies = on_ground(BOX, RULES[what], RIGID, height=1.0, client=bullet_client)
    (entry,) = (e for e in bodies.diagnostics if e.code == "pybullet.contact-combination")
    assert any(what in rule for rule in entry.arguments["rules"])
    assert len(entry.arguments["rules"]) == (2 if what == "damping" else 1)
    plain = on_ground(BOX, RIGID, RIGID, height=1.0, client=bullet_client)
    assert "pybullet.contact-combination" not in codes(plain)


# --- margins --------------------------------------------------------------------------------------


@pytest.fixture
def cube(tmp_path):
    corners = "".join(
        f"v {x} {y} {z}\n" for x in (-0.2, 0.2) for y in (-0.2, 0.2) for z in (-0.2, 0.2)
    )
    quads = ("1 2 4 3", "5 7 8 6", "1 5 6 2", "3 4 8 7", "1 3 7 5", "2 6 8 4")
    (tmp_path / "cube.obj").write_text(corners + "".join(f"f {quad}\n" for quad in quads))
    return Mesh(uri="cube.obj", path=str(tmp_path / "cube.obj"))


def too_near(client, body, name, height=1.0):
    """Return the distance by which a ball of 0.1 m finds the shape, of 0.2 m below its center,
    nearer than it is.
    """
    ball = load_into_pybullet(
        scene([link("s", shape=Sphere(radius=0.1), X_WL=Pose.of(p=(0, 0, -height)))]),
        physicsClientId=client,
    )
    points = pybullet.getClosestPoints(
        body, ball, 2.0, body.links[name], -1, physicsClientId=client
    )
    return height - 0.3 - min(point[8] for point in points)


@pytest.mark.parametrize("beside", ["nothing", "a box", "another mesh"])
@pytest.mark.parametrize("fixed", [None, True])
def test_meshes_of_a_base_touch_where_they_are(bullet_client, cube, beside, fixed):
    more = {"nothing": [], "a box": [BOX], "another mesh": [cube]}[beside]
    shapes = [(IDENTITY, cube), *((Pose.of(p=(0, 0, 2.0)), shape) for shape in more)]
    collisions = tuple(
        Collision(name=f"c{i}", X_LG=X, geometry=shape) for i, (X, shape) in enumerate(shapes)
    )
    body = load_into_pybullet(
        scene([link("a", collisions=collisions)]), physicsClientId=bullet_client, useFixedBase=fixed
    )
    assert too_near(bullet_client, body, "a") == pytest.approx(0.0, abs=1e-8)
    assert "pybullet.hull-margin" not in codes(body)


def test_a_hull_of_a_base_without_margin_leaves_the_margin_of_other_shapes(bullet_client, cube):
    shapes = [
        (IDENTITY, Sphere(radius=0.2)),
        (Pose.of(p=(0, 0, 2.0)), cube),
        (Pose.of(p=(3, 0, 0)), Cone(radius=1, length=1)),
    ]
    collisions = tuple(
        Collision(name=f"c{i}", X_LG=X, geometry=shape) for i, (X, shape) in enumerate(shapes)
    )
    body = load_into_pybullet(
        scene([link("a", collisions=collisions)]), physicsClientId=bullet_client
    )
    assert too_near(bullet_client, body, "a") == pytest.approx(0.0, abs=1e-8)


def test_the_margin_of_a_mesh_on_a_moving_link_is_reported(bullet_client, cube):
    body = load_into_pybullet(
        scene([link("r"), link("a", shape=cube)], [joint("j", "r", "a")]),
        physicsClientId=bullet_client,
    )
    assert too_near(bullet_client, body, "a") == pytest.approx(1e-3, abs=1e-8)
    (entry,) = (e for e in body.diagnostics if e.code == "pybullet.hull-margin")
    assert entry.arguments["margin"] == 1e-3
    assert "a" in entry.subjects


THIN = {
    "sheet": Box(size=(0.2, 0.2, 4e-4)),
    "disc": Cylinder(radius=0.1, length=4e-4),
    "wire": Cylinder(radius=2e-4, length=0.2),
    "cube": Box(size=(4e-4,) * 3),
    "board": Box(size=(0.2, 0.2, 2e-3)),
}


@pytest.mark.parametrize("on_base", [False, True])
@pytest.mark.parametrize("name", THIN)
def test_a_thin_box_or_cylinder_touches_as_early_as_reported(bullet_client, name, on_base):
    """A ball is at most as much nearer than it is as is reported, and at most 0.73 mm farther,
    because PyBullet rounds edges by a margin of 1 mm, except on a base with thin shapes.

    The distance of a point from a box is that from the nearest point with coordinates within its
    halves; from a cylinder, in the plane of its axis.
    """
    shape = THIN[name]
    links = [link("a", shape=shape if on_base else None), link("b", shape=shape)]
    body = load_into_pybullet(
        scene(links, [joint("j", "a", "b")]), physicsClientId=bullet_client, useFixedBase=True
    )
    found = [e.arguments["error"] for e in body.diagnostics if e.code == "pybullet.thin-shape"]
    assert bool(found) is (name != "board")
    reported = 0.0 if on_base else sum(found)
    ball = pybullet.createMultiBody(
        1.0,
        pybullet.createCollisionShape(
            pybullet.GEOM_SPHERE, radius=0.05, physicsClientId=bullet_client
        ),
        physicsClientId=bullet_client,
    )
    index, errors = -1 if on_base else body.links["b"], []
    for n in np.random.default_rng(0).normal(size=(100, 3)):
        p = 0.3 * n / np.linalg.norm(n)
        x, halves = p, np.array(shape.size) / 2 if isinstance(shape, Box) else None
        if halves is None:
            x, halves = np.array((np.hypot(*p[:2]), p[2])), (shape.radius, shape.length / 2)
        pybullet.resetBasePositionAndOrientation(ball, p, (0, 0, 0, 1), bullet_client)
        (point, *_) = pybullet.getClosestPoints(
            body, ball, 1.0, index, -1, physicsClientId=bullet_client
        )
        errors.append(np.linalg.norm(np.maximum(np.abs(x) - halves, 0)) - 0.05 - point[8])
    assert max(errors) <= reported + 1e-7
    assert max(errors) >= 0.5 * reported - 1e-7
    assert min(errors) > (-1e-7 if on_base and found else -7.4e-4)


def test_a_mesh_that_the_world_holds_touches_where_it_is(bullet_client, cube):
    body = load_into_pybullet(
        scene([link("a", shape=cube)], [joint("j", WORLD, "a", JointType.FIXED)]),
        physicsClientId=bullet_client,
    )
    assert too_near(bullet_client, body, "a") == pytest.approx(0.0, abs=1e-8)
    assert "pybullet.hull-margin" not in codes(body)


# Friction and restitution of pairs in a world, in both engines, against closed forms.

G = 9.8


def rough(mu, restitution=0.0, **friction):
    return Surface(friction=Friction(mu=mu, mu2=mu, **friction), restitution=restitution)


def body(name, shape, surface, height):
    size = shape.size if isinstance(shape, Box) else (math.sqrt(2.4) * shape.radius,) * 3
    moments = [(sum(x * x for x in size) - x * x) / 12.0 for x in size]
    collision = Collision(name="c", X_LG=IDENTITY, geometry=shape, surface=surface)
    inertia = SpatialInertia.of(1.0, I_Lcm=np.diag(moments))
    return Link(
        name=f"{name}::l",
        model=name,
        X_WL=Pose.of(p=(0.0, 0.0, height)),
        inertia=inertia,
        collisions=(collision,),
    )


def world(ground, *bodies, gravity=(0.0, 0.0, -G)):
    plane = Collision(name="c", X_LG=IDENTITY, geometry=Plane(), surface=ground)
    floor = Link(name="ground::l", model="ground", X_WL=IDENTITY, collisions=(plane,))
    links = (floor, *bodies)
    models = tuple(
        Model(name=k.model, X_WM=IDENTITY, canonical_link=k.name, static=k is floor) for k in links
    )
    return Scene(
        name="w",
        models=models,
        links=links,
        gravity=frozen(gravity),
        physics=Physics(time_step=STEP),
    )


def run_in_pybullet(scene, seconds, velocity=(0.0, 0.0, 0.0)):
    """The position of the first body after each step."""
    client = pybullet.connect(pybullet.DIRECT)
    bodies = bridge.load_into_pybullet(scene, physicsClientId=client)
    bodies.apply_physics()
    name = scene.links[1].name
    bodies.set_velocities({name: (*velocity, 0.0, 0.0, 0.0)})
    path = []
    for _ in range(round(seconds / STEP)):
        bodies.step()
        path.append(bodies.link_pose(name).p)
    pybullet.disconnect(client)
    return np.array(path)


def run_in_mujoco(scene, seconds, velocity=(0.0, 0.0, 0.0)):
    """The position of the first body after each step."""
    written = bridge.to_mjcf(scene)
    model = mujoco.MjModel.from_xml_string(str(written), written.assets)
    data = mujoco.MjData(model)
    data.qvel[:3] = velocity
    path = []
    for _ in range(round(seconds / STEP)):
        mujoco.mj_step(model, data)
        path.append(data.qpos[:3].copy())
    return np.array(path)


ENGINES = pytest.mark.parametrize("run", [run_in_pybullet, run_in_mujoco])
BLOCK = Box(size=(0.4, 0.4, 0.1))


@ENGINES
@pytest.mark.parametrize("mu", [0.2, 0.5, 1.0])
def test_a_box_on_an_incline_slides_as_coulomb_says(run, mu):
    """After 1 s at 15 degrees it is at ``g (sin - mu cos) / 2``, or still within 2 mm of where it
    was.
    """
    slope = math.radians(15.0)
    gravity = (G * math.sin(slope), 0.0, -G * math.cos(slope))
    path = run(world(rough(mu), body("box", BLOCK, rough(mu), 0.05), gravity=gravity), 1.0)
    exact = max(0.0, G * (math.sin(slope) - mu * math.cos(slope))) / 2.0
    assert path[-1, 0] == pytest.approx(exact, abs=2e-3)


@ENGINES
@pytest.mark.parametrize("mu_ground", [0.3, 0.6, 1.0])
def test_different_surfaces_slide_with_the_smaller_coefficient_in_pybullet(run, mu_ground):
    """MuJoCo takes the larger one, which its report states."""
    mu = min(mu_ground, 0.6) if run is run_in_pybullet else max(mu_ground, 0.6)
    scene = world(rough(mu_ground), body("box", BLOCK, rough(0.6), 0.05))
    path = run(scene, 0.6, velocity=(1.0, 0.0, 0.0))
    assert path[-1, 0] == pytest.approx(1.0 / (2.0 * mu * G), rel=0.03)


@ENGINES
@pytest.mark.parametrize(("force", "slides"), [(0.9, False), (1.2, True)])
def test_a_box_pushed_sideways_moves_beyond_the_friction_cone_only(run, force, slides):
    """Gravity pushes along the diagonal with a fraction of the friction, which is the same in every
    direction.
    """
    mu = 0.5
    push = force * mu * G / math.sqrt(2.0)
    path = run(world(rough(mu), body("box", BLOCK, rough(mu), 0.05), gravity=(push, push, -G)), 0.5)
    exact = (force - 1.0) * mu * G * 0.5**2 / 2.0 if slides else 0.0
    assert np.hypot(*path[-1, :2]) == pytest.approx(exact, abs=2e-3)


@ENGINES
@pytest.mark.parametrize("restitution", [0.3, 0.5, 0.8])
def test_a_ball_rebounds_to_the_height_that_its_restitution_gives(run, restitution):
    surface = rough(1.0, restitution)
    height = run(world(surface, body("ball", Sphere(radius=0.1), surface, 0.6)), 1.2)[:, 2] - 0.1
    impact = int(np.argmin(height[:500]))
    speed = math.sqrt(height[impact:].max() / 0.5)
    assert speed == pytest.approx(restitution, abs=0.06)


def test_bodies_of_several_frictions_are_right_on_the_ground_and_the_rest_is_reported(
    bullet_client,
):
    stated = {"a": 0.2, "b": 0.5, "c": 0.8}
    scene = world(rough(0.8), *(body(name, BLOCK, rough(mu), 0.05) for name, mu in stated.items()))
    bodies = bridge.load_into_pybullet(scene, physicsClientId=bullet_client)
    mu = {
        body.name: pybullet.getDynamicsInfo(body, -1, physicsClientId=bullet_client)[1]
        for body in bodies
    }
    for name, value in stated.items():
        assert mu["ground"] * mu[name] == pytest.approx(value, rel=2e-3)
    worst = max(abs(mu[a] * mu[b] - min(stated[a], stated[b])) for a, b in combinations(stated, 2))
    finding = next(d for d in bodies.diagnostics if d.code == "pybullet.friction-product")
    assert worst > 0.05
    assert finding.arguments["difference"] == pytest.approx(worst, rel=1e-9)


@pytest.mark.parametrize("mu", [0.2, 0.9])
def test_equal_surfaces_need_no_report_and_stay_right_between_bodies(bullet_client, mu):
    scene = world(rough(mu), body("a", BLOCK, rough(mu), 0.05), body("b", BLOCK, rough(mu), 1.0))
    bodies = bridge.load_into_pybullet(scene, physicsClientId=bullet_client)
    values = [
        pybullet.getDynamicsInfo(body, -1, physicsClientId=bullet_client)[1] for body in bodies
    ]
    assert values == pytest.approx([math.sqrt(mu)] * 3)
    assert "pybullet.friction-product" not in codes(bodies)


def test_the_coefficients_of_the_file_are_kept_where_they_are_right_or_the_ground_is_unknown():
    rolling = rough(0.5, rolling=0.01)
    alone = bridge.lower(
        dataclasses.replace(world(rough(0.5)), links=(body("a", BLOCK, rough(0.5), 0.05),))
    )
    assert pair_coefficients(alone, PairSet()).friction == {}
    smooth = bridge.lower(world(rough(1.0), body("a", BLOCK, rough(0.3), 0.05)))
    assert pair_coefficients(smooth, PairSet()).friction == pytest.approx(
        {"ground::l": 1.0, "a::l": 0.3}
    )
    spun = bridge.lower(world(rough(0.5), body("a", BLOCK, rolling, 0.05)))
    assert pair_coefficients(spun, PairSet()).friction == {}


def test_a_surface_without_friction_or_restitution_has_none_with_any_other():
    slippery = bridge.lower(world(rough(0.5, 0.5), body("a", BLOCK, rough(0.0, 0.0), 0.05)))
    chosen = pair_coefficients(slippery, PairSet())
    assert "a::l" not in chosen.friction
    assert "a::l" not in chosen.restitution


# Contact parameters that PyBullet does not support are reported, with their collisions.


def with_surface(surface, name="a", **rest):
    shape = Collision(name="c", X_LG=IDENTITY, geometry=UNIT_BOX, surface=surface)
    return link(name, collisions=(shape,), **rest)


def test_unsupported_surface_parameters_are_reported(bullet_client):
    surface = Surface(
        friction=Friction(mu=0.5, mu2=0.2, fdir1=(1.0, 0, 0), slip1=0.1),
        soft_cfm=0.1,
        max_velocity=0.2,
    )
    robot = load_into_pybullet(scene([with_surface(surface)]), physicsClientId=bullet_client)
    entries = [entry for entry in robot.diagnostics if entry.code == "pybullet.contact-property"]
    parameters = [entry.arguments["parameter"] for entry in entries]
    assert parameters == sorted(["mu2", "fdir1", "slip1", "soft_cfm", "max_velocity"])


def test_two_surfaces_of_one_link_are_reported_as_one(bullet_client):
    surfaces = (Surface(friction=Friction(mu=0.5, mu2=0.5)), Surface())
    shapes = tuple(
        Collision(name=f"c{i}", X_LG=IDENTITY, geometry=UNIT_BOX, surface=s)
        for i, s in enumerate(surfaces)
    )
    robot = load_into_pybullet(scene([link("a", collisions=shapes)]), physicsClientId=bullet_client)
    assert "pybullet.surface-per-link" in codes(robot)
    assert pybullet.getDynamicsInfo(robot, -1, bullet_client)[1] == 0.5
