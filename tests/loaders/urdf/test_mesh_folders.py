"""``<mujoco>`` in a URDF: MuJoCo itself finds the mesh in the same folder."""

from __future__ import annotations

from pathlib import Path

import mujoco
import pytest

import loaders

OBJ = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n"
ROBOT = """<robot name="r"><mujoco><compiler {key}="../assets" discardvisual="false"/></mujoco>
<link name="a"><inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>
<visual><geometry><mesh filename="x.obj"/></geometry></visual></link></robot>"""


@pytest.mark.parametrize("key", ["meshdir", "assetdir"])
def test_meshes_are_found_where_mujoco_finds_them(key: str, tmp_path: Path) -> None:
    (tmp_path / "assets").mkdir()
    (tmp_path / "assets" / "x.obj").write_text(OBJ)
    (tmp_path / "urdf").mkdir()
    path = tmp_path / "urdf" / "r.urdf"
    path.write_text(ROBOT.format(key=key))
    assert mujoco.MjModel.from_xml_path(str(path)).nmesh == 1
    scene = loaders.load(path)
    assert scene.links[0].visuals[0].geometry.path == str(tmp_path / "assets" / "x.obj")
    assert [entry.code for entry in scene.diagnostics] == ["urdf.mujoco-options"]


def test_a_mesh_folder_outside_the_allowed_folders_is_refused(tmp_path: Path) -> None:
    (tmp_path / "secret").mkdir()
    (tmp_path / "secret" / "x.obj").write_text(OBJ)
    path = tmp_path / "a" / "b" / "c" / "r.urdf"
    path.parent.mkdir(parents=True)
    path.write_text(ROBOT.format(key="meshdir").replace("../assets", "../../../secret"))
    with pytest.raises(loaders.LoadError, match="outside"):
        loaders.load(path)
