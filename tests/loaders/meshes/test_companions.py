"""The files that a mesh refers to."""

import json

import pytest

from loaders.meshes.mesh_data import companion_files


def names(tmp_path, file, content):
    path = tmp_path / "models" / "meshes" / file
    path.parent.mkdir(parents=True)
    path.write_bytes(content)
    return [found.removeprefix(f"{tmp_path}/models/") for found in companion_files(str(path))]


def test_an_obj_names_its_libraries_whether_they_exist_or_not(tmp_path):
    found = names(tmp_path, "a.obj", b"mtllib a b.mtl\nv 0 0 0\nmtllib ../up/c.mtl\r\n")
    assert found == [
        "meshes/a b.mtl",
        "materials/textures/a b.mtl",
        "up/c.mtl",
        "materials/textures/c.mtl",
    ]


def test_a_gltf_names_its_buffers(tmp_path):
    buffers = [{"uri": "a.bin"}, {"uri": "data:;base64,AA"}, {}, 3]
    found = names(tmp_path, "a.gltf", json.dumps({"buffers": buffers}).encode())
    assert found == ["meshes/a.bin", "materials/textures/a.bin"]


@pytest.mark.parametrize(
    ("file", "content"), [("a.stl", b""), ("a.gltf", b"no json"), ("a.obj", b"v 0 0 0")]
)
def test_other_files_name_none(tmp_path, file, content):
    assert names(tmp_path, file, content) == []


def test_a_missing_mesh_has_none(tmp_path):
    assert companion_files(str(tmp_path / "gone.obj")) == ()


@pytest.mark.parametrize(
    "name", ["/etc/passwd.mtl", "../../c.mtl", "link.mtl", "a.txt", "../id_rsa", "a\0.mtl"]
)
def test_files_that_the_reader_does_not_open_are_no_companions(tmp_path, name):
    (tmp_path / "secret.mtl").write_text("")
    (tmp_path / "models" / "materials" / "textures").mkdir(parents=True)
    (tmp_path / "models" / "meshes").mkdir()
    (tmp_path / "models" / "meshes" / "link.mtl").symlink_to(tmp_path / "secret.mtl")
    path = tmp_path / "models" / "meshes" / "a.obj"
    path.write_text(f"mtllib {name}\n")
    beside = [found for found in companion_files(str(path)) if "materials/textures" not in found]
    assert beside == []
