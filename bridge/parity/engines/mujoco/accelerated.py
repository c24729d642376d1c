"""MuJoCo's models in simulators that compute many states at once: what MJX and MuJoCo Warp share.

The export is compiled by MuJoCo and put on a device. The numbers that the device holds are written
back into the compiled model, and those that it computes into the data of a state, so that every
reading of `MujocoEngine` shows them. No kinematics and no dynamics of MuJoCo itself take part.
"""

from __future__ import annotations

import dataclasses
from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from copy import copy
from typing import Any, NoReturn

import numpy as np

from bridge import codes
from bridge.lowering.transform import relowered
from bridge.mechanism import Mechanism
from bridge.mechanism.coordinates import Position
from bridge.parity.engine import (
    ActuatorKind,
    ActuatorTrial,
    DivergedError,
    NotReportedError,
    Surfaces,
)
from bridge.parity.states import State
from bridge.targets.mjcf.keyframe import qpos
from loaders.diagnostics import Where, finding_of
from loaders.pose import Array

from .engine import MujocoEngine

Computed = Mapping[str, Array]
"""Results of a device for some states: fields of ``MjData`` by name, the states along the first
axis; the mass matrix ``M`` is dense."""
FIELDS = (
    "xpos", "xmat", "subtree_com", "cdof", "site_xpos", "site_xmat", "qfrc_bias", "qfrc_gravcomp",
    "sensordata",
)  # fmt: skip
"""The fields that a device computes beside the mass matrix."""


class AcceleratedEngine(MujocoEngine, ABC):
    """A mechanism in a simulator that runs compiled models of MuJoCo on a device.

    It takes part in smooth motion: what its solver of constraints and contacts does is not
    compared.

    Attributes:
        title: The name of the simulator for people.
    """

    title = ""
    solves_constraints = False

    def __init__(self, mechanism: Mechanism, *, as_exported: bool = False) -> None:
        """Compile the export of a mechanism, and put it on the device.

        Args:
            mechanism: The mechanism.
            as_exported: Whether to keep the integrator and the damping of the export.
        """
        self._lacks_shapes = False
        self._batch: dict[bytes, tuple[Computed, int]] = {}
        self._current: tuple[bytes, Computed, int] | None = None
        super().__init__(mechanism, as_exported=as_exported)
        self._forces = np.zeros(self.model.nv)
        self._driven_by_effort: Mapping[str, tuple[int, float]] = {}
        reason = self._shapes_refusal() or self._refusal_of()
        if reason and any(link.collisions for link in mechanism.scene.links):
            finding = finding_of(
                codes.ACCELERATED_SHAPES,
                Where(mechanism.scene.source),
                target=self.name,
                hint="",
                subjects=(),
                engine=self.title,
                reason=reason,
            )
            super().__init__(_without_shapes(mechanism), as_exported=as_exported)
            self.mechanism = mechanism
            self._lacks_shapes = True
            self.diagnostics = (finding, *self.diagnostics)
            reason = self._refusal_of()
        if reason:
            self.refusal = f"{self.title} does not take the model: {reason}"
        self.version = self._version()

    def _shapes_refusal(self) -> str:
        """Return why the device does not get the shapes; empty if it does."""
        return ""

    def _refusal_of(self) -> str:
        """Put the model on the device; return what it lacks, empty if it takes the model."""
        try:
            self._hold(self._put())
        except NotImplementedError as error:
            return str(error)
        return ""

    def _hold(self, numbers: Mapping[str, Array]) -> None:
        """Write the numbers that the device holds into the compiled model."""
        for name, value in numbers.items():
            held = getattr(self.model, name, None)
            if isinstance(held, np.ndarray) and held.size == value.size:
                held[...] = np.reshape(value, held.shape)
        self._opened = copy(self.model)

    # --- what a simulator answers -----------------------------------------------------------------

    @abstractmethod
    def _version(self) -> str:
        """Return the version of the simulator."""

    @abstractmethod
    def _put(self) -> Mapping[str, Array]:
        """Put the compiled model on the device, and return the numbers that it holds by the names
        of ``MjModel``.

        Raises:
            NotImplementedError: If the simulator lacks something.
        """

    @abstractmethod
    def _computed(self, positions: Array, velocities: Array) -> Computed:
        """Return kinematics, mass matrices and bias forces of states, one in each row."""

    @abstractmethod
    def advanced(
        self, positions: Array, velocities: Array, forces: Array, count: int
    ) -> tuple[Array, Array]:
        """Return positions and velocities after a number of steps from states, one in each row, all
        in the coordinates of MuJoCo.

        Args:
            positions: Positions, shape (n, nq).
            velocities: Velocities, shape (n, nv).
            forces: Generalized forces that act during the steps, shape (n, nv).
            count: Number of steps.
        """

    @abstractmethod
    def _measured(self) -> Array:
        """Return all sensors in the current state, also those of accelerations and forces."""

    # --- state ------------------------------------------------------------------------------------

    def prepare(self, states: Sequence[State]) -> None:
        """See `Engine.prepare`; all states are computed at once."""
        if self.refusal or not states:
            return
        self._batch = {}
        positions, velocities = self.coordinates(states)
        computed = self._computed(positions, velocities)
        for k, row in enumerate(zip(positions, velocities, strict=True)):
            self._batch[_key(*row)] = computed, k

    def coordinates(self, states: Sequence[State]) -> tuple[Array, Array]:
        """Return positions and velocities of states in the coordinates of MuJoCo, one in each
        row.
        """
        positions, velocities = [], []
        for q, v in states:
            self._positions = self.mechanism.positions_by_body(q)
            positions.append(self._qpos(q))
            velocities.append(self._velocity_map() @ self.mechanism.velocities(v))
        return np.array(positions), np.array(velocities)

    def addresses(self, joints: Sequence[str]) -> tuple[Array, Array, Array]:
        """Return the columns of joints in positions and in velocities, and the ratios of both to
        the positions and velocities of the mechanism.
        """
        self.joint_states(joints)
        return self._addresses[tuple(joints)]

    def set_state(self, q: Mapping[str, Position], v: Mapping[str, Position]) -> None:
        """See `Engine.set_state`."""
        if not self.refusal:
            super().set_state(q, v)

    def _qpos(self, q: Mapping[str, Position]) -> Array:
        return np.asarray(qpos(self.mechanism, q), dtype=np.float64)

    def _forward(self) -> None:
        self._kinematics(self._data)

    def _kinematics(self, data: Any) -> None:
        """Write what the device computes of a state into its data."""
        key = _key(data.qpos, data.qvel)
        if self._current is None or self._current[0] != key:
            computed, k = self._batch.get(key) or (
                self._computed(np.array([data.qpos]), np.array([data.qvel])),
                0,
            )
            self._current = key, computed, k
        _, computed, k = self._current
        for name in FIELDS:
            field = getattr(data, name)
            field[...] = np.reshape(computed[name][k], field.shape)

    def _of_current_state(self, name: str) -> Array:
        self._kinematics(self._data)
        if self._current is None:
            raise NotReportedError(f"{self.title} has no state")
        numbers: Array = self._current[1][name][self._current[2]]
        return numbers

    def step(self, count: int) -> None:
        """See `Engine.step`.

        Raises:
            DivergedError: If the motion leaves the finite numbers.
        """
        q, v, forces = (np.array([x]) for x in (self._data.qpos, self._data.qvel, self._forces))
        position, velocity = (rows[0] for rows in self.advanced(q, v, forces, count))
        if not (np.isfinite(position).all() and np.isfinite(velocity).all()):
            raise DivergedError(f"the motion in {self.title} diverges")
        self._data.qpos[:], self._data.qvel[:] = position, velocity

    # --- dynamics ---------------------------------------------------------------------------------

    def mass_matrix(self) -> Array:
        """See `Engine.mass_matrix`."""
        M, B = self._of_current_state("M"), self._velocity_map()
        projected: Array = B.T @ M @ B
        return projected

    def bias_forces(self) -> Array:
        """See `Engine.bias_forces`."""
        self._kinematics(self._data)
        return super().bias_forces()

    def inverse_dynamics(self, accelerations: Array) -> Array:
        """See `Engine.inverse_dynamics`; by definition the sum of the inertial and the bias forces
        of the simulator.
        """
        forces: Array = self.mass_matrix() @ accelerations + self.bias_forces()
        return forces

    def sensor_forces(self) -> dict[str, Array]:
        """See `Engine.sensor_forces`."""
        self._data.sensordata[:] = self._measured()
        return super().sensor_forces()

    # --- what is not compared ---------------------------------------------------------------------

    def _refuse_constraints(self) -> NoReturn:
        raise NotReportedError(f"{self.title} is compared in smooth motion only")

    def actuator_efforts(self, trials: Mapping[str, ActuatorTrial]) -> dict[str, Array]:
        """Refuse to answer if there are any trials."""
        if trials:
            self._refuse_constraints()
        return {}

    def start_actuators(self, actuators: ActuatorKind, joints: Iterable[str]) -> None:
        """See `Engine.start_actuators`; efforts act on the joints themselves."""
        if actuators != "motor":
            self._refuse_constraints()
        names = tuple(joints)
        _, columns, ratios = self.addresses(names)
        self._driven_by_effort = dict(zip(names, zip(columns, ratios, strict=True), strict=True))

    def set_controls(self, controls: Mapping[str, float]) -> None:
        """See `Engine.set_controls`."""
        for name, effort in controls.items():
            column, ratio = self._driven_by_effort[name]
            self._forces[column] = effort / ratio

    def collidable_pairs(self) -> frozenset[frozenset[str]]:
        """See `Engine.collidable_pairs`; by MuJoCo's rules from the numbers on the device."""
        self._require_shapes()
        return super().collidable_pairs()

    def surfaces(self) -> Surfaces:
        """See `Engine.surfaces`; those of the numbers on the device."""
        self._require_shapes()
        return super().surfaces()

    def _require_shapes(self) -> None:
        if self._lacks_shapes:
            raise NotReportedError(f"{self.title} gets the model without shapes")


def _key(position: Array, velocity: Array) -> bytes:
    return np.asarray(position).tobytes() + np.asarray(velocity).tobytes()


def _without_shapes(mechanism: Mechanism) -> Mechanism:
    """Return a mechanism without shapes, and without sensors of MuJoCo, which may name them."""
    elements = tuple(e for e in mechanism.scene.engine_elements if e.section != "sensor")
    links = tuple(dataclasses.replace(link, collisions=()) for link in mechanism.scene.links)
    bare = dataclasses.replace(
        mechanism.scene, links=links, contact_pairs=(), engine_elements=elements
    )
    return relowered(mechanism, bare)
