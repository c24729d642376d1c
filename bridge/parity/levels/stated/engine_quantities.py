"""Level L0: what only MuJoCo has, in the export and in the original MJCF file, each compiled by MuJoCo."""

from __future__ import annotations

import math

import numpy as np

from bridge.mechanism import Mechanism
from bridge.parity.engines.protocol import Engine, NotReportedError
from bridge.parity.levels.quantities import Place, Quantity, Readings
from bridge.parity.results.causes import READ_OTHERWISE
from bridge.parity.results.verdict import Level
from loaders.spatial import Array

FORM_TOLERANCE = 2e-5
"""Tolerance of meshes and height fields relative to their size: vertices have single precision, heights 16 bits."""
_MISSING = frozenset({"resource.not-found", "mesh.missing", "mesh.unreadable", "mjcf.empty-shape", "mjcf.no-shape"})
_FLOOR = 1e-3
"""Numbers below it are compared relative to it: zero has no relative error."""


def _statements(engine: Engine, mechanism: Mechanism) -> Readings:
    """Read the numbers of each element, if the source is MJCF."""
    return _read("compiled_statements", engine, mechanism)


def _forms(engine: Engine, mechanism: Mechanism) -> Readings:
    """Read the supports of each mesh and the heights of each height field, if the source is MJCF."""
    return _read("compiled_forms", engine, mechanism)


def _read(method: str, engine: Engine, mechanism: Mechanism) -> Readings:
    if mechanism.scene.physics.engine != "mujoco":
        return {}
    read = getattr(engine, method, None)
    if read is None:
        raise NotReportedError(f"{engine.name} has no settings of MuJoCo")
    return {Place(label, *names): numbers for (label, names), numbers in read().items()}


def _distance(a: Array, b: Array, _scale: float) -> float:
    """Return the largest relative difference; infinite if there are more numbers on one side."""
    if a.shape != b.shape:
        return math.inf
    different = ~((a == b) | (np.isnan(a) & np.isnan(b)))
    one, two = a[different], b[different]
    with np.errstate(invalid="ignore"):
        return float(np.nan_to_num(np.abs(one - two) / np.maximum(np.maximum(np.abs(one), np.abs(two)), _FLOOR),
                                   nan=math.inf, posinf=math.inf).max(initial=0.0))  # fmt: skip


def _form_distance(a: Array, b: Array, _scale: float) -> float:
    """Return the largest difference relative to the largest number; infinite if there are more numbers on one side."""
    if a.shape != b.shape:
        return math.inf
    size = max(float(np.abs(a).max(initial=0.0)), float(np.abs(b).max(initial=0.0)))
    difference = float(np.abs(a - b).max(initial=0.0))
    return difference / size if difference else 0.0


ENGINE_QUANTITIES = (
    Quantity(
        level=Level.MODEL, name="compiled settings", unit="", error=_distance, read=_statements,
        is_stated=lambda _mechanism: False, causes=frozenset({"mjcf.mujoco-element"}),
    ),
    Quantity(
        level=Level.MODEL, name="compiled meshes", unit="", error=_form_distance, read=_forms,
        tolerance=FORM_TOLERANCE, is_stated=lambda _mechanism: False, causes=_MISSING | READ_OTHERWISE,
    ),
)  # fmt: skip
"""The quantities in the order of the report: other engines lack them, so that a row without them leaves no gap."""
