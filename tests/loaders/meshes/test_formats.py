"""MSH files against MuJoCo; OBJ, STL, glTF, PLY and OFF files against trimesh and Drake."""

from __future__ import annotations

import io
import struct
from pathlib import Path

import mujoco
import numpy as np
import pytest
import trimesh
from PIL import Image

import bridge
import loaders
from loaders.diagnostics import Diagnostics
from loaders.meshes import read_mesh
from loaders.meshes.mesh_data import has_triangles
from loaders.meshes.trimesh_formats import group_of
from loaders.model import Mesh
from tests.support.mesh_files import BOX_CORNERS, BOX_FACES, assert_box

# MSH files, MuJoCo's own binary meshes, compared with MuJoCo.

MODEL = (
    "<mujoco><asset><mesh name='m' file='box.{}'/><mesh name='n' "
    "file='box.msh'/></asset><worldbody><body>"
    "<freejoint/><geom type='mesh' mesh='m' name='g'/></body></worldbody></mujoco>"
)


def msh(
    corners: object = BOX_CORNERS, faces: object = BOX_FACES, coordinates: object = ()
) -> bytes:
    """Return a file without normals."""
    vertices, uv = np.asarray(corners, "<f4"), np.asarray(coordinates, "<f4").reshape(-1, 2)
    triangles = np.asarray(faces, "<i4").reshape(-1, 3)
    counts = struct.pack("<4i", len(vertices), 0, len(uv), len(triangles))
    return counts + vertices.tobytes() + uv.tobytes() + triangles.tobytes()


def test_vertices_and_triangles_are_those_of_the_file(read) -> None:
    data = read(msh(), "box.msh")
    assert_box(data, (0, 0, 0), (1, 2, 3))
    assert data.is_closed
    assert data.volume == pytest.approx(6.0)


def test_texture_coordinates_point_up_as_those_of_the_obj_file_that_mujoco_reads_alike(
    read,
) -> None:
    uv = [(0.1 * i, 0.07 * i) for i in range(8)]
    lines = [*(f"v {x} {y} {z}" for x, y, z in BOX_CORNERS), *(f"vt {u} {1.0 - v}" for u, v in uv)]
    lines += [f"f {a + 1}/{a + 1} {b + 1}/{b + 1} {c + 1}/{c + 1}" for a, b, c in BOX_FACES]
    assets = {"box.msh": msh(coordinates=uv), "box.obj": "\n".join(lines).encode()}
    model = mujoco.MjModel.from_xml_string(MODEL.format("obj"), assets)
    first, second = model.mesh_texcoordadr
    theirs = model.mesh_texcoord
    assert sorted(map(tuple, theirs[first:second].round(6))) == sorted(
        map(tuple, theirs[second:].round(6))
    )
    ours = read(assets["box.msh"], "box.msh").parts[0].uv
    np.testing.assert_allclose(ours, [(u, 1.0 - v) for u, v in uv], atol=1e-6)


@pytest.mark.parametrize(
    "content", [b"", msh()[:-1], msh() + b"0", struct.pack("<4i", 8, 0, 0, -1), msh(faces=())]
)
def test_a_file_that_is_not_as_long_as_its_counts_is_refused(read, content: bytes) -> None:
    assert read(content, "box.msh") is None
    assert read.codes == ["mesh.unreadable"]


def test_the_header_tells_whether_a_file_has_triangles() -> None:
    assert [has_triangles(data[:16]) for data in (msh(), msh(faces=()), msh()[:15], b"")] == [
        True,
        False,
        False,
        False,
    ]


def test_a_body_with_such_a_mesh_touches_and_looks_the_same_in_the_export(tmp_path: Path) -> None:
    (tmp_path / "box.msh").write_bytes(msh())
    (tmp_path / "model.xml").write_text(MODEL.format("msh"))
    mjcf = bridge.to_mjcf(loaders.load(tmp_path / "model.xml"))
    original = mujoco.MjModel.from_xml_path(str(tmp_path / "model.xml"))
    exported = mujoco.MjModel.from_xml_string(str(mjcf), mjcf.assets)
    collision = next(g for g in range(exported.ngeom) if exported.geom_contype[g])
    np.testing.assert_allclose(exported.geom_aabb[collision], original.geom_aabb[0], atol=1e-6)
    np.testing.assert_allclose(exported.body_mass[1:], original.body_mass[1:], rtol=1e-9)


# OBJ, STL, glTF, PLY and OFF files, compared with trimesh and Drake.


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


def test_a_texture_inside_a_file_is_kept(read, box: trimesh.Trimesh) -> None:
    image = Image.new("RGB", (2, 2), (9, 8, 7))
    box.visual = trimesh.visual.TextureVisuals(uv=np.zeros((8, 2)), image=image)
    assert_box(read(box.export(file_type="glb"), "box.glb"), (0, -3, 0), (1, 0, 2))
    assert read.codes == []
    (part,) = read(box.export(file_type="glb"), "box.glb").parts
    assert part.picture is not None
    assert Image.open(io.BytesIO(part.picture)).getpixel((0, 0)) == (9, 8, 7)


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


# Groups of OBJ files as submeshes: the faces of one group, whatever their material.

CAR = """mtllib none.mtl
v 0 0 0
v 1 0 0
v 0 1 0
v 0 0 1
g Wheel_Front Wheels
usemtl rubber
f 1 2 3
usemtl steel
f 1 2 4
g
f 2 3 4
g Wheel_Back Wheels
v 9 9 9
usemtl rubber
f 1 3 4
"""


@pytest.mark.parametrize(
    ("name", "faces"),
    [("Wheel_Front", 2), ("Wheel_Back", 1), ("Wheels", 3), ("Wheel_Front Wheels", 2)],
)
def test_a_group_is_a_submesh(read, name: str, faces: int) -> None:
    data = read(CAR, name="car.obj", submesh=name)
    assert sum(len(part.faces) for part in data.parts) == faces
    assert {part.names for part in data.parts} == {(name,)}
    assert np.abs(data.vertices).max() <= 9.0


def test_the_whole_file_keeps_all_faces(read) -> None:
    assert sum(len(part.faces) for part in read(CAR, name="car.obj").parts) == 4


def test_an_unknown_group_is_reported(read) -> None:
    assert read(CAR, name="car.obj", submesh="Door") is None
    assert read.codes == ["mesh.unreadable"]


def test_an_object_of_the_name_comes_first() -> None:
    assert (
        group_of(CAR.replace("g Wheel_Back Wheels", "o Wheel_Front").encode(), "Wheel_Front")
        is None
    )
