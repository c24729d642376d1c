"""The share of gravity, against MuJoCo and PyBullet."""

from __future__ import annotations

import pytest

import bridge
from loaders.engine_settings import gravity_share
from tests.support.mjcf_documents import BALL, document, read

BODY = (
    '<body name="a" gravcomp="{}"><joint name="j" axis="0 1 0"/><geom size="0.1" pos="0.5 0 '
    '0"/></body>'
)


@pytest.mark.parametrize("part", [0.0, 0.4, 1.0, 1.5])
def test_the_torque_of_gravity_is_that_of_mujoco(part: float) -> None:
    import mujoco

    model = mujoco.MjModel.from_xml_string(document(BODY.format(part)))
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    scene = read(BODY.format(part))
    assert gravity_share(scene.links[0]) == pytest.approx(1.0 - part)
    expected = data.qfrc_gravcomp - data.qfrc_bias
    assert bridge.lower(scene).gravity_forces() == pytest.approx(expected, rel=1e-12, abs=1e-12)


def test_a_link_without_a_statement_has_its_weight() -> None:
    assert gravity_share(read(f'<body name="a">{BALL}</body>').links[0]) == 1.0
