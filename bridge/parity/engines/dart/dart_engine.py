"""The adapter of DART, the default engine of Gazebo: skeletons that are built from the mechanism.

DART runs in a separate process, because it can crash; see `dart_worker`. It takes steps of the semi-implicit Euler
method. For comparisons in numbers, dampers and springs act explicitly, as in the other engines; as exported, DART
simulates them itself.
"""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from typing import Any, Self

import numpy as np

from bridge.installed_packages import version_of
from bridge.mechanism import Mechanism
from bridge.mechanism.coordinates import Position
from bridge.parity.engines.protocol import Dof, JointParameters, NotReportedError, Settings
from bridge.parity.engines.stated.shapes import Surfaces
from loaders.spatial import Array, Pose, SpatialInertia

from .dart_losses import losses
from .dart_process import DartError, dart_process


class DartEngine:
    """A mechanism in DART.

    If DART crashes, all queries that follow raise `NotReportedError`.

    Attributes:
        refusal: Why DART does not hold the mechanism; empty if it does.
    """

    name = "dart"

    def __init__(self, mechanism: Mechanism, *, as_exported: bool = False) -> None:
        """Build the skeleton.

        Args:
            mechanism: The mechanism.
            as_exported: Whether DART itself simulates dampers and springs.
        """
        self.mechanism = mechanism
        self.version = version_of("dartpy") or "unknown"
        self.diagnostics = losses(mechanism)
        self.refusal, self.refusal_is_difference = "", False
        self._process = dart_process()
        try:
            self._number = self._process.open(mechanism, as_exported=as_exported)
        except DartError as error:
            self.refusal = str(error)

    @classmethod
    def as_exported(cls, mechanism: Mechanism) -> Self:
        """Open a mechanism in which DART itself simulates dampers and springs."""
        return cls(mechanism, as_exported=True)

    def _ask(self, method: str, *arguments: Any) -> Any:
        if self.refusal:
            raise NotReportedError(self.refusal)
        try:
            return self._process.ask(self._number, method, *arguments)
        except DartError as error:
            self.refusal = str(error)
            raise NotReportedError(self.refusal) from error

    def set_state(self, q: Mapping[str, Position], v: Mapping[str, Position]) -> None:
        """See `Engine.set_state`; after a crash nothing happens, and the queries state it."""
        with suppress(NotReportedError):
            self._ask("set_state", dict(q), dict(v))

    def link_poses(self) -> dict[str, Pose]:
        """See `Engine.link_poses`."""
        poses: dict[str, Pose] = self._ask("link_poses")
        return poses

    def jacobians(self) -> dict[str, Array]:
        """See `Engine.jacobians`."""
        jacobians: dict[str, Array] = self._ask("jacobians")
        return jacobians

    def inertias(self) -> dict[str, SpatialInertia]:
        """See `Engine.inertias`."""
        inertias: dict[str, SpatialInertia] = self._ask("inertias")
        return inertias

    def joint_parameters(self) -> dict[Dof, JointParameters]:
        """See `Engine.joint_parameters`."""
        parameters: dict[Dof, JointParameters] = self._ask("joint_parameters")
        return parameters

    def settings(self) -> Settings:
        """Return gravity, time step and initial poses of DART's world."""
        settings: Settings = self._ask("settings")
        return settings

    def couplings(self) -> dict[tuple[Dof, Dof], tuple[float, float]]:
        """See `Engine.couplings`."""
        couplings: dict[tuple[Dof, Dof], tuple[float, float]] = self._ask("couplings")
        return couplings

    def mass_matrix(self) -> Array:
        """See `Engine.mass_matrix`."""
        return np.asarray(self._ask("mass_matrix"))

    def bias_forces(self) -> Array:
        """See `Engine.bias_forces`."""
        return np.asarray(self._ask("bias_forces"))

    def inverse_dynamics(self, accelerations: Array) -> Array:
        """See `Engine.inverse_dynamics`."""
        return np.asarray(self._ask("inverse_dynamics", accelerations))

    def violations(self) -> dict[str, float]:
        """See `Engine.violations`."""
        violations: dict[str, float] = self._ask("violations")
        return violations

    def collidable_pairs(self) -> frozenset[frozenset[str]]:
        """See `Engine.collidable_pairs`."""
        pairs: frozenset[frozenset[str]] = self._ask("collidable_pairs")
        return pairs

    def surfaces(self) -> Surfaces:
        """Return the shapes of DART's skeleton and their friction."""
        surfaces: Surfaces = self._ask("surfaces")
        return surfaces

    def positions(self) -> dict[str, Position]:
        """See `Engine.positions`."""
        positions: dict[str, Position] = self._ask("positions")
        return positions

    def velocities(self) -> Array:
        """See `Engine.velocities`."""
        return np.asarray(self._ask("velocities"))

    def set_step(self, seconds: float) -> None:
        """See `Engine.set_step`; after a crash nothing happens."""
        with suppress(NotReportedError):
            self._ask("set_step", seconds)

    def step(self, count: int) -> None:
        """See `Engine.step`."""
        self._ask("step", count)

    def close(self) -> None:
        """See `Engine.close`."""
        if not self.refusal:
            with suppress(DartError):
                self._process.close(self._number)
