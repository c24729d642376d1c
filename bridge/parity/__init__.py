"""Proof: whether simulators run the same robot, in numbers, with the worst error and where it is."""

from __future__ import annotations

from .comparison import Comparison, compare
from .engines.protocol import Engine, EngineMissingError, JointParameters, default_engines, engine_names
from .results.verdict import Level, Outcome, Row, Verdict

__all__ = [
    "Comparison",
    "Engine",
    "EngineMissingError",
    "JointParameters",
    "Level",
    "Outcome",
    "Row",
    "Verdict",
    "compare",
    "default_engines",
    "engine_names",
]
