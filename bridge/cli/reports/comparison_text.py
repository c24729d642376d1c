"""The text of a comparison: the verdict, then what differs, then the rest on request."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import replace

from bridge.cli.errors import DIFFERENT, INCOMPLETE, SUCCESS
from bridge.cli.output import Output
from bridge.parity import Comparison, Outcome, Verdict
from bridge.parity.results.causes import Gap
from bridge.parity.results.verdict import Row, line, number

_STYLES = {Outcome.PASSED: None, Outcome.EXPLAINED: "yellow", Outcome.FAILED: "bold red", Outcome.UNKNOWN: "dim"}
_WORDS = {Outcome.PASSED: "pass", Outcome.EXPLAINED: "explained", Outcome.FAILED: "FAIL", Outcome.UNKNOWN: "unknown"}
_VERDICTS = {
    Verdict.EQUIVALENT: "bold green", Verdict.AGREES: "bold yellow", Verdict.INCOMPLETE: "bold magenta",
    Verdict.DIFFERS: "bold red",
}  # fmt: skip
_COLUMNS = ("", "quantity", "engines", "worst", "tolerance", "where", "")


def show_comparison(comparison: Comparison, output: Output, command: str) -> None:
    """Print the verdict, the number of rows of each outcome, the rows that differ, causes, and what was not compared.

    With ``-v`` all rows are printed.

    Args:
        comparison: The comparison.
        output: Where to print.
        command: The command that repeats the comparison.
    """
    output.banner(f"{comparison.model}: {comparison.verdict}{_without(comparison)}", _VERDICTS[comparison.verdict])
    output.data(_summary(comparison))
    shown = comparison.rows if output.verbosity > 0 else comparison.failures
    if shown:
        _show_rows(shown, output)
    for cause in _causes(row for row in comparison.rows if _tells_cause(row, output)):
        output.data(cause)
    for gap in _joined(comparison.gaps):
        output.data(f"not compared: {gap}")
    for condition in comparison.conditions:
        output.data(f"holds if {condition}")
    for row in comparison.failures[:1]:
        output.data(f"first difference: {line(row)}")
        output.data(f"repeat with: {command}")
    if output.verbosity == 0:
        output.progress("-v shows every quantity")


def _tells_cause(row: Row, output: Output) -> bool:
    """Return whether the cause of a row is printed; why a row compares nothing, only with all rows."""
    return bool(row.cause) and (row.outcome is not Outcome.UNKNOWN or output.verbosity > 0)


def _causes(rows: Iterable[Row]) -> list[str]:
    """Return each cause once, after the quantities that have it."""
    quantities: dict[str, dict[str, None]] = {}
    for row in rows:
        quantities.setdefault(row.cause, {})[row.quantity] = None
    return [f"{', '.join(names)}: {cause}" for cause, names in quantities.items()]


def _joined(gaps: Iterable[Gap]) -> list[str]:
    """Return the text of each gap, those that differ in the engines only as one."""
    engines: dict[Gap, list[str]] = {}
    for gap in gaps:
        engines.setdefault(replace(gap, engines=()), []).append(" and ".join(gap.engines))
    pairs = {gap: ", ".join(filter(None, names)) for gap, names in engines.items()}
    return [str(replace(gap, engines=(text,) if text else ())) for gap, text in pairs.items()]


def _without(comparison: Comparison) -> str:
    """Return a statement of how much of the file the verdict is not about; empty if it is about all of it."""
    count = comparison.skipped
    return f", without {count} invalid piece{'s' * (count != 1)} that lenient loading skipped" if count else ""


def exit_status(verdict: Verdict, *, strict: bool) -> int:
    """Return the exit status of a verdict.

    Args:
        verdict: The verdict.
        strict: Whether differences with a known cause count.
    """
    if verdict is Verdict.INCOMPLETE:
        return INCOMPLETE
    return DIFFERENT if verdict is Verdict.DIFFERS or (strict and verdict is Verdict.AGREES) else SUCCESS


def _summary(comparison: Comparison) -> str:
    counts = Counter(row.outcome for row in comparison.rows)
    outcomes = ", ".join(f"{counts[outcome]} {_WORDS[outcome].lower()}" for outcome in Outcome if counts[outcome])
    return f"{', '.join(comparison.engines)} and the reference: {outcomes or 'nothing to compare'}"


def _show_rows(rows: Sequence[Row], output: Output) -> None:
    cells = [
        (
            str(row.level), row.quantity, " / ".join(row.engines), _short(row.error), f"{row.tolerance:.0e}",
            row.where, _WORDS[row.outcome],
        )
        for row in rows
    ]  # fmt: skip
    output.table(_COLUMNS, cells, [_STYLES[row.outcome] for row in rows])


def _short(error: float) -> str:
    value = number(error)
    return value if isinstance(value, str) else f"{value:.1e}"
