"""The bound of a soft stop is that of MuJoCo's own motion where its impedance is constant."""

from __future__ import annotations

from typing import Any

import pytest

from bridge.parity.bounds.contact import SoftStop, first_peak

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
