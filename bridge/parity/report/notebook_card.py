"""The card of a comparison in a notebook: verdict, counts, and what differs or was not compared."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from pathlib import PurePath

from bridge.parity.results.verdict import Findings, Outcome, Row
from loaders.notebook import card, details, findings_table, summary_of, table

SIGNS = {Outcome.FAILED: "✗", Outcome.EXPLAINED: "≈", Outcome.UNKNOWN: "?", Outcome.PASSED: "✓"}
"""Outcomes, the worst first, each with its sign."""
_HEADS = ("", "quantity", "engines", "largest error", "at", "cause")


def counts_of(rows: Iterable[Row]) -> str:
    """Return the number of rows of each outcome, the worst first: ``1 failed, 30 passed``."""
    counts = Counter(row.outcome for row in rows)
    return ", ".join(f"{counts[name]} {name}" for name in SIGNS if counts[name]) or "nothing compared"


def verdict_card(findings: Findings) -> str:
    """Return the card of a comparison as HTML."""
    file = PurePath(findings.source).name or findings.model
    parts = []
    notable = [row for row in findings.rows if row.outcome in {Outcome.FAILED, Outcome.EXPLAINED}]
    if notable:
        parts.append(table(_HEADS, map(_row, worst_first(notable))))
    if findings.gaps:
        rows = [(f"? {gap.quantity}", " / ".join(gap.engines), gap.reason) for gap in findings.gaps]
        title = f"{len(rows)} not compared, although the model states it"
        parts.append(details(title, table(("quantity", "engines", "reason"), rows)))
    if len(findings.rows) > len(notable):
        parts.append(details(f"all {len(findings.rows)} rows", table(_HEADS, map(_row, worst_first(findings.rows)))))
    if findings.diagnostics:
        parts.append(details(summary_of(findings.diagnostics), findings_table(findings.diagnostics)))
    facts = (f"{', '.join(findings.engines)}: {counts_of(findings.rows)}", f"repeat with: {findings.command}")
    return card(f"{findings.verdict} {file}", facts, *parts)


def worst_first(rows: Iterable[Row]) -> list[Row]:
    """Return the rows in the order of `SIGNS`; those of one outcome stay in their order."""
    order = list(SIGNS)
    return sorted(rows, key=lambda row: order.index(row.outcome))


def _row(row: Row) -> tuple[str, ...]:
    error = f"{row.error:.1e} {row.unit}".rstrip() if row.outcome is not Outcome.UNKNOWN else ""
    sign = f"{SIGNS[row.outcome]}\N{NO-BREAK SPACE}{row.outcome}"
    return sign, f"{row.level} {row.quantity}", " / ".join(row.engines), error, row.where, row.cause
