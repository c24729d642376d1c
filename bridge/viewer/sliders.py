"""Sliders of the joints of one model."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from bridge.mechanism import Mechanism
from bridge.mechanism.bodies import Body, PrimitiveKind
from bridge.mechanism.coordinates import Position, default_position, kind_of
from bridge.mechanism.couplings import initial_positions, with_followers
from loaders.spatial import matrix_to_quaternion, rotation_about

_ANGLE, _LENGTH = 3.142, 1.0
"""Range of a joint without limits: angle [rad] and length [m], in each direction."""
_STEPS = 500
"""Number of steps of a slider."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Dof:
    """One number that a slider sets.

    Attributes:
        joint: Name of the joint.
        index: Index of the number in the position of the joint; of a ball, in its rotation vector.
        label: Text beside the slider.
        low: Smallest value.
        high: Largest value.
        initial: Value at the start, that of the model.
    """

    joint: str
    index: int
    label: str
    low: float
    high: float
    initial: float


def dofs_of(mechanism: Mechanism) -> list[Dof]:
    """Return what the sliders of a mechanism set: every joint that moves, but free links and what follows another."""
    followers = {mechanism.v_order[coupling.follower] for coupling in mechanism.couplings}
    start = initial_positions(mechanism)
    found = [dof for body in mechanism.bodies if body.joint is not None for dof in _dofs(body, start)]
    return [dof for dof in found if (dof.joint, dof.index) not in followers]


def _dofs(body: Body, initial: Mapping[str, Position]) -> Iterator[Dof]:
    kind, name = kind_of(body), str(body.joint)
    if kind is PrimitiveKind.FREE:
        return
    stated = np.atleast_1d(np.asarray(initial.get(name, default_position(body)), dtype=np.float64))
    start = (_rotation_vector(stated) if kind is PrimitiveKind.BALL else stated).tolist()
    for k in range(body.nv):
        label = name if body.nv == 1 else f"{name} {k + 1}"
        value = start[k]
        low, high = (-_ANGLE, _ANGLE) if kind is PrimitiveKind.BALL else _range(body, k)
        yield Dof(joint=name, index=k, label=label, low=min(low, value), high=max(high, value), initial=value)


def _range(body: Body, k: int) -> tuple[float, float]:
    primitive = next(primitive for primitive in body.primitives if primitive.dof_index == k)
    room = _LENGTH if primitive.kind is PrimitiveKind.SLIDE else _ANGLE
    limits = primitive.limits
    low, high = (limits.lower, limits.upper) if limits is not None else (-math.inf, math.inf)
    low = low if math.isfinite(low) else (min(-room, high - 2 * room) if math.isfinite(high) else -room)
    high = high if math.isfinite(high) else max(room, low + 2 * room)
    return low, high


class Sliders:
    """The sliders of one model, and the positions that they stand for."""

    def __init__(self, gui: Any, mechanism: Mechanism, changed: Callable[[Mapping[str, Position]], None]) -> None:
        self._mechanism = mechanism
        self._changed = changed
        self._is_quiet = False
        self._balls = {str(body.joint) for body in mechanism.bodies if kind_of(body) is PrimitiveKind.BALL}
        self.dofs = dofs_of(mechanism)
        self.handles = [self._add(gui, dof) for dof in self.dofs]

    def _add(self, gui: Any, dof: Dof) -> Any:
        width = max(dof.high - dof.low, 1e-9)
        step = 10.0 ** math.floor(math.log10(width / _STEPS))
        handle = gui.add_slider(dof.label, min=dof.low, max=dof.low + width, step=step, initial_value=dof.initial)
        handle.on_update(lambda _: self._update())
        return handle

    def _update(self) -> None:
        if not self._is_quiet:
            self._changed(self.positions)

    @property
    def positions(self) -> dict[str, Position]:
        """The position of every joint that has a slider or follows one, in the conventions of the mechanism."""
        numbers: dict[str, list[float]] = {}
        for dof, handle in zip(self.dofs, self.handles, strict=True):
            numbers.setdefault(dof.joint, []).append(float(handle.value))
        given: dict[str, Position] = {
            name: _quaternion(values) if name in self._balls else values[0] if len(values) == 1 else tuple(values)
            for name, values in numbers.items()
        }
        return with_followers(self._mechanism, given)

    def set(self, values: Mapping[str, Position]) -> None:
        """Move the sliders to positions by joint; joints that are left out stay.

        Raises:
            ValueError: for a joint without a slider, or a position of the wrong size.
        """
        self._mechanism.positions_by_body(values)  # raises for an unknown joint and for a wrong size
        known = {dof.joint for dof in self.dofs}
        for name in values:
            if name not in known:
                raise ValueError(f"joint {name!r} has no slider; expected one of: {', '.join(sorted(known)) or 'none'}")
        self._is_quiet = True
        try:
            for dof, handle in zip(self.dofs, self.handles, strict=True):
                if dof.joint in values:
                    handle.value = self._number(dof, values[dof.joint])
        finally:
            self._is_quiet = False
        self._changed(self.positions)

    def _number(self, dof: Dof, value: Position) -> float:
        numbers = np.atleast_1d(np.asarray(value, dtype=np.float64))
        wanted = _rotation_vector(numbers) if dof.joint in self._balls else numbers
        return float(np.clip(wanted[dof.index], dof.low, dof.high))

    def reset(self) -> None:
        """Move the sliders to the positions of the model."""
        self._is_quiet = True
        try:
            for dof, handle in zip(self.dofs, self.handles, strict=True):
                handle.value = dof.initial
        finally:
            self._is_quiet = False
        self._changed(self.positions)


def _quaternion(vector: list[float]) -> tuple[float, ...]:
    """The quaternion of a rotation vector."""
    angle = float(np.linalg.norm(vector))
    if angle < 1e-12:
        return (1.0, 0.0, 0.0, 0.0)
    return matrix_to_quaternion(rotation_about(np.array(vector) / angle, angle))


def _rotation_vector(quaternion: np.ndarray) -> np.ndarray:
    """The rotation vector of a quaternion."""
    w, xyz = float(quaternion[0]), quaternion[1:]
    sine = float(np.linalg.norm(xyz))
    if sine < 1e-12:
        return np.zeros(3)
    angle = 2.0 * math.atan2(sine, w)
    angle = angle - 2.0 * math.pi if angle > math.pi else angle
    return np.asarray(xyz * (angle / sine))
