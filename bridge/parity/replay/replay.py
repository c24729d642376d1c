"""replay: run the commands of a log in every engine, and compare with what was measured."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from html import escape
from itertools import combinations
from pathlib import Path
from typing import Any, Literal, Unpack, get_args

import numpy as np

from bridge import codes
from bridge.choices import Base
from bridge.diff.files import difference_table, page
from bridge.lowering.transform import Source, loss_summary, mechanism_of, source_name
from bridge.mechanism import Mechanism
from bridge.parity.engine import (
    Factory,
    as_exported,
    default_engines,
    factory_of,
    name_of,
    reads_file,
    scalar_dofs,
)
from bridge.parity.report.report import LINES, new_figure, svg
from bridge.parity.verdict import number
from loaders import LoadOptions
from loaders.diagnostics import Diagnostic, Diagnostics, LoadError, Where
from loaders.pose import Array
from loaders.text import check_option_value, closest, counted

from .errors import EngineReplay, replay_in, unit_of, with_starts
from .explanations import Explanation, Tables, explain, merged, toml_of
from .log import Log, check_contents, key_of, read_log
from .rollout import Controller, Experiment, Open, ReplayedMotion, grid_of

Law = Literal["auto", "effort", "position", "velocity"]
"""Controllers: of efforts, of positions with velocities, of velocities alone, or of all commands
that the log has."""
LONGEST_STEP = 2e-3
"""Largest time step, unless the model states one [s]."""
LOG = "log"
"""Name of what was measured, beside the names of engines."""
PARTED = 0.01
"""Part of the range of a quantity by which two motions have parted."""
_USED: Mapping[str, tuple[str, ...]] = {
    "auto": ("position", "velocity", "effort"),
    "effort": ("effort",),
    "position": ("position", "velocity"),
    "velocity": ("velocity",),
}
"""The commands that each controller uses."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Parting:
    """The first time at which two motions differ by more than `PARTED` of the range of a quantity.

    Attributes:
        first: The first motion: an engine, or ``log``.
        second: The second one.
        time: The time since the start [s]; NaN if they move alike to the end.
        quantity: ``position``, ``velocity`` or ``effort``.
        joint: The joint.
    """

    first: str
    second: str
    time: float = math.nan
    quantity: str = ""
    joint: str = ""

    def __str__(self) -> str:
        if not self.quantity:
            return f"{self.first} and {self.second} move alike to the end"
        return (
            f"{self.first} and {self.second} move apart after {self.time:.4g} s, first in the "
            f"{self.quantity} of {self.joint}"
        )


_MEANINGS = {
    "agrees": "as in the log, within what the time step explains",
    "undecided": "otherwise than in the log; small differences of the start grow to this size",
    "differs": "otherwise than in the log, by more than the time step explains",
}
"""The meaning of each verdict."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Replay:
    """The result of `replay`.

    Attributes:
        model: The name of the model.
        mechanism: The model as it was replayed.
        experiment: The experiment.
        engines: The replay in each engine.
        partings: When motions move apart, and in which quantity first.
        explanations: What may explain the errors of the first engine, the best first; only
            proposed ones are causes.
        diagnostics: The findings about the log and the model.
        rules: The rules by which the log is resampled, in words.
        unobservable: Changes of the model that the log does not show.
    """

    model: str
    mechanism: Mechanism
    experiment: Experiment
    engines: tuple[EngineReplay, ...]
    partings: tuple[Parting, ...] = ()
    explanations: tuple[Explanation, ...] = ()
    diagnostics: tuple[Diagnostic, ...] = ()
    rules: tuple[str, ...] = field(default=())
    unobservable: tuple[str, ...] = ()

    @property
    def verdict(self) -> str:
        """One word: ``agrees``, ``undecided`` where the motion is chaotic, or ``differs``."""
        if self.is_within_bound:
            return "agrees"
        is_open = all(engine.is_chaotic or engine.is_within_bound for engine in self.engines)
        return "undecided" if is_open else "differs"

    @property
    def claim(self) -> str:
        """The verdict in a sentence."""
        engines = " and ".join(engine.engine for engine in self.engines)
        joints = counted(len(self.experiment.watched), "joint")
        return (
            f"{joints} moved for {self.experiment.duration:.4g} s in {engines} "
            f"{_MEANINGS[self.verdict]}."
        )

    def html(self) -> str:
        """Return the result as one HTML page with the curves of all joints.

        Raises:
            ImportError: If matplotlib is not installed.
        """
        return html(self)

    def overrides(self, known: Tables | None = None) -> str:
        """Return the overrides of the first cause as the text of a TOML file; empty if no cause is
        proposed, or if the cause is no part of the model.

        Args:
            known: Tables of the overrides that the model already has.
        """
        first = next((each for each in self.causes if each.tables), None)
        if first is None or first is not self.causes[0]:
            return ""
        return toml_of(merged(known or {}, first.tables), f"{self.model}: {first}")

    @property
    def causes(self) -> tuple[Explanation, ...]:
        """The explanations that are proposed, the best first."""
        return tuple(each for each in self.explanations if each.proposed)

    @property
    def answer(self) -> tuple[str, ...]:
        """The causes and what the log cannot tell, in sentences."""
        causes = [f"cause {k}: {cause}" for k, cause in enumerate(self.causes, start=1)]
        if not causes and self.verdict == "differs":
            causes = ["no cause is proposed: none of the changes that were tried explains enough"]
        return (*causes, *self.limits)

    @property
    def limits(self) -> tuple[str, ...]:
        """Sentences on causes that the log cannot tell."""
        found = []
        whole = [cause.what for cause in self.causes if cause.is_whole and not cause.further]
        if len(whole) > 1:
            found.append(f"not observable in this log: which of them it is: {', '.join(whole)}")
        found += [
            f"not observable in this log: the sign of {name} in {cause.kind}"
            for cause in self.causes
            for name in cause.hidden
        ]
        if self.unobservable:
            found.append(
                "not observable in this log, since it moves no joint by more than its bound: "
                f"{', '.join(self.unobservable)}"
            )
        return tuple(found)

    @property
    def is_within_bound(self) -> bool:
        """True if every engine moves as the log, within what step and rounding explain."""
        return all(engine.is_within_bound for engine in self.engines)

    def to_dict(self) -> dict[str, Any]:
        """Return the result as a dictionary for JSON, without the motions."""
        return {
            "model": self.model,
            "log": self.experiment.log.file,
            "start": self.experiment.start,
            "duration": self.experiment.duration,
            "time_step": self.experiment.step,
            "control_period": self.experiment.period,
            "rules": list(self.rules),
            "verdict": self.verdict,
            "within_bound": self.is_within_bound,
            "engines": [_engine_dict(engine) for engine in self.engines],
            "partings": [_plain(parting) for parting in self.partings],
            "explanations": [_plain(each) for each in self.explanations],
            "limits": list(self.limits),
        }


def _engine_dict(engine: EngineReplay) -> dict[str, Any]:
    return {
        "engine": engine.engine,
        "version": engine.version,
        "reason": engine.reason,
        "step_change": _finite(engine.step_change),
        "growth": _finite(engine.growth),
        "chaotic": engine.is_chaotic,
        "starts": None if engine.starts is None else dataclasses.asdict(engine.starts),
        "joints": [_plain(error) for error in engine.errors],
    }


def _plain(record: Any) -> dict[str, Any]:
    return {key: _finite(value) for key, value in dataclasses.asdict(record).items()}


def _finite(value: Any) -> Any:
    return None if isinstance(value, float) and not math.isfinite(value) else value


def replay(  # noqa: PLR0913 - each is a choice of the user
    source: Source,
    log: str | Path | Log,
    *,
    engines: str | Sequence[str | Factory] | None = None,
    controller: Law = "auto",
    gains: Mapping[str, tuple[float, float]] | None = None,
    names: Mapping[str, str] | None = None,
    step: float | None = None,
    base: Base = "fixed",
    explained: bool = True,
    starts: int = 0,
    scatter: float = 1e-3,
    progress: Callable[[str], None] = lambda _: None,
    **load_options: Unpack[LoadOptions],
) -> Replay:
    """Return how the commands of a log move a model in every engine, and how far that is from what
    was measured.

    Contacts are left out. Engines simulate the model as it is exported.

    Args:
        source: A path, a scene, or a mechanism.
        log: A file (CSV, npz or MCAP), or a log.
        engines: Names of engines, or callables that open one; by default MuJoCo and PyBullet.
        controller: Which commands act: efforts, positions with velocities, velocities, or all.
        gains: Gains of position [N m/rad or N/m] and velocity by joint; others are those of the
            log, else those of the model.
        names: Joints by their names in the log, where they differ; or columns such as
            ``elbow.command_effort`` by those of the log.
        step: Time step [s]; by default that of the model, at most 2 ms, rounded down to a part of
            the interval of the log.
        base: Whether free bases are fixed, as they are by default: logs of joints do not tell how
            they move.
        explained: Whether changes of the model are tried that may explain the errors.
        starts: Number of further initial states, from which the motion is repeated; engines that
            compute many states at once take all in one call.
        scatter: Standard deviation of their positions about the measured ones [rad or m].
        progress: Told what is under way.
        load_options: Options of `loaders.load`, if ``source`` is a path.

    Raises:
        LoadError: If the model or the log cannot be used; it names every problem.
        ValueError: If an option has an unknown value.
    """
    check_option_value("controller", controller, get_args(Law))
    with loss_summary(source, load_options) as summary:
        mechanism = mechanism_of(source, base=base, **load_options)
        summary.add(mechanism.diagnostics)
    diagnostics = Diagnostics()
    experiment = experiment_of(
        mechanism,
        log,
        controller=controller,
        gains=gains or {},
        names=names or {},
        step=step,
        diagnostics=diagnostics,
    )
    opened, found = openers(engines), []
    for name, open_engine in opened:
        progress(f"replaying in {name}")
        one = replay_in(name, open_engine, mechanism, experiment)
        found.append(with_starts(one, open_engine, mechanism, experiment, (starts, scatter)))
    explanations: tuple[Explanation, ...] = ()
    hidden: tuple[str, ...] = ()
    if explained and found:
        progress("trying changes of the model")
        explanations, hidden = explain(opened[0][1], mechanism, experiment, found[0])
    progress("")
    return Replay(
        model=source_name(source),
        mechanism=mechanism,
        experiment=experiment,
        engines=tuple(found),
        partings=partings_of(experiment, found),
        explanations=explanations,
        diagnostics=tuple(diagnostics),
        rules=rules_of(experiment),
        unobservable=hidden,
    )


def openers(engines: str | Sequence[str | Factory] | None) -> list[tuple[str, Open]]:
    """Return the name of each engine, and a function that opens it with the model as exported.

    Args:
        engines: Names of engines or callables; None for the default ones.

    Raises:
        ValueError: If an engine is unknown or reads files itself.
        EngineMissingError: If an engine is not installed.
    """
    if engines is None:
        engines = default_engines()
    wanted = [engines] if isinstance(engines, str) else engines
    factories = [factory_of(each) if isinstance(each, str) else each for each in wanted]
    for factory in factories:
        if reads_file(factory):
            raise ValueError(f"the engine {name_of(factory)} does not replay motions of mechanisms")
    return [(name_of(factory), as_exported(factory)) for factory in factories]


# --- the experiment -------------------------------------------------------------------------------


def experiment_of(
    mechanism: Mechanism,
    log: str | Path | Log,
    *,
    controller: Law,
    gains: Mapping[str, tuple[float, float]],
    names: Mapping[str, str],
    step: float | None,
    diagnostics: Diagnostics,
) -> Experiment:
    """Return the experiment that a log states.

    Args:
        mechanism: The mechanism.
        log: See `replay`, as for the others.
        controller: See `replay`.
        gains: See `replay`.
        names: See `replay`.
        step: See `replay`.
        diagnostics: Record for the findings.

    Raises:
        LoadError: If the log cannot be used.
        ValueError: If gains or names are of no joint of the model.
    """
    joints = _scalar_joints(mechanism)
    own = {joint: joint for joint in joints}
    mapped = [name for name in names.values() if key_of(name, own) is None]
    for known, kind in ((gains, "gains"), (mapped, "names")):
        for name in known:
            if name not in joints:
                close = closest(name, joints)
                advice = f"did you mean {close!r}?" if close else f"joints: {', '.join(joints)}"
                raise ValueError(f"{kind} name no joint of the model: {name!r}; {advice}")
    if not isinstance(log, Log):
        log = read_log(log, joints, diagnostics, names)
    else:
        check_contents(log, diagnostics)
    used = _USED[controller]
    driven = tuple(joint for joint in log.joints("command", *used) if joint in joints)
    watched = tuple(joint for joint in log.joints("measured", "position") if joint in joints)
    if not driven and not any(d.severity == "error" for d in diagnostics):
        reason = f"no joint has commands for the controller {controller!r}: {', '.join(used)}"
        diagnostics.add(codes.LOG_FORM, Where(log.file), reason=reason)
    kept = {key: s for key, s in log.series.items() if key[0] != "command" or key[1] in used}
    log = dataclasses.replace(log, series=kept)
    control = _controller(mechanism, log, driven, gains, diagnostics)
    _report_missing(mechanism, log, joints, driven, diagnostics)
    diagnostics.raise_for(LoadError, strict=False)
    stated = mechanism.scene.physics.time_step or LONGEST_STEP
    start, duration, period = grid_of(log, watched, step or min(stated, LONGEST_STEP))
    return Experiment(
        log=log,
        driven=driven,
        watched=watched,
        controller=control,
        start=start,
        duration=duration,
        period=period,
        step=period,
    )


def _scalar_joints(mechanism: Mechanism) -> tuple[str, ...]:
    """Return the joints with one velocity component, of a hinge or a slide."""
    sizes: dict[str, int] = {}
    for name, _ in mechanism.v_order:
        sizes[name] = sizes.get(name, 0) + 1
    scalar = {name for name, _ in scalar_dofs(mechanism)}
    return tuple(name for name, size in sizes.items() if size == 1 and name in scalar)


def _controller(
    mechanism: Mechanism,
    log: Log,
    driven: tuple[str, ...],
    gains: Mapping[str, tuple[float, float]],
    diagnostics: Diagnostics,
) -> Controller:
    p, d = np.zeros(len(driven)), np.zeros(len(driven))
    for k, joint in enumerate(driven):
        targets = [q for q in ("position", "velocity") if log.get("command", q, joint) is not None]
        if not targets:
            continue
        stated = gains.get(joint) or _logged_gains(log, joint) or _model_gains(mechanism, joint)
        if stated is None:
            diagnostics.add(
                codes.LOG_GAINS,
                Where(log.file),
                subjects=(joint,),
                joint=joint,
                quantity=" and ".join(
                    f"{q.replace('y', 'ie') if q == 'velocity' else q}s" for q in targets
                ),
            )
            continue
        p[k], d[k] = stated if "position" in targets else (0.0, stated[1])
    return Controller(p_gains=p, d_gains=d, scales=np.ones(len(driven)))


def _logged_gains(log: Log, joint: str) -> tuple[float, float] | None:
    p, d = log.get("gain", "p", joint), log.get("gain", "d", joint)
    if p is None and d is None:
        return None
    return (0.0 if p is None else float(p.values[0])), (0.0 if d is None else float(d.values[0]))


def _model_gains(mechanism: Mechanism, joint: str) -> tuple[float, float] | None:
    own = (a for a in mechanism.scene.actuators if a.joint == joint)
    found = next((a for a in own if a.p_gain is not None or a.d_gain is not None), None)
    return None if found is None else (found.p_gain or 0.0, found.d_gain or 0.0)


def _report_missing(
    mechanism: Mechanism,
    log: Log,
    joints: Sequence[str],
    driven: Sequence[str],
    diagnostics: Diagnostics,
) -> None:
    watched = log.joints("measured", "position")
    followers = {mechanism.v_order[c.follower][0] for c in mechanism.couplings}
    for joint in joints:
        if joint not in watched and joint not in followers:
            diagnostics.add(
                codes.LOG_JOINT,
                Where(log.file),
                subjects=(joint,),
                joint=joint,
                start=0.0,
                effort="its commands" if joint in driven else "no effort",
            )


def rules_of(experiment: Experiment) -> tuple[str, ...]:
    """Return the rules by which a log is resampled, in words."""
    return (
        "commands are held until the next sample",
        "measured positions are compared at their own times, where the motion of an engine is "
        "interpolated linearly",
        f"the controller acts every {experiment.period:.6g} s, the engines step "
        f"{experiment.step:.6g} s",
        "efforts are limited as the model states; contacts are left out",
        *experiment.log.rules,
    )


# --- parting --------------------------------------------------------------------------------------


def partings_of(experiment: Experiment, found: Sequence[EngineReplay]) -> tuple[Parting, ...]:
    """Return when and by what each engine parts from the log, and each pair of engines.

    Args:
        experiment: The experiment.
        found: The replays.
    """
    curves = {each.engine: _curves(experiment, each.motion) for each in found if each.motion}
    curves = {LOG: _log_curves(experiment), **curves}
    return tuple(
        _parting(experiment, (one, curves[one]), (two, curves[two]))
        for one, two in combinations(curves, 2)
    )


_Curves = Mapping[tuple[str, str], Array]
"""Values at the times of the experiment, by quantity and joint."""


def _curves(experiment: Experiment, motion: ReplayedMotion) -> _Curves:
    found: dict[tuple[str, str], Array] = {}
    for k, joint in enumerate(experiment.watched):
        found["position", joint] = motion.q[:, k]
        found["velocity", joint] = motion.v[:, k]
    for k, joint in enumerate(experiment.driven):
        found["effort", joint] = motion.efforts[:, k]
    return found


def _log_curves(experiment: Experiment) -> _Curves:
    """Return what was measured, NaN at times between two samples."""
    found: dict[tuple[str, str], Array] = {}
    times = experiment.times
    for (role, quantity, joint), series in experiment.log.series.items():
        if role == "measured":
            at_sample = np.full(len(times), math.nan)
            nearest = np.rint((series.times - times[0]) / experiment.period).astype(int)
            nearest = nearest[(nearest >= 0) & (nearest < len(times))]
            at_sample[nearest] = series.at(times[nearest])
            found[quantity, joint] = at_sample
    return found


def _parting(
    experiment: Experiment, first: tuple[str, _Curves], second: tuple[str, _Curves]
) -> Parting:
    """Return the earliest difference; of several at the same time, the largest one."""
    best: tuple[int, float, str, str] | None = None
    for quantity, joint in first[1]:
        if (quantity, joint) not in second[1]:
            continue
        one, two = first[1][quantity, joint], second[1][quantity, joint]
        span = max(float(np.nanmax(x) - np.nanmin(x)) for x in (one, two))
        ratios = np.nan_to_num(np.abs(one - two) / max(span * PARTED, 1e-9), nan=math.inf)
        ratios[np.isnan(one) & (first[0] == LOG)] = 0.0
        over = np.flatnonzero(ratios > 1.0)
        if len(over):
            entry = (int(over[0]), -float(ratios[over[0]]), quantity, joint)
            best = entry if best is None else min(best, entry)
    if best is None:
        return Parting(first=first[0], second=second[0])
    time = experiment.period * best[0]
    return Parting(first=first[0], second=second[0], time=time, quantity=best[2], joint=best[3])


# --- the HTML page of a replay, and its curves ----------------------------------------------------

SHOWN = 0.05
"""Share of the residual from which an explanation is shown."""
COLUMNS = ("joint", "engine", "RMS", "largest", "at [s]", "delay [s]", "bound", "unit")
"""Titles of the columns of `error_rows`."""


def error_rows(engine: EngineReplay) -> Iterator[tuple[str, ...]]:
    """Yield the errors of each joint as texts.

    Args:
        engine: The replay in one engine.
    """
    for error in engine.errors:
        numbers = (error.rms, error.largest, error.at, error.delay, error.bound)
        yield error.joint, engine.engine, *map(_short, numbers), error.unit


def _short(value: float) -> str:
    text = number(value)
    return text if isinstance(text, str) else f"{text:.2g}"


def html(replay: Replay) -> str:
    """Return the page: errors, causes, when motions move apart, and the curves of all joints.

    Args:
        replay: The result.

    Raises:
        ImportError: If matplotlib is not installed.
    """
    experiment = replay.experiment
    rows = [row for engine in replay.engines for row in error_rows(engine)]
    facts = [
        f"{experiment.duration:.4g} s, {len(experiment.driven)} driven and "
        f"{counted(len(experiment.watched), 'measured joint')}",
        *replay.rules,
        *(f"{engine.engine} {engine.version}: {engine.sensitivity}" for engine in replay.engines),
    ]
    answer = f"{_list(replay.answer)}\n" if replay.answer else ""
    sections = [
        ("Causes", answer + _causes(replay)),
        ("Errors", difference_table(COLUMNS, rows)),
        ("When motions move apart", _list(replay.partings)),
        ("Curves", "\n".join(_curves_of(replay))),
        ("How it was run", _list(facts)),
    ]
    return page(f"Replay of {replay.model}", replay.verdict, sections, replay.claim)


def _list(lines: Iterable[object]) -> str:
    return f"<ul>{''.join(f'<li>{escape(str(text))}</li>' for text in lines)}</ul>"


def _causes(replay: Replay) -> str:
    shown: list[tuple[str, Explanation]] = []
    for found in replay.explanations:
        if found.share >= SHOWN:
            shown.append(("proposed" if found.proposed else "not significant", found))
            shown += [("together with it", found.further)] if found.further is not None else []
    if not shown:
        return "<p>No cause is proposed.</p>"
    rows = [
        (
            state,
            each.what,
            ", ".join(each.parameters),
            ", ".join(map(_short, each.before)),
            ", ".join(f"{x:.5g}" for x in each.values),
            ", ".join(map(_short, each.errors)),
            f"{100.0 * each.share:.4g} %",
            _short(each.probability),
        )
        for state, each in shown
    ]
    heads = ("", "change", "of", "from", "to", "standard error", "explains", "by chance")
    return difference_table(heads, rows)


def _curves_of(replay: Replay) -> Iterator[str]:
    """Yield a drawing of each joint: its position, its error, and its effort."""
    for joint in replay.experiment.watched:
        yield f"<figure>{_drawing(replay, joint)}</figure>"


def _drawing(replay: Replay, joint: str) -> str:
    experiment = replay.experiment
    times, measured = experiment.measured(joint)
    unit = unit_of(replay.mechanism, joint)
    has_effort = joint in experiment.driven
    figure = new_figure(8.4, 6.6 if has_effort else 4.6)
    above, middle, *below = figure.subplots(3 if has_effort else 2, 1, sharex=True)
    above.plot(times - experiment.start, measured, color="0.2", linewidth=2.4, label="measured")
    target = experiment.log.get("command", "position", joint)
    if target is not None:
        goal = target.held(experiment.times)
        above.plot(
            experiment.times - experiment.start,
            goal,
            color="0.6",
            linewidth=1.0,
            drawstyle="steps-post",
            label="commanded",
        )
    k = experiment.watched.index(joint)
    moving = [engine for engine in replay.engines if engine.motion is not None]
    for number_of, engine in enumerate(moving):
        motion: Any = engine.motion
        t = motion.times - experiment.start
        _line(above, number_of, t, motion.q[:, k], engine.engine)
        error = np.interp(times, motion.times, motion.q[:, k]) - measured
        _line(middle, number_of, times - experiment.start, error, engine.engine)
        for axes in below:
            effort = motion.efforts[:, experiment.driven.index(joint)]
            _line(axes, number_of, t, effort, engine.engine)
    above.set_title(joint, parse_math=False)
    above.set_ylabel(f"position [{unit}]")
    middle.set_ylabel(f"error [{unit}]")
    for axes in below:
        axes.set_ylabel("effort [N m]" if unit == "rad" else "effort [N]")
    (below or [middle])[-1].set_xlabel("time [s]")
    for axes in (above, middle, *below):
        axes.grid(visible=True, color="0.88", linewidth=0.6)
    above.legend(fontsize="small", loc="upper left", bbox_to_anchor=(1.0, 1.0), frameon=False)
    return svg(figure)


def _line(axes: Any, k: int, x: Array, y: Array, label: str) -> None:
    color, _, dashes = LINES[k % len(LINES)]
    axes.plot(x, y, color=color, linestyle=dashes, linewidth=1.3, label=label)
