"""The sweep over the schemas of SDFormat and URDF tells what Drake reads, and what it reads over."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import pytest

pytest.importorskip("pydrake")

from benchmarks import drake_schema
from benchmarks.drake_schema import READ, SILENT
from bridge.parity.engines.drake import engine
from tests.support.seeds import few


@cache
def pairs() -> dict[str, drake_schema.Pair]:
    """The pairs of documents, by format and element."""
    return {f"{pair.form} {pair.path}": pair for pair in drake_schema.pairs()}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("element", "expected"),
    few(
        [
            ("sdf model/joint/axis/dynamics/damping", READ),
            ("sdf model/joint/axis/dynamics/friction", "drake.unread"),
            ("sdf model/link/collision/geometry/cone/radius", "drake.shape drake.unread-contact"),
            ("sdf model/joint/physics/provide_feedback", "drake.unread-detail"),
            ("sdf model/link/inertial/inertia/ixx", READ),
            ("sdf model/joint/axis2/dynamics/spring_stiffness", "drake.unread"),
            (
                "sdf model/link/collision/surface/bounce/restitution_coefficient",
                "drake.unread-contact",
            ),
            ("urdf robot/gazebo/springStiffness", "drake.unread"),
            ("urdf robot/gazebo/springReference", "drake.unread"),
            ("urdf robot/transmission/actuator/mechanicalReduction", "drake.unread-detail"),
        ],
        4,
    ),
)
def test_what_drake_reads_over_is_a_finding(element: str, expected: str, tmp_path: Path) -> None:
    assert drake_schema.verdict(pairs()[element], tmp_path) == expected


@pytest.mark.slow
def test_an_element_that_is_ignored_without_a_finding_is_seen(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(engine, "UNREAD", {})
    pair = pairs()["sdf model/link/collision/surface/bounce/threshold"]
    assert drake_schema.verdict(pair, tmp_path) == SILENT


@pytest.mark.slow
def test_no_element_of_joints_is_ignored_in_silence(tmp_path: Path) -> None:
    of_joints = [
        pair for name, pair in pairs().items() if "/joint/" in name and "sensor" not in name
    ]
    found = {pair.path: drake_schema.verdict(pair, tmp_path) for pair in of_joints}
    assert [path for path, outcome in found.items() if outcome == SILENT] == []
