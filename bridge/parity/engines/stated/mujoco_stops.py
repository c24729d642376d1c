"""Stops of a compiled MuJoCo model."""

from __future__ import annotations

from typing import Any

import numpy as np

from loaders.spatial import Array

_HARDEST = 2.0
"""Time constant of the hardest stable stop, in time steps."""
_ROUNDING = 1.001


def stop_compliance(model: Any, joint: int, ratio: float) -> float:
    """Return how far a joint yields beyond its stop per effort, at the zero position [rad/(N m) or m/N].

    A stop as hard as the solver allows, with a time constant of two steps, has none.

    Args:
        model: The compiled model.
        joint: The joint.
        ratio: The position of the MuJoCo joint divided by that of the model.
    """
    solref, solimp = model.jnt_solref[joint], model.jnt_solimp[joint]
    impedance, w = float(solimp[1]), float(model.dof_invweight0[model.jnt_dofadr[joint]])
    if solref[0] > 0.0:
        hardest = _HARDEST * float(model.opt.timestep) * _ROUNDING
        if solref[0] <= hardest and impedance > 0.99:
            return 0.0
        stiffness = 1.0 / (impedance * float(solref[0]) * float(solref[1])) ** 2
    else:
        stiffness = -float(solref[0])
    return float((1.0 - impedance) * w / stiffness / ratio**2)


def stop_settings(model: Any, joint: int) -> Array:
    """Return the limits of a joint, which count from the pose that the document draws, and the softness of its stops.

    Args:
        model: The compiled model.
        joint: The joint.
    """
    tables = (model.jnt_range, model.jnt_solref, model.jnt_solimp, model.jnt_margin)
    return np.concatenate([np.ravel(table[joint]) for table in tables]).astype(np.float64)
