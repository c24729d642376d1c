"""Meshes as read: mass properties against closed forms and trimesh, scale, textures and companion
files.
"""

from __future__ import annotations

import json
import os
from pathlib import Path

import numpy as np
import pytest
import trimesh

from loaders.diagnostics import Diagnostics
from loaders.meshes import read_mesh
from loaders.meshes.mesh_data import companion_files, unique_rows
from loaders.model import Mesh
from tests.support.mesh_files import assert_box, collada

# Mass properties of meshes, compared with closed forms and trimesh.


def test_a_box_has_the_inertia_of_a_box(read) -> None:
    inertia = read(collada()).inertia(500.0)
    mass = 500.0 * 6.0
    assert inertia.mass == pytest.approx(mass, rel=1e-12)
    np.testing.assert_allclose(inertia.p_LLcm, (0.5, 1.0, 1.5), atol=1e-12)
    np.testing.assert_allclose(
        inertia.I_Lcm, np.diag((4 + 9, 1 + 9, 1 + 4)) * mass / 12.0, atol=1e-9
    )


def test_inertia_is_that_of_trimesh(read) -> None:
    mesh = trimesh.creation.icosphere(subdivisions=2, radius=0.5)
    mesh.apply_transform(
        [[1.0, 0.3, 0.0, 3.0], [0.0, 2.0, 0.1, -2.0], [0.2, 0.0, 0.5, 1.0], [0.0, 0.0, 0.0, 1.0]]
    )
    mesh.density = 7.0
    inertia = read(mesh.export(file_type="off", digits=17), "hull.off").inertia(7.0)
    assert inertia.mass == pytest.approx(mesh.mass, rel=1e-9)
    np.testing.assert_allclose(inertia.p_LLcm, mesh.center_mass, rtol=1e-9)
    np.testing.assert_allclose(inertia.I_Lcm, mesh.moment_inertia, rtol=1e-7, atol=1e-9)


def test_triangles_that_face_inwards_weigh_the_same(read, box: trimesh.Trimesh) -> None:
    box.invert()
    data = read(box.export(file_type="off"), "box.off")
    assert data.volume == pytest.approx(-6.0)
    assert data.inertia(2.0).mass == pytest.approx(12.0)


def test_a_mesh_with_a_hole_is_not_closed(read, box: trimesh.Trimesh) -> None:
    box.update_faces(np.arange(12) != 3)
    assert not read(box.export(file_type="off"), "box.off").is_closed


@pytest.mark.parametrize("count", [0, 1, 1000])
def test_unique_rows_are_those_of_numpy(count: int) -> None:
    rows = np.random.default_rng(0).integers(-3, 3, (count, 3)).astype(np.float32)
    found, index = unique_rows(rows)
    expected, inverse = np.unique(rows, axis=0, return_inverse=True)
    assert np.array_equal(found, expected)
    assert np.array_equal(index, inverse.reshape(-1))
    assert np.array_equal(found[index], rows)


# Meshes with a scale, and missing meshes.


@pytest.mark.parametrize("scale", [(2, 3, 4), (-1, 1, 1), (1, -2, 1), (-1, -1, 1), (-1, -2, -3)])
def test_every_scale_keeps_the_outside_outside(read, scale: tuple[float, float, float]) -> None:
    corners = np.array(((0.0, 0.0, 0.0), np.multiply(scale, (1, 2, 3))))
    assert_box(read(collada(), scale=scale), tuple(corners.min(axis=0)), tuple(corners.max(axis=0)))


def test_a_missing_file_is_left_out(tmp_path: Path) -> None:
    diagnostics = Diagnostics()
    assert read_mesh(Mesh(uri="", path=str(tmp_path / "none.stl")), diagnostics) is None
    assert [entry.code for entry in diagnostics] == ["mesh.unreadable"]
    assert read_mesh(Mesh(uri="", path=None), diagnostics) is None


@pytest.mark.filterwarnings("error")
def test_a_number_past_all_others_is_reported_once_and_not_by_a_warning_of_numpy(
    tmp_path: Path,
) -> None:
    (tmp_path / "a.obj").write_text("v 1e400 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n")
    diagnostics = Diagnostics()
    assert read_mesh(Mesh(uri="", path=str(tmp_path / "a.obj")), diagnostics) is None
    assert [entry.code for entry in diagnostics] == ["mesh.unreadable"]
    assert "a coordinate is not finite" in next(iter(diagnostics)).message


# Access to the materials and textures of a mesh.


def test_materials_and_textures_outside_stay_closed(read, tmp_path: Path) -> None:
    (tmp_path.parent.parent / "secret.mtl").write_text("newmtl red\nKd 1 0 0\n")
    (tmp_path / "m.mtl").write_text("newmtl red\nKd 1 0 0\nmap_Kd /etc/hostname\n")
    data = read("mtllib m.mtl\nv 0 0 0\nv 1 0 0\nv 0 1 0\nusemtl red\nf 1 2 3\n", "m.obj")
    assert [part.texture for part in data.parts] == [None]
    assert read.codes == ["mesh.outside"]
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


@pytest.mark.parametrize(
    ("marker", "place", "expected"),
    [
        ("model.config", "m/materials/textures/a.png", []),
        ("package.xml", "m/a.png", []),
        ("manifest.xml", "m/meshes/sub/deep/a.png", []),
        ("package.xml", "m/gone.png", ["mesh.missing-texture"]),
        ("model.config", "a.png", ["mesh.outside"]),
        ("model.config", "gone.png", ["mesh.outside"]),
        ("", "m/a.png", ["mesh.outside"]),
        ("", "m/meshes/a.png", []),
    ],
)
def test_a_texture_may_lie_anywhere_in_the_model_of_the_mesh(
    tmp_path: Path, marker: str, place: str, expected: list[str]
) -> None:
    folder = tmp_path / "m" / "meshes" / "sub"
    (folder / "deep").mkdir(parents=True)
    if marker:
        (tmp_path / "m" / marker).write_text("")
    file = tmp_path / place
    if file.name != "gone.png":
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(b"x")
    (folder / "a.mtl").write_text(f"newmtl red\nmap_Kd {os.path.relpath(file, folder)}\n")
    (folder / "a.obj").write_text("mtllib a.mtl\nusemtl red\nv 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n")
    found = Diagnostics()
    data = read_mesh(Mesh(uri="a.obj", path=str(folder / "a.obj")), found)
    assert data is not None
    assert [entry.code for entry in found] == expected
    assert data.parts[0].texture == (None if expected else str(file))


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


# The files that a mesh refers to.


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
