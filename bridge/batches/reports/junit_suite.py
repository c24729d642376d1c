"""``junit.xml``: one test case for each model, for continuous integration."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any
from xml.sax.saxutils import escape, quoteattr

from bridge.batches.results import BatchOutcome, BatchResult
from loaders.safety.text import printable

from .totals import Totals

_ERRORS = frozenset(
    {BatchOutcome.ERROR, BatchOutcome.CRASH, BatchOutcome.TIMEOUT, BatchOutcome.MEMORY, BatchOutcome.LOST}
)
"""Outcomes in which there was no answer about the model."""


def junit_suite(settings: Mapping[str, Any], totals: Totals, results: Iterable[BatchResult]) -> Iterator[str]:
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
        f'<testsuite name={name} tests="{totals.models}" failures="{totals.failures - errors}" errors="{errors}" '
        'skipped="0">'
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
    yield from (escape(printable(_text(entry))) for entry in result.diagnostics if entry["severity"] == "error")
    yield f"    </{kind}>"
    yield "  </testcase>"


def _text(entry: Mapping[str, Any]) -> str:
    place = ":".join(str(part) for part in (entry.get("file"), entry.get("line")) if part)
    return f"{place}: {entry['severity']}: {entry['message']}  [{entry['code']}]"


def _attribute(text: str) -> str:
    return quoteattr(printable(text))
