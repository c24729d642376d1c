"""What a wrong force of a screw's constraint changes is removed, and nothing else."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import bridge
import loaders
from bridge.mechanism import Mechanism
from bridge.parity.bounds.constraint import without_screw_forces
from bridge.parity.engines.mujoco.engine import MujocoEngine
from bridge.parity.states import random_states, without_solver_effects
from loaders.pose import Array

pytest.importorskip("mujoco")

ASSETS = Path(__file__).parents[5] / "assets"
STEP = 1e-6


def mechanism(name: str) -> Mechanism:
    return without_solver_effects(bridge.lower(loaders.load(ASSETS / name, quiet=True)))


def accelerations(engine: MujocoEngine, state: object) -> Array:
    engine.set_step(STEP)
    engine.set_state(*state)
    before = engine.velocities()
    engine.step(1)
    return (engine.velocities() - before) / STEP


def test_a_softer_constraint_of_mujoco_changes_only_what_is_removed() -> None:
    leg = mechanism("leg.sdf")
    engine, states = MujocoEngine(leg), random_states(leg, 3, 1)
    hard = np.array([accelerations(engine, state) for state in states])
    engine.model.eq_solimp[:, :2] = 0.5
    soft = np.array([accelerations(engine, state) for state in states])
    engine.close()
    changed = np.einsum("nij,nj->ni", without_screw_forces(leg, states), soft - hard)
    assert np.abs(soft - hard).max() > 0.1
    assert np.abs(changed).max() < 1e-4  # the ball joint turns within a step


def test_a_force_on_another_joint_remains() -> None:
    leg = mechanism("leg.sdf")
    (state,) = random_states(leg, 1, 2)
    (P,) = without_screw_forces(leg, [state])
    response = np.linalg.solve(
        leg.mass_matrix(state[0]), np.eye(len(leg.v_order))[leg.dof_index["knee", 0]]
    )
    assert np.linalg.norm(P @ response) > 0.1 * np.linalg.norm(response)
    assert pytest.approx(P, abs=1e-12) == P @ P


def test_nothing_is_removed_without_a_screw() -> None:
    arm = mechanism("double_pendulum.urdf")
    assert without_screw_forces(arm, random_states(arm, 2, 0)) == pytest.approx(
        np.stack([np.eye(2)] * 2), abs=0.0
    )
