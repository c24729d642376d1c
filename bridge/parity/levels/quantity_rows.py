"""Levels L0 and L1: compare the quantities of all pairs of engines in the same states."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations

from bridge.mechanism import Mechanism
from bridge.parity.engines.protocol import Engine, NotReportedError
from bridge.parity.results.causes import READ_OTHERWISE, Cause
from bridge.parity.results.verdict import Level, Outcome, Row, explained, failed
from loaders.diagnostics import Diagnostic

from .attribution import CauseIndex
from .quantities import Quantity, Readings, WorstErrors, compare_readings, names_at
from .random_states import State


def quantity_rows(
    quantity: Quantity, mechanism: Mechanism, engines: Mapping[str, Engine], states: Sequence[State]
) -> Iterator[Row]:
    """Yield one row for each pair of engines.

    Args:
        quantity: The quantity to compare.
        mechanism: The mechanism that the engines hold.
        engines: The open engines by name.
        states: The states in which to compare.
    """
    worst = {pair: WorstErrors() for pair in combinations(engines, 2)}
    unreported: dict[str, str] = {}
    compared = states[: _state_count(quantity, mechanism)]
    for q, v in compared:
        readings = {}
        for name, engine in engines.items():
            engine.set_state(q, v)
            readings[name] = _reading(quantity, engine, mechanism, unreported, name)
        for (one, two), errors in worst.items():
            a, b = readings[one], readings[two]
            if a is not None and b is not None:
                compare_readings(a, b, quantity.error, errors)
    for (one, two), errors in worst.items():
        if errors.where or unreported.keys() & {one, two}:
            causes = CauseIndex(_findings((engines[one], engines[two]), mechanism), mechanism, compared)
            row = _judged(quantity, (one, two), errors, unreported, causes)
            row = dataclasses.replace(row, is_stated=quantity.is_stated(mechanism))
            yield _with_likely_cause(row, engines) if row.outcome is Outcome.FAILED and not row.cause else row


def refusal_rows(reference: str, engines: Mapping[str, Engine]) -> Iterator[Row]:
    """Yield one row for each engine that does not read the file or reads another model from it.

    Args:
        reference: The name of the reference.
        engines: The open engines by name.
    """
    for name, engine in engines.items():
        refusal = str(getattr(engine, "refusal", ""))
        if refusal:
            differs = bool(getattr(engine, "refusal_is_difference", False))
            yield Row(
                level=Level.MODEL, quantity="reading", unit="", engines=(reference, name), error=math.inf,
                tolerance=0.0, where="", cause=refusal, outcome=Outcome.FAILED if differs else Outcome.UNKNOWN,
            )  # fmt: skip


def _findings(pair: tuple[Engine, Engine], mechanism: Mechanism) -> list[Diagnostic]:
    """The findings of two engines, and what the reader says that an engine which reads the file itself has."""
    found = [entry for engine in pair for entry in engine.diagnostics]
    if any(getattr(engine, "reads_file", False) for engine in pair):
        found += [entry for entry in mechanism.scene.diagnostics if entry.code in READ_OTHERWISE]
    return found


def _state_count(quantity: Quantity, mechanism: Mechanism) -> int | None:
    """The number of states in which to compare; None for all."""
    if not quantity.depends_on_state:
        return 1
    return None if quantity.states is None else quantity.states(mechanism)


def _reading(
    quantity: Quantity, engine: Engine, mechanism: Mechanism, unreported: dict[str, str], name: str
) -> Readings:
    """The reading of an engine; if there is none, the reason is added to ``unreported``."""
    try:
        reading = quantity.read(engine, mechanism)
    except NotReportedError as error:
        unreported[name] = str(error)
        return None
    if reading is None:
        unreported[name] = f"{name} does not report it"
    return reading


def _judged(
    quantity: Quantity, pair: tuple[str, str], errors: WorstErrors, unreported: Mapping[str, str], causes: CauseIndex
) -> Row:
    """The row of one pair of engines.

    It fails if at least one place beyond the tolerance has no known cause; then it shows the worst of these places. A
    place where an engine lacks something is shown only if no other place fails: its cause must not hide a fault.
    """
    row = Row(
        level=quantity.level, quantity=quantity.name, unit=quantity.unit, engines=pair, error=errors.error,
        tolerance=quantity.tolerance, where=errors.where, subjects=names_at(errors.where) if errors.where else (),
        outcome=Outcome.PASSED,
    )  # fmt: skip
    reasons = list(dict.fromkeys(unreported[name] for name in pair if name in unreported))
    if reasons:
        return dataclasses.replace(row, outcome=Outcome.UNKNOWN, cause="; ".join(reasons))
    beyond = [place for place, error in errors.errors.items() if error > quantity.tolerance]
    known = {place: causes.cause(quantity, place, errors.errors[place]) for place in beyond}
    failing = [place for place, cause in known.items() if not (cause and cause.explains(errors.errors[place]))]
    faults = [place for place in failing if not _is_loss(known[place])]
    shown = errors.restricted_to(faults or failing) if failing else errors
    row = dataclasses.replace(
        row, error=shown.error, where=shown.where, subjects=names_at(shown.where) if shown.where else ()
    )
    if not beyond:
        return row
    cause = known.get(shown.where)
    return failed(row) if cause is None else explained(row, cause)


def _is_loss(cause: Cause | None) -> bool:
    return cause is not None and cause.is_loss


def _with_likely_cause(row: Row, engines: Mapping[str, Engine]) -> Row:
    """The row with the likely cause, if an engine is known for differences of this quantity."""
    tables: list[Mapping[str, str]] = [getattr(engines[name], "likely_causes", {}) for name in row.engines]
    causes = [table[row.quantity] for table in tables if row.quantity in table]
    return dataclasses.replace(row, cause=f"likely: {'; '.join(causes)}") if causes else row
