"""The checks of the mesh files of a scene."""

from __future__ import annotations

from pathlib import Path

import pytest

import loaders
from loaders.diagnostics import Diagnostics
from loaders.finish.mesh_check import check_meshes
from tests.support.mesh_files import collada


@pytest.mark.parametrize(
    ("scale", "codes"),
    [("1", []), ("1000", ["mesh.implausible-size"]), ("0.001", ["mesh.implausible-size"])],
)
def test_a_mesh_far_too_large_or_small_for_its_robot_is_noticed(
    tmp_path: Path, scale: str, codes: list[str]
) -> None:
    (tmp_path / "box.dae").write_text(collada())
    (tmp_path / "robot.urdf").write_text(
        "<robot name='r'><link name='a'/><link name='b'><visual><geometry>"
        f"<mesh filename='box.dae' scale='{scale}'/></geometry></visual></link>"
        "<joint name='j' type='fixed'><parent link='a'/><child link='b'/><origin xyz='0 3 "
        "4'/></joint></robot>"
    )
    diagnostics = Diagnostics()
    check_meshes(loaders.load(tmp_path / "robot.urdf"), diagnostics)
    assert [entry.code for entry in diagnostics] == codes


@pytest.mark.parametrize(
    ("other", "kind", "codes"),
    [
        (
            "1",
            "visual",
            [],
        ),  # a part of a shape that is divided into several files, as in many MJCF files
        ("0.001", "visual", ["mesh.implausible-size"] * 2),
        ("1", "collision", ["mesh.implausible-size"]),  # one of both is in another unit
        ("1000", "visual", ["mesh.implausible-size"] * 2),
    ],
)
def test_a_small_part_of_a_shape_is_plausible(
    tmp_path: Path, other: str, kind: str, codes: list[str]
) -> None:
    (tmp_path / "box.dae").write_text(collada())
    small = "<visual><geometry><mesh filename='box.dae' scale='0.001'/></geometry></visual>"
    large = (
        f"<{kind}><geometry><mesh filename='box.dae' scale='{other} {other} "
        f"{other}1'/></geometry></{kind}>"
    )
    (tmp_path / "robot.urdf").write_text(
        f"<robot name='r'><link name='a'/><link name='b'>{small}{large}</link>"
        "<joint name='j' type='fixed'><parent link='a'/><child link='b'/><origin xyz='0 3 "
        "4'/></joint></robot>"
    )
    diagnostics = Diagnostics()
    check_meshes(loaders.load(tmp_path / "robot.urdf"), diagnostics)
    assert [entry.code for entry in diagnostics] == codes
