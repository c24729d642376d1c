"""The work of reading and exporting grows in proportion to the size of a file, counted in calls of functions."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import pytest

from benchmarks.growth import (
    BEGIN,
    END,
    INPUTS,
    LISTED,
    PAGE,
    calls,
    counted,
    exponent,
    with_table,
)
from bridge.diff.mechanics import MAX_DOFS, mechanical_error
from loaders.safety import limits
from loaders.scene import Scene
from tests.support.scenes import UNIT_BOX, link, scene

LINEAR = 1.15
"""Largest exponent of work that counts as linear; a constant part of the work only makes it smaller."""


@pytest.mark.parametrize("name", [name for name in INPUTS if name not in LISTED])
def test_work_is_linear(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SDFBRIDGE_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(limits, "MAX_COMPARISONS", 20_000)  # so many suggestions are made, whatever the size
    given = dataclasses.replace(INPUTS[name], size=max(20, INPUTS[name].size // 5))
    assert exponent(*counted(given, tmp_path)) < LINEAR


def test_the_page_has_the_place_of_the_table_with_every_input() -> None:
    page = PAGE.read_text(encoding="utf-8")
    table = page.partition(BEGIN)[2].partition(END)[0]
    assert [line.split(" | ")[0].removeprefix("| ") for line in table.strip().splitlines()[2:]] == list(INPUTS)
    assert with_table(with_table(page, ["new"]), table.strip().splitlines()) == page


def test_the_exponent_of_quadratic_work_is_two() -> None:
    small, large = (calls(lambda n=n: [len("") for _ in range(n * n)]) for n in (50, 200))  # type: ignore[misc]
    assert exponent(small, large) == pytest.approx(2.0, abs=0.01)


def test_the_check_of_an_export_is_linear_in_free_bodies() -> None:
    def bodies(count: int) -> Scene:
        return scene([link(f"l{i}", shape=UNIT_BOX) for i in range(count)])

    few, many = bodies(MAX_DOFS // 6 + 1), bodies(4 * (MAX_DOFS // 6 + 1))
    small, large = (calls(lambda one=one: mechanical_error(one, one, pairs=False)) for one in (few, many))  # type: ignore[misc]
    assert exponent(small, large) < LINEAR
