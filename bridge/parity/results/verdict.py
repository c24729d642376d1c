"""What a comparison found: one row for each quantity and pair of engines, and the verdict over all of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from loaders.diagnostics import Diagnostic


class Level(StrEnum):
    """How deep a comparison looks."""

    MODEL = "L0"
    """What the engines hold, and where they put the links."""
    OPERATORS = "L1"
    """Mass matrix and forces at random states."""
    MOTION = "L2"
    """One step, and a second of motion without contact."""
    INVARIANTS = "L3"
    """What motion without losses conserves."""
    CONTACT = "L4"
    """How shapes rest, slide, bounce and stack."""


DEFAULT_LEVELS = (Level.MODEL, Level.OPERATORS, Level.MOTION)
"""Those that ask whether engines run the same robot; the others measure the engines' own methods."""


class Outcome(StrEnum):
    """What became of one comparison."""

    PASSED = "passed"
    EXPLAINED = "explained"
    """Beyond the tolerance, with a named cause; or within a wider one that is stated."""
    FAILED = "failed"
    UNKNOWN = "unknown"
    """An engine does not report the quantity."""


class Verdict(StrEnum):
    """The whole in a word."""

    EQUIVALENT = "EQUIVALENT"
    """Every quantity agrees to its tolerance."""
    AGREES = "AGREES"
    """Every quantity that does not has a named cause."""
    DIFFERS = "DIFFERS"
    """Some quantity differs, and nothing that is known explains it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One quantity, held by two engines."""

    level: Level
    quantity: str
    unit: str
    engines: tuple[str, str]
    error: float
    """The worst that was found."""
    tolerance: float
    where: str
    """The link or joint with the worst error."""
    outcome: Outcome
    cause: str = ""
    """Why it is not exact; empty if it is, or if nobody knows."""
    series: tuple[tuple[float, float], ...] = ()
    """Of a motion: time [s] and error."""
    sensitivity: float | None = None
    """Of a motion: how many times further apart two motions of one engine end than they start."""
    convergence: tuple[tuple[float, float], ...] = ()
    """Step [s] and error."""
    order: float | None = None
    """Slope of that on logarithmic axes: the order of convergence."""

    @property
    def passed(self) -> bool:
        """Whether nothing unexplained was found."""
        return self.outcome is not Outcome.FAILED

    def to_dict(self) -> dict[str, Any]:
        """Plain data; an error that is no number is its name, and what was not measured is left out."""
        measured = {
            "sensitivity": self.sensitivity,
            "order": self.order,
            "series": [[t, number(x)] for t, x in self.series],
            "convergence": [[step, number(x)] for step, x in self.convergence],
        }
        return {
            "level": str(self.level),
            "quantity": self.quantity,
            "unit": self.unit,
            "engines": list(self.engines),
            "error": number(self.error),
            "tolerance": self.tolerance,
            "where": self.where,
            "outcome": str(self.outcome),
            "passed": self.passed,
            "cause": self.cause,
            **{name: value for name, value in measured.items() if value},
        }


def number(x: float) -> float | str:
    """A number as JSON has it: what is not finite is a word."""
    return x if abs(x) < float("inf") else str(x)


@dataclass(frozen=True, slots=True, kw_only=True)
class Findings:
    """What was found of two or more engines, held against each other and against the mechanism itself."""

    model: str
    source: str
    """The file; empty if there was none."""
    rows: tuple[Row, ...]
    engines: tuple[str, ...]
    environment: dict[str, str]
    """Versions, and what makes the run repeatable."""
    diagnostics: tuple[Diagnostic, ...]
    """The ledgers of all engines."""
    details: Mapping[str, Any] = field(default_factory=dict)
    """What a report draws: mass matrices, inertias, collision pairs."""

    @property
    def verdict(self) -> Verdict:
        """The worst of all rows."""
        outcomes = {row.outcome for row in self.rows}
        if Outcome.FAILED in outcomes:
            return Verdict.DIFFERS
        return Verdict.AGREES if Outcome.EXPLAINED in outcomes else Verdict.EQUIVALENT

    @property
    def failures(self) -> tuple[Row, ...]:
        """What differs without a known cause; that between the engines first, then that with the reference."""
        return tuple(row for row in self.rows if not row.passed)

    @property
    def command(self) -> str:
        """The command that repeats the comparison."""
        engines = ",".join(self.engines)
        chosen = "".join(f" --set {setting(*item)}" for item in self.details.get("positions", {}).items())
        seed = self.environment["seed"]
        levels = dict.fromkeys(row.level for row in self.rows)
        deep = "" if levels.keys() <= set(DEFAULT_LEVELS) else f" --level {','.join(levels)}"
        mended = " --inertia repair" if self.details.get("inertia") == "repair" else ""
        return f"sdfbridge compare {self.source or '<file>'} --engines {engines} --seed {seed}{deep}{mended}{chosen}"

    def assert_equivalent(self) -> None:
        """Do nothing if every quantity agrees to its tolerance.

        Raises:
            AssertionError: if one does not, with each that does not: by how much, and where.
        """
        if self.verdict is not Verdict.EQUIVALENT:
            lines = [line(row) for row in self.rows if row.outcome in {Outcome.FAILED, Outcome.EXPLAINED}]
            raise AssertionError("\n".join([f"{self.model}: {self.verdict}", *lines, f"again: {self.command}"]))

    def to_dict(self) -> dict[str, Any]:
        """Plain data: verdict, environment, every row, every diagnostic."""
        return {
            "model": self.model,
            "source": self.source,
            "verdict": str(self.verdict),
            "engines": list(self.engines),
            "environment": self.environment,
            "command": self.command,
            "rows": [row.to_dict() for row in self.rows],
            "diagnostics": [
                {"severity": d.severity, "code": d.code, "message": d.message, "target": d.target}
                for d in self.diagnostics
            ],
        }


def setting(joint: str, position: float | Sequence[float]) -> str:
    """A position as the command line takes it."""
    numbers = position if isinstance(position, Sequence) else (position,)
    return f"{joint}={','.join(repr(float(x)) for x in numbers)}"


def line(row: Row) -> str:
    """One row in words."""
    cause = f": {row.cause}" if row.cause else ""
    return (
        f"{row.level} {row.quantity} of {' and '.join(row.engines)}: {row.error:.2e} {row.unit} at {row.where}, "
        f"tolerance {row.tolerance:.0e}, {row.outcome}{cause}"
    )
