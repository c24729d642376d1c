"""Journals of verdicts are merged, survive an interruption, and keep the levels apart."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

pytest.importorskip("mujoco")
from tests.corpora.models_corpus import Model, script_of_docs
from tests.corpora.proof_corpus import Proof
from tests.corpora.proof_journal import append, read_journals

BOTH = ("L0", "L1")
FIRST = Proof(
    model="a", verdict="EQUIVALENT", worst={"mass": 1e-12}, causes=("x",), gaps=("y", "z")
)


def test_a_later_verdict_replaces_an_earlier_one_of_the_same_levels(tmp_path: Path) -> None:
    old, new = tmp_path / "old.jsonl", tmp_path / "new.jsonl"
    append(old, FIRST, BOTH)
    append(old, Proof(model="b", crash="timeout"), BOTH)
    append(new, Proof(model="b", verdict="AGREES"), BOTH)
    append(new, Proof(model="a", verdict="DIFFERS"), ("L2",))
    known = read_journals([old, new, tmp_path / "missing.jsonl"], BOTH)
    assert known == {"a": FIRST, "b": Proof(model="b", verdict="AGREES")}


def test_a_line_that_was_cut_off_is_left_out(tmp_path: Path) -> None:
    journal = tmp_path / "journal.jsonl"
    append(journal, FIRST, BOTH)
    journal.write_text(
        journal.read_text(encoding="utf-8") + '{"levels": ["L0", "L1"], "mod', encoding="utf-8"
    )
    assert read_journals([journal], BOTH) == {"a": FIRST}


def test_the_page_is_written_from_journals_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    table = script_of_docs("make_parity_table")
    (tmp_path / "a.sdf").write_text("<sdf/>", encoding="utf-8")
    monkeypatch.setattr(
        table, "models", lambda: [Model(name=name, path=tmp_path / "a.sdf") for name in ("a", "b")]
    )
    append(tmp_path / "journal.jsonl", FIRST, BOTH)
    options = ["--levels", "L0,L1", "--only-page", "--page", str(tmp_path / "page.md")]
    monkeypatch.setattr(
        sys, "argv", ["table", *options, "--journal", str(tmp_path / "journal.jsonl")]
    )
    table.main()
    text = (tmp_path / "page.md").read_text(encoding="utf-8")
    assert "[1 other files](#files-that-are-not-compared-yet)" in text
    assert text.endswith("## Files that are not compared yet\n\n| file |\n|---|\n| b |\n")
    assert "| a | 0 | 0 | EQUIVALENT |" in text
