"""COLLADA files: units, axes, nodes and materials, and the up axis that the collision mesh shows."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import trimesh

import bridge
import loaders
from bridge.lowering.transform import scaled
from loaders.diagnostics import Diagnostics
from loaders.finish.finish import with_references
from loaders.finish.mesh_check import models_to_turn, turned_in
from loaders.formats import UpAxis
from loaders.meshes import read_mesh
from loaders.meshes.collada import is_turned
from loaders.model import Collision, Link, Mesh, Visual
from loaders.pose import IDENTITY, Array, Pose
from tests.support.mesh_files import BOX_FACES, assert_box, collada
from tests.support.scenes import joint, link, scene

# The collision mesh of a link tells which way up its COLLADA visual is, against the statement of
# the file.

CARELESS, CAREFUL = "OpenCOLLADA2010", "Maya 8.0"
PLAIN = ((0.0, 0.0, 0.0), (1.0, 2.0, 3.0))
"""Corners of the box of the file, as its coordinates are."""
TURNED = ((0.0, -3.0, 0.0), (1.0, 0.0, 2.0))
"""Corners of the box with y up."""


def visual(folder: Path, exporter: str, axis: str = "Y_UP") -> Mesh:
    """A COLLADA file."""
    path = folder / "visual.dae"
    tool = f"<contributor><authoring_tool>{exporter}</authoring_tool></contributor>"
    path.write_text(collada(asset=f"{tool}<unit meter='1'/><up_axis>{axis}</up_axis>"))
    return Mesh(uri="visual.dae", path=str(path))


def collision(folder: Path, corners: object, name: str = "collision.stl") -> Mesh:
    """An STL file of a box."""
    trimesh.creation.box(bounds=np.array(corners)).export(folder / name)
    return Mesh(uri=name, path=str(folder / name))


def body(seen: Mesh, touched: Mesh, *, at: Pose = IDENTITY, name: str = "a") -> Link:
    shapes = (Collision(name="c", X_LG=at, geometry=touched),)
    made: Link = link(
        name, collisions=shapes, visuals=(Visual(name="v", X_LG=IDENTITY, geometry=seen),)
    )
    return made


def decided(item: Link) -> bool | None:
    ((shape,),) = (found.visuals for found in with_references(scene([item])).links)
    assert isinstance(shape.geometry, Mesh)
    return is_turned(shape.geometry, Path(str(shape.geometry.path)).read_bytes())


def read_box(shape: object) -> tuple[tuple[float, ...], ...]:
    """The corners of the box of a mesh as it is read."""
    assert isinstance(shape, Mesh)
    data = read_mesh(shape, Diagnostics())
    assert data is not None
    return tuple(tuple(corner.round(6).tolist()) for corner in data.bounds)


@pytest.mark.parametrize("exporter", [CARELESS, CAREFUL])
@pytest.mark.parametrize(("corners", "turned"), [(PLAIN, False), (TURNED, True)])
def test_the_collision_mesh_counts_whatever_the_exporter(
    tmp_path: Path, exporter: str, corners: object, turned: bool
) -> None:
    mesh = visual(tmp_path, exporter)
    item = body(mesh, collision(tmp_path, corners))
    assert decided(item) is turned
    assert read_box(bridge.lower(scene([item])).bodies[0].link.visuals[0].geometry) == corners


@pytest.mark.parametrize(
    ("offset", "turned"),
    [((0.0, 0.0, 3.0), None), ((0.0, -3.0, 0.0), True), ((9.0, 9.0, 9.0), None)],
)
def test_the_gaps_between_the_links_decide_where_a_file_states_no_unit(
    tmp_path: Path, offset: tuple[float, float, float], turned: bool | None
) -> None:
    """A chain of boxes along z is whole as the file is, one along -y only with y up."""
    path = tmp_path / "part.dae"
    path.write_text(collada(asset="<up_axis>Y_UP</up_axis>"))
    seen = (Visual(name="v", X_LG=IDENTITY, geometry=Mesh(uri="part.dae", path=str(path))),)
    links = [
        link(name, visuals=seen, X_WL=Pose.of(p=tuple(i * x for x in offset)))
        for i, name in enumerate("abc")
    ]
    joints = [joint("ab", "a", "b"), joint("bc", "b", "c")]
    given = scene(links, joints)
    found = turned_in(given, *models_to_turn(given))
    meshes = [item.visuals[0].geometry for item in found.links]
    assert [mesh.turned for mesh in meshes if isinstance(mesh, Mesh)] == [turned] * 3
    assert read_box(meshes[0]) == (TURNED if turned else PLAIN)
    diagnostics = Diagnostics()
    read_mesh(meshes[0], diagnostics)
    (finding,) = [entry for entry in diagnostics if entry.code == "mesh.up-axis"]
    assert ("rotated to Z up, as all such files" in finding.message) is (turned is True)


CHAIN = """<robot name="r">{links}
<joint name="ab" type="fixed"><parent link="a"/><child link="b"/><origin xyz="0 0 3"/></joint></robot>"""
SHAPES = """<link name="{name}"><visual><geometry><mesh filename="part.dae"/></geometry></visual>
<collision><geometry><mesh filename="part.dae"/></geometry></collision></link>"""


@pytest.mark.parametrize(("choice", "corners"), [("auto", PLAIN), ("z", PLAIN), ("stated", TURNED)])
def test_an_option_decides_the_up_axis_of_a_robot_and_of_what_is_written(
    tmp_path: Path, choice: UpAxis, corners: object
) -> None:
    (tmp_path / "part.dae").write_text(collada(asset="<up_axis>Y_UP</up_axis>"))
    path = tmp_path / "robot.urdf"
    path.write_text(CHAIN.format(links="".join(SHAPES.format(name=name) for name in "ab")))
    found = [loaders.load(path, up_axis=choice, quiet=True)]
    for export in (bridge.export_urdf, bridge.export_sdf):
        written = export(path, tmp_path / export.__name__, up_axis=choice, quiet=True).path
        found.append(loaders.load(written, quiet=True))
    for item in (item for scene_ in found for item in scene_.links):
        for shape in (*item.visuals, *item.collisions):
            assert read_box(shape.geometry) == corners


def test_an_up_axis_is_one_of_three() -> None:
    with pytest.raises(ValueError, match="up_axis"):
        loaders.load("robot.urdf", up_axis="y")  # type: ignore[typeddict-item]


def test_what_is_drawn_turns_with_what_collides(tmp_path: Path) -> None:
    shapes = []
    for name in ("collision", "visual"):
        path = tmp_path / f"{name}.dae"
        path.write_text(collada(asset="<up_axis>Y_UP</up_axis>"))
        shapes.append(Mesh(uri=path.name, path=str(path)))
    touched, seen = shapes
    at = {name: Pose.of(p=(0.0, -3.0 * i, 0.0)) for i, name in enumerate("abc")}
    links = [replace(body(seen, touched, name=name), X_WL=X_WL) for name, X_WL in at.items()]
    joints = [joint("ab", "a", "b"), joint("bc", "b", "c")]
    given = with_references(scene(links, joints))
    for item in turned_in(given, *models_to_turn(given)).links:
        assert read_box(item.collisions[0].geometry) == TURNED
        assert read_box(item.visuals[0].geometry) == TURNED


def test_two_links_may_decide_about_one_file(tmp_path: Path) -> None:
    mesh = visual(tmp_path, CAREFUL)
    links = [
        body(mesh, collision(tmp_path, corners, f"{name}.stl"), name=name)
        for name, corners in (("a", PLAIN), ("b", TURNED))
    ]
    shapes = [found.visuals[0].geometry for found in with_references(scene(links)).links]
    assert [read_box(shape) for shape in shapes] == [PLAIN, TURNED]
    assert bridge.to_mjspec(scene(links)).compile().nmesh == 4


def test_the_scales_of_both_meshes_count(tmp_path: Path) -> None:
    seen, touched = visual(tmp_path, CARELESS), collision(tmp_path, 1000.0 * np.array(TURNED))
    milli = Mesh(uri=touched.uri, path=touched.path, scale=(0.001, 0.001, 0.001))
    assert decided(body(seen, milli)) is True
    assert decided(body(seen, touched)) is None


@pytest.mark.parametrize(
    ("corners", "at", "axis"),
    [
        ((PLAIN[0], (9.0, 9.0, 9.0)), IDENTITY, "Y_UP"),
        (TURNED, Pose.of(p=(0.0, 0.0, 1.0)), "Y_UP"),
        (TURNED, IDENTITY, "Z_UP"),
        (0.5 * (np.array(PLAIN) + np.array(TURNED)), IDENTITY, "Y_UP"),
    ],
    ids=["another shape", "another pose", "z up", "between both"],
)
def test_without_a_clear_answer_the_exporter_decides(
    tmp_path: Path, corners: Array, at: Pose, axis: str
) -> None:
    assert (
        decided(body(visual(tmp_path, CAREFUL, axis), collision(tmp_path, corners), at=at)) is None
    )


def test_a_collision_mesh_that_cannot_be_read_decides_nothing(tmp_path: Path) -> None:
    broken = tmp_path / "broken.stl"
    broken.write_bytes(b"solid")
    assert (
        decided(body(visual(tmp_path, CAREFUL), Mesh(uri="broken.stl", path=str(broken)))) is None
    )


def test_a_changed_collision_mesh_changes_a_cached_conversion(tmp_path: Path) -> None:
    item = body(visual(tmp_path, CAREFUL), collision(tmp_path, PLAIN))
    heights = []
    for corners in (PLAIN, TURNED):
        collision(tmp_path, corners)
        model = bridge.to_mjspec(scene([item])).compile()
        drawn = next(geom for geom in range(model.ngeom) if not model.geom_contype[geom])
        heights.append(model.geom_pos[drawn][2])
    np.testing.assert_allclose(heights, (1.5, 1.0), atol=1e-6)


def test_a_scaled_mechanism_decides_alike(tmp_path: Path) -> None:
    item = body(visual(tmp_path, CAREFUL), collision(tmp_path, TURNED))
    shape = scaled(bridge.lower(scene([item])), 10.0).bodies[0].link.visuals[0].geometry
    assert read_box(shape) == ((0.0, -30.0, 0.0), (10.0, 0.0, 20.0))


# COLLADA files: units, axes, nodes and materials.

INCH = 0.0254


SINGLE = 1e-6
"""pycollada turns nodes in single precision."""


def test_inches_and_y_up_become_meters_and_z_up(read) -> None:
    """x stays, y points up and becomes z, z points at the viewer and becomes -y."""
    data = read(collada(asset="<unit name='inch' meter='0.0254'/><up_axis>Y_UP</up_axis>"))
    assert_box(data, (0.0, -3 * INCH, 0.0), (1 * INCH, 0.0, 2 * INCH))
    corner = data.vertices[
        np.argmin(np.linalg.norm(data.vertices - (INCH, -3 * INCH, 2 * INCH), axis=1))
    ]
    np.testing.assert_allclose(corner, (INCH, -3 * INCH, 2 * INCH), atol=1e-15)
    assert read.codes == ["mesh.up-axis"]


def test_x_up_is_turned(read) -> None:
    """COLLADA: for X_UP right is -y, up is x, towards the viewer is z; ours are x, z and -y."""
    data = read(collada(asset="<unit meter='1'/><up_axis>X_UP</up_axis>"))
    assert_box(data, (-2.0, -3.0, 0.0), (0.0, 0.0, 1.0))


def test_z_up_stays(read) -> None:
    assert_box(
        read(collada(asset="<unit meter='0.001'/><up_axis>Z_UP</up_axis>")),
        (0, 0, 0),
        (0.001, 0.002, 0.003),
    )
    assert read.codes == []


def test_y_up_without_a_unit_is_not_believed(read) -> None:
    """As in Gazebo, RViz and PyBullet, for which such files were made."""
    assert_box(read(collada(asset="<up_axis>Y_UP</up_axis>")), (0, 0, 0), (1, 2, 3))
    assert read.codes == ["mesh.up-axis"]


@pytest.mark.parametrize(
    ("exporter", "turned"),
    [
        ("OpenCOLLADA2010; ColladaMax", False),
        ("Assimp Exporter", False),
        ("VCGLib | MeshLab", False),
        ("CINEMA4D 21.115 COLLADA Exporter", True),
        ("Maya 8.0 | ColladaMaya v3.02", True),
    ],
)
def test_the_exporter_decides_whether_y_is_up(read, exporter: str, turned: bool) -> None:
    """Against the collision mesh of the same link: PR2 (OpenCOLLADA) has z up, unitree's h2 (Cinema
    4D) y.
    """
    tool = f"<contributor><authoring_tool>{exporter}</authoring_tool></contributor>"
    data = read(collada(asset=f"{tool}<unit meter='1'/><up_axis>Y_UP</up_axis>"))
    assert_box(data, *(((0, -3, 0), (1, 0, 2)) if turned else ((0, 0, 0), (1, 2, 3))))
    assert read.codes == ["mesh.up-axis"]


def test_real_meshes_that_declare_y_up_without_a_unit_have_z_up(pybullet_robots: Path) -> None:
    """The chassis of a car is long in x, and flat in z."""
    data = read_mesh(
        Mesh(uri="", path=str(pybullet_robots / "racecar/meshes/chassis.dae")), Diagnostics()
    )
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
    node = (
        "<node><matrix>-1 0 0 0  0 1 0 0  0 0 1 0  0 0 0 1</matrix><instance_geometry "
        "url='#box-mesh'/></node>"
    )
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
    indices = [
        " ".join(str(i) for face in BOX_FACES[start : start + 6] for i in face) for start in (0, 6)
    ]
    sets = [
        f"<triangles count='6' material='m{i + 1}'>{vertex}<p>{p}</p></triangles>"
        for i, p in enumerate(indices)
    ]
    return "".join((*sets, f"<lines count='1'>{vertex}<p>0 7</p></lines>"))


def test_materials_split_a_geometry_into_parts_and_lines_are_no_part(read) -> None:
    effects = EFFECT.format("red", "1 0 0 1") + EFFECT.format("blue", "0 0 1 0.5")
    data = read(
        collada(triangles=halves(), library=RED_AND_BLUE.format(effects, "blue"), nodes=BOUND)
    )
    assert [part.color for part in data.parts] == [(1.0, 0.0, 0.0, 1.0), (0.0, 0.0, 1.0, 0.5)]
    assert [len(part.faces) for part in data.parts] == [6, 6]
    assert_box(data, (0, 0, 0), (1, 2, 3))


def test_geometry_whose_material_is_broken_is_kept(read) -> None:
    effects = EFFECT.format("red", "1 0 0 1")
    data = read(
        collada(triangles=halves(), library=RED_AND_BLUE.format(effects, "missing"), nodes=BOUND)
    )
    assert_box(data, (0, 0, 0), (1, 2, 3))
    assert "mesh.incomplete" in read.codes


def test_a_submesh_is_chosen_by_any_of_its_names_and_centered(read) -> None:
    for name in ("inner", "box", "box-mesh", "outer"):
        assert_box(read(collada(nodes=NESTED), submesh=name), (6, 1, 0), (10, 3, 6), SINGLE)
        assert_box(
            read(collada(nodes=NESTED), submesh=name, center=True), (-2, -1, -3), (2, 1, 3), SINGLE
        )
    assert read(collada(nodes=NESTED), submesh="door") is None
    assert "inner" in read.messages[0]


EMPTY = '<triangles count="0"><input semantic="VERTEX" source="#v" offset="0"/><p></p></triangles>'


@pytest.mark.parametrize(
    "empty", [EMPTY, '<polylist count="0"/>', "<triangles material='m' count='0' ><p/></triangles>"]
)
def test_primitives_without_elements_are_no_obstacle(read, empty: str) -> None:
    data = read(collada().replace("</mesh>", f"{empty}</mesh>"))
    assert_box(data, (0.0, 0.0, 0.0), (1.0, 2.0, 3.0))
    assert read.codes == []


def test_an_invalid_identifier_is_repaired_as_assimp_reads_it(read) -> None:
    text = collada()
    broken = text.replace("<geometry ", '<geometry name="<STL_BINARY>" ', 1)
    assert broken != text
    assert_box(read(broken), (0.0, 0.0, 0.0), (1.0, 2.0, 3.0))
    assert read.codes == ["mesh.mended"]
