"""Access to the materials and textures of a mesh."""

from __future__ import annotations

from pathlib import Path

import pytest


def test_materials_and_textures_outside_stay_closed(read, tmp_path: Path) -> None:
    (tmp_path.parent.parent / "secret.mtl").write_text("newmtl red\nKd 1 0 0\n")
    (tmp_path / "m.mtl").write_text("newmtl red\nKd 1 0 0\nmap_Kd /etc/hostname\n")
    data = read("mtllib m.mtl\nv 0 0 0\nv 1 0 0\nv 0 1 0\nusemtl red\nf 1 2 3\n", "m.obj")
    assert [part.texture for part in data.parts] == [None]
    assert read.codes == ["mesh.missing-texture"]
    data = read(
        "mtllib ../../secret.mtl\nv 0 0 0\nv 1 0 0\nv 0 1 0\nusemtl red\nf 1 2 3\n", "n.obj"
    )
    assert data.parts[0].color != (1.0, 0.0, 0.0, 1.0)


@pytest.mark.parametrize(
    ("marker", "is_found"),
    [("", True), ("robot.sdf", False), ("package.xml", False), ("A.URDF", False)],
)
def test_a_texture_one_folder_up_stays_closed_where_a_model_begins(
    read, tmp_path: Path, marker: str, is_found: bool
) -> None:
    (tmp_path / "m.mtl").write_text("newmtl red\nmap_Kd ../up.png\n")
    (tmp_path.parent / "up.png").write_bytes(b"x")
    if marker:
        (tmp_path / marker).write_text("")
    data = read("mtllib m.mtl\nv 0 0 0\nv 1 0 0\nv 0 1 0\nusemtl red\nf 1 2 3\n", "m.obj")
    assert (data.parts[0].texture is not None) == is_found


@pytest.mark.parametrize("home_is_above", [True, False])
def test_a_mesh_does_not_reach_into_the_home_folder(
    read, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, home_is_above: bool
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path.parent) if home_is_above else "/nowhere")
    (tmp_path / "m.mtl").write_text("newmtl red\nmap_Kd ../up.png\n")
    (tmp_path.parent / "up.png").write_bytes(b"x")
    data = read("mtllib m.mtl\nv 0 0 0\nv 1 0 0\nv 0 1 0\nusemtl red\nf 1 2 3\n", "m.obj")
    assert (data.parts[0].texture is None) == home_is_above


def test_a_texture_is_a_file_with_the_suffix_of_a_picture(read, tmp_path: Path) -> None:
    (tmp_path / "m.mtl").write_text("newmtl red\nmap_Kd id_rsa\n")
    (tmp_path / "id_rsa").write_bytes(b"x")
    data = read("mtllib m.mtl\nv 0 0 0\nv 1 0 0\nv 0 1 0\nusemtl red\nf 1 2 3\n", "m.obj")
    assert data.parts[0].texture is None
    assert read.codes == ["mesh.missing-texture"]


def test_material_libraries_outside_are_named(read) -> None:
    read(
        "mtllib ../../a.mtl\nmtllib b.mtl\nmtllib /c.mtl\nv 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n",
        "m.obj",
    )
    assert read.codes == ["mesh.outside"]
    assert "../../a.mtl, /c.mtl" in read.messages[0]
