"""Force laws of buoyancy, drag and wings, against their formulas."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

from bridge.fluid import buoyancy_wrench, drag_wrench, solid_of, wing_wrench
from bridge.mechanism.force_laws import FrameMotion
from loaders.model import Box, Buoyancy, FluidDrag, Slopes, Wing
from loaders.pose import IDENTITY, Array, Pose, frozen, rotation_about

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
