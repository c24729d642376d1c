"""Two files are compared item by item, and by how they move."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import numpy as np
import pytest

import bridge
import loaders
from loaders import model as m
from loaders.inertia import SpatialInertia
from loaders.pose import Pose
from tests.support.scenes import UNIT_BOX, joint, link, scene
from tests.support.web_page import WebPage, is_inert

ASSETS = Path(__file__).parents[3] / "assets"


def test_a_written_file_is_equal_to_its_source(tmp_path: Path) -> None:
    (tmp_path / "leg.sdf").write_text(bridge.to_sdf(ASSETS / "leg.sdf"))
    comparison = bridge.compare_files(ASSETS / "leg.sdf", tmp_path / "leg.sdf")
    assert comparison.equal
    assert comparison.moves_alike


def test_a_damping_differs_and_changes_the_motion() -> None:
    a, b = (scene([link("a")], [joint("j", "world", "a", axis={"damping": c})]) for c in (0.1, 0.2))
    comparison = bridge.compare_files(a, b)
    assert not comparison.moves_alike
    assert comparison.reasons == ("what acts on the motion differs: axes[0].damping of joint j",)
    assert [d.field for d in comparison.differences] == ["axes[0].damping"]
    assert comparison.to_dict()["differences"][0] == {
        "kind": "joint",
        "name": "j",
        "field": "axes[0].damping",
        "a": 0.1,
        "b": 0.2,
        "where_a": "",
        "where_b": "",
    }


def _arm(names: str) -> loaders.Scene:
    a, b, c, j, k = names.split()
    links = [link(a), link(b), link(c, shape=UNIT_BOX)]
    return scene(links, [joint(j, a, b), joint(k, b, c, m.JointType.PRISMATIC)])


A, B = _arm("base upper lower shoulder slide"), _arm("l0 l1 l2 j1 j2")


def test_other_names_are_matched_by_structure_and_reported_as_names_alone() -> None:
    comparison = bridge.compare_files(A, B)
    assert comparison.moves_alike
    assert comparison.verdict == "ALIKE"
    assert {(d.kind, d.field, d.a, d.b) for d in comparison.differences} == {
        ("link", "name", "base", "l0"),
        ("link", "name", "upper", "l1"),
        ("link", "name", "lower", "l2"),
        ("joint", "name", "shoulder", "j1"),
        ("joint", "name", "slide", "j2"),
    }


def test_matching_by_name_alone_finds_other_items() -> None:
    comparison = bridge.compare_files(A, B, match="name")
    assert comparison.verdict == "DIFFERENT"
    assert ("link", "base", None) in {(d.kind, d.name, d.b) for d in comparison.differences}


def test_a_map_renames_without_a_difference() -> None:
    names = dict(
        zip(
            ["base", "upper", "lower", "shoulder", "slide"],
            ["l0", "l1", "l2", "j1", "j2"],
            strict=True,
        )
    )
    assert bridge.compare_files(A, B, names=names, match="name").equal
    with pytest.raises(ValueError, match=r"A has no .* 'elbow'"):
        bridge.compare_files(A, B, names={"elbow": "j1"})
    with pytest.raises(ValueError, match="expected one of: structure, name"):
        bridge.compare_files(A, B, match="some")  # type: ignore[arg-type]


def test_the_reasons_name_what_does_not_move_alike() -> None:
    heavier = dataclasses.replace(A.links[2], inertia=SpatialInertia.of(5.0, I_Lcm=np.eye(3)))
    comparison = bridge.compare_files(A, dataclasses.replace(A, links=(*A.links[:2], heavier)))
    assert not comparison.moves_alike
    assert [text.partition(" differ")[0] for text in comparison.reasons] == [
        "masses",
        "mass matrices",
    ]
    assert bridge.compare_files(A, A).reasons == ()
    lost = bridge.compare_files(A, scene([link("base")])).reasons
    assert lost == ("B lacks upper, lower, shoulder, slide",)


def test_a_joint_that_moved_differs_whatever_its_name() -> None:
    moved = scene(
        [link("l0"), link("l1"), link("l2", shape=UNIT_BOX)],
        [
            joint("j1", "l0", "l1"),
            joint("j2", "l1", "l2", m.JointType.PRISMATIC, X_PJ=Pose.of(p=(0.0, 0.0, 1.0))),
        ],
    )
    comparison = bridge.compare_files(A, moved)
    assert comparison.verdict == "DIFFERENT"
    assert ("joint", "j2", "X_PJ") in {(d.kind, d.name, d.field) for d in comparison.differences}


def test_the_page_lists_every_difference_and_escapes_names() -> None:
    comparison = bridge.compare_files(A, _arm("<b>0 l1 l2 j1 j2"))
    text = comparison.html("A & B")
    assert "A &amp; B" in text
    assert "&lt;b&gt;0" in text
    assert "<b>0" not in text
    assert text.count("<tr>") >= len(comparison.differences)
    assert '<p class="ALIKE">' in text


def test_compare_takes_a_second_model_in_place_of_engines(tmp_path: Path) -> None:
    (tmp_path / "leg.sdf").write_text(bridge.to_sdf(ASSETS / "leg.sdf"))
    for other in (tmp_path / "leg.sdf", str(tmp_path / "leg.sdf")):
        assert bridge.compare(ASSETS / "leg.sdf", other).equal  # type: ignore[union-attr]
    assert bridge.compare(A, B).verdict == "ALIKE"


def test_a_notebook_shows_the_verdict_and_the_first_differences() -> None:
    axes = [{"velocity": 0.1}, {"velocity": 0.2}]
    a, b = (scene([link(f"<l{i}>") for i in range(12)], _fan(axis)) for axis in axes)
    comparison = bridge.compare_files(a, b)
    assert repr(comparison) == "<FileComparison ALIKE: 12 differences; both move alike>"
    page = WebPage(comparison._repr_html_())
    assert page.words[0] == "ALIKE: two files"
    assert "12 differences; both move alike" in page.text
    assert "axes[0].velocity" in page.text
    assert "all 12 differences" in page.text
    assert (
        page.text.index("<j9>") < page.text.index("all 12 differences") < page.text.index("<j11>")
    )
    assert is_inert(comparison._repr_html_())


def _fan(axis: dict[str, float]) -> list[m.Joint]:
    return [joint(f"<j{i}>", "world", f"<l{i}>", axis=axis) for i in range(12)]
