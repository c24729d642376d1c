"""Bounds of constraints, stops and contact: MuJoCo yields as its settings say, and no more is
explained.
"""

from __future__ import annotations

import dataclasses
import math
from pathlib import Path
from typing import Any

import mujoco
import numpy as np
import pytest

import bridge
import loaders
from bridge.mechanism import Mechanism
from bridge.parity import Outcome
from bridge.parity.bounds.constraint import (
    MARGIN,
    _couplings_taken_for,
    screw_load,
    violation_bounds,
    without_screw_forces,
)
from bridge.parity.bounds.contact import (
    ContactLaw,
    Softness,
    SoftStop,
    Stepping,
    first_peak,
    stated_softness,
    surface_bound,
)
from bridge.parity.engines.mujoco.engine import MujocoEngine
from bridge.parity.engines.pybullet.engine import PyBulletEngine
from bridge.parity.states import random_states, without_solver_effects
from loaders import load_string
from loaders.diagnostics import Code, Diagnostics, Fate
from loaders.inertia import SpatialInertia
from loaders.model import (
    WORLD,
    Box,
    Collision,
    Cone,
    Coupling,
    Ellipsoid,
    Friction,
    JointType,
    Mesh,
    Surface,
)
from loaders.pose import IDENTITY, Array
from tests.support.running_faults import faulty_mujoco
from tests.support.scenes import joint, link, scene

# The bound of a soft stop is that of MuJoCo's own motion where its impedance is constant.

MODEL = """<mujoco><option timestep="0.0001" gravity="0 0 0"/><worldbody><body><joint type="slide" axis="1 0 0"
range="-1 0" limited="true" {}/><geom size="0.1" mass="2"/></body></worldbody></mujoco>"""


def peak(settings: dict[str, str], speed: float, force: float = 0.0) -> float:
    """The largest position that MuJoCo reaches from the stop at 0."""
    mujoco: Any = pytest.importorskip("mujoco")
    text = " ".join(f'{name}="{value}"' for name, value in settings.items())
    model = mujoco.MjModel.from_xml_string(MODEL.format(text))
    data = mujoco.MjData(model)
    data.qvel[0], data.qfrc_applied[0] = speed, force
    largest = 0.0
    for _ in range(10000):
        mujoco.mj_step(model, data)
        largest = max(largest, float(data.qpos[0]))
    return largest


@pytest.mark.parametrize("solref", ["0.02 1", "0.02 0.5", "0.05 2", "-3000 -20"])
@pytest.mark.parametrize("impedance", [0.5, 0.9])
def test_a_joint_that_arrives_passes_the_stop_by_the_first_peak(
    solref: str, impedance: float
) -> None:
    settings = {"solreflimit": solref, "solimplimit": f"{impedance} {impedance} 0.001"}
    bound = SoftStop.of(tuple(settings.items()), 1e-4).overshoot(3.0, 0.0, 1.0)
    assert peak(settings, 3.0) == pytest.approx(bound, rel=0.02)


def test_an_impedance_that_grows_makes_the_overshoot_smaller() -> None:
    for settings in ({}, {"solimplimit": "0.6 0.99 0.05"}):
        bound = SoftStop.of(tuple(settings.items()), 1e-4).overshoot(3.0, 10.0, 1.0)
        assert 0.3 * bound < peak(settings, 3.0, 20.0) < bound


def test_the_first_peak_without_damping_is_that_of_a_spring() -> None:
    assert first_peak(0.0) == 1.0
    assert first_peak(1.0 - 1e-5) == pytest.approx(first_peak(1.0), rel=1e-4)
    assert first_peak(1.0 + 1e-5) == pytest.approx(first_peak(1.0), rel=1e-4)


# A soft coupling of an MJCF source yields in MuJoCo as its settings say.

BODY = (
    "<body name='{0}'><joint name='{0}' type='slide' axis='0 0 1'/><geom size='0.1' mass='1' "
    "{1}/></body>"
)


@pytest.mark.parametrize(
    "settings",
    [
        "",
        "solref='0.005 1' solimp='0.95 0.99'",
        "solref='-400 -40'",
        "solref='0.01 0.5' solimp='0.5 0.5'",
    ],
)
def test_a_constant_force_stretches_a_coupling_by_the_stated_softness(settings: str) -> None:
    """The follower is pulled down by gravity, the leader has none and much more mass."""
    text = (
        f"<mujoco><option gravity='0 0 -9.81' "
        f"timestep='0.0005'/><worldbody>{BODY.format('follower', '')}"
        "<body name='leader' gravcomp='1'><joint name='leader' type='slide' axis='0 0 1'/><geom "
        "size='0.1'"
        " mass='1e6' contype='0'/></body></worldbody><equality><joint joint1='follower' "
        "joint2='leader' "
        f"{settings}/></equality></mujoco>"
    )
    model = mujoco.MjModel.from_xml_string(text.replace("<geom", "<geom conaffinity='0'"))
    data = mujoco.MjData(model)
    for _ in range(8000):
        mujoco.mj_step(model, data)
    stretched = abs(data.joint("follower").qpos[0] - data.joint("leader").qpos[0])
    mechanism = bridge.lower(loaders.load_string(text, format="mjcf"))
    (softness,) = stated_softness(mechanism, 0.0005).values()
    expected = softness.stretch * softness.admitted * 9.81
    assert 0.4 * expected < stretched <= 1.001 * expected, "the impedance rises with the violation"


def test_a_source_of_another_format_states_no_softness() -> None:
    assert stated_softness(bridge.lower(loaders.load("assets/double_pendulum.urdf")), 1e-3) == {}


BALL = """<mujoco><option gravity="0 0 0" timestep="{step}" cone="{cone}" impratio="{ratio}"
  integrator="{integrator}" iterations="100" tolerance="1e-15"><flag diagexact="{exact}"/></option>
  <worldbody><geom type="plane" size="9 9 1" priority="1" friction="{mu}" solref="{solref}"
  solimp="{solimp}" margin="{margin}" condim="{condim}"/><body pos="0 0 10"><freejoint/><inertial
  pos="0 0 0" mass="1" diaginertia="{moment} {moment} {moment}"/><geom size="10"/></body>
  </worldbody></mujoco>"""


@pytest.mark.parametrize("seed", range(24))
def test_the_law_of_a_contact_is_that_of_mujoco(seed: int) -> None:
    """A ball falls on a plane, slides, is pulled and rolls: in 100 steps its velocity is MuJoCo's."""
    rng = np.random.default_rng(seed)
    settings = {
        "solref": rng.choice(["0.02 1", "0.005 1", "0.1 0.5", "5e-5 1", "-2000 -20"]),
        "solimp": rng.choice(
            ["0.9 0.95 0.001", ".8 .8 .01", ".5 .99 .01 .3 3", ".9 .7", ".5 .9 0"]
        ),
        "condim": rng.choice(["1", "3", "4", "6"]),
        "margin": rng.choice(["0", "0.01"]),
    }
    mu, step = rng.choice([0.01, 0.2, 1.0, 2.0]), rng.choice([5e-4, 2e-3, 1e-2])
    stepping = Stepping(
        is_pyramidal=bool(rng.integers(2)),
        ratio=float(rng.choice([0.3, 1.0, 10.0])),
        is_rk4=bool(rng.integers(2)),
        is_exact=bool(rng.integers(2)),
    )
    moment = float(rng.choice([40.0, 1e6]))
    law = ContactLaw.of(tuple(settings.items()), mu, step, stepping)
    model = mujoco.MjModel.from_xml_string(
        BALL.format(
            **settings,
            mu=f"{mu} 0.005 0.0001",
            step=step,
            cone="pyramidal" if stepping.is_pyramidal else "elliptic",
            ratio=stepping.ratio,
            integrator="RK4" if stepping.is_rk4 else "Euler",
            exact="enable" if stepping.is_exact else "disable",
            moment=moment,
        )
    )
    data = mujoco.MjData(model)
    ball = (rng.uniform(-1e-3, 1e-3), rng.normal(0.0, 0.1), rng.normal(0.0, 0.3), 0.0)
    pull = mu * 9.8 * rng.choice([0.0, 0.8, -4.0])
    data.qpos[2] += law.margin + ball[0]
    data.qvel[1:3] = ball[2], ball[1]
    data.xfrc_applied[1, 1:3] = pull, -9.8
    for _ in range(100):
        mujoco.mj_step(model, data)
        ball = law.after_step(ball, (-9.8, pull), moment)
        assert data.qvel[1:3] == pytest.approx(ball[2:0:-1], rel=1e-4, abs=1e-4)


@pytest.mark.parametrize("ratio", [0.3, 1.0])
def test_an_impact_by_the_law_ends_as_that_of_a_spring_and_damper(ratio: float) -> None:
    """``exp(-2 z acos(z) / sqrt(1 - z^2))``, of which a step takes no part."""
    settings = (("solref", f"0.01 {ratio}"), ("solimp", "0.9 0.9"))
    law = ContactLaw.of(settings, 1.0, 1e-5, Stepping())
    assert law.rebound(1e-9, 0.5) == pytest.approx(first_peak(ratio) ** 2, rel=2e-3)


@pytest.mark.parametrize("is_pyramidal", [True, False])
def test_friction_that_holds_by_the_law_creeps_with_what_it_admits(*, is_pyramidal: bool) -> None:
    """``(1 - d) / (d b)`` times the acceleration that is held; ``1 + mu^2`` times that if edges hold."""
    stepping = Stepping(is_pyramidal=is_pyramidal)
    law = ContactLaw.of((("solimp", "0.8 0.8"),), 0.5, 1e-3, stepping)
    ball = (-law.depth_at_rest(9.8), 0.0, 0.0, 0.0)
    for _ in range(300):
        ball = law.after_step(ball, (-9.8, 0.5), 1e12)
    creep = 0.5 * 0.25 * 0.8 * 0.02 / 2.0
    assert ball[2] == pytest.approx(creep * (1.25 if is_pyramidal else 1.0), rel=1e-6)
    assert ball[1] == pytest.approx(0.0, abs=1e-9)


def test_a_time_constant_is_at_least_two_steps() -> None:
    assert Softness.of((("solref", "0.001 1"),), 0.01) == Softness.of((("solref", "0.02 1"),), 0.01)


# The bounds of constraints follow from the load and grow with the square of the step.

ARM = dataclasses.replace(
    scene(
        [link("a"), link("b")],
        [joint("j", WORLD, "a", xyz=(0, 1, 0)), joint("k", "a", "b", xyz=(0, 1, 0))],
    ),
    couplings=(Coupling(follower="k", leader="j", multiplier=0.5),),
)
MUJOCO, PYBULLET = MujocoEngine.constraint_softness, PyBulletEngine.constraint_softness
STATE = ({"j": 0.7, "k": 0.35}, {"j": 1.0, "k": 0.5})


def test_the_bound_is_the_relative_acceleration_times_the_stretch_of_one_step() -> None:
    mechanism = bridge.lower(ARM)
    coarse, fine = (
        violation_bounds(mechanism, MUJOCO, [STATE], step)["k"] for step in (1e-2, 5e-3)
    )
    assert coarse == pytest.approx(4.0 * fine, rel=1e-6)
    assert 1e-9 < coarse < 1e-3


def test_pybullet_has_no_soft_constraint() -> None:
    mechanism = bridge.lower(ARM)
    bounds = [
        violation_bounds(mechanism, solver, [STATE], 1e-3)["k"] for solver in (MUJOCO, PYBULLET)
    ]
    assert bounds[0] < bounds[1] < 1e-2


def test_a_vertical_screw_under_gravity_takes_up_its_weight() -> None:
    """Without the screw the link falls at g and does not turn."""
    screw = joint("s", WORLD, "a", JointType.SCREW, xyz=(0, 0, 1))
    mechanism = bridge.lower(scene([link("a")], [dataclasses.replace(screw, pitch=0.02)]))
    loads = screw_load(mechanism, ({"s": 0.0}, {"s": 0.0}))
    assert loads["s"] > 9.0
    assert screw_load(bridge.lower(ARM), STATE) == {}


def test_the_mobility_that_mujoco_takes_for_a_coupling_is_that_of_its_joints() -> None:
    """MuJoCo's own number, ``diagApprox``, ignores the multiplier; it shows in the regularization
    of the constraint.
    """
    mujoco = pytest.importorskip("mujoco")
    mechanism = bridge.lower(ARM)
    (coupling,) = mechanism.couplings
    model = mujoco.MjModel.from_xml_string(str(bridge.to_mjcf(mechanism)))
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    mobility = np.linalg.inv(mechanism.mass_matrix())
    row = np.zeros(len(mobility))
    row[coupling.follower], row[coupling.leader] = 1.0, -coupling.multiplier
    stated = _couplings_taken_for(mechanism, mobility, ({}, {}))[coupling.name]
    impedance = data.efc_KBIP[0, 2]
    taken = data.efc_R[0] * impedance / (1.0 - impedance)
    assert stated * (row @ mobility @ row) == pytest.approx(taken, rel=1e-6)
    assert abs(stated - 1.0) > 0.05


def test_a_state_with_a_singular_mass_matrix_adds_nothing() -> None:
    """So ends a motion that diverges; here a link without mass makes the matrix singular."""
    massless = dataclasses.replace(
        link("b"), inertia=SpatialInertia.in_frame(0.0, IDENTITY, np.zeros((3, 3)))
    )
    mechanism = bridge.lower(dataclasses.replace(ARM, links=(ARM.links[0], massless)))
    assert violation_bounds(mechanism, MUJOCO, [STATE], 1e-3) == {}


WELDED = """<mujoco><option timestep="0.001"/><worldbody><body name="a"><joint name="j" axis="0 1 0"/>
<geom type="box" size="0.2 0.1 0.05" pos="0.002 0 0" mass="1"/></body></worldbody>
<equality><weld name="w" body1="a" anchor="0 0 0" solref="0.02 1" solimp="0.9 0.9 0.001"/></equality></mujoco>"""
"""A body that hangs on a hinge and a weld with one origin, so that gravity can only turn it."""


def test_the_rotation_of_a_weld_is_that_of_mujoco_at_rest() -> None:
    """MuJoCo holds half of the angle, with the mean mobility of three axes, of which the hinge has
    one: 4/3.
    """
    mujoco = pytest.importorskip("mujoco")
    mechanism = bridge.lower(load_string(WELDED, format="mjcf", quiet=True))
    model = mujoco.MjModel.from_xml_string(WELDED)
    data = mujoco.MjData(model)
    for _ in range(2000):
        mujoco.mj_step(model, data)
    angle = abs(float(data.qpos[0]))
    (bound,) = violation_bounds(mechanism, MUJOCO, [({}, {})], 1e-3).values()
    assert angle > 1e-5
    assert bound / MARGIN == pytest.approx(angle, rel=1e-3)


@pytest.mark.slow
def test_a_weld_that_does_not_hold_the_rotation_is_a_difference() -> None:
    pytest.importorskip("pybullet")
    source = load_string(WELDED.replace("0.002 0 0", "0.2 0 0"), format="mjcf", quiet=True)

    def quantity(mujoco: Any) -> Outcome:
        rows = bridge.compare(source, engines=(mujoco, "pybullet"), quiet=True).rows
        return next(
            row.outcome
            for row in rows
            if row.quantity == "constraints in motion" and "mujoco" in row.engines
        )

    def turnable(model: Any) -> None:
        model.eq_data[:, 10] = 0.0  # torquescale

    assert quantity("mujoco") is Outcome.EXPLAINED
    assert quantity(faulty_mujoco(turnable)) is Outcome.FAILED


# What a wrong force of a screw's constraint changes is removed, and nothing else.

ASSETS = Path(__file__).parents[4] / "assets"
STEP = 1e-6


def mechanism(name: str) -> Mechanism:
    return without_solver_effects(bridge.lower(loaders.load(ASSETS / name, quiet=True)))


def accelerations(engine: MujocoEngine, state: object) -> Array:
    engine.set_step(STEP)
    engine.set_state(*state)
    before = engine.velocities()
    engine.step(1)
    return (engine.velocities() - before) / STEP


def test_a_softer_constraint_of_mujoco_changes_only_what_is_removed() -> None:
    leg = mechanism("leg.sdf")
    engine, states = MujocoEngine(leg), random_states(leg, 3, 1)
    hard = np.array([accelerations(engine, state) for state in states])
    engine.model.eq_solimp[:, :2] = 0.5
    soft = np.array([accelerations(engine, state) for state in states])
    engine.close()
    changed = np.einsum("nij,nj->ni", without_screw_forces(leg, states), soft - hard)
    assert np.abs(soft - hard).max() > 0.1
    assert np.abs(changed).max() < 1e-4  # the ball joint turns within a step


def test_a_force_on_another_joint_remains() -> None:
    leg = mechanism("leg.sdf")
    (state,) = random_states(leg, 1, 2)
    (P,) = without_screw_forces(leg, [state])
    response = np.linalg.solve(
        leg.mass_matrix(state[0]), np.eye(len(leg.v_order))[leg.dof_index["knee", 0]]
    )
    assert np.linalg.norm(P @ response) > 0.1 * np.linalg.norm(response)
    assert pytest.approx(P, abs=1e-12) == P @ P


def test_nothing_is_removed_without_a_screw() -> None:
    arm = mechanism("double_pendulum.urdf")
    assert without_screw_forces(arm, random_states(arm, 2, 0)) == pytest.approx(
        np.stack([np.eye(2)] * 2), abs=0.0
    )


# Bounds of what the approximations of shapes, friction and stops may explain.


def bound(code: str, geometry: object, names: set[str], **arguments: object) -> float | None:
    diagnostics = Diagnostics()
    template = " ".join(f"{{{name}}}" for name in arguments)
    diagnostics.add(
        Code(code, Fate.APPROXIMATED, template, meaning=""), subjects=("a",), **arguments
    )
    shapes = tuple(
        Collision(
            name=f"c{mu}",
            X_LG=IDENTITY,
            geometry=geometry,
            surface=Surface(friction=Friction(mu=mu)),
        )  # type: ignore[arg-type]
        for mu in (0.2, 0.9)
    )
    carrier = dataclasses.replace(link("a"), collisions=shapes)
    return surface_bound(next(iter(diagnostics)), names, bridge.lower(scene([carrier, link("b")])))


def test_an_ellipsoid_explains_the_depth_of_its_hull() -> None:
    egg = Ellipsoid(radii=(0.1, 0.2, 0.3))
    assert bound("pybullet.shape-as-hull", egg, {"a"}, error=0.006) == pytest.approx(0.01)
    assert bound("pybullet.shape-as-hull", egg, {"b"}, error=0.006) == 0.0


def test_a_cone_explains_the_depth_of_its_sides_and_nothing_elsewhere() -> None:
    cone = Cone(radius=1.0, length=1.0)
    assert bound("mesh.cone", cone, {"a"}, sides=64) == pytest.approx(0.0012, rel=0.01)
    assert bound("mesh.cone", Box(size=(1.0, 1.0, 1.0)), {"a"}, sides=64) == 0.0


def test_a_flat_mesh_explains_half_of_the_thickness_that_it_gets(tmp_path: Path) -> None:
    path = tmp_path / "flat.obj"
    path.write_text("v 0 0 0\nv 2 0 0\nv 2 1 0\nv 0 1 0\nf 1 2 3\nf 1 3 4\n", encoding="utf-8")
    sheet = Mesh(uri="flat.obj", path=str(path))
    assert bound("mesh.flat", sheet, {"a"}, thickness=2e-3) == pytest.approx(5e-4)
    assert bound("mesh.flat", sheet, {"b"}, thickness=2e-3) == 0.0


def test_convex_parts_explain_one_cell_of_the_grid_on_which_a_mesh_is_closed() -> None:
    mesh = Mesh(
        uri="a.obj", path=None, decomposition="convex_decomposition", voxel_resolution=27_000
    )
    assert bound("mesh.convex-parts", mesh, {"a"}) == pytest.approx(math.sqrt(3.0) / 30.0)
    assert bound("mesh.convex-parts", mesh, {"b"}) == 0.0


def test_mixed_friction_explains_its_range() -> None:
    box = Box(size=(1.0, 1.0, 1.0))
    assert bound("pybullet.surface-per-link", box, {"b"}) == pytest.approx(0.7)
    combined = bound("mjcf.friction-combination", box, {"a"}, larger=0.8, combined=0.24)
    assert combined == pytest.approx(0.56)
    assert bound("pybullet.friction-product", box, {"a"}, difference=0.02) == 0.02


def test_a_stop_that_is_too_stiff_explains_its_compliance_and_other_codes_nothing() -> None:
    box = Box(size=(1.0, 1.0, 1.0))
    assert bound("mjcf.rigid-stops", box, {"a"}, stiffness=100.0) == 0.01
    assert bound("mjcf.rigid-stops", box, {"a"}, stiffness=0.0) == 0.0
    assert bound("mjcf.massless-link", box, {"a"}) is None
