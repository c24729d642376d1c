"""Explanations of a residual: changes of the model or of the log that people get wrong.

Each candidate is tried alone, in one engine, by least squares within bounds. The tables of
overrides that it tries are those that it proposes. A candidate is proposed only if what it explains
exceeds what step and rounding explain, and chance, for which samples that follow each other count
as one.
"""

from __future__ import annotations

import dataclasses
import json
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import combinations, permutations
from typing import Any

import numpy as np

from bridge.lowering.transform import relowered
from bridge.mechanism import Mechanism
from bridge.parity.engine import moving_links
from loaders.diagnostics import Diagnostics
from loaders.finish.overrides import with_override_tables
from loaders.pose import Array
from loaders.text import printable

from .errors import STEP_MARGIN, EngineReplay, residuals, unit_of
from .log import Log, Role
from .rollout import (
    Experiment,
    Move,
    Open,
    ReplayedMotion,
    in_radians,
    renamed,
    roll_out,
    running,
)

Tables = Mapping[str, Mapping[str, Any]]
"""Tables of a file of overrides."""
SIGNIFICANCE = 1e-3
"""Largest probability that an improvement is due to chance, for a candidate to be proposed."""
LEAST_SHARE = 0.3
"""Share of the residual that a proposed candidate explains at least."""
REFINED = 6
"""Number of candidates that are fitted until they converge; the others take one step."""
COMPARED = 3
"""Number of those that are fitted although an earlier one explains the whole residual, and of
second changes that are fitted beside a first one."""
STRUCTURED = 0.1
"""Share of independent samples below which what one change leaves may have another cause, although
it is small.
"""
FIRSTS = 2
"""Number of changes beside which a second one is tried."""
EXPLAINED = 1e-3
"""Part of the squares that the bounds allow at which the whole residual is explained."""
SMALL = 1.0 / STEP_MARGIN**2
"""Part of the squares that the bounds allow below which what one change leaves has no second cause:
that of the change at half the step.
"""
LEFT_BY_TWO = 0.05
"""Part of what one change leaves that two changes leave at most, if the bounds allow both."""
ITERATIONS = 12
"""Steps of a fit at most."""
CONVERGED = 1e-6
"""Relative change of the parameters at which a fit ends."""
SETTLED = 1e-3
"""Relative change of the sum of squares at which a fit ends."""
DIFFERENCE = 1e-4
"""Difference of a parameter for derivatives, relative to its scale."""
TURN = 7.0
"""Angle beyond which a log may be in degrees [rad]."""
NEAR = 0.05
"""Angles by which gravity is turned where a fit starts [rad]."""
WEAKEST = 1e-9
"""Part of the largest eigenvalue of a fit below which a direction has no effect."""
MOST_PERIODS = 5000
"""Control periods of the log that are fitted at most, from its start."""
LONGEST_DELAY = 12
"""Largest delay that is tried, in control periods."""
GAINS = {"p_gain", "d_gain"}
"""Overrides of joints that change the controller of the experiment."""
MANY_JOINTS = 8
"""Number of joints above which only neighbors are exchanged."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Trial:
    """A changed model and a changed experiment.

    Attributes:
        tables: Overrides of the model.
        experiment: The experiment.
    """

    tables: Tables
    experiment: Experiment

    @property
    def is_same_model(self) -> bool:
        """The model moves as without a change: its gains act in the controller alone."""
        joints = self.tables.get("joints", {})
        are_gains = all(row.keys() <= GAINS for row in joints.values())
        return are_gains and self.tables.keys() <= {"joints"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    """A change with at most a few numbers.

    Attributes:
        kind: What changes, such as ``armature``.
        subjects: The joints or links, none for all.
        parameters: Names and units of the numbers.
        starts: Values from which fits start, each of shape (p,).
        present: Values that change nothing, from which a fit may start too; empty if none does.
        lower: Lower bounds, shape (p,).
        upper: Upper bounds, shape (p,).
        change: Returns the trial of an experiment with given numbers.
        value: The present values, for reports.
        fixed: The numbers of a candidate that is not fitted.
        fixed_errors: Their standard errors.
        members: The two changes that are made at once, if they are two.
    """

    kind: str
    change: Callable[[Experiment, Sequence[float]], Trial]
    subjects: tuple[str, ...] = ()
    parameters: tuple[str, ...] = ()
    starts: tuple[tuple[float, ...], ...] = ((),)
    present: tuple[float, ...] = ()
    lower: tuple[float, ...] = ()
    upper: tuple[float, ...] = ()
    value: tuple[float, ...] = ()
    fixed: tuple[float, ...] = ()
    fixed_errors: tuple[float, ...] = ()
    members: tuple[Candidate, ...] = ()

    @property
    def key(self) -> tuple[str, ...]:
        """Kind and subjects of the change."""
        return self.kind, *self.subjects


@dataclass(frozen=True, slots=True, kw_only=True)
class Explanation:
    """A candidate after its fit.

    Attributes:
        kind: What changes.
        subjects: The joints or links; empty for all.
        parameters: Names and units of the numbers.
        values: The fitted numbers.
        errors: Their standard errors.
        before: The present numbers.
        share: Share of the residual that it explains, 1 - RSS / RSS0.
        rms: Remaining residual, as a fraction of the range of the motion.
        probability: Probability of such an improvement by chance.
        proposed: Whether the report names it as a cause.
        tables: The overrides that make the change; empty if overrides cannot state it.
        further: The second of two changes, if only both explain the residual; share, probability
            and overrides are those of both.
        is_whole: Whether almost nothing is left of the residual.
        hidden: Parameters whose sign the log does not show.
    """

    kind: str
    subjects: tuple[str, ...] = ()
    parameters: tuple[str, ...] = ()
    values: tuple[float, ...] = ()
    errors: tuple[float, ...] = ()
    before: tuple[float, ...] = ()
    share: float = 0.0
    rms: float = math.nan
    probability: float = 1.0
    proposed: bool = False
    tables: Tables = dataclasses.field(default_factory=dict)
    further: Explanation | None = None
    is_whole: bool = False
    hidden: tuple[str, ...] = ()

    def __str__(self) -> str:
        if self.further is not None:
            return (
                f"{self.change}, and {self.further.change}; both explain {100.0 * self.share:.4g} %"
            )
        return f"{self.change}; explains {100.0 * self.share:.4g} %"

    @property
    def change(self) -> str:
        """The change in words, with its numbers."""
        rows = zip(self.parameters, self.values, self.errors, strict=True)
        numbers = ", ".join(f"{name} {x:.4g} ± {error:.1g}" for name, x, error in rows)
        stated = f": {numbers}" if numbers else ""
        present = ", ".join(f"{x:.4g}" for x in self.before)
        instead = f" instead of {present}" if present else ""
        return f"{self.what}{stated}{instead}"

    @property
    def what(self) -> str:
        """The kind of the change, and of what."""
        return f"{self.kind} of {', '.join(self.subjects)}" if self.subjects else self.kind


def explain(
    open_engine: Open, mechanism: Mechanism, experiment: Experiment, found: EngineReplay
) -> tuple[tuple[Explanation, ...], tuple[str, ...]]:
    """Return what may explain the residual of a replay, the best first, nothing if step and
    rounding explain it; and the changes that the log does not show.

    Args:
        open_engine: Opens the engine of the replay.
        mechanism: The mechanism.
        experiment: The experiment.
        found: The replay without a change.
    """
    if found.motion is None or not found.motion.is_complete or found.is_chaotic:
        return (), ()
    duration = min(experiment.duration, MOST_PERIODS * experiment.period)
    experiment = dataclasses.replace(experiment, duration=duration)
    with running(open_engine, mechanism, experiment) as move:
        fit = _Fit(open_engine, mechanism, experiment, move)
        base = fit.residual(Trial(tables={}, experiment=experiment))
        causes = () if found.is_within_bound else _causes(fit, base, found, found.motion)
        return causes, _unobservable(fit, base, found)


def _causes(
    fit: _Fit, base: Array, found: EngineReplay, motion: ReplayedMotion
) -> tuple[Explanation, ...]:
    """Return what may explain the residual without a change, the best first."""
    experiment = fit.experiment
    bound = np.concatenate(
        [np.full(len(experiment.measured(e.joint)[0]), e.bound) for e in found.errors]
    )
    allowed = np.square(bound / fit.scales(experiment))
    floor = float(np.sum(allowed))
    tried = [
        fit.screened(candidate, base)
        for candidate in candidates_of(fit.mechanism, experiment, motion)
    ]
    singles = fit.ranked(tried, floor)
    left = singles[0].residual
    is_smooth = independent(left) < STRUCTURED * len(left)
    may_be_two = singles[0].rss > (SMALL * floor if is_smooth else floor)
    pairs = fit.paired(tried, singles, base) if may_be_two else []
    enough = max(1.1 * pairs[0].rss, EXPLAINED * floor) if pairs else 0.0
    parts = [part for part in fit.parts(pairs[0]) if part.rss < enough] if pairs else []
    if parts:
        singles, pairs = _best_of_each([*parts, *singles]), []
    counts = [len(experiment.measured(joint)[0]) for joint in experiment.watched]
    judge = partial(_judged, fit=fit, allowed=allowed, ends=np.cumsum(counts)[:-1])
    alone = sorted((judge(each, base) for each in singles), key=lambda e: not e.proposed)
    both = [judge(each, base, left) for each in pairs[:1]]
    return (*(each for each in both if each.proposed), *alone)


def _unobservable(fit: _Fit, base: Array, found: EngineReplay) -> tuple[str, ...]:
    """Return the changes that a log does not show: other masses, signs and directions of gravity
    that move no joint by more than its bound.
    """
    experiment = fit.experiment
    counts = [len(experiment.measured(joint)[0]) for joint in experiment.watched]
    ends, scales = np.cumsum(counts)[:-1], fit.scales(experiment)
    bounds = [error.bound for error in found.errors]
    joints = tuple(dict.fromkeys((*experiment.watched, *experiment.driven)))
    hidden = []
    for each in (
        *_mass_candidates(fit.mechanism),
        *_sign_candidates(joints, _BOTH, ""),
        *_gravity_candidates(fit.mechanism),
    ):
        moved = np.split((fit.at(each, each.starts[0]) - base) * scales, ends)
        if all(float(np.mean(x**2)) <= b**2 for x, b in zip(moved, bounds, strict=True)):
            hidden.append(" of ".join((each.kind, *each.subjects)))
    return tuple(hidden)


def _best_of_each(solutions: Sequence[_Solution]) -> list[_Solution]:
    """Return the best solution of each kind and subject, the best first."""
    best: dict[tuple[str, ...], _Solution] = {}
    for each in sorted(solutions, key=_cost):
        best.setdefault(each.candidate.key, each)
    return list(best.values())


def _cost(solution: _Solution) -> float:
    """Return the sum of squares, in which each parameter costs a tenth."""
    return solution.rss * 1.1 ** len(solution.candidate.parameters)


# --- fits -----------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class _Solution:
    candidate: Candidate
    values: tuple[float, ...]
    residual: Array
    jacobian: Array
    is_final: bool = False

    @property
    def rss(self) -> float:
        return float(self.residual @ self.residual)


@dataclass(frozen=True, slots=True)
class _Fit:
    """Least squares of candidates in one engine."""

    open_engine: Open
    mechanism: Mechanism
    experiment: Experiment
    move: Move

    def scales(self, experiment: Experiment) -> Array:
        """Return the range of the measured motion of all joints with the same unit, for each
        sample.
        """
        ranges: dict[str, float] = {}
        for joint in experiment.watched:
            unit = unit_of(self.mechanism, joint)
            span = float(np.ptp(experiment.measured(joint)[1]))
            ranges[unit] = max(ranges.get(unit, 1e-9), span)
        counts = {joint: len(experiment.measured(joint)[0]) for joint in experiment.watched}
        return np.concatenate(
            [np.full(n, ranges[unit_of(self.mechanism, joint)]) for joint, n in counts.items()]
        )

    def motion(self, trial: Trial) -> ReplayedMotion:
        if trial.is_same_model:
            return self.move(trial.experiment, 0.0)
        scene = with_override_tables(self.mechanism.scene, trial.tables, Diagnostics())
        return roll_out(self.open_engine, relowered(self.mechanism, scene), trial.experiment)

    def residual(self, trial: Trial) -> Array:
        """Return the residuals of all joints, relative to the range of the motion; large ones where
        the motion diverges.
        """
        motion = self.motion(trial)
        parts = [residuals(trial.experiment, motion, joint) for joint in self.experiment.watched]
        relative = np.concatenate(parts) / self.scales(trial.experiment)
        return np.clip(np.nan_to_num(relative, nan=1e3, posinf=1e3, neginf=-1e3), -1e3, 1e3)

    def at(self, candidate: Candidate, values: Sequence[float]) -> Array:
        return self.residual(candidate.change(self.experiment, values))

    def screened(self, candidate: Candidate, base: Array) -> _Solution:
        """Return the best start of a candidate, after one step.

        Args:
            candidate: The candidate.
            base: The residual with its present values.
        """
        starts = [(values, self.at(candidate, values)) for values in candidate.starts]
        if candidate.present:
            starts.append((candidate.present, base))
        values, residual = min(starts, key=lambda start: float(start[1] @ start[1]))
        empty = np.zeros((len(residual), 0))
        first = _Solution(candidate=candidate, values=values, residual=residual, jacobian=empty)
        return self.stepped(first) if values else dataclasses.replace(first, is_final=True)

    def ranked(self, tried: Sequence[_Solution], floor: float) -> list[_Solution]:
        """Return the best solution of each kind and subject, of which the first are refined.

        Args:
            tried: Solutions after one step.
            floor: Sum of squares that needs no explanation.
        """
        refined: list[_Solution] = []
        tried = sorted(tried, key=_cost)
        for each in tried[:REFINED]:
            least = min((solution.rss for solution in refined), default=math.inf)
            if len(refined) >= COMPARED and least < EXPLAINED * floor:
                break
            refined.append(self.refined(each))
        return _best_of_each([*refined, *tried[len(refined) :]])

    def parts(self, pair: _Solution) -> Iterator[_Solution]:
        """Yield each of two changes alone, fitted from its values in the pair."""
        used = 0
        for each in pair.candidate.members:
            values = pair.values[used : used + len(each.lower)]
            used += len(values)
            start = dataclasses.replace(each, starts=(values,), present=())
            yield self.refined(self.screened(start, pair.residual))

    def paired(
        self, tried: Sequence[_Solution], singles: Sequence[_Solution], base: Array
    ) -> list[_Solution]:
        """Return solutions of two changes at once, the best first.

        The first change is one of the best that are tried alone, and the second one any; or both
        are those whose effects add up to most of the residual.

        Args:
            tried: Each change after one step.
            singles: Changes that are refined, the best first.
            base: The residual without a change.
        """
        firsts = {each.candidate.kind: each for each in reversed(singles[:REFINED])}
        pairs = []
        for first in sorted(firsts.values(), key=_cost)[:FIRSTS]:
            further = [
                self.screened(_joined(first, second.candidate), first.residual)
                for second in tried
                if second.candidate.key != first.candidate.key
            ]
            pairs += sorted(further, key=_cost)[:COMPARED]
        for one, two in _complements(sorted(tried, key=_cost), base):
            joined = _joined(one, two.candidate, two.values)
            pairs.append(self.screened(joined, self.at(joined, joined.present)))
        return sorted((self.refined(each) for each in pairs), key=_cost)

    def mirrored(self, solution: _Solution, floor: float) -> tuple[str, ...]:
        """Return the parameters that explain the residual as well with the other sign."""
        c, x, found = solution.candidate, solution.values, []
        for k, name in enumerate(c.parameters[: len(x)]):
            if c.lower[k] <= -x[k] <= c.upper[k] and c.lower[k] < 0.0:
                residual = self.at(c, (*x[:k], -x[k], *x[k + 1 :]))
                if float(residual @ residual) < max(EXPLAINED * floor, 1.1 * solution.rss):
                    found.append(name)
        return tuple(found)

    def refined(self, solution: _Solution) -> _Solution:
        """Return the solution after further steps until it converges."""
        for _ in range(ITERATIONS):
            if solution.is_final:
                break
            solution = self.stepped(solution)
        return solution

    def stepped(self, solution: _Solution) -> _Solution:
        """Return the solution after one damped step of Gauss and Newton within the bounds."""
        c, x = solution.candidate, np.array(solution.values)
        lower, upper = np.array(c.lower), np.array(c.upper)
        scale = np.maximum(np.abs(x), 1e-3 * np.minimum(upper - lower, 1e3))
        jacobian = np.zeros((len(solution.residual), len(x)))
        for k in range(len(x)):
            shift = (
                DIFFERENCE * scale[k] * (1.0 if x[k] + DIFFERENCE * scale[k] <= upper[k] else -1.0)
            )
            moved = x.copy()
            moved[k] += shift
            jacobian[:, k] = (self.at(c, moved.tolist()) - solution.residual) / shift
        scaled = jacobian * scale
        gradient, hessian = scaled.T @ solution.residual, scaled.T @ scaled
        for damping in (0.0, 1e-2, 1.0, 1e2):
            largest = np.diag(hessian).max() * np.eye(len(x))  # parameters may have no effect here
            damped = hessian + damping * (np.diag(np.diag(hessian)) + 0.1 * largest)
            step = -np.linalg.lstsq(damped, gradient, rcond=WEAKEST)[0] * scale
            tried = np.clip(_moved(x, step, lower), lower, upper)
            residual = self.at(c, tried.tolist())
            rss = float(residual @ residual)
            if rss < solution.rss:
                change = float(np.max(np.abs(tried - x) / scale))
                return _Solution(
                    candidate=c,
                    values=tuple(tried.tolist()),
                    residual=residual,
                    jacobian=jacobian,
                    is_final=change < CONVERGED or solution.rss - rss < SETTLED * solution.rss,
                )
        return dataclasses.replace(solution, jacobian=jacobian, is_final=True)


def _joined(first: _Solution, second: Candidate, values: Sequence[float] = ()) -> Candidate:
    """Return two changes as one, which starts where the first one is fitted.

    Args:
        first: The first change.
        second: The second change.
        values: Values of the second change that are the only start; without, its own starts.
    """
    one, at = first.candidate, first.values
    present = tuple(values) or second.present
    starts = () if values else second.starts

    def change(experiment: Experiment, x: Sequence[float]) -> Trial:
        before = one.change(experiment, x[: len(at)])
        after = second.change(before.experiment, x[len(at) :])
        return dataclasses.replace(after, tables=merged(before.tables, after.tables))

    return Candidate(
        kind=f"{one.kind} and {second.kind}",
        change=change,
        parameters=(*one.parameters, *second.parameters),
        starts=tuple((*at, *start) for start in starts),
        present=(*at, *present) if present else (),
        lower=(*one.lower, *second.lower),
        upper=(*one.upper, *second.upper),
        members=(one, second),
    )


def _complements(tried: Sequence[_Solution], base: Array) -> list[tuple[_Solution, _Solution]]:
    """Return pairs of changes whose effects together come closest to the residual, if effects add
    up and grow in proportion to the change.
    """
    able = [each for each in tried if each.values]
    effects = np.array([each.residual - base for each in able]).reshape(len(able), len(base))
    gram, toward = effects @ effects.T, -effects @ base
    a, b = np.diag(gram)[:, None], np.diag(gram)[None, :]
    determinant = a * b - gram**2
    is_apart = determinant > WEAKEST * a * b
    safe = np.where(is_apart, determinant, 1.0)
    x = (toward[:, None] * b - gram * toward[None, :]) / safe
    explained = np.where(is_apart & (x > 0.0) & (x.T > 0.0), x * toward[:, None], -np.inf)
    explained = np.triu(explained + explained.T, 1)
    order = np.argsort(explained, axis=None)[::-1][:COMPARED]
    places = [divmod(int(k), len(able)) for k in order if explained.flat[k] > 0.0]
    return [(able[i], able[k]) for i, k in places]


def _moved(x: Array, step: Array, lower: Array) -> Array:
    """Return parameters after a step: those that are positive by nature, such as gains, change by a
    factor, since what they do changes less the larger they are.
    """
    ratio = np.divide(step, x, out=np.zeros_like(x), where=lower > 0.0)
    return np.where(lower > 0.0, x * np.exp(np.clip(ratio, -7.0, 7.0)), x + step)


# --- judgment -------------------------------------------------------------------------------------


def _judged(
    solution: _Solution,
    base: Array,
    alone: Array | None = None,
    *,
    fit: _Fit,
    allowed: Array,
    ends: Array,
) -> Explanation:
    """Return the explanation, which is proposed if chance and the step explain it badly.

    Args:
        solution: The solution.
        base: The residual without a change.
        alone: The residual with the best single change, which two changes must improve.
        fit: The fit.
        allowed: Squares of the bounds of all samples.
        ends: Indices at which the samples of the next joint begin.
    """
    c, p = solution.candidate, max(1, len(solution.candidate.parameters))
    compared = base if alone is None else alone
    before, after, floor = float(compared @ compared), solution.rss, float(np.sum(allowed))
    count = independent(solution.residual)
    freedom = max(3.0, count - p)
    ratio = (before - after) / p / max(after / freedom, 1e-30 * before)
    probability = chance(ratio, p, freedom)
    is_significant = probability <= SIGNIFICANCE or after <= floor
    gains = np.square(compared) - np.square(solution.residual) - allowed
    exceeds = any(float(np.sum(of_joint)) > 0.0 for of_joint in np.split(gains, ends))
    is_beyond = exceeds or (alone is not None and after < LEFT_BY_TWO * before)
    proposed = 1.0 - after / before >= LEAST_SHARE and is_significant and is_beyond
    errors = _standard_errors(solution, freedom) if solution.values else ()
    explanations, used = [], 0
    for each in c.members or (c,):
        own = slice(used, used + len(each.lower))
        used = own.stop
        explanations.append(
            Explanation(
                kind=each.kind,
                subjects=each.subjects,
                parameters=each.parameters,
                values=solution.values[own] or each.fixed,
                errors=errors[own] or each.fixed_errors,
                before=each.value,
                share=1.0 - after / float(base @ base),
                rms=math.sqrt(after / len(base)),
                probability=probability,
                proposed=proposed,
                is_whole=after < EXPLAINED * floor,
                hidden=fit.mirrored(solution, floor) if proposed else (),
                tables=c.change(fit.experiment, solution.values).tables,
            )
        )
    return dataclasses.replace(explanations[0], further=next(iter(explanations[1:]), None))


def _standard_errors(solution: _Solution, freedom: float) -> tuple[float, ...]:
    """Return the standard errors; samples count as far as they are independent."""
    J = solution.jacobian
    information = J.T @ J / len(J) * freedom
    variance = solution.rss / len(J)
    covariance = np.linalg.pinv(information) * variance
    errors: list[float] = np.sqrt(np.maximum(np.diag(covariance), 0.0)).tolist()
    return tuple(errors)


def independent(residual: Array) -> float:
    """Return the number of samples that are independent: neighbors with the correlation r count as
    ``(1 - r) / (1 + r)``.

    Args:
        residual: Samples in the order of time.
    """
    centered = residual - residual.mean()
    size = float(centered @ centered)
    r = float(centered[1:] @ centered[:-1]) / size if size > 0.0 else 0.0
    return len(residual) * (1.0 - min(r, 0.9999)) / (1.0 + min(r, 0.9999))


def chance(ratio: float, p: float, freedom: float) -> float:
    """Return the probability that F exceeds a ratio, by the approximation of Paulson.

    Args:
        ratio: The ratio of the mean squares.
        p: Degrees of freedom of the numerator.
        freedom: Degrees of freedom of the denominator, at least three.
    """
    if ratio <= 0.0:
        return 1.0
    root = ratio ** (1.0 / 3.0)
    a, b = 2.0 / (9.0 * p), 2.0 / (9.0 * freedom)
    z = ((1.0 - b) * root - (1.0 - a)) / math.sqrt(b * root**2 + a)
    return 0.5 * math.erfc(z / math.sqrt(2.0))


# --- candidates -----------------------------------------------------------------------------------


def candidates_of(
    mechanism: Mechanism, experiment: Experiment, motion: ReplayedMotion
) -> Iterator[Candidate]:
    """Yield the changes that are tried.

    Args:
        mechanism: The mechanism.
        experiment: The experiment.
        motion: The motion without a change.
    """
    yield from _gain_candidates(experiment)
    yield from _axis_candidates(mechanism, experiment, motion)
    yield from _delay_candidates(experiment)
    yield from _log_candidates(mechanism, experiment)
    yield from _gravity_candidates(mechanism)
    yield from _mass_candidates(mechanism)


def _gain_candidates(experiment: Experiment) -> Iterator[Candidate]:
    """Yield factors of gains of all joints and of each, and of efforts."""
    c, driven = experiment.controller, experiment.driven
    fields = {"position gain": c.p_gains, "velocity gain": c.d_gains, "effort scale": c.scales}
    named = {"position gain": "p_gains", "velocity gain": "d_gains", "effort scale": "scales"}
    for kind, values in fields.items():
        groups = [tuple(range(len(driven))), *((k,) for k in range(len(driven)))]
        for group in groups if len(driven) > 1 else groups[:1]:
            acting = [k for k in group if values[k] > 0.0]
            if not acting:
                continue
            is_one = len(group) == 1
            present = float(values[acting[0]]) if is_one else 1.0
            yield Candidate(
                kind=kind,
                subjects=(driven[group[0]],) if is_one else (),
                parameters=(kind if is_one else "factor",),
                starts=tuple((present * f,) for f in ((0.3, 3.0) if is_one else (0.02, 0.2, 5.0))),
                present=(present,),
                lower=(present * 1e-4,),
                upper=(present * 1e4,),
                value=(present,),
                change=partial(_with_gains, named[kind], acting, is_one),
            )


def _with_gains(
    field: str, acting: Sequence[int], is_one: bool, experiment: Experiment, x: Sequence[float]
) -> Trial:
    values = dataclasses.asdict(experiment.controller)[field]
    values[list(acting)] = x[0] if is_one else values[list(acting)] * x[0]
    controller = dataclasses.replace(experiment.controller, **{field: values})
    key = {"p_gains": "p_gain", "d_gains": "d_gain"}.get(field)
    joints = {experiment.driven[k]: {key: float(values[k])} for k in acting} if key else {}
    tables: Tables = {"joints": joints} if joints else {}
    return Trial(tables=tables, experiment=dataclasses.replace(experiment, controller=controller))


def _axis_candidates(
    mechanism: Mechanism, experiment: Experiment, motion: ReplayedMotion
) -> Iterator[Candidate]:
    """Yield armature, damping, friction and effort limit of each joint that is measured."""
    axes = {joint.name: joint.axes[0] for joint in mechanism.scene.joints if joint.axes}
    M = np.diag(mechanism.mass_matrix(experiment.start_state(mechanism)[0]))
    inertias = {name: float(M[i]) for i, (name, _) in enumerate(mechanism.v_order)}
    largest = np.nanmax(np.abs(motion.efforts), axis=0, initial=1e-9).tolist()
    efforts = dict(zip(experiment.driven, largest, strict=True))
    for joint in experiment.watched:
        axis, inertia, effort = axes[joint], inertias[joint], efforts.get(joint, 1.0)
        rate = 2.0 * math.pi / max(experiment.duration, 1e-3)
        scales = {
            "armature": (inertia, axis.inertia),
            "damping": (inertia * 5.0 * rate, axis.damping),
            "friction": (effort, axis.friction),
        }
        for key, (scale, present) in scales.items():
            yield _axis_candidate(joint, key, present, (0.05 * scale, 0.5 * scale), 30.0 * scale)
        if joint in efforts:
            starts = (0.7 * effort, 0.4 * effort, 1.5 * effort)
            yield _axis_candidate(joint, "effort", axis.effort, starts, 10.0 * effort)


def _axis_candidate(
    joint: str, key: str, present: float, starts: Sequence[float], upper: float
) -> Candidate:
    is_limit = key == "effort"
    values = tuple(x if is_limit else present + x for x in starts)
    least = 1e-4 * upper if is_limit else 0.0
    return Candidate(
        kind="effort limit" if is_limit else key,
        subjects=(joint,),
        parameters=("limit" if is_limit else key,),
        starts=tuple((x,) for x in values),
        present=() if is_limit else (present,),
        lower=(least,),
        upper=(upper if is_limit else present + upper,),
        value=(present,),
        change=lambda experiment, x: Trial(
            tables={"joints": {joint: {key: float(x[0])}}}, experiment=experiment
        ),
    )


def _delay_candidates(experiment: Experiment) -> Iterator[Candidate]:
    """Yield a delay of commands, and one of efforts where these depend on the state."""
    has_feedback = bool(experiment.controller.p_gains.any() or experiment.controller.d_gains.any())
    fields = {"delay of commands": "command_delay"}
    if has_feedback:
        fields["delay of efforts"] = "effort_delay"
    for kind, field in fields.items():
        for steps in range(1, LONGEST_DELAY + 1):
            yield Candidate(
                kind=kind,
                parameters=("delay [s]",),
                value=(0.0,),
                fixed=(steps * experiment.period,),
                fixed_errors=(experiment.period / math.sqrt(12.0),),
                change=partial(_with_delay, field, steps),
            )


def _with_delay(field: str, steps: int, experiment: Experiment, _x: Sequence[float]) -> Trial:
    changed: dict[str, Any] = {field: steps}
    controller = dataclasses.replace(experiment.controller, **changed)
    return Trial(tables={}, experiment=dataclasses.replace(experiment, controller=controller))


_BOTH: tuple[Role, ...] = ("measured", "command")


def _log_candidates(mechanism: Mechanism, experiment: Experiment) -> Iterator[Candidate]:
    """Yield other signs and another order of the joints in the log."""
    joints = tuple(dict.fromkeys((*experiment.watched, *experiment.driven)))
    yield from _degrees_candidates(mechanism, experiment, joints)
    words = {_BOTH: "", ("measured",): " of measured values", ("command",): " of commands"}
    for roles, of in words.items():
        yield from _sign_candidates(joints, roles, of)
    for roles, of in words.items():
        for moved in _orders(joints):
            change = {
                (role, joint): (moved.get(joint, joint), 1.0) for role in roles for joint in joints
            }
            yield _log_candidate(f"order of joints{of}", tuple(moved), change)


def _sign_candidates(
    joints: tuple[str, ...], roles: tuple[Role, ...], of: str
) -> Iterator[Candidate]:
    """Yield the other sign of each joint."""
    for joint in joints:
        change = {(role, joint): (joint, -1.0) for role in roles}
        yield _log_candidate(f"sign{of}", (joint,), change)


def _degrees_candidates(
    mechanism: Mechanism, experiment: Experiment, joints: tuple[str, ...]
) -> Iterator[Candidate]:
    """Yield angles in degrees in the log, if some are larger than a turn."""
    turning = tuple(joint for joint in joints if unit_of(mechanism, joint) == "rad")
    roles: tuple[Role, ...] = ("measured", "command")
    samples = (experiment.log.get(role, "position", joint) for role in roles for joint in turning)
    found = (float(np.abs(each.values).max(initial=0.0)) for each in samples if each is not None)
    if max(found, default=0.0) <= TURN:
        return
    words = {_BOTH: "", ("measured",): " of measured values", ("command",): " of commands"}
    for which, of in words.items():
        yield Candidate(kind=f"degrees{of}", change=partial(_with_radians, which, turning))


def _with_radians(
    roles: tuple[Role, ...], joints: tuple[str, ...], experiment: Experiment, _x: Sequence[float]
) -> Trial:
    log = in_radians(experiment.log, roles, joints)
    return Trial(tables={}, experiment=dataclasses.replace(experiment, log=log))


def _orders(joints: tuple[str, ...]) -> Iterator[dict[str, str]]:
    """Yield exchanges of two joints, the reversed order and shifts; all orders of three."""
    if len(joints) == 3:
        for order in permutations(joints):
            if order != joints:
                yield {a: b for a, b in zip(joints, order, strict=True) if a != b}
        return
    pairs = combinations(range(len(joints)), 2)
    for i, k in pairs:
        if len(joints) <= MANY_JOINTS or k == i + 1:
            yield {joints[i]: joints[k], joints[k]: joints[i]}
    if len(joints) > 3:
        shifts = (joints[1:] + joints[:1], joints[-1:] + joints[:-1], joints[::-1])
        yield from (dict(zip(joints, order, strict=True)) for order in shifts)


def _log_candidate(
    kind: str, subjects: tuple[str, ...], change: Mapping[tuple[Role, str], tuple[str, float]]
) -> Candidate:
    return Candidate(kind=kind, subjects=subjects, change=partial(_with_log, change))


def _with_log(
    change: Mapping[tuple[Role, str], tuple[str, float]],
    experiment: Experiment,
    _x: Sequence[float],
) -> Trial:
    log: Log = renamed(experiment.log, change)
    has_all = all(("measured", "position", joint) in log.series for joint in experiment.watched)
    return Trial(
        tables={}, experiment=dataclasses.replace(experiment, log=log) if has_all else experiment
    )


def _gravity_candidates(mechanism: Mechanism) -> Iterator[Candidate]:
    """Yield gravity switched off, and turned by two angles from each axis."""
    present = np.array(mechanism.scene.gravity, dtype=np.float64)
    size = float(np.linalg.norm(present)) or 9.81
    if present.any():
        off: Tables = {"options": {"gravity": [0.0, 0.0, 0.0]}}
        yield Candidate(
            kind="gravity off", change=lambda given, _: Trial(tables=off, experiment=given)
        )
    quarter = math.pi / 2.0
    angles = ((math.pi, 0.0), (quarter, 0.0), (-quarter, 0.0), (0.0, quarter), (0.0, -quarter))
    is_down = present[2] < 0.0 and not present[:2].any()
    # the efforts of a planar robot do not change with one of two angles where that is zero
    near = ((NEAR, NEAR),) if is_down else ()
    yield Candidate(
        kind="gravity turned",
        parameters=("roll [rad]", "pitch [rad]"),
        starts=(*near, *angles),
        lower=(-4.0, -4.0),
        upper=(4.0, 4.0),
        change=lambda given, x: Trial(
            tables={"options": {"gravity": _turned(x, size).tolist()}}, experiment=given
        ),
    )


def _turned(x: Sequence[float], size: float) -> Array:
    """Return gravity in a base that is turned by roll about x, then by pitch about the y axis of
    the world.
    """
    (sr, cr), (sp, cp) = ((math.sin(a), math.cos(a)) for a in x)
    down = np.array([sp, -sr * cp, -cr * cp])
    return size * down


def _mass_candidates(mechanism: Mechanism) -> Iterator[Candidate]:
    """Yield another mass of each moving link, which keeps its center of mass."""
    moving = moving_links(mechanism)
    for link in mechanism.scene.links:
        if link.name in moving and link.inertia is not None and link.inertia.mass > 0.0:
            mass = link.inertia.mass
            yield Candidate(
                kind="mass",
                subjects=(link.name,),
                parameters=("mass [kg]",),
                starts=((2.5 * mass,),),
                present=(mass,),
                lower=(1e-3 * mass,),
                upper=(100.0 * mass,),
                value=(mass,),
                change=partial(_with_mass, link.name),
            )


def _with_mass(link: str, experiment: Experiment, x: Sequence[float]) -> Trial:
    return Trial(tables={"links": {link: {"mass": float(x[0])}}}, experiment=experiment)


# --- overrides ------------------------------------------------------------------------------------


def merged(tables: Tables, further: Tables) -> dict[str, Any]:
    """Return tables with the values of others on top.

    Args:
        tables: The tables.
        further: Those that replace their values.
    """
    found = dict(tables)
    for key, value in further.items():
        old = found.get(key)
        both = isinstance(old, Mapping) and isinstance(value, Mapping)
        found[key] = merged(old, value) if both else value  # type: ignore[arg-type]
    return found


def toml_of(tables: Tables, comment: str = "") -> str:
    """Return tables as the text of a TOML file.

    Args:
        tables: The tables.
        comment: A first line, without its sign.
    """
    lines = [f"# {printable(comment)}"] if comment else []
    lines += _toml_lines(tables, ())
    return "\n".join(lines) + "\n"


def _toml_lines(table: Mapping[str, Any], path: tuple[str, ...]) -> Iterator[str]:
    """Yield the values of a table, then its tables."""
    values = {key: value for key, value in table.items() if not isinstance(value, Mapping)}
    if values and path:
        yield f"\n[{'.'.join(map(json.dumps, path))}]"
    for key, value in values.items():
        text = json.dumps(value).replace("Infinity", "inf").replace("NaN", "nan")
        yield f"{json.dumps(key)} = {text}"
    for key, value in table.items():
        if isinstance(value, Mapping):
            yield from _toml_lines(value, (*path, key))
