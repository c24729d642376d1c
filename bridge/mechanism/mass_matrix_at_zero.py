"""The mass matrix at the zero configuration and its inverse, each computed once for a mechanism."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from loaders.spatial import Array

MAX_DOFS = 1000
"""Largest number of velocities for which the mass matrix is computed: its inverse takes cubic time."""


@dataclass(frozen=True, eq=False)
class MassMatrixAtZero:
    """The mass matrix at the zero configuration.

    Attributes:
        matrix: The mass matrix, shape (nv, nv), read-only.
    """

    matrix: Array

    @cached_property
    def inverse(self) -> Array | None:
        """The inverse mass matrix, shape (nv, nv); None if the matrix is singular or not finite."""
        if not np.all(np.isfinite(self.matrix)):
            return None
        try:
            return np.asarray(np.linalg.inv(self.matrix), dtype=np.float64)
        except np.linalg.LinAlgError:
            return None

    @cached_property
    def pseudo_inverse(self) -> Array | None:
        """The inverse, or the pseudo-inverse of a singular matrix; None if the matrix is not finite."""
        if self.inverse is not None or not np.all(np.isfinite(self.matrix)):
            return self.inverse
        return np.asarray(np.linalg.pinv(self.matrix, hermitian=True), dtype=np.float64)
