"""The verdict: the worst row decides, no number is a failure, and every form of the report says the same."""

from __future__ import annotations

import json
import math
from html.parser import HTMLParser
from pathlib import Path

import numpy as np
import pytest
from lxml import etree

import bridge
from bridge.parity import Comparison, Level, Outcome, Row, Verdict, compare
from bridge.parity.levels.quantities import (
    WorstErrors,
    absolute,
    compare_readings,
    norm_relative,
    pose_distance,
    relative,
)
from loaders.diagnostics import ExportError, Fate

ARM = Path(__file__).parents[4] / "assets" / "arm" / "model.sdf"


def row(outcome: Outcome, error: float = 1e-3, **changes: str) -> Row:
    return Row(
        level=Level.MODEL, quantity="mass", unit="", engines=("a", "b"), error=error, tolerance=1e-9, where="elbow",
        outcome=outcome, **changes,
    )  # fmt: skip


def comparison(*rows: Row, model: str = "m") -> Comparison:
    return Comparison(
        model=model, source="m.sdf", rows=rows, engines=("a", "b"), environment={"seed": "0"}, diagnostics=()
    )


@pytest.mark.parametrize(
    ("outcomes", "verdict"),
    [
        ([], Verdict.EQUIVALENT),
        ([Outcome.PASSED, Outcome.UNKNOWN], Verdict.EQUIVALENT),
        ([Outcome.PASSED, Outcome.EXPLAINED], Verdict.AGREES),
        ([Outcome.EXPLAINED, Outcome.FAILED], Verdict.DIFFERS),
    ],
)
def test_the_worst_row_decides(outcomes: list[Outcome], verdict: Verdict) -> None:
    assert comparison(*map(row, outcomes)).verdict is verdict


def test_an_assertion_names_quantity_size_place_cause_and_command() -> None:
    found = comparison(row(Outcome.EXPLAINED, cause="rotors"), row(Outcome.PASSED))
    with pytest.raises(AssertionError, match=r"(?s)AGREES.*mass \(a / b\): error 1.00e-03 at elbow.*rotors.*--seed 0"):
        found.assert_equivalent()
    comparison(row(Outcome.PASSED)).assert_equivalent()


IMPOSSIBLE = """
<robot name="hammer">
  <link name="base"/>
  <joint name="swing" type="continuous"><parent link="base"/><child link="head"/><axis xyz="1 0 0"/></joint>
  <link name="head"><inertial><origin xyz="0 0 -0.5"/><mass value="2"/>
    <inertia ixx="0.1" iyy="0.2" izz="0.6" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <link name="world"/>
  <joint name="hold" type="fixed"><parent link="world"/><child link="base"/></joint>
</robot>"""


def test_an_impossible_inertia_is_refused_or_repaired_alike_in_every_engine(tmp_path: Path) -> None:
    path = tmp_path / "hammer.urdf"
    path.write_text(IMPOSSIBLE)
    with pytest.raises(ExportError, match="impossible-inertia"):
        compare(path, levels=(Level.MODEL,))
    found = compare(path, inertia="repair", levels=(Level.MODEL, Level.OPERATORS))
    found.assert_equivalent()
    assert [entry.code for entry in found.diagnostics if entry.fate is Fate.REPAIRED] == ["lower.repaired-inertia"]
    assert "0.2, 0.3, 0.5 kg m^2" in next(e.message for e in found.diagnostics if e.fate is Fate.REPAIRED)
    assert "--inertia repair" in found.command


@pytest.mark.parametrize("error", [absolute, relative, norm_relative])
def test_what_is_no_number_is_the_worst_of_errors(error: object) -> None:
    worst = WorstErrors()
    one, two = {"a": np.array([1.0]), "b": np.array([1.0])}, {"a": np.array([math.nan]), "b": np.array([2.0])}
    compare_readings(one, two, error, worst)  # type: ignore[arg-type]
    assert (worst.error, worst.where) == (math.inf, "a")


def test_a_link_that_one_engine_lacks_differs_without_bound() -> None:
    worst = WorstErrors()
    compare_readings({"a": np.ones(1)}, {"a": np.ones(1), "ghost": np.ones(1)}, relative, worst)
    assert (worst.error, worst.where) == (math.inf, "ghost")


def test_infinite_limits_are_equal_only_to_their_like() -> None:
    free, stopped = np.array((-math.inf, math.inf)), np.array((-math.inf, 2.0))
    assert absolute(free, free, 1.0) == 0.0
    assert absolute(free, stopped, 1.0) == math.inf


def test_the_distance_of_poses_is_the_larger_of_metres_and_radians() -> None:
    a, b = np.eye(4), np.eye(4)
    b[:3, :3] = ((math.cos(0.2), -math.sin(0.2), 0), (math.sin(0.2), math.cos(0.2), 0), (0, 0, 1))
    b[0, 3] = 0.1
    assert pose_distance(a, b, 1.0) == pytest.approx(0.2, abs=1e-15)
    b[0, 3] = 0.3
    assert pose_distance(a, b, 1.0) == pytest.approx(0.3, abs=1e-15)


def test_an_engine_that_answers_nan_fails() -> None:
    from bridge.parity.engines.reference_engine import ReferenceEngine

    class Broken(ReferenceEngine):
        name = "broken"

        def bias_forces(self) -> np.ndarray:
            return super().bias_forces() * math.nan

    found = compare(ARM, engines=("mujoco", Broken), levels=("L1",), configurations=1)
    assert found.verdict is Verdict.DIFFERS
    assert {r.quantity for r in found.failures} == {"bias forces", "inverse dynamics"}
    rows = json.loads(json.dumps(found.to_dict()))["rows"]
    assert [row["error"] for row in rows if row["quantity"] == "bias forces" and not row["passed"]] == ["inf", "inf"]


# --- reports ---------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def arm() -> Comparison:
    return bridge.compare(ARM, configurations=2)


class Page(HTMLParser):
    """Collects addresses and words."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.addresses: list[str] = []
        self.words: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.addresses += [value or "" for name, value in attrs if name in {"src", "href", "xlink:href"}]

    def handle_data(self, data: str) -> None:
        self.words.append(data)


def test_the_page_needs_nothing_from_outside(arm: Comparison, tmp_path: Path) -> None:
    page = Page(arm.to_html(tmp_path / "r.html", {"both": b"\x89PNG"}).read_text(encoding="utf-8"))
    assert all(address.startswith(("data:", "#")) for address in page.addresses)
    text = " ".join(page.words)
    assert "EQUIVALENT" in text
    assert all(r.quantity in text for r in arm.rows)
    assert all(entry.code in text for entry in arm.diagnostics)


def test_equal_comparisons_make_equal_pages(arm: Comparison, tmp_path: Path) -> None:
    pages = [arm.to_html(tmp_path / name).read_bytes() for name in ("a.html", "b.html")]
    assert pages[0] == pages[1]


def test_names_in_a_page_are_text_and_never_markup(tmp_path: Path) -> None:
    hostile = comparison(row(Outcome.FAILED, cause="<script>alert(1)</script>"), model="<img src=x onerror=alert(1)>")
    text = hostile.to_html(tmp_path / "r.html").read_text(encoding="utf-8")
    assert "<script" not in text
    assert "<img" not in text


def test_junit_counts_what_failed(tmp_path: Path) -> None:
    found = comparison(row(Outcome.PASSED), row(Outcome.FAILED), row(Outcome.UNKNOWN))
    suite = etree.parse(str(found.to_junit(tmp_path / "junit.xml"))).getroot()
    assert (suite.get("tests"), suite.get("failures"), suite.get("skipped")) == ("3", "1", "1")
    assert "elbow" in suite.find("testcase/failure").get("message")
