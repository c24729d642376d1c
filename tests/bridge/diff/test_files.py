"""Two files are compared item by item and by how they move; link frames and shapes of the world are
understood.
"""

from __future__ import annotations

import dataclasses
import re
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest

import bridge
import loaders
from bridge.diff.files import difference_table as table
from bridge.diff.files import other_frames, page, with_fixed_world
from bridge.parity.two_models import errors_in_simulators
from loaders import model as m
from loaders.finish.transform import moved_frames
from loaders.inertia import SpatialInertia
from loaders.pose import Pose
from loaders.scene import Scene
from tests.support.scenes import UNIT_BOX, joint, link, random_pose, random_scene, scene
from tests.support.urdf_writer import with_poses
from tests.support.web_page import WebPage, is_inert

# Two files are compared item by item, and by how they move.

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
    assert '<strong class="ALIKE">' in text


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
    assert "all of 12 differences" in page.text
    assert (
        page.text.index("<j9>")
        < page.text.index("all of 12 differences")
        < page.text.index("<j11>")
    )
    assert is_inert(comparison._repr_html_())


def _fan(axis: dict[str, float]) -> list[m.Joint]:
    return [joint(f"<j{i}>", "world", f"<l{i}>", axis=axis) for i in range(12)]


# A link whose frame alone differs is told from a link that is in another place.

SHIFT = Pose.of(p=(0.1, 0.0, 0.0))


def _fields(comparison: bridge.FileComparison) -> set[tuple[str, str, str]]:
    return {(d.kind, d.name, d.field) for d in comparison.differences}


@pytest.mark.parametrize("fixed", [True, False])
def test_other_frames_of_every_link_are_one_difference_each_and_both_move_alike(
    fixed: bool,
) -> None:
    a = with_poses(random_scene(3, fixed=fixed))
    rng = np.random.default_rng(3)
    frames = {link.name: random_pose(rng) for link in a.links}
    comparison = bridge.compare_files(a, moved_frames(a, frames))
    assert _fields(comparison) == {("link", name, "X_WL") for name in frames}
    assert comparison.verdict == "ALIKE"
    for name, X_LN in frames.items():
        assert comparison.frames[name].is_close(X_LN, 1e-12)


def test_a_written_urdf_moves_as_its_source(tmp_path: Path) -> None:
    (tmp_path / "leg.urdf").write_text(bridge.to_urdf(ASSETS / "leg.sdf"))
    comparison = bridge.compare_files(ASSETS / "leg.sdf", tmp_path / "leg.urdf")
    assert comparison.verdict == "ALIKE"
    assert {name for kind, name, field in _fields(comparison) if field == "X_WL"} == {"pelvis"}


def test_simulators_are_asked_for_the_same_frames_under_other_names() -> None:
    inertia = SpatialInertia.of(2.0, (1.0, 0.0, 0.0), np.eye(3))
    a, b = (
        scene([link(bob, inertia=inertia)], [joint(hinge, "world", bob)])
        for bob, hinge in (("bob", "hinge"), ("x", "y"))
    )
    b = moved_frames(b, {"x": SHIFT})
    comparison = bridge.compare_files(a, b)
    assert set(comparison.frames) == {"bob"}
    assert errors_in_simulators(a, b, ["mujoco"], comparison)["mujoco"].is_within(1e-9)


def _box(X_WL: Pose, X_LG: Pose, p_LLcm: tuple[float, float, float]) -> Scene:
    body = link("box", X_WL=X_WL, inertia=SpatialInertia.of(1.0, p_LLcm, np.eye(3)), shape=UNIT_BOX)
    shapes = tuple(dataclasses.replace(shape, X_LG=X_LG) for shape in body.collisions)
    return scene(
        [dataclasses.replace(body, collisions=shapes)], [joint("j", "world", "box", X_PJ=X_WL)]
    )


IN_PLACE = _box(Pose.of(), Pose.of(), (0.0, 0.0, 0.0))
BACK = SHIFT.inverse()


@pytest.mark.parametrize(
    ("other", "only_frame"),
    [
        (_box(SHIFT, BACK, (-0.1, 0.0, 0.0)), True),
        (_box(SHIFT, Pose.of(), (0.0, 0.0, 0.0)), False),
        (_box(SHIFT, Pose.of(), (-0.1, 0.0, 0.0)), False),
        (_box(SHIFT, BACK, (0.0, 0.0, 0.0)), False),
        (IN_PLACE, False),
    ],
)
def test_mass_and_shapes_must_be_in_the_same_place(other: Scene, only_frame: bool) -> None:
    assert bool(other_frames(IN_PLACE, other, 1e-9)) is only_frame


def test_a_joint_that_moved_with_the_frame_is_still_a_difference() -> None:
    comparison = bridge.compare_files(IN_PLACE, _box(SHIFT, BACK, (-0.1, 0.0, 0.0)))
    assert ("joint", "j", "X_PJ") in _fields(comparison)
    assert comparison.verdict == "DIFFERENT"


def test_links_without_content_and_children_of_floating_joints_keep_their_frames() -> None:
    empty, moved = (scene([link("a", X_WL=X, inertia=None)]) for X in (Pose.of(), SHIFT))
    assert other_frames(empty, moved, 1e-9) == {}
    free = scene([link("a")], [joint("f", "world", "a", m.JointType.FLOATING, axes=())])
    assert other_frames(free, moved_frames(free, {"a": SHIFT}), 1e-9) == {}


# Shapes of the world, which a link named ``world`` has in MJCF, and a link fixed to the world in
# SDFormat.

MJCF = """<mujoco model="robot"><worldbody>
<geom name="floor" type="plane" size="2 2 .1"/>
<body name="arm" pos="0 0 1"><joint name="hinge" axis="0 1 0"/><geom name="ball" size=".1"/></body>
</worldbody></mujoco>"""
WALL = '<geom name="wall" type="box" size=".1 1 1" pos="1 0 1"/>'


def loaded(text: str) -> Scene:
    return loaders.load_string(text, format="mjcf")


def exported(text: str, folder: Path) -> Path:
    path = folder / "robot.sdf"
    path.write_text(bridge.to_sdf(loaded(text)))
    return path


@pytest.mark.parametrize("swapped", [False, True])
def test_a_model_and_its_sdf_export_move_alike(tmp_path: Path, swapped: bool) -> None:
    pair = (loaded(MJCF), loaders.load(exported(MJCF, tmp_path)))
    comparison = bridge.compare_files(*(pair[::-1] if swapped else pair))
    assert comparison.moves_alike, comparison.summary
    assert "only in one" not in {
        d.field or "only in one" for d in comparison.differences if d.kind in {"link", "joint"}
    }


def test_a_floor_in_another_place_does_not_move_alike(tmp_path: Path) -> None:
    raised = exported(MJCF.replace('type="plane"', 'type="plane" pos="0 0 .5"'), tmp_path)
    comparison = bridge.compare_files(loaded(MJCF), raised)
    assert not comparison.moves_alike
    assert "collisions[floor].X_LG" in comparison.summary


def test_a_wall_that_one_file_lacks_is_found(tmp_path: Path) -> None:
    with_wall = MJCF.replace("<body", f"{WALL}<body", 1)
    assert not bridge.compare_files(loaded(with_wall), exported(MJCF, tmp_path)).moves_alike


def test_two_links_that_may_be_the_world_are_not_chosen_from(tmp_path: Path) -> None:
    sdf = exported(MJCF, tmp_path).read_text()
    start, end = sdf.index('<link name="world_link">'), sdf.index("</link>") + len("</link>")
    link = sdf[start:end]
    joint = sdf[
        (at := sdf.index('<joint name="world_link_joint"')) : sdf.index("</joint>", at)
        + len("</joint>")
    ]
    twins = (link + joint).replace("world_link", "second").replace('"floor"', '"second_floor"')
    two = loaders.load_string(sdf[:end] + twins + sdf[end:], format="sdf")
    scene = loaded(MJCF)
    assert with_fixed_world(scene, two) == (scene, two, {})


# A page is one file, and text is never markup.


def test_a_page_holds_its_sections_and_escapes_text() -> None:
    text = page("a < b", "EQUAL", [("One & two", table(("x",), [("<script>",)]))])
    assert "prefers-color-scheme: dark" in text
    root = ElementTree.fromstring(re.sub("<!doctype html>|<meta [^>]*>", "", text))
    assert root.findtext("body/h1") == "a < b"
    assert root.findtext("body/h2") == "One & two"
    assert root.findtext("body/div/table/tbody/tr/td") == "<script>"
    assert "http" not in text
