"""Numbers over all results of a batch."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field

from bridge.batches.results import BatchOutcome, BatchResult, worst_status

_MAX_CODES = 1000
"""Number of codes that are counted; sdfbridge has fewer."""


@dataclass(slots=True)
class Totals:
    """Numbers of results, which need the same memory for any number of results.

    Attributes:
        outcomes: Number of models, keyed by outcome.
        severities: Number of diagnostics, keyed by severity.
        fates: Number of diagnostics, keyed by fate.
        codes: Number of models that have a diagnostic of a code.
        statuses: Number of models, keyed by exit status.
    """

    outcomes: Counter[str] = field(default_factory=Counter)
    severities: Counter[str] = field(default_factory=Counter)
    fates: Counter[str] = field(default_factory=Counter)
    codes: Counter[str] = field(default_factory=Counter)
    statuses: Counter[int] = field(default_factory=Counter)

    def add(self, result: BatchResult) -> None:
        """Count a result."""
        self.outcomes[str(result.outcome)] += 1
        self.severities.update(result.severities)
        self.fates.update(result.fates)
        self.statuses[result.status] += 1
        for code in {str(entry["code"]) for entry in result.diagnostics}:
            if code in self.codes or len(self.codes) < _MAX_CODES:
                self.codes[code] += 1

    @property
    def models(self) -> int:
        """The number of results."""
        return self.outcomes.total()

    @property
    def failures(self) -> int:
        """The number of models whose exit status is not 0."""
        return self.models - self.statuses[0]

    @property
    def status(self) -> int:
        """The exit status of the batch: that of the worst model."""
        return worst_status(self.statuses)

    def ordered(self) -> list[tuple[str, int]]:
        """Return the number of models of each outcome that occurs, the best outcome first."""
        return [(str(outcome), self.outcomes[outcome]) for outcome in BatchOutcome if self.outcomes[outcome]]

    def to_dict(self) -> dict[str, object]:
        """Return plain data."""
        return {
            "models": self.models,
            "status": self.status,
            "outcomes": dict(self.ordered()),
            "diagnostics": dict(sorted(self.severities.items())),
            "fates": dict(sorted(self.fates.items())),
        }


def totals_of(results: Iterable[BatchResult]) -> Totals:
    """Return the numbers over all results."""
    totals = Totals()
    for result in results:
        totals.add(result)
    return totals
