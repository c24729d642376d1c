"""The gaps of a comparison: what the model states and no row compares."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

from bridge.mechanism import Mechanism
from bridge.parity.results.causes import Gap
from bridge.parity.results.losses import gaps_of_losses
from bridge.parity.results.verdict import Level, Outcome, Row
from loaders.diagnostics import Diagnostic

_SHOWN_BY: Mapping[str, str] = {
    "gravity": "bias forces",
    "initial poses": "link poses",
    "Jacobians": "link poses",
    "mass matrix": "one step",
    "bias forces": "one step",
    "inverse dynamics": "one step",
    "order of convergence": "one step",
    "motion without damping": "one step",
    "motion with damping": "one step",
    "motion with rotors": "exported motion",
    "friction": "exported motion",
    "couplings": "witnessed motion",
    "constraint violation": "witnessed motion",
    "friction of shapes": "friction of pairs",
    "actuator laws": "actuator laws",
    "motion with efforts": "actuator efforts",
    "motion with controllers": "actuator efforts",
}
"""Quantities that another quantity shows as well: if it was compared, the first one is no gap."""
NOT_RUN = "not run"
"""The level of a gap that is there because its level was not run."""
_COMPARED = frozenset({Outcome.PASSED, Outcome.EXPLAINED})


def find_gaps(
    rows: Sequence[Row],
    mechanism: Mechanism,
    levels: Collection[Level],
    engines: Mapping[str, bool],
    diagnostics: Iterable[Diagnostic],
) -> tuple[Gap, ...]:
    """Return what the model states and was not compared, each gap once.

    Args:
        rows: All rows.
        mechanism: The mechanism of the model.
        levels: The levels that were compared.
        engines: Whether each engine simulates motion, by its name.
        diagnostics: The fidelity reports of all engines.
    """
    found = [
        *_levels_not_run(mechanism, levels),
        *_motionless_engines(mechanism, levels, engines),
        *_unknown(rows),
        *gaps_of_losses(diagnostics, tuple(engines)),
    ]
    return tuple(dict.fromkeys(found))


def _levels_not_run(mechanism: Mechanism, levels: Collection[Level]) -> Iterator[Gap]:
    """A gap for each level that has something to compare in this model and was not run."""
    moves = bool(mechanism.v_order)
    if Level.MODEL not in levels:
        yield Gap(quantity="parameters and link poses", reason="level L0 was not run", level=NOT_RUN)
    if Level.OPERATORS not in levels and (moves or mechanism.collidable_pairs()):
        yield Gap(quantity="mass matrix, forces and collidable pairs", reason="level L1 was not run", level=NOT_RUN)
    if Level.MOTION not in levels and moves:
        yield Gap(quantity="motion", reason="level L2 was not run", level=NOT_RUN)


def _motionless_engines(mechanism: Mechanism, levels: Collection[Level], engines: Mapping[str, bool]) -> Iterator[Gap]:
    """A gap for each engine that reads the file itself, and therefore does not move."""
    if mechanism.v_order and Level.MOTION in levels:
        for name, moves in engines.items():
            if not moves:
                reason = "an engine that reads the file itself does not move"
                yield Gap(quantity="motion", engines=(name,), reason=reason, level=Level.MOTION)


def _unknown(rows: Sequence[Row]) -> Iterator[Gap]:
    """A gap for each row without a comparison of something that the model states and no other row shows.

    A difference that was measured and proves nothing is always a gap.
    """
    shown = {(row.quantity, row.engines) for row in rows if row.outcome in _COMPARED}
    for row in rows:
        if row.outcome is Outcome.UNKNOWN and row.is_stated:
            other = _SHOWN_BY.get(row.quantity) if row.known_cause is None else None
            if other is None or not _is_shown(other, row.engines, shown):
                yield Gap(
                    quantity=row.quantity, engines=row.engines, subjects=row.subjects, code=row.code, reason=row.cause,
                    level=row.level,
                )  # fmt: skip


def _is_shown(quantity: str, engines: tuple[str, str], shown: Collection[tuple[str, tuple[str, str]]]) -> bool:
    """Return whether a quantity was compared between these engines, or of each of them with the reference."""
    if (quantity, engines) in shown:
        return True
    simulators = [name for name in engines if name not in {"reference", "exact"}]
    return all((quantity, ("reference", name)) in shown for name in simulators) or any(
        quantity == name and set(simulators) <= set(pair) for name, pair in shown
    )
