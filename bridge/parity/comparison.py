"""`compare`: one model in several engines, held against each other and against the mechanism itself."""

from __future__ import annotations

import dataclasses
import json
import math
import os
import platform
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path
from typing import Any, Literal, cast

import numpy as np

from bridge.lowering.inputs import Source, mechanism_of
from bridge.mechanism import Mechanism
from bridge.mechanism.coordinates import Position
from bridge.mechanism.couplings import with_followers
from bridge.parity.engines.protocol import Engine, Factory, NotReportedError, factory_of, reads_file
from bridge.parity.levels.attribution import Ledger, attribute_differences
from bridge.parity.levels.contact_scenarios import contact_rows
from bridge.parity.levels.invariants import invariant_rows
from bridge.parity.levels.quantities import MOST_SHAPED, QUANTITIES, Quantity, Readings, Worst, compare_readings
from bridge.parity.levels.random_states import State, random_states
from bridge.parity.levels.trajectories import motion_rows
from bridge.parity.report.html_and_junit import html, junit
from bridge.parity.results.verdict import DEFAULT_LEVELS, Findings, Level, Outcome, Row
from loaders import Search
from loaders.diagnostics import without_repeats

REFERENCE = "reference"
_Named = tuple[str, Factory]

_MOTIONS: dict[Level, Callable[[Mechanism, Sequence[_Named], int], Iterator[Row]]] = {
    Level.MOTION: motion_rows,
    Level.INVARIANTS: invariant_rows,
    Level.CONTACT: contact_rows,
}
"""The levels at which engines move: rows from a mechanism, the engines by name, and a seed."""
_DOINGS = {
    Level.MOTION: "one step, order of convergence, a second of motion",
    Level.INVARIANTS: "energy, momentum, a tumbling body",
    Level.CONTACT: "rest, stack, slide, bounce",
}
"""What is told of their progress."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison(Findings):
    """What `compare` found, to be written down as data, as a page or as test cases."""

    def to_json(self, path: str | os.PathLike[str]) -> Path:
        """Write `to_dict` as JSON; the path."""
        return _written(path, json.dumps(self.to_dict(), indent=1) + "\n")

    def to_html(self, path: str | os.PathLike[str], pictures: Mapping[str, bytes] | None = None) -> Path:
        """Write one self-contained HTML file; the path. ``pictures`` are PNG images by their captions."""
        return _written(path, html(self, pictures or {}))

    def to_junit(self, path: str | os.PathLike[str]) -> Path:
        """Write the rows as test cases of JUnit; the path."""
        return _written(path, junit(self))


def _written(path: str | os.PathLike[str], text: str) -> Path:
    path = Path(path)
    path.write_text(text, encoding="utf-8")
    return path


def compare(
    source: Source,
    engines: Sequence[str | Factory] = ("mujoco", "pybullet"),
    *,
    levels: Sequence[Level | str] = DEFAULT_LEVELS,
    seed: int = 0,
    configurations: int = 20,
    positions: Mapping[str, Position] | None = None,
    inertia: Literal["keep", "repair"] = "keep",
    progress: Callable[[str], None] = lambda _what: None,
    **load_options: Any,
) -> Comparison:
    """Compare how simulators run a model, with each other and with the mechanism itself.

    Args:
        source: A path, a `loaders.Scene` or a `bridge.Mechanism`.
        engines: Names of engines, or callables that open one with a mechanism.
        levels: How deep to look; invariants and contact, L3 and L4, only if they are named.
        seed: Of the random states.
        configurations: How many of them.
        positions: Of joints, in a configuration to be compared beside the random ones, and drawn; the others at zero.
        inertia: Of links whose inertia no body can have: ``repair`` gives every engine the nearest that one can.
        progress: Is told what is being done.
        load_options: For `loaders.load`, if ``source`` is a path. Where to search for files is told to witnesses, which
            read the file themselves, in any case.

    Raises:
        LoadError: if the file is wrong.
        ExportError: if an engine cannot hold the model.
        EngineMissingError: if an engine is not installed.
        ValueError: for an engine or a level that there is not, and for positions of no joint.
    """
    wanted = [Level(level) for level in levels]
    named = [_named(engine) for engine in (REFERENCE, *(e for e in engines if e != REFERENCE))]
    mechanism = mechanism_of(source, repair_inertia=inertia == "repair", **load_options)
    states = random_states(mechanism, configurations, seed)
    states[:0] = [(_whole(mechanism, positions), v) for _, v in states[:1]] if positions else []
    progress(f"loading into {', '.join(name for name, _ in named if name != REFERENCE)}")
    search = cast(Search, {key: load_options[key] for key in Search.__optional_keys__ & load_options.keys()})
    with _opened(mechanism, named, search) as opened:
        rows = list(_refusals(opened))
        reading = {name: engine for name, engine in opened.items() if not getattr(engine, "refusal", "")}
        for quantity in (quantity for quantity in QUANTITIES if quantity.level in wanted):
            progress(f"{quantity.level} {quantity.name}")
            rows += _rows(quantity, mechanism, reading, states)
        details = _details(mechanism, reading, states) | {"positions": dict(positions or {}), "inertia": inertia}
        diagnostics = without_repeats(entry for engine in opened.values() for entry in engine.diagnostics)
        environment = _environment(opened, seed, configurations)
    rows += _moved(mechanism, named, wanted, seed, progress)
    return Comparison(
        model=mechanism.scene.name,
        source=mechanism.scene.source,
        rows=attribute_differences(rows),
        engines=tuple(name for name, _ in named if name != REFERENCE),
        environment=environment,
        diagnostics=diagnostics,
        details=details,
    )


def _moved(
    mechanism: Mechanism, named: Sequence[_Named], wanted: Sequence[Level], seed: int, progress: Callable[[str], None]
) -> Iterator[Row]:
    """The rows of all levels at which engines move."""
    moving = [(name, factory) for name, factory in named if not reads_file(factory)]
    for level in (level for level in _MOTIONS if level in wanted):
        progress(f"{level} {_DOINGS.get(level, '')}".rstrip())
        yield from _MOTIONS[level](mechanism, moving, seed)


def _whole(mechanism: Mechanism, positions: Mapping[str, Position]) -> dict[str, Position]:
    """The position of every joint: as given, as couplings say, or at its default."""
    by_body = mechanism.positions_by_body(with_followers(mechanism, positions))
    return {str(body.joint): q for body, q in zip(mechanism.bodies, by_body, strict=True) if body.primitives}


def _named(engine: str | Factory) -> _Named:
    if isinstance(engine, str):
        return engine, factory_of(engine)
    return str(getattr(engine, "name", getattr(engine, "__name__", "engine"))), engine


@contextmanager
def _opened(mechanism: Mechanism, named: Sequence[_Named], search: Search) -> Iterator[dict[str, Engine]]:
    """All engines with the mechanism, until they are no more needed."""
    opened: dict[str, Engine] = {}
    try:
        for name, factory in named:
            opened[name] = factory(mechanism, search) if reads_file(factory) else factory(mechanism)
        yield opened
    finally:
        for engine in opened.values():
            engine.close()


def _rows(
    quantity: Quantity, mechanism: Mechanism, engines: Mapping[str, Engine], states: Sequence[State]
) -> Iterator[Row]:
    worst = {pair: Worst() for pair in combinations(engines, 2)}
    silent: dict[str, str] = {}
    for q, v in states[: _count(quantity, mechanism)]:
        readings = {}
        for name, engine in engines.items():
            engine.set_state(q, v)
            readings[name] = _reading(quantity, engine, mechanism, silent, name)
        for (one, two), found in worst.items():
            a, b = readings[one], readings[two]
            if a is not None and b is not None:
                compare_readings(a, b, quantity.error, found)
    for (one, two), found in worst.items():
        if found.where or silent.keys() & {one, two}:
            ledger = (*engines[one].diagnostics, *engines[two].diagnostics)
            row = _judged(quantity, (one, two), found, silent, Ledger(ledger, mechanism))
            yield _suspected(row, engines) if row.outcome is Outcome.FAILED else row


def _count(quantity: Quantity, mechanism: Mechanism) -> int | None:
    """How many states to ask for; None for all."""
    if not quantity.at_states:
        return 1
    return None if quantity.states is None else quantity.states(mechanism)


def _reading(quantity: Quantity, engine: Engine, mechanism: Mechanism, silent: dict[str, str], name: str) -> Readings:
    """What an engine answers, or why it does not, in ``silent``."""
    try:
        reading = quantity.read(engine, mechanism)
    except NotReportedError as error:
        silent[name] = str(error)
        return None
    if reading is None:
        silent[name] = f"{name} does not report it"
    return reading


def _refusals(engines: Mapping[str, Engine]) -> Iterator[Row]:
    """One row for each engine that does not read the file, or reads another mechanism: then it is to blame."""
    for name, engine in engines.items():
        refusal = str(getattr(engine, "refusal", ""))
        if refusal:
            blamed = bool(getattr(engine, "blamed", False))
            yield Row(
                level=Level.MODEL, quantity="reading", unit="", engines=(REFERENCE, name), error=math.inf,
                tolerance=0.0, where="", cause=refusal, outcome=Outcome.FAILED if blamed else Outcome.EXPLAINED,
            )  # fmt: skip


def _suspected(row: Row, engines: Mapping[str, Engine]) -> Row:
    """A row with the likely cause, where an engine is known for a fault in this quantity."""
    tables: list[Mapping[str, str]] = [getattr(engines[name], "suspects", {}) for name in row.engines]
    causes = [table[row.quantity] for table in tables if row.quantity in table]
    return dataclasses.replace(row, cause=f"likely: {'; '.join(causes)}") if causes else row


def _judged(quantity: Quantity, pair: tuple[str, str], worst: Worst, silent: Mapping[str, str], ledger: Ledger) -> Row:
    outcome, cause = Outcome.PASSED, ""
    unknown = list(dict.fromkeys(silent[name] for name in pair if name in silent))
    if unknown:
        outcome, cause = Outcome.UNKNOWN, "; ".join(unknown)
    elif worst.error > quantity.tolerance:
        beyond = [place for place, error in worst.errors.items() if error > quantity.tolerance]
        causes = {place: ledger.cause(quantity, place) for place in beyond}
        inexplicable = [place for place in beyond if causes[place] is None]
        if inexplicable:
            outcome, worst = Outcome.FAILED, worst.only(inexplicable)
        else:
            outcome, entry = Outcome.EXPLAINED, causes[worst.where]
            cause = f"{entry.message} [{entry.code}]" if entry is not None else ""
    return Row(
        level=quantity.level, quantity=quantity.name, unit=quantity.unit, engines=pair, error=worst.error,
        tolerance=quantity.tolerance, where=worst.where, outcome=outcome, cause=cause,
    )  # fmt: skip


def _environment(engines: Mapping[str, Engine], seed: int, configurations: int) -> dict[str, str]:
    versions = {name: engine.version for name, engine in engines.items() if engine.version}
    return {
        "python": platform.python_version(),
        "numpy": np.__version__,
        **versions,
        "machine": f"{platform.system()} {platform.machine()}",
        "seed": str(seed),
        "configurations": str(configurations),
    }


def _details(mechanism: Mechanism, engines: Mapping[str, Engine], states: Sequence[State]) -> dict[str, Any]:
    """What a report draws."""
    masses, inertias = {}, {}
    for name, engine in engines.items():
        with suppress(NotReportedError):
            engine.set_state(*states[0])
            inertias[name] = engine.inertias()
            masses[name] = engine.mass_matrix()
    links = [link.name for link in mechanism.scene.links if link.collisions]
    group = {name: mechanism.weld_group_of(name) for name in links}
    return {
        "v_order": mechanism.v_order,
        "mass_matrices": masses,
        "inertias": inertias,
        "links": links,
        "pairs": mechanism.collidable_pairs(),
        "movable_pairs": frozenset(
            frozenset(pair) for pair in combinations(links, 2) if group[pair[0]] != group[pair[1]]
        ),
        "pairs_by_engine": _pairs_by_engine(engines) if len(links) <= MOST_SHAPED else {},
        "random_positions": [q for q, _ in states[-1:]],
    }


def _pairs_by_engine(engines: Mapping[str, Engine]) -> dict[str, frozenset[frozenset[str]]]:
    found = {}
    for name, engine in engines.items():
        with suppress(NotReportedError):
            found[name] = engine.collidable_pairs()
    return found
