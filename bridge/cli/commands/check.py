"""``sdfbridge check``: read files and report every problem."""

from __future__ import annotations

from argparse import Namespace
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from bridge.cli import displayed_paths
from bridge.cli.errors import DIFFERENT, SUCCESS, UsageError
from bridge.cli.hints import with_command_words
from bridge.cli.inputs import STDIN, expand, limits, load_scene
from bridge.cli.output import Output
from bridge.cli.reports.annotations import workflow_commands
from bridge.cli.reports.json_report import VERSION, diagnostic_entry
from bridge.cli.reports.sarif import sarif_log
from bridge.lowering.inputs import mechanism_of
from loaders.diagnostics import Diagnostic, Diagnostics, ModelError
from loaders.loss_summary import limited
from loaders.safety.limits import budgeted
from loaders.scene_operations.mesh_checks import check_meshes


@dataclass(frozen=True, slots=True)
class _Result:
    """The diagnostics of one file, whether it is valid, and if not, whether lenient loading reads it."""

    file: str
    diagnostics: tuple[Diagnostic, ...]
    valid: bool
    advice: str = ""

    @property
    def name(self) -> str:
        return displayed_paths.STDIN if self.file == STDIN else self.file

    @property
    def verdict(self) -> str:
        """The verdict in words: ``valid``, ``invalid``, or that ``--strict`` refuses the warnings."""
        if self.valid:
            return "valid"
        return "invalid" if any(entry.severity == "error" for entry in self.diagnostics) else "refused by --strict"


def check(options: Namespace, output: Output) -> int:
    """Report every problem of the files and of their meshes, also a size that suggests a wrong unit.

    Returns:
        1 if a file is invalid; with ``--strict`` also if there is a warning.

    Raises:
        UsageError: if a folder holds no model, or if two formats are asked for.
    """
    form = _form(options)
    results = tuple(_results(options, output))
    diagnostics = tuple(with_command_words(entry, "check") for entry in _each_once(results))
    status = SUCCESS if all(result.valid for result in results) else DIFFERENT
    if form == "json":
        output.json(_report(results, diagnostics, status))
    elif form == "sarif":
        output.json(sarif_log(diagnostics, successful=status == SUCCESS))
    elif form == "github":
        output.data_lines(workflow_commands(diagnostics, notes=output.verbosity > 0))
    output.diagnostics(diagnostics)
    for result in results:
        output.advice(f"{result.name}: {result.advice}" if result.advice and len(results) > 1 else result.advice)
    if form == "text":
        output.data_lines(_lines(results, diagnostics))
    return status


def _form(options: Namespace) -> str:
    if options.json and options.format not in (None, "json"):
        raise UsageError(f"--json and --format {options.format} exclude each other; expected one of them")
    return "json" if options.json else options.format or "text"


def _results(options: Namespace, output: Output) -> Iterator[_Result]:
    files = list(dict.fromkeys(expand(options.files, xacro=options.xacro)))
    for number, file in enumerate(files, 1):
        output.status(f"checking {file} ({number} of {len(files)})")
        yield _check_file(options, file)


def _check_file(options: Namespace, file: str) -> _Result:
    """All diagnostics of reading and lowering a file; warnings too if it has errors."""
    try:
        scene = load_scene(options, file)
    except ModelError as error:
        return _Result(file, error.findings, valid=False, advice=getattr(error, "advice", ""))
    meshes = Diagnostics()
    with budgeted(limits(options)), limited(meshes, file):
        check_meshes(scene, meshes)
    try:
        lowered = mechanism_of(scene).diagnostics
    except ModelError as error:
        lowered = error.findings
    diagnostics = (*scene.diagnostics, *lowered, *meshes)
    refused = {"error", "warning"} if options.strict else {"error"}
    valid = not any(entry.severity in refused for entry in diagnostics)
    return _Result(file, diagnostics, valid)


def _each_once(results: Iterable[_Result]) -> Iterator[Diagnostic]:
    """Yield the diagnostics; one in a file that several files include is yielded once, whatever scopes it has there."""
    owners: dict[tuple[str, str], str] = {}
    for result in results:
        for entry in result.diagnostics:
            if owners.setdefault((str(entry), entry.where.path), result.file) == result.file:
                yield entry


def _lines(results: Sequence[_Result], diagnostics: Sequence[Diagnostic]) -> Iterator[str]:
    for result in results:
        found = _counts([entry for entry in result.diagnostics if entry.severity == "warning"])
        yield f"{result.name}: {result.verdict}{f', with {found}' if found else ''}"
    if len(results) > 1:
        valid = sum(result.valid for result in results)
        found = _counts(diagnostics)
        yield f"{len(results)} files: {valid} valid, {len(results) - valid} invalid" + (f"; {found}" if found else "")


def _counts(diagnostics: Sequence[Diagnostic]) -> str:
    counts = Counter(entry.severity for entry in diagnostics)
    return ", ".join(f"{n} {name}{'s' * (n != 1)}" for name in ("error", "warning", "note") if (n := counts[name]))


def _report(results: Sequence[_Result], diagnostics: Sequence[Diagnostic], status: int) -> dict[str, object]:
    return {
        "sdfbridge": VERSION,
        "command": "check",
        "status": status,
        "error": None,
        "files": [result.name for result in results],
        "valid": status == SUCCESS,
        "results": [{"file": result.name, "valid": result.valid} for result in results],
        "diagnostics": [diagnostic_entry(entry) for entry in diagnostics],
    }
