"""The PD controllers of the file, computed before each step: the gains of PyBullet's motors have another meaning."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from bridge.mechanism import Mechanism
from bridge.mechanism.coordinates import Position, check_mapping

from .state import State


def control_efforts(
    state: State, positions: Mapping[str, Position], velocities: Mapping[str, Position]
) -> dict[str, Position]:
    """Return ``p (q_d - q) + d (v_d - v)`` for each joint in ``positions``, before its effort limit.

    Args:
        state: State of the body that has the joints.
        positions: Desired positions by joint.
        velocities: Desired velocities by joint; zero for a joint without one.

    Raises:
        TypeError: if ``positions`` is no mapping.
        ValueError: if a joint has no gains in the file.
    """
    check_mapping(positions)
    gains = _gains(state.articulation.mechanism)
    for name in positions:
        if name not in gains:
            raise ValueError(f"joint {name!r} has no gains; joints with gains: {', '.join(gains) or 'none'}")
    q, v = state.positions(), state.velocities()
    return {
        name: tuple(
            gains[name][0] * np.subtract(np.atleast_1d(desired), np.atleast_1d(q[name]))
            + gains[name][1] * np.subtract(np.atleast_1d(velocities.get(name, 0.0)), np.atleast_1d(v[name]))
        )
        for name, desired in positions.items()
    }


def _gains(mechanism: Mechanism) -> dict[str, tuple[float, float]]:
    """Return the proportional and derivative gain of each joint that has a controller."""
    actuators = (driven.actuator for driven in mechanism.actuators)
    return {
        actuator.joint: (actuator.p_gain or 0.0, actuator.d_gain or 0.0)
        for actuator in actuators
        if actuator.p_gain is not None or actuator.d_gain is not None
    }
