"""Row, Verdict, and the command that repeats a comparison."""

from __future__ import annotations

import dataclasses
import math
import os
import shlex
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from bridge.choices import AS_STATED, Exclusion
from loaders.diagnostics import Diagnostic, Fate, FindingList
from loaders.text import card, counted, table

from .causes import Cause, Gap

REFERENCE, EXACT_MOTION = "reference", "exact"
"""The names in rows of the reference, and of the exact motion in place of an engine."""
COMPUTED_FROM_MODEL = frozenset({REFERENCE, EXACT_MOTION})
"""Names in rows of what is computed from the model itself, and is never the likely cause."""
DEFAULT_CONFIGURATIONS = 20
"""Number of random states of a comparison that does not state it."""
_FLAGS = {
    "strict": "--strict",
    "lenient": "--lenient",
    "unsafe_paths": "--unsafe-paths",
    "allow_xacro": "--xacro",
    "fetch": "--fetch",
}
"""Flag for each option of `loaders.load` that is true or false."""
_PYTHON_ONLY = ("schemes", "finder")
"""Options of `loaders.load` that the command line does not have."""


def load_words(options: Mapping[str, Any]) -> Iterator[str]:
    """Yield the words of the command line for options of `loaders.load`.

    The command line has none for ``schemes`` and ``finder``.

    Args:
        options: The options by name.
    """
    yield from (flag for name, flag in _FLAGS.items() if options.get(name))
    for name, folder in (options.get("package_map") or {}).items():
        yield from ("--package", f"{name}={os.fspath(folder)}")
    for host in options.get("fetch_hosts") or ():
        yield from ("--fetch-host", host)
    for name, value in (options.get("xacro_args") or {}).items():
        yield from ("--xacro-arg", f"{name}:={value}")
    for folder in options.get("paths") or ():
        yield from ("--path", os.fspath(folder))
    for name in ("srdf", "overrides"):
        if options.get(name) is not None:
            yield from (f"--{name}", os.fspath(options[name]))


def repeat_command(
    source: str,
    engines: Collection[str],
    levels: Collection[str],
    environment: Mapping[str, str],
    details: Mapping[str, Any],
) -> str:
    """Return the command that repeats a comparison; a comment names options that the command line
    does not have.

    Args:
        source: The file; empty if there is none.
        engines: The names of the engines.
        levels: The levels, if they are not the default ones.
        environment: Seed and number of configurations.
        details: The options of the load, the chosen positions, and the treatment of the base and of
            inertias.
    """
    words = ["--engines", ",".join(engines), "--seed", environment["seed"]]
    words += ["--level", ",".join(levels)] if levels else []
    configurations = environment.get("configurations", str(DEFAULT_CONFIGURATIONS))
    words += (
        ["--configurations", configurations]
        if configurations != str(DEFAULT_CONFIGURATIONS)
        else []
    )
    words += ["--base", details["base"]] if details.get("base", "as_is") != "as_is" else []
    words += ["--inertia", "repair"] if details.get("inertia") == "repair" else []
    words += ["--overlaps", "keep"] if details.get("overlaps") == "keep" else []
    words += _exclusion_words(details.get("exclusion", AS_STATED))
    words += load_words(details.get("load_options", {}))
    for joint, position in details.get("positions", {}).items():
        words += ["--set", setting(joint, position)]
    lacking = [name for name in _PYTHON_ONLY if details.get("load_options", {}).get(name)]
    note = f"  # and, from Python only: {', '.join(lacking)}" if lacking else ""
    return (
        f"sdfbridge compare {shlex.quote(source) if source else 'FILE'} {shlex.join(words)}{note}"
    )


def _exclusion_words(exclusion: Exclusion) -> list[str]:
    """Return the options of the command line that state a choice of pairs."""
    if exclusion.exclude == "as_is":
        return []
    words = ["--exclude", exclusion.exclude]
    words += ["--exclude-samples", f"{exclusion.samples}"]
    return [*words, "--exclude-seed", f"{exclusion.seed}"]


def setting(joint: str, position: Any) -> str:
    """Return a joint position as the command line takes it."""
    numbers = position if isinstance(position, list | tuple) else (position,)
    return f"{joint}={','.join(repr(float(x)) for x in numbers)}"


class Level(StrEnum):
    """The depth of a comparison."""

    MODEL = "L0"
    """Parameters of the model, and link poses at random positions."""
    OPERATORS = "L1"
    """Mass matrix and forces at random states."""
    MOTION = "L2"
    """One step, a second of motion without contact, and balls that touch the shapes."""
    INVARIANTS = "L3"
    """Energy and momentum, which motion without losses conserves."""
    CONTACT = "L4"
    """The model at rest and standing, columns that topple and stacks."""


_CONTENTS = {
    Level.MODEL: "parameters and kinematics",
    Level.OPERATORS: "dynamics",
    Level.MOTION: "motion, and single contacts",
    Level.INVARIANTS: "energy and momentum",
    Level.CONTACT: "rest, standing and stacks",
}
"""The contents of the levels, for a reader who does not know them."""
DEFAULT_LEVELS = (Level.MODEL, Level.OPERATORS, Level.MOTION)
"""The levels that show whether engines simulate the same model; the others measure the engines' own
methods."""


class Outcome(StrEnum):
    """The outcome of one row."""

    PASSED = "passed"
    """The error is within the tolerance."""
    EXPLAINED = "explained"
    """The error is beyond the tolerance, and within the bound of a known cause."""
    FAILED = "failed"
    """The error is beyond the tolerance, and beyond what any known cause explains."""
    UNKNOWN = "unknown"
    """The quantity was not compared; the row states why."""


class Verdict(StrEnum):
    """The verdict over all rows."""

    EQUIVALENT = "EQUIVALENT"
    """Every quantity that the model states was compared and agrees within its tolerance."""
    AGREES = "AGREES"
    """Every quantity that the model states was compared; each difference is within the bound of a
    known cause."""
    INCOMPLETE = "INCOMPLETE"
    """Nothing differs, but something that the model states was not compared; `Findings.gaps` lists
    it."""
    DIFFERS = "DIFFERS"
    """Some quantity differs by more than a known cause explains, or because an engine lacks part of
    the model."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """The comparison of one quantity between two engines.

    Attributes:
        level: The level of the comparison.
        quantity: The name of the quantity.
        unit: The unit of the error; empty for a relative error.
        engines: The two engines.
        error: The largest error at any place.
        tolerance: The largest error that passes.
        where: The link or joint with the largest error.
        outcome: The outcome.
        cause: Why the quantity is not exact or was not compared; empty if it is exact, or if the
            cause is unknown.
        known_cause: The cause with its bound, which explains the difference if the outcome is
            ``explained``; None if there is none.
        is_stated: Whether the model states the quantity, so that a row without a comparison makes
            it incomplete.
        subjects: Scoped names of the links or joints that ``where`` is about.
        loaded: How many of how many stops, couplings or other elements were loaded beyond a
            threshold, so that their absence would show; None if the row is not about loads.
        series: Time [s] and error of a motion.
        sensitivity: Ratio of final to initial distance of two close motions of one engine.
        convergence: Time step [s] and error.
        order: Order of convergence, the slope of ``convergence`` on logarithmic axes.
    """

    level: Level
    quantity: str
    unit: str = ""
    engines: tuple[str, str]
    error: float = 0.0
    tolerance: float
    where: str = ""
    outcome: Outcome
    cause: str = ""
    known_cause: Cause | None = None
    is_stated: bool = True
    subjects: tuple[str, ...] = ()
    loaded: tuple[int, int] | None = None
    series: tuple[tuple[float, float], ...] = ()
    sensitivity: float | None = None
    convergence: tuple[tuple[float, float], ...] = ()
    order: float | None = None

    @property
    def code(self) -> str:
        """Code of the known cause; empty if there is none."""
        return "" if self.known_cause is None else self.known_cause.code

    @property
    def passed(self) -> bool:
        """True unless the row is an unexplained difference."""
        return self.outcome is not Outcome.FAILED

    def to_dict(self) -> dict[str, Any]:
        """Return plain data; a non-finite error is a string, and values that were not measured are
        left out.
        """
        measured = {
            "loaded": None if self.loaded is None else list(self.loaded),
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
            "where": str(self.where),
            "outcome": str(self.outcome),
            "passed": self.passed,
            "cause": self.cause,
            "known_cause": None if self.known_cause is None else self.known_cause.to_dict(),
            **{name: value for name, value in measured.items() if value},
        }


def explained(row: Row, cause: Cause) -> Row:
    """Return the row of a difference with its cause; it is explained only within the bound of the
    cause.
    """
    if cause.explains(row.error):
        return dataclasses.replace(
            row, outcome=Outcome.EXPLAINED, cause=cause.text, known_cause=cause
        )
    if cause.is_loss:
        text = f"{cause.text}; the model states this, so the engines differ"
    elif cause.bound <= 0.0:
        return failed(row)
    else:
        text = f"{cause.text}; this explains at most {cause.bound:.1e}"
    return dataclasses.replace(row, outcome=Outcome.FAILED, cause=text, known_cause=cause)


def failed(row: Row) -> Row:
    """Return the row as an unexplained difference."""
    return dataclasses.replace(row, outcome=Outcome.FAILED, cause="")


def undecided(row: Row, cause: Cause, limit: float) -> Row:
    """Return the row of a difference that proves nothing, because its cause may explain more than a
    limit.

    Args:
        row: The row of the difference.
        cause: The cause, with the largest error that it may explain.
        limit: The largest bound with which a cause explains something, in the unit of the row.
    """
    text = (
        f"{cause.text}; this may explain {cause.bound:.1e}, so that a difference says nothing "
        f"(limit {limit:.1e})"
    )
    return dataclasses.replace(row, outcome=Outcome.UNKNOWN, cause=text, known_cause=cause)


def number(x: float) -> float | str:
    """Return a number for JSON; a non-finite number is a string."""
    return x if abs(x) < float("inf") else str(x)


class RowList(tuple[Row, ...]):
    """A tuple of rows with a short text, and a table for notebooks, the worst first."""

    __slots__ = ()

    def __repr__(self) -> str:
        counts = Counter(row.outcome for row in self)
        listed = ", ".join(f"{count} {outcome}" for outcome, count in counts.items())
        return f"<{counted(len(self), 'row')}: {listed}>" if listed else "<0 rows>"

    def _repr_html_(self) -> str:
        return card(repr(self).strip("<>"), (), rows_table(worst_first(self)))


SIGNS = {Outcome.FAILED: "✗", Outcome.EXPLAINED: "≈", Outcome.UNKNOWN: "?", Outcome.PASSED: "✓"}
"""Outcomes, the worst first, each with its sign."""
_HEADS = ("", "quantity", "engines", "largest error", "at", "cause")


def worst_first(rows: Iterable[Row]) -> list[Row]:
    """Return the rows in the order of `SIGNS`, those of one outcome in their order; last come
    those about what the model does not state.
    """
    order = list(SIGNS)
    return sorted(rows, key=lambda row: (is_idle(row), order.index(row.outcome)))


def is_idle(row: Row) -> bool:
    """Return whether a row compares nothing, and nothing that the model states is missing in it."""
    return row.outcome is Outcome.UNKNOWN and not row.is_stated


def rows_table(rows: Iterable[Row]) -> str:
    """Return rows as a table for a notebook."""
    return table(_HEADS, map(_cells, rows))


def _cells(row: Row) -> tuple[str, ...]:
    error = f"{row.error:.1e} {row.unit}".rstrip() if row.outcome is not Outcome.UNKNOWN else ""
    sign = f"{SIGNS[row.outcome]}\N{NO-BREAK SPACE}{row.outcome}"
    return sign, f"{row.level} {row.quantity}", " / ".join(row.engines), error, row.where, row.cause


@dataclass(frozen=True, slots=True, kw_only=True)
class Findings:
    """The rows of two or more engines that were compared with each other and with the reference.

    Attributes:
        model: The name of the model.
        source: The file; empty if there is none.
        rows: The rows, in the order of the report.
        engines: The names of the engines, without the reference.
        environment: Versions, seed and other values that make the comparison repeatable.
        diagnostics: The fidelity reports of all engines.
        inputs: SHA-256 of each file that was read, by path.
        contact: What was compared of motion in contact; empty if the model can touch nothing.
        gaps: The statements of the model that were not compared.
        conditions: The conditions under which the verdict holds, such as speeds within the stated
            limits.
        details: Data for the report: mass matrices, inertias, collision pairs.
    """

    model: str
    source: str
    rows: tuple[Row, ...]
    engines: tuple[str, ...]
    environment: dict[str, str]
    diagnostics: tuple[Diagnostic, ...]
    inputs: Mapping[str, str] = field(default_factory=dict)
    contact: str = ""
    gaps: tuple[Gap, ...] = ()
    conditions: tuple[str, ...] = ()
    details: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Give the rows and the diagnostics their form for notebooks."""
        object.__setattr__(self, "rows", RowList(self.rows))
        object.__setattr__(self, "diagnostics", FindingList(self.diagnostics))

    @property
    def verdict(self) -> Verdict:
        """The verdict that the worst row and the gaps decide."""
        is_incomplete = bool(self.gaps) and self.agreement is not Verdict.DIFFERS
        return Verdict.INCOMPLETE if is_incomplete else self.agreement

    @property
    def agreement(self) -> Verdict:
        """The verdict over the rows alone, without regard to gaps; never INCOMPLETE."""
        outcomes = {row.outcome for row in self.rows}
        if Outcome.FAILED in outcomes:
            return Verdict.DIFFERS
        return Verdict.AGREES if Outcome.EXPLAINED in outcomes else Verdict.EQUIVALENT

    @property
    def skipped(self) -> int:
        """The number of invalid pieces that lenient loading left out or assumed, in every engine
        alike.
        """
        return sum(entry.fate is Fate.SKIPPED for entry in self.diagnostics)

    @property
    def failures(self) -> tuple[Row, ...]:
        """The rows that differ without a known cause, in the order of the report."""
        return tuple(row for row in self.rows if not row.passed)

    @property
    def headline(self) -> tuple[str, str]:
        """Two sentences for people: what was found, and what it is due to or what to do."""
        engines = " and ".join(self.engines) or "the reference"
        compared = sum(row.outcome in {Outcome.PASSED, Outcome.EXPLAINED} for row in self.rows)
        if self.failures:
            return self._difference(engines)
        if self.verdict is Verdict.INCOMPLETE:
            gap = self.gaps[0]
            missing = counted(len(self.gaps), "quantity")
            return (
                f"Nothing differs between {engines} in {counted(compared, 'comparison')}, but "
                f"{missing} that the model states {'was' if len(self.gaps) == 1 else 'were'} not "
                f"compared.",
                f"First of all {gap.quantity}: {gap.reason.rstrip('.')}.",
            )
        contact = f"{_capital(self.contact)}." if self.contact else "All it states was compared."
        if "not compared" in contact:
            contact = f"{contact[:-1]}: add --level L4 for it."
        if self.verdict is Verdict.EQUIVALENT:
            return (
                f"The robot is the same in {engines}: {counted(compared, 'comparison')} "
                f"{'agrees' if compared == 1 else 'agree'} within rounding.",
                contact,
            )
        known = [row for row in self.rows if row.outcome is Outcome.EXPLAINED]
        largest = max(known, key=lambda row: row.error)
        causes = len({row.cause.partition(";")[0] for row in known})
        return (
            f"The robot is the same in {engines}; known causes explain differences of at most "
            f"{_largest(known)}."
            if causes > 1
            else f"The robot is the same in {engines}; a known cause explains differences of at "
            f"most {_largest(known)}.",
            f"{_capital(largest.cause.partition(';')[0])}.",
        )

    def _difference(self, engines: str) -> tuple[str, str]:
        first = self.failures[0]
        names = dict.fromkeys(row.quantity for row in self.failures)
        place = f" at {first.where}" if first.where else ""
        others = f", and so {'does' if len(names) == 2 else 'do'} {', '.join([*names][1:3])}"
        more = f" and {counted(len(names) - 3, 'further quantity')}" if len(names) > 3 else ""
        size = (
            f"differs by {first.error:.1e} {first.unit or '(relative)'}"
            if math.isfinite(first.error)
            else "is missing in one of them"
        )
        return (
            f"The robot is not the same in {engines}: {first.quantity}{place} {size}"
            f"{others if len(names) > 1 else ''}{more}.",
            f"{_capital(first.cause or 'no known cause explains it').rstrip('.')}.",
        )

    @property
    def claim(self) -> str:
        """The verdict in two sentences: what holds within which bounds, and under which
        conditions.
        """
        compared = sum(row.outcome in {Outcome.PASSED, Outcome.EXPLAINED} for row in self.rows)
        largest = _largest(row for row in self.rows if row.code and row.error)
        bound = f", explained differences being at most {largest}" if largest else ""
        rest = [self.contact] if self.contact else []
        if self.gaps:
            rest.append(f"not compared: {counted(len(self.gaps), 'stated quantity')}")
        rest += [f"the verdict holds if {'; '.join(self.conditions)}"] if self.conditions else []
        second = "; ".join(rest) or "all that the model states was compared"
        engines, count = " and ".join(self.engines), len(self.rows)
        first = (
            f"the model {self.model} differs in {engines} in {len(self.failures)} of "
            f"{counted(count, 'comparison')} and agrees in {compared}"
            if self.failures
            else f"the model {self.model} has the same mechanics in {engines} in {compared} of "
            f"{counted(count, 'comparison')}, each within its tolerance or the bound "
            f"of a known cause{bound}"
        )
        return f"{self.verdict}: {first}. {second[:1].upper()}{second[1:]}."

    @property
    def methods(self) -> str:
        """A paragraph for the methods section of a paper: what was compared, with which versions,
        and how to repeat it.
        """
        own = self.environment.get("sdfbridge", "")
        engines = ", ".join(
            f"{name} {self.environment.get(name, '')}".rstrip() for name in self.engines
        )
        chosen = dict.fromkeys(row.level for row in self.rows)
        levels = ", ".join(f"{level} ({_CONTENTS[level]})" for level in chosen)
        digest = next(iter(self.inputs.values()), "")
        several = f", one of {len(self.inputs)} input files" if len(self.inputs) > 1 else ""
        file = f" (SHA-256 {digest}{several})" if digest else ""
        word = "levels" if len(chosen) > 1 else "level"
        return (
            f"The model {self.model}{file} was compared in {engines} with sdfbridge {own}, each "
            f"with the others and with a reference that is computed from first principles, at "
            f"{word} {levels}, with {self.environment.get('configurations', '?')} random states "
            f"of seed {self.environment.get('seed', '?')}. {self.claim} "
            f"The comparison is repeated with: {self.command}"
        )

    @property
    def command(self) -> str:
        """The command that repeats the comparison."""
        levels = tuple(
            map(str, self.details.get("levels", dict.fromkeys(row.level for row in self.rows)))
        )
        chosen = () if levels == tuple(map(str, DEFAULT_LEVELS)) else levels
        return repeat_command(self.source, self.engines, chosen, self.environment, self.details)

    def __repr__(self) -> str:
        counts = {outcome: sum(row.outcome is outcome for row in self.rows) for outcome in Outcome}
        rows = ", ".join(f"{count} {outcome}" for outcome, count in counts.items() if count)
        first = next((f"; first: {row.quantity} at {row.where}" for row in self.failures), "")
        text = (
            f"{self.verdict} {self.model[:40]} in {', '.join(self.engines)[:40]}: "
            f"{rows or 'no rows'}{first}"
        )
        return f"<{type(self).__name__} {text[:160]}>"

    def assert_equivalent(self) -> None:
        """Raise an error unless every quantity that the model states was compared and agrees within
        its tolerance.

        Raises:
            AssertionError: If not; the message lists each difference with its error and place, and
            each gap.
        """
        __tracebackhide__ = True
        if self.verdict is not Verdict.EQUIVALENT:
            raise AssertionError(self._complaint({Outcome.FAILED, Outcome.EXPLAINED}))

    def assert_no_difference(self) -> None:
        """Raise an error if a quantity differs; gaps and differences within the bound of a known
        cause are accepted.

        Raises:
            AssertionError: If a quantity differs; the message lists each with its error and place.
        """
        __tracebackhide__ = True
        if self.verdict is Verdict.DIFFERS:
            raise AssertionError(self._complaint({Outcome.FAILED}))

    def _complaint(self, outcomes: set[Outcome]) -> str:
        lines = [line(row) for row in self.rows if row.outcome in outcomes]
        gaps = [f"not compared: {gap}" for gap in self.gaps]
        return "\n".join(
            [f"{self.model}: {self.verdict}", *lines, *gaps, f"repeat with: {self.command}"]
        )

    def to_dict(self) -> dict[str, Any]:
        """Return plain data: verdict, gaps, conditions, environment, every row, every
        diagnostic.
        """
        return {
            "model": self.model,
            "source": self.source,
            "verdict": str(self.verdict),
            "skipped": self.skipped,
            "gaps": [gap.to_dict() for gap in self.gaps],
            "conditions": list(self.conditions),
            "engines": list(self.engines),
            "contact": self.contact,
            "claim": self.claim,
            "methods": self.methods,
            "environment": self.environment,
            "inputs": dict(self.inputs),
            "command": self.command,
            "rows": [row.to_dict() for row in self.rows],
            "diagnostics": [
                {"severity": d.severity, "code": d.code, "message": d.message, "target": d.target}
                for d in self.diagnostics
            ],
        }


def _largest(rows: Iterable[Row]) -> str:
    """Return the largest error of each unit, with its quantity: errors of different units cannot be
    compared.
    """
    worst: dict[str, Row] = {}
    for row in rows:
        worst[row.unit] = max(worst.get(row.unit, row), row, key=lambda row: row.error)
    return " and ".join(
        f"{row.error:.1e} {row.unit or 'relative'} ({row.quantity})" for row in worst.values()
    )


def causes_once(rows: Iterable[Row]) -> list[Row]:
    """Return rows of which each cause is said once; later ones name the quantity that has it, and
    add what was measured.

    Args:
        rows: The rows in the order in which they are shown. What a cause says of one quantity
            alone follows a semicolon.
    """
    said: dict[str, str] = {}
    shown = []
    for row in rows:
        cause, _, measured = row.cause.partition("; ")
        if cause in said:
            text = "; ".join(filter(None, (f"as for {said[cause]}", measured)))
            shown.append(dataclasses.replace(row, cause=text))
        else:
            said.update({cause: row.quantity} if cause else {})
            shown.append(row)
    return shown


def _capital(text: str) -> str:
    return f"{text[:1].upper()}{text[1:]}"


def line(row: Row) -> str:
    """Return one row as a line of text."""
    cause = f": {row.cause}" if row.cause else ""
    place = f" at {row.where}" if row.where else ""
    error = f"{row.error:.2e} {row.unit}".rstrip()
    error += "" if row.loaded is None else f", {row.loaded[0]} of {row.loaded[1]} loaded"
    return (
        f"{row.level} {row.quantity} ({' / '.join(row.engines)}): error {error}{place}, "
        f"tolerance {row.tolerance:.0e}, {row.outcome}{cause}"
    )
