"""Meshes are copied with the files that they refer to, and never two contents under one name."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from bridge.targets.folder import AssetFiles


def test_a_mesh_takes_its_materials_and_pictures_along(tmp_path: Path) -> None:
    (tmp_path / "m.obj").write_text("mtllib m.mtl\n")
    (tmp_path / "m.mtl").write_text("newmtl x\nmap_Kd t.png\n")
    (tmp_path / "t.png").write_bytes(b"png")
    assets = AssetFiles()
    assert assets.add(str(tmp_path / "m.obj")) == "assets/m/m.obj"
    assert set(assets.files) == {"m/m.obj", "m/m.mtl", "m/t.png"}


@pytest.mark.parametrize("kind", ["obj", "gltf"])
@pytest.mark.parametrize("form", ["absolute", "relative", "link", "two folders up"])
def test_a_mesh_takes_no_file_along_from_outside_its_folders(
    tmp_path: Path, kind: str, form: str
) -> None:
    """An export would carry the secret to whoever gets it."""
    folder = tmp_path / "others" / "robot" / "meshes"
    folder.mkdir(parents=True)
    secret = tmp_path / "secret.mtl"
    secret.write_text("secret")
    (folder / "link.mtl").symlink_to(secret)
    name = {"absolute": str(secret), "relative": "../../../secret.mtl", "link": "link.mtl"}.get(
        form, "../../s.mtl"
    )
    (tmp_path / "others" / "s.mtl").write_text("secret")
    document = json.dumps(
        {"asset": {"version": "2.0"}, "buffers": [{"uri": name, "byteLength": 6}]}
    )
    (folder / f"m.{kind}").write_text(document if kind == "gltf" else f"mtllib {name}\nv 0 0 0\n")
    assets = AssetFiles()
    assert assets.add(str(folder / f"m.{kind}")) == f"assets/m.{kind}"
    assert b"secret" not in assets.files.values()


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


@pytest.mark.parametrize("kind", ["obj", "mtl", "gltf"])
def test_a_mesh_takes_no_file_along_that_is_no_material_buffer_or_picture(
    tmp_path: Path, kind: str
) -> None:
    (tmp_path / "id_rsa").write_text("secret")
    (tmp_path / "m.mtl").write_text("newmtl x\nmap_Kd id_rsa\n")
    (tmp_path / "m.gltf").write_text(
        json.dumps({"asset": {"version": "2.0"}, "images": [{"uri": "id_rsa"}]})
    )
    (tmp_path / "m.obj").write_text("mtllib id_rsa\n" if kind == "obj" else "mtllib m.mtl\n")
    assets = AssetFiles()
    assert assets.add(str(tmp_path / ("m.gltf" if kind == "gltf" else "m.obj")))
    assert b"secret" not in assets.files.values()
