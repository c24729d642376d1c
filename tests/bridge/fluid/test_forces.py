"""Buoyancy, drag and lift of a file move a link in both engines as closed forms say."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

import mujoco
import numpy as np
import pybullet
import pytest

import bridge
import loaders
from bridge.fluid import described, fluid_forces
from loaders.model import Buoyancy, FluidDrag, Wing
from loaders.pose import Array

G = 9.8
COARSE = "<physics type='ode'><max_step_size>0.005</max_step_size></physics>"
SEA = """<plugin filename="gz-sim-buoyancy-system" name="gz::sim::systems::Buoyancy">{fluid}</plugin>"""
WATER = SEA.format(fluid="<uniform_fluid_density>1000</uniform_fluid_density>")
SURFACE = SEA.format(
    fluid="<graded_buoyancy><default_density>1000</default_density><density_change><above_depth>0</above_depth>"
    "<density>0</density></density_change></graded_buoyancy>"
)


def world(link: str, plugin: str, *, sea: str = "", pose: str = "0 0 0 0 0 0") -> loaders.Scene:
    """A world with one model, whose link is ``l``."""
    model = f"<model name='m'><pose>{pose}</pose><link name='l'>{link}</link>{plugin}</model>"
    return loaders.load_string(
        f"<sdf version='1.9'><world name='w'>{sea}{model}</world></sdf>", format="sdf", quiet=True
    )


def body(mass: float, moment: float, shape: str) -> str:
    moments = "".join(f"<i{axis}>{moment}</i{axis}>" for axis in ("xx", "yy", "zz"))
    inertial = f"<inertial><mass>{mass}</mass><inertia>{moments}</inertia></inertial>"
    return f"{inertial}<collision name='c'><geometry>{shape}</geometry></collision>"


def drag(**terms: float) -> str:
    values = "".join(f"<{key}>{value}</{key}>" for key, value in terms.items())
    name = 'filename="gz-sim-hydrodynamics-system" name="gz::sim::systems::Hydrodynamics"'
    return f"<plugin {name}><link_name>l</link_name>{values}</plugin>"


@dataclass(frozen=True)
class Run:
    """Pose and velocity of the link at the end: position, quaternion w x y z, linear and angular
    velocity.
    """

    p: Array
    q: Array
    v: Array


@pytest.fixture(autouse=True)
def _no_callback() -> Iterator[None]:
    yield
    mujoco.set_mjcb_passive(None)


def in_mujoco(scene: loaders.Scene, seconds: float, v: tuple[float, ...] = (0.0, 0.0, 0.0)) -> Run:
    model = bridge.to_mjspec(scene, quiet=True).compile()
    data = mujoco.MjData(model)
    data.qvel[:3] = v
    mujoco.set_mjcb_passive(bridge.passive_forces(scene, model))
    for _ in range(round(seconds / model.opt.timestep)):
        mujoco.mj_step(model, data)
    mujoco.set_mjcb_passive(None)  # MuJoCo compiles no model while a callback is set
    return Run(data.qpos[:3].copy(), data.qpos[3:7].copy(), data.qvel[:3].copy())


def in_pybullet(
    scene: loaders.Scene, seconds: float, v: tuple[float, ...] = (0.0, 0.0, 0.0)
) -> Run:
    client = pybullet.connect(pybullet.DIRECT)
    try:
        bodies = bridge.load_world_into_pybullet(scene, physicsClientId=client, quiet=True)
        bodies.apply_physics()
        pybullet.resetBaseVelocity(int(bodies[0]), v, (0.0, 0.0, 0.0), physicsClientId=client)
        for _ in range(round(seconds / scene.physics.time_step)):
            bodies.step()
        p, (x, y, z, w) = pybullet.getBasePositionAndOrientation(
            int(bodies[0]), physicsClientId=client
        )
        velocity = pybullet.getBaseVelocity(int(bodies[0]), physicsClientId=client)[0]
        return Run(np.array(p), np.array((w, x, y, z)), np.array(velocity))
    finally:
        pybullet.disconnect(physicsClientId=client)


ENGINES = pytest.mark.parametrize("run", [in_mujoco, in_pybullet])


@ENGINES
def test_a_sphere_falls_in_water_at_the_speed_of_the_closed_form(run) -> None:  # type: ignore[no-untyped-def]
    """``v = -v_t tanh(t v_t k / m)``; both engines integrate to first order in the step of 1 ms."""
    mass, radius, k = 8.0, 0.1, 12.0
    sphere = body(mass, 0.4 * mass * radius**2, f"<sphere><radius>{radius}</radius></sphere>")
    weight = (mass - 1000.0 * 4.0 / 3.0 * math.pi * radius**3) * G
    terminal = math.sqrt(weight / k)
    scene = world(sphere, drag(zWabsW=-k), sea=WATER)
    for seconds in (0.3, 1.2):
        expected = -terminal * math.tanh(seconds * terminal * k / mass)
        assert run(scene, seconds).v[2] == pytest.approx(
            expected, rel=1e-3 if seconds < 1.0 else 2e-4
        )


@ENGINES
def test_a_box_floats_as_deep_as_its_density_says(run) -> None:  # type: ignore[no-untyped-def]
    scene = world(
        body(300.0, 50.0, "<box><size>1 1 1</size></box>"),
        drag(zW=-3000),
        sea=COARSE + SURFACE,
        pose="0 0 .3 0 0 0",
    )
    floating = run(scene, 3.0)
    assert floating.p[2] == pytest.approx(0.5 - 0.3, abs=1e-6)


@ENGINES
def test_a_tilted_raft_rights_itself(run) -> None:  # type: ignore[no-untyped-def]
    """A wide raft is stable: its metacenter is above its center of mass, so it comes to rest
    level.
    """
    raft = body(200.0, 40.0, "<box><size>2 2 0.1</size></box>")
    terms = drag(zW=-2000, kP=-600, mQ=-600)
    level = run(world(raft, terms, sea=COARSE + SURFACE, pose="0 0 0 0.2 0.1 0"), 3.0)
    assert np.abs(level.q[1:3]).max() < 1e-3
    assert level.p[2] == pytest.approx(
        0.0, abs=1e-3
    )  # half of 0.1 m, as its density is half that of water


@ENGINES
def test_a_current_carries_a_link_along(run) -> None:  # type: ignore[no-untyped-def]
    """``v = u (1 - exp(-t d / m))``."""
    plugin = drag(xU=-4).replace("</plugin>", "<default_current>0.5 0 0</default_current></plugin>")
    scene = world(body(2.0, 0.1, "<sphere><radius>0.1</radius></sphere>"), plugin)
    assert run(scene, 1.0).v[0] == pytest.approx(0.5 * (1.0 - math.exp(-2.0)), rel=2e-3)


@ENGINES
def test_a_wing_lifts_by_its_slope_and_angle_of_attack(run) -> None:  # type: ignore[no-untyped-def]
    """The change of momentum in one step; explicit forces act at the velocity before it."""
    alpha, speed, seconds, mass = 0.1, 20.0, 0.001, 50.0
    plugin = f"""<plugin filename="gz-sim-lift-drag-system" name="gz::sim::systems::LiftDrag"><link_name>l</link_name>
    <area>2</area><air_density>1.2</air_density><cla>5</cla><cda>0.4</cda><a0>{alpha}</a0></plugin>"""
    scene = world(
        body(mass, 10.0, "<box><size>1 2 0.1</size></box>"), plugin, sea="<gravity>0 0 0</gravity>"
    )
    pressure = 0.5 * 1.2 * speed**2 * 2.0
    change = run(scene, seconds, (speed, 0.0, 0.0)).v - (speed, 0.0, 0.0)
    expected = pressure * np.array((-0.4 * alpha, 0.0, 5.0 * alpha)) * seconds / mass
    np.testing.assert_allclose(change, expected, rtol=1e-9, atol=1e-12)


FLAP = """<link name="flap"><pose>-1 0 0 0 0 0</pose><inertial><mass>1</mass></inertial></link>
<joint name="hinge" type="revolute"><parent>l</parent><child>flap</child><axis><xyz>0 1 0</xyz></axis></joint>"""


def test_the_control_surface_acts_alike_in_both_engines() -> None:
    plugin = """<plugin filename="gz-sim-lift-drag-system" name="gz::sim::systems::LiftDrag"><link_name>l</link_name>
    <control_joint_name>hinge</control_joint_name><control_joint_rad_to_cl>-0.5</control_joint_rad_to_cl></plugin>"""
    scene = world(body(5.0, 1.0, "<box><size>1 1 1</size></box>"), FLAP + plugin)
    (wing,) = fluid_forces(bridge.lower(scene))
    assert wing.joint == "m::hinge"
    ends = [run(scene, 0.05, (10.0, 0.0, 0.0)) for run in (in_mujoco, in_pybullet)]
    np.testing.assert_allclose(ends[0].v, ends[1].v, atol=1e-6)


def test_the_fluid_moves_with_the_world_of_a_model() -> None:
    """A model placed higher by 2 m floats higher by 2 m, as everything that its world fixes."""
    scene = world(
        body(300.0, 50.0, "<box><size>1 1 1</size></box>"), drag(zW=-3000), sea=COARSE + SURFACE
    )
    client = pybullet.connect(pybullet.DIRECT)
    try:
        bodies = bridge.load_world_into_pybullet(
            scene, basePosition=(0.0, 0.0, 2.0), physicsClientId=client, quiet=True
        )
        bodies.apply_physics()
        for _ in range(600):
            bodies.step()
        p, _ = pybullet.getBasePositionAndOrientation(int(bodies[0]), physicsClientId=client)
        assert p[2] == pytest.approx(2.2, abs=1e-6)
    finally:
        pybullet.disconnect(physicsClientId=client)


def test_a_force_is_described_by_what_is_set() -> None:
    assert described(Buoyancy(link="l", density=900.0)) == "Buoyancy(density=900.0)"
    linear = np.zeros((6, 6))
    linear[2, 2] = -1.5
    assert described(FluidDrag(link="l", linear=linear)) == "FluidDrag(linear={22: -1.5})"
    assert "area=1.0" in described(Wing(link="l"))
