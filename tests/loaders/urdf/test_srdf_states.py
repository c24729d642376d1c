"""States of groups in an SRDF become keyframes; the witness is what MoveIt's srdfdom reads of the
file.
"""

from __future__ import annotations

from pathlib import Path

import pytest

import loaders
from loaders.scene import Scene
from tests.support.urdf_robots import codes

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
