"""The test cases of a batch."""

from __future__ import annotations

from pathlib import Path

from lxml import etree


def test_junit_has_a_case_for_each_model(folder: Path) -> None:
    suite = etree.parse(folder / "junit.xml").getroot()
    assert {key: suite.get(key) for key in ("tests", "failures", "errors")} == {
        "tests": "4", "failures": "2", "errors": "1",
    }  # fmt: skip
    assert [len(case) for case in suite] == [1, 0, 1, 1]
    assert suite[2][0].get("message") == "crash: SIGSEGV"
