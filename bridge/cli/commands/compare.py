"""compare, with the text of both kinds of comparison, and replay of the motion of a log."""

from __future__ import annotations

import dataclasses
import json
import shlex
import tomllib
from argparse import Namespace
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

import bridge
from bridge.cli.commands.check import form_of, sarif_log, workflow_commands
from bridge.cli.errors import (
    ALIKE,
    DIFFERENT,
    INCOMPLETE,
    MISSING,
    SUCCESS,
    CommandError,
    UsageError,
)
from bridge.cli.inputs import from_git, limits, load_options, load_scene, search, writing_to
from bridge.cli.json_report import diagnostic_entry
from bridge.cli.output import Output, with_command_words
from bridge.demo import Gallery, draw, draw_two, side_by_side
from bridge.diff.files import FileComparison, FileVerdict, compare_files, places_of, text_of
from bridge.lowering.transform import mechanism_of
from bridge.mechanism.coordinates import Position
from bridge.output import check_folder, write_file, write_folder
from bridge.parity import Comparison, EngineMissingError, Outcome, Verdict, default_engines
from bridge.parity.causes import Gap
from bridge.parity.replay.replay import COLUMNS, Replay, error_rows
from bridge.parity.report.report import require_packages
from bridge.parity.two_models import errors_in_simulators
from bridge.parity.verdict import Row, is_idle, line, number
from bridge.robot_checks import doubts
from loaders.diagnostics import Diagnostic, ExportError, ModelError
from loaders.scene import Scene
from loaders.text import counted

_STYLES = {
    Outcome.PASSED: None,
    Outcome.EXPLAINED: "yellow",
    Outcome.FAILED: "bold red",
    Outcome.UNKNOWN: "dim",
}
_WORDS = {
    Outcome.PASSED: "pass",
    Outcome.EXPLAINED: "explained",
    Outcome.FAILED: "FAIL",
    Outcome.UNKNOWN: "unknown",
}
_VERDICTS = {
    Verdict.EQUIVALENT: "bold green",
    Verdict.AGREES: "bold yellow",
    Verdict.INCOMPLETE: "bold magenta",
    Verdict.DIFFERS: "bold red",
}
_COLUMNS = ("", "quantity", "engines", "worst", "tolerance", "where", "")


def show_comparison(comparison: Comparison, output: Output, command: str) -> None:
    """Print the verdict, the number of rows of each outcome, the rows that differ, causes, and what
    was not compared.

    With ``-v`` all rows are printed, those that do not apply folded into one line, with the reasons
    after it.

    Args:
        comparison: The comparison.
        output: Where to print.
        command: The command that repeats the comparison.
    """
    headline = " ".join(comparison.headline)
    contact = comparison.contact if comparison.contact[1:] not in headline else ""
    title = f"{comparison.model}: {comparison.verdict}{_without(comparison)}"
    output.banner("; ".join(filter(None, (title, contact))), _VERDICTS[comparison.verdict])
    output.prose([headline, _summary(comparison)])
    applying = [row for row in comparison.rows if not is_idle(row)]
    shown = applying if output.verbosity > 0 else comparison.failures
    if shown:
        _show_rows(shown, output)
    folded = len(comparison.rows) - len(applying)
    if folded and output.verbosity > 0:
        output.prose([f"{counted(folded, 'row')} not shown: what the model does not state"])
    told = [row for row in comparison.rows if _tells_cause(row, output)]
    output.prose(_causes(told, measured=output.verbosity > 0))
    output.prose(f"not compared: {gap}" for gap in _joined(comparison.gaps))
    output.prose(f"holds if {condition}" for condition in comparison.conditions)
    for row in comparison.failures[:1]:
        output.prose([f"first difference: {line(row)}"])
        output.data(f"repeat with: {command}")
    if output.verbosity == 0:
        output.progress("-v shows every quantity")


def _tells_cause(row: Row, output: Output) -> bool:
    """Return whether the cause of a row is printed; why a row compares nothing, only with all
    rows.
    """
    return bool(row.cause) and (row.outcome is not Outcome.UNKNOWN or output.verbosity > 0)


def _causes(rows: Iterable[Row], *, measured: bool) -> list[str]:
    """Return each cause once, after the quantities that have it, with or without what was measured
    of each.
    """
    quantities: dict[str, dict[str, None]] = {}
    for row in rows:
        cause = row.cause if measured else row.cause.partition("; ")[0]
        quantities.setdefault(cause, {})[row.quantity] = None
    return [f"{', '.join(names)}: {cause}" for cause, names in quantities.items()]


def _joined(gaps: Iterable[Gap]) -> list[str]:
    """Return the text of each gap, those that differ in the engines only as one."""
    engines: dict[Gap, list[str]] = {}
    for gap in gaps:
        engines.setdefault(replace(gap, engines=()), []).append(" and ".join(gap.engines))
    pairs = {gap: ", ".join(filter(None, names)) for gap, names in engines.items()}
    return [str(replace(gap, engines=(text,) if text else ())) for gap, text in pairs.items()]


def _without(comparison: Comparison) -> str:
    """Return a statement of how much of the file the verdict is not about; empty if it is about all
    of it.
    """
    count = comparison.skipped
    return (
        f", without {counted(count, 'invalid piece')} that lenient loading skipped" if count else ""
    )


def exit_status(verdict: Verdict, *, strict: bool) -> int:
    """Return the exit status of a verdict.

    Args:
        verdict: The verdict.
        strict: Whether differences with a known cause count.
    """
    if verdict is Verdict.INCOMPLETE:
        return INCOMPLETE
    return (
        DIFFERENT
        if verdict is Verdict.DIFFERS or (strict and verdict is Verdict.AGREES)
        else SUCCESS
    )


def _summary(comparison: Comparison) -> str:
    counts = Counter(
        "not applicable" if is_idle(row) else _WORDS[row.outcome].lower() for row in comparison.rows
    )
    words = (*(_WORDS[outcome].lower() for outcome in Outcome), "not applicable")
    outcomes = ", ".join(f"{counts[word]} {word}" for word in words if counts[word])
    return f"{', '.join(comparison.engines)} and the reference: {outcomes or 'nothing to compare'}"


def _show_rows(rows: Sequence[Row], output: Output) -> None:
    cells = [
        (
            str(row.level),
            row.quantity,
            " / ".join(row.engines),
            _short(row.error),
            f"{row.tolerance:.0e}",
            row.where,
            _WORDS[row.outcome],
        )
        for row in rows
    ]
    output.table(_COLUMNS, cells, [_STYLES[row.outcome] for row in rows])


def _short(error: float) -> str:
    value = number(error)
    return value if isinstance(value, str) else f"{value:.1e}"


_STATUS = {FileVerdict.EQUAL: SUCCESS, FileVerdict.ALIKE: ALIKE, FileVerdict.DIFFERENT: DIFFERENT}


def compare_two(options: Namespace, output: Output) -> int:
    """Print what was changed between two files, what follows from it, and whether both move alike.

    Returns:
        0 if they are equal, 5 if items differ but both move alike, 1 if they do not, and 4 instead
        of 0 or 5 if a simulator could not compare them.

    Raises:
        ModelError: if a file cannot be read.
        CommandError: if an engine is not installed, or a state in git lacks a file.
        UsageError: if a name to match is unknown, or two forms are asked for.
    """
    form = form_of(options)
    output.status(f"comparing {options.file} with {options.other}")
    with from_git(options.file) as old, from_git(options.other) as new:
        a, b = load_scene(options, old), load_scene(options, new)
        return _compare_scenes(options, output, a, b, form)


def _compare_scenes(options: Namespace, output: Output, a: Scene, b: Scene, form: str) -> int:
    """Print each difference between two scenes; return the status."""
    try:
        result = compare_files(a, b, names=dict(options.map), match=options.match)
    except ValueError as error:
        raise UsageError(str(error)) from error
    if options.engines:
        result = _in_simulators(a, b, options, result)
    only_a, only_b = _other_findings(a, b, options)
    status = (
        INCOMPLETE
        if result.not_compared and result.verdict is not FileVerdict.DIFFERENT
        else _STATUS[result.verdict]
    )
    if options.report is not None:
        _write_report(options, output, result, _plain(result, only_a, only_b), (a, b))
    if form == "text":
        _show_verdict(result, output)
        _show_rows_of_files(result, output)
        for side, found in (("A", only_a), ("B", only_b)):
            entries = (with_command_words(entry, "compare") for entry in found)
            output.prose(f"only in {side}: {entry}" for entry in entries)
    else:
        _print_as(form, output, result, only_a, only_b, status)
    return status


def _print_as(
    form: str,
    output: Output,
    result: FileComparison,
    only_a: Sequence[Diagnostic],
    only_b: Sequence[Diagnostic],
    status: int,
) -> None:
    """Print a comparison of two files in a form for programs."""
    entries = [*(change.diagnostic() for change in result.changes), *only_b]
    if form == "json":
        output.json(_plain(result, only_a, only_b))
    elif form == "sarif":
        output.json(sarif_log(entries, status=status))
    elif form == "github":
        output.data_lines(workflow_commands(entries, notes=True))
    else:
        output.data(result.junit())


def _plain(
    result: FileComparison, only_a: Sequence[Diagnostic], only_b: Sequence[Diagnostic]
) -> dict[str, Any]:
    """Return a comparison with the findings that one file alone has, as plain data."""
    found = {"a": only_a, "b": only_b}
    entries = {side: list(map(diagnostic_entry, found[side])) for side in found}
    return {**result.to_dict(), "findings": entries}


def _other_findings(
    a: Scene, b: Scene, options: Namespace
) -> tuple[list[Diagnostic], list[Diagnostic]]:
    """Return the errors and warnings about the numbers and the files of each scene alone."""
    first, second = (_findings_by_item(scene, options) for scene in (a, b))
    return (
        [entry for key, entry in first.items() if key not in second],
        [entry for key, entry in second.items() if key not in first],
    )


def _findings_by_item(scene: Scene, options: Namespace) -> dict[tuple[Any, ...], Diagnostic]:
    """Return errors and warnings by code and subjects; without subjects by the path in the file."""
    found: dict[tuple[Any, ...], Diagnostic] = {}
    for entry in (*scene.diagnostics, *_doubts_of(scene, options)):
        if entry.severity != "note":
            path = "" if entry.subjects else entry.where.path
            found[entry.code, entry.subjects, path] = entry
    return found


def _doubts_of(scene: Scene, options: Namespace) -> tuple[Diagnostic, ...]:
    try:
        return doubts(mechanism_of(scene), limits(options))
    except ModelError:  # it cannot move, which the verdict says
        return ()


def _show_rows_of_files(result: FileComparison, output: Output) -> None:
    if result.differences and output.verbosity > 0:
        rows = [
            (d.kind, d.name, d.field or "only in one", text_of(d.a), text_of(d.b), places_of(d))
            for d in result.differences
        ]
        output.table(("kind", "name", "field", "A", "B", "place"), rows)


def _show_verdict(result: FileComparison, output: Output) -> None:
    output.prose([f"{'equal' if result.equal else 'different'}: {result.summary}"])
    output.prose(map(str, result.changes))
    output.prose(f"in effect, {text}" for text in result.effects)
    for name, found in result.simulators.items():
        if not found.refusal:
            errors = (
                f"largest error of a pose {found.pose:.2g}, of the mass matrix "
                f"{found.mass_matrix:.2g}"
            )
            output.prose([f"{name}: {errors}"])
    output.prose(f"not compared {reason}" for reason in result.not_compared)
    if len(result.differences) > len(result.changes) and output.verbosity == 0:
        output.progress("-v shows every difference")


def _in_simulators(
    a: Scene, b: Scene, options: Namespace, result: FileComparison
) -> FileComparison:
    try:
        found = errors_in_simulators(
            a, b, options.engines, result, seed=options.seed, search=search(options)
        )
    except EngineMissingError as error:
        raise CommandError(str(error), MISSING) from error
    except ValueError as error:
        raise UsageError(str(error)) from error
    return dataclasses.replace(result, simulators=found)


def _write_report(
    options: Namespace,
    output: Output,
    result: FileComparison,
    plain: dict[str, Any],
    scenes: tuple[Scene, Scene],
) -> None:
    output.status("drawing both files")
    picture = _picture_of_both(scenes)
    output.status("")
    title = f"A: {Path(options.file).name}, B: {Path(options.other).name}"
    files = {
        "report.html": result.html(title, picture).encode(),
        "results.json": (json.dumps(plain, indent=1) + "\n").encode(),
        "junit.xml": result.junit(title).encode(),
    }
    with writing_to(options.report):
        write_folder(options.report, files, force=options.force)
    output.progress(f"wrote {options.report / 'report.html'}, results.json, junit.xml")


def _picture_of_both(scenes: tuple[Scene, Scene]) -> bytes | None:
    """Return both scenes from the same camera with their difference; None where they cannot be
    drawn.
    """
    try:
        drawn = draw_two(*scenes)
        gallery = Gallery(images={name: [image] for name, image in zip("AB", drawn, strict=False)})
        return side_by_side(gallery, ["all joints at zero"])
    except (ImportError, ExportError):
        return None


_DRAWN = {"mujoco", "pybullet"}
"""Engines that can draw the model."""


def compare(options: Namespace, output: Output) -> int:
    """Compare engines on a model.

    Returns:
        1 if they differ, with ``--strict`` even for a known cause; 4 if nothing differs in what was
        compared, but not everything was compared.

    Raises:
        ModelError: if the model cannot be read; with ``--strict`` also if an engine cannot
        represent all of it.
        CommandError: if an engine is not installed.
        UsageError: if a form of the comparison of two files is asked for.
        ImportError: if the packages of a report are not installed.
    """
    if options.report is not None:
        if options.other is None:
            require_packages()
        with writing_to(options.report):
            check_folder(options.report, force=options.force)
    if options.other is not None:
        return compare_two(options, output)
    if options.format is not None:
        raise UsageError("--format applies to the comparison of two files; expected a second file")
    engines = ", ".join(options.engines or default_engines())
    output.status(f"comparing {engines} on {options.file}")
    scene = load_scene(options)
    comparison = _compare(options, output, scene)
    command = shlex.join(["sdfbridge", *options.words])
    if options.json:
        output.json({**comparison.to_dict(), "command": command})
    else:
        show_comparison(comparison, output, command)
    if options.report is not None:
        with writing_to(options.report):
            write_report(comparison, scene, options.report, output, force=options.force)
    output.similar = 1
    found = doubts(mechanism_of(scene), limits(options))
    output.diagnostics((*comparison.diagnostics, *found))
    return exit_status(comparison.verdict, strict=options.strict)


def _compare(options: Namespace, output: Output, scene: Scene) -> Comparison:
    try:
        return bridge.compare(
            scene,
            engines=options.engines or default_engines(),
            levels=options.level,
            seed=options.seed,
            configurations=options.configurations,
            positions=dict(options.set),
            base=options.base,
            inertia=options.inertia,
            overlaps=options.overlaps,
            exclude=options.exclude,
            exclude_samples=options.exclude_samples,
            exclude_seed=options.exclude_seed,
            progress=output.status,
            **load_options(options),
        )
    except EngineMissingError as error:
        raise CommandError(str(error), MISSING) from error


# --- the folder -----------------------------------------------------------------------------------


def write_report(
    comparison: Comparison, scene: Scene, folder: Path, output: Output, *, force: bool
) -> None:
    """Write results.json, junit.xml and report.html, with pictures if this machine can draw.

    Args:
        comparison: The result to write.
        scene: The scene that was compared.
        folder: The folder to write; an earlier report in its place is replaced.
        output: Where progress is reported.
        force: Whether to overwrite files that were edited or that no report wrote.
    """
    pictures: dict[str, bytes] = {}
    if _DRAWN & set(comparison.engines):
        output.status("drawing both simulators")
        pictures, notes = _pictures(comparison, scene)
        if notes:
            comparison = dataclasses.replace(
                comparison, environment={**comparison.environment, "pictures": "; ".join(notes)}
            )
    output.status("writing the report")
    comparison.to_folder(folder, pictures, force=force)
    output.status("")
    output.progress(f"wrote {folder / 'report.html'}, results.json, junit.xml")


def _pictures(comparison: Comparison, scene: Scene) -> tuple[dict[str, bytes], list[str]]:
    """Pictures of both simulators at the chosen and at one random configuration, by caption; and
    notes.
    """
    chosen = comparison.details["positions"]
    poses = [chosen, *(_without_free_bodies(q) for q in comparison.details["random_positions"])]
    caption = (
        ", ".join(f"{joint} at {np.round(value, 3)}" for joint, value in chosen.items())
        or "all joints at zero"
    )
    captions = [caption, f"random joint positions, seed {comparison.environment['seed']}"][
        : len(poses)
    ]
    gallery = draw(scene, poses)
    picture = side_by_side(gallery, captions)
    names = " and ".join(gallery.images)
    return ({f"{names} at the same joint positions": picture} if picture else {}), gallery.notes


def _without_free_bodies(q: dict[str, Position]) -> dict[str, Position]:
    """Positions without those of free bodies, which stay where the file places them."""
    return {name: value for name, value in q.items() if isinstance(value, float) or len(value) != 7}


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
