"""MuJoCo holds the state in its own coordinates and reports it in those of the mechanism."""

from __future__ import annotations

import numpy as np
import pytest

import bridge
import loaders
from bridge.mechanism import Mechanism
from bridge.parity.engine import DivergedError
from bridge.parity.engines.mujoco.engine import MujocoEngine
from bridge.parity.verdict import Outcome
from loaders.model import WORLD
from tests.support.scenes import joint, link, random_scene, random_state, scene

mujoco = pytest.importorskip("mujoco")


@pytest.fixture(params=[1, 2, 3], scope="module")
def mechanism(request: pytest.FixtureRequest) -> Mechanism:
    return bridge.lower(random_scene(request.param, fixed=request.param == 1))


def test_positions_are_read_back_as_they_were_set(mechanism: Mechanism) -> None:
    engine = MujocoEngine(mechanism)
    q, v = random_state(mechanism, 5)
    engine.set_state(q, v)
    for name, value in engine.positions().items():
        given, read = np.atleast_1d(q[name]), np.atleast_1d(value)
        assert min(np.abs(read - sign * given).max() for sign in (1.0, -1.0)) == pytest.approx(
            0.0, abs=1e-12
        )
    engine.close()


def test_the_integrator_is_euler_without_implicit_damping() -> None:
    engine = MujocoEngine(bridge.lower(random_scene(1, fixed=True)))
    assert engine.model.opt.integrator == mujoco.mjtIntegrator.mjINT_EULER
    assert engine.model.opt.disableflags & mujoco.mjtDisableBit.mjDSBL_EULERDAMP
    engine.close()


def test_a_motion_that_mujoco_starts_again_is_said_to_diverge() -> None:
    """MuJoCo itself warns and goes back to the initial state, from which a motion would be compared
    unnoticed.
    """
    engine = MujocoEngine(bridge.lower(scene([link("a")], [joint("j", WORLD, "a")])))
    engine.set_state({"j": 0.3}, {"j": 1.0})
    engine.step(1)
    engine.set_state({"j": 0.3}, {"j": 1e12})
    with pytest.raises(DivergedError, match="MuJoCo"):
        engine.step(1)
    engine.close()


@pytest.mark.parametrize("engines", [("mujoco", "reference"), ("mujoco", "mujoco-native")])
def test_the_effort_limit_is_the_larger_end_of_a_range_that_is_not_symmetric(
    engines: tuple[str, str],
) -> None:
    joint = '<joint name="lift" type="slide" axis="0 0 1" actuatorfrcrange="-1600 1000"/>'
    text = (
        f'<mujoco><worldbody><body name="b">{joint}<geom size="0.1"/></body></worldbody></mujoco>'
    )
    found = bridge.compare(
        loaders.load_string(text, format="mjcf", quiet=True), engines=engines, levels="L0"
    )
    assert {row.outcome for row in found.rows if row.quantity == "effort limits"} == {
        Outcome.PASSED
    }
