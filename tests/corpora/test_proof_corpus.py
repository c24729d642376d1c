"""The verdicts on models whose verdict is known, and the page that lists them."""

from __future__ import annotations

from pathlib import Path

import pytest

pytest.importorskip("mujoco")
pytest.importorskip("pybullet")
pytest.importorskip("pydrake")
from tests.corpora.models_corpus import Model, script_of_docs
from tests.corpora.proof_corpus import Proof, judge

ROOT = Path(__file__).parents[2]
IMPOSSIBLE = (
    "<robot name='r'><link name='world'/><link name='arm'><inertial><mass value='1'/>"
    "<inertia ixx='1' iyy='1' izz='9' ixy='0' ixz='0' iyz='0'/></inertial></link>"
    "<joint name='j' type='continuous'><parent link='world'/><child link='arm'/></joint></robot>"
)


def page(proofs: list[Proof]) -> str:
    return script_of_docs("make_parity_table").page(proofs)


@pytest.mark.parametrize("model", ["arm/model.sdf", "leg.sdf", "double_pendulum.urdf"])
def test_the_bundled_models_are_equivalent_and_drake_agrees(model: str) -> None:
    proof = judge(Model(name=model, path=ROOT / "assets" / model))
    assert (proof.verdict, proof.witness, proof.causes) == ("EQUIVALENT", "EQUIVALENT", ())
    in_single_precision = proof.worst.pop("meshes", 0.0)  # PyBullet keeps the vertices of meshes so
    assert in_single_precision <= 2e-5
    assert max(proof.worst.values()) <= 1e-9


def test_a_non_physical_inertia_is_repaired_for_both_simulators(tmp_path: Path) -> None:
    path = tmp_path / "impossible.urdf"
    path.write_text(IMPOSSIBLE, encoding="utf-8")
    proof = judge(Model(name="impossible", path=path))
    assert (proof.verdict, proof.repaired) == ("EQUIVALENT", True)
    assert "| EQUIVALENT, repaired | 1 |" in page([proof])


def test_the_page_counts_verdicts_and_lists_differences() -> None:
    sound = Proof(model="a", verdict="EQUIVALENT", worst={"mass": 1e-12}, witness="EQUIVALENT")
    excused = Proof(model="b", verdict="AGREES", causes=("mesh.missing",), witness="absent", witness_causes=("no",))
    wrong = Proof(model="c", verdict="DIFFERS", causes=("mass of mujoco / pybullet at arm: 1.0e-02",))
    text = page([sound, excused, wrong, Proof(model="d", invalid="broken [sdf.x]"), Proof(model="e", crash="exit -11")])
    assert "5 files, of which 4 load" in " ".join(text.split())
    assert "| EQUIVALENT | 1 |" in text
    assert "| `mesh.missing` | 1 |" in text
    assert "**DIFFERS**: mass of mujoco / pybullet at arm" in text
    assert "**exit -11**" in text
    assert "| d | broken [sdf.x] |" in text
