"""All reports of a batch, written from its results without holding them in memory."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

from bridge.batches.results import BatchResult
from bridge.output import Form, check_file, write_sealed

from .index_page import index_page
from .junit_suite import junit_suite
from .sarif_log import sarif_log
from .summary_page import summary_page
from .totals import totals_of

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
    folder: Path, settings: Mapping[str, Any], results: Callable[[], Iterable[BatchResult]], *, force: bool = False
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
        INDEX: index_page(settings, totals, results()),
    }
    for name, page in pages.items():
        write_sealed(folder / name, map(_encoded, page), Form.MARKUP, force=force)
    write_sealed(folder / _LOG, map(_encoded, sarif_log(totals, results())), Form.SARIF, force=force)


def _encoded(text: str) -> bytes:
    """Return a text as UTF-8; names of files may hold bytes that are no characters."""
    return text.encode(errors="backslashreplace")
