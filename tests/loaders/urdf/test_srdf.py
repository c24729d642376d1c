"""SRDF files: states of groups as MoveIt's srdfdom reads them, and collision filters."""

from __future__ import annotations

from pathlib import Path

import pytest

import loaders
from loaders.scene import Scene
from tests.support.urdf_robots import SPHERE, codes

# States of groups in an SRDF become keyframes; the witness is what MoveIt's srdfdom reads of the
# file.

JOINT = "<joint name='{0}' type='{1}'><parent link='{2}'/><child link='{3}'/></joint>"
ROBOT = "".join(f"<link name='{name}'/>" for name in "abcdef") + "".join(
    JOINT.format(*words)
    for words in (
        ("turn", "continuous", "a", "b"),
        ("slide", "continuous", "b", "c"),
        ("plane", "planar", "c", "d"),
        ("weld", "fixed", "d", "e"),
        ("float", "floating", "e", "f"),
    )
)


def read(tmp_path: Path, *states: str) -> Scene:
    (tmp_path / "r.urdf").write_text(f"<robot name='r'>{ROBOT}</robot>")
    (tmp_path / "r.srdf").write_text(f"<robot name='r'>{''.join(states)}</robot>")
    return loaders.load(tmp_path / "r.urdf", srdf=tmp_path / "r.srdf", quiet=True)


def state(name: str, group: str, **positions: str) -> str:
    joints = "".join(
        f"<joint name='{joint}' value='{value}'/>" for joint, value in positions.items()
    )
    return f"<group_state name='{name}' group='{group}'>{joints}</group_state>"


def test_a_state_holds_the_positions_of_its_joints(tmp_path: Path) -> None:
    scene = read(tmp_path, state("ready", "arm", turn=" 0.5 ", plane="1 2e0 -3"))
    (key,) = scene.keyframes
    assert (key.name, key.joints, key.positions) == (
        "ready",
        ("turn", "plane"),
        ((0.5,), (1.0, 2.0, -3.0)),
    )
    assert (key.where.file, key.where.line) == (str(tmp_path / "r.srdf"), 1)
    assert "srdf" not in "".join(codes(scene))


def test_states_of_one_name_are_named_after_their_groups_too(tmp_path: Path) -> None:
    states = [state("home", group, turn=value) for group, value in (("left", "1"), ("right", "2"))]
    scene = read(tmp_path, *states, state("up", "left", turn="3"))
    positions = {key.name: key.positions for key in scene.keyframes}
    assert positions == {"left_home": ((1.0,),), "right_home": ((2.0,),), "up": ((3.0,),)}


@pytest.mark.parametrize(
    ("positions", "code"),
    [
        ({"wheel": "1"}, "srdf.unknown-joint"),
        ({"float": "0 0 0 0 0 0 1"}, "srdf.state-joint"),
        ({"weld": "0"}, "srdf.state-joint"),
        ({"slide": "1 2"}, "srdf.state-value"),
        ({"slide": "nan"}, "srdf.state-value"),
        ({"slide": "1,5"}, "srdf.state-value"),
        ({"plane": "1 2"}, "srdf.state-value"),
        ({}, "srdf.empty-state"),
    ],
)
def test_what_a_state_cannot_hold_is_reported_and_the_rest_is_kept(
    positions: dict[str, str], code: str, tmp_path: Path
) -> None:
    scene = read(tmp_path, state("s", "g", **positions))
    assert scene.keyframes == ()
    assert [entry for entry in codes(scene) if entry.startswith("srdf")] == [code]
    if positions:
        scene = read(tmp_path, state("s", "g", turn="1", **positions))
        assert [key.joints for key in scene.keyframes] == [("turn",)]


def test_a_state_that_is_defined_twice_is_reported(tmp_path: Path) -> None:
    scene = read(tmp_path, state("s", "g", turn="1"), state("s", "g", turn="2"))
    assert [key.positions for key in scene.keyframes] == [((1.0,),)]
    assert "srdf.duplicate-state" in codes(scene)


def test_an_srdf_beside_the_file_is_named_if_it_is_not_used(tmp_path: Path) -> None:
    read(tmp_path, state("s", "g", turn="1"))
    scene = loaders.load(tmp_path / "r.urdf", quiet=True)
    assert scene.keyframes == ()
    (entry,) = [entry for entry in scene.diagnostics if entry.code == "srdf.not-used"]
    assert (entry.severity, entry.arguments["file"]) == ("note", "r.srdf")
    (tmp_path / "r.srdf").rename(tmp_path / "other.srdf")
    assert "srdf.not-used" not in codes(loaders.load(tmp_path / "r.urdf", quiet=True))


# Collision filters from an SRDF file.

CHAIN = "".join(f"<link name='{name}'>{SPHERE}</link>" for name in "abcd") + "".join(
    f"<joint name='{a}{b}' type='continuous'><parent link='{a}'/><child link='{b}'/></joint>"
    for a, b in ("ab", "bc", "cd")
)


def load_with_srdf(tmp_path: Path, srdf: str) -> Scene:
    (tmp_path / "r.urdf").write_text(f"<robot name='r'>{CHAIN}</robot>")
    (tmp_path / "r.srdf").write_text(f"<robot name='r'>{srdf}</robot>")
    return loaders.load(tmp_path / "r.urdf", srdf=tmp_path / "r.srdf")


def excluded(scene: Scene) -> set[frozenset[str]]:
    """What the file alone excludes: Drake's own rule is about neighbors."""
    neighbors = {frozenset(pair) for pair in ("ab", "bc", "cd")}
    return set(scene.excluded_collision_pairs("drake")) - neighbors


def test_disabled_pairs_become_collision_filters(tmp_path: Path) -> None:
    pair = "<disable_collisions link1='a' link2='c' reason='Never'/>"
    scene = load_with_srdf(
        tmp_path, f"{pair}<group name='arm'><chain base_link='a' tip_link='d'/></group>"
    )
    assert excluded(scene) == {frozenset("ac")}
    assert codes(scene) == ["srdf.planning"]


def test_a_link_disabled_by_default_touches_only_what_is_enabled_for_it(tmp_path: Path) -> None:
    scene = load_with_srdf(
        tmp_path, "<disable_default_collisions link='a'/><enable_collisions link1='d' link2='a'/>"
    )
    assert excluded(scene) == {frozenset("ac")}


def test_an_unknown_link_in_an_srdf_is_reported(tmp_path: Path) -> None:
    scene = load_with_srdf(tmp_path, "<disable_collisions link1='a' link2='z'/>")
    assert codes(scene) == ["srdf.unknown-link"]
    assert scene.filter_rules == ()


@pytest.mark.parametrize(
    ("srdf", "code"),
    [
        ("<robot><disable_collisions link1='a' link2='a'/></robot>", "srdf.same-link"),
        ("<arm/>", "srdf.root"),
        ("<robot", "xml.syntax"),
    ],
)
def test_what_is_wrong_in_an_srdf_is_reported(tmp_path: Path, srdf: str, code: str) -> None:
    (tmp_path / "r.urdf").write_text(f"<robot name='r'>{CHAIN}</robot>")
    (tmp_path / "r.srdf").write_text(srdf)
    try:
        found = loaders.load(tmp_path / "r.urdf", srdf=tmp_path / "r.srdf").diagnostics
    except loaders.LoadError as error:
        found = error.diagnostics
    assert [entry.code for entry in found] == [code]
