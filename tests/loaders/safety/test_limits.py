"""Limits on one load: every file, element and diagnostic of all files counts."""

from __future__ import annotations

import dataclasses
import re
from pathlib import Path

import pytest

import loaders
from loaders.safety.limits import Budget, LimitError, Limits

SDF = "<sdf version='1.9'><model name='m'><link name='l'/></model></sdf>"
PAGE = Path(__file__).parents[3] / "docs" / "security.md"


def refusal(path: Path, **limits: int) -> loaders.Diagnostic:
    with pytest.raises(loaders.LoadError) as caught:
        loaders.load(path, limits=Limits(**limits))
    return next(entry for entry in caught.value.diagnostics if entry.code == "file.limit")


@pytest.mark.parametrize("option", ["files", "bytes", "elements"])
def test_a_load_past_a_limit_is_an_error_that_names_the_limit_and_its_option(tmp_path: Path, option: str) -> None:
    (tmp_path / "a.sdf").write_text(SDF)
    entry = refusal(tmp_path / "a.sdf", **{option: 0})
    assert (entry.arguments["option"], entry.arguments["limit"]) == (option, 0)
    assert f"limits=Limits({option}=...)" in entry.hint
    exact = {"files": 1, "bytes": len(SDF), "elements": 3}[option]
    assert loaders.load(tmp_path / "a.sdf", limits=Limits(**{option: exact})).links
    assert refusal(tmp_path / "a.sdf", **{option: exact - 1})


def test_directives_that_include_the_next_file_twice_end_at_the_limit(tmp_path: Path) -> None:
    for i in range(25):
        line = f"- add_directives: {{file: f{i + 1}.dmd.yaml}}\n"
        (tmp_path / f"f{i}.dmd.yaml").write_text(f"directives:\n{line * 2}")
    (tmp_path / "f25.dmd.yaml").write_text("directives: []\n")
    assert refusal(tmp_path / "f0.dmd.yaml", files=100).arguments["limit"] == 100


def test_a_model_that_directives_add_counts_each_time(tmp_path: Path) -> None:
    (tmp_path / "a.sdf").write_text(SDF)
    lines = "".join(f"- add_model: {{name: m{i}, file: a.sdf}}\n" for i in range(50))
    (tmp_path / "a.dmd.yaml").write_text(f"directives:\n{lines}")
    assert refusal(tmp_path / "a.dmd.yaml", elements=250)
    assert len(loaders.load(tmp_path / "a.dmd.yaml", quiet=True).links) == 50


def test_further_diagnostics_are_counted(tmp_path: Path) -> None:
    (tmp_path / "a.sdf").write_text(SDF.replace("<link name='l'/>", f"<link name='l'>{'<none/>' * 30}</link>"))
    found = loaders.load(tmp_path / "a.sdf", limits=Limits(diagnostics=10), quiet=True).diagnostics
    assert [entry.code for entry in found] == ["xml.unread"] * 10 + ["file.unlisted"]
    assert found[-1].arguments["count"] == 20


def test_an_error_is_listed_after_any_number_of_warnings(tmp_path: Path) -> None:
    link = f"<link name='l'>{'<none/>' * 30}<inertial><mass>heavy</mass></inertial></link>"
    (tmp_path / "a.sdf").write_text(SDF.replace("<link name='l'/>", link))
    with pytest.raises(loaders.LoadError, match="heavy"):
        loaders.load(tmp_path / "a.sdf", limits=Limits(diagnostics=10))


def test_a_budget_is_spent_by_all_together() -> None:
    budget = Budget(Limits(files=2))
    budget.spend("files", 2)
    with pytest.raises(LimitError, match="more than 2 files"):
        budget.spend("files", 1)


def test_the_security_page_has_every_limit_with_its_number() -> None:
    rows = dict(re.findall(r"^\| `(\w+)` \| ([\d,]+) ", PAGE.read_text(encoding="utf-8"), re.MULTILINE))
    stated = {name: int(number.replace(",", "")) for name, number in rows.items()}
    assert stated == dataclasses.asdict(Limits())
