"""Chosen collision shapes, in the running simulators and in files of all targets."""

import dataclasses
import io

import numpy as np
import pytest
import trimesh
from PIL import Image

import bridge
import loaders
from bridge.cli import main
from loaders.diagnostics import Fate
from loaders.model import Box, Mesh

pytest.importorskip("mujoco")
import mujoco

SIZE = (0.2, 0.4, 0.6)
URDF = """<robot name="r">
  <link name="base_link"><inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0"
    ixz="0" iyz="0"/></inertial></link>
  <joint name="j" type="revolute"><parent link="base_link"/><child link="finger_1"/>
    <axis xyz="0 1 0"/><limit lower="-1" upper="1" effort="1" velocity="1"/></joint>
  <joint name="k" type="revolute"><parent link="base_link"/><child link="finger_2"/>
    <origin xyz="3 0 0"/>
    <axis xyz="0 1 0"/><limit lower="-1" upper="1" effort="1" velocity="1"/></joint>
  {links}
</robot>"""
LINK = """<link name="{name}"><inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0"
    ixz="0" iyz="0"/></inertial>
    <collision><origin xyz="0.1 0.2 0.3" rpy="0 0 0.5"/><geometry><mesh filename="{mesh}"/>
    </geometry></collision></link>"""


def l_shape():
    outline = np.array([(0, 0), (3, 0), (3, 1), (1, 1), (1, 3), (0, 3)], dtype=float)
    triangles = np.array([(0, 1, 2), (0, 2, 3), (0, 3, 4), (0, 4, 5)])
    return trimesh.creation.extrude_triangulation(0.1 * outline, triangles, 0.1)


def legs():
    """Return a mesh of two boxes that do not touch."""
    boxes = [trimesh.creation.box((0.1, 0.1, 0.1)).apply_translation((x, 0, 0)) for x in (0, 0.3)]
    return trimesh.util.concatenate(boxes)


@pytest.fixture
def robot(tmp_path, monkeypatch):
    """Return a robot with a mesh of a box on one finger, and of an L on the other."""
    monkeypatch.setenv("SDFBRIDGE_CACHE", str(tmp_path / "cache"))
    return robot_of(tmp_path, trimesh.creation.box(SIZE), l_shape())


def robot_of(folder, first, second):
    first.export(folder / "first.stl")
    second.export(folder / "second.stl")
    links = LINK.format(name="finger_1", mesh="first.stl")
    links += LINK.format(name="finger_2", mesh="second.stl")
    (folder / "r.urdf").write_text(URDF.format(links=links))
    return str(folder / "r.urdf")


def geoms(path, **options):
    """Return the type, size, position and rotation of the geoms of each body in MuJoCo."""
    model = bridge.to_mjspec(path, quiet=True, **options).compile()
    found = {}
    for i in range(model.ngeom):
        body = model.body(model.geom_bodyid[i]).name
        kind = mujoco.mjtGeom(model.geom_type[i]).name.removeprefix("mjGEOM_").lower()
        found.setdefault(body, []).append((kind, model.geom_size[i], model.geom_pos[i]))
    return found


def test_mujoco_gets_the_fitted_box(robot):
    ((kind, size, position),) = geoms(robot, shapes={"finger*": "box"})["finger_1"]
    assert kind == "box"
    assert sorted(2.0 * size) == pytest.approx(sorted(SIZE), abs=1e-6)
    assert position == pytest.approx((0.1, 0.2, 0.3), abs=1e-6)


@pytest.mark.parametrize(
    ("shape", "size"),
    [
        ("sphere", (np.sqrt(0.14), 0.0)),
        ("cylinder", (np.sqrt(0.13), 0.1)),
    ],
)
def test_mujoco_gets_the_fitted_round_shapes(robot, shape, size):
    ((kind, found, _),) = geoms(robot, shapes={"finger_1": shape})["finger_1"]
    assert kind == shape
    assert found[:2] == pytest.approx(size, abs=1e-6)


def test_the_last_pattern_that_matches_counts(robot):
    found = geoms(robot, shapes={"finger_1": "sphere", "*": "none", "finger_2": "box"})
    assert "finger_1" not in found
    assert [kind for kind, *_ in found["finger_2"]] == ["box"]


def test_a_word_is_the_shape_of_all_links(robot):
    found = geoms(robot, shapes="capsule")
    assert [kind for kind, *_ in found["finger_1"] + found["finger_2"]] == ["capsule"] * 2


def test_the_shape_of_a_link_counts_more_than_that_of_all_meshes(robot):
    found = geoms(robot, collision_meshes="hull", shapes={"finger_1": "sphere"})
    assert [kind for kind, *_ in found["finger_1"] + found["finger_2"]] == ["sphere", "mesh"]


def test_separate_parts_are_a_geom_each(tmp_path, monkeypatch):
    monkeypatch.setenv("SDFBRIDGE_CACHE", str(tmp_path / "cache"))
    path = robot_of(tmp_path, legs(), l_shape())
    assert len(geoms(path, shapes={"finger_1": "parts"})["finger_1"]) == 2
    assert len(geoms(path, shapes={"finger_1": "hull"})["finger_1"]) == 1


def test_pybullet_gets_the_same_shapes(robot, bullet_client):
    pybullet = pytest.importorskip("pybullet")
    shapes = {"finger_1": "box", "finger_2": "capsule"}
    body = bridge.load_into_pybullet(
        robot, physicsClientId=bullet_client, quiet=True, shapes=shapes
    )
    expected = geoms(robot, shapes=shapes)
    for name in shapes:
        link = body.links[name]
        (data,) = pybullet.getCollisionShapeData(body, link, physicsClientId=bullet_client)
        ((kind, size, _),) = expected[name]
        if kind == "box":
            assert data[2] == pybullet.GEOM_BOX
            assert data[3] == pytest.approx(tuple(2.0 * size), abs=1e-6)
        else:
            assert data[2] == pybullet.GEOM_CAPSULE
            assert data[3][:2] == pytest.approx((2.0 * size[1], size[0]), abs=1e-6)


@pytest.mark.parametrize("write", [bridge.export_sdf, bridge.export_urdf, bridge.export_mjcf])
@pytest.mark.parametrize("shape", ["box", "hull", "none"])
def test_every_format_has_the_same_shapes(robot, tmp_path, write, shape):
    done = write(robot, tmp_path / "out", quiet=True, shapes={"finger_2": shape})
    scene = loaders.load(str(done.path), quiet=True)
    (link,) = [link for link in scene.links if link.name == "finger_2"]
    if shape == "none":
        assert not link.collisions
        return
    (collision,) = link.collisions
    if shape == "box":
        assert isinstance(collision.geometry, Box)
        assert sorted(collision.geometry.size) == pytest.approx([0.1, 0.3, 0.3], abs=1e-6)
    else:
        assert isinstance(collision.geometry, Mesh)
        assert len(trimesh.load(collision.geometry.path).vertices) == 10


def test_directives_have_the_shapes(robot, tmp_path):
    done = bridge.export_directives(robot, tmp_path / "out", quiet=True, shapes={"finger_2": "box"})
    scene = loaders.load(str(done.path), quiet=True)
    shapes = {link.name.rpartition("::")[2]: link.collisions for link in scene.links}
    assert isinstance(shapes["finger_2"][0].geometry, Box)
    assert isinstance(shapes["finger_1"][0].geometry, Mesh)


def test_each_robot_of_an_assembly_in_urdf_has_its_shapes(robot, tmp_path):
    scene = loaders.load(robot, quiet=True)
    apart = dataclasses.replace(scene, joints=())
    done = bridge.export_urdf(apart, tmp_path / "out", quiet=True, shapes={"finger_2": "box"})
    found = loaders.load(str(done.path), quiet=True)
    kinds = {
        link.name.rpartition("::")[2]: type(link.collisions[0].geometry)
        for link in found.links
        if link.collisions
    }
    assert kinds == {"finger_1": Mesh, "finger_2": Box}


# --- certificates ---------------------------------------------------------------------------------


def test_an_export_has_certificates_in_the_frames_of_links(robot):
    found = bridge.to_mjcf(robot, quiet=True, shapes={"finger*": "hull"})
    first, second = bridge.shape_certificates(found.diagnostics)
    assert (first.link, first.outward, first.inward) == ("finger_1", 0.0, 0.0)
    assert first.volume_ratio == pytest.approx(1.0, abs=1e-5)
    assert (second.link, second.shape, second.parts) == ("finger_2", "hull", 1)
    assert second.outward == pytest.approx(0.1, abs=1e-6)
    turn = trimesh.transformations.rotation_matrix(0.5, (0, 0, 1))[:3, :3]
    x, y, _ = turn @ (0.2, 0.2, 0.0) + (0.1, 0.2, 0.0)
    assert second.p_LOutward[:2] == pytest.approx((x, y), abs=1e-5)


def test_certificates_of_all_targets_are_equal_and_are_kept(robot):
    choice = {"finger*": "cylinder"}
    first = bridge.to_mjcf(robot, quiet=True, shapes=choice)
    for text in (
        bridge.to_mjcf(robot, quiet=True, shapes=choice),
        bridge.to_sdf(robot, quiet=True, shapes=choice),
        bridge.to_urdf(robot, quiet=True, shapes=choice),
    ):
        assert bridge.shape_certificates(text.diagnostics) == bridge.shape_certificates(
            first.diagnostics
        )


def test_the_report_has_a_table_of_the_certificates(robot, tmp_path):
    bridge.export_mjcf(robot, tmp_path / "out", quiet=True, shapes={"finger*": "hull"})
    text = (tmp_path / "out" / "FIDELITY.md").read_text()
    rows = [line for line in text.splitlines() if line.startswith("| `finger")]
    assert len(rows) == 2
    assert "| hull | 1 | 10 | 0.1 to " in rows[1]


def test_the_closest_box_balances_both_distances(robot):
    contained = bridge.to_mjcf(robot, quiet=True, shapes={"finger_2": "box"})
    closest = bridge.to_mjcf(robot, quiet=True, shapes={"finger_2": "box"}, fit="closest")
    (first,), (second,) = (bridge.shape_certificates(t.diagnostics) for t in (contained, closest))
    assert first.inward == 0.0
    assert second.inward > 0.0
    assert max(second.inward, second.outward) < first.outward


def test_shapes_that_are_asked_for_are_no_loss(robot):
    found = bridge.to_mjcf(robot, quiet=True, shapes="box")
    fates = {entry.fate for entry in found.diagnostics if entry.code.startswith("mesh.")}
    assert fates == {Fate.REPAIRED}


# --- refusals -------------------------------------------------------------------------------------


def test_a_pattern_that_matches_nothing_is_an_error_with_advice(robot):
    with pytest.raises(ValueError, match="no link matches 'fingr_1' of shapes; did you mean 'fing"):
        bridge.to_mjcf(robot, quiet=True, shapes={"fingr_1": "box"})


def test_an_unknown_shape_is_an_error(robot):
    with pytest.raises(ValueError, match="unknown value 'blob' of shapes; expected one of: mesh"):
        bridge.to_mjcf(robot, quiet=True, shapes={"*": "blob"})
    with pytest.raises(TypeError, match="expected a shape, or a mapping"):
        bridge.to_mjcf(robot, quiet=True, shapes=3)


def test_the_command_takes_shapes_repeatedly(robot, tmp_path):
    words = ["convert", robot, "-o", str(tmp_path / "out"), "--shape", "finger*=sphere"]
    assert main([*words, "--shape", "finger_1=box"]) == 0
    text = (tmp_path / "out" / "r.xml").read_text()
    assert text.count('type="box"') == 1
    assert "mesh=" not in text
    assert "shapes={" in (tmp_path / "out" / "README.md").read_text()


def test_the_command_refuses_an_unknown_shape(robot, tmp_path, capsys):
    words = ["convert", robot, "-o", str(tmp_path / "out"), "--shape", "finger_1=blob"]
    assert main(words) == 2
    assert "expected LINKS=SHAPE, with one of: mesh, hull" in capsys.readouterr().err


# --- pictures -------------------------------------------------------------------------------------


def test_a_picture_shows_the_mesh_and_around_it_the_shape(robot):
    scene = loaders.load(robot, quiet=True)
    png = bridge.shapes_picture(scene, {"finger_2": "box"}, link="finger_2")
    pixels = np.array(Image.open(io.BytesIO(png)), dtype=int)
    drawn = pixels[pixels[..., 3] == 255]
    is_blue = drawn[:, 2] > 1.5 * drawn[:, 0]
    # beside the L is the part of the box that the L does not fill
    assert 0.05 < is_blue.mean() < 0.95
    assert (~is_blue).sum() > 1000


def test_a_picture_of_a_robot_without_meshes_is_none(tmp_path):
    scene = loaders.load_string('<robot name="r"><link name="a"/></robot>', format="urdf")
    assert bridge.shapes_picture(scene, "box") is None
