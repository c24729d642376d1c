"""Actuators in motion: running engines follow changing commands alike, and an engine that does not
is found.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import pytest

import bridge
import loaders
from bridge.mechanism import Mechanism
from bridge.parity import Outcome, Row, Verdict, compare
from bridge.parity.engine import factory_of
from bridge.parity.engines.mujoco.engine import MujocoEngine
from bridge.parity.engines.pybullet.engine import PyBulletEngine
from bridge.parity.motion.model_motion import EFFORTS, TARGETS, driven_rows
from bridge.parity.reference import ReferenceEngine
from tests.support.actuated_model import sdf

pytest.importorskip("mujoco")
pytest.importorskip("pybullet")

ENGINES = (MujocoEngine, PyBulletEngine)
DAMPED = "<drake:controller_gains p='40' d='6'/>"
TURNED = "<joint name='w' type='fixed'><parent>world</parent><child>a</child></joint>"


def mechanism(text: str) -> Mechanism:
    return bridge.lower(loaders.load_string(text, format="sdf"))


def rows(model: Mechanism, *engines: Any, seed: int = 0) -> dict[str, Row]:
    named = [
        ("reference", ReferenceEngine),
        *((engine.name, engine) for engine in engines or ENGINES),
    ]
    return {row.quantity: row for row in driven_rows(model, named, seed)}


# --- one actuator against closed forms ------------------------------------------------------------

WHEEL = """<sdf version='1.9' xmlns:drake='drake.mit.edu'><model name='m'>
<link name='a'><inertial><mass>1</mass><inertia><ixx>2</ixx><iyy>2</iyy><izz>2</izz></inertia></inertial></link>
<joint name='j' type='revolute'><parent>world</parent><child>a</child>
<axis><xyz>0 0 1</xyz><limit><effort>4</effort></limit></axis>
<drake:controller_gains p='8' d='8'/></joint></model></sdf>"""


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize(
    ("command", "effort"), [(3.0, 3.0), (-3.0, -3.0), (9.0, 4.0), (-9.0, -4.0)]
)
def test_a_wheel_accelerates_as_commanded_up_to_its_limit(
    engine: Any, command: float, effort: float
) -> None:
    opened = engine.as_exported(mechanism(WHEEL))
    opened.start_actuators("motor", ("j",))
    opened.set_state({"j": 0.0}, {"j": 0.5})
    opened.set_controls({"j": command})
    opened.step(100)
    assert opened.velocities()[0] == pytest.approx(0.5 + effort / 2.0 * 0.1, rel=1e-9)
    opened.close()


@pytest.mark.parametrize("engine", ENGINES)
def test_a_wheel_approaches_its_target_critically_damped(engine: Any) -> None:
    """The inertia is 2 and the gains are 8 and 8: ``e = 0.1 (1 + 2 t) exp(-2 t)``."""
    opened = engine.as_exported(mechanism(WHEEL))
    opened.start_actuators("position", ("j",))
    opened.set_state({"j": 0.4}, {"j": 0.0})
    opened.set_controls({"j": 0.5})
    opened.step(500)
    error = 0.1 * (1.0 + 2.0 * 0.5) * math.exp(-2.0 * 0.5)
    assert float(
        opened.positions()["j"][0] if engine is MujocoEngine else opened.positions()["j"]
    ) == pytest.approx(0.5 - error, abs=2e-4)
    opened.close()


# --- rows -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", [0, 1])
@pytest.mark.parametrize("text", [sdf(), sdf(weld=TURNED)])
def test_sound_engines_move_alike_under_changing_commands(text: str, seed: int) -> None:
    found = rows(mechanism(text), seed=seed)
    assert {quantity: row.outcome for quantity, row in found.items()} == dict.fromkeys(
        (EFFORTS, TARGETS), Outcome.PASSED
    )
    assert all(row.convergence[0][1] > 1e-6 for row in found.values()), (
        "this test needs motions that differ at first"
    )


def test_a_model_without_controllers_gets_efforts_only_and_one_without_actuators_nothing() -> None:
    assert set(rows(mechanism(sdf(gains="")))) == {EFFORTS}
    bare = "<sdf version='1.9'><model name='m'><link name='a'/></model></sdf>"
    assert rows(mechanism(bare)) == {}


class WeakServo(MujocoEngine):
    """MuJoCo with 1.2 times the gain of position."""

    def compile_with(self, actuators: Any) -> Any:
        model = super().compile_with(actuators)
        model.actuator_gainprm[:, 0] *= 1.2
        return model


class Unlimited(MujocoEngine):
    """MuJoCo without the limits of efforts."""

    def compile_with(self, actuators: Any) -> Any:
        model = super().compile_with(actuators)
        model.actuator_ctrllimited[:] = model.actuator_forcelimited[:] = model.jnt_actfrclimited[
            :
        ] = 0
        return model


class Late(PyBulletEngine):
    """PyBullet whose commands never change after the first ones."""

    def set_controls(self, controls: Mapping[str, float]) -> None:
        if not self._controls:
            super().set_controls(controls)


class Backwards(PyBulletEngine):
    """PyBullet with all efforts in reverse."""

    def set_controls(self, controls: Mapping[str, float]) -> None:
        super().set_controls({joint: -control for joint, control in controls.items()})


@pytest.mark.slow
@pytest.mark.parametrize(
    ("engines", "text", "quantity"),
    [
        ((WeakServo, PyBulletEngine), sdf(), TARGETS),
        ((Unlimited, PyBulletEngine), sdf(effort=".5"), EFFORTS),
        ((MujocoEngine, Late), sdf(), EFFORTS),
        ((MujocoEngine, Late), sdf(), TARGETS),
        ((MujocoEngine, Backwards), sdf(gains=""), EFFORTS),
    ],
)
def test_an_engine_that_follows_commands_otherwise_is_found(
    engines: Any, text: str, quantity: str
) -> None:
    row = rows(mechanism(text), *engines)[quantity]
    assert (row.outcome, row.where in {"a", "b", "c"}) == (Outcome.FAILED, True)


@pytest.mark.slow
def test_compare_moves_the_actuators_at_level_two() -> None:
    found = compare(mechanism(sdf(gains="")), levels=("L2",))
    moved = {row.quantity: row.outcome for row in found.rows if row.quantity in {EFFORTS, TARGETS}}
    assert moved == {EFFORTS: Outcome.PASSED}
    assert found.verdict is not Verdict.DIFFERS


def test_an_engine_without_actuators_says_so() -> None:
    pytest.importorskip("dartpy")
    row = rows(mechanism(sdf()), MujocoEngine, factory_of("dart"))[EFFORTS]
    assert (row.outcome, row.cause) == (Outcome.UNKNOWN, "the engine dart does not run actuators")
