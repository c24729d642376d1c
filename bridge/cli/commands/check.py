"""check, explain and fix, and findings as annotations of GitHub and as SARIF.

fix shows the repairs of a file as a diff, and writes them on request.

The form of annotations is that of GitHub's page "Workflow commands": ``::error
file=NAME,line=LINE,title=TITLE::MESSAGE``.
"""

from __future__ import annotations

import itertools
import json
import os
import re
from argparse import Namespace
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from typing import Any

from lxml import etree

import bridge
from bridge import sarif
from bridge.cli import json_report
from bridge.cli.errors import DIFFERENT, SUCCESS, UsageError
from bridge.cli.inputs import STDIN, expand, git, limits, load_scene, search, writing_to
from bridge.cli.json_report import VERSION, diagnostic_entry, shown_path
from bridge.cli.output import Output, with_command_words
from bridge.codes import LOWER_OVERLAP_IN_MOTION
from bridge.lowering.lower import report_overlaps, report_overlaps_in_motion
from bridge.lowering.transform import mechanism_of, overlaps_in_motion
from bridge.output import write_file
from bridge.repairs import Fix
from bridge.robot_checks import RobotSize, check_robot
from bridge.rules import (
    Ignored,
    Selection,
    all_codes,
    baseline_text,
    checked_codes,
    codes_of,
    read_baseline,
)
from loaders.code import ActsOn
from loaders.diagnostics import Code, Diagnostic, Diagnostics, ModelError, limited
from loaders.files.read_file import recorded
from loaders.limits import budgeted
from loaders.text import by_harm, counted, nearest_path, printable

_PLACE = re.compile(r"\{(\w+)[^{}]*\}")
"""The place of an argument in a message."""


@dataclass(frozen=True, slots=True)
class _Result:
    """The diagnostics of one file, whether it is valid, and if not, whether lenient loading reads
    it; the size of its robot, None if it was not read; and the findings that are ignored.
    """

    file: str
    diagnostics: tuple[Diagnostic, ...]
    valid: bool
    advice: str = ""
    size: RobotSize | None = None
    ignored: tuple[Ignored, ...] = ()

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
        1 if a file is invalid; with ``--strict`` also if there is a warning, with ``--baseline`` if
        there is one that is not known.

    Raises:
        UsageError: if a folder holds no model, if two formats are asked for, or if a code is
        unknown.
    """
    form = form_of(options)
    if options.rules:
        return _list_rules(options, output)
    if not options.files:
        raise UsageError("a file is required; expected files or folders to check, or --rules")
    results = tuple(_results(options, output))
    if options.write_baseline:
        text = baseline_text((result.file, result.diagnostics) for result in results)
        with writing_to(options.baseline):
            write_file(options.baseline, text.encode())
        output.progress(f"wrote {options.baseline}")
        return SUCCESS
    return _show(options, output, form, results)


def _show(options: Namespace, output: Output, form: str, results: Sequence[_Result]) -> int:
    """Print the findings in a form, and return the status."""
    found = by_harm(_each_once(results))
    diagnostics = tuple(with_command_words(entry, "check") for entry in found)
    status = SUCCESS if all(result.valid for result in results) else DIFFERENT
    if form == "json":
        output.json(
            {
                "sdfbridge": VERSION,
                "command": "check",
                "status": status,
                "error": None,
                "files": [result.name for result in results],
                "valid": status == SUCCESS,
                "results": [_entry(result) for result in results],
                "diagnostics": [diagnostic_entry(entry) for entry in diagnostics],
            }
        )
    elif form == "sarif":
        ignored = [found for result in results for found in result.ignored]
        output.json(sarif_log(diagnostics, ignored, status=status))
    elif form == "github":
        output.data_lines(workflow_commands(diagnostics, notes=output.verbosity > 0))
    if form == "text":
        output.prose(_head(results, diagnostics))
    output.diagnostics(diagnostics)
    for result in results:
        output.advice(
            f"{nearest_path(result.name)}: {result.advice}"
            if result.advice and len(results) > 1
            else result.advice
        )
    if form == "text":
        if options.positions:
            output.prose(_lines_of_motion(results, options.positions))
        if len(results) > 1:
            output.prose(map(_line, sorted(results, key=lambda result: result.valid)))
        if len(results) == 1 or output.verbosity > 0:
            output.prose(_lines_of_size(results))
    return status


def _lines_of_size(results: Iterable[_Result]) -> Iterator[str]:
    for result in results:
        if result.size is not None and (result.size.mass or result.size.height):
            yield f"{nearest_path(result.name)}: {result.size}"


def _results(options: Namespace, output: Output) -> Iterator[_Result]:
    if options.write_baseline and options.baseline is None:
        raise UsageError("--write-baseline needs --baseline FILE, the file to write")
    is_read = options.baseline is not None and not options.write_baseline
    selection = Selection(
        checked_codes(options.select),
        checked_codes(options.ignore),
        read_baseline(options.baseline) if is_read else None,
    )
    changed = None if options.changed_since is None else changed_files(options.changed_since)
    tolerant = Namespace(**{**vars(options), "strict": False})  # what is ignored is not refused
    files = list(dict.fromkeys(expand(options.files, xacro=options.xacro)))
    for number, file in enumerate(files, 1):
        output.status(f"checking {file} ({number} of {len(files)})")
        if changed is None or _depends_on(tolerant, file, changed):
            yield _selected(options, _check_file(tolerant, file), selection)


def _selected(options: Namespace, result: _Result, selection: Selection) -> _Result:
    """Return a result with the findings that are selected, and whether these are refused."""
    reported, ignored = selection.split(result.file, result.diagnostics)
    is_strict = options.strict or selection.known is not None
    refused = {"error", "warning"} if is_strict else {"error"}
    valid = not any(entry.severity in refused for entry in reported)
    return replace(result, diagnostics=tuple(reported), valid=valid, ignored=tuple(ignored))


def _depends_on(options: Namespace, file: str, changed: frozenset[str]) -> bool:
    """Return whether reading a model reads, or looks in vain for, one of some files."""
    read: set[str] = set()
    with recorded(lambda path, _: read.add(os.path.realpath(path))), suppress(ModelError):
        mechanism_of(load_scene(options, file))
    return not changed.isdisjoint(read | {os.path.realpath(file)})


def changed_files(ref: str) -> frozenset[str]:
    """Return the real paths of the files that differ between a state in git and the folder, new
    ones and deleted ones too.

    Args:
        ref: The state, such as ``origin/main``.

    Raises:
        UsageError: if git is missing, this folder is in no repository, or the state is unknown.
    """
    folder = git("rev-parse", "--show-toplevel").decode().rstrip("\n")
    state = git("rev-parse", "--verify", "--end-of-options", f"{ref}^{{commit}}").decode().strip()
    changed = git("-C", folder, "diff", "--name-only", "--no-renames", "-z", state, "--")
    new = git("-C", folder, "ls-files", "--others", "--exclude-standard", "-z")
    names = [os.fsdecode(name) for name in (changed + new).split(b"\0") if name]
    return frozenset(os.path.realpath(os.path.join(folder, name)) for name in names)


def _list_rules(options: Namespace, output: Output) -> int:
    chosen = checked_codes(options.select)
    rules = [code for word in chosen for code in codes_of(word)] or list(all_codes().values())
    if options.json:
        output.json({code.name: code.meaning for code in rules})
    else:
        output.data_lines(f"{code.name}: {code.meaning}" for code in rules)
    return SUCCESS


def explain(options: Namespace, output: Output) -> int:
    """Print what findings mean, what to do, and what their messages look like.

    Raises:
        UsageError: if a code is unknown.
    """
    found = [code for word in checked_codes(options.codes) for code in codes_of(word)]
    if options.json:
        output.json({code.name: _explanation(code) for code in found})
    else:
        output.prose(itertools.chain.from_iterable(map(_explained, found)))
    return SUCCESS


def _explanation(code: Code) -> dict[str, object]:
    """Return what a finding means, in the order in which it is printed."""
    known = {
        "fates": ", ".join(code.fates),
        "meaning": code.meaning,
        "remedy": code.remedy or "Nothing needs to be done.",
        "effect": str(code.effect or ""),
        "message": _PLACE.sub(lambda match: match[1].upper(), code.message),
        "hint": code.hint,
    }
    return {key: value for key, value in known.items() if value}


def _explained(code: Code) -> Iterator[str]:
    yield code.name
    yield from (f"  {key}: {value}" for key, value in _explanation(code).items())
    yield ""


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
                samples, seed = options.positions, options.seed
                found = overlaps_in_motion(mechanism, samples=samples, seed=seed)
                report_overlaps_in_motion(mechanism, found, samples, seed, lowered)
        with budgeted(limits(options)), limited(meshes, file):
            size = check_robot(mechanism, meshes)
    except ModelError as error:
        lowered.extend(error.findings)
    return _Result(file, (*scene.diagnostics, *lowered, *meshes), valid=True, size=size)


def _each_once(results: Iterable[_Result]) -> Iterator[Diagnostic]:
    """Yield the diagnostics; one in a file that several files include is yielded once, whatever
    scopes it has there.
    """
    owners: dict[tuple[str, str], str] = {}
    for result in results:
        for entry in result.diagnostics:
            if owners.setdefault((str(entry), entry.where.path), result.file) == result.file:
                yield entry


def _head(results: Sequence[_Result], diagnostics: Sequence[Diagnostic]) -> Iterator[str]:
    """Yield the first line: the verdict on the only file, or how many files are valid."""
    if len(results) == 1:
        yield _line(results[0])
        return
    valid = sum(result.valid for result in results)
    found = _counts(diagnostics)
    yield f"{counted(len(results), 'file')}: {valid} valid, {len(results) - valid} invalid" + (
        f"; {found}" if found else ""
    )


def _line(result: _Result) -> str:
    """Return the verdict on a file, and what its warnings do to the robot."""
    warnings = [entry for entry in result.diagnostics if entry.severity == "warning"]
    ignored = f"; {len(result.ignored)} ignored" if result.ignored else ""
    verdict = f"{nearest_path(result.name)}: {result.verdict}"
    if not warnings:
        return verdict + ignored
    return f"{verdict}, with {_counts(warnings)}{_harms(warnings)}{ignored}"


def _lines_of_motion(results: Sequence[_Result], samples: int) -> Iterator[str]:
    for result in results:
        if not any(entry.severity == "error" for entry in result.diagnostics):
            found = (e for e in result.diagnostics if e.code == LOWER_OVERLAP_IN_MOTION.name)
            nothing = f"no links that may collide overlap at {counted(samples, 'random position')}"
            text = next((entry.message for entry in found), nothing)
            yield f"{nearest_path(result.name)}: {text}"


def _counts(diagnostics: Sequence[Diagnostic]) -> str:
    counts = Counter(entry.severity for entry in diagnostics)
    found = [severity for severity in ("error", "warning", "note") if counts[severity]]
    return ", ".join(counted(counts[severity], severity) for severity in found)


_HARMS = (
    ("lets it diverge", "let it diverge"),
    ("may make it another robot", "may make it another robot"),
    ("changes its looks", "change its looks"),
)
"""The harm of findings to a robot in words, the worst first."""


def _harms(warnings: Sequence[Diagnostic]) -> str:
    """Return what warnings do to the robot, the worst first, with how many of them do it."""
    ranks = Counter(_rank(entry) for entry in warnings)
    found = [(ranks[i], words[ranks[i] > 1]) for i, words in enumerate(_HARMS) if ranks[i]]
    if len(found) == 1 and found[0][0] == len(warnings):
        return f", which {found[0][1]}"
    return ": " + ", ".join(f"{count} {words}" for count, words in found) if found else ""


def _rank(entry: Diagnostic) -> int | None:
    """Return which of the harms a finding does; None if it does none of them."""
    if entry.harm >= 1:
        return 0 if entry.harm > 2 else 1
    info = all_codes().get(entry.code)
    if info is None or info.effect is None:
        return None
    return {ActsOn.MOTION: 1, ActsOn.CONTACT: 1, ActsOn.LOOKS: 2}.get(info.effect.acts_on)


def _entry(result: _Result) -> dict[str, object]:
    size = {} if result.size is None else asdict(result.size)
    return {"file": result.name, "valid": result.valid, "ignored": len(result.ignored), **size}


def fix(options: Namespace, output: Output) -> int:
    """Print the repairs of a file as a unified diff; with ``--write`` write them.

    Raises:
        ValueError: if the file cannot be repaired, such as an output of xacro.
    """
    output.status(f"looking for repairs of {options.file}")
    found = bridge.fix(options.file, **search(options))
    output.status("")
    if options.write and found.repairs:
        with writing_to(found.path):
            found.write()
    if options.json:
        output.json(
            {
                "file": str(found.path),
                "repairs": [{"line": repair.line, "text": repair.text} for repair in found.repairs],
                "left": list(found.left),
                "diff": found.diff,
                "written": options.write and bool(found.repairs),
            }
        )
        return SUCCESS
    output.data_lines(found.diff.splitlines())
    for repair in found.repairs:
        output.progress(f"{options.file}:{repair.line}: {repair.text}")
    for text in found.left:
        output.progress(f"not repaired: {text}")
    output.progress(_summary(found, is_written=options.write))
    return SUCCESS


def _summary(found: Fix, *, is_written: bool) -> str:
    count = len(found.repairs)
    if not count:
        return f"{found.path}: nothing to repair"
    repairs = counted(count, "repair")
    return f"wrote {repairs}" if is_written else f"{repairs}; --write writes them"


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


def failure(form: str, diagnostics: Sequence[Diagnostic], error: str, status: int) -> str:
    """Return what a command prints in a form for programs if it fails.

    Args:
        form: ``github``, ``sarif`` or ``junit``.
        diagnostics: The diagnostics that explain the failure.
        error: The failure itself, if it lies in no file.
        status: The exit status of the command.
    """
    if form == "sarif":
        return json.dumps(sarif_log(diagnostics, status=status, error=error), indent=1)
    if form == "github":
        own = [f"::error ::{_escaped(error, _ESCAPES)}"] if error else []
        return "\n".join((*workflow_commands(diagnostics, notes=False), *own))
    suite = etree.Element("testsuite", name="sdfbridge", tests="1", failures="0", errors="1")
    case = etree.SubElement(suite, "testcase", classname="sdfbridge", name="the files are read")
    text = "; ".join(filter(None, (*map(str, diagnostics), error)))
    etree.SubElement(case, "error", message=printable(text))
    return etree.tostring(suite, pretty_print=True, encoding="unicode").rstrip()


def sarif_log(
    diagnostics: Iterable[Diagnostic],
    ignored: Iterable[Ignored] = (),
    *,
    status: int,
    error: str = "",
) -> dict[str, Any]:
    """Return a log with one run, one rule for each code, and one result for each diagnostic.

    Args:
        diagnostics: The diagnostics.
        ignored: Those that are ignored, which are results with a suppression.
        status: The exit status of the command.
        error: Why the command failed, if that lies in no file.
    """
    entries, suppressed = list(diagnostics), list(ignored)
    all_entries = (*entries, *(found.entry for found in suppressed))
    codes = list(dict.fromkeys(entry.code for entry in all_entries))
    results = [
        *(_result(entry, codes.index(entry.code)) for entry in entries),
        *(
            _result(found.entry, codes.index(found.entry.code)) | _suppression(found)
            for found in suppressed
        ),
    ]
    run = sarif.run(map(sarif.rule, codes), status, error) | {"results": results}
    return {"$schema": sarif.SCHEMA, "version": sarif.VERSION, "runs": [run]}


def _result(entry: Diagnostic, rule: int) -> dict[str, Any]:
    text = entry.message + (f" ({entry.hint})" if entry.hint else "")
    file = shown_path(entry.where.file) if entry.where.file else ""
    found = sarif.result(entry.code, entry.severity, text, file, entry.where.line)
    found["ruleIndex"] = rule
    found["properties"] = {"fate": str(entry.fate), "subjects": list(entry.subjects)}
    if file and entry.where.path:
        found["locations"][0]["logicalLocations"] = [{"fullyQualifiedName": entry.where.path}]
    return found


def _suppression(found: Ignored) -> dict[str, Any]:
    """Return why a result is ignored: by a comment in the file, or by an option or a baseline."""
    if not found.reason:
        return {"suppressions": [{"kind": "external"}]}
    return {"suppressions": [{"kind": "inSource", "justification": found.reason}]}


def form_of(options: Namespace) -> str:
    """Return the form of a report: that of ``--format``, or ``json``, or ``text``.

    Raises:
        UsageError: if two are asked for.
    """
    if options.json and options.format not in (None, "json"):
        raise UsageError(
            f"--json and --format {options.format} exclude each other; expected one of them"
        )
    return "json" if options.json else options.format or "text"
