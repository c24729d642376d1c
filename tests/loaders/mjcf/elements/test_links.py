"""Links, against MuJoCo's compiled bodies."""

from __future__ import annotations

import numpy as np
import pytest

from tests.support.mjcf_documents import BALL, document, read

INERTIAS = {
    "full": '<inertial pos="0.1 0.2 0.3" mass="2" fullinertia="1 2 2.5 0.1 0.2 0.3"/>',
    "diagonal": '<inertial pos="0 0 1" mass="3" diaginertia="1 2 2.5" euler="10 20 30"/>',
    "from a box": '<geom type="box" size="0.1 0.2 0.3" pos="1 0 0" euler="0 0 45" density="500"/>',
    "of two": (
        '<geom size="0.1" mass="1"/><geom type="capsule" fromto="0 0 0 1 1 0" size="0.05" '
        'mass="2"/>'
    ),
}


@pytest.mark.parametrize("text", INERTIAS.values(), ids=INERTIAS)
def test_the_inertia_is_that_of_the_compiled_body(text: str) -> None:
    import mujoco

    body = f"<body><joint/>{text}</body>"
    model = mujoco.MjModel.from_xml_string(document(body))
    inertia = read(body).links[0].inertia
    R = np.zeros(9)
    mujoco.mju_quat2Mat(R, model.body_iquat[1])
    R = R.reshape(3, 3)
    assert inertia is not None
    assert inertia.mass == model.body_mass[1]
    assert inertia.p_LLcm.tolist() == model.body_ipos[1].tolist()
    assert np.abs(inertia.I_Lcm - R @ np.diag(model.body_inertia[1]) @ R.T).max() < 1e-12


def test_a_body_without_mass_has_no_inertia() -> None:
    assert read('<body><geom size="1" mass="0"/></body>').links[0].inertia is None


def test_a_body_with_three_joints_is_a_chain_of_massless_links() -> None:
    scene = read(
        f'<body name="b"><joint name="x" axis="1 0 0"/><joint name="y" axis="0 1 0"/><joint '
        f'name="z"/>{BALL}</body>'
    )
    assert [link.name for link in scene.links] == ["b_x", "b_y", "b"]
    assert [(joint.parent, joint.child) for joint in scene.joints] == [
        ("world", "b_x"),
        ("b_x", "b_y"),
        ("b_y", "b"),
    ]
    assert [link.inertia is None for link in scene.links] == [True, True, False]


def test_gravity_compensation_and_mocap() -> None:
    scene = read(f'<body gravcomp="1"><joint/>{BALL}</body><body mocap="true">{BALL}</body>')
    assert [(link.gravity, link.kinematic) for link in scene.links] == [
        (False, False),
        (True, True),
    ]
