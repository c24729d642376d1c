"""``sdfbridge compare A B``: what differs between two files."""

from __future__ import annotations

import dataclasses
import json
from argparse import Namespace
from pathlib import Path

from bridge.cli.errors import ALIKE, DIFFERENT, INCOMPLETE, MISSING, SUCCESS, CommandError, UsageError
from bridge.cli.inputs import load_scene, search, writing_to
from bridge.cli.output import Output
from bridge.diff.files import FileComparison, Verdict, compare_files, places_of, text_of
from bridge.output import write_folder
from bridge.parity import EngineMissingError
from bridge.parity.two_models import errors_in_simulators
from loaders.scene import Scene

_STATUS = {Verdict.EQUAL: SUCCESS, Verdict.ALIKE: ALIKE, Verdict.DIFFERENT: DIFFERENT}


def compare_two(options: Namespace, output: Output) -> int:
    """Print each difference between two files, and whether both move alike.

    Returns:
        0 if they are equal, 5 if items differ but both move alike, 1 if they do not, and 4 instead of 0 or 5 if a
        simulator could not compare them.

    Raises:
        ModelError: if a file cannot be read.
        CommandError: if an engine is not installed.
        UsageError: if a name to match is unknown.
    """
    a, b = load_scene(options), load_scene(options, options.other)
    try:
        result = compare_files(a, b, names=dict(options.map), match=options.match)
    except ValueError as error:
        raise UsageError(str(error)) from error
    if options.engines:
        result = _in_simulators(a, b, options, result)
    if options.json:
        output.json(result.to_dict())
    elif result.differences:
        rows = [
            (d.kind, d.name, d.field or "only in one", text_of(d.a), text_of(d.b), places_of(d))
            for d in result.differences
        ]
        output.table(("kind", "name", "field", "A", "B", "place"), rows)
    if options.report is not None:
        _write_report(options, output, result)
    if not options.json:
        _show_verdict(result, output)
    return INCOMPLETE if result.not_compared and result.verdict is not Verdict.DIFFERENT else _STATUS[result.verdict]


def _show_verdict(result: FileComparison, output: Output) -> None:
    for name, found in result.simulators.items():
        if not found.refusal:
            errors = f"largest error of a pose {found.pose:.2g}, of the mass matrix {found.mass_matrix:.2g}"
            output.data(f"{name}: {errors}")
    for reason in result.not_compared:
        output.data(f"not compared {reason}")
    output.data(f"{'equal' if result.equal else 'different'}: {result.summary}")


def _in_simulators(a: Scene, b: Scene, options: Namespace, result: FileComparison) -> FileComparison:
    try:
        found = errors_in_simulators(a, b, options.engines, result, seed=options.seed, search=search(options))
    except EngineMissingError as error:
        raise CommandError(str(error), MISSING) from error
    except ValueError as error:
        raise UsageError(str(error)) from error
    return dataclasses.replace(result, simulators=found)


def _write_report(options: Namespace, output: Output, result: FileComparison) -> None:
    title = f"{Path(options.file).name} and {Path(options.other).name}"
    files = {
        "report.html": result.html(title).encode(),
        "results.json": (json.dumps(result.to_dict(), indent=1) + "\n").encode(),
    }
    with writing_to(options.report):
        write_folder(options.report, files, force=options.force)
    output.progress(f"wrote {options.report / 'report.html'}, results.json")
