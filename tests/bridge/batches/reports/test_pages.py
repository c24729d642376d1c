"""All reports of a batch."""

from __future__ import annotations

import json
from pathlib import Path

from lxml import etree

from bridge.batches.report import write_reports


def test_no_page_has_a_control_character(folder: Path) -> None:
    for name in ("index.html", "summary.md", "junit.xml"):
        assert not {"\x1b", "\u202e"} & set((folder / name).read_text()), name


def test_an_empty_batch_has_reports_too(tmp_path: Path) -> None:
    write_reports(tmp_path, {"task": "check", "options": {}, "version": "1"}, list)
    assert json.loads((tmp_path / "results.sarif").read_text())["runs"][0]["results"] == []
    assert etree.parse(tmp_path / "junit.xml").getroot().get("tests") == "0"
