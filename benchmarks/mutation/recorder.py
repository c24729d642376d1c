"""A pytest plugin that writes the outcome and duration of each test to the file in
``SDFBRIDGE_RECORD``.
"""

from __future__ import annotations

import json
import os
from collections import defaultdict
from pathlib import Path

import pytest

_seconds: defaultdict[str, float] = defaultdict(float)
_outcomes: dict[str, str] = {}


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    """Keep the worst outcome of the phases of a test, and the sum of their durations."""
    _seconds[report.nodeid] += report.duration
    if report.nodeid not in _outcomes or report.outcome != "passed":
        _outcomes[report.nodeid] = report.outcome


def pytest_sessionfinish() -> None:
    """Write what was recorded."""
    lines = [json.dumps([test, outcome, _seconds[test]]) for test, outcome in _outcomes.items()]
    Path(os.environ["SDFBRIDGE_RECORD"]).write_text("\n".join(lines), encoding="utf-8")
