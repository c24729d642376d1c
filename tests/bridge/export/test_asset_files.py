"""Meshes are copied with the files that they refer to, and never two contents under one name."""

from __future__ import annotations

from pathlib import Path

from bridge.export.asset_files import AssetFiles


def test_a_mesh_takes_its_materials_and_pictures_along(tmp_path: Path) -> None:
    (tmp_path / "m.obj").write_text("mtllib m.mtl\n")
    (tmp_path / "m.mtl").write_text("newmtl x\nmap_Kd t.png\n")
    (tmp_path / "t.png").write_bytes(b"png")
    assets = AssetFiles()
    assert assets.add(str(tmp_path / "m.obj")) == "assets/m/m.obj"
    assert set(assets.files) == {"m/m.obj", "m/m.mtl", "m/t.png"}


def test_equal_names_with_different_content_are_distinguished(tmp_path: Path) -> None:
    places = []
    assets = AssetFiles()
    for folder, data in (("a", b"1"), ("b", b"2"), ("c", b"1")):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "x.stl").write_bytes(data)
        places.append(assets.add(str(tmp_path / folder / "x.stl")))
    assert places[0] == places[2] == "assets/x.stl"
    assert places[1] != places[0]
    assert sorted(assets.files.values()) == [b"1", b"2"]


def test_a_missing_file_has_no_place() -> None:
    assert AssetFiles().add("/no/such.stl") is None
    assert AssetFiles().add(None) is None
