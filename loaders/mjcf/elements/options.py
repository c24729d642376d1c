"""Options of the simulation: gravity, time step, and the settings of MuJoCo's solver."""

from __future__ import annotations

import numpy as np

from loaders.diagnostics import Fate
from loaders.mjcf.compilation.source import Source
from loaders.model import Physics
from loaders.spatial import Array, frozen


def read_gravity(source: Source) -> Array:
    """Return the gravity [m/s^2]; zero if a flag switches it off."""
    return frozen(np.zeros(3) if "gravity" in source.compiled.disabled else source.model.opt.gravity)


def read_physics(source: Source) -> Physics:
    """Return the settings of the integrator and the solver."""
    return Physics(time_step=float(source.model.opt.timestep), engine="mujoco")


def report_options(source: Source) -> None:
    """Report MuJoCo's warnings, and that the numbers are those of its compiler."""
    for message in dict.fromkeys(source.compiled.warnings):
        where = source.where("body", 0)
        source.diagnostics.add(Fate.NOTED, "mjcf-in.warning", "MuJoCo warns: {message}", where, message=message)
