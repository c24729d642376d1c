"""Rows of quantities for all pairs of engines, and gaps."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import combinations

import numpy as np

from bridge.mechanism import Mechanism
from bridge.parity.attribution import CauseIndex
from bridge.parity.bounds.precision import (
    DOUBLE,
    OF_PARAMETER,
    rounding_bounds,
    single_precision,
    unit_of_pair,
)
from bridge.parity.causes import READ_OTHERWISE, Cause, Gap, gaps_of_losses
from bridge.parity.engine import Engine, NotReportedError
from bridge.parity.quantity import (
    RELATIVE_FLOOR,
    Quantity,
    Readings,
    WorstErrors,
    compare_readings,
    names_at,
)
from bridge.parity.states import State
from bridge.parity.verdict import (
    COMPUTED_FROM_MODEL,
    REFERENCE,
    Level,
    Outcome,
    Row,
    explained,
    failed,
)
from loaders.codes import MODEL_POSE_AGAINST_JOINT
from loaders.diagnostics import Diagnostic
from loaders.engine_settings import Effect, Setting, acting_settings, grouped
from loaders.scoped_names import SEPARATOR

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
_ROWS_OF_SETTINGS: Mapping[str, str] = {
    "body/gravcomp": "bias forces",
    "flag/filterparent": "collidable pairs",
}
"""Quantities that differ between engines if only one of them obeys a setting of MuJoCo."""
_SETTING = "setting"
"""Argument of the findings about settings of MuJoCo, which have gaps of their own: those of
contacts only where shapes may touch."""
NOT_RUN = "not run"
"""The level of a gap that is there because its level was not run."""
_COMPARED = frozenset({Outcome.PASSED, Outcome.EXPLAINED})


_NOTHING = Cause(code="", subjects=(), quantity="", bound=-1.0)
"""A cause that explains nothing."""


def find_gaps(
    rows: Sequence[Row],
    mechanism: Mechanism,
    levels: Collection[Level],
    engines: Mapping[str, Engine],
    diagnostics: Iterable[Diagnostic],
) -> tuple[Gap, ...]:
    """Return what the model states and was not compared, each gap once.

    Args:
        rows: All rows.
        mechanism: The mechanism of the model.
        levels: The levels that were compared.
        engines: The engines without the reference, by name.
        diagnostics: The fidelity reports of all engines.
    """
    found = [
        *_levels_not_run(mechanism, levels),
        *_motionless_engines(mechanism, levels, engines),
        *_unknown(rows),
        *gaps_of_losses(
            (entry for entry in diagnostics if _SETTING not in entry.arguments),
            {name: e.target or name for name, e in engines.items()},
        ),
        *_settings(mechanism, rows, engines),
    ]
    return tuple(dict.fromkeys(found))


def _levels_not_run(mechanism: Mechanism, levels: Collection[Level]) -> Iterator[Gap]:
    """Yield a gap for each level that has something to compare in this model and was not run."""
    moves = bool(mechanism.v_order)
    if Level.MODEL not in levels:
        yield Gap(
            quantity="parameters and link poses", reason="level L0 was not run", level=NOT_RUN
        )
    if Level.OPERATORS not in levels and (moves or mechanism.collidable_pairs()):
        yield Gap(
            quantity="mass matrix, forces and collidable pairs",
            reason="level L1 was not run",
            level=NOT_RUN,
        )
    if Level.MOTION not in levels and moves:
        yield Gap(quantity="motion", reason="level L2 was not run", level=NOT_RUN)


def _motionless_engines(
    mechanism: Mechanism, levels: Collection[Level], engines: Mapping[str, Engine]
) -> Iterator[Gap]:
    """Yield a gap for each engine that reads the file itself, and therefore does not move, and for
    each that takes part in smooth motion only.
    """
    if mechanism.v_order and Level.MOTION in levels:
        for name, engine in engines.items():
            if engine.reads_file and not engine.is_witness_of_motion:
                reason = "an engine that reads the file itself does not move"
                yield Gap(quantity="motion", engines=(name,), reason=reason, level=Level.MOTION)
            elif not engine.solves_constraints and name not in COMPUTED_FROM_MODEL:
                reason = "the engine is compared in smooth motion only"
                yield Gap(
                    quantity="motion with constraints",
                    engines=(name,),
                    reason=reason,
                    level=Level.MOTION,
                )


def _unknown(rows: Sequence[Row]) -> Iterator[Gap]:
    """Yield a gap for each row without a comparison of something that the model states and no other
    row shows.

    A difference that was measured and proves nothing is always a gap.
    """
    shown = {(row.quantity, row.engines) for row in rows if row.outcome in _COMPARED}
    for row in rows:
        if row.outcome is Outcome.UNKNOWN and row.is_stated:
            other = _SHOWN_BY.get(row.quantity) if row.known_cause is None else None
            if other is None or not _is_shown(other, row.engines, shown):
                yield Gap(
                    quantity=row.quantity,
                    engines=row.engines,
                    subjects=row.subjects,
                    code=row.code,
                    reason=row.cause,
                    level=row.level,
                )


def _is_shown(
    quantity: str, engines: tuple[str, str], shown: Collection[tuple[str, tuple[str, str]]]
) -> bool:
    """Return whether a quantity was compared between these engines, or of each of them with the
    reference.
    """
    if (quantity, engines) in shown:
        return True
    simulators = [name for name in engines if name not in COMPUTED_FROM_MODEL]
    return all((quantity, (REFERENCE, name)) in shown for name in simulators) or any(
        quantity == name and set(simulators) <= set(pair) for name, pair in shown
    )


def _settings(
    mechanism: Mechanism, rows: Sequence[Row], engines: Mapping[str, Engine]
) -> Iterator[Gap]:
    """Yield a gap for each setting of MuJoCo that acts on motion or contact and that no row
    compares with other engines.
    """
    others = [name for name, engine in engines.items() if not engine.obeys_mjcf_settings]
    known = [row for row in rows if row.outcome is not Outcome.UNKNOWN]
    compared = {(row.quantity, name) for row in known for name in row.engines}
    for group in grouped(_relevant(mechanism)) if others else ():
        row = _ROWS_OF_SETTINGS.get(group.path)
        lacking = tuple(name for name in others if (row, name) not in compared)
        if lacking:
            yield Gap(
                quantity="settings of MuJoCo",
                engines=lacking,
                subjects=group.subjects,
                reason=f"{group} acts on the {group.effect}, and no row compares it",
            )


def _relevant(mechanism: Mechanism) -> list[Setting]:
    """Return the settings that act, without those of contacts of shapes that can touch nothing, and
    without laws of actuators.

    A law that an engine lacks is a gap of its own.
    """
    acting = [
        setting
        for setting in acting_settings(mechanism.scene)
        if not setting.path.startswith("actuator/")
    ]
    if not any(setting.effect is Effect.CONTACT for setting in acting):
        return acting
    touching = {name for pair in mechanism.collidable_pairs() for name in pair}
    links = [link for link in mechanism.scene.links if link.name in touching]
    shapes = {f"{link.name}{SEPARATOR}{shape.name}" for link in links for shape in link.collisions}
    kept: list[Setting] = []
    for setting in acting:
        concerned = shapes.intersection(setting.subjects) if setting.subjects else shapes
        if concerned or setting.effect is not Effect.CONTACT:
            kept.append(setting)
    return kept


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
    sizes = dict.fromkeys(worst, 0.0)
    unreported: dict[str, str] = {}
    compared = states[: _state_count(quantity, mechanism)]
    for q, v in compared:
        readings = {}
        for name, engine in engines.items():
            readings[name] = _reading(quantity, engine, mechanism, (q, v), unreported, name)
        for (one, two), errors in worst.items():
            a, b = readings[one], readings[two]
            if a is not None and b is not None:
                compare_readings(a, b, quantity.error, errors)
                numbers = [x[np.isfinite(x)] for x in a.values()]
                found = (float(np.abs(x).max(initial=0.0)) for x in numbers)
                sizes[one, two] = max((sizes[one, two], *found))
    for (one, two), errors in worst.items():
        if errors.where or unreported.keys() & {one, two}:
            causes = CauseIndex(
                _findings((engines[one], engines[two]), mechanism), mechanism, compared
            )
            unit = unit_of_pair(engines[one].unit_roundoff, engines[two].unit_roundoff)
            single = [name for name in (one, two) if engines[name].unit_roundoff > DOUBLE]
            rounding = _rounding(quantity, errors.error, unit, sizes[one, two], mechanism, compared)
            row = _judged(quantity, (one, two), errors, unreported, causes, (rounding, single))
            row = dataclasses.replace(row, is_stated=quantity.is_stated(mechanism))
            yield (
                _with_likely_cause(row, engines)
                if row.outcome is Outcome.FAILED and not row.cause
                else row
            )


def refusal_rows(engines: Mapping[str, Engine]) -> Iterator[Row]:
    """Yield one row for each engine that does not read the file or reads another model from it.

    Args:
        engines: The open engines by name.
    """
    for name, engine in engines.items():
        if engine.refusal:
            yield Row(
                level=Level.MODEL,
                quantity="reading",
                engines=(REFERENCE, name),
                error=math.inf,
                tolerance=0.0,
                cause=engine.refusal,
                outcome=Outcome.FAILED if engine.refusal_is_difference else Outcome.UNKNOWN,
            )


def _findings(pair: tuple[Engine, Engine], mechanism: Mechanism) -> list[Diagnostic]:
    """Return the findings of two engines, and what the reader says that an engine which reads the
    file itself has; a pose of the scene that its joints contradict is then a fault of the reader.
    """
    found = [entry for engine in pair for entry in engine.diagnostics]
    if any(engine.reads_file for engine in pair):
        found = [entry for entry in found if entry.code != MODEL_POSE_AGAINST_JOINT.name]
        found += [entry for entry in mechanism.scene.diagnostics if entry.is_one_of(READ_OTHERWISE)]
    return found


def _state_count(quantity: Quantity, mechanism: Mechanism) -> int | None:
    """Return the number of states in which to compare; None for all."""
    if not quantity.depends_on_state:
        return 1
    return None if quantity.states is None else quantity.states(mechanism)


def _reading(
    quantity: Quantity,
    engine: Engine,
    mechanism: Mechanism,
    state: State,
    unreported: dict[str, str],
    name: str,
) -> Readings:
    """Return the reading of an engine in a state; if there is none, the reason is added to
    ``unreported``.
    """
    try:
        engine.set_state(*state)
        reading = quantity.read(engine, mechanism)
    except NotReportedError as error:
        unreported[name] = str(error)
        return None
    if reading is None:
        unreported[name] = f"{name} does not report it"
    return reading


def _rounding(
    quantity: Quantity,
    error: float,
    unit: float,
    size: float,
    mechanism: Mechanism,
    states: Sequence[State],
) -> float:
    """Return the largest error that rounding causes; a parameter is rounded relative to its size.
    Zero in double precision.
    """
    if not unit or error <= quantity.tolerance:
        return 0.0
    bounds = rounding_bounds(mechanism, [*states, ({}, {})], unit, RELATIVE_FLOOR)
    of_parameter = OF_PARAMETER * unit * (max(1.0, size) if quantity.unit else 1.0)
    return bounds.get(quantity.name, of_parameter)


def _judged(
    quantity: Quantity,
    pair: tuple[str, str],
    errors: WorstErrors,
    unreported: Mapping[str, str],
    causes: CauseIndex,
    rounded: tuple[float, Sequence[str]],
) -> Row:
    """Return the row of one pair of engines.

    It fails if at least one place beyond the tolerance has no known cause; then it shows the worst
    of these places. A place where an engine lacks something is shown only if no other place fails:
    its cause must not hide a fault.
    """
    row = Row(
        level=quantity.level,
        quantity=quantity.name,
        unit=quantity.unit,
        engines=pair,
        error=errors.error,
        tolerance=quantity.tolerance,
        where=errors.where,
        subjects=names_at(errors.where) if errors.where else (),
        outcome=Outcome.PASSED,
    )
    reasons = list(dict.fromkeys(unreported[name] for name in pair if name in unreported))
    if reasons:
        return dataclasses.replace(row, outcome=Outcome.UNKNOWN, cause="; ".join(reasons))
    beyond = [place for place, error in errors.errors.items() if error > quantity.tolerance]
    known = {place: causes.cause(quantity, place, errors.errors[place]) for place in beyond}
    rounding, single = rounded
    for place in beyond:
        explains = (known[place] or _NOTHING).explains(errors.errors[place])
        if errors.errors[place] <= rounding and not explains:
            known[place] = single_precision(quantity.name, names_at(place), rounding, single)
    failing = [
        place
        for place, cause in known.items()
        if not (cause and cause.explains(errors.errors[place]))
    ]
    faults = [place for place in failing if not _is_loss(known[place])]
    shown = errors.restricted_to(faults or failing) if failing else errors
    row = dataclasses.replace(
        row,
        error=shown.error,
        where=shown.where,
        subjects=names_at(shown.where) if shown.where else (),
    )
    if not beyond:
        return row
    cause = known.get(shown.where)
    return failed(row) if cause is None else explained(row, cause)


def _is_loss(cause: Cause | None) -> bool:
    return cause is not None and cause.is_loss


def _with_likely_cause(row: Row, engines: Mapping[str, Engine]) -> Row:
    """Return the row with the likely cause, if an engine is known to differ in this quantity."""
    tables = [engines[name].likely_causes for name in row.engines]
    causes = [table[row.quantity] for table in tables if row.quantity in table]
    return dataclasses.replace(row, cause=f"likely: {'; '.join(causes)}") if causes else row
