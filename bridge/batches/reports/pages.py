"""All reports of a batch, written from its results without holding them in memory."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

from bridge.batches.results import BatchResult
from bridge.output import write_file

from .index_page import index_page
from .junit_suite import junit_suite
from .sarif_log import sarif_log
from .summary_page import summary_page
from .totals import totals_of

INDEX = "index.html"


def write_reports(folder: Path, settings: Mapping[str, Any], results: Callable[[], Iterable[BatchResult]]) -> None:
    """Write ``index.html``, ``summary.md``, ``junit.xml`` and ``results.sarif``.

    Args:
        folder: The folder of the batch.
        settings: Task, options and version.
        results: Returns the results, sorted; called once for each report.

    Raises:
        OSError: if the file system refuses.
    """
    totals = totals_of(results())
    write_file(folder / "summary.md", _encoded(summary_page(settings, totals, results())))
    write_file(folder / "junit.xml", (_encoded(line + "\n") for line in junit_suite(settings, totals, results())))
    write_file(folder / "results.sarif", map(_encoded, sarif_log(totals, results())))
    write_file(folder / INDEX, map(_encoded, index_page(settings, totals, results())))


def _encoded(text: str) -> bytes:
    """Return a text as UTF-8; names of files may hold bytes that are no characters."""
    return text.encode(errors="backslashreplace")
