"""Errors against closed forms shrink with the step as those of the Euler method do; limits of known
series.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import bridge
import loaders
from bridge import lower
from bridge.mechanism import Mechanism
from bridge.mechanism.bodies import ROOT
from bridge.parity.convergence import (
    EQUAL,
    SAMPLES,
    Rollout,
    RolloutCache,
    condition,
    errors_over_steps,
    exact_motion,
    limit_at_zero,
    log_log_slope,
    matrix_disagreement,
    order_rows,
    rounding_error,
)
from bridge.parity.engine import Engine, factory_of
from bridge.parity.reference import ReferenceEngine
from bridge.parity.states import random_states, without_solver_effects
from bridge.parity.verdict import Outcome
from loaders.inertia import SpatialInertia
from loaders.model import WORLD
from loaders.pose import Pose, quaternion_to_matrix
from tests.support.scenes import joint, link, scene
from tests.support.seeds import few

# Errors against closed forms and the exact motion shrink with the step as those of the Euler method
# do.

ENGINES = ["mujoco", "pybullet", "reference"]

G = 9.8

L = 0.7
"""From hinge to the center of mass of the pendulum [m]."""


def convergence_link(
    name: str, mass: float, inertia: tuple[float, float, float], pose: str = "0 0 0 0 0 0"
) -> str:
    x, y, z = inertia
    return (
        f'<link name="{name}"><inertial><pose>{pose}</pose><mass>{mass}</mass>'
        f"<inertia><ixx>{x}</ixx><iyy>{y}</iyy><izz>{z}</izz></inertia></inertial></link>"
    )


def convergence_joint(name: str, kind: str, parent: str, child: str, axis: str) -> str:
    return (
        f'<joint name="{name}" type="{kind}"><parent>{parent}</parent><child>{child}</child>'
        f"<axis><xyz>{axis}</xyz></axis></joint>"
    )


def sdf(*parts: str) -> str:
    return f'<sdf version="1.9"><model name="m">{"".join(parts)}</model></sdf>'


def model(*parts: str) -> Any:
    return lower(loaders.load_string(sdf(*parts), format="sdf"))


BOB = (
    convergence_link("bob", 2.0, (0.1, 0.1, 0.1), f"0 0 {-L} 0 0 0"),
    convergence_joint("hinge", "revolute", "world", "bob", "0 1 0"),
)

PENDULUM = model(*BOB)

CART = model(
    convergence_link("cart", 1.0, (0.1, 0.1, 0.1)),
    convergence_link("pole", 0.3, (0.01, 0.01, 0.002), "0 0 .5 0 0 0"),
    convergence_joint("slide", "prismatic", "world", "cart", "1 0 0"),
    convergence_joint("hinge", "revolute", "cart", "pole", "0 1 0"),
)

TOP = model(convergence_link("top", 1.0, (0.02, 0.02, 0.03)))


def after(
    name: str, mechanism: Any, q: dict[str, Any], v: dict[str, Any], step: float, seconds: float
) -> Engine:
    engine = factory_of(name)(mechanism)
    engine.set_step(step)
    engine.set_state(q, v)
    engine.step(round(seconds / step))
    return engine


def order(error: Callable[[float], float], longest: float = 2e-3) -> float:
    found = log_log_slope(errors_over_steps(longest, error))
    assert found is not None
    return found


def complete_elliptic(k: float) -> float:
    """K(k), by the mean of means."""
    a, b = 1.0, math.sqrt(1.0 - k * k)
    while abs(a - b) > 1e-15:
        a, b = (a + b) / 2.0, math.sqrt(a * b)
    return math.pi / (2.0 * a)


AMPLITUDE = 2.0

QUARTER = math.sqrt((0.1 + 2.0 * L**2) / (2.0 * G * L)) * complete_elliptic(
    math.sin(AMPLITUDE / 2.0)
)
"""Of the period of the pendulum [s]."""


def reached(name: str, step: float) -> float:
    """The angle of the pendulum after a quarter of its period, by an engine's steps."""
    if name == "drake":
        return reached_in_drake(step)
    engine = after(name, PENDULUM, {"hinge": AMPLITUDE}, {"hinge": 0.0}, step, QUARTER)
    R = engine.link_poses()["bob"].R
    engine.close()
    return math.atan2(R[0, 2], R[0, 0])


def reached_in_drake(step: float) -> float:
    plants = pytest.importorskip("pydrake.multibody.plant")
    parsing = pytest.importorskip("pydrake.multibody.parsing")
    analysis = pytest.importorskip("pydrake.systems.analysis")
    plant = plants.MultibodyPlant(time_step=step)
    parsing.Parser(plant).AddModelsFromString(sdf(*BOB), "sdf")
    plant.mutable_gravity_field().set_gravity_vector([0.0, 0.0, -G])
    plant.Finalize()
    context = plant.CreateDefaultContext()
    hinge = plant.GetJointByName("hinge")
    hinge.set_angle(context, AMPLITUDE)
    simulator = analysis.Simulator(plant, context)
    simulator.AdvanceTo(
        QUARTER - step / 2.0
    )  # Drake steps at the beginning of each interval: at 0, not at the end
    return float(hinge.get_angle(context))


@pytest.mark.parametrize("name", few([*ENGINES, "drake"], 2))
def test_a_pendulum_is_at_the_bottom_after_a_quarter_of_the_period_of_the_elliptic_integral(
    name: str,
) -> None:
    points = [
        (QUARTER / count, abs(reached(name, QUARTER / count))) for count in (200, 400, 800, 1600)
    ]
    assert points[-1][1] < 2e-3
    assert log_log_slope(points) == pytest.approx(1.0, abs=0.1)


def cart_energy(q: Any, v: Any) -> float:
    (x_rate, rate), angle = v, float(q)
    p_rate = (x_rate + 0.5 * rate * math.cos(angle), -0.5 * rate * math.sin(angle))
    kinetic = 0.5 * x_rate**2 + 0.15 * (p_rate[0] ** 2 + p_rate[1] ** 2) + 0.005 * rate**2
    return kinetic + 0.3 * G * 0.5 * math.cos(angle)


@pytest.mark.slow
@pytest.mark.parametrize("name", ENGINES)
def test_a_cart_with_a_pole_keeps_its_energy_to_first_order(name: str) -> None:
    def error(step: float) -> float:
        engine = after(name, CART, {"hinge": 0.4}, {"slide": 0.3, "hinge": 0.0}, step, 0.4)
        poses, v = engine.link_poses(), dict(zip(CART.v_order, engine.velocities(), strict=True))
        engine.close()
        R = poses["pole"].R
        angle = math.atan2(R[0, 2], R[0, 0])
        return abs(
            cart_energy(angle, (v["slide", 0], v["hinge", 0])) - cart_energy(0.4, (0.3, 0.0))
        )

    assert order(error) == pytest.approx(1.0, abs=0.1)


@pytest.mark.slow
@pytest.mark.parametrize("name", ENGINES)
def test_a_symmetric_top_precesses_as_its_closed_form_says(name: str) -> None:
    """Angular momentum stays; the axis turns about it at L / I1."""
    top = lower(dataclasses.replace(TOP.scene, gravity=np.zeros(3)))
    w = np.array((1.0, 0.0, 4.0))
    momentum = np.diag((0.02, 0.02, 0.03)) @ w
    rate, axis = np.linalg.norm(momentum) / 0.02, momentum / np.linalg.norm(momentum)
    seconds = 0.5
    turned = Pose.from_vector(
        (0, 0, 0, math.cos(rate * seconds / 2.0), *(math.sin(rate * seconds / 2.0) * axis))
    )
    exact = turned.R @ np.array((0.0, 0.0, 1.0))
    start = {"top": (0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0)}, {"top": (0.0, 0.0, 0.0, *w.tolist())}

    def error(step: float) -> float:
        engine = after(name, top, *start, step, seconds)
        R = engine.link_poses()["top"].R
        engine.close()
        return float(np.linalg.norm(R[:, 2] - exact))

    assert error(5e-4) < 5e-3
    assert order(error) == pytest.approx(1.0, abs=0.1)


MU = 0.8

SURFACE = f"<surface><friction><ode><mu>{MU}</mu><mu2>{MU}</mu2></ode></friction></surface>"

SLAB = (
    f"<collision name='c'><geometry><box><size>.4 .4 "
    f".1</size></box></geometry>{SURFACE}</collision>"
)

GROUND = (
    "<model name='ground'><static>true</static><link name='l'>"
    f"<collision name='c'><geometry><plane/></geometry>{SURFACE}</collision></link></model>"
)


@pytest.mark.parametrize("name", ["mujoco", "pybullet"])
def test_a_sliding_block_stops_where_friction_has_taken_its_energy(name: str) -> None:
    """After ``v^2 / (2 mu g)``."""
    block = convergence_link("block", 1.0, (0.014, 0.014, 0.027)).replace(
        "</link>", f"{SLAB}</link>"
    )
    world = f"{GROUND}<model name='m'><pose>0 0 .05 0 0 0</pose>{block}</model>"
    text = f"<sdf version='1.9'><world name='w'><gravity>0 0 -{G}</gravity>{world}</world></sdf>"
    mechanism = lower(loaders.load_string(text, format="sdf"))
    speed = 0.3 * MU * G
    exact = speed**2 / (2.0 * MU * G)

    def error(step: float) -> float:
        engine = factory_of(name)(mechanism)
        engine.set_step(step)
        engine.set_state({}, {})
        engine.step(round(0.2 / step))  # contact forces build up first
        start = float(engine.link_poses()["m::block"].p[0])
        engine.set_state(engine.positions(), {"m::block": (speed, 0.0, 0.0, 0.0, 0.0, 0.0)})
        engine.step(round(0.5 / step))
        way = float(engine.link_poses()["m::block"].p[0]) - start
        engine.close()
        return abs(way - exact)

    points = errors_over_steps(2e-3, error)
    assert points[-1][1] < 2e-3 * exact
    assert (log_log_slope(points) or 0.0) > 0.9


ASSETS = Path(__file__).parents[3] / "assets"


@pytest.mark.parametrize("power", [1.0, 2.0, 4.0])
def test_the_slope_of_a_power_is_its_exponent(power: float) -> None:
    assert log_log_slope(errors_over_steps(1e-2, lambda step: 3.0 * step**power)) == pytest.approx(
        power, abs=1e-12
    )


def test_errors_that_vanish_have_no_slope() -> None:
    assert log_log_slope(errors_over_steps(1e-2, lambda _step: 0.0)) is None


def test_the_exact_motion_keeps_the_energy_of_what_nothing_brakes() -> None:
    mechanism = without_solver_effects(bridge.lower(loaders.load(ASSETS / "leg.sdf")), damped=False)
    q, v = random_states(mechanism, 1, seed=0)[0]
    g = mechanism.scene.gravity

    def weight(at: object) -> float:
        poses = mechanism.link_poses(at)
        held = ((b.inertia, poses[b.name]) for b in mechanism.bodies if b.link.gravity)
        return -sum(inertia.mass * float(g @ (X.R @ inertia.p_LLcm + X.p)) for inertia, X in held)

    start = np.array([np.atleast_1d(v[name])[k] for name, k in mechanism.v_order])
    energy = 0.5 * start @ mechanism.mass_matrix(q) @ start + weight(q)
    after = exact_motion(mechanism, (q, v), 1e-3, 50)
    before = exact_motion(mechanism, (q, v), 1e-3, 49)
    engine = ReferenceEngine(mechanism)
    assert after != before
    engine.set_state(after, {})
    rates = _rates(mechanism, before, after, exact_motion(mechanism, (q, v), 1e-3, 51))
    assert 0.5 * rates @ mechanism.mass_matrix(after) @ rates + weight(after) == pytest.approx(
        energy, rel=1e-5
    )


def _rates(mechanism: object, before: dict, at: dict, after: dict) -> np.ndarray:
    """Central differences of positions a millisecond apart; of a quaternion, the turn between
    them.
    """
    found = []
    for name in dict.fromkeys(name for name, _ in mechanism.v_order):
        a, b = np.atleast_1d(before[name]), np.atleast_1d(after[name])
        if len(a) in {4, 7}:
            found += ((b[:-4] - a[:-4]) / 2e-3).tolist()
            turn = quaternion_to_matrix(b[-4:]) @ quaternion_to_matrix(a[-4:]).T
            found += (
                np.array(
                    (turn[2, 1] - turn[1, 2], turn[0, 2] - turn[2, 0], turn[1, 0] - turn[0, 1])
                )
                / 4e-3
            ).tolist()
        else:
            found += ((b - a) / 2e-3).tolist()
    return np.array(found)


def pendulum(length: float, inertia: float) -> Any:
    rod = convergence_link("rod", 1.0, (inertia, inertia, inertia), f"0 0 {-length} 0 0 0")
    joint = (
        "<joint name='hinge' type='revolute'><parent>world</parent><child>rod</child>"
        "<axis><xyz>0 1 0</xyz></axis></joint>"
    )
    return lower(
        loaders.load_string(
            f"<sdf version='1.9'><model name='m'>{rod}{joint}</model></sdf>", format="sdf"
        )
    )


def order_of(engine: Any, mechanism: Any) -> Any:
    (row,) = order_rows(mechanism, [("one", engine)], seed=0)
    return row


@pytest.mark.parametrize("name", ["mujoco", "pybullet"])
def test_an_order_is_unknown_where_the_exact_motion_does_not_follow_the_model(name: str) -> None:
    """A pendulum of 1 um swings at 3 kHz; no method follows it in steps of 2 ms."""
    row = order_of(factory_of(name), pendulum(1e-6, 1e-13))
    assert row.outcome is Outcome.UNKNOWN
    assert "the exact motion is uncertain" in row.cause


def test_an_engine_that_moves_another_model_fails_where_the_exact_motion_is_exact() -> None:
    class Heavy(ReferenceEngine):
        def __init__(self, _: Any) -> None:
            super().__init__(pendulum(L, 2.0))

    assert order_of(ReferenceEngine, pendulum(L, 0.1)).outcome is Outcome.PASSED
    assert order_of(Heavy, pendulum(L, 0.1)).outcome is Outcome.FAILED


# Limits are those of known series, and the rounding error grows with the condition of the mass
# matrix.


@pytest.mark.parametrize("limit", [0.0, 1e-6, -0.3])
def test_the_limit_of_a_polynomial_is_exact(limit: float) -> None:
    values = [
        np.array([limit + 2.0 * h - 5.0 * h**2 + 3.0 * h**3]) for h in (0.1, 0.05, 0.025, 0.0125)
    ]
    found, uncertainty = limit_at_zero(values)
    assert found[0] == pytest.approx(limit, abs=1e-12)
    assert uncertainty < 1e-3


def test_a_series_that_does_not_converge_is_uncertain() -> None:
    _, uncertainty = limit_at_zero([np.array([x]) for x in (1.0, -1.0, 1.0, -1.0)])
    assert uncertainty > 1.0


def test_one_hinge_is_well_conditioned() -> None:
    mechanism = bridge.lower(scene([link("a")], [joint("j", WORLD, "a")]))
    assert mechanism.bodies[0].parent == ROOT
    assert condition(mechanism, ({}, {})) == pytest.approx(1.0)
    assert rounding_error(mechanism, ({}, {})) < 1e-13


def test_rounding_grows_with_the_condition_of_the_scaled_mass_matrix() -> None:
    light = dataclasses.replace(link("b"), inertia=SpatialInertia.of(1e-6, I_Lcm=1e-6 * np.eye(3)))
    mechanism = bridge.lower(
        scene([link("a"), light], [joint("j", WORLD, "a"), joint("k", "a", "b")])
    )
    M = mechanism.mass_matrix()
    correlation = M[0, 1] / np.sqrt(M[0, 0] * M[1, 1])
    expected = (1.0 + correlation) / (1.0 - correlation)  # of a matrix with ones on its diagonal
    assert condition(mechanism, ({}, {})) == pytest.approx(expected)
    heavy = bridge.lower(scene([light, link("a")], [joint("j", WORLD, "b"), joint("k", "b", "a")]))
    large = condition(heavy, ({}, {}))
    assert large > 1e5
    assert rounding_error(heavy, ({}, {})) == pytest.approx(
        1e-14 + 4.0 * np.finfo(float).eps * large
    )


def test_the_error_of_a_step_grows_with_the_disagreement_of_the_mass_matrices() -> None:
    one = bridge.lower(scene([link("a")], [joint("j", WORLD, "a")]))
    assert rounding_error(one, ({}, {}), 1e-13) == pytest.approx(
        rounding_error(one, ({}, {})) + 1e-13
    )


@pytest.mark.parametrize(("change", "expected"), [(3e-14, 3e-14), (0.0, 0.0), (1e-9, 0.0)])
def test_a_change_beyond_rounding_is_no_disagreement(change: float, expected: float) -> None:
    M = np.array([[4.0, 0.0], [0.0, 1e-6]])
    other = (
        M + np.array([[0.0, 2e-3], [2e-3, 0.0]]) * change
    )  # 2e-3 is the root of the product of the diagonal
    assert matrix_disagreement(M, other) == pytest.approx(expected, rel=1e-6)
    assert matrix_disagreement(M - M, other) == 0.0


@pytest.mark.parametrize(("distance", "least", "most"), [(0.0, 0.0, 2e-15), (1.0, 1e-14, EQUAL)])
def test_mujoco_rounds_the_inertia_of_a_light_link_far_from_the_center_of_mass(
    distance: float, least: float, most: float
) -> None:
    pytest.importorskip("mujoco")
    X_WL = Pose(np.eye(3), distance * np.array((0.51, 0.23, 0.37)))
    light = link("b", X_WL=X_WL, inertia=SpatialInertia.of(1e-3, I_Lcm=3e-7 * np.eye(3)))
    heavy = link("a", inertia=SpatialInertia.of(30.0, I_Lcm=np.eye(3)))
    mechanism = bridge.lower(
        scene([heavy, light], [joint("j", "a", "b", X_PJ=X_WL, xyz=(0.48, 0.6, 0.64))])
    )
    engine = factory_of("mujoco")(mechanism)
    q = {"a": (0.1, 0.2, 0.3, 0.5, -0.5, 0.1, 0.7), "j": 0.7}
    engine.set_state(q, {})
    assert least <= matrix_disagreement(mechanism.mass_matrix(q), engine.mass_matrix()) <= most
    engine.close()


# Rollouts are simulated once, sampled at fixed times, and compared link by link.


@pytest.fixture(scope="module")
def rollout() -> Rollout:
    scene = loaders.load(ASSETS / "double_pendulum.urdf")
    mechanism = without_solver_effects(bridge.lower(scene), damped=False)
    return Rollout(
        mechanism=mechanism, start=({"shoulder": 0.3}, {"elbow": 1.0}), step=1e-3, duration=0.1
    )


def test_a_rollout_runs_once_in_each_engine(rollout: Rollout) -> None:
    opened: list[Mechanism] = []

    def factory(mechanism: Mechanism) -> ReferenceEngine:
        opened.append(mechanism)
        return ReferenceEngine(mechanism)

    cache = RolloutCache({"one": factory})
    first = cache.trajectory("one", rollout)
    assert cache.trajectory("one", dataclasses.replace(rollout)) is first
    assert len(first.poses) == SAMPLES
    assert len(opened) == 1
    cache.trajectory("one", dataclasses.replace(rollout, step=5e-4))
    assert len(opened) == 2


def test_the_distance_of_equal_engines_is_zero_at_every_time(rollout: Rollout) -> None:
    cache = RolloutCache({"one": ReferenceEngine, "two": ReferenceEngine})
    worst, series = cache.distance(("one", "two"), rollout)
    assert worst.error == 0.0
    assert [time for time, _ in series] == pytest.approx(np.arange(1, SAMPLES + 1) * 0.1 / SAMPLES)


def test_the_sensitivity_of_a_slow_motion_is_near_one(rollout: Rollout) -> None:
    assert RolloutCache({"one": ReferenceEngine}).sensitivity("one", rollout) == pytest.approx(
        1.0, abs=2.0
    )


def test_a_motion_that_leaves_the_finite_numbers_is_said_to_diverge(rollout: Rollout) -> None:
    cache = RolloutCache({"reference": ReferenceEngine})
    diverging = cache.trajectory(
        "reference", dataclasses.replace(rollout, start=({}, {"elbow": 1e160}))
    )
    assert diverging.has_diverged
    assert len(diverging.poses) == SAMPLES
    assert all(np.isnan(X_WL).all() for X_WL in diverging.poses[-1].values())
    assert not cache.trajectory("reference", rollout).has_diverged
