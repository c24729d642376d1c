"""Verdicts on models whose verdict is known, their journals, and the page that lists them."""

from __future__ import annotations

import datetime
import re
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

from tests.corpora.models_corpus import Model, script_of_docs
from tests.corpora.proof_corpus import Proof, judge, prove_all
from tests.corpora.proof_journal import append, read_journals

pytest.importorskip("mujoco")

needs_drake = pytest.mark.skipif(find_spec("pydrake") is None, reason="pydrake is not installed")


# The verdicts on models whose verdict is known, and the page that lists them.

ROOT = Path(__file__).parents[2]
IMPOSSIBLE = (
    "<robot name='r'><link name='world'/><link name='arm'><inertial><mass value='1'/>"
    "<inertia ixx='1' iyy='1' izz='9' ixy='0' ixz='0' iyz='0'/></inertial></link>"
    "<joint name='j' type='continuous'><parent link='world'/><child link='arm'/></joint></robot>"
)


def page(proofs: list[Proof]) -> str:
    return script_of_docs("make_parity_table").page(proofs)


@needs_drake
@pytest.mark.parametrize("model", ["arm/model.sdf", "leg.sdf", "double_pendulum.urdf"])
def test_the_bundled_models_are_equivalent_and_drake_agrees(model: str) -> None:
    proof = judge(Model(name=model, path=ROOT / "assets" / model))
    assert (proof.verdict, proof.witness, proof.causes) == ("EQUIVALENT", "EQUIVALENT", ())
    in_single_precision = [
        proof.worst.pop(name, 0.0) for name in ("meshes", "mesh volumes")
    ]  # as PyBullet keeps them
    assert max(in_single_precision) <= 2e-5
    assert max(proof.worst.values()) <= 1e-9


@needs_drake
def test_a_non_physical_inertia_is_repaired_for_both_simulators(tmp_path: Path) -> None:
    path = tmp_path / "impossible.urdf"
    path.write_text(IMPOSSIBLE, encoding="utf-8")
    proof = judge(Model(name="impossible", path=path))
    assert (proof.verdict, proof.repaired) == ("EQUIVALENT", True)
    assert "| EQUIVALENT, repaired | 1 |" in page([proof])


@needs_drake
def test_the_page_counts_verdicts_and_lists_differences() -> None:
    sound = Proof(model="a", verdict="EQUIVALENT", worst={"mass": 1e-12}, witness="EQUIVALENT")
    excused = Proof(
        model="b",
        verdict="AGREES",
        causes=("mesh.missing",),
        witness="absent",
        witness_causes=("no",),
    )
    wrong = Proof(
        model="c", verdict="DIFFERS", causes=("mass of mujoco / pybullet at arm: 1.0e-02",)
    )
    text = page(
        [
            sound,
            excused,
            wrong,
            Proof(model="d", invalid="broken [sdf.x]"),
            Proof(model="e", crash="exit -11"),
        ]
    )
    assert "5 files, of which 4 load" in " ".join(text.split())
    assert "| EQUIVALENT | 1 |" in text
    assert "| `mesh.missing` | 1 |" in text
    assert "**DIFFERS**: mass of mujoco / pybullet at arm" in text
    assert "**exit -11**" in text
    assert "| d | broken [sdf.x] |" in text


@needs_drake
def test_the_page_states_the_levels_and_what_was_not_compared() -> None:
    proofs = [Proof(model="a", verdict="EQUIVALENT", gaps=("mjcf.bushing", "motion"))]
    table = script_of_docs("make_parity_table")
    assert "mechanism at L0, L1 and L2 (" in table.page(proofs, levels=("L0", "L1", "L2"))
    assert "mechanism at L0 (" in table.page(proofs, levels=("L0",))
    assert "| mjcf.bushing, motion |" in table.page(proofs)


@needs_drake
def test_the_page_states_the_days_of_its_rows() -> None:
    new, old, unknown = (
        Proof(model=name, date=day)
        for name, day in (("a", "2026-11-23"), ("b", "2026-11-22"), ("c", ""))
    )
    assert "\nAll models were compared on 2026-11-23.\n" in page([new])
    text = page([new, old, unknown])
    assert (
        "\n1 models were compared on 2026-11-23; 1 on an earlier day, 1 on 2026-11-22, as the "
        "last column"
    ) in text
    assert re.search(r"^\| b \|.*\| compared on 2026-11-22 \|$", text, re.MULTILINE)
    assert re.search(r"^\| c \|.*\| compared on an earlier day \|$", text, re.MULTILINE)
    assert re.search(r"^\| a \|.*\|  \|$", text, re.MULTILINE)


@needs_drake
def test_a_verdict_has_its_day(tmp_path: Path) -> None:
    (tmp_path / "bad.sdf").write_text("<sdf", encoding="utf-8")
    before = datetime.datetime.now(tz=datetime.UTC).date().isoformat()
    found = judge(Model(name="bad", path=tmp_path / "bad.sdf")).date
    assert before <= found <= datetime.datetime.now(tz=datetime.UTC).date().isoformat()


@needs_drake
def test_a_long_message_is_cut_after_a_word_whatever_the_folder_of_the_file() -> None:
    words = " ".join(["joint"] * 40)
    texts = [
        page(
            [
                Proof(
                    model="a",
                    witness="absent",
                    witness_causes=(f"{folder}/r.urdf:6: error: {words}",),
                )
            ]
        )
        for folder in ("/a", "/a/very/long/folder/of/this/machine/with/many/parts/inside/of/it")
    ]
    assert texts[0] == texts[1]
    assert "| absent: r.urdf:6: error: joint" in texts[0]
    assert "joint joint ... |" in texts[0]


@needs_drake
@pytest.mark.slow
def test_motion_is_compared_where_its_level_is_named() -> None:
    model = Model(name="pendulum", path=ROOT / "assets" / "double_pendulum.urdf")
    proof = judge(model, ("L2",))
    assert (proof.verdict, proof.witness) == ("EQUIVALENT", "EQUIVALENT")
    assert proof.worst.keys() == {"one step"}


@pytest.mark.slow
@needs_drake
def test_a_run_goes_on_where_an_interrupted_one_ended(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A known result at the same levels is taken as it is; the comparison at other levels is
    made.
    """
    monkeypatch.setenv("SDFBRIDGE_JOURNAL", str(tmp_path))
    model = Model(name="pendulum", path=ROOT / "assets" / "double_pendulum.urdf")
    (first,) = prove_all([model], levels=("L0",))
    (runs,) = tmp_path.glob("*/runs.jsonl")
    assert prove_all([model], levels=("L0",)) == [first]
    assert len(runs.read_text(encoding="utf-8").splitlines()) == 1
    (other,) = prove_all([model], levels=("L1",))
    assert other.worst.keys() != first.worst.keys()
    assert len(runs.read_text(encoding="utf-8").splitlines()) == 2


# Journals of verdicts are merged, survive an interruption, and keep the levels apart.

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
    monkeypatch.setattr(table, "mjcf_models", list)
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
