"""Options of the simulation."""

from __future__ import annotations

from tests.support.mjcf_documents import BALL, read

BODY = f"<body>{BALL}</body>"


def test_gravity_and_time_step() -> None:
    scene = read(BODY, '<option timestep="0.004" gravity="1 2 3"/>')
    assert (scene.gravity.tolist(), scene.physics.time_step) == ([1.0, 2.0, 3.0], 0.004)
    assert read(BODY).gravity.tolist() == [0.0, 0.0, -9.81]


def test_the_flag_switches_gravity_off() -> None:
    assert read(BODY, '<option><flag gravity="disable"/></option>').gravity.tolist() == [0.0, 0.0, 0.0]
