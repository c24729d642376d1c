"""The levels in which engines simulate motion."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial

from bridge.mechanism import Mechanism
from bridge.parity.engines.protocol import (
    DivergedError,
    Engine,
    Factory,
    NotReportedError,
    is_witness_of_motion,
    reads_file,
)
from bridge.parity.results.verdict import Level, Outcome, Row
from loaders import Search

from .contact_scenarios import contact_rows
from .exported.witness_motion import witness_rows
from .invariants import invariant_rows
from .trajectories import motion_rows

_NamedFactory = tuple[str, Factory]
_Progress = Callable[[str], None]

_MOTION_LEVELS: dict[Level, Callable[[Mechanism, Sequence[_NamedFactory], int], Iterator[Row]]] = {
    Level.MOTION: motion_rows,
    Level.INVARIANTS: invariant_rows,
    Level.CONTACT: contact_rows,
}
"""The levels in which engines simulate motion: functions of a mechanism, the engines by name, and a seed."""
_DESCRIPTIONS = {
    Level.MOTION: "one step, order of convergence, a second of motion",
    Level.INVARIANTS: "energy, momentum, a tumbling body",
    Level.CONTACT: "rest, stack, slide, bounce",
}
"""The contents of these levels, for the progress messages."""


def motion_level_rows(
    levels: Sequence[Level], mechanism: Mechanism, named: Sequence[_NamedFactory], seed: int, progress: _Progress
) -> Iterator[Row]:
    """Yield the rows of these levels, for all engines that simulate the motion of mechanisms.

    Args:
        levels: The levels; those without motion have no rows here.
        mechanism: The mechanism.
        named: The reference and the engines by name.
        seed: Seed of the random initial states.
        progress: Called with a message at each level.
    """
    moving = [(name, factory) for name, factory in named if not reads_file(factory)]
    for level, rows in _MOTION_LEVELS.items():
        if level in levels:
            progress(f"{level} {_DESCRIPTIONS[level]}")
            try:
                yield from rows(mechanism, moving, seed)
            except (DivergedError, NotReportedError) as error:
                yield _interrupted(level, moving, str(error))


def _interrupted(level: Level, engines: Sequence[_NamedFactory], cause: str) -> Row:
    """The row of a level whose remaining rows an engine prevents, because it crashed or its motion diverges."""
    pair = engines[0][0], engines[-1][0]
    return Row(
        level=level, quantity="motion", unit="", engines=pair, error=0.0, tolerance=0.0, where="",
        outcome=Outcome.UNKNOWN, cause=cause,
    )  # fmt: skip


def witnessed_rows(
    levels: Sequence[Level], mechanism: Mechanism, named: Sequence[_NamedFactory], seed: int, search: Search
) -> Iterator[Row]:
    """Yield the rows of engines that read the file themselves and move.

    Args:
        levels: The levels; there are rows at the level of motion only.
        mechanism: The mechanism.
        named: The reference and the engines by name.
        seed: Seed of the random initial states.
        search: Where the engines find packages.
    """
    if Level.MOTION in levels:
        witnesses = {
            name: partial(_opened, factory=factory, search=search)
            for name, factory in named
            if is_witness_of_motion(factory)
        }
        moving = [(name, factory) for name, factory in named if not reads_file(factory)]
        yield from witness_rows(mechanism, moving, witnesses, seed)


def _opened(mechanism: Mechanism, factory: Factory, search: Search) -> Engine:
    return factory(mechanism, search)
