"""index.html, summary.md, JUnit, SARIF and totals."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from html import escape
from importlib import resources
from itertools import islice
from pathlib import Path
from string import Template
from typing import Any
from urllib.parse import quote
from xml.sax.saxutils import escape as escape_xml
from xml.sax.saxutils import quoteattr

from bridge import sarif
from bridge.diagnostic_codes import CODES
from bridge.output import Form, check_file, write_sealed
from loaders.text import counted, encoded, plain, printable, shortened

from .results import BatchOutcome, BatchResult, worst_status

_MAX_CODES = 1000
"""Number of codes that are counted; sdfbridge has fewer."""


@dataclass(slots=True)
class Totals:
    """Numbers of results, which need the same memory for any number of results.

    Attributes:
        outcomes: Number of models, keyed by outcome.
        severities: Number of diagnostics, keyed by severity.
        fates: Number of diagnostics, keyed by fate.
        codes: Number of models that have a diagnostic of a code.
        statuses: Number of models, keyed by exit status.
    """

    outcomes: Counter[str] = field(default_factory=Counter)
    severities: Counter[str] = field(default_factory=Counter)
    fates: Counter[str] = field(default_factory=Counter)
    codes: Counter[str] = field(default_factory=Counter)
    statuses: Counter[int] = field(default_factory=Counter)

    def add(self, result: BatchResult) -> None:
        """Count a result."""
        self.outcomes[str(result.outcome)] += 1
        self.severities.update(result.severities)
        self.fates.update(result.fates)
        self.statuses[result.status] += 1
        for code in {str(entry["code"]) for entry in result.diagnostics}:
            if code in self.codes or len(self.codes) < _MAX_CODES:
                self.codes[code] += 1

    @property
    def models(self) -> int:
        """The number of results."""
        return self.outcomes.total()

    @property
    def failures(self) -> int:
        """The number of models whose exit status is not 0."""
        return self.models - self.statuses[0]

    @property
    def status(self) -> int:
        """The exit status of the batch: that of the worst model."""
        return worst_status(self.statuses)

    def ordered(self) -> list[tuple[str, int]]:
        """Return the number of models of each outcome that occurs, the best outcome first."""
        return [
            (str(outcome), self.outcomes[outcome])
            for outcome in BatchOutcome
            if self.outcomes[outcome]
        ]

    def to_dict(self) -> dict[str, object]:
        """Return plain data."""
        return {
            "models": self.models,
            "status": self.status,
            "outcomes": dict(self.ordered()),
            "diagnostics": dict(sorted(self.severities.items())),
            "fates": dict(sorted(self.fates.items())),
        }


def totals_of(results: Iterable[BatchResult]) -> Totals:
    """Return the numbers over all results."""
    totals = Totals()
    for result in results:
        totals.add(result)
    return totals


_ROWS = "<!-- rows -->"
_SIZES = {"links": "links", "joints": "joints", "dof": "dofs"}
"""Columns with a size of the model, each with its name in a result."""
_SEVERITIES = {"errors": "error", "warnings": "warning", "notes": "note"}


def index_page(
    settings: Mapping[str, Any], totals: Totals, results: Callable[[], Iterable[BatchResult]]
) -> Iterator[str]:
    """Yield the pieces of the page, which shows the failures first, then models that are not
    complete, then those whose findings do most harm.

    Args:
        settings: Task, options and version.
        totals: The numbers over all results.
        results: Returns the results.
    """
    template = (
        resources.files(__package__).joinpath("templates/index.html").read_text(encoding="utf-8")
    )
    head, _, tail = template.partition(_ROWS)
    stated = [f"{key} = {value}" for key, value in sorted(settings["options"].items())]
    found = [counted(count, severity) for severity, count in sorted(totals.severities.items())]
    columns = _columns(totals)
    names = (
        "model",
        "outcome",
        "first finding",
        *columns,
        "" if settings["task"] == "check" else "report",
    )
    yield Template(head).substitute(
        title=_text(f"batch {settings['task']}: {_not_fine(totals)}"),
        meta=_text("; ".join((", ".join(found), *stated, f"sdfbridge {settings['version']}"))),
        outcomes="\n".join(_checkbox(outcome, n) for outcome, n in totals.ordered()[::-1]),
        count=counted(totals.models, "model"),
        columns="".join(_heading(name) for name in names),
    )
    separator = "["
    for result in results():
        yield f"{separator}{_row(result, columns)}"
        separator = ",\n"
    yield ("[]" if separator == "[" else "]") + tail


def _not_fine(totals: Totals) -> str:
    if not totals.failures:
        warnings = totals.severities["warning"]
        found = f", with {counted(warnings, 'warning')}" if warnings else ""
        return f"{counted(totals.models, 'model')}, all fine{found}"
    return f"{totals.failures} of {counted(totals.models, 'model')} failed"


def _columns(totals: Totals) -> list[str]:
    """Return the columns of numbers that any result has."""
    severities = [name for name, key in _SEVERITIES.items() if totals.severities[key]]
    return [*_SIZES, *severities]


def _checkbox(outcome: str, count: int) -> str:
    name = _text(outcome)
    return f'<label><input type="checkbox" value="{name}" checked> {name} {count}</label>'


def _heading(name: str) -> str:
    return f'<th><button type="button">{name}</button></th>' if name else "<th></th>"


def _row(result: BatchResult, columns: Iterable[str]) -> str:
    """Return a row as JSON, of which the script makes what it shows: name, outcome, exit status,
    harm of the worst warning, first finding, all findings, numbers, report and picture. No text in
    it ends the script.
    """
    numbers: dict[str, int | None] = {name: result.size.get(key) for name, key in _SIZES.items()}
    numbers |= {name: result.severities.get(key) for name, key in _SEVERITIES.items()}
    first = result.detail or next((str(e["message"]) for e in result.diagnostics), "")
    cells = (
        printable(result.source),
        str(result.outcome),
        result.status,
        _harm(result),
        printable(shortened(first, 400)),
        [_finding_row(entry) for entry in result.diagnostics],
        [numbers[column] for column in columns],
        quote(result.report),
        quote(result.thumbnail),
    )
    text = json.dumps(cells, ensure_ascii=False, separators=(",", ":"))
    return text.replace("<", "\\u003c")


def _harm(result: BatchResult) -> float:
    """Return the place of the worst warning in the order of harm, from 1; 0 without a warning."""
    warned = [entry for entry in result.diagnostics if entry["severity"] == "warning"]
    codes = (CODES.get(str(entry["code"])) for entry in warned)
    return max((1.0 + (code.rank if code else 0.0) for code in codes), default=0.0)


def _finding_row(entry: Mapping[str, Any]) -> tuple[str, str]:
    """Return the text of a finding, and its code."""
    place = ":".join(str(part) for part in (entry.get("file"), entry.get("line")) if part)
    hint = f" ({entry['hint']})" if entry.get("hint") else ""
    text = f"{place} {entry['severity']}: {entry['message']}{hint}"
    return printable(text.lstrip()), printable(str(entry["code"]))


def _text(text: str) -> str:
    """Return a text that HTML shows as it is, in an attribute too."""
    return escape(printable(text))


_ERRORS = frozenset(
    {
        BatchOutcome.ERROR,
        BatchOutcome.CRASH,
        BatchOutcome.TIMEOUT,
        BatchOutcome.MEMORY,
        BatchOutcome.LOST,
    }
)
"""Outcomes in which there was no answer about the model."""


def junit_suite(
    settings: Mapping[str, Any], totals: Totals, results: Iterable[BatchResult]
) -> Iterator[str]:
    """Yield the lines of the XML text.

    Args:
        settings: Task, options and version.
        totals: The numbers over all results.
        results: The results.
    """
    errors = sum(totals.outcomes[outcome] for outcome in _ERRORS)
    name = quoteattr(f"sdfbridge batch {settings['task']}")
    yield "<?xml version='1.0' encoding='UTF-8'?>"
    yield (
        f'<testsuite name={name} tests="{totals.models}" failures="{totals.failures - errors}" '
        f'errors="{errors}" skipped="0">'
    )
    for result in results:
        yield from _case(result)
    yield "</testsuite>"


def _case(result: BatchResult) -> Iterator[str]:
    attributes = f"classname={_attribute(result.task)} name={_attribute(result.source)}"
    if not result.status:
        yield f"  <testcase {attributes}/>"
        return
    kind = "error" if result.outcome in _ERRORS else "failure"
    message = f"{result.outcome}: {result.detail}" if result.detail else str(result.outcome)
    yield f"  <testcase {attributes}>"
    yield f"    <{kind} type={_attribute(str(result.outcome))} message={_attribute(message)}>"
    yield from (
        escape_xml(printable(_junit_text(entry)))
        for entry in result.diagnostics
        if entry["severity"] == "error"
    )
    yield f"    </{kind}>"
    yield "  </testcase>"


def _junit_text(entry: Mapping[str, Any]) -> str:
    place = ":".join(str(part) for part in (entry.get("file"), entry.get("line")) if part)
    return f"{place}: {entry['severity']}: {entry['message']}  [{entry['code']}]"


def _attribute(text: str) -> str:
    return quoteattr(printable(text))


_OWN = "batch.failed"
"""Rule of a model without an answer: a crash, a limit, or an engine that differs."""


def sarif_log(totals: Totals, results: Iterable[BatchResult]) -> Iterator[str]:
    """Yield the pieces of a log with one run: first the results, then the rules that they name.

    Args:
        totals: The numbers over all results.
        results: The results.
    """
    head = {"$schema": sarif.SCHEMA, "version": sarif.VERSION}
    yield json.dumps(head).removesuffix("}") + ', "runs": [{"results": ['
    rules: dict[str, int] = {}
    separator = "\n"
    for finding in _findings(results):
        index = rules.setdefault(finding["ruleId"], len(rules))
        yield separator + _json({**finding, "ruleIndex": index})
        separator = ",\n"
    rest = sarif.run(map(_rule, rules), totals.status)
    yield "\n], " + _json(rest).removeprefix("{") + "]\n}\n"


def _json(value: Mapping[str, Any]) -> str:
    return printable(json.dumps(value, ensure_ascii=False))


def _findings(results: Iterable[BatchResult]) -> Iterator[dict[str, Any]]:
    for result in results:
        errors = [
            entry for entry in result.diagnostics if entry["severity"] in {"error", "warning"}
        ]
        for entry in errors:
            text = entry["message"] + (f" ({entry['hint']})" if entry.get("hint") else "")
            yield _sarif_result(
                entry["code"], entry["severity"], text, entry.get("file"), entry.get("line")
            )
        if result.status and not any(entry["severity"] == "error" for entry in errors):
            text = f"{result.task} {result.source}: {result.outcome}"
            level = "error" if result.status == 1 else "warning"
            yield _sarif_result(
                _OWN,
                level,
                f"{text}, {result.detail}" if result.detail else text,
                result.source,
                None,
            )


def _sarif_result(
    code: str, level: str, text: str, file: str | None, line: int | None
) -> dict[str, Any]:
    is_file = file is not None and "://" not in file
    return sarif.result(code, level, text, str(file) if is_file else "", line or 0)


def _rule(code: str) -> dict[str, Any]:
    if code == _OWN:
        text = "The batch has no good answer about the model; the message states why."
        return {"id": code, "shortDescription": {"text": text}}
    return sarif.rule(code)


_MAX_LISTED = 200
"""Number of models that the page lists; ``index.html`` lists all."""
_MAX_SUMMARY_CODES = 30
_MAX_DETAIL = 300


def summary_page(
    settings: Mapping[str, Any], totals: Totals, results: Iterable[BatchResult]
) -> str:
    """Return the page as Markdown.

    Args:
        settings: Task, options and version.
        totals: The numbers over all results.
        results: The results.
    """
    return "\n".join(_lines(settings, totals, results)) + "\n"


def _lines(
    settings: Mapping[str, Any], totals: Totals, results: Iterable[BatchResult]
) -> Iterator[str]:
    yield f"# Batch `{settings['task']}`: {_not_fine(totals)}"
    yield f"\nsdfbridge {settings['version']}\n"
    yield from _table("outcome", totals.ordered())
    if totals.severities:
        yield ""
        yield from _table(
            "diagnostics", [*totals.severities.most_common(), *totals.fates.most_common()]
        )
    if totals.codes:
        yield "\nModels with a diagnostic of each code:\n"
        yield from _table("code", _by_harm(totals.codes)[:_MAX_SUMMARY_CODES])
    if totals.failures:
        yield "\n## Not fine\n"
        yield "| model | outcome | |\n|---|---|---|"
        failures = (result for result in results if result.status)
        for result in islice(failures, _MAX_LISTED):
            yield (
                f"| {plain(result.source)} | {result.outcome} | "
                f"{plain(shortened(result.detail, _MAX_DETAIL))} |"
            )
        if totals.failures > _MAX_LISTED:
            yield f"\nand {totals.failures - _MAX_LISTED} more, see `index.html`"


def _by_harm(codes: Counter[str]) -> list[tuple[str, int]]:
    """Return the numbers of codes, what does most harm first, then what is most frequent."""
    ranks = {name: info.rank for name, info in CODES.items()}
    return sorted(codes.most_common(), key=lambda entry: -ranks.get(entry[0], 0.0))


def _table(title: str, rows: Iterable[tuple[str, int]]) -> Iterator[str]:
    counts = "number" if title == "diagnostics" else "models"
    yield f"| {title} | {counts} |\n|---|---|"
    for name, count in rows:
        yield f"| {plain(name)} | {count} |"


INDEX = "index.html"
_SUMMARY, _SUITE, _LOG = "summary.md", "junit.xml", "results.sarif"


def check_reports(folder: Path, *, force: bool = False) -> None:
    """Refuse to replace a report that no batch wrote, or that was edited since.

    Args:
        folder: The folder of the batch.
        force: Whether such a report may be replaced.

    Raises:
        OutputFolderError: if there is such a report.
    """
    for name in (_SUMMARY, _SUITE, _LOG, INDEX):
        check_file(folder / name, force=force)


def write_reports(
    folder: Path,
    settings: Mapping[str, Any],
    results: Callable[[], Iterable[BatchResult]],
    *,
    force: bool = False,
) -> None:
    """Write ``index.html``, ``summary.md``, ``junit.xml`` and ``results.sarif``.

    Args:
        folder: The folder of the batch.
        settings: Task, options and version.
        results: Returns the results, sorted; called once for each report.
        force: Whether to replace a report that no batch wrote, or that was edited since.

    Raises:
        OutputFolderError: if there is such a report.
        OSError: if the file system refuses.
    """
    totals = totals_of(results())
    pages = {
        _SUMMARY: [summary_page(settings, totals, results())],
        _SUITE: (line + "\n" for line in junit_suite(settings, totals, results())),
        INDEX: index_page(settings, totals, results),
    }
    for name, page in pages.items():
        write_sealed(folder / name, map(encoded, page), Form.MARKUP, force=force)
    write_sealed(folder / _LOG, map(encoded, sarif_log(totals, results())), Form.SARIF, force=force)
