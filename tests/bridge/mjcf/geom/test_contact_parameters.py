"""How things touch in the running MuJoCo: how deep they sink, how they bounce, slide, spin and
roll.
"""

import dataclasses
import math

import mujoco
import numpy as np
import pytest

from bridge import lower, to_mjcf
from bridge.targets.mjcf.contact_parameters import inverse_masses
from loaders.inertia import SpatialInertia
from loaders.model import (
    Box,
    Collision,
    Friction,
    JointType,
    Model,
    Physics,
    Plane,
    Sphere,
    Surface,
)
from loaders.pose import IDENTITY, Pose, frozen
from tests.support.mujoco_oracle import compiled
from tests.support.scenes import MOVING, link, random_scene, scene
from tests.support.seeds import seeds

G = 9.8
BALL, CUBE = Sphere(radius=0.1), Box(size=(0.2, 0.2, 0.2))


def on_the_floor(shape, *, mass=2.0, height=0.1, step=1e-3, floor=None, **surface):
    """A shape above the world's ground."""
    inertia = SpatialInertia.of(mass, I_Lcm=mass * 0.2**2 / 6.0 * np.eye(3))
    thing = link("m::thing", X_WL=Pose.of(p=(0, 0, height)), inertia=inertia)
    thing = dataclasses.replace(
        thing,
        collisions=(
            Collision(name="c", X_LG=IDENTITY, geometry=shape, surface=Surface(**surface)),
        ),
    )
    ground = Collision(
        name="floor", X_LG=IDENTITY, geometry=Plane(), surface=Surface(**(floor or {}))
    )
    models = tuple(
        Model(name=n, X_WM=IDENTITY, canonical_link=k, static=n == "g")
        for n, k in (("g", "g::base"), ("m", "m::thing"))
    )
    base = link("g::base", model="g", inertia=None, collisions=(ground,))
    return scene(
        [base, thing], models=models, gravity=frozen((0, 0, -G)), physics=Physics(time_step=step)
    )


def codes(mjcf):
    return {entry.code for entry in mjcf.diagnostics}


def settled(mjcf, seconds=3.0):
    model = compiled(mjcf)
    data = mujoco.MjData(model)
    for _ in range(round(seconds / model.opt.timestep)):
        mujoco.mj_step(model, data)
    return model, data


# --- stiffness ------------------------------------------------------------------------------------


@pytest.mark.parametrize(("shape", "points"), [(BALL, 1), (CUBE, 4)])
@pytest.mark.parametrize("mass", [0.1, 2.0, 50.0])
@pytest.mark.parametrize("depth", [3e-3, 3e-4, 1e-5])
def test_a_body_on_the_floor_sinks_by_its_weight_over_the_stiffness_of_all_points(
    shape, points, mass, depth
):
    mjcf = to_mjcf(on_the_floor(shape, mass=mass, stiffness=mass * G / depth / points))
    _, data = settled(mjcf)
    assert data.ncon == points
    assert 0.1 - data.qpos[2] == pytest.approx(depth, rel=0.01)
    assert "mjcf.contact-stiffness" in codes(mjcf)


def test_two_soft_bodies_sink_as_springs_in_series_if_pairs_are_written():
    source = on_the_floor(BALL, stiffness=3e4, floor={"stiffness": 6e4})
    _, data = settled(to_mjcf(source, contacts="pairs"))
    assert 0.1 - data.qpos[2] == pytest.approx(2.0 * G / 2e4, rel=0.01)
    _, data = settled(to_mjcf(source))  # the ground has no mass by which MuJoCo could scale
    assert 0.1 - data.qpos[2] == pytest.approx(2.0 * G / 3e4, rel=0.01)


def test_a_stiffness_beyond_the_time_step_leaves_mujocos_own_contact():
    mjcf = to_mjcf(on_the_floor(BALL, stiffness=1e13))
    assert "solref" not in mjcf.split("<worldbody>")[1]
    assert any(
        "time step" in e.message for e in mjcf.diagnostics if e.code == "mjcf.contact-stiffness"
    )


@pytest.mark.parametrize("seed", seeds(5))
def test_inverse_masses_are_those_that_mujoco_scales_by(seed):
    source = random_scene(
        seed, fixed=bool(seed % 2), kinds=[k for k in MOVING if k is not JointType.SCREW]
    )
    stiff = Collision(name="c", X_LG=IDENTITY, geometry=BALL, surface=Surface(stiffness=1e4))
    links = tuple(dataclasses.replace(k, collisions=(stiff,)) for k in source.links)
    source = dataclasses.replace(source, links=links)
    found = inverse_masses(lower(source))
    model = compiled(to_mjcf(source))
    for name, w in found.items():
        assert w == pytest.approx(model.body(name).invweight0[0], rel=1e-9)


@pytest.mark.parametrize(
    ("damping", "ratio"),
    [
        ({"damping": 20.0}, 20.0 / (2.0 * math.sqrt(2e3 * 2.0))),
        ({"relaxation_time": 0.01}, 2e3 * 0.01 / (2.0 * math.sqrt(2e3 * 2.0))),
        ({"dissipation": 1.0}, 2.0 * G / (2.0 * math.sqrt(2e3 * 2.0))),
    ],
    ids=["damping", "relaxation time", "dissipation at rest"],
)
def test_a_contact_is_damped_as_a_mass_on_that_spring(damping, ratio):
    """The logarithm of how fast the swings about the resting depth decay."""
    source = on_the_floor(
        BALL, stiffness=2e3, step=1e-4, height=0.1 - 2.0 * G / 2e3 + 2e-3, **damping
    )
    model = compiled(to_mjcf(source))
    data = mujoco.MjData(model)
    z = []
    for _ in range(8000):
        mujoco.mj_step(model, data)
        z.append(data.qpos[2])
    swing = np.array(z) - (0.1 - 2.0 * G / 2e3)
    tops = [swing[i] for i in range(1, len(z) - 1) if swing[i - 1] < swing[i] > swing[i + 1]]
    decrement = math.log(tops[0] / tops[1])
    assert decrement == pytest.approx(2.0 * math.pi * ratio / math.sqrt(1.0 - ratio**2), rel=0.03)


def test_contact_damping_without_stiffness_is_reported_as_dropped():
    mjcf = to_mjcf(on_the_floor(BALL, damping=3.0, dissipation=2.0))
    dropped = [e.message for e in mjcf.diagnostics if e.code == "mjcf.contact-dissipation"]
    assert [
        name in message for name, message in zip(("damping", "dissipation"), dropped, strict=True)
    ] == [True, True]


def test_cfm_and_erp_of_ode_are_a_spring_and_a_damper():
    """``kp = ERP / (h CFM)``: 0.3 / (1e-3 * 0.1) N/m."""
    mjcf = to_mjcf(on_the_floor(BALL, soft_cfm=1e-1, soft_erp=0.3))
    assert "mjcf.contact-solver" not in codes(mjcf)
    _, data = settled(mjcf)
    assert 0.1 - data.qpos[2] == pytest.approx(2.0 * G / 3000.0, rel=0.01)
    assert "mjcf.contact-solver" in codes(to_mjcf(on_the_floor(BALL, soft_erp=0.3)))


@pytest.mark.parametrize("contacts", ["geoms", "pairs"])
def test_a_sensor_shape_supports_nothing(contacts):
    source = on_the_floor(BALL, collide_without_contact=True)
    mjcf = to_mjcf(source, contacts=contacts)
    _, data = settled(mjcf, 0.5)
    assert data.qpos[2] == pytest.approx(0.1 - G * 0.5**2 / 2, rel=0.01)
    assert "mjcf.collide-without-contact" in codes(mjcf)
    base, thing = source.links
    foot = Collision(name="foot", X_LG=IDENTITY, geometry=BALL)
    beside = dataclasses.replace(thing, collisions=(*thing.collisions, foot))
    _, data = settled(
        to_mjcf(dataclasses.replace(source, links=(base, beside)), contacts=contacts), 0.5
    )
    assert data.qpos[2] == pytest.approx(0.1, abs=1e-3)


# --- restitution ----------------------------------------------------------------------------------


@pytest.mark.parametrize("shape", [BALL, CUBE])
@pytest.mark.parametrize("contacts", ["geoms", "pairs"])
@pytest.mark.parametrize("e", [0.2, 0.5, 0.8, 1.0])
def test_a_falling_body_bounces_within_the_reported_error_on_a_point_and_on_a_side(
    shape, e, contacts
):
    mjcf = to_mjcf(on_the_floor(shape, height=0.6, restitution=e), contacts=contacts)
    model = compiled(mjcf)
    data = mujoco.MjData(model)
    speeds = []
    for _ in range(1500):
        mujoco.mj_step(model, data)
        speeds.append(data.qvel[2])
    hit = speeds.index(min(speeds))
    assert max(speeds[hit:]) / -speeds[hit] == pytest.approx(e, abs=0.03)


# --- friction -------------------------------------------------------------------------------------


@pytest.mark.parametrize("mu", [0.5, 1.0, 1.5, 4.0, 1000.0])
def test_friction_does_not_change_the_resting_height(mu):
    """MuJoCo's pyramid yields the more the larger its friction is: at 1000 a cube falls through the
    floor.
    """
    friction = Friction(mu=mu, mu2=mu)
    _, data = settled(
        to_mjcf(on_the_floor(CUBE, friction=friction, floor={"friction": friction})), 2.0
    )
    assert data.qpos[2] == pytest.approx(0.1, abs=2e-4)


@pytest.mark.parametrize("contacts", ["geoms", "pairs"])
def test_torsional_friction_stops_a_spin_as_its_coefficient_says(contacts):
    """The torque is the length times the weight; it is 3 pi/16 coefficient times radius."""
    friction = Friction(mu=1.0, mu2=1.0, torsional=0.5, surface_radius=0.04, use_patch_radius=False)
    length = 3.0 * math.pi / 16.0 * 0.5 * 0.04
    mjcf = to_mjcf(on_the_floor(BALL, mass=2.0, friction=friction), contacts=contacts)
    assert "mjcf.torsional-friction" in codes(mjcf)
    model, data = settled(mjcf, 0.5)
    data.qvel[5] = 30.0
    mujoco.mj_step(model, data, 200)
    before = data.qvel[5]
    mujoco.mj_step(model, data, 500)
    inertia = 2.0 * 0.2**2 / 6.0
    assert (before - data.qvel[5]) / 0.5 == pytest.approx(length * 2.0 * G / inertia, rel=0.02)


@pytest.mark.parametrize("contacts", ["geoms", "pairs"])
def test_rolling_friction_stops_a_ball_as_its_coefficient_says(contacts):
    """Force over radius against the mass and the inertia that roll."""
    friction = Friction(mu=1.0, mu2=1.0, rolling=0.002)
    mjcf = to_mjcf(on_the_floor(BALL, friction=friction), contacts=contacts)
    assert "mjcf.rolling-friction" in codes(mjcf)
    model, data = settled(mjcf, 0.5)
    data.qvel[0], data.qvel[4] = 1.5, 15.0
    mujoco.mj_step(model, data, 200)
    inertia = 2.0 * 0.2**2 / 6.0
    expected = 0.002 * 2.0 * G / 0.1 / (2.0 + inertia / 0.1**2)
    assert (1.5 - data.qvel[0]) / 0.2 == pytest.approx(expected, rel=0.03)
