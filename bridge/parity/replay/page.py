"""The HTML page of a replay, and its curves."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Protocol

import numpy as np

from bridge.diff.files import difference_table, page
from bridge.mechanism import Mechanism
from bridge.parity.report.report import LINES, new_figure, svg
from bridge.parity.verdict import number
from loaders.pose import Array
from loaders.text import counted

from .errors import EngineReplay, unit_of
from .explanations import Explanation
from .rollout import Experiment

SHOWN = 0.05
"""Share of the residual from which an explanation is shown."""
HEADS = ("joint", "engine", "RMS", "largest", "at [s]", "delay [s]", "bound", "unit")
"""Titles of the columns of `error_rows`."""


class Result(Protocol):
    """A replay as pages show it; see `bridge.parity.replay.replay.Replay`."""

    @property
    def model(self) -> str:
        """The name of the model."""

    @property
    def verdict(self) -> str:
        """The verdict, a word."""

    @property
    def mechanism(self) -> Mechanism:
        """The model."""

    @property
    def experiment(self) -> Experiment:
        """The experiment."""

    @property
    def engines(self) -> Sequence[EngineReplay]:
        """The replay in each engine."""

    @property
    def partings(self) -> Sequence[object]:
        """The times and quantities by which motions part."""

    @property
    def explanations(self) -> Sequence[Explanation]:
        """The changes that may explain the errors."""

    @property
    def rules(self) -> Sequence[str]:
        """The rules by which the log is resampled."""


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


def html(replay: Result) -> str:
    """Return the page: errors, partings, causes, and the curves of all joints.

    Args:
        replay: The result.

    Raises:
        ImportError: If matplotlib is not installed.
    """
    experiment = replay.experiment
    rows = [row for engine in replay.engines for row in error_rows(engine)]
    facts = [
        f"{experiment.duration:.4g} s, {len(experiment.driven)} driven and "
        f"{len(experiment.watched)} measured joints",
        *replay.rules,
        *(f"{engine.engine} {engine.version}: {engine.sensitivity}" for engine in replay.engines),
    ]
    sections = [
        ("Errors", difference_table(HEADS, rows)),
        ("Causes", _causes(replay)),
        ("Partings", difference_table(("",), [(str(each),) for each in replay.partings])),
        ("Curves", "\n".join(_curves(replay))),
        ("How it was run", difference_table(("",), [(fact,) for fact in facts])),
    ]
    claim = (
        f"the motion of {counted(len(experiment.watched), 'joint')} over "
        f"{experiment.duration:.4g} s, repeated in "
        f"{' and '.join(engine.engine for engine in replay.engines)}."
    )
    return page(f"Replay of {replay.model}", replay.verdict, sections, claim)


def _causes(replay: Result) -> str:
    shown = [each for each in replay.explanations if each.share >= SHOWN]
    if not shown:
        return "<p>No cause is proposed.</p>"
    rows = [
        (
            "proposed" if each.proposed else "not significant",
            f"{each.kind} of {', '.join(each.subjects)}" if each.subjects else each.kind,
            ", ".join(each.parameters),
            ", ".join(map(_short, each.before)),
            ", ".join(f"{x:.5g}" for x in each.values),
            ", ".join(map(_short, each.errors)),
            f"{100.0 * each.share:.4g} %",
            _short(each.probability),
        )
        for each in shown
    ]
    heads = ("", "change", "of", "from", "to", "standard error", "explains", "by chance")
    return difference_table(heads, rows)


def _curves(replay: Result) -> Iterator[str]:
    """Yield a drawing of each joint: its position, its error, and its effort."""
    for joint in replay.experiment.watched:
        yield _drawing(replay, joint)


def _drawing(replay: Result, joint: str) -> str:
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
