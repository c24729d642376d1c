"""Look for one fault in a running engine by the rows of a comparison, and for differences where
there is no fault.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from bridge.mechanism import Mechanism
from bridge.parity import Outcome, Row, compare
from bridge.parity.engines.mujoco.engine import MujocoEngine
from bridge.parity.engines.pybullet.engine import PyBulletEngine
from bridge.parity.motion.step import step_rows
from bridge.parity.quantities.model import STATED_QUANTITIES
from bridge.parity.quantities.rows import quantity_rows
from bridge.parity.quantity import QUANTITIES, Quantity
from bridge.parity.reference import ReferenceEngine
from bridge.parity.states import random_states
from tests.support import mujoco_faults, pybullet_faults
from tests.support.mujoco_faults import Fault

ENGINES: Mapping[str, Any] = {"mujoco": MujocoEngine, "pybullet": PyBulletEngine}
FAULTS: Mapping[str, Mapping[str, Fault]] = {
    "mujoco": mujoco_faults.FAULTS,
    "pybullet": pybullet_faults.FAULTS,
}
_QUANTITIES: Mapping[str, Quantity] = {
    quantity.name: quantity for quantity in (*QUANTITIES, *STATED_QUANTITIES)
}
NOT_APPLICABLE = "not applicable"


def search(mechanism: Mechanism, engine: str, kind: str, seed: int = 0) -> str:
    """Plant a fault in an engine, and compare the engine with the reference in the quantity that
    must show it.

    Args:
        mechanism: The mechanism of the robot.
        engine: The engine.
        kind: The kind of fault.
        seed: Seed of the place and of the states.

    Returns:
        ``found``, ``not applicable``, or what is wrong.
    """
    fault = FAULTS[engine][kind]
    names: list[set[str] | None] = []

    def opened(model: Mechanism) -> Any:
        running = ENGINES[engine](model)
        names.append(fault.plant(running, np.random.default_rng(seed)))
        if engine == "mujoco":
            _recompute(running)
        return running

    rows = list(_rows(fault, mechanism, engine, opened, seed))
    if not names or names[0] is None:
        return NOT_APPLICABLE
    failed = [row for row in rows if row.outcome is Outcome.FAILED]
    if not failed:
        return "missed"
    is_named = not names[0].isdisjoint(_near(failed[0], mechanism, fault))
    return (
        "found"
        if is_named
        else f"{failed[0].where} named instead of {', '.join(sorted(names[0]))[:60]}"
    )


def _recompute(running: MujocoEngine) -> None:
    """Compute what MuJoCo derives from the parameters that were changed."""
    mujoco, model = running._mujoco, running.model
    mujoco.mj_setConst(model, mujoco.MjData(model))
    model.body_sameframe[:] = model.body_simple[:] = model.geom_sameframe[:] = 0


def _near(row: Row, mechanism: Mechanism, fault: Fault) -> set[str]:
    """The names of a row; of forces and violations also those of the links and joints beside it."""
    subjects = set(row.subjects)
    if fault.level != "L1" or fault.quantity == "collidable pairs":
        return subjects
    near = set(subjects)
    for body in mechanism.bodies:
        family = {body.name, str(body.joint)}
        if body.parent >= 0:
            parent = mechanism.bodies[body.parent]
            family |= {parent.name, str(parent.joint)}
        if family & subjects:
            near |= family
    return near


def _rows(fault: Fault, mechanism: Mechanism, engine: str, opened: Any, seed: int) -> Iterator[Row]:
    if fault.level == "L2":
        yield from step_rows(mechanism, [("reference", ReferenceEngine), (engine, opened)], seed)
        return
    running = opened(mechanism)
    try:
        engines = {"reference": ReferenceEngine(mechanism), engine: running}
        yield from quantity_rows(
            _QUANTITIES[fault.quantity], mechanism, engines, random_states(mechanism, 2, seed)
        )
    finally:
        running.close()


def false_alarms(mechanism: Mechanism, seeds: int) -> list[str]:
    """Return the differences of sound engines, at L0 and L1 for every seed, and after one step for
    every fifth.

    Args:
        mechanism: The mechanism of the robot.
        seeds: Number of seeds.
    """
    engines: dict[str, Any] = {"reference": ReferenceEngine(mechanism)}
    alarms = []
    try:
        engines |= {name: make(mechanism) for name, make in ENGINES.items()}
        for seed in range(seeds):
            states = random_states(mechanism, 2, seed)
            for quantity in _QUANTITIES.values():
                if quantity.depends_on_state or not seed:
                    alarms += [
                        _alarm(row, seed)
                        for row in quantity_rows(quantity, mechanism, engines, states)
                    ]
    finally:
        for engine in engines.values():
            engine.close()
    factories = [("reference", ReferenceEngine), *ENGINES.items()]
    for seed in range(0, seeds, 5):
        alarms += [_alarm(row, seed) for row in step_rows(mechanism, factories, seed)]
    return [alarm for alarm in alarms if alarm]


def false_alarms_in_motion(mechanism: Mechanism, seed: int) -> list[str]:
    """Return the differences of sound engines in all that `compare` compares at L1 and L2 for a
    seed.

    With seed 0 L0 is compared as well. Of L0 only poses and Jacobians depend on the seed, and
    `false_alarms` compares those with every seed.

    Args:
        mechanism: The mechanism of the robot.
        seed: The seed.
    """
    levels = ("L1", "L2") if seed else ("L0", "L1", "L2")
    found = compare(mechanism, tuple(ENGINES), levels=levels, seed=seed)
    return [alarm for alarm in (_alarm(row, seed) for row in found.rows) if alarm]


def _alarm(row: Row, seed: int) -> str:
    is_fault = row.outcome is Outcome.FAILED and not (row.known_cause and row.known_cause.is_loss)
    return f"seed {seed}: {row.quantity} at {row.where}: {row.error:.1e}" if is_fault else ""
