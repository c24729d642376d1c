"""Positions and velocities of joints that follow others through couplings."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Protocol

import numpy as np

from loaders.spatial import Array

from .bodies import Body, DofCoupling
from .coordinates import Coordinates, Position, check_mapping, default_position, kind_of, positions_by_body


class Coupled(Protocol):
    """A mechanism with coupled joints, as `bridge.Mechanism` is."""

    @property
    def bodies(self) -> tuple[Body, ...]:
        """The bodies."""

    @property
    def couplings(self) -> tuple[DofCoupling, ...]:
        """The couplings."""

    @property
    def v_order(self) -> tuple[tuple[str, int], ...]:
        """Joint and component of each velocity."""


def with_followers(mechanism: Coupled, given: Mapping[str, Position], *, rates: bool = False) -> dict[str, Position]:
    """Return ``given`` and the values of all joints that follow from it through couplings.

    Given values are never changed. Ball and free joints neither lead nor follow.

    Args:
        mechanism: The mechanism that has the couplings.
        given: Positions or velocities by joint; or arrays of n of them, as for `bridge.Mechanism.batched_link_poses`.
        rates: Whether the values are velocities, to which the offsets of couplings do not apply.

    Raises:
        TypeError: if ``given`` is no mapping.
    """
    check_mapping(given)
    values: dict[str, Position] = dict(given)
    if not mechanism.couplings:
        return values
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
            value = coupling.multiplier * _component(values[leader], sizes[leader], k)
            value = value if rates else value + coupling.offset
            values[follower] = _with_component(values.get(follower), sizes[follower], f, value)
        if len(waiting) == len(pending):
            break
        pending = waiting
    return values


def leading_positions(mechanism: Coupled) -> dict[str, Coordinates]:
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


def initial_positions(mechanism: Coupled) -> dict[str, Position]:
    """Return the positions in which the model starts, as far as they are not zero; they may be beyond limits.

    Args:
        mechanism: The mechanism that has the joints and couplings.
    """
    return with_followers(mechanism, leading_positions(mechanism))


def all_positions(mechanism: Coupled, given: Mapping[str, Position]) -> dict[str, Position]:
    """Return the position of every joint: as given, as couplings require, or zero; a free body is where its link is.

    Args:
        mechanism: The mechanism that has the joints and couplings.
        given: Positions by joint.

    Raises:
        ValueError: for an unknown joint, and for a position of the wrong size or that is not finite.
    """
    by_body = positions_by_body(mechanism.bodies, with_followers(mechanism, given))
    return {str(body.joint): q for body, q in zip(mechanism.bodies, by_body, strict=True) if body.primitives}


def _component(value: Position, size: int, k: int) -> Array:
    """Return one number of a joint's value, shape (), or of n values, shape (n,)."""
    numbers = np.asarray(value, dtype=np.float64)
    if size == 1:
        return numbers.reshape(-1)[0] if numbers.size == 1 else numbers
    return np.asarray(numbers[..., k])


def _with_component(value: Position | None, size: int, k: int, component: Array) -> Position:
    """Return a joint's value, or n values, with another number in one place; None is zero."""
    numbers = np.zeros((*np.shape(component), size))
    if value is not None:
        numbers += np.reshape(np.asarray(value, dtype=np.float64), (-1, size) if numbers.ndim > 1 else size)
    numbers[..., k] = component
    return tuple((numbers[..., 0] if size == 1 and numbers.ndim > 1 else numbers).tolist())
