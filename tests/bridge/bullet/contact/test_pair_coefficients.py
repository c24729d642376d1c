"""Friction and restitution of pairs in a world, in both engines, against closed forms."""

import dataclasses
import math
from itertools import combinations

import mujoco
import numpy as np
import pybullet
import pytest

import bridge
from bridge.targets.pybullet.contact import pair_coefficients
from loaders.collision_pairs import PairSet
from loaders.inertia import SpatialInertia
from loaders.model import Box, Collision, Friction, Link, Model, Physics, Plane, Sphere, Surface
from loaders.pose import IDENTITY, Pose, frozen
from loaders.scene import Scene
from tests.support.scenes import codes

G = 9.8
STEP = 1e-3


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
