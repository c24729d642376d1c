"""How things touch in the running MuJoCo: how deep they sink, how they bounce, slide, spin and
roll.
"""

from __future__ import annotations

import dataclasses
import math

import mujoco
import numpy as np
import pytest

import loaders
from bridge import lower, to_mjcf
from bridge.targets.mjcf.contact_parameters import inverse_masses
from loaders.inertia import SpatialInertia
from loaders.model import (
    WORLD,
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
from tests.support.mjcf_scenes import ball, codes, scene_of
from tests.support.mjcf_scenes import link as mjcf_link
from tests.support.mujoco_oracle import compiled
from tests.support.scenes import MOVING, joint, link, random_scene, scene
from tests.support.seeds import seeds

# How things touch in the running MuJoCo: how deep they sink, how they bounce, slide, spin and roll.

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


def contact_parameters_codes(mjcf):
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
    assert "mjcf.contact-stiffness" in contact_parameters_codes(mjcf)


def test_two_soft_bodies_sink_as_springs_in_series_if_pairs_are_written():
    source = on_the_floor(BALL, stiffness=3e4, floor={"stiffness": 6e4})
    _, data = settled(to_mjcf(source, contacts="pairs"))
    assert 0.1 - data.qpos[2] == pytest.approx(2.0 * G / 2e4, rel=0.01)
    _, data = settled(to_mjcf(source))  # the ground has no mass by which MuJoCo could scale
    assert 0.1 - data.qpos[2] == pytest.approx(2.0 * G / 3e4, rel=0.01)


@pytest.mark.parametrize("step", [1e-3, 2e-3])
def test_a_stiffness_beyond_the_time_step_is_the_largest_that_it_can_hold_which_is_stated(step):
    mjcf = to_mjcf(on_the_floor(BALL, stiffness=1e13, step=step))
    (entry,) = [e for e in mjcf.diagnostics if e.code == "mjcf.contact-stiffness"]
    held = entry.arguments["held"]
    assert held == pytest.approx(100.0 * 2.0 / step**2)
    assert f"{held:.3g} N/m" in entry.message
    _, data = settled(mjcf)
    assert 0.1 - data.qpos[2] == pytest.approx(2.0 * G / held, rel=0.01)


def test_a_stiffness_of_zero_leaves_mujocos_own_contact():
    mjcf = to_mjcf(on_the_floor(BALL, stiffness=0.0))
    assert "solref" not in mjcf.split("<worldbody>")[1]
    assert "mjcf.contact-stiffness" in contact_parameters_codes(mjcf)


PLATE = Box(size=(0.4, 0.2, 0.2))


def normal_forces(model, data, seconds):
    """The sum of all normal forces of each step [N]."""
    forces, force = [], np.zeros(6)
    for _ in range(round(seconds / model.opt.timestep)):
        mujoco.mj_step(model, data)
        forces.append(0.0)
        for i in range(data.ncon):
            mujoco.mj_contactForce(model, data, i, force)
            forces[-1] += force[0]
    return np.array(forces)


@pytest.mark.parametrize(("shape", "points"), [(BALL, 1), (CUBE, 4), (PLATE, 4)])
@pytest.mark.parametrize("stiffness", [1e5, 1e6, 1e8])
@pytest.mark.parametrize("damping", [1.0, 50.0])
@pytest.mark.parametrize("step", [1e-3, 2e-3])
@pytest.mark.parametrize("contacts", ["geoms", "pairs"])
def test_a_stiff_body_comes_to_rest_at_its_weight_over_the_stiffness(
    shape, points, stiffness, damping, step, contacts
):
    """The springs have damping ratios from 0.00005 to 0.1, with which real time steps would throw
    the body up for ever.
    """
    source = on_the_floor(shape, stiffness=stiffness, damping=damping, step=step)
    mjcf = to_mjcf(source, contacts=contacts)
    model, data = settled(mjcf, 1.5)
    assert normal_forces(model, data, 0.2) == pytest.approx(2.0 * G, rel=1e-3)
    (entry,) = [e for e in mjcf.diagnostics if e.code == "mjcf.contact-stiffness"]
    held = entry.arguments["held"]
    assert held == pytest.approx(min(stiffness, 100.0 * 2.0 / step**2))
    assert 0.1 - data.qpos[2] == pytest.approx(2.0 * G / held / points, rel=0.03)
    (entry,) = [e for e in mjcf.diagnostics if e.code == "mjcf.contact-damping"]
    assert entry.arguments["ratio"] == pytest.approx(damping / (2 * math.sqrt(2 * stiffness)))


@pytest.mark.parametrize("shape", [BALL, CUBE, PLATE])
@pytest.mark.parametrize("e", [0.3, 0.6, 0.8])
def test_a_body_that_bounces_comes_to_rest(shape, e):
    mjcf = to_mjcf(on_the_floor(shape, height=0.11, restitution=e))
    model, data = settled(mjcf, 3.0)
    assert normal_forces(model, data, 0.2) == pytest.approx(2.0 * G, rel=1e-3)


@pytest.mark.parametrize("stiffness", [3e4, 1e6])
@pytest.mark.parametrize("damping", [1.0, 50.0, 300.0])
def test_a_block_on_a_lightly_damped_spring_stops_where_friction_stops_it(stiffness, damping):
    """A geom has one damping for the normal and for friction."""
    mu, v = Friction(mu=0.5, mu2=0.5), 1.0
    model, data = settled(
        to_mjcf(
            on_the_floor(
                Box(size=(0.4, 0.4, 0.2)),
                friction=mu,
                stiffness=stiffness,
                damping=damping,
                floor={"friction": mu},
            )
        ),
        1.0,
    )
    start = data.qpos[0]
    data.qvel[:] = (v, 0, 0, 0, 0, 0)
    mujoco.mj_step(model, data, 1000)
    assert data.qpos[0] - start == pytest.approx(v**2 / (2.0 * 0.5 * G), rel=0.03)


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
    assert "mjcf.contact-solver" not in contact_parameters_codes(mjcf)
    _, data = settled(mjcf)
    assert 0.1 - data.qpos[2] == pytest.approx(2.0 * G / 3000.0, rel=0.01)
    assert "mjcf.contact-solver" in contact_parameters_codes(
        to_mjcf(on_the_floor(BALL, soft_erp=0.3))
    )


@pytest.mark.parametrize("contacts", ["geoms", "pairs"])
def test_a_sensor_shape_supports_nothing(contacts):
    source = on_the_floor(BALL, collide_without_contact=True)
    mjcf = to_mjcf(source, contacts=contacts)
    _, data = settled(mjcf, 0.5)
    assert data.qpos[2] == pytest.approx(0.1 - G * 0.5**2 / 2, rel=0.01)
    assert "mjcf.collide-without-contact" in contact_parameters_codes(mjcf)
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
    friction = Friction(mu=1.0, mu2=1.0, torsional=0.5, patch_radius=0.04, surface_radius=7.0)
    length = 3.0 * math.pi / 16.0 * 0.5 * 0.04
    mjcf = to_mjcf(on_the_floor(BALL, mass=2.0, friction=friction), contacts=contacts)
    assert "mjcf.torsional-friction" in contact_parameters_codes(mjcf)
    model, data = settled(mjcf, 0.5)
    data.qvel[5] = 30.0
    mujoco.mj_step(model, data, 200)
    before = data.qvel[5]
    mujoco.mj_step(model, data, 500)
    inertia = 2.0 * 0.2**2 / 6.0
    assert (before - data.qvel[5]) / 0.5 == pytest.approx(length * 2.0 * G / inertia, rel=0.02)


@pytest.mark.parametrize(
    "surface",
    [{}, {"stiffness": 2e4}, {"stiffness": 1e6, "damping": 50.0}, {"restitution": 0.3}],
    ids=["default", "soft", "stiff", "bouncing"],
)
@pytest.mark.parametrize("contacts", ["geoms", "pairs"])
@pytest.mark.parametrize("step", [1e-3, 2e-3])
def test_torsional_friction_of_a_sphere_has_the_patch_of_its_radius_and_its_depth(
    contacts, surface, step
):
    """The radius of the patch is ``sqrt(R d)``, with the depth that MuJoCo itself has at rest."""
    R, mu = 0.05, 0.5
    friction = Friction(
        torsional=mu, surface_radius=R, patch_radius=7.0, use_patch_radius=False, mu2=1.0
    )
    mjcf = to_mjcf(on_the_floor(BALL, friction=friction, step=step, **surface), contacts=contacts)
    assert "mjcf.torsional-friction" in contact_parameters_codes(mjcf)
    model, data = settled(mjcf, 1.0)
    depth = -data.contact[0].dist
    data.qvel[5] = 30.0
    mujoco.mj_step(model, data, round(0.1 / step))
    before = data.qvel[5]
    mujoco.mj_step(model, data, round(0.5 / step))
    inertia = 2.0 * 0.2**2 / 6.0
    torque = 3.0 * math.pi / 16.0 * math.sqrt(R * depth) * mu * 2.0 * G
    assert (before - data.qvel[5]) / 0.5 == pytest.approx(torque / inertia, rel=0.02)


@pytest.mark.parametrize("contacts", ["geoms", "pairs"])
def test_rolling_friction_stops_a_ball_as_its_coefficient_says(contacts):
    """Force over radius against the mass and the inertia that roll."""
    friction = Friction(mu=1.0, mu2=1.0, rolling=0.002)
    mjcf = to_mjcf(on_the_floor(BALL, friction=friction), contacts=contacts)
    assert "mjcf.rolling-friction" in contact_parameters_codes(mjcf)
    model, data = settled(mjcf, 0.5)
    data.qvel[0], data.qvel[4] = 1.5, 15.0
    mujoco.mj_step(model, data, 200)
    inertia = 2.0 * 0.2**2 / 6.0
    expected = 0.002 * 2.0 * G / 0.1 / (2.0 + inertia / 0.1**2)
    assert (1.5 - data.qvel[0]) / 0.2 == pytest.approx(expected, rel=0.03)


# Restitution and effective masses of contacts, measured in MuJoCo.


@pytest.mark.parametrize(("e", "error"), [(1.0, 0.03), (0.5, 0.03), (0.05, 0.1)])
def test_a_ball_bounces_within_the_stated_error(e, error):
    floor = mjcf_link(
        "floor", model="ground", collisions=(Collision(name="f", X_LG=IDENTITY, geometry=Plane()),)
    )
    drop = mjcf_link("ball", p=(0.0, 0.0, 1.0), collisions=(ball("b", restitution=e),))
    mjcf = to_mjcf(scene_of(floor, drop))
    model = compiled(mjcf)
    data = mujoco.MjData(model)
    speeds = []
    for _ in range(1500):
        mujoco.mj_step(model, data)
        speeds.append(data.qvel[2])
    impact = min(speeds)
    rebound = max(speeds[speeds.index(impact) :])
    assert -rebound / impact == pytest.approx(e, abs=error)
    assert "mjcf.restitution" in codes(mjcf)


# Pairs of geoms have the friction that the rule of the source computes.

SHAPE = Collision(name="c", X_LG=IDENTITY, geometry=BALL)
RULES = {"harmonic": 2 * 0.3 * 0.8 / 1.1, "smaller": 0.3, "larger": 0.8, "product": 0.24}


def slides(source, slope, **options):
    """Whether a thing on the floor slides, gravity being tilted by a slope."""
    angle = math.atan(slope)
    tilted = dataclasses.replace(
        source, gravity=frozen((G * math.sin(angle), 0, -G * math.cos(angle)))
    )
    _, data = settled(to_mjcf(tilted, **options), 1.0)
    return data.qvel[0] > 0.1


@pytest.mark.parametrize("rule", list(RULES))
def test_a_block_slides_at_the_slope_of_the_combined_friction_if_pairs_are_written(rule):
    source = on_the_floor(
        CUBE, friction=Friction(mu=0.3, mu2=0.3), floor={"friction": Friction(mu=0.8, mu2=0.8)}
    )
    mu, source = RULES[rule], dataclasses.replace(source, friction_rule=rule)
    assert not slides(source, 0.97 * mu, contacts="pairs")
    assert slides(source, 1.05 * mu, contacts="pairs")


def test_without_pairs_the_larger_friction_counts_and_the_diagnostics_say_so():
    source = on_the_floor(
        CUBE, friction=Friction(mu=0.3, mu2=0.3), floor={"friction": Friction(mu=0.8, mu2=0.8)}
    )
    assert not slides(source, 0.97 * 0.8)
    assert slides(source, 1.05 * 0.8)
    (entry,) = [e for e in to_mjcf(source).diagnostics if e.code == "mjcf.friction-combination"]
    assert f"{RULES['smaller']:g}" in entry.message
    assert "mjcf.friction-combination" not in contact_parameters_codes(
        to_mjcf(dataclasses.replace(source, friction_rule="larger"))
    )
    assert "mjcf.friction-combination" not in contact_parameters_codes(
        to_mjcf(source, contacts="pairs")
    )


def test_a_pair_is_written_once_for_all_that_touch_and_for_nothing_else():
    """The contacts are those of the geoms, no more: MuJoCo leaves a pair of the list out of its own
    search.
    """
    balls = [link(f"l{i}", X_WL=Pose.of(p=(0.15 * i, 0, 0)), shape=BALL) for i in range(4)]
    source = scene(balls, [joint("j", "l0", "l1", X_PJ=Pose.of(p=(0.15, 0, 0)))])
    found = []
    for contacts in ("geoms", "pairs"):
        model = compiled(to_mjcf(source, contacts=contacts))
        data = mujoco.MjData(model)
        mujoco.mj_forward(model, data)
        found.append(sorted(sorted(c.geom) for c in data.contact[: data.ncon]))
        assert model.npair == (0 if contacts == "geoms" else 5)
    assert found[0] == found[1]
    assert len(found[0]) == 2


@pytest.mark.parametrize("restitution", [0.0, 0.5, 0.95, 1.0])
@pytest.mark.parametrize("contacts", ["geoms", "pairs"])
def test_a_bouncing_block_that_slides_on_the_floor_stops_where_friction_stops_it(
    contacts, restitution
):
    """A geom has one damping for the normal and for friction; without pairs a block slides up to
    3.5 times as far.
    """
    mu, v = Friction(mu=0.5, mu2=0.5), 1.0
    source = on_the_floor(
        Box(size=(0.4, 0.4, 0.1)),
        height=0.05,
        friction=mu,
        restitution=restitution,
        floor={"friction": mu},
    )
    model, data = settled(to_mjcf(source, contacts=contacts), 0.2)
    start = data.qpos[0]
    data.qvel[:] = (v, 0, 0, 0, 0, 0)
    mujoco.mj_step(model, data, round(1.0 / model.opt.timestep))
    assert data.qpos[0] - start == pytest.approx(v**2 / (2.0 * 0.5 * G), rel=0.03)


def test_only_shapes_that_bounce_get_pairs_of_their_own():
    """Pairs have the larger friction, as geoms have; a pair without a bounce is left to the
    geoms.
    """
    surfaces = (Surface(restitution=0.5), Surface(), Surface())
    balls = [
        link(
            f"l{i}",
            X_WL=Pose.of(p=(0.15 * i, 0, 0)),
            collisions=(dataclasses.replace(SHAPE, surface=surface),),
        )
        for i, surface in enumerate(surfaces)
    ]
    mjcf = to_mjcf(scene(balls))
    assert mjcf.count("<pair ") == 2
    assert compiled(mjcf).npair == 2


def test_too_many_contact_pairs_are_refused_with_a_remedy():
    balls = [link(f"l{i}", X_WL=Pose.of(p=(i, 0, 0)), shape=BALL) for i in range(70)]
    mjcf = to_mjcf(scene(balls), contacts="pairs")
    assert "<pair" not in mjcf
    assert "mjcf.contact-pairs" in contact_parameters_codes(mjcf)
    rubber = dataclasses.replace(SHAPE, surface=Surface(restitution=0.5))
    bouncing = to_mjcf(scene([dataclasses.replace(ball, collisions=(rubber,)) for ball in balls]))
    assert "<pair" not in bouncing
    assert "mjcf.contact-pairs" in contact_parameters_codes(bouncing)


def test_an_unknown_place_for_contacts_is_refused():
    with pytest.raises(
        ValueError, match=r"unknown value .both. of contacts; expected one of: geoms, pairs"
    ):
        to_mjcf(on_the_floor(BALL), contacts="both")


@pytest.mark.parametrize("direction", [0.0, 0.4, math.pi / 4])
def test_pairs_have_friction_that_is_the_same_in_every_direction(direction):
    source = on_the_floor(
        CUBE, friction=Friction(mu=0.5, mu2=0.5), floor={"friction": Friction(mu=0.5, mu2=0.5)}
    )
    for slope, moves in ((0.48, False), (0.53, True)):
        angle = math.atan(slope)
        along = (
            math.sin(angle) * math.cos(direction),
            math.sin(angle) * math.sin(direction),
            -math.cos(angle),
        )
        tilted = dataclasses.replace(source, gravity=frozen(G * np.array(along)))
        _, data = settled(to_mjcf(tilted, contacts="pairs"), 1.0)
        assert (np.linalg.norm(data.qvel[:2]) > 0.1) == moves


# Links that only turn about their center of mass are named where they touch, because MuJoCo's
# solver fails there.

CODE = "mjcf.pivoted-contact"


def wall(*, apart=0.05, com=0.0):
    """Nine cubes of 5 cm, each on a hinge to the world through its center."""
    inertia = SpatialInertia.of(0.3375, (com, 0.0, 0.0), 1.4e-4 * np.eye(3))
    cubes = [link(f"l{k}", inertia=inertia, shape=Box(size=(0.05, 0.05, 0.05))) for k in range(9)]
    places = [Pose.of(p=(apart * (k // 3), 0.0, apart * (k % 3))) for k in range(9)]
    return scene(cubes, [joint(f"j{k}", WORLD, f"l{k}", X_PJ=X) for k, X in enumerate(places)])


def fastest(model):
    """The largest speed in 0.2 s after a start at 1e-4 rad/s."""
    data, speeds = mujoco.MjData(model), []
    data.qvel[:] = 1e-4 * np.random.default_rng(0).normal(size=model.nv)
    for _ in range(200):
        mujoco.mj_step(model, data)
        speeds.append(np.abs(data.qvel).max())
    return max(speeds)


def test_cubes_that_turn_about_their_centers_and_touch_are_named_with_what_keeps_them_at_rest():
    mjcf = to_mjcf(wall())
    (entry,) = (entry for entry in mjcf.diagnostics if entry.code == CODE)
    assert set(entry.subjects) == {f"l{k}" for k in range(9)}
    assert fastest(compiled(mjcf)) > 1.0
    by_solver, by_mass = compiled(mjcf), compiled(mjcf)
    by_solver.opt.solver = mujoco.mjtSolver.mjSOL_PGS
    by_mass.body_invweight0[1:, 0] = 1.0 / by_mass.body_mass[1:]
    assert fastest(by_solver) < 1e-3
    assert fastest(by_mass) < 1e-3


@pytest.mark.parametrize("model", [{"apart": 0.2}, {"com": 0.01}])
def test_cubes_that_are_apart_or_whose_centers_move_are_not_named(model):
    mjcf = to_mjcf(wall(**model))
    assert CODE not in contact_parameters_codes(mjcf)


# --- every element of a surface -------------------------------------------------------------------

SURFACE_ELEMENTS = {
    "bounce": "restitution_coefficient=0.4 threshold=2",
    "friction/torsional": "coefficient=0.7 use_patch_radius=false patch_radius=0.1 "
    "surface_radius=0.2",
    "friction/torsional/ode": "slip=0.1",
    "friction/ode": "mu=0.4 mu2=0.3 fdir1=1_0_0 slip1=0.1 slip2=0.2",
    "friction/bullet": "friction=0.4 friction2=0.3 fdir1=1_0_0 rolling_friction=0.1",
    "contact": "collide_without_contact=true collide_without_contact_bitmask=3 collide_bitmask=2 "
    "category_bitmask=4 poissons_ratio=0.2 elastic_modulus=1e6",
    "contact/ode": "soft_cfm=0.1 soft_erp=0.3 kp=1e4 kd=7 max_vel=0.02 min_depth=0.001",
    "contact/bullet": "soft_cfm=0.1 soft_erp=0.3 kp=1e4 kd=7 split_impulse=false "
    "split_impulse_penetration_threshold=-0.02",
    "soft_contact/dart": "bone_attachment=50 stiffness=50 damping=5 flesh_mass_fraction=0.1",
}
"""Elements of a surface in SDFormat's schema, each with a value that is not its default."""
NEIGHBORS = {
    "torsional/": {"coefficient": "0.5", "patch_radius": "0.05", "surface_radius": "0.05"},
    "surface_radius": {"coefficient": "0.5", "use_patch_radius": "false"},
    "threshold": {"restitution_coefficient": "0.4"},
    "poissons_ratio": {"elastic_modulus": "1e6"},
}
"""What an element needs beside it to have a meaning."""


def surface_outcome(path: str, inner: str) -> tuple[str, ...]:
    """What an export to MJCF makes of a surface with an element, and what it reports."""
    head, tail = (
        "".join(f"<{'/' if closes else ''}{tag}>" for tag in order)
        for closes, order in ((False, path.split("/")), (True, reversed(path.split("/"))))
    )
    text = (
        "<sdf version='1.9'><model name='m'><link name='l'><inertial><mass>2</mass></inertial>"
        "<collision name='c'><geometry><sphere><radius>0.1</radius></sphere></geometry><surface>"
        f"{head}{inner}{tail}</surface></collision></link></model></sdf>"
    )
    mjcf = to_mjcf(loaders.load_string(text, format="sdf", quiet=True), policy="sdformat")
    source = loaders.load_string(text, format="sdf", quiet=True)
    return (str(mjcf), *(entry.message for entry in (*source.diagnostics, *mjcf.diagnostics)))


@pytest.mark.parametrize(
    ("path", "tag", "value"),
    [
        (path, *setting.split("="))
        for path, settings in SURFACE_ELEMENTS.items()
        for setting in settings.split()
    ],
)
def test_each_element_of_a_surface_changes_the_export_or_is_reported(path, tag, value):
    others = next((v for key, v in reversed(NEIGHBORS.items()) if key in f"{path}/{tag}"), {})
    beside = "".join(f"<{t}>{x}</{t}>" for t, x in others.items() if t != tag)
    element = f"<{tag}>{value.replace('_', ' ')}</{tag}>"
    without = surface_outcome(path, beside) if beside else surface_outcome("bounce", "")
    assert without != surface_outcome(path, beside + element)
