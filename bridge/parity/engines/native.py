"""Base of the adapters of simulators' own loaders.

They read the original file with default settings. Their names are matched with or without the scope
of the model.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping

import numpy as np

from bridge.installed_packages import version_of
from bridge.mechanism import Mechanism
from bridge.mechanism.coordinates import Coordinates, Position
from bridge.parity.engine import BaseEngine, Dof, NotReportedError
from loaders import Search
from loaders.model import CouplingLaw
from loaders.pose import Array
from loaders.scoped_names import local_name


class NativeEngine(BaseEngine):
    """Base class: matches names, and raises `NotReportedError` for what these loaders are not asked
    for.

    A file that the loader does not read counts as a difference.
    """

    reads_file = True
    refusal_is_difference = True

    def __init__(self, mechanism: Mechanism, _search: Search | None = None) -> None:
        super().__init__(mechanism)
        self.version = version_of(self.name.partition("-")[0]) or "unknown"
        self.links = _by_short_name(body.name for body in mechanism.bodies)
        self.joints = _by_short_name(joint.name for joint in mechanism.scene.joints)

    def _require_model(self) -> None:
        if self.refusal:
            raise NotReportedError(self.refusal)

    def couplings(self) -> dict[tuple[Dof, Dof], CouplingLaw]:
        """See `Engine.couplings`; these loaders create none."""
        self._require_model()
        return {}

    def violations(self) -> dict[str, float]:
        raise NotReportedError(f"{self.name} creates no constraints")

    def set_step(self, seconds: float) -> None:
        """See `Engine.set_step`; these loaders do not take part in motion."""

    def step(self, count: int) -> None:
        """See `Engine.step`; these loaders do not take part in motion."""

    def _in_v_order(self, dofs: Mapping[str, int], M: Array) -> Array:
        """Return a vector or matrix in the mechanism's ``v_order``, with NaN for joints that the
        loader does not have.
        """
        indices = [
            dofs.get(name, -1) if component == 0 else -1
            for name, component in self.mechanism.v_order
        ]
        ordered = np.full((len(indices),) * M.ndim, math.nan)
        known = [k for k, index in enumerate(indices) if index >= 0]
        sources = [indices[k] for k in known]
        ordered[np.ix_(*[known] * M.ndim)] = M[np.ix_(*[sources] * M.ndim)]
        return ordered


class OwnVelocities(NativeEngine):
    """Base class of libraries with velocities of their own, ``v_own = B v``: mass matrix and bias
    forces become ``B.T M B`` and ``B.T (f + M dB/dt v)``.
    """

    _B: Array
    """The matrix B in the current state."""
    _rate: Array
    """The rate of B times the velocities."""

    def _own_mass_matrix(self) -> Array:
        """Return the mass matrix in the library's coordinates."""
        raise NotImplementedError

    def _own_bias_forces(self) -> Array:
        """Return the bias forces in the library's coordinates."""
        raise NotImplementedError

    def _positions_by_name(self, q: Mapping[str, Position]) -> dict[str, Coordinates]:
        """Return the position of every body, by its name; see `Mechanism.positions_by_body`."""
        names = (body.name for body in self.mechanism.bodies)
        return dict(zip(names, self.mechanism.positions_by_body(q), strict=True))

    def mass_matrix(self) -> Array:
        self._require_model()
        M: Array = self._B.T @ self._own_mass_matrix() @ self._B
        return M

    def bias_forces(self) -> Array:
        self._require_model()
        bias = self._own_bias_forces() + self._own_mass_matrix() @ self._rate
        forces: Array = self._B.T @ bias
        return forces

    def inverse_dynamics(self, accelerations: Array) -> Array:
        """See `Engine.inverse_dynamics`; by definition the sum of inertial and bias forces."""
        forces: Array = self.mass_matrix() @ accelerations + self.bias_forces()
        return forces


def _by_short_name(names: Iterator[str]) -> dict[str, str]:
    """Scoped names by scoped name and by the last part of it."""
    by_short_name: dict[str, str] = {}
    for name in names:
        by_short_name.setdefault(name, name)
        by_short_name.setdefault(local_name(name), name)
    return by_short_name


def scalar_joints(values: Mapping[str, Position]) -> dict[str, float]:
    """Return the coordinates of joints with one coordinate, by unscoped name."""
    sized = {
        name: np.atleast_1d(np.asarray(value, dtype=np.float64)) for name, value in values.items()
    }
    return {local_name(name): float(x[0]) for name, x in sized.items() if len(x) == 1}
