"""replay: the motion of a log in every engine, and what explains its errors."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Iterable

import bridge
from bridge.cli.errors import DIFFERENT, MISSING, SUCCESS, CommandError
from bridge.cli.inputs import load_scene
from bridge.cli.output import Output
from bridge.parity import EngineMissingError, default_engines
from bridge.parity.replay.errors import EngineReplay
from bridge.parity.replay.replay import Replay
from bridge.parity.verdict import number

_HEADS = ("joint", "engine", "RMS", "largest", "at [s]", "delay [s]", "bound", "unit")


def replay(options: Namespace, output: Output) -> int:
    """Run the commands of a log in every engine, and print the errors of the motion.

    Returns:
        0 if every engine moves as the log within what the step explains, else 1.

    Raises:
        ModelError: if the model or the log cannot be used.
        CommandError: if an engine is not installed.
    """
    scene = load_scene(options)
    try:
        result = bridge.replay(
            scene,
            options.log,
            engines=options.engines or default_engines(),
            controller=options.controller,
            gains=dict(options.gains),
            names=dict(options.map),
            step=options.step,
            base=options.base,
            explained=not options.no_causes,
            progress=output.status,
        )
    except EngineMissingError as error:
        raise CommandError(str(error), MISSING) from error
    if options.json:
        output.json(result.to_dict())
    else:
        _show(result, output)
    output.diagnostics(result.diagnostics)
    return SUCCESS if result.is_within_bound else DIFFERENT


def _show(result: Replay, output: Output) -> None:
    experiment = result.experiment
    moved = "as the log" if result.is_within_bound else "differently"
    output.banner(
        f"{result.model}: moves {moved} in {', '.join(each.engine for each in result.engines)}",
        "bold green" if result.is_within_bound else "bold red",
    )
    output.data(
        f"{experiment.duration:.4g} s, {len(experiment.driven)} driven and "
        f"{len(experiment.watched)} measured joints; {'; '.join(result.rules)}"
    )
    rows = [row for engine in result.engines for row in _rows(engine)]
    output.table(_HEADS, rows, [None if row[-1] else "bold red" for row in rows])
    for engine in result.engines:
        output.data(f"{engine.engine}: {engine.sensitivity}")
    for parting in result.partings:
        output.data(str(parting))
    for number_of, cause in enumerate(result.causes, start=1):
        output.data(f"cause {number_of}: {cause}")
    others = [each for each in result.explanations if not each.proposed]
    for other in others[: None if output.verbosity > 0 else 3]:
        output.data(f"not significant: {other}")


def _rows(engine: EngineReplay) -> Iterable[tuple[str, ...]]:
    for error in engine.errors:
        yield (
            error.joint,
            engine.engine,
            _short(error.rms),
            _short(error.largest),
            f"{error.at:.3g}",
            _short(error.delay),
            _short(error.bound),
            error.unit,
        )


def _short(value: float) -> str:
    text = number(value)
    return text if isinstance(text, str) else f"{text:.1e}"
