"""OBJ, STL, glTF, PLY and OFF files, compared with trimesh and Drake."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import trimesh

from loaders.diagnostics import Diagnostics
from loaders.meshes import read_mesh
from loaders.model import Mesh
from tests.support.mesh_files import assert_box


@pytest.mark.parametrize("suffix", ["stl", "stl_ascii", "ply", "off", "obj"])
def test_formats_without_axes_are_taken_as_they_are(
    read, box: trimesh.Trimesh, suffix: str
) -> None:
    content = box.export(file_type=suffix)
    assert_box(read(content, f"box.{suffix.removesuffix('_ascii')}"), (0, 0, 0), (1, 2, 3))


def test_suffixes_may_be_in_capitals(read, box: trimesh.Trimesh) -> None:
    assert_box(read(box.export(file_type="stl"), "BOX.STL"), (0, 0, 0), (1, 2, 3))


def test_y_points_up_in_gltf(read, box: trimesh.Trimesh) -> None:
    assert_box(read(box.export(file_type="glb"), "box.glb"), (0, -3, 0), (1, 0, 2))


def test_gltf_is_turned_as_drake_turns_it(tmp_path: Path, box: trimesh.Trimesh) -> None:
    geometry = pytest.importorskip("pydrake.geometry")
    files = trimesh.exchange.gltf.export_gltf(trimesh.Scene(box))
    for name, content in files.items():
        (tmp_path / name).write_bytes(content)
    path = tmp_path / "model.gltf"
    hull = geometry.Convex(str(path), 1.0).GetConvexHull()
    theirs = np.array([hull.vertex(i) for i in range(hull.num_vertices())])
    ours = read_mesh(Mesh(uri="", path=str(path)), Diagnostics())
    assert ours is not None
    np.testing.assert_allclose(ours.bounds, (theirs.min(axis=0), theirs.max(axis=0)), atol=1e-6)


def test_objects_and_materials_of_an_obj_are_parts(read, tmp_path: Path) -> None:
    (tmp_path / "m.mtl").write_text(
        "newmtl red\nKd 1 0 0\nd 0.5\nmap_Kd a b.png\nnewmtl blue\nKd 0 0 1\n"
    )
    (tmp_path / "a b.png").write_bytes(b"not read")
    data = read(
        "mtllib m.mtl\no first\nv 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nvt 0 0\nvt 1 0\nvt 0 "
        "1\nusemtl red\n"
        "f 1/1 2/2 3/3\nusemtl blue\nf 1 2 4\no second\nusemtl red\nf 2/1 3/2 4/3\n",
        "m.obj",
    )
    found = {
        (part.names[0], part.color, part.texture and Path(part.texture).name) for part in data.parts
    }
    red, blue = (1.0, 0.0, 0.0, 0.5), (0.0, 0.0, 1.0, 1.0)
    assert found == {("first", red, "a b.png"), ("first", blue, None), ("second", red, "a b.png")}
    assert next(part.uv for part in data.parts if part.names[0] == "second") is not None


def test_a_texture_inside_a_file_is_noted(read, box: trimesh.Trimesh) -> None:
    image = pytest.importorskip("PIL.Image").new("RGB", (2, 2))
    box.visual = trimesh.visual.TextureVisuals(uv=np.zeros((8, 2)), image=image)
    assert_box(read(box.export(file_type="glb"), "box.glb"), (0, -3, 0), (1, 0, 2))
    assert read.codes == ["mesh.embedded-texture"]


def test_a_buffer_in_another_file_may_be_larger_than_the_gltf(tmp_path: Path, read) -> None:
    sphere = trimesh.creation.icosphere(subdivisions=4)
    files = trimesh.exchange.gltf.export_gltf(sphere.scene())
    for name, content in files.items():
        (tmp_path / name).write_bytes(content)
    header = files.pop("model.gltf")
    assert all(len(header) < len(content) for content in files.values())
    data = read(header, name="model.gltf")
    assert sum(len(part.faces) for part in data.parts) == len(sphere.faces)
    assert read.codes == []


@pytest.mark.parametrize(("thickness", "up"), [(1.0, 1.0), (0.0, 1.0), (-1.0, -1.0)])
def test_only_a_node_that_mirrors_turns_its_triangles_over(
    read, thickness: float, up: float
) -> None:
    """As glTF says of the determinant of a node; a flat triangle stays what it is when its node is
    flat, too.
    """
    sheet = trimesh.Trimesh(((0, 0, 0), (1, 0, 0), (0, 1, 0)), ((0, 1, 2),), process=False)
    scene = trimesh.Scene()
    scene.add_geometry(sheet, transform=np.diag((1.0, 1.0, thickness, 1.0)))
    data = read(scene.export(file_type="glb"), "sheet.glb")
    a, b, c = data.parts[0].vertices[data.parts[0].faces[0]]
    np.testing.assert_allclose(
        np.cross(b - a, c - a), (0.0, -up, 0.0), atol=1e-12
    )  # z of glTF is -y
