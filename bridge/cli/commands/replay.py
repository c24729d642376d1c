"""replay: the motion of a log in every engine, and what explains its errors."""

from __future__ import annotations

import tomllib
from argparse import Namespace

import bridge
from bridge.cli.errors import DIFFERENT, MISSING, SUCCESS, CommandError
from bridge.cli.inputs import load_scene, writing_to
from bridge.cli.output import Output
from bridge.output import write_file
from bridge.parity import EngineMissingError, default_engines
from bridge.parity.replay.replay import COLUMNS, Replay, error_rows
from bridge.parity.report.report import require_packages
from loaders.text import counted


def replay(options: Namespace, output: Output) -> int:
    """Run the commands of a log in every engine, and print the errors of the motion.

    Returns:
        0 if every engine moves as the log within what the step explains, else 1.

    Raises:
        ModelError: if the model or the log cannot be used.
        CommandError: if an engine is not installed.
    """
    if options.report is not None:
        require_packages()
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
            starts=options.starts,
            scatter=options.scatter,
            progress=output.status,
        )
    except EngineMissingError as error:
        raise CommandError(str(error), MISSING) from error
    if options.json:
        output.json(result.to_dict())
    else:
        _show(result, output)
    _write(result, options, output)
    output.diagnostics(result.diagnostics)
    return SUCCESS if result.is_within_bound else DIFFERENT


def _show(result: Replay, output: Output) -> None:
    experiment = result.experiment
    output.banner(
        f"{result.model}: {result.verdict}; {result.claim}",
        "bold green" if result.is_within_bound else "bold red",
    )
    output.prose(result.answer)
    output.prose([f"{counted(len(experiment.driven), 'driven joint')}; {'; '.join(result.rules)}"])
    rows = [row for engine in result.engines for row in error_rows(engine)]
    output.table(COLUMNS, rows)
    output.prose(f"{engine.engine}: {engine.sensitivity}" for engine in result.engines)
    output.prose(map(str, result.partings))
    others = [each for each in result.explanations if not each.proposed]
    shown = others[: None if output.verbosity > 0 else 3]
    output.prose(f"not significant: {other}" for other in shown)


def _write(result: Replay, options: Namespace, output: Output) -> None:
    """Write the page and the overrides that the options ask for."""
    if options.report is not None:
        with writing_to(options.report):
            write_file(options.report, result.html().encode(), make_folder=True)
        output.progress(f"wrote {options.report}")
    if options.write_overrides is not None:
        known = {} if options.overrides is None else tomllib.loads(options.overrides.read_text())
        text = result.overrides(known)
        if text:
            with writing_to(options.write_overrides):
                write_file(options.write_overrides, text.encode())
            output.progress(f"wrote {options.write_overrides}")
        else:
            reason = "it is not one of the model" if result.causes else "none is proposed"
            output.progress(f"wrote no overrides for a cause: {reason}")
