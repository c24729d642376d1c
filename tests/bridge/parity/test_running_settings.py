"""A switch, a setting or a state that is changed in a running engine fails a row, or changes nothing
in a simulation; the engine itself tells which of the two holds.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any

import mujoco
import numpy as np
import pybullet
import pytest

import bridge
import loaders
from bridge.mechanism import Mechanism
from bridge.parity import compare
from bridge.parity.engines.mujoco.engine import MujocoEngine
from bridge.parity.engines.pybullet.engine import PyBulletEngine
from bridge.parity.quantities.model import RUNNING
from bridge.parity.states import random_states
from tests.support.running_faults import faulty_mujoco, faulty_pybullet

ASSETS = Path(__file__).parents[3] / "assets"
MODEL = """<mujoco><compiler angle="radian"/><worldbody><geom name="floor" type="plane" size="2 2 1"/>
<body name="box" pos="0 0 0.1"><freejoint/><geom name="side" type="box" size=".1 .1 .1" mass="1"/>
 <body name="arm" pos="0 0 .2"><joint name="j" axis="0 1 0" range="-.5 .5" limited="true"
   damping=".01" frictionloss=".02" stiffness=".1"/>
  <geom name="rod" type="capsule" fromto="0 0 0 0 0 .3" size=".02" mass=".3"/></body>
 <body name="leg" pos=".3 0 .2"><joint name="k" axis="0 1 0"/>
  <geom name="foot" type="capsule" fromto="0 0 0 0 0 .3" size=".02" mass=".3"/></body></body>
</worldbody><equality><joint joint1="k" joint2="j" polycoef="0 1 0 0 0"/></equality>
<actuator><motor joint="j" ctrlrange="-1 1" ctrllimited="true"/></actuator></mujoco>"""
"""A box on a floor, with two arms that are coupled, a stop, a spring, a damper, dry friction and a
motor.
"""
FILES = {"box": "", "gripper": "gripper/model.sdf", "pendulum": "double_pendulum.urdf"}


def _quick(name: str) -> list[Any]:
    """Return the models, of which all but one are slow."""
    return [each if each == name else pytest.param(each, marks=pytest.mark.slow) for each in FILES]


@cache
def model(name: str) -> Mechanism:
    scene = (
        loaders.load(ASSETS / FILES[name], quiet=True)
        if FILES[name]
        else loaders.load_string(MODEL, format="mjcf")
    )
    return bridge.lower(scene)


def failing(name: str, engine: Any) -> set[str]:
    found = compare(model(name), [engine], levels=("L0", "L1"), configurations=1)
    return {row.quantity for row in found.failures}


# --- MuJoCo ---------------------------------------------------------------------------------------

Change = Callable[[Any], object]


def _flag(field: str, bit: int) -> Change:
    return lambda m: setattr(m.opt, field, int(getattr(m.opt, field)) ^ bit)


def _option(field: str) -> Change:
    def change(m: Any) -> None:
        value = getattr(m.opt, field)
        setattr(m.opt, field, value + 1 if np.isscalar(value) else np.asarray(value) + 0.5)

    return change


def _array(name: str, change: Callable[[Any], Any]) -> Change:
    def apply(m: Any) -> None:
        getattr(m, name)[:] = change(getattr(m, name))

    return apply


SWITCHES: Mapping[str, Change] = {
    **{
        name: _flag("disableflags", int(bit))
        for name, bit in mujoco.mjtDisableBit.__members__.items()
        if name.startswith("mjDSBL")
    },
    **{
        name: _flag("enableflags", int(bit))
        for name, bit in mujoco.mjtEnableBit.__members__.items()
        if name.startswith("mjENBL") and name != "mjENBL_IPC"  # MuJoCo refuses it by itself
    },
    **{
        f"opt.{field}": _option(field)
        for field in ("cone", "density", "impratio", "integrator", "iterations", "noslip_iterations",
                      "viscosity", "gravity", "disableactuator")
    },
    "solver": lambda m: setattr(m.opt, "solver", 0),
    "no iterations": lambda m: setattr(m.opt, "iterations", 0),
    "loose tolerance": lambda m: setattr(m.opt, "tolerance", 1.0),
    "condim 1": _array("geom_condim", lambda _: 1),
    "priority": _array("geom_priority", lambda x: x + np.arange(len(x))),
    "no bitmasks": _array("geom_contype", lambda _: 0),
    "no affinity": _array("geom_conaffinity", lambda _: 0),
    "margin": _array("geom_margin", lambda _: 0.05),
    "gap": _array("geom_gap", lambda _: 0.05),
    "solref": _array("geom_solref", lambda x: x * 10.0),
    "solimp": _array("geom_solimp", lambda x: x * 0.5),
    "torsional friction": _array("geom_friction", lambda x: x * (1.0, 100.0, 1000.0)),
    "equalities off": _array("eq_active0", lambda _: 0),
    "soft equalities": _array("eq_solref", lambda x: x * (250.0, 1.0)),
    "stops off": _array("jnt_limited", lambda _: 0),
    "soft stops": _array("jnt_solref", lambda x: x * 10.0),
    "stops early": _array("jnt_margin", lambda _: 0.1),
    "soft dry friction": _array("dof_solref", lambda x: x * 10.0),
    "weightless": _array("body_gravcomp", lambda _: 1.0),
    "a spring at rest elsewhere": _array("qpos_spring", lambda x: x + 0.1),
}  # fmt: skip
"""What governs contacts, stops, constraints and forces of a compiled model."""


def _motion_in_mujoco(name: str, change: Change | None) -> np.ndarray:
    engine = MujocoEngine(model(name), as_exported=True)
    m = engine.model
    if change is not None:
        change(m)
    data = mujoco.MjData(m)
    data.qvel[:] = 1.5
    data.ctrl[:] = 2.0
    mujoco.mj_step(m, data, 1000)
    return np.array(data.qpos)


@pytest.mark.parametrize("name", _quick("box"))
def test_what_is_switched_in_mujoco_fails_a_row_or_does_nothing(name: str) -> None:
    assert failing(name, "mujoco") == set()
    sound, missed = _motion_in_mujoco(name, None), []
    for switch, change in SWITCHES.items():
        if not failing(name, faulty_mujoco(change)):
            moved = np.abs(_motion_in_mujoco(name, change) - sound).max()
            missed += [f"{switch}: {moved}"] if moved else []
    assert missed == []


def test_each_row_names_what_the_switch_governs() -> None:
    """The quantities are those that act, not those that are stated."""
    rows = {
        "mjDSBL_CONTACT": "collidable pairs",
        "mjDSBL_CONSTRAINT": "collidable pairs",
        "mjDSBL_LIMIT": "limits",
        "mjDSBL_EQUALITY": "couplings",
        "mjDSBL_DAMPER": "damping",
        "mjDSBL_FRICTIONLOSS": "friction",
        "mjDSBL_GRAVITY": "gravity",
        "equalities off": "couplings",
        "condim 1": RUNNING,
        "no iterations": RUNNING,
        "mjENBL_SLEEP": RUNNING,
    }
    for switch, quantity in rows.items():
        assert quantity in failing("box", faulty_mujoco(SWITCHES[switch])), switch


@pytest.fixture(autouse=True)
def bullets_own_threshold() -> Iterator[None]:
    """Restore the one parameter that all physics servers of a process share, a global of Bullet."""
    yield
    client = pybullet.connect(pybullet.DIRECT)
    pybullet.setPhysicsEngineParameter(contactBreakingThreshold=0.02, physicsClientId=client)
    pybullet.disconnect(client)


# --- PyBullet -------------------------------------------------------------------------------------

SOLVER: Mapping[str, Any] = {
    "allowedCcdPenetration": 0.5,
    "constraintSolverType": pybullet.CONSTRAINT_SOLVER_LCP_DANTZIG,
    "contactBreakingThreshold": 1e-3,
    "contactERP": 0.9,
    "contactSlop": 0.01,
    "deterministicOverlappingPairs": 1,
    "enableConeFriction": 0,
    "enableSAT": 1,
    "erp": 0.9,
    "frictionERP": 0.01,
    "globalCFM": 0.01,
    "minimumSolverIslandSize": 1,
    "numNonContactInnerIterations": 5,
    "numSolverIterations": 2,
    "restitutionVelocityThreshold": 10.0,
    "solverResidualThreshold": 1e-2,
    "splitImpulsePenetrationThreshold": -1.0,
    "useSplitImpulse": 1,
    "warmStartingFactor": 0.1,
}
"""Parameters of PyBullet's solver with another value; it reports two of them."""


def _sleep(engine: PyBulletEngine) -> None:
    for body in engine._bodies:
        for index in range(-1, pybullet.getNumJoints(int(body), physicsClientId=engine._client)):
            pybullet.changeDynamics(
                int(body),
                index,
                activationState=pybullet.ACTIVATION_STATE_ENABLE_SLEEPING,
                physicsClientId=engine._client,
            )


def _parameter(name: str) -> Callable[[PyBulletEngine], object]:
    return lambda engine: pybullet.setPhysicsEngineParameter(
        physicsClientId=engine._client, **{name: SOLVER[name]}
    )


CHANGES = {**{name: _parameter(name) for name in SOLVER}, "sleeping": _sleep}


@pytest.mark.parametrize("file", ["leg.sdf", "arm/model.sdf", "double_pendulum.urdf"])
def test_the_motion_of_test_bodies_does_not_depend_on_the_model(file: str) -> None:
    mechanism = bridge.lower(loaders.load(ASSETS / file, quiet=True))
    for state in random_states(mechanism, 4, 0):
        engine = PyBulletEngine(mechanism)
        engine.set_state(*state)
        running, loaded = engine.running_statements()
        engine.close()
        assert all(np.array_equal(running[key], loaded[key]) for key in loaded)


def test_the_threshold_that_all_servers_of_a_process_share_is_compared_with_bullets_own() -> None:
    """A new server has the changed value too, and PyBullet reports none."""
    assert failing("pendulum", "pybullet") == set()
    for value in (1e-3, 0.019, 0.021, 0.1):
        change = {"contactBreakingThreshold": value}

        def shared(engine: PyBulletEngine, change: dict[str, float] = change) -> None:
            pybullet.setPhysicsEngineParameter(physicsClientId=engine._client, **change)

        assert failing("pendulum", faulty_pybullet(shared)) == {RUNNING}, value


def _motion_in_pybullet(name: str, change: Callable[[PyBulletEngine], object] | None) -> np.ndarray:
    engine = PyBulletEngine(model(name))
    try:
        if change is not None:
            change(engine)
        engine.step(1000)
        return np.concatenate([np.ravel(value) for value in engine.positions().values()])
    finally:
        engine.close()


@pytest.mark.parametrize("name", _quick("pendulum"))
def test_what_is_switched_in_pybullet_fails_a_row_or_does_nothing(name: str) -> None:
    assert failing(name, "pybullet") == set()
    sound, missed = _motion_in_pybullet(name, None), []
    for switch, change in CHANGES.items():
        if not failing(name, faulty_pybullet(change)):
            moved = np.abs(_motion_in_pybullet(name, change) - sound).max()
            missed += [f"{switch}: {moved}"] if moved else []
    assert missed == []
