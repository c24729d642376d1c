"""Mesh assets keep the shape, pose and appearance of the meshes from which they are made."""

import math

import mujoco
import numpy as np
import pytest
import trimesh
from PIL import Image

import loaders
from bridge.geometry.mesh import Appearance, shape_asset
from bridge.targets.mjcf import export_mjcf, to_mjcf
from loaders.diagnostics import Diagnostics, Fate, without_repeats
from loaders.inertia import SpatialInertia
from loaders.model import Collision, Cone, Link, Material, Mesh, Model, Polyline, Visual
from loaders.pose import IDENTITY, Pose
from loaders.scene import Scene
from tests.support.mesh_assets import HERE, codes, made, read_back, written
from tests.support.mujoco_oracle import compiled


@pytest.mark.parametrize("scale", [(2.0, 3.0, 4.0), (-1.0, 1.0, 1.0), (1.0, -2.0, -1.0)])
def test_the_scale_is_applied_and_a_mirrored_mesh_keeps_its_outside_outside(tmp_path, scale):
    box = trimesh.creation.box((0.1, 0.2, 0.3))
    box.apply_translation((1.0, 0.0, 0.0))
    path = written(tmp_path, box).path
    ((asset,), _) = made(Mesh(uri="part.obj", path=path, scale=scale), collides=True)
    found = read_back(asset)
    assert found.volume == pytest.approx(0.006 * abs(math.prod(scale)), rel=1e-6)
    assert np.allclose(found.centroid, (scale[0], 0.0, 0.0), atol=1e-6)


def test_what_is_seen_keeps_its_parts_and_their_colors(tmp_path):
    scene = trimesh.Scene()
    for name, color, x in (("red", (255, 0, 0, 255), 0.0), ("blue", (0, 0, 255, 255), 1.0)):
        ball = trimesh.creation.icosphere(subdivisions=1)
        ball.apply_translation((x, 0, 0))
        ball.visual = trimesh.visual.TextureVisuals(
            material=trimesh.visual.material.PBRMaterial(baseColorFactor=color)
        )
        scene.add_geometry(ball, node_name=name, geom_name=name)
    mesh = written(tmp_path, scene, "two.glb")
    seen, _ = made(mesh)
    assert [asset.name for asset in seen] == ["two_0", "two_1"]
    assert sorted(asset.rgba for asset in seen) == [(0.0, 0.0, 1.0, 1.0), (1.0, 0.0, 0.0, 1.0)]
    solids, _ = made(mesh, collides=True)
    assert [asset.name for asset in solids] == ["two_convex_0", "two_convex_1"]
    assert [asset.rgba for asset in solids] == [None, None]
    touched = sum(len(read_back(asset).vertices) for asset in solids)
    assert touched == sum(len(read_back(asset).vertices) for asset in seen)


@pytest.mark.parametrize(
    ("texture", "appearance", "parts"),
    [
        ("map_Kd skin.png", Appearance.ALL, 2),
        ("map_Kd skin.png", Appearance.TEXTURES, 2),
        ("map_Kd skin.png", Appearance.NONE, 1),
        ("", Appearance.ALL, 2),
        ("", Appearance.TEXTURES, 1),
    ],
)
def test_a_mesh_has_one_part_for_each_material_that_matters(tmp_path, texture, appearance, parts):
    (tmp_path / "m.mtl").write_text(f"newmtl skin\nKd 1 1 1\n{texture}\nnewmtl plain\nKd 0 1 0\n")
    text = (
        "mtllib m.mtl\nv 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nvt 0 0\nusemtl skin\nf 1/1 3/1 "
        "2/1\nf 1/1 2/1 4/1\n"
    )
    (tmp_path / "m.obj").write_text(f"{text}usemtl plain\nf 1/1 4/1 3/1\nf 2/1 3/1 4/1\n")
    Image.new("RGB", (2, 2)).save(tmp_path / "skin.png")
    assets, _ = made(Mesh(uri="m.obj", path=str(tmp_path / "m.obj")), appearance=appearance)
    assert len(assets) == parts
    looks = {(asset.texture is not None, asset.rgba is not None) for asset in assets}
    assert (looks == {(False, False)}) is (parts == 1)


def test_parts_that_look_alike_are_one(tmp_path):
    scene = trimesh.Scene()
    for i, color in enumerate(((255, 0, 0, 255), (0, 0, 255, 255), (255, 0, 0, 255))):
        ball = trimesh.creation.icosphere(subdivisions=1).apply_translation((3 * i, 0, 0))
        look = trimesh.visual.material.PBRMaterial(baseColorFactor=color)
        ball.visual = trimesh.visual.TextureVisuals(material=look)
        scene.add_geometry(ball, node_name=f"n{i}", geom_name=f"g{i}")
    red, blue = made(written(tmp_path, scene, "three.glb"))[0]
    assert (red.rgba, blue.rgba) == ((1.0, 0.0, 0.0, 1.0), (0.0, 0.0, 1.0, 1.0))
    assert read_back(red).volume == pytest.approx(2.0 * read_back(blue).volume)
    assert np.ptp(read_back(red).vertices, axis=0).max() == pytest.approx(8.0, rel=0.05)


def test_a_mesh_of_one_stated_color_is_one_asset_with_its_collision(tmp_path):
    mesh = written(tmp_path, trimesh.creation.box((1, 1, 1)), "part.glb")
    red = Material(name="red", diffuse=(1.0, 0.0, 0.0, 1.0))
    mjcf = to_mjcf(
        scene_of(
            visuals=(Visual(name="v", X_LG=IDENTITY, geometry=mesh, material=red),),
            collisions=(Collision(name="c", X_LG=IDENTITY, geometry=mesh),),
        )
    )
    assert list(mjcf.assets) == ["part.obj"]
    assert compiled(mjcf).nmesh == 1


def flat_square():
    return trimesh.Trimesh(
        [(0, 0, 0), (1, 0, 0), (1, 1, 0), (0, 1, 0)], [(0, 1, 2), (0, 2, 3)], process=False
    )


@pytest.mark.parametrize("corners", [3, 4])
def test_mujoco_shows_a_flat_mesh_and_a_single_triangle(tmp_path, corners):
    flat = flat_square()
    mesh = trimesh.Trimesh(flat.vertices[:corners], flat.faces[: corners - 2], process=False)
    shape = Visual(name="v", X_LG=IDENTITY, geometry=written(tmp_path, mesh))
    assert compiled(to_mjcf(scene_of(visuals=(shape,)))).nmesh == 1


def test_a_missing_mesh_is_left_out_and_reported():
    found, diagnostics = made(Mesh(uri="model://gone/part.dae", path=None))
    assert found == ()
    (entry,) = diagnostics
    assert (entry.code, entry.fate, entry.where, entry.target) == (
        "mesh.missing",
        Fate.DROPPED,
        HERE,
        "mjcf",
    )


def test_a_mesh_that_is_missing_on_reading_is_reported_once_with_a_remedy(tmp_path):
    file = tmp_path / "m.sdf"
    mesh = "<geometry>\n<mesh>\n<uri>nope.obj</uri></mesh></geometry>"
    file.write_text(
        f"<sdf version='1.9'><model name='m'><link name='l'>\n<collision "
        f"name='s'>{mesh}</collision>\n"
        f"<visual name='v'>{mesh}</visual></link></model></sdf>"
    )
    export = export_mjcf(file, tmp_path / "out")
    assert [entry.code for entry in export.diagnostics] == ["mesh.missing"] * 2
    told = without_repeats((*loaders.load(file).diagnostics, *export.diagnostics))
    assert [(entry.code, entry.where.line, bool(entry.hint)) for entry in told] == [
        ("resource.not-found", 3, True),
        ("resource.not-found", 6, True),
    ]
    words = (tmp_path / "out" / "FIDELITY.md").read_text()
    assert "resource.not-found" in words
    assert "mesh.missing" not in words
    with pytest.raises(loaders.LoadError):
        loaders.load(file, strict=True)


def solid(vertices, faces):
    mesh = trimesh.Trimesh(vertices, faces, process=False)
    assert mesh.is_watertight
    return mesh


def test_replaced_shapes_say_so():
    diagnostics = Diagnostics()
    shape_asset(Cone(radius=1, length=1), "mjcf", diagnostics, where=HERE)
    shape_asset(Polyline(outlines=(((0, 0), (1, 0), (0, 1)),)), "mjcf", diagnostics, where=HERE)
    assert codes(diagnostics) == ["mesh.cone", "mesh.polyline"]


def scene_of(**parts):
    link = Link(
        name="a", model="m", X_WL=IDENTITY, inertia=SpatialInertia.of(1.0, I_Lcm=np.eye(3)), **parts
    )
    model = Model(name="m", X_WM=IDENTITY, canonical_link="a", static=True)
    return Scene(name="m", models=(model,), links=(link,))


def test_a_mesh_stands_in_mujoco_where_the_model_has_it(tmp_path):
    box = trimesh.creation.box((0.1, 0.2, 0.3))
    box.apply_translation((0.5, 0.0, 0.0))
    X_LG = Pose.from_xyz_rpy((1, 2, 3), (0.1, 0.2, 0.3))
    shape = Collision(name="c", X_LG=X_LG, geometry=written(tmp_path, box))
    model = compiled(to_mjcf(scene_of(collisions=(shape,))))
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    points = model.mesh_vert @ data.geom("c").xmat.reshape(3, 3).T + data.geom("c").xpos
    expected = box.vertices @ X_LG.R.T + X_LG.p
    assert np.allclose(
        sorted(map(tuple, points.round(5))), sorted(map(tuple, expected.round(5))), atol=2e-5
    )


def test_equal_meshes_are_one_asset_and_different_files_of_one_name_are_two(tmp_path):
    (tmp_path / "x").mkdir()
    (tmp_path / "y").mkdir()
    one, same = (
        written(tmp_path, trimesh.creation.box((1, 1, 1)), f"{d}/part.obj") for d in ("x", "y")
    )
    other = written(tmp_path, trimesh.creation.icosphere(), "part.stl")
    shapes = (one, same, other, one)
    visuals = tuple(
        Visual(name=f"v{i}", X_LG=IDENTITY, geometry=shape) for i, shape in enumerate(shapes)
    )
    mjcf = to_mjcf(scene_of(visuals=visuals))
    assert sorted(mjcf.assets) == ["part.obj", "part_2.obj"]
    model = compiled(mjcf)
    assert [int(model.geom(f"v{i}").dataid[0]) for i in range(4)] == [0, 0, 1, 0]


def in_geometry(model, geom):
    """The vertices of a geom's mesh as the source has them: MuJoCo moves them to the center and the
    principal axes.
    """
    mesh = int(model.geom(geom).dataid[0])
    first, number = model.mesh_vertadr[mesh], model.mesh_vertnum[mesh]
    R = np.zeros(9)
    mujoco.mju_quat2Mat(R, model.mesh_quat[mesh])
    return model.mesh_vert[first : first + number] @ R.reshape(3, 3).T + model.mesh_pos[mesh]


def test_a_mesh_in_several_sizes_is_one_file(tmp_path):
    path = written(
        tmp_path, trimesh.creation.box((1, 2, 3)).apply_translation((1.0, 2.0, 3.0)), "leg.obj"
    ).path
    scales = ((1.0, 1.0, 1.0), (1.0, -1.0, 1.0), (0.5, 0.1, 2.0))
    visuals = [
        Visual(name=f"v{i}", X_LG=IDENTITY, geometry=Mesh(uri="leg.obj", path=path, scale=scale))
        for i, scale in enumerate(scales)
    ]
    mjcf = to_mjcf(scene_of(visuals=tuple(visuals)))
    assert list(mjcf.assets) == ["leg.obj"]
    assert '<mesh name="leg_2" class="m" file="leg.obj" scale="1 -1 1"/>' in mjcf
    model = compiled(mjcf)
    corners = trimesh.load(path, process=False).vertices
    for i, scale in enumerate(scales):
        found, expected = in_geometry(model, f"v{i}"), corners * scale
        assert np.allclose(found.min(axis=0), expected.min(axis=0), atol=1e-6)
        assert np.allclose(found.max(axis=0), expected.max(axis=0), atol=1e-6)


def test_files_do_not_differ_by_capital_letters_alone(tmp_path):
    one = written(tmp_path, trimesh.creation.box((1, 1, 1)), "Part.obj")
    other = written(tmp_path, trimesh.creation.icosphere(), "part.stl")
    visuals = tuple(
        Visual(name=f"v{i}", X_LG=IDENTITY, geometry=shape) for i, shape in enumerate((one, other))
    )
    assert sorted(to_mjcf(scene_of(visuals=visuals)).assets) == ["Part.obj", "part_2.obj"]
