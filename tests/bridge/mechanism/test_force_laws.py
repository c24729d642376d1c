"""Force laws: the inertia of tendons against MuJoCo, bushings and tendons against closed forms."""

from __future__ import annotations

import math

import numpy as np
import pytest

import bridge
import loaders
from bridge.mechanism.force_laws import (
    FrameMotion,
    bushing_wrench,
    is_path,
    is_tendon_representable,
    tendon_force,
)
from loaders.model import Bushing, TendonConstraint
from loaders.pose import IDENTITY, Array, Pose, frozen, rotation_about
from tests.support.mjcf_documents import BALL, document

# Inertia of tendons in the mass matrix and the bias forces, against MuJoCo.

BODY = (
    f'<site name="w" pos="0.5 0.1 -1"/><body name="a"><joint name="j" axis="0 1 0"/>{BALL}'
    '<site name="s" pos="0 0 -0.5"/>'
    f'<body name="b" pos="0 0 -1"><joint name="k" axis="1 0 0"/>{BALL}<site name="t" pos="0.1 0.2 '
    f'-0.3"/></body></body>'
)
TENDONS = {
    "path": '<spatial armature="3"><site site="w"/><site site="s"/><site site="t"/></spatial>',
    "pulley": (
        '<spatial armature="3"><site site="w"/><site site="s"/><pulley divisor="2"/><site '
        'site="w"/><site site="t"/>'
        "</spatial>"
    ),
    "sum": '<fixed armature="3"><joint joint="j" coef="2"/><joint joint="k" coef="-1"/></fixed>',
}


@pytest.mark.parametrize("tendon", TENDONS.values(), ids=TENDONS)
def test_the_mass_matrix_is_that_of_mujoco(tendon: str) -> None:
    import mujoco

    text = document(BODY, f"<tendon>{tendon}</tendon>")
    model = mujoco.MjModel.from_xml_string(text)
    data, M = mujoco.MjData(model), np.zeros((2, 2))
    data.qpos[:] = 0.4, -0.7
    mujoco.mj_forward(model, data)
    try:
        mujoco.mj_fullM(model, data, M)
    except TypeError:  # before MuJoCo 3.9
        mujoco.mj_fullM(model, M, data.qM)
    mechanism = bridge.lower(loaders.load_string(text, format="mjcf", quiet=True))
    assert mechanism.mass_matrix({"j": 0.4, "k": -0.7}) == pytest.approx(M, rel=1e-12)


@pytest.mark.parametrize("tendon", TENDONS.values(), ids=TENDONS)
def test_the_bias_forces_are_those_of_mujoco(tendon: str) -> None:
    """The body ``f`` moves freely, so that both ends of a path have velocities and
    accelerations.
    """
    import mujoco

    free = (
        f'<body name="f" pos="1 0 0"><freejoint name="free"/>{BALL}<site name="w" pos="0.1 0.2 '
        f'0.3"/>'
    )
    chain = BODY.replace('<site name="w" pos="0.5 0.1 -1"/>', free) + "</body>"
    text = document(chain, f"<tendon>{tendon}</tendon>")
    model = mujoco.MjModel.from_xml_string(text)
    data = mujoco.MjData(model)
    at, rates = (
        np.array((0.3, -0.2, 0.7, 0.1, 0.7, 0.1, 0.7)),
        np.array((0.4, -0.5, 0.6, 1.1, -1.2, 0.9, 2.0, -3.0)),
    )
    at[3:] /= np.linalg.norm(at[3:])
    data.qpos[:], data.qvel[:] = (*at, 0.4, -0.7), rates
    mujoco.mj_forward(model, data)
    mechanism = bridge.lower(loaders.load_string(text, format="mjcf", quiet=True))
    R = loaders.pose.quaternion_to_matrix(at[3:])
    w = R @ rates[3:6]  # MuJoCo has the angular velocity in the frame of the body
    found = mechanism.bias_forces(
        {"free": at, "j": 0.4, "k": -0.7}, {"free": (*rates[:3], *w), "j": 2.0, "k": -3.0}
    )
    expected = np.array(data.qfrc_bias)
    expected[3:6] = R @ expected[3:6]
    assert found == pytest.approx(expected, rel=1e-11, abs=1e-11 * np.abs(expected).max())


def test_a_sum_is_no_path() -> None:
    kinds = {}
    for name, tendon in TENDONS.items():
        scene = loaders.load_string(
            document(BODY, f"<tendon>{tendon}</tendon>"), format="mjcf", quiet=True
        )
        kinds[name] = is_path(scene.tendons[0])
    assert kinds == {"path": True, "pulley": True, "sum": False}


def test_an_inertia_between_branches_is_reported() -> None:
    """MuJoCo neglects it."""
    body = BODY + f'<body name="c"><joint name="l"/>{BALL}</body>'
    tendon = (
        '<tendon><fixed armature="1"><joint joint="j" coef="1"/><joint joint="l" '
        'coef="1"/></fixed></tendon>'
    )
    mechanism = bridge.lower(loaders.load_string(document(body, tendon), format="mjcf", quiet=True))
    assert "lower.tendon-inertia" in {entry.code for entry in mechanism.diagnostics}


@pytest.mark.parametrize("tendon", TENDONS.values(), ids=TENDONS)
def test_a_tendon_with_inertia_exerts_no_force_at_rest(tendon: str) -> None:
    """At rest only gravity acts, which the inertia of a tendon does not feel."""
    at = {"j": 0.4, "k": -0.7}
    with_inertia, without = (
        bridge.lower(
            loaders.load_string(
                document(BODY, f"<tendon>{text}</tendon>"), format="mjcf", quiet=True
            )
        )
        for text in (tendon, tendon.replace(' armature="3"', ""))
    )
    assert with_inertia.bias_forces(at) == pytest.approx(without.bias_forces(at), abs=0.0)


# Force laws of bushings and tendons, against closed forms.

ZERO = frozen((0.0, 0.0, 0.0))
BUSHING = Bushing(
    link_A="a",
    X_LA=IDENTITY,
    link_C="c",
    X_LC=IDENTITY,
    torque_stiffness=frozen((1.0, 2.0, 3.0)),
    torque_damping=frozen((0.1, 0.2, 0.3)),
    force_stiffness=frozen((10.0, 20.0, 30.0)),
    force_damping=frozen((1.0, 2.0, 3.0)),
)


def at(X_WF: Pose, w: Array = ZERO, v: Array = ZERO) -> FrameMotion:
    return FrameMotion(X_WF, w, v)


def test_a_bushing_pulls_back_along_each_axis_and_acts_halfway() -> None:
    wrench = bushing_wrench(
        BUSHING, at(IDENTITY), at(Pose.of(p=(0.1, 0.2, 0.3)), v=frozen((1.0, 1.0, 1.0)))
    )
    np.testing.assert_allclose(wrench.force, (-1.0 - 1.0, -4.0 - 2.0, -9.0 - 3.0))
    np.testing.assert_allclose(wrench.torque, 0.0, atol=1e-15)
    np.testing.assert_allclose(wrench.p_WQ, (0.05, 0.1, 0.15))


@pytest.mark.parametrize("axis", range(3))
def test_a_bushing_turns_back_about_each_axis(axis: int) -> None:
    angles, rate = np.zeros(3), np.zeros(3)
    angles[axis], rate[axis] = 0.2, 0.5
    wrench = bushing_wrench(
        BUSHING, at(IDENTITY), at(Pose.from_xyz_rpy((0, 0, 0), angles), w=frozen(rate))
    )
    expected = -(BUSHING.torque_stiffness[axis] * 0.2 + BUSHING.torque_damping[axis] * 0.5)
    assert wrench.torque[axis] == pytest.approx(expected)
    assert np.abs(np.delete(wrench.torque, axis)).max() < 1e-15


def test_a_tendon_pushes_back_outside_its_bounds_only() -> None:
    tendon = TendonConstraint(
        joints=("a",), coefficients=(1.0,), lower=-1.0, upper=2.0, stiffness=10.0, damping=1.0
    )
    assert tendon_force(tendon, 0.0, 5.0) == 0.0
    assert tendon_force(tendon, 2.5, 1.0) == -6.0
    assert tendon_force(tendon, -1.5, -1.0) == 6.0
    assert tendon_force(tendon, 2.5, -100.0) == 0.0
    assert math.copysign(1.0, tendon_force(tendon, -1.5, 0.0)) == 1.0


def test_each_joint_of_a_tendon_must_have_one_degree_of_freedom() -> None:
    tendon = TendonConstraint(joints=("a", "b"), coefficients=(1.0, 1.0))
    assert is_tendon_representable(tendon, [("a", 0), ("b", 0), ("c", 0)])
    assert not is_tendon_representable(tendon, [("a", 0), ("b", 0), ("b", 1)])
    assert not is_tendon_representable(tendon, [("a", 0)])


def test_a_tendon_is_free_at_its_bounds() -> None:
    """The constraint acts beyond a bound only, as in MuJoCo and Drake; at the bound there is no
    damping either.
    """
    tendon = TendonConstraint(
        joints=("a",), coefficients=(1.0,), lower=-1.0, upper=2.0, stiffness=10.0, damping=1.0
    )
    assert tendon_force(tendon, 2.0, 5.0) == 0.0
    assert tendon_force(tendon, -1.0, -5.0) == 0.0


def test_a_bushing_of_combined_angles_does_the_work_of_its_torques() -> None:
    """The power of the torque is that of stiffness and damping along the rates of roll, pitch and
    yaw.
    """
    angles, rates, step = np.array((0.3, -0.5, 0.7)), np.array((0.2, 0.4, -0.6)), 1e-6
    R = [Pose.from_xyz_rpy((0, 0, 0), angles + sign * step * rates).R for sign in (-1, 1)]
    X_AC = Pose.from_xyz_rpy((0, 0, 0), angles)
    W = (R[1] - R[0]) / (2.0 * step) @ X_AC.R.T
    w = np.array((W[2, 1], W[0, 2], W[1, 0]))
    wrench = bushing_wrench(BUSHING, at(IDENTITY), at(X_AC, w=frozen(w)))
    torques = BUSHING.torque_stiffness * angles + BUSHING.torque_damping * rates
    assert wrench.torque @ w == pytest.approx(-float(torques @ rates), rel=1e-8)


def test_a_bushing_damps_the_rate_of_the_position_in_the_frame_halfway() -> None:
    """About one axis the frame halfway turns by the mean of both angles, so that the rate is a
    difference quotient.
    """
    p_AC, v, speeds, step = np.array((0.3, 0.1, 0.2)), np.array((0.4, -0.2, 0.6)), (0.7, 1.9), 1e-6
    angles = (0.5, 0.9)

    def in_halfway(t: float) -> Array:
        mean = 0.5 * sum(angle + speed * t for angle, speed in zip(angles, speeds, strict=True))
        return rotation_about((0.0, 0.0, 1.0), mean).T @ (p_AC + v * t)

    rate = (in_halfway(step) - in_halfway(-step)) / (2.0 * step)
    A, C = (rotation_about((0.0, 0.0, 1.0), angle) for angle in angles)
    spins = [frozen((0.0, 0.0, speed)) for speed in speeds]
    wrench = bushing_wrench(
        BUSHING, at(Pose.of(A), spins[0]), at(Pose.of(C, p_AC), spins[1], frozen(v))
    )
    halfway = rotation_about((0.0, 0.0, 1.0), 0.5 * sum(angles))
    forces = BUSHING.force_stiffness * in_halfway(0.0) + BUSHING.force_damping * rate
    np.testing.assert_allclose(wrench.force, -halfway @ forces, atol=1e-8)
