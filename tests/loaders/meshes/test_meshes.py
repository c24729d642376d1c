"""Meshes in metres, Z up, outside out: held against values worked out by hand, closed forms, Drake and trimesh."""

from __future__ import annotations

import struct
from pathlib import Path

import numpy as np
import pytest
import trimesh
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import loaders
from loaders.diagnostics import Diagnostics
from loaders.meshes import MeshData, read_mesh
from loaders.meshes.mesh_units import check_units
from loaders.model import Mesh

INCH = 0.0254

BOX_CORNERS = [(x, y, z) for z in (0.0, 3.0) for y in (0.0, 2.0) for x in (0.0, 1.0)]
"""A box of 1 x 2 x 3 units, one corner at the origin; vertex ``x + 2 y + 4 z`` in steps."""
BOX_FACES = [
    (0, 2, 3), (0, 3, 1), (4, 5, 7), (4, 7, 6),
    (0, 1, 5), (0, 5, 4), (2, 6, 7), (2, 7, 3),
    (0, 4, 6), (0, 6, 2), (1, 3, 7), (1, 7, 5),
]  # fmt: skip
"""Counter-clockwise seen from outside."""


def collada(*, asset: str = "", nodes: str = "", triangles: str = "", library: str = "") -> str:
    numbers = " ".join(str(c) for corner in BOX_CORNERS for c in corner)
    indices = " ".join(str(i) for face in BOX_FACES for i in face)
    surfaces = (
        triangles
        or f"<triangles count='12'><input semantic='VERTEX' source='#v' offset='0'/><p>{indices}</p></triangles>"
    )
    return f"""<?xml version="1.0"?>
<COLLADA xmlns="http://www.collada.org/2005/11/COLLADASchema" version="1.4.1">
<asset><created>2020-01-01T00:00:00</created><modified>2020-01-01T00:00:00</modified>{asset}</asset>{library}
<library_geometries><geometry id="box-mesh" name="box"><mesh>
<source id="s"><float_array id="a" count="24">{numbers}</float_array><technique_common>
<accessor source="#a" count="8" stride="3"><param name="X" type="float"/><param name="Y" type="float"/>
<param name="Z" type="float"/></accessor></technique_common></source>
<vertices id="v"><input semantic="POSITION" source="#s"/></vertices>{surfaces}</mesh></geometry></library_geometries>
<library_visual_scenes><visual_scene id="scene">{nodes or "<node><instance_geometry url='#box-mesh'/></node>"}
</visual_scene></library_visual_scenes><scene><instance_visual_scene url="#scene"/></scene></COLLADA>"""


@pytest.fixture
def read(tmp_path: Path):
    """Write a file and read it as a mesh; the codes of what was reported stand in ``read.codes``."""

    def run(content: str | bytes, name: str = "mesh.dae", **options: object) -> MeshData | None:
        path = tmp_path / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        diagnostics = Diagnostics()
        data = read_mesh(Mesh(uri=name, path=str(path), **options), diagnostics)  # type: ignore[arg-type]
        run.codes = [entry.code for entry in diagnostics]  # type: ignore[attr-defined]
        run.messages = [entry.message for entry in diagnostics]  # type: ignore[attr-defined]
        return data

    return run


SINGLE = 1e-6
"""pycollada turns nodes in single precision."""


def assert_box(
    data: MeshData | None, low: tuple[float, ...], high: tuple[float, ...], tolerance: float = 1e-12
) -> None:
    """The bounding box is as given, and the triangles enclose its whole volume from outside."""
    assert data is not None
    np.testing.assert_allclose(data.bounds, (low, high), atol=tolerance)
    assert data.is_closed
    assert data.volume == pytest.approx(np.prod(np.subtract(high, low)), rel=tolerance)


# --- COLLADA ---------------------------------------------------------------------------------------------------------


def test_inches_and_y_up_become_metres_and_z_up(read) -> None:
    """x stays, y points up and becomes z, z points at the viewer and becomes -y."""
    data = read(collada(asset="<unit name='inch' meter='0.0254'/><up_axis>Y_UP</up_axis>"))
    assert_box(data, (0.0, -3 * INCH, 0.0), (1 * INCH, 0.0, 2 * INCH))
    corner = data.vertices[np.argmin(np.linalg.norm(data.vertices - (INCH, -3 * INCH, 2 * INCH), axis=1))]
    np.testing.assert_allclose(corner, (INCH, -3 * INCH, 2 * INCH), atol=1e-15)
    assert read.codes == ["mesh.up-axis"]


def test_x_up_is_turned(read) -> None:
    """COLLADA: for X_UP right is -y, up is x, towards the viewer is z; ours are x, z and -y."""
    data = read(collada(asset="<unit meter='1'/><up_axis>X_UP</up_axis>"))
    assert_box(data, (-2.0, -3.0, 0.0), (0.0, 0.0, 1.0))


def test_z_up_stays(read) -> None:
    assert_box(read(collada(asset="<unit meter='0.001'/><up_axis>Z_UP</up_axis>")), (0, 0, 0), (0.001, 0.002, 0.003))
    assert read.codes == []


def test_y_up_without_a_unit_is_not_believed(read) -> None:
    """As in Gazebo, RViz and PyBullet, for which such files were made."""
    assert_box(read(collada(asset="<up_axis>Y_UP</up_axis>")), (0, 0, 0), (1, 2, 3))
    assert read.codes == ["mesh.up-axis"]


def test_real_meshes_that_declare_y_up_without_a_unit_have_z_up(pybullet_robots: Path) -> None:
    """The chassis of a car is long in x, and flat in z."""
    data = read_mesh(Mesh(uri="", path=str(pybullet_robots / "racecar/meshes/chassis.dae")), Diagnostics())
    assert data is not None
    length, width, height = data.bounds[1] - data.bounds[0]
    assert length > width > height


NESTED = """<node id="outer" name="outer"><translate>10 0 0</translate><rotate>0 0 1 90</rotate>
<node id="inner" name="inner"><translate>1 0 0</translate><scale>2 2 2</scale>
<instance_geometry url="#box-mesh"/></node></node>"""


def test_transforms_of_nested_nodes_compose_from_the_root_down(read) -> None:
    """p -> 2 p + (1, 0, 0), then a quarter turn about z, (x, y) -> (-y, x), then + (10, 0, 0).

    x in 0..1 becomes 1..3 and ends in y; y in 0..2 becomes 0..4 and ends in 10 - y; z becomes 0..6.
    """
    assert_box(read(collada(nodes=NESTED)), (6.0, 1.0, 0.0), (10.0, 3.0, 6.0), SINGLE)


def test_transforms_apply_in_the_unit_of_the_file(read) -> None:
    data = read(collada(nodes=NESTED, asset="<unit meter='0.1'/><up_axis>Z_UP</up_axis>"))
    assert_box(data, (0.6, 0.1, 0.0), (1.0, 0.3, 0.6), SINGLE)


def test_a_node_that_mirrors_keeps_the_outside_outside(read) -> None:
    node = "<node><matrix>-1 0 0 0  0 1 0 0  0 0 1 0  0 0 0 1</matrix><instance_geometry url='#box-mesh'/></node>"
    assert_box(read(collada(nodes=node)), (-1, 0, 0), (0, 2, 3))


def test_two_nodes_show_one_geometry_twice(read) -> None:
    node = "<node><translate>{} 0 0</translate><instance_geometry url='#box-mesh'/></node>"
    data = read(collada(nodes=node.format(0) + node.format(5)))
    assert len(data.parts) == 2
    assert data.volume == pytest.approx(12.0)
    np.testing.assert_allclose(data.bounds[1], (6, 2, 3))


RED_AND_BLUE = """<library_effects>{}</library_effects><library_materials>
<material id="red"><instance_effect url="#red-effect"/></material>
<material id="blue"><instance_effect url="#{}-effect"/></material></library_materials>"""
EFFECT = """<effect id="{0}-effect"><profile_COMMON><technique sid="c"><phong><diffuse><color>{1}</color></diffuse>
</phong></technique></profile_COMMON></effect>"""
BOUND = """<node><instance_geometry url="#box-mesh"><bind_material><technique_common>
<instance_material symbol="m1" target="#red"/><instance_material symbol="m2" target="#blue"/>
</technique_common></bind_material></instance_geometry></node>"""


def halves() -> str:
    """The box as two sets of triangles, each with a material, and a line."""
    vertex = "<input semantic='VERTEX' source='#v' offset='0'/>"
    indices = [" ".join(str(i) for face in BOX_FACES[start : start + 6] for i in face) for start in (0, 6)]
    sets = [f"<triangles count='6' material='m{i + 1}'>{vertex}<p>{p}</p></triangles>" for i, p in enumerate(indices)]
    return "".join((*sets, f"<lines count='1'>{vertex}<p>0 7</p></lines>"))


def test_materials_split_a_geometry_into_parts_and_lines_are_no_part(read) -> None:
    effects = EFFECT.format("red", "1 0 0 1") + EFFECT.format("blue", "0 0 1 0.5")
    data = read(collada(triangles=halves(), library=RED_AND_BLUE.format(effects, "blue"), nodes=BOUND))
    assert [part.color for part in data.parts] == [(1.0, 0.0, 0.0, 1.0), (0.0, 0.0, 1.0, 0.5)]
    assert [len(part.faces) for part in data.parts] == [6, 6]
    assert_box(data, (0, 0, 0), (1, 2, 3))


def test_geometry_whose_material_is_broken_is_kept(read) -> None:
    effects = EFFECT.format("red", "1 0 0 1")
    data = read(collada(triangles=halves(), library=RED_AND_BLUE.format(effects, "missing"), nodes=BOUND))
    assert_box(data, (0, 0, 0), (1, 2, 3))
    assert "mesh.incomplete" in read.codes


def test_a_submesh_is_chosen_by_any_of_its_names_and_centred(read) -> None:
    for name in ("inner", "box", "box-mesh", "outer"):
        assert_box(read(collada(nodes=NESTED), submesh=name), (6, 1, 0), (10, 3, 6), SINGLE)
        assert_box(read(collada(nodes=NESTED), submesh=name, center=True), (-2, -1, -3), (2, 1, 3), SINGLE)
    assert read(collada(nodes=NESTED), submesh="door") is None
    assert "inner" in read.messages[0]


# --- scale -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("scale", [(2, 3, 4), (-1, 1, 1), (1, -2, 1), (-1, -1, 1), (-1, -2, -3)])
def test_every_scale_keeps_the_outside_outside(read, scale: tuple[float, float, float]) -> None:
    corners = np.array(((0.0, 0.0, 0.0), np.multiply(scale, (1, 2, 3))))
    assert_box(read(collada(), scale=scale), tuple(corners.min(axis=0)), tuple(corners.max(axis=0)))


# --- the other formats -----------------------------------------------------------------------------------------------


@pytest.fixture
def box() -> trimesh.Trimesh:
    return trimesh.Trimesh(BOX_CORNERS, BOX_FACES, process=False)


@pytest.mark.parametrize("suffix", ["stl", "stl_ascii", "ply", "off", "obj"])
def test_formats_without_axes_are_taken_as_they_are(read, box: trimesh.Trimesh, suffix: str) -> None:
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
    (tmp_path / "m.mtl").write_text("newmtl red\nKd 1 0 0\nd 0.5\nmap_Kd a b.png\nnewmtl blue\nKd 0 0 1\n")
    (tmp_path / "a b.png").write_bytes(b"not read")
    data = read(
        "mtllib m.mtl\no first\nv 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nvt 0 0\nvt 1 0\nvt 0 1\nusemtl red\n"
        "f 1/1 2/2 3/3\nusemtl blue\nf 1 2 4\no second\nusemtl red\nf 2/1 3/2 4/3\n",
        "m.obj",
    )
    found = {(part.names[0], part.color, part.texture and Path(part.texture).name) for part in data.parts}
    red, blue = (1.0, 0.0, 0.0, 0.5), (0.0, 0.0, 1.0, 1.0)
    assert found == {("first", red, "a b.png"), ("first", blue, None), ("second", red, "a b.png")}
    assert next(part.uv for part in data.parts if part.names[0] == "second") is not None


def test_materials_and_textures_outside_stay_closed(read, tmp_path: Path) -> None:
    (tmp_path.parent.parent / "secret.mtl").write_text("newmtl red\nKd 1 0 0\n")
    (tmp_path / "m.mtl").write_text("newmtl red\nKd 1 0 0\nmap_Kd /etc/hostname\n")
    data = read("mtllib m.mtl\nv 0 0 0\nv 1 0 0\nv 0 1 0\nusemtl red\nf 1 2 3\n", "m.obj")
    assert [part.texture for part in data.parts] == [None]
    assert read.codes == ["mesh.missing-texture"]
    data = read("mtllib ../../secret.mtl\nv 0 0 0\nv 1 0 0\nv 0 1 0\nusemtl red\nf 1 2 3\n", "n.obj")
    assert data.parts[0].color != (1.0, 0.0, 0.0, 1.0)


def test_a_texture_inside_a_file_is_noted(read, box: trimesh.Trimesh) -> None:
    image = pytest.importorskip("PIL.Image").new("RGB", (2, 2))
    box.visual = trimesh.visual.TextureVisuals(uv=np.zeros((8, 2)), image=image)
    assert_box(read(box.export(file_type="glb"), "box.glb"), (0, -3, 0), (1, 0, 2))
    assert read.codes == ["mesh.embedded-texture"]


# --- mass properties -------------------------------------------------------------------------------------------------


def test_a_box_has_the_inertia_of_a_box(read) -> None:
    inertia = read(collada()).inertia(500.0)
    mass = 500.0 * 6.0
    assert inertia.mass == pytest.approx(mass, rel=1e-12)
    np.testing.assert_allclose(inertia.p_LLcm, (0.5, 1.0, 1.5), atol=1e-12)
    np.testing.assert_allclose(inertia.I_Lcm, np.diag((4 + 9, 1 + 9, 1 + 4)) * mass / 12.0, atol=1e-9)


def test_inertia_is_that_of_trimesh(read) -> None:
    mesh = trimesh.creation.icosphere(subdivisions=2, radius=0.5)
    mesh.apply_transform([[1.0, 0.3, 0.0, 3.0], [0.0, 2.0, 0.1, -2.0], [0.2, 0.0, 0.5, 1.0], [0.0, 0.0, 0.0, 1.0]])
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


# --- files that are wrong --------------------------------------------------------------------------------------------

LYING_STL = b"\0" * 80 + struct.pack("<I", 4_000_000_000) + b"\0" * 50
DEEP = "<node>" * 400 + "</node>" * 400
BROKEN = {
    "empty.obj": b"",
    "empty.stl": b"",
    "empty.dae": b"",
    "lying.stl": LYING_STL,
    "lying.ply": b"ply\nformat ascii 1.0\nelement vertex 1\nproperty float x\nelement face 4000000000\nend_header\n",
    "lying.off": b"OFF\n3 4000000000 0\n0 0 0\n",
    "lying.gltf": b'{"asset": {"version": "2.0"}, "accessors": [{"count": 4000000000, "componentType": 5126}]}',
    "numbers.gltf": b'{"asset": {"version": "2.0"}, "accessors": 3, "images": 5, "meshes": 7, "materials": [1]}',
    "broken.glb": b"glTF\x02\0\0\0\xff\xff\xff\xff\xff\xff\xff\x7fJSON{",
    "doctype.dae": b"<!DOCTYPE x [<!ENTITY a 'b'>]><COLLADA/>",
    "deep.dae": collada(nodes=DEEP).encode(),
    "cut.dae": collada()[:-300].encode(),
    "compressed.dae": b"\x1f\x8b\x08\0\0\0\0\0",
    "archive.dae": b"PK\x03\x04rest",
    "far.obj": b"v 1e200 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n",
    "nan.obj": b"v nan 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n",
    "index.off": b"OFF\n3 1 0\n0 0 0\n1 0 0\n0 1 0\n3 0 1 7\n",
    "unknown.mesh": b"whatever",
}


@pytest.mark.parametrize("name", BROKEN)
def test_a_broken_file_is_left_out_with_a_reason(read, name: str) -> None:
    assert read(BROKEN[name], name) is None
    assert read.codes == ["mesh.unreadable"]


def test_a_missing_file_is_left_out(tmp_path: Path) -> None:
    diagnostics = Diagnostics()
    assert read_mesh(Mesh(uri="", path=str(tmp_path / "none.stl")), diagnostics) is None
    assert [entry.code for entry in diagnostics] == ["mesh.unreadable"]
    assert read_mesh(Mesh(uri="", path=None), diagnostics) is None


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.binary(max_size=300), st.sampled_from(["obj", "stl", "dae", "gltf", "glb", "ply", "off"]), st.booleans())
def test_no_bytes_raise(tmp_path: Path, content: bytes, suffix: str, with_head: bool) -> None:
    head = {"ply": b"ply\nformat ascii 1.0\n", "glb": b"glTF\x02\0\0\0", "off": b"OFF\n", "obj": b"v 1 2 3\nf "}
    path = tmp_path / f"any.{suffix}"
    path.write_bytes((head.get(suffix, b"") if with_head else b"") + content)
    read_mesh(Mesh(uri="", path=str(path)), Diagnostics())


# --- units -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("scale", "codes"), [("1", []), ("1000", ["mesh.implausible-size"]), ("0.001", ["mesh.implausible-size"])]
)
def test_a_mesh_far_too_large_or_small_for_its_robot_is_noticed(tmp_path: Path, scale: str, codes: list[str]) -> None:
    (tmp_path / "box.dae").write_text(collada())
    (tmp_path / "robot.urdf").write_text(
        "<robot name='r'><link name='a'/><link name='b'><visual><geometry>"
        f"<mesh filename='box.dae' scale='{scale}'/></geometry></visual></link>"
        "<joint name='j' type='fixed'><parent link='a'/><child link='b'/><origin xyz='0 3 4'/></joint></robot>"
    )
    diagnostics = Diagnostics()
    check_units(loaders.load(tmp_path / "robot.urdf"), diagnostics)
    assert [entry.code for entry in diagnostics] == codes
