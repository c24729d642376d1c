"""The measurements of energy, momentum and contact, and the page that lists them."""

from __future__ import annotations

from pathlib import Path

import pytest

pytest.importorskip("mujoco")
pytest.importorskip("pybullet")
from bridge.parity import Level, Outcome, Row
from tests.corpora.contact_corpus import Measured, judge
from tests.corpora.models_corpus import Model, script_of_docs

ROOT = Path(__file__).parents[2]
IMPOSSIBLE = (
    "<robot name='r'><link name='world'/><link name='arm'><inertial><origin xyz='0.1 0 0'/><mass "
    "value='1'/>"
    "<inertia ixx='.1' iyy='.1' izz='.9' ixy='0' ixz='0' iyz='0'/></inertial></link>"
    "<joint name='j' type='continuous'><parent link='world'/><child link='arm'/><axis xyz='0 1 "
    "0'/></joint></robot>"
)


def page(measurements: list[Measured]) -> str:
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
    text = page(
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
