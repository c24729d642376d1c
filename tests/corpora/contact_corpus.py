"""Real models at the levels of energy, momentum and contact: what both simulators keep, and how shapes touch."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass

import bridge
import loaders
from bridge.parity import Outcome, Row
from loaders.diagnostics import ExportError
from tests.corpora.models_corpus import Model, alone, compared

LEVELS = ("L3", "L4")


@dataclass(frozen=True, slots=True, kw_only=True)
class Measured:
    """What was measured of one model."""

    model: str
    invalid: bool = False
    """Whether it does not load."""
    repaired: bool = False
    """Whether that is with inertias repaired that no body can have, and that MuJoCo refuses."""
    rows: tuple[Row, ...] = ()
    crash: str = ""

    def verdict(self, level: str) -> str:
        """Of one level, in a word."""
        outcomes = {row.outcome for row in self.rows if row.level == level}
        words = ((Outcome.FAILED, "DIFFERS"), (Outcome.EXPLAINED, "AGREES"), (Outcome.PASSED, "EQUIVALENT"))
        return next((word for outcome, word in words if outcome in outcomes), "nothing to measure")


def measure(model: Model) -> Measured:
    """What is measured of a model, in a process of its own."""
    found, crash, _ = alone(judge, model)
    return dataclasses.replace(found or Measured(model=model.name), crash=crash.strip().rpartition("\n")[2])


def judge(model: Model) -> Measured:
    """What is measured of a model, here."""
    try:
        mechanism = bridge.lower(loaders.load(model.path, paths=list(model.paths), package_map=model.packages))
    except (loaders.LoadError, ExportError):
        return Measured(model=model.name, invalid=True)
    found, repaired = compared(mechanism, ("mujoco", "pybullet"), levels=LEVELS, configurations=1)
    return Measured(model=model.name, rows=found.rows, repaired=repaired)
