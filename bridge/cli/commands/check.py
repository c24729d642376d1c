"""check, with annotations and SARIF.

The form is that of GitHub's page "Workflow commands": ``::error
file=NAME,line=LINE,title=TITLE::MESSAGE``.
"""

from __future__ import annotations

import os
from argparse import Namespace
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any
from urllib.parse import quote

from bridge.cli import json_report
from bridge.cli.errors import DIFFERENT, SUCCESS, UsageError
from bridge.cli.inputs import STDIN, expand, limits, load_scene
from bridge.cli.json_report import VERSION, diagnostic_entry, shown_path
from bridge.cli.output import Output, with_command_words
from bridge.codes import LOWER_OVERLAP_IN_MOTION
from bridge.installed_packages import own_version
from bridge.lowering.lower import report_overlaps, report_overlaps_in_motion
from bridge.lowering.sources import mechanism_of, overlaps_in_motion
from bridge.mechanism import Mechanism
from bridge.robot_checks import RobotSize, check_robot
from loaders.code import ActsOn
from loaders.deferred import Deferred
from loaders.diagnostics import Code, Diagnostic, Diagnostics, ModelError, Where, limited
from loaders.limits import budgeted
from loaders.text import by_harm

_COMMANDS = {"error": "error", "warning": "warning", "note": "notice"}
_ESCAPES = {"%": "%25", "\r": "%0D", "\n": "%0A"}
_PROPERTY_ESCAPES = {**_ESCAPES, ":": "%3A", ",": "%2C"}


def workflow_commands(diagnostics: Iterable[Diagnostic], *, notes: bool) -> Iterator[str]:
    """Yield one workflow command for each diagnostic.

    Args:
        diagnostics: The diagnostics.
        notes: Whether notes are included.
    """
    for entry in diagnostics:
        if notes or entry.severity != "note":
            text = entry.message + (f" ({entry.hint})" if entry.hint else "")
            yield f"::{_COMMANDS[entry.severity]} {_properties(entry)}::{_escaped(text, _ESCAPES)}"


def _properties(entry: Diagnostic) -> str:
    properties = {
        "file": shown_path(entry.where.file),
        "line": str(entry.where.line) if entry.where.line else "",
        "title": entry.code,
    }
    return ",".join(
        f"{name}={_escaped(value, _PROPERTY_ESCAPES)}"
        for name, value in properties.items()
        if value
    )


def _escaped(text: str, escapes: dict[str, str]) -> str:
    return "".join(escapes.get(character, character) for character in text)


_info_of: Callable[[str], Code | None] = Deferred("bridge.diagnostic_codes:info_of")

SCHEMA = (
    "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
)


def sarif_log(diagnostics: Iterable[Diagnostic], *, successful: bool) -> dict[str, Any]:
    """Return a log with one run, one rule for each code, and one result for each diagnostic.

    Args:
        diagnostics: The diagnostics.
        successful: Whether the tool found nothing that is an error.
    """
    entries = list(diagnostics)
    codes = list(dict.fromkeys(entry.code for entry in entries))
    driver = {
        "name": "sdfbridge",
        "version": own_version(),
        "rules": [_rule(code) for code in codes],
    }
    run = {
        "tool": {"driver": driver},
        "columnKind": "unicodeCodePoints",
        "invocations": [{"executionSuccessful": True, "exitCode": 0 if successful else 1}],
        "results": [_result(entry, codes.index(entry.code)) for entry in entries],
    }
    return {"$schema": SCHEMA, "version": "2.1.0", "runs": [run]}


def _rule(code: str) -> dict[str, Any]:
    info = _info_of(code)
    rule: dict[str, Any] = {"id": code}
    if info is not None:
        rule["shortDescription"] = {"text": info.meaning}
        rule["help"] = {"text": info.remedy or "Nothing needs to be done."}
    return rule


def _result(entry: Diagnostic, rule: int) -> dict[str, Any]:
    text = entry.message + (f" ({entry.hint})" if entry.hint else "")
    result: dict[str, Any] = {
        "ruleId": entry.code,
        "ruleIndex": rule,
        "level": entry.severity,
        "message": {"text": text},
        "properties": {"fate": str(entry.fate), "subjects": list(entry.subjects)},
    }
    if entry.where.file:
        result["locations"] = [_location(entry.where)]
    return result


def _location(where: Where) -> dict[str, Any]:
    path = Path(shown_path(where.file))
    artifact = (
        {"uri": path.as_uri()}
        if path.is_absolute()
        else {"uri": quote(os.fsencode(path.as_posix())), "uriBaseId": "%SRCROOT%"}
    )
    physical: dict[str, Any] = {"artifactLocation": artifact}
    if where.line:
        physical["region"] = {"startLine": where.line}
    location: dict[str, Any] = {"physicalLocation": physical}
    if where.path:
        location["logicalLocations"] = [{"fullyQualifiedName": where.path}]
    return location


@dataclass(frozen=True, slots=True)
class _Result:
    """The diagnostics of one file, whether it is valid, and if not, whether lenient loading reads
    it; the size of its robot, None if it was not read.
    """

    file: str
    diagnostics: tuple[Diagnostic, ...]
    valid: bool
    advice: str = ""
    size: RobotSize | None = None

    @property
    def name(self) -> str:
        return json_report.STDIN if self.file == STDIN else self.file

    @property
    def verdict(self) -> str:
        """The verdict in words: ``valid``, ``invalid``, or that ``--strict`` refuses the
        warnings.
        """
        if self.valid:
            return "valid"
        return (
            "invalid"
            if any(entry.severity == "error" for entry in self.diagnostics)
            else "refused by --strict"
        )


def check(options: Namespace, output: Output) -> int:
    """Report every problem of the files and of their meshes, also a size that suggests a wrong
    unit.

    Returns:
        1 if a file is invalid; with ``--strict`` also if there is a warning.

    Raises:
        UsageError: if a folder holds no model, or if two formats are asked for.
    """
    form = _form(options)
    results = tuple(_results(options, output))
    found = by_harm(_each_once(results))
    diagnostics = tuple(with_command_words(entry, "check") for entry in found)
    status = SUCCESS if all(result.valid for result in results) else DIFFERENT
    if form == "json":
        output.json(_report(results, diagnostics, status))
    elif form == "sarif":
        output.json(sarif_log(diagnostics, successful=status == SUCCESS))
    elif form == "github":
        output.data_lines(workflow_commands(diagnostics, notes=output.verbosity > 0))
    output.diagnostics(diagnostics)
    for result in results:
        output.advice(
            f"{result.name}: {result.advice}"
            if result.advice and len(results) > 1
            else result.advice
        )
    if form == "text":
        if options.positions:
            output.data_lines(_lines_of_motion(results, options.positions))
        output.data_lines(_lines(results, diagnostics))
        if len(results) == 1 or output.verbosity > 0:
            output.data_lines(
                f"{result.name}: {result.size}"
                for result in results
                if result.size is not None and (result.size.mass or result.size.height)
            )
    return status


def _form(options: Namespace) -> str:
    if options.json and options.format not in (None, "json"):
        raise UsageError(
            f"--json and --format {options.format} exclude each other; expected one of them"
        )
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
    meshes, lowered = Diagnostics(), Diagnostics()
    size = None
    try:
        mechanism = mechanism_of(scene)
        lowered.extend(mechanism.diagnostics)
        with budgeted(limits(options)), limited(lowered, file):
            report_overlaps(mechanism, mechanism.default_policy, lowered)
            if options.positions:
                _report_motion(options, mechanism, lowered)
        with budgeted(limits(options)), limited(meshes, file):
            size = check_robot(mechanism, meshes)
    except ModelError as error:
        lowered.extend(error.findings)
    diagnostics = (*scene.diagnostics, *lowered, *meshes)
    refused = {"error", "warning"} if options.strict else {"error"}
    valid = not any(entry.severity in refused for entry in diagnostics)
    return _Result(file, diagnostics, valid, size=size)


def _report_motion(options: Namespace, mechanism: Mechanism, diagnostics: Diagnostics) -> None:
    samples, seed = options.positions, options.seed
    found = overlaps_in_motion(mechanism, samples=samples, seed=seed)
    report_overlaps_in_motion(mechanism, found, samples, seed, diagnostics)


def _each_once(results: Iterable[_Result]) -> Iterator[Diagnostic]:
    """Yield the diagnostics; one in a file that several files include is yielded once, whatever
    scopes it has there.
    """
    owners: dict[tuple[str, str], str] = {}
    for result in results:
        for entry in result.diagnostics:
            if owners.setdefault((str(entry), entry.where.path), result.file) == result.file:
                yield entry


def _lines(results: Sequence[_Result], diagnostics: Sequence[Diagnostic]) -> Iterator[str]:
    for result in results:
        found = _counts([entry for entry in result.diagnostics if entry.severity == "warning"])
        harms = _harms(result.diagnostics)
        yield (
            f"{result.name}: {result.verdict}"
            + (f", with {found}" if found else "")
            + (f": {harms}" if found and harms else "")
        )
    if len(results) > 1:
        valid = sum(result.valid for result in results)
        found = _counts(diagnostics)
        yield f"{len(results)} files: {valid} valid, {len(results) - valid} invalid" + (
            f"; {found}" if found else ""
        )


def _lines_of_motion(results: Sequence[_Result], samples: int) -> Iterator[str]:
    for result in results:
        if not any(entry.severity == "error" for entry in result.diagnostics):
            found = (e for e in result.diagnostics if e.code == LOWER_OVERLAP_IN_MOTION.name)
            nothing = f"no links that may collide overlap at {samples} random positions"
            yield f"{result.name}: {next((entry.message for entry in found), nothing)}"


def _counts(diagnostics: Sequence[Diagnostic]) -> str:
    counts = Counter(entry.severity for entry in diagnostics)
    return ", ".join(
        f"{n} {name}{'s' * (n != 1)}"
        for name in ("error", "warning", "note")
        if (n := counts[name])
    )


_HARMS = (
    ("lets it diverge", "let it diverge"),
    ("makes it another robot", "make it another robot"),
    ("changes its looks", "change its looks"),
)
"""What findings do to a robot, the worst first."""


def _harms(diagnostics: Iterable[Diagnostic]) -> str:
    """Return how many warnings do what to the robot, the worst first."""
    ranks = Counter(_rank(entry) for entry in diagnostics if entry.severity == "warning")
    return ", ".join(
        f"{ranks[i]} {words[ranks[i] > 1]}" for i, words in enumerate(_HARMS) if ranks[i]
    )


def _rank(entry: Diagnostic) -> int | None:
    """Return which of the harms a finding does; None if it does none of them."""
    if entry.harm:
        return 0 if entry.harm > 2 else 1
    info = _info_of(entry.code)
    if info is None or info.effect is None:
        return None
    return {ActsOn.MOTION: 1, ActsOn.CONTACT: 1, ActsOn.LOOKS: 2}.get(info.effect.acts_on)


def _report(
    results: Sequence[_Result], diagnostics: Sequence[Diagnostic], status: int
) -> dict[str, object]:
    return {
        "sdfbridge": VERSION,
        "command": "check",
        "status": status,
        "error": None,
        "files": [result.name for result in results],
        "valid": status == SUCCESS,
        "results": [_entry(result) for result in results],
        "diagnostics": [diagnostic_entry(entry) for entry in diagnostics],
    }


def _entry(result: _Result) -> dict[str, object]:
    size = {} if result.size is None else asdict(result.size)
    return {"file": result.name, "valid": result.valid, **size}
