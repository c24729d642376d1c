"""The pages of convergence, energy, momentum and contact: complete, up to date, and measured."""

from __future__ import annotations

import json
from importlib.util import find_spec
from pathlib import Path

import pytest

from bridge.parity import Level, Outcome, Row
from docs.make_convergence_table import ENGINES, STORED, measure, page
from tests.corpora.contact_corpus import Measured, judge
from tests.corpora.convergence_cases import CASES
from tests.corpora.models_corpus import Model, script_of_docs

pytest.importorskip("mujoco")
pytest.importorskip("pybullet")

needs_dartpy = pytest.mark.skipif(find_spec("dartpy") is None, reason="dartpy is not installed")
needs_drake = pytest.mark.skipif(find_spec("pydrake") is None, reason="pydrake is not installed")


# The page of convergence to Drake: complete, up to date, and every engine converges or says what it
# lacks.

ROOT = Path(__file__).parents[2]


@needs_dartpy
@needs_drake
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


@needs_dartpy
@needs_drake
@pytest.mark.parametrize("engine", ENGINES)
def test_an_engine_converges_at_first_order_unless_it_lacks_something(engine: str) -> None:
    results = json.loads(STORED.read_text(encoding="utf-8"))["results"]
    for name, result in results.items():
        found = result[engine]
        assert found["lost"] or found["slope"] > 0.9, name
        assert found["lost"] or found["points"][-1][1] < 0.03, name


@needs_dartpy
@needs_drake
def test_a_case_is_measured_anew_with_the_stored_result() -> None:
    case = next(case for case in CASES if case.name == "prismatic")
    stored = json.loads(STORED.read_text(encoding="utf-8"))["results"][case.name]
    found = measure(case)
    for engine in ENGINES:
        assert found[engine]["slope"] == pytest.approx(stored[engine]["slope"], abs=0.05)
        assert found[engine]["points"][-1][1] == pytest.approx(
            stored[engine]["points"][-1][1], rel=0.05
        )


# The measurements of energy, momentum and contact, and the page that lists them.

IMPOSSIBLE = (
    "<robot name='r'><link name='world'/><link name='arm'><inertial><origin xyz='0.1 0 0'/><mass "
    "value='1'/>"
    "<inertia ixx='.1' iyy='.1' izz='.9' ixy='0' ixz='0' iyz='0'/></inertial></link>"
    "<joint name='j' type='continuous'><parent link='world'/><child link='arm'/><axis xyz='0 1 "
    "0'/></joint></robot>"
)


def contact_corpus_page(measurements: list[Measured]) -> str:
    return script_of_docs("make_contact_table").page(measurements)


def row(outcome: Outcome, error: float, cause: str = "") -> Row:
    return Row(
        level=Level.CONTACT,
        quantity="slide of surface 2",
        unit="",
        engines=("exact", "mujoco"),
        error=error,
        tolerance=0.01,
        where="friction 1",
        outcome=outcome,
        cause=cause,
    )


@pytest.mark.slow
def test_a_bundled_model_conserves_energy_and_rests_on_the_ground() -> None:
    measured = judge(Model(name="leg.sdf", path=ROOT / "assets" / "leg.sdf"))
    assert (measured.verdict("L3"), measured.verdict("L4")) == ("EQUIVALENT", "AGREES")


def test_a_non_physical_inertia_is_repaired(tmp_path: Path) -> None:
    path = tmp_path / "impossible.urdf"
    path.write_text(IMPOSSIBLE, encoding="utf-8")
    measured = judge(Model(name="impossible", path=path))
    assert (measured.repaired, measured.verdict("L3"), measured.verdict("L4")) == (
        True,
        "EQUIVALENT",
        "nothing to measure",
    )


def test_the_page_counts_verdicts_and_lists_errors_beyond_the_tolerance() -> None:
    text = contact_corpus_page(
        [
            Measured(model="a", rows=(row(Outcome.EXPLAINED, 0.004),)),
            Measured(model="b", rows=(row(Outcome.FAILED, 0.5),)),
            Measured(model="c", rows=(row(Outcome.UNKNOWN, 0.0, "too rough"),)),
            Measured(model="d", invalid=True),
            Measured(model="e", crash="not done in 180 s"),
        ]
    )
    assert "5 files" in text
    assert "of which 4 load" in text
    for line in (
        "| AGREES | 0 | 1 |",
        "| DIFFERS | 0 | 1 |",
        "| no answer | 1 | 1 |",
        "| L4 | slide | mujoco | 2 | 1 | 0.004 of 0.01 |",
        "| b | slide of surface 2 | mujoco | 0.5 | **DIFFERS** |",
        "| e |  |  |  | not done in 180 s |",
        "| slide | 1 | too rough |",
    ):
        assert line in text
