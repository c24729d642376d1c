"""``index.html``: one page over all models, which can be sorted and filtered and needs no network."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from html import escape
from importlib import resources
from string import Template
from typing import Any
from urllib.parse import quote

from bridge.batches.results import BatchOutcome, BatchResult
from loaders.safety.text import printable

from .totals import Totals

_COLUMNS = (
    "", "model", "outcome", "detail", "links", "joints", "dof", "errors", "warnings", "notes", "dropped",
    "approximated", "assumed", "report",
)  # fmt: skip
_ROWS = "<!-- rows -->"
_RANK = {str(outcome): rank for rank, outcome in enumerate(BatchOutcome)}


def index_page(settings: Mapping[str, Any], totals: Totals, results: Iterable[BatchResult]) -> Iterator[str]:
    """Yield the pieces of the page.

    Args:
        settings: Task, options and version.
        totals: The numbers over all results.
        results: The results.
    """
    template = resources.files(__package__).joinpath("templates/index.html").read_text(encoding="utf-8")
    head, _, tail = template.partition(_ROWS)
    numbers = ", ".join(f"{count} {severity}s" for severity, count in sorted(totals.severities.items()))
    stated = ", ".join(f"{key} = {value}" for key, value in sorted(settings["options"].items()))
    meta = f"sdfbridge {settings['version']}" + (f"; {numbers}" if numbers else "") + (f"; {stated}" if stated else "")
    yield Template(head).substitute(
        title=_text(f"sdfbridge batch {settings['task']}: {totals.models} models, {totals.failures} not fine"),
        meta=_text(meta),
        outcomes="\n".join(_checkbox(outcome, count) for outcome, count in totals.ordered()),
        count=f"{totals.models} models",
        columns="".join(_heading(name) for name in _COLUMNS),
    )
    for result in results:
        yield _row(result)
    yield tail


def _checkbox(outcome: str, count: int) -> str:
    name = _text(outcome)
    return f'<label><input type="checkbox" value="{name}" checked> {name} {count}</label>'


def _heading(name: str) -> str:
    return f'<th><button type="button">{name}</button></th>' if name else "<th></th>"


def _row(result: BatchResult) -> str:
    codes = " ".join(sorted({str(entry["code"]) for entry in result.diagnostics}))
    numbers = [
        *(result.size.get(name) for name in ("links", "joints", "dofs")),
        *(result.severities.get(name) for name in ("error", "warning", "note")),
        *(result.fates.get(name) for name in ("dropped", "approximated", "assumed")),
    ]
    cells = [
        f"<td>{_picture(result)}</td>",
        f'<td class="source">{_text(result.source)}</td>',
        f'<td class="o" data-value="{_RANK[str(result.outcome)]:02d}">{_text(str(result.outcome))}</td>',
        f"<td>{_detail(result)}</td>",
        *(f'<td class="n">{"" if number is None else number}</td>' for number in numbers),
        f"<td>{_link(result)}</td>",
    ]
    outcome, status = _text(str(result.outcome)), result.status
    return f'<tr class="s{status}" data-outcome="{outcome}" data-codes="{_text(codes)}">{"".join(cells)}</tr>\n'


def _picture(result: BatchResult) -> str:
    if not result.thumbnail:
        return ""
    return f'<img loading="lazy" src="{_text(quote(result.thumbnail))}" alt="{_text(result.model)}">'


def _link(result: BatchResult) -> str:
    return f'<a href="{_text(quote(result.report))}">report</a>' if result.report else ""


def _detail(result: BatchResult) -> str:
    """Return the detail, with the diagnostics below it on request."""
    text = _text(result.detail)
    if not result.diagnostics:
        return text
    entries = "".join(f"<li>{_finding(entry)}</li>" for entry in result.diagnostics)
    return f"<details><summary>{text or 'diagnostics'}</summary><ul>{entries}</ul></details>"


def _finding(entry: Mapping[str, Any]) -> str:
    place = ":".join(str(part) for part in (entry.get("file"), entry.get("line")) if part)
    hint = f" ({entry['hint']})" if entry.get("hint") else ""
    message = _text(f"{entry['severity']}: {entry['message']}{hint}")
    return f"{_text(place)} {message} <code>{_text(str(entry['code']))}</code>"


def _text(text: str) -> str:
    """Return a text that HTML shows as it is, in an attribute too."""
    return escape(printable(text))
