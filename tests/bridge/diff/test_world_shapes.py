"""Shapes of the world, which a link named ``world`` has in MJCF, and a link fixed to the world in
SDFormat.
"""

from __future__ import annotations

from pathlib import Path

import pytest

import bridge
import loaders
from bridge.diff.files import with_fixed_world
from loaders.scene import Scene

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
