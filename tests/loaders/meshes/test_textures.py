"""Access to the materials and textures of a mesh."""

from __future__ import annotations

from pathlib import Path


def test_materials_and_textures_outside_stay_closed(read, tmp_path: Path) -> None:
    (tmp_path.parent.parent / "secret.mtl").write_text("newmtl red\nKd 1 0 0\n")
    (tmp_path / "m.mtl").write_text("newmtl red\nKd 1 0 0\nmap_Kd /etc/hostname\n")
    data = read("mtllib m.mtl\nv 0 0 0\nv 1 0 0\nv 0 1 0\nusemtl red\nf 1 2 3\n", "m.obj")
    assert [part.texture for part in data.parts] == [None]
    assert read.codes == ["mesh.missing-texture"]
    data = read("mtllib ../../secret.mtl\nv 0 0 0\nv 1 0 0\nv 0 1 0\nusemtl red\nf 1 2 3\n", "n.obj")
    assert data.parts[0].color != (1.0, 0.0, 0.0, 1.0)
