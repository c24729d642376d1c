"""MuJoCo holds the state in its own coordinates and reports it in those of the mechanism."""

from __future__ import annotations

import numpy as np
import pytest

import bridge
from bridge.mechanism import Mechanism
from bridge.parity.engines.mujoco_engine import MujocoEngine
from tests.support.scenes import random_scene, random_state

mujoco = pytest.importorskip("mujoco")


@pytest.fixture(params=[1, 2, 3], scope="module")
def mechanism(request: pytest.FixtureRequest) -> Mechanism:
    return bridge.lower(random_scene(request.param, fixed=request.param == 1))


def test_positions_are_read_back_as_they_were_set(mechanism: Mechanism) -> None:
    engine = MujocoEngine(mechanism)
    q, v = random_state(mechanism, 5)
    engine.set_state(q, v)
    for joint, value in engine.positions().items():
        given, read = np.atleast_1d(q[joint]), np.atleast_1d(value)
        assert min(np.abs(read - sign * given).max() for sign in (1.0, -1.0)) == pytest.approx(0.0, abs=1e-12)
    engine.close()


def test_the_integrator_is_euler_without_implicit_damping() -> None:
    engine = MujocoEngine(bridge.lower(random_scene(1, fixed=True)))
    assert engine.model.opt.integrator == mujoco.mjtIntegrator.mjINT_EULER
    assert engine.model.opt.disableflags & mujoco.mjtDisableBit.mjDSBL_EULERDAMP
    engine.close()
