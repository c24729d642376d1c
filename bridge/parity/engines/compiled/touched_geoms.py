"""The number of others that each geom of a compiled MuJoCo model may touch, by the rules that MuJoCo documents."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from loaders.spatial import Array

MAX_GEOMS = 4000
"""Number of geoms beyond which they are not counted: memory and time grow with its square."""
_FILTERPARENT = 1 << 10
"""MuJoCo's ``mjDSBL_FILTERPARENT``."""


def touched_geoms(model: Any, solid: Sequence[bool]) -> Array:
    """Return the number of geoms that each geom may touch by bitmasks, exclusions and welds, shape (ngeom,).

    Args:
        model: The ``mujoco.MjModel``.
        solid: Whether each geom counts.
    """
    if model.ngeom > MAX_GEOMS:
        return np.zeros(model.ngeom)
    mine, others = (np.asarray(mask, dtype=np.int64) for mask in (model.geom_contype, model.geom_conaffinity))
    matching = (mine[:, None] & others[None, :]) != 0
    bodies = np.asarray(model.geom_bodyid)
    touching = (
        (matching | matching.T) & allowed_bodies(model)[np.ix_(bodies, bodies)] & np.asarray(solid, dtype=np.bool_)
    )
    return np.asarray(touching.sum(axis=1))


def allowed_bodies(model: Any) -> NDArray[np.bool_]:
    """Return whether two bodies may touch by exclusions and welds, whatever their bitmasks, shape (nbody, nbody).

    Args:
        model: The ``mujoco.MjModel``.
    """
    weld = np.asarray(model.body_weldid)
    allowed: NDArray[np.bool_] = weld[:, None] != weld[None, :]
    if not model.opt.disableflags & _FILTERPARENT:
        parent = weld[np.asarray(model.body_parentid)[weld]]
        adjacent = (weld[:, None] == parent[None, :]) & (weld[:, None] != 0)
        allowed &= ~(adjacent | adjacent.T)
    one, two = np.divmod(np.asarray(model.exclude_signature, dtype=np.int64), 1 << 16)
    allowed[one, two] = allowed[two, one] = False
    return allowed
