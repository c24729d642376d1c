"""Stops of MuJoCo that yield as far as this module states."""

from __future__ import annotations

import pytest

from bridge.parity.engines.mujoco.engine import stop_compliance

mujoco = pytest.importorskip("mujoco")


def test_the_compliance_of_a_stop_is_that_of_the_measured_force() -> None:
    joint = (
        '<joint name="j" limited="true" range="0 1" solreflimit="-300 -30" solimplimit=".5 .5 '
        '.001"/>'
    )
    ball = "<geom size='.1' mass='3' pos='1 0 0'/>"
    options = "<compiler angle='radian'/><option gravity='0 0 0'/>"
    model = mujoco.MjModel.from_xml_string(
        f"<mujoco>{options}<worldbody><body>{joint}{ball}</body></worldbody></mujoco>"
    )
    data = mujoco.MjData(model)
    data.qpos[0], data.qfrc_applied[0] = 1.0, 10.0
    for _ in range(20000):
        mujoco.mj_step(model, data)
    assert stop_compliance(model, 0, 1.0) == pytest.approx((data.qpos[0] - 1.0) / 10.0, rel=1e-6)
    assert stop_compliance(model, 0, 2.0) == pytest.approx((data.qpos[0] - 1.0) / 40.0, rel=1e-6)
