"""The home position of a mechanism: where it starts, within its limits and its couplings."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol

import numpy as np

from loaders.model import JointAxis

from .bodies import Body, Closure, DofCoupling
from .coordinates import (
    Coordinates,
    Coupled,
    Position,
    default_position,
    joint_index,
    kind_of,
    leading_positions,
    with_followers,
)
from .kinematics import with_loops_closed


class _Closed(Coupled, Protocol):
    """A mechanism with coupled joints and loops, as `bridge.Mechanism` is."""

    @property
    def closures(self) -> tuple[Closure, ...]:
        """The closures of its loops."""


def home_coordinates(mechanism: _Closed) -> list[Coordinates]:
    """Return the home position of each body's joint: the source's initial position, or zero, within
    the limits and loops closed.

    Joints that follow others are where the couplings put them, unless the source states their
    position too; joints that others follow are where the limits of those hold too.
    """
    bodies, indices = mechanism.bodies, joint_index(mechanism.bodies)
    stated = {
        i
        for i, body in enumerate(bodies)
        if body.source is not None and body.source.default_position
    }
    positions = [_home(body) for body in bodies]
    leading = {joint: positions[indices[joint]] for joint in leading_positions(mechanism)}
    place(with_followers(mechanism, _within_ranges(mechanism, leading)), positions, indices)
    return with_loops_closed(bodies, mechanism.closures, positions, stated)


def place(
    q: Mapping[str, Position], positions: list[Coordinates], indices: Mapping[str, int]
) -> None:
    """Set positions by joint in a list by body.

    Args:
        q: The positions by joint.
        positions: Position of each body's joint; it is changed.
        indices: Index of the body of each joint.
    """
    for joint, value in q.items():
        positions[indices[joint]] = tuple(np.atleast_1d(value).tolist())


def _within_ranges(
    mechanism: Coupled, leading: Mapping[str, Coordinates]
) -> dict[str, Coordinates]:
    """Return the positions of joints that others follow, moved to where the linear couplings keep
    the others in their limits.
    """
    ranges = {
        body.v_start + p.dof_index: (p.limits.lower, p.limits.upper)
        for body in mechanism.bodies
        for p in body.primitives
        if p.limits is not None and p.limits.lower <= p.limits.upper and kind_of(body) is None
    }
    linear = [c for c in mechanism.couplings if c.multiplier and not c.higher]
    for _ in range(len(linear)):  # each may lead the next
        before = dict(ranges)
        for coupling in linear:
            _narrow(ranges, coupling)
        if ranges == before:
            break
    leaders = {mechanism.v_order[c.leader]: c.leader for c in linear}
    moved = {joint: list(position) for joint, position in leading.items()}
    for (joint, i), dof in leaders.items():
        if joint in moved and dof in ranges:
            moved[joint][i] = float(np.clip(moved[joint][i], *ranges[dof]))
    return {joint: tuple(position) for joint, position in moved.items()}


def _narrow(ranges: dict[int, tuple[float, float]], coupling: DofCoupling) -> None:
    """Restrict the range of a leader to where its follower is in its own range, if there is such a
    place.
    """
    if coupling.follower in ranges:
        ends = [(x - coupling.offset) / coupling.multiplier for x in ranges[coupling.follower]]
        lower, upper = ranges.get(coupling.leader, (-np.inf, np.inf))
        lower, upper = max(lower, min(ends)), min(upper, max(ends))
        if lower <= upper:
            ranges[coupling.leader] = (lower, upper)


def _home(body: Body) -> Coordinates:
    """Return the source's default position, or zero, moved into the limits."""
    position = body.source.default_position if body.source is not None else ()
    position = position or default_position(body)
    return clamped(body, position) or position


def clamped(body: Body, position: Coordinates) -> Coordinates | None:
    """Return a position moved into the limits, or None if it is inside."""
    if kind_of(body) is not None:
        return None
    axes = {p.dof_index: p.limits for p in body.primitives}
    moved = tuple(_clamp(axes.get(i), x) for i, x in enumerate(position))
    return None if moved == tuple(position) else moved


def _clamp(axis: JointAxis | None, x: float) -> float:
    return x if axis is None or axis.lower > axis.upper else min(max(x, axis.lower), axis.upper)
