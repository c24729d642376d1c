"""Diagnostics of a model as plain data."""

from __future__ import annotations

from bridge.batches.results import summary
from loaders.diagnostics import Diagnostic, Fate, Where


def test_all_diagnostics_are_counted_and_the_first_of_each_kind_listed() -> None:
    entries = [
        Diagnostic("a.b", Fate.DROPPED, "lost", Where("/x.sdf", line)) for line in range(1, 21)
    ]
    found = summary([*entries, Diagnostic("c.d", Fate.NOTED, "note"), entries[0]])
    assert found["severities"] == {"note": 1, "warning": 20}
    assert found["fates"] == {"dropped": 20, "noted": 1}
    assert [entry["code"] for entry in found["diagnostics"]] == ["a.b"] * 5 + ["c.d"]
    assert found["diagnostics"][0] == {
        "code": "a.b",
        "fate": "dropped",
        "severity": "warning",
        "message": "lost",
        "file": "/x.sdf",
        "line": 1,
    }
