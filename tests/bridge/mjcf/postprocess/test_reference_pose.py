"""Bodies at their reference pose, against the original in MuJoCo."""

from __future__ import annotations

import numpy as np
import pytest

import bridge
import loaders
from tests.support.mjcf_documents import BALL, document

BODIES = {
    "hinge": (
        f'<body name="a" pos="1 2 3" euler="10 20 30"><joint ref="30" pos="0.1 0.2 0" '
        f'axis="1 2 3"/>{BALL}</body>'
    ),
    "slide": (
        f'<body name="a" euler="10 20 30"><joint type="slide" ref="0.3" axis="1 2 3"/>{BALL}</body>'
    ),
    "chain": (
        '<body name="a" pos="1 0 0"><joint ref="30" axis="1 0 0" pos="0 0.1 0"/>'
        '<joint type="slide" ref="0.2" axis="0 1 0"/>'
        f'<joint ref="-50" axis="0 0 1" pos="0.3 0 0"/>{BALL}</body>'
    ),
}


@pytest.mark.parametrize("body", BODIES.values(), ids=BODIES)
def test_the_reference_pose_and_the_joints_are_those_of_the_original(body: str) -> None:
    import mujoco

    text = document(body)
    mjcf = bridge.to_mjcf(loaders.load_string(text, format="mjcf", quiet=True), quiet=True)
    original, exported = mujoco.MjModel.from_xml_string(text), mujoco.MjModel.from_xml_string(mjcf)
    hinges = original.jnt_type == int(
        mujoco.mjtJoint.mjJNT_HINGE
    )  # the position of a slide has no meaning
    assert np.allclose(original.jnt_pos[hinges], exported.jnt_pos[hinges], atol=1e-12)
    for field in ("qpos0", "body_pos", "body_quat", "jnt_axis", "dof_invweight0", "dof_M0"):
        assert np.allclose(
            getattr(original, field), getattr(exported, field), rtol=1e-9, atol=1e-12
        ), field
