"""Positions and velocities of joints that follow others through couplings."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

import numpy as np

from .coordinates import Coordinates, Position, default_position, kind_of
from .mechanism import Mechanism


def with_followers(mechanism: Mechanism, given: Mapping[str, Position], *, rates: bool = False) -> dict[str, Position]:
    """Return ``given`` and the values of all joints that follow from it through couplings.

    Given values are never changed. Ball and free joints neither lead nor follow.

    Args:
        mechanism: The mechanism that has the couplings.
        given: Positions or velocities by joint.
        rates: Whether the values are velocities, to which the offsets of couplings do not apply.
    """
    values: dict[str, Position] = dict(given)
    turning = {body.joint for body in mechanism.bodies if kind_of(body) is not None}
    sizes = Counter(name for name, _ in mechanism.v_order)
    pending = list(mechanism.couplings)
    while pending:
        waiting = []
        for coupling in pending:
            follower, f = mechanism.v_order[coupling.follower]
            leader, k = mechanism.v_order[coupling.leader]
            if follower in given or turning & {leader, follower}:
                continue
            if leader not in values:
                waiting.append(coupling)
                continue
            numbers = np.atleast_1d(values.get(follower, np.zeros(sizes[follower]))).astype(np.float64)
            numbers[f] = coupling.multiplier * float(np.atleast_1d(values[leader])[k])
            numbers[f] += 0.0 if rates else coupling.offset
            values[follower] = tuple(numbers.tolist())
        if len(waiting) == len(pending):
            break
        pending = waiting
    return values


def leading_positions(mechanism: Mechanism) -> dict[str, Coordinates]:
    """Return the initial positions from which `with_followers` finds all others that are not zero.

    They are the default positions that the source states, and the positions of all joints that others follow.

    Args:
        mechanism: The mechanism that has the couplings.
    """
    leaders = {mechanism.v_order[coupling.leader][0] for coupling in mechanism.couplings}
    q: dict[str, Coordinates] = {}
    for body in mechanism.bodies:
        if body.joint is not None and body.source is not None and body.primitives:
            stated = body.source.default_position
            if stated or body.joint in leaders:
                q[body.joint] = stated or default_position(body)
    return q


def initial_positions(mechanism: Mechanism) -> dict[str, Position]:
    """Return the positions in which the model starts, as far as they are not zero; they may be beyond limits.

    Args:
        mechanism: The mechanism that has the joints and couplings.
    """
    return with_followers(mechanism, leading_positions(mechanism))
