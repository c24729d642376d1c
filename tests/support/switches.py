"""What governs contacts, stops, constraints and forces in a running engine, each switch with the
row that sees it; and whether a switch that no row sees changes a motion.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

import mujoco
import numpy as np
import pybullet

import bridge
from bridge.geometry.shapes import support_function
from bridge.mechanism import Mechanism
from bridge.parity import compare
from bridge.parity.engine import DivergedError
from bridge.parity.engines.mujoco.engine import MujocoEngine
from bridge.parity.engines.pybullet.engine import PyBulletEngine
from bridge.parity.quantities.model import RUNNING, running_rows
from loaders.model import Collision, Link, Model, Plane
from loaders.pose import IDENTITY, Pose
from tests.support.running_faults import faulty_mujoco, faulty_pybullet

Change = Callable[[Any], object]
"""Changes a compiled ``MjModel``, or the bodies of an open `PyBulletEngine`."""


@dataclass(frozen=True, slots=True)
class Switch:
    """A switch or a setting.

    Attributes:
        change: Flips it in the running engine.
        row: The quantity that must differ where it acts.
    """

    change: Change
    row: str = RUNNING


# --- MuJoCo ---------------------------------------------------------------------------------------

_ROWS = {
    "mjDSBL_CONTACT": "collidable pairs",
    "mjDSBL_CONSTRAINT": "collidable pairs",
    "mjDSBL_FILTERPARENT": "collidable pairs",
    "mjDSBL_LIMIT": "limits",
    "mjDSBL_EQUALITY": "couplings",
    "mjDSBL_DAMPER": "damping",
    "mjDSBL_FRICTIONLOSS": "friction",
    "mjDSBL_GRAVITY": "gravity",
}
"""Quantities that show a flag beside the running settings."""


def _flag(field: str, bit: int) -> Change:
    return lambda m: setattr(m.opt, field, int(getattr(m.opt, field)) ^ bit)


def _flags(kind: Any, prefix: str, field: str) -> dict[str, Switch]:
    members = {name: bit for name, bit in kind.__members__.items() if name.startswith(prefix)}
    members.pop("mjENBL_IPC", None)  # MuJoCo refuses it by itself
    return {
        name: Switch(_flag(field, int(bit)), _ROWS.get(name, RUNNING))
        for name, bit in members.items()
    }


def _option(field: str) -> Change:
    def change(m: Any) -> None:
        value = getattr(m.opt, field)
        setattr(m.opt, field, value + 1 if np.isscalar(value) else np.asarray(value) + 0.5)

    return change


def _array(name: str, change: Callable[[Any], Any]) -> Change:
    def apply(m: Any) -> None:
        getattr(m, name)[:] = change(getattr(m, name))

    return apply


_MUJOCO: Mapping[str, Switch] = {
    **_flags(mujoco.mjtDisableBit, "mjDSBL", "disableflags"),
    **_flags(mujoco.mjtEnableBit, "mjENBL", "enableflags"),
    **{
        f"opt.{field}": Switch(_option(field))
        for field in ("cone", "density", "impratio", "integrator", "iterations", "noslip_iterations",
                      "viscosity", "disableactuator")
    },
    "opt.gravity": Switch(_option("gravity"), "gravity"),
    "solver": Switch(lambda m: setattr(m.opt, "solver", 0)),
    "no iterations": Switch(lambda m: setattr(m.opt, "iterations", 0)),
    "loose tolerance": Switch(lambda m: setattr(m.opt, "tolerance", 1.0)),
    "condim 1": Switch(_array("geom_condim", lambda _: 1)),
    "priority": Switch(_array("geom_priority", lambda x: x + np.arange(len(x)))),
    "no bitmasks": Switch(_array("geom_contype", lambda _: 0)),
    "no affinity": Switch(_array("geom_conaffinity", lambda _: 0)),
    "margin": Switch(_array("geom_margin", lambda _: 0.05)),
    "gap": Switch(_array("geom_gap", lambda _: 0.05)),
    "solref": Switch(_array("geom_solref", lambda x: x * 10.0)),
    "solimp": Switch(_array("geom_solimp", lambda x: x * 0.5)),
    "sliding friction": Switch(_array("geom_friction", lambda x: x * (0.5, 1.0, 1.0))),
    "torsional friction": Switch(_array("geom_friction", lambda x: x * (1.0, 100.0, 1.0))),
    "rolling friction": Switch(_array("geom_friction", lambda x: x * (1.0, 1.0, 1000.0))),
    "equalities off": Switch(_array("eq_active0", lambda _: 0), "couplings"),
    "soft equalities": Switch(_array("eq_solref", lambda x: x * (250.0, 1.0))),
    "stops off": Switch(_array("jnt_limited", lambda _: 0), "limits"),
    "soft stops": Switch(_array("jnt_solref", lambda x: x * 10.0)),
    "stops early": Switch(_array("jnt_margin", lambda _: 0.1)),
    "soft dry friction": Switch(_array("dof_solref", lambda x: x * 10.0)),
    "weightless": Switch(_array("body_gravcomp", lambda _: 1.0)),
    "a spring at rest elsewhere": Switch(_array("qpos_spring", lambda x: x + 0.1)),
}  # fmt: skip

# --- PyBullet -------------------------------------------------------------------------------------

_SOLVER: Mapping[str, Any] = {
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


def _parameter(name: str) -> Change:
    return lambda engine: pybullet.setPhysicsEngineParameter(
        physicsClientId=engine._client, **{name: _SOLVER[name]}
    )


def _on_each_link(set_link: Callable[..., object]) -> Change:
    def change(engine: PyBulletEngine) -> None:
        client = {"physicsClientId": engine._client}
        for body in engine._bodies:
            for index in range(-1, pybullet.getNumJoints(int(body), **client)):
                set_link(int(body), index, **client)

    return change


def _dynamics(**values: Any) -> Change:
    return _on_each_link(
        lambda body, link, **client: pybullet.changeDynamics(body, link, **values, **client)
    )


def _masked(body: int, link: int, **client: int) -> None:
    pybullet.setCollisionFilterGroupMask(body, link, 0, 0, **client)


def _on_each_constraint(**values: Any) -> Change:
    def change(engine: PyBulletEngine) -> None:
        client = {"physicsClientId": engine._client}
        for k in range(pybullet.getNumConstraints(**client)):
            number = pybullet.getConstraintUniqueId(k, **client)
            pybullet.changeConstraint(number, **values, **client)

    return change


@_on_each_link
def _in_other_group(body: int, link: int, **client: int) -> None:
    pybullet.setCollisionFilterGroupMask(body, link, 2, -1, **client)


def _beside(engine: PyBulletEngine) -> None:
    client = {"physicsClientId": engine._client}
    shape = pybullet.createCollisionShape(pybullet.GEOM_SPHERE, radius=0.1, **client)
    pybullet.createMultiBody(0.0, shape, basePosition=(50.0, 0.0, 0.0), **client)


_PYBULLET: Mapping[str, Switch] = {
    **{name: Switch(_parameter(name)) for name in _SOLVER},
    "sleeping": Switch(_dynamics(activationState=pybullet.ACTIVATION_STATE_ENABLE_SLEEPING)),
    "no bitmasks": Switch(_on_each_link(_masked), "collidable pairs"),
    "no sliding friction": Switch(_dynamics(lateralFriction=0.0), "friction of pairs"),
    "torsional friction": Switch(_dynamics(spinningFriction=0.1), "settings of contact"),
    "rolling friction": Switch(_dynamics(rollingFriction=0.1), "settings of contact"),
    "restitution": Switch(_dynamics(restitution=0.5), "settings of contact"),
    "soft contacts": Switch(
        _dynamics(contactStiffness=500.0, contactDamping=1.0), "settings of contact"
    ),
    "anchored friction": Switch(_dynamics(frictionAnchor=1)),
    "contacts from afar": Switch(_dynamics(contactProcessingThreshold=0.0)),
    "anisotropic friction": Switch(_dynamics(anisotropicFriction=(1.0, 1.0, 0.3))),
    "collision margin": Switch(_dynamics(collisionMargin=0.05)),
    "weak stops": Switch(_dynamics(jointLimitForce=1.0)),
    "slow constraints": Switch(_on_each_constraint(erp=0.02)),
    "weak constraints": Switch(_on_each_constraint(maxForce=1.0), "couplings"),
    "other group": Switch(_in_other_group),
    "a body beside the model": Switch(_beside),
    "linear damping": Switch(_dynamics(linearDamping=0.1), "one step"),
    "angular damping": Switch(_dynamics(angularDamping=0.1), "one step"),
}

SWITCHES: Mapping[str, Mapping[str, Switch]] = {"mujoco": _MUJOCO, "pybullet": _PYBULLET}
"""The switches by engine and name."""
NO_EFFECT = "no effect"
"""What is said of a switch with which a motion is the same to the last bit."""


# --- what sees a switch ---------------------------------------------------------------------------


def seen(mechanism: Mechanism, engine: str, change: Change, levels: tuple[str, ...]) -> set[str]:
    """Return the quantities that differ from the reference while a switch is flipped.

    Args:
        mechanism: The mechanism.
        engine: The engine.
        change: Flips the switch.
        levels: The levels to compare.
    """
    planted = (faulty_mujoco if engine == "mujoco" else faulty_pybullet)(change)
    found = compare(mechanism, [planted], levels=levels, configurations=1)
    return {row.quantity for row in found.failures}


def judged(mechanism: Mechanism, engine: str, name: str, steps: int) -> str:
    """Return the quantity that sees a switch, ``no effect`` if the robot on a ground moves alike to
    the last bit, or by how much it moves otherwise.

    Args:
        mechanism: The mechanism of a robot.
        engine: The engine.
        name: The name of the switch.
        steps: Number of steps of the motion.
    """
    switch = SWITCHES[engine][name]
    planted = (faulty_mujoco if engine == "mujoco" else faulty_pybullet)(switch.change)
    running = planted(mechanism)
    try:
        if any(not row.passed for row in running_rows({engine: running})):
            return RUNNING
    finally:
        running.close()
    quantities = seen(mechanism, engine, switch.change, ("L0", "L1"))
    if quantities:
        return switch.row if switch.row in quantities else min(quantities)
    distance = moved(mechanism, engine, switch.change, steps)
    if not distance:
        return NO_EFFECT
    return min(seen(mechanism, engine, switch.change, ("L2",)), default=f"missed: {distance:.1e}")


def moved(mechanism: Mechanism, engine: str, change: Change, steps: int) -> float:
    """Return by how much a motion changes."""
    sound = _sound_motion(mechanism, engine, steps)
    changed = _motion(_on_ground(mechanism), engine, change, steps)
    return math.inf if changed.shape != sound.shape else float(np.abs(changed - sound).max())


@cache
def _sound_motion(mechanism: Mechanism, engine: str, steps: int) -> np.ndarray:
    return _motion(_on_ground(mechanism), engine, lambda _: None, steps)


def _motion(mechanism: Mechanism, engine: str, change: Change, steps: int) -> np.ndarray:
    """Return the positions after some steps with speeds and efforts, or those before the motion
    diverges.
    """
    return (_motion_in_mujoco if engine == "mujoco" else _motion_in_pybullet)(
        mechanism, change, steps
    )


def _motion_in_mujoco(mechanism: Mechanism, change: Change, steps: int) -> np.ndarray:
    model = MujocoEngine(mechanism, as_exported=True).model
    change(model)
    data = mujoco.MjData(model)
    data.qvel[:] = 1.5
    data.ctrl[:] = 2.0
    mujoco.mj_step(model, data, steps)
    return np.array(data.qpos)


def _motion_in_pybullet(mechanism: Mechanism, change: Change, steps: int) -> np.ndarray:
    engine = PyBulletEngine(mechanism)
    try:
        change(engine)
        engine.step(steps)
        return np.concatenate([np.ravel(value) for value in engine.positions().values()])
    except DivergedError:
        return np.zeros(0)
    finally:
        engine.close()


def _on_ground(mechanism: Mechanism) -> Mechanism:
    """Return the mechanism above a plane, if it has none: 2 cm below its lowest primitive shape, or
    its lowest link.
    """
    heights = [float(X_WL.p[2]) for X_WL in mechanism.link_poses({}).values()]
    for link in mechanism.scene.links:
        for shape in link.collisions:
            if isinstance(shape.geometry, Plane):
                return mechanism
            X_WG, support = link.X_WL @ shape.X_LG, support_function(shape.geometry)
            if support is not None:
                heights.append(float(X_WG.p[2]) - support(-X_WG.R[2]))
    X_WG = Pose.of(p=(0.0, 0.0, min(heights) - 0.02))
    plane = Collision(name="plane", X_LG=IDENTITY, geometry=Plane())
    ground = Link(name="ground below", model="ground below", X_WL=X_WG, collisions=(plane,))
    model = Model(name="ground below", X_WM=X_WG, canonical_link=ground.name, static=True)
    scene = mechanism.scene
    return bridge.lower(
        dataclasses.replace(scene, models=(*scene.models, model), links=(*scene.links, ground))
    )
