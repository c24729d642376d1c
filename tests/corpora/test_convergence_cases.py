"""The page of convergence to Drake: complete, up to date, and every engine converges or says what
it lacks.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.corpora.convergence_cases import CASES

pytest.importorskip("mujoco")
pytest.importorskip("pybullet")
pytest.importorskip("pydrake")
pytest.importorskip("dartpy")

from docs.make_convergence_table import ENGINES, STORED, measure, page

ROOT = Path(__file__).parents[2]


def test_the_page_has_the_stored_result_of_every_case() -> None:
    stored = json.loads(STORED.read_text(encoding="utf-8"))
    assert {case.name for case in CASES} == set(stored["results"])
    written = (ROOT / "docs" / "convergence.md").read_text(encoding="utf-8")
    rows = [
        line
        for line in page(stored["results"], stored["versions"]).splitlines()
        if line.startswith("| ")
    ]
    assert rows == [line for line in written.splitlines() if line.startswith("| ")]


@pytest.mark.parametrize("engine", ENGINES)
def test_an_engine_converges_at_first_order_unless_it_lacks_something(engine: str) -> None:
    results = json.loads(STORED.read_text(encoding="utf-8"))["results"]
    for name, result in results.items():
        found = result[engine]
        assert found["lost"] or found["slope"] > 0.9, name
        assert found["lost"] or found["points"][-1][1] < 0.03, name


def test_a_case_is_measured_anew_with_the_stored_result() -> None:
    case = next(case for case in CASES if case.name == "prismatic")
    stored = json.loads(STORED.read_text(encoding="utf-8"))["results"][case.name]
    found = measure(case)
    for engine in ENGINES:
        assert found[engine]["slope"] == pytest.approx(stored[engine]["slope"], abs=0.05)
        assert found[engine]["points"][-1][1] == pytest.approx(
            stored[engine]["points"][-1][1], rel=0.05
        )
