"""Measurements of real models at the levels L3 and L4: energy, momentum and contact in both
simulators.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import bridge
import loaders
from bridge.parity import Outcome, Row
from loaders.diagnostics import ExportError
from tests.corpora.model_batch import do_all
from tests.corpora.models_corpus import Model, compare_or_repair

LEVELS = ("L3", "L4")


@dataclass(frozen=True, slots=True, kw_only=True)
class Measured:
    """Measurements of one model."""

    model: str
    invalid: bool = False
    """Whether the model does not load."""
    repaired: bool = False
    """Whether non-physical inertias were repaired, because MuJoCo refuses them."""
    rows: tuple[Row, ...] = ()
    crash: str = ""

    def verdict(self, level: str) -> str:
        """Return the verdict of one level."""
        outcomes = {row.outcome for row in self.rows if row.level == level}
        words = (
            (Outcome.FAILED, "DIFFERS"),
            (Outcome.EXPLAINED, "AGREES"),
            (Outcome.PASSED, "EQUIVALENT"),
        )
        return next((word for outcome, word in words if outcome in outcomes), "nothing to measure")


def measure_all(models: Sequence[Model]) -> list[Measured]:
    """Measure models, each in a separate process."""
    return do_all(judge, models, lambda model, crash: Measured(model=model.name, crash=crash))


def judge(model: Model) -> Measured:
    """Measure a model in this process."""
    try:
        mechanism = bridge.lower(
            loaders.load(model.path, paths=list(model.paths), package_map=model.packages)
        )
    except (loaders.LoadError, ExportError):
        return Measured(model=model.name, invalid=True)
    comparison, repaired = compare_or_repair(
        mechanism, ("mujoco", "pybullet"), levels=LEVELS, configurations=1
    )
    return Measured(model=model.name, rows=comparison.rows, repaired=repaired)
