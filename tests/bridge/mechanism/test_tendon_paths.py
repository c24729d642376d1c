"""Inertia of tendons in the mass matrix and the bias forces, against MuJoCo."""

from __future__ import annotations

import numpy as np
import pytest

import bridge
import loaders
from bridge.mechanism.force_laws import is_path
from tests.support.mjcf_documents import BALL, document

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
