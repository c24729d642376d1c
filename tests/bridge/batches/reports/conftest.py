"""The results of a batch with hostile names, and their reports."""

from __future__ import annotations

from pathlib import Path

import pytest

from bridge.batches.report import write_reports
from bridge.batches.results import BatchOutcome, BatchResult

SETTINGS = {"task": "check", "options": {"strict": True}, "version": "1<b>"}
HOSTILE = "a/<script>alert(1)</script>|`\"'&\x1b[31m\u202e.sdf"
RESULTS = [
    BatchResult(
        source=HOSTILE,
        task="check",
        outcome=BatchOutcome.INVALID,
        detail=f"{HOSTILE} [sdf.x]",
        model=HOSTILE,
        severities={"error": 1, "warning": 1},
        fates={"invalid": 1, "dropped": 1},
        diagnostics=(
            {
                "code": "sdf.frame-cycle",
                "severity": "error",
                "message": HOSTILE,
                "file": HOSTILE,
                "line": 3,
            },
            {
                "code": "sdf.plugin",
                "severity": "warning",
                "message": "m",
                "file": "/b.sdf",
                "hint": HOSTILE,
            },
        ),
        report=f"reports/{HOSTILE}/report.html",
        thumbnail="thumbnails/a.png",
    ),
    BatchResult(
        source="b.sdf",
        task="check",
        outcome=BatchOutcome.VALID,
        size={"links": 10, "joints": 2, "dofs": 1},
    ),
    BatchResult(source="c.sdf", task="check", outcome=BatchOutcome.CRASH, detail="SIGSEGV"),
    BatchResult(source="d.sdf", task="check", outcome=BatchOutcome.INCOMPLETE),
]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("reports")
    write_reports(path, SETTINGS, lambda: RESULTS)
    return path
