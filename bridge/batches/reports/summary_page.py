"""``summary.md``: the numbers of a batch and the models that are not fine, for a code host to show."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import islice
from typing import Any

from bridge.batches.results import BatchResult
from loaders.safety.markdown import plain
from loaders.safety.text import shortened

from .totals import Totals

_MAX_LISTED = 200
"""Number of models that the page lists; ``index.html`` lists all."""
_MAX_CODES = 30
_MAX_DETAIL = 300


def summary_page(settings: Mapping[str, Any], totals: Totals, results: Iterable[BatchResult]) -> str:
    """Return the page as Markdown.

    Args:
        settings: Task, options and version.
        totals: The numbers over all results.
        results: The results.
    """
    return "\n".join(_lines(settings, totals, results)) + "\n"


def _lines(settings: Mapping[str, Any], totals: Totals, results: Iterable[BatchResult]) -> Iterator[str]:
    yield f"# Batch `{settings['task']}`: {totals.models} models, {totals.failures} not fine"
    yield f"\nsdfbridge {settings['version']}\n"
    yield from _table("outcome", totals.ordered())
    if totals.severities:
        yield ""
        yield from _table("diagnostics", [*totals.severities.most_common(), *totals.fates.most_common()])
    if totals.codes:
        yield "\nModels with a diagnostic of each code:\n"
        yield from _table("code", totals.codes.most_common(_MAX_CODES))
    if totals.failures:
        yield "\n## Not fine\n"
        yield "| model | outcome | |\n|---|---|---|"
        failures = (result for result in results if result.status)
        for result in islice(failures, _MAX_LISTED):
            yield f"| {plain(result.source)} | {result.outcome} | {plain(shortened(result.detail, _MAX_DETAIL))} |"
        if totals.failures > _MAX_LISTED:
            yield f"\nand {totals.failures - _MAX_LISTED} more, see `index.html`"


def _table(title: str, rows: Iterable[tuple[str, int]]) -> Iterator[str]:
    yield f"| {title} | models |\n|---|---|" if title != "diagnostics" else "| diagnostics | number |\n|---|---|"
    for name, count in rows:
        yield f"| {plain(name)} | {count} |"
