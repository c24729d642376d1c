"""Buoyancy, drag and lift: in both engines and against closed forms, and the volumes below a plane."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import mujoco
import numpy as np
import pybullet
import pytest

import bridge
import loaders
from bridge.fluid import (
    MeshSolid,
    Solid,
    buoyancy_wrench,
    described,
    drag_wrench,
    fluid_forces,
    solid_of,
    wing_wrench,
)
from bridge.mechanism.force_laws import FrameMotion
from loaders.model import (
    Box,
    Buoyancy,
    Capsule,
    Cone,
    Cylinder,
    Ellipsoid,
    FluidDrag,
    Geometry,
    Mesh,
    Plane,
    Slopes,
    Sphere,
    Wing,
)
from loaders.pose import IDENTITY, Array, Pose, frozen, rotation_about

# Buoyancy, drag and lift of a file move a link in both engines as closed forms say.

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


# Volumes below a plane, against closed forms and against sums over a grid of points.

Z = np.array((0.0, 0.0, 1.0))
TILTED = np.array((2.0, -1.0, 2.0)) / 3.0
SHAPES: dict[str, tuple[Geometry, float]] = {
    "box": (Box(size=(1.0, 2.0, 3.0)), 6.0),
    "sphere": (Sphere(radius=0.5), math.pi / 6.0),
    "ellipsoid": (Ellipsoid(radii=(0.3, 0.5, 0.7)), 4.0 / 3.0 * math.pi * 0.105),
    "cylinder": (Cylinder(radius=0.5, length=2.0), math.pi / 2.0),
    "cone": (Cone(radius=0.5, length=2.0), math.pi / 6.0),
    "capsule": (Capsule(radius=0.5, length=2.0), math.pi / 2.0 + math.pi / 6.0),
}


def solid(geometry: Geometry) -> Solid:
    found = solid_of(geometry)
    assert found is not None
    return found


@pytest.mark.parametrize("shape", SHAPES)
def test_the_volume_is_that_of_the_closed_form(shape: str) -> None:
    geometry, volume = SHAPES[shape]
    assert solid(geometry).volume == pytest.approx(volume, rel=1e-12)
    whole = solid(geometry).below(TILTED, 10.0)
    assert whole.volume == pytest.approx(volume, rel=1e-12)


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("height", [-0.3, 0.1, 0.4])
def test_both_sides_of_a_plane_make_the_whole(shape: str, height: float) -> None:
    body = solid(SHAPES[shape][0])
    below, above, whole = (
        body.below(TILTED, height),
        body.below(-TILTED, -height),
        body.below(Z, 10.0),
    )
    assert below.volume + above.volume == pytest.approx(whole.volume, rel=1e-12)
    np.testing.assert_allclose(below.moment + above.moment, whole.moment, atol=1e-12)


def test_nothing_of_a_shape_is_below_a_deeper_plane() -> None:
    for geometry, _ in SHAPES.values():
        assert solid(geometry).below(TILTED, -9.0).volume == pytest.approx(0.0, abs=1e-15)


def test_a_cap_of_a_sphere_has_the_volume_and_center_of_the_closed_form() -> None:
    r, h = 0.5, 0.2  # the height of the cap
    cap = solid(Sphere(radius=r)).below(TILTED, h - r)
    assert cap.volume == pytest.approx(math.pi * h * h * (3.0 * r - h) / 3.0, rel=1e-12)
    depth = -0.75 * (2.0 * r - h) ** 2 / (3.0 * r - h)
    np.testing.assert_allclose(cap.moment / cap.volume, depth * TILTED, atol=1e-12)


def test_a_tilted_box_is_cut_along_its_diagonal_plane() -> None:
    wedge = solid(Box(size=(1.0, 1.0, 1.0))).below(np.array((1.0, 0.0, 1.0)) / math.sqrt(2.0), 0.0)
    assert wedge.volume == pytest.approx(0.5, rel=1e-12)
    np.testing.assert_allclose(
        wedge.moment / wedge.volume, (-1.0 / 6.0, 0.0, -1.0 / 6.0), atol=1e-12
    )


@pytest.mark.parametrize("height", [-0.7, 0.0, 0.55])
def test_a_cylinder_of_sides_is_within_a_thousandth_of_a_round_one(height: float) -> None:
    r = 0.5
    share = (
        (math.acos(-height / r) + height / r * math.sqrt(1.0 - (height / r) ** 2)) / math.pi
        if abs(height) < r
        else float(height > 0)
    )
    part = solid(Cylinder(radius=r, length=2.0)).below(np.array((1.0, 0.0, 0.0)), height)
    assert part.volume == pytest.approx(share * math.pi / 2.0, abs=1e-3)


def test_a_mesh_counts_whichever_way_its_triangles_face(tmp_path: Path) -> None:
    corners = solid(Box(size=(1.0, 1.0, 2.0)))
    assert isinstance(corners, MeshSolid)
    for triangles in (corners.corners, corners.corners[:, ::-1]):
        lines = [f"v {x} {y} {z}" for x, y, z in triangles.reshape(-1, 3)]
        faces = [f"f {3 * k + 1} {3 * k + 2} {3 * k + 3}" for k in range(len(triangles))]
        path = tmp_path / "box.obj"
        path.write_text("\n".join((*lines, *faces)))
        part = solid(Mesh(uri="box.obj", path=path, scale=(1.0, 1.0, 1.0))).below(Z, 0.5)
        assert part.volume == pytest.approx(1.5, rel=1e-9)


def test_a_plane_has_no_volume() -> None:
    assert solid_of(Plane()) is None


# Force laws of buoyancy, drag and wings, against their formulas.

GRAVITY = np.array((0.0, 0.0, -10.0))
TURNED = rotation_about(np.array((2.0, 1.0, -2.0)) / 3.0, 0.7)


def moving(
    R: Array | None = None,
    v: tuple[float, ...] = (0.0, 0.0, 0.0),
    w: tuple[float, ...] = (0.0, 0.0, 0.0),
) -> FrameMotion:
    return FrameMotion(Pose.of(R), np.array(w), np.array(v))


# --- buoyancy -------------------------------------------------------------------------------------


def box(
    size: tuple[float, float, float] = (1.0, 1.0, 1.0), X_LG: Pose = IDENTITY
) -> list[tuple[Pose, object]]:
    return [(X_LG, solid_of(Box(size=size)))]


def test_a_uniform_fluid_lifts_by_the_weight_of_the_volume() -> None:
    shapes = box((1.0, 2.0, 3.0), Pose.of(p=(0.1, 0.2, 0.3)))
    wrench = buoyancy_wrench(Buoyancy(link="l", density=500.0), shapes, moving(), GRAVITY)  # type: ignore[arg-type]
    np.testing.assert_allclose(wrench.force, (0.0, 0.0, 30000.0))
    np.testing.assert_allclose(wrench.p_WQ, (0.1, 0.2, 0.3))


def test_layers_lift_each_part_by_its_own_fluid() -> None:
    fluid = Buoyancy(link="l", density=1000.0, layers=((0.0, 800.0), (0.25, 1.0)))
    wrench = buoyancy_wrench(fluid, box(), moving(), GRAVITY)  # type: ignore[arg-type]
    masses = {-0.25: 500.0, 0.125: 200.0, 0.375: 0.25}
    assert wrench.force[2] == pytest.approx(10.0 * sum(masses.values()))
    assert wrench.p_WQ[2] == pytest.approx(
        sum(z * m for z, m in masses.items()) / sum(masses.values())
    )


def test_a_surface_is_where_the_fluid_is() -> None:
    """A box around the surface of a fluid that was moved and turned is half submerged."""
    X_WS = Pose.of(TURNED, (3.0, 4.0, 5.0))
    fluid = Buoyancy(link="l", layers=((0.0, 0.0),), X_WS=X_WS)
    wrench = buoyancy_wrench(fluid, box(), FrameMotion(X_WS, np.zeros(3), np.zeros(3)), GRAVITY)  # type: ignore[arg-type]
    np.testing.assert_allclose(wrench.force, (0.0, 0.0, 5000.0), rtol=1e-12)
    np.testing.assert_allclose(wrench.p_WQ, X_WS.p - 0.25 * TURNED[:, 2], atol=1e-12)


def test_a_stated_volume_replaces_the_shapes() -> None:
    fluid = Buoyancy(link="l", volume=0.5, p_LV=frozen((0.0, 0.0, 1.0)))
    wrench = buoyancy_wrench(fluid, (), moving(), GRAVITY)
    assert (wrench.force[2], wrench.p_WQ[2]) == (5000.0, 1.0)


def test_a_link_above_all_fluid_has_no_force() -> None:
    fluid = Buoyancy(link="l", layers=((-9.0, 0.0),))
    assert not buoyancy_wrench(fluid, box(), moving(), GRAVITY).force.any()  # type: ignore[arg-type]


# --- drag -----------------------------------------------------------------------------------------


def test_drag_is_linear_and_quadratic_in_the_axes_of_the_link() -> None:
    linear, absolute, quadratic = np.zeros((6, 6)), np.zeros((6, 6, 6)), np.zeros((6, 6, 6))
    linear[0, 0], linear[3, 4], absolute[1, 1, 1], quadratic[2, 0, 1] = -2.0, 0.5, -3.0, 0.25
    drag = FluidDrag(link="l", linear=linear, absolute=absolute, quadratic=quadratic)
    v, w = np.array((4.0, -5.0, 6.0)), np.array((0.1, 0.2, 0.3))
    wrench = drag_wrench(drag, FrameMotion(Pose.of(TURNED), TURNED @ w, TURNED @ v))
    np.testing.assert_allclose(TURNED.T @ wrench.force, (-8.0, 75.0, 0.25 * -20.0), atol=1e-12)
    np.testing.assert_allclose(TURNED.T @ wrench.torque, (0.1, 0.0, 0.0), atol=1e-12)


def test_a_current_carries_the_link_along() -> None:
    drag = FluidDrag(link="l", linear=-np.eye(6), current=frozen((1.0, 0.0, 0.0)))
    np.testing.assert_allclose(drag_wrench(drag, moving(TURNED)).force, (1.0, 0.0, 0.0), atol=1e-12)
    assert drag_wrench(drag, moving(v=(1.0, 0.0, 0.0))).force == pytest.approx(0.0)


# --- wings ----------------------------------------------------------------------------------------

WING = Wing(
    link="l", area=2.0, density=1.2, slopes=Slopes(lift=5.0, drag=0.4, moment=0.3), alpha_stall=0.3
)
SPEED, ALPHA = 20.0, 0.1
PRESSURE = 0.5 * 1.2 * SPEED**2 * 2.0


def flying(alpha: float, sweep: float = 0.0) -> FrameMotion:
    """A wing that moves along x of the world, pitched up by the angle of attack."""
    v = (SPEED * math.cos(sweep), SPEED * math.sin(sweep), 0.0)
    return moving(rotation_about((0.0, 1.0, 0.0), -alpha), v)


# The span is forward x upward, so that a positive moment raises the nose: it is about -y.


@pytest.mark.parametrize("alpha", [ALPHA, -ALPHA])
def test_lift_is_across_the_flow_and_drag_along_it(alpha: float) -> None:
    wrench = wing_wrench(WING, flying(alpha))
    np.testing.assert_allclose(
        wrench.force, PRESSURE * np.array((-0.4 * ALPHA, 0.0, 5.0 * alpha)), rtol=1e-9, atol=1e-9
    )
    np.testing.assert_allclose(
        wrench.torque, PRESSURE * np.array((0.0, -0.3 * alpha, 0.0)), rtol=1e-9, atol=1e-9
    )


def test_beyond_the_stall_another_slope_holds() -> None:
    stalled = replace(WING, stalled=Slopes(lift=-2.0, drag=1.5, moment=0.0))
    wrench = wing_wrench(stalled, flying(0.5))
    expected = PRESSURE * np.array((-(0.4 * 0.3 + 1.5 * 0.2), 0.0, 5.0 * 0.3 - 2.0 * 0.2))
    np.testing.assert_allclose(wrench.force, expected, rtol=1e-9, atol=1e-9)


def test_lift_does_not_change_its_sign_beyond_the_stall() -> None:
    stalled = replace(WING, stalled=Slopes(lift=-20.0, drag=0.0, moment=0.0))
    assert wing_wrench(stalled, flying(0.5)).force[2] == pytest.approx(0.0, abs=1e-9)


def test_the_joint_of_a_control_surface_adds_lift() -> None:
    flapped = replace(WING, joint="flap", lift_by_joint=2.0, moment_by_joint=-1.0)
    straight, bent = wing_wrench(flapped, flying(ALPHA)), wing_wrench(flapped, flying(ALPHA), 0.05)
    assert bent.force[2] - straight.force[2] == pytest.approx(PRESSURE * 0.1)
    assert bent.torque[1] - straight.torque[1] == pytest.approx(PRESSURE * 0.05)


def test_sweep_counts_by_the_flow_across_the_span() -> None:
    sweep = 0.4
    wrench = wing_wrench(
        replace(WING, slopes=Slopes(lift=0.0, drag=0.0), alpha_0=0.1), flying(0.0, sweep)
    )
    assert not wrench.force.any()
    lifting = wing_wrench(replace(WING, alpha_0=0.1), flying(0.0, sweep))
    assert lifting.force[2] == pytest.approx(PRESSURE * math.cos(sweep) ** 4 * 0.5)


def test_a_wing_has_no_force_at_rest_and_from_behind() -> None:
    assert not wing_wrench(WING, moving()).force.any()
    backward = moving(v=(-SPEED, 0.0, -1.0))
    assert not wing_wrench(WING, backward).force.any()
    assert wing_wrench(replace(WING, reversible=True), backward).force.any()


def test_a_round_body_has_lift_away_from_the_flow() -> None:
    rocket = replace(WING, radial_symmetry=True)
    for angle in (0.0, 1.0, 2.0):
        across = np.array((0.0, math.cos(angle), math.sin(angle)))
        v = SPEED * (math.cos(ALPHA) * np.array((1.0, 0.0, 0.0)) + math.sin(ALPHA) * across)
        wrench = wing_wrench(rocket, FrameMotion(IDENTITY, np.zeros(3), v))
        assert wrench.force @ across == pytest.approx(-abs(wrench.force @ across))
        assert np.linalg.norm(np.cross(wrench.force, v)) / SPEED == pytest.approx(
            PRESSURE * 5.0 * ALPHA
        )


def test_wind_counts_as_flow() -> None:
    headwind = replace(WING, current=frozen((-SPEED, 0.0, 0.0)))
    still = moving(rotation_about((0.0, 1.0, 0.0), -ALPHA))
    np.testing.assert_allclose(
        wing_wrench(headwind, still).force, wing_wrench(WING, flying(ALPHA)).force, atol=1e-9
    )
