"""The controllers of the file, by steps: PyBullet's own motors take gains of another meaning."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from bridge.mechanism.coordinates import Position

from .state import State


def control_efforts(
    state: State, positions: Mapping[str, Position], velocities: Mapping[str, Position]
) -> dict[str, Position]:
    """``p (q_d - q) + d (v_d - v)`` for each joint in ``positions``, before its effort limit.

    Args:
        state: Of the body that has the joints.
        positions: Where they shall go.
        velocities: How fast they shall move there; zero where none is given.

    Raises:
        ValueError: for a joint without gains in the file.
    """
    gains = {
        actuator.joint: (actuator.p_gain or 0.0, actuator.d_gain or 0.0)
        for actuator in state.articulation.mechanism.scene.actuators
        if actuator.p_gain is not None or actuator.d_gain is not None
    }
    for name in positions:
        if name not in gains:
            raise ValueError(f"joint {name!r} has no gains in the file; with gains are: {', '.join(gains) or 'none'}")
    q, v = state.positions(), state.velocities()
    return {
        name: tuple(
            gains[name][0] * np.subtract(np.atleast_1d(goal), np.atleast_1d(q[name]))
            + gains[name][1] * np.subtract(np.atleast_1d(velocities.get(name, 0.0)), np.atleast_1d(v[name]))
        )
        for name, goal in positions.items()
    }
