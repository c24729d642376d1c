"""Level L0: the actuators that a model states: what effort follows from commands, and laws as in MuJoCo."""

from __future__ import annotations

import dataclasses
from functools import lru_cache

import numpy as np

from bridge.lowering.base import relowered
from bridge.mechanism import Mechanism
from bridge.parity.engines.protocol import Engine, NotReportedError
from bridge.parity.engines.stated.actuator_trials import actuator_trials, untried_actuators
from bridge.parity.levels.quantities import Place, Quantity, Readings, relative
from bridge.parity.levels.random_states import without_solver_effects
from bridge.parity.results.verdict import Level
from loaders.model import Actuator, Joint

EFFORT_TOLERANCE = 1e-6
"""Relative tolerance of efforts: PyBullet's are measured in a step, MuJoCo's and the model's are exact."""
_SHOWN = 3
"""Number of actuators that a reason names."""


@lru_cache(maxsize=1)
def _bare(mechanism: Mechanism) -> Mechanism:
    """The mechanism with its actuators, without all that acts on its joints beside them."""
    smooth, stated = without_solver_effects(mechanism, damped=False).scene, mechanism.scene
    joints = {joint.name: joint for joint in stated.joints}
    return relowered(
        mechanism,
        dataclasses.replace(
            smooth,
            joints=tuple(_with_effort(joint, joints[joint.name]) for joint in smooth.joints),
            actuators=tuple(_without_rotor(actuator) for actuator in stated.actuators),
        ),
    )


def _with_effort(joint: Joint, stated: Joint) -> Joint:
    axes = zip(joint.axes, stated.axes, strict=True)
    return dataclasses.replace(joint, axes=tuple(dataclasses.replace(a, effort=b.effort) for a, b in axes))


def _without_rotor(actuator: Actuator) -> Actuator:
    return dataclasses.replace(actuator, rotor_inertia=0.0, tendon="", mujoco=())


def _efforts(engine: Engine, mechanism: Mechanism) -> Readings:
    """The efforts at the joints after the commands of their trials [N m or N]."""
    trials = actuator_trials(mechanism)
    if engine.name == "reference":
        return {joint: trial.efforts(trial.limit, trial.gains) for joint, trial in trials.items()}
    read = getattr(engine, "actuator_efforts", None)
    if read is None:
        raise NotReportedError(f"{engine.name} does not report it")
    if not trials:
        return {}
    found: Readings = read(trials, _bare(mechanism))
    return found


def _laws(engine: Engine, mechanism: Mechanism) -> Readings:
    """The laws of actuators as compiled, if MuJoCo states them; all others cannot be compared."""
    untried = untried_actuators(mechanism)
    if not untried:
        return {}
    named = [item.actuator.name for item in mechanism.actuators if item.actuator.mujoco]
    read = getattr(engine, "actuator_laws", None)
    laws = [] if read is None else read()
    if not laws or len(laws) != len(named):
        more = " and others" if len(untried) > _SHOWN else ""
        raise NotReportedError(f"the actuators of {', '.join(untried[:_SHOWN])}{more} are not tried in {engine.name}")
    return {Place(name, name): np.asarray(law) for name, law in zip(named, laws, strict=True)}


ACTUATOR_QUANTITIES = (
    Quantity(
        level=Level.MODEL, name="actuator efforts", unit="", error=relative, read=_efforts,
        tolerance=EFFORT_TOLERANCE, is_stated=lambda mechanism: bool(actuator_trials(mechanism)),
        causes=frozenset({"mjcf.actuator"}),
    ),
    Quantity(
        level=Level.MODEL, name="actuator laws", unit="", error=relative, read=_laws,
        is_stated=lambda mechanism: bool(untried_actuators(mechanism)),
    ),
)  # fmt: skip
"""The quantities in the order of the report."""
