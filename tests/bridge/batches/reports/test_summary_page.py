"""The summary for a code host, with hostile names."""

from __future__ import annotations

from pathlib import Path


def test_the_summary_counts_and_lists_what_is_not_fine(folder: Path) -> None:
    text = (folder / "summary.md").read_text()
    assert "# Batch `check`: 4 models, 3 not fine" in text
    assert "| valid | 1 |" in text
    assert "| c.sdf | crash | SIGSEGV |" in text
    assert "<script>" not in text
    rows = [line for line in text.splitlines() if "alert" in line]
    assert all(line.replace("\\|", "").count("|") == 4 for line in rows)
