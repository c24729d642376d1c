"""Mass matrix and inverse dynamics of a PyBullet body, measured by PyBullet's own steps.

PyBullet's queries refuse some bodies that it simulates correctly. For these, known forces are applied for one very
short step without solver iterations, so that no contact, motor, limit or constraint acts, and the change of velocity is
read. The forces are those of a nominal mass matrix ``N``: if ``A`` are the accelerations that its columns cause, the
mass matrix is ``N inv(A)``. Any other invertible ``N`` gives the same result.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager

import numpy as np

from bridge.mechanism import Mechanism
from bridge.mechanism.coordinates import Position
from loaders.spatial import Array

from .efforts import apply_efforts
from .state import State

REST_STEP = 1e-6
"""Time step of a body that starts at rest [s]: its velocity is then the acceleration times the step."""
MOVING_STEP = 1e-4
"""Longest time step of a body that moves [s]; the answers of three steps are extrapolated to zero."""


def stepped_mass_matrix(state: State, nominal: Array) -> Array:
    """Return the mass matrix at the present position, shape (nv, nv), in ``v_order``.

    Args:
        state: State of the body.
        nominal: An invertible mass matrix close to the expected one.

    Raises:
        numpy.linalg.LinAlgError: if the body does not respond to the forces.
    """
    columns = []
    with _undisturbed(state, (0.0, 0.0, 0.0)) as restore:
        for forces in nominal.T:
            restore()
            state.set_velocities(_standstill(state.articulation.mechanism))
            columns.append(_velocity_change(state, forces, REST_STEP) / REST_STEP)
    measured: Array = nominal @ np.linalg.inv(np.array(columns).T)
    return measured


def stepped_accelerations(state: State, forces: Array, gravity: Sequence[float]) -> Array:
    """Return the accelerations that forces cause in the present state, both shape (nv,), in ``v_order``.

    Args:
        state: State of the body.
        forces: The forces.
        gravity: Gravity in the world [m/s^2].
    """
    answers = []
    with _undisturbed(state, gravity) as restore:
        for step in (MOVING_STEP, MOVING_STEP / 2.0, MOVING_STEP / 4.0):
            restore()
            answers.append(_velocity_change(state, forces, step) / step)
    long, medium, short = answers
    accelerations: Array = (long - 6.0 * medium + 8.0 * short) / 3.0  # without errors of first and second order
    return accelerations


def _velocity_change(state: State, forces: Array, time_step: float) -> Array:
    before = _velocities(state)
    state.client.setTimeStep(time_step)
    apply_efforts(state, _by_joint(forces, state.articulation.mechanism), limited=False)
    state.client.stepSimulation()
    return _velocities(state) - before


def _velocities(state: State) -> Array:
    velocities = state.velocities()
    order = state.articulation.mechanism.v_order
    return np.array([np.atleast_1d(velocities[name])[k] for name, k in order], dtype=np.float64)


def _by_joint(forces: Array, mechanism: Mechanism) -> Mapping[str, Position]:
    by_joint: dict[str, list[float]] = {}
    for (name, _), force in zip(mechanism.v_order, forces.tolist(), strict=True):
        by_joint.setdefault(name, []).append(force)
    return by_joint


def _standstill(mechanism: Mechanism) -> Mapping[str, Position]:
    return _by_joint(np.zeros(len(mechanism.v_order)), mechanism)


@contextmanager
def _undisturbed(state: State, gravity: Sequence[float]) -> Iterator[Callable[[], None]]:
    """Set gravity, and switch off damping and PyBullet's solver; yield a function that restores the state.

    In the end, the state and the parameters of the server are as before.
    """
    client = state.client
    present, parameters = state.gravity(), client.getPhysicsEngineParameters()
    damping = _damping(state)
    saved: int = client.saveState()
    client.setGravity(*gravity)
    client.setPhysicsEngineParameter(numSolverIterations=0)
    _set_damping(state, dict.fromkeys(damping, 0.0))
    try:
        yield lambda: client.restoreState(stateId=saved)
    finally:
        client.restoreState(stateId=saved)
        client.removeState(saved)
        _set_damping(state, damping)
        client.setPhysicsEngineParameter(numSolverIterations=parameters["numSolverIterations"])
        client.setTimeStep(parameters["fixedTimeStep"])
        client.setGravity(*present)


def _damping(state: State) -> dict[int, float]:
    """Return the damping of each joint that has some, by PyBullet's index."""
    client, body = state.client, state.body
    by_index = {i: float(client.getJointInfo(body, i)[6]) for i in range(client.getNumJoints(body))}
    return {i: damping for i, damping in by_index.items() if damping}


def _set_damping(state: State, damping: Mapping[int, float]) -> None:
    for index, value in damping.items():
        state.client.changeDynamics(state.body, index, jointDamping=value)
