"""Assets keep the shape, the place and the looks of what they are made from."""

import io
import math

import mujoco
import numpy as np
import pytest
import trimesh

import loaders
from bridge.geometry.file_cache import cache_folder, stored
from bridge.geometry.mesh_assets import mesh_asset, shape_asset
from bridge.geometry.mesh_properties import is_convex
from bridge.geometry.tessellation import cone, prisms
from bridge.geometry.textures import png_texture
from bridge.mjcf import export_mjcf, to_mjcf
from loaders.diagnostics import Diagnostics, Fate, Where, without_repeats
from loaders.model import Collision, Cone, Heightmap, Link, Material, Mesh, Model, Polyline, Visual
from loaders.scene import Scene
from loaders.spatial import IDENTITY, Pose, SpatialInertia
from tests.support.mujoco_oracle import compiled

HERE = Where("robot.sdf", 3)


def written(tmp_path, mesh, name="part.obj"):
    path = tmp_path / name
    mesh.export(path)
    return Mesh(uri=name, path=str(path))


def read_back(asset):
    """The asset as trimesh reads it: an independent reader of OBJ."""
    return trimesh.load(io.BytesIO(asset.data), file_type="obj", force="mesh", process=False)


def codes(diagnostics):
    return [entry.code for entry in diagnostics]


def made(mesh, **options):
    diagnostics = Diagnostics()
    return mesh_asset(mesh, "mjcf", diagnostics, where=HERE, **options), diagnostics


@pytest.mark.filterwarnings("ignore:the matrix subclass")  # of pycollada's
@pytest.mark.parametrize("suffix", ["obj", "stl", "ply", "glb", "dae"])
def test_every_format_becomes_one_obj_of_the_same_volume(tmp_path, suffix):
    mesh = written(tmp_path, trimesh.creation.icosphere(radius=0.3), f"ball.{suffix}")
    ((asset,), diagnostics) = made(mesh, collides=True)
    assert asset.name == "ball"
    assert read_back(asset).volume == pytest.approx(trimesh.creation.icosphere(radius=0.3).volume, rel=1e-5)
    assert "mesh.convex-hull" not in codes(diagnostics)


@pytest.mark.parametrize("scale", [(2.0, 3.0, 4.0), (-1.0, 1.0, 1.0), (1.0, -2.0, -1.0)])
def test_the_scale_is_applied_and_a_mirrored_mesh_keeps_its_outside_outside(tmp_path, scale):
    box = trimesh.creation.box((0.1, 0.2, 0.3))
    box.apply_translation((1.0, 0.0, 0.0))
    path = written(tmp_path, box).path
    ((asset,), _) = made(Mesh(uri="part.obj", path=path, scale=scale), collides=True)
    found = read_back(asset)
    assert found.volume == pytest.approx(0.006 * abs(math.prod(scale)), rel=1e-6)
    assert np.allclose(found.centroid, (scale[0], 0.0, 0.0), atol=1e-6)


def test_what_is_seen_keeps_its_parts_and_their_colours(tmp_path):
    scene = trimesh.Scene()
    for name, colour, x in (("red", (255, 0, 0, 255), 0.0), ("blue", (0, 0, 255, 255), 1.0)):
        ball = trimesh.creation.icosphere(subdivisions=1)
        ball.apply_translation((x, 0, 0))
        ball.visual = trimesh.visual.TextureVisuals(
            material=trimesh.visual.material.PBRMaterial(baseColorFactor=colour)
        )
        scene.add_geometry(ball, node_name=name, geom_name=name)
    mesh = written(tmp_path, scene, "two.glb")
    seen, _ = made(mesh)
    assert [asset.name for asset in seen] == ["two_0", "two_1"]
    assert sorted(asset.rgba for asset in seen) == [(0.0, 0.0, 1.0, 1.0), (1.0, 0.0, 0.0, 1.0)]
    ((solid,), _) = made(mesh, collides=True)
    assert len(read_back(solid).vertices) == sum(len(read_back(asset).vertices) for asset in seen)


def test_parts_that_look_alike_are_one(tmp_path):
    scene = trimesh.Scene()
    for i, colour in enumerate(((255, 0, 0, 255), (0, 0, 255, 255), (255, 0, 0, 255))):
        ball = trimesh.creation.icosphere(subdivisions=1).apply_translation((3 * i, 0, 0))
        look = trimesh.visual.material.PBRMaterial(baseColorFactor=colour)
        ball.visual = trimesh.visual.TextureVisuals(material=look)
        scene.add_geometry(ball, node_name=f"n{i}", geom_name=f"g{i}")
    red, blue = made(written(tmp_path, scene, "three.glb"))[0]
    assert (red.rgba, blue.rgba) == ((1.0, 0.0, 0.0, 1.0), (0.0, 0.0, 1.0, 1.0))
    assert read_back(red).volume == pytest.approx(2.0 * read_back(blue).volume)
    assert np.ptp(read_back(red).vertices, axis=0).max() == pytest.approx(8.0, rel=0.05)


def test_a_mesh_of_one_stated_colour_is_one_asset_with_its_collision(tmp_path):
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


def test_a_mesh_that_is_not_convex_is_reported_and_a_convex_one_is_not(tmp_path):
    torus = written(tmp_path, trimesh.creation.torus(1.0, 0.3))
    assert codes(made(torus, collides=True)[1]) == ["mesh.convex-hull"]
    assert codes(made(torus)[1]) == []


@pytest.mark.parametrize(
    ("mesh", "expected"),
    [
        (trimesh.creation.box((1, 2, 3)), True),
        (trimesh.creation.icosphere(subdivisions=4), True),
        (trimesh.creation.cylinder(radius=1.0, height=2.0), True),
        (trimesh.creation.torus(1.0, 0.3), False),
        (trimesh.creation.annulus(0.5, 1.0, 1.0), False),
    ],
)
def test_convexity_is_that_of_the_surface(mesh, expected):
    assert is_convex(mesh.vertices, mesh.faces) is expected


def flat_square():
    return trimesh.Trimesh([(0, 0, 0), (1, 0, 0), (1, 1, 0), (0, 1, 0)], [(0, 1, 2), (0, 2, 3)], process=False)


def test_a_flat_mesh_gets_a_thickness_to_collide_and_mujoco_takes_it(tmp_path):
    mesh = written(tmp_path, flat_square())
    ((asset,), diagnostics) = made(mesh, collides=True)
    assert np.allclose(np.ptp(read_back(asset).vertices, axis=0), (1.0, 1.0, 1e-3))
    assert codes(diagnostics) == ["mesh.flat"]
    shape = Collision(name="c", X_LG=IDENTITY, geometry=mesh)
    assert compiled(to_mjcf(scene_of(collisions=(shape,)))).nmesh == 1


@pytest.mark.parametrize("corners", [3, 4])
def test_mujoco_shows_a_flat_mesh_and_a_single_triangle(tmp_path, corners):
    flat = flat_square()
    mesh = trimesh.Trimesh(flat.vertices[:corners], flat.faces[: corners - 2], process=False)
    shape = Visual(name="v", X_LG=IDENTITY, geometry=written(tmp_path, mesh))
    assert compiled(to_mjcf(scene_of(visuals=(shape,)))).nmesh == 1


def test_a_missing_mesh_is_left_out_and_it_is_said():
    found, diagnostics = made(Mesh(uri="model://gone/part.dae", path=None))
    assert found == ()
    (entry,) = diagnostics
    assert (entry.code, entry.fate, entry.where, entry.target) == ("mesh.missing", Fate.DROPPED, HERE, "mjcf")


def test_a_mesh_that_was_missing_when_it_was_read_is_told_of_once_and_with_what_to_do(tmp_path):
    file = tmp_path / "m.sdf"
    mesh = "<geometry>\n<mesh>\n<uri>nope.obj</uri></mesh></geometry>"
    file.write_text(
        f"<sdf version='1.9'><model name='m'><link name='l'>\n<collision name='s'>{mesh}</collision>\n"
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


def test_the_same_mesh_gives_the_same_bytes(tmp_path):
    mesh = written(tmp_path, trimesh.creation.icosphere())
    assert made(mesh)[0][0].data == made(mesh)[0][0].data


# --- shapes that engines lack ----------------------------------------------------------------------------------------


def solid(vertices, faces):
    mesh = trimesh.Trimesh(vertices, faces, process=False)
    assert mesh.is_watertight
    return mesh


def test_a_cone_has_the_volume_of_its_polygon_and_its_centre_a_quarter_up():
    mesh = solid(*cone(Cone(radius=0.5, length=2.0)))
    area = 32 * 0.25 * math.sin(math.tau / 64)
    assert mesh.volume == pytest.approx(area * 2.0 / 3.0)
    assert np.allclose(mesh.center_mass, (0, 0, -0.5))


@pytest.mark.parametrize(
    ("outline", "area"),
    [
        (((0, 0), (2, 0), (2, 1), (0, 1)), 2.0),
        (((0, 1), (2, 1), (2, 0), (0, 0)), 2.0),
        (((0, 0), (2, 0), (2, 1), (0, 1), (0, 0)), 2.0),
        (((0, 0), (4, 0), (4, 1), (1, 1), (1, 3), (4, 3), (4, 4), (0, 4)), 10.0),
        (((0, 0), (1, 0), (2, 0), (2, 2), (1, 1)), 2.0),
    ],
)
def test_an_outline_of_any_shape_and_direction_encloses_its_area_times_the_height(outline, area):
    (prism,) = prisms(Polyline(outlines=(outline,), height=0.5))
    assert prism.is_filled
    assert solid(prism.vertices, prism.faces).volume == pytest.approx(area * 0.5)


def test_an_outline_that_intersects_itself_is_reported() -> None:
    """No corner of this outline that remains after the first cut is an ear."""
    outline = ((0.0, 0.0), (0.0, 1.0), (1.0, 0.0), (1.0, 2.0), (1.0, 1.0))
    diagnostics = Diagnostics()
    (asset,) = shape_asset(Polyline(outlines=(outline,)), "mjcf", diagnostics, where=HERE)
    assert codes(diagnostics) == ["mesh.polyline", "mesh.polyline-not-simple"]
    assert len(asset.faces) == 2 * 3 + 2 * 5


def test_replaced_shapes_say_so():
    diagnostics = Diagnostics()
    shape_asset(Cone(radius=1, length=1), "mjcf", diagnostics, where=HERE)
    shape_asset(Polyline(outlines=(((0, 0), (1, 0), (0, 1)),)), "mjcf", diagnostics, where=HERE)
    assert codes(diagnostics) == ["mesh.cone", "mesh.polyline"]


# --- in MuJoCo -------------------------------------------------------------------------------------------------------


def scene_of(**parts):
    link = Link(name="a", model="m", X_WL=IDENTITY, inertia=SpatialInertia.of(1.0, I_Lcm=np.eye(3)), **parts)
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
    assert np.allclose(sorted(map(tuple, points.round(5))), sorted(map(tuple, expected.round(5))), atol=2e-5)


def test_equal_meshes_are_one_asset_and_files_of_one_name_are_told_apart(tmp_path):
    (tmp_path / "x").mkdir()
    (tmp_path / "y").mkdir()
    one, same = (written(tmp_path, trimesh.creation.box((1, 1, 1)), f"{d}/part.obj") for d in ("x", "y"))
    other = written(tmp_path, trimesh.creation.icosphere(), "part.stl")
    shapes = (one, same, other, one)
    visuals = tuple(Visual(name=f"v{i}", X_LG=IDENTITY, geometry=shape) for i, shape in enumerate(shapes))
    mjcf = to_mjcf(scene_of(visuals=visuals))
    assert sorted(mjcf.assets) == ["part.obj", "part_2.obj"]
    model = compiled(mjcf)
    assert [int(model.geom(f"v{i}").dataid[0]) for i in range(4)] == [0, 0, 1, 0]


def in_geometry(model, geom):
    """The vertices of a geom's mesh as the source has them: MuJoCo moves them to the centre and the principal axes."""
    mesh = int(model.geom(geom).dataid[0])
    first, number = model.mesh_vertadr[mesh], model.mesh_vertnum[mesh]
    R = np.zeros(9)
    mujoco.mju_quat2Mat(R, model.mesh_quat[mesh])
    return model.mesh_vert[first : first + number] @ R.reshape(3, 3).T + model.mesh_pos[mesh]


def test_a_mesh_in_several_sizes_is_one_file(tmp_path):
    path = written(tmp_path, trimesh.creation.box((1, 2, 3)).apply_translation((1.0, 2.0, 3.0)), "leg.obj").path
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
    visuals = tuple(Visual(name=f"v{i}", X_LG=IDENTITY, geometry=shape) for i, shape in enumerate((one, other)))
    assert sorted(to_mjcf(scene_of(visuals=visuals)).assets) == ["Part.obj", "part_2.obj"]


def test_terrain_and_a_texture_of_one_name_are_two_files(tmp_path):
    Image = pytest.importorskip("PIL.Image")
    (tmp_path / "looks").mkdir()
    Image.fromarray(np.arange(16, dtype=np.uint8).reshape(4, 4)).save(tmp_path / "hill.png")
    Image.new("RGB", (2, 2), (255, 0, 0)).save(tmp_path / "looks" / "hill.png")
    ground = Collision(
        name="c", X_LG=IDENTITY, geometry=Heightmap(uri="hill.png", path=str(tmp_path / "hill.png"), size=(1, 1, 1))
    )
    look = Material(texture=str(tmp_path / "looks" / "hill.png"))
    mesh = written(tmp_path, trimesh.creation.box((1, 1, 1)))
    visual = Visual(name="v", X_LG=IDENTITY, geometry=mesh, material=look)
    mjcf = to_mjcf(scene_of(collisions=(ground,), visuals=(visual,)))
    assert {"hill.png", "hill_2.png"} <= set(mjcf.assets)
    model = compiled(mjcf)
    assert (model.hfield_nrow[0], model.tex_height[0]) == (4, 2)


def test_a_picture_that_is_there_twice_is_one_texture(tmp_path):
    Image = pytest.importorskip("PIL.Image")
    for name in ("a.png", "b.png"):
        Image.new("RGB", (2, 2), (255, 0, 0)).save(tmp_path / name)
    mesh = written(tmp_path, trimesh.creation.box((1, 1, 1)))
    visuals = tuple(
        Visual(name=n, X_LG=IDENTITY, geometry=mesh, material=Material(texture=str(tmp_path / n)))
        for n in ("a.png", "b.png")
    )
    assert sorted(to_mjcf(scene_of(visuals=visuals)).assets) == ["a.png", "part.obj"]


def test_a_texture_is_seen(tmp_path):
    Image = pytest.importorskip("PIL.Image")
    Image.new("RGB", (4, 4), (255, 0, 0)).save(tmp_path / "paint.png")
    material = Material(name="paint", texture=str(tmp_path / "paint.png"))
    mesh = written(tmp_path, trimesh.creation.box((1, 1, 1)))
    model = compiled(to_mjcf(scene_of(visuals=(Visual(name="v", X_LG=IDENTITY, geometry=mesh, material=material),))))
    assert (model.ntex, model.texture("paint").width[0]) == (1, 4)
    assert model.material("paint").texid[mujoco.mjtTextureRole.mjTEXROLE_RGB] == 0


@pytest.mark.parametrize(("opacity", "told"), [(0, True), (255, False)])
def test_transparent_parts_of_a_picture_are_told_of(tmp_path, opacity, told):
    Image = pytest.importorskip("PIL.Image")
    image = Image.new("RGBA", (4, 4), (10, 120, 30, 255))
    image.putpixel((1, 1), (255, 255, 255, opacity))
    image.save(tmp_path / "leaf.png")
    look = Material(texture=str(tmp_path / "leaf.png"))
    mesh = written(tmp_path, trimesh.creation.box((1, 1, 1)))
    found = to_mjcf(scene_of(visuals=(Visual(name="v", X_LG=IDENTITY, geometry=mesh, material=look),)))
    assert ("mjcf.texture-transparency" in codes(found.diagnostics)) is told


def test_a_picture_of_another_format_becomes_png(tmp_path):
    Image = pytest.importorskip("PIL.Image")
    Image.new("RGB", (4, 2), (10, 20, 30)).save(tmp_path / "paint.jpg")
    diagnostics = Diagnostics()
    data = png_texture(str(tmp_path / "paint.jpg"), "mjcf", diagnostics)
    assert Image.open(io.BytesIO(data)).size == (4, 2)
    assert codes(diagnostics) == []


@pytest.mark.parametrize(("content", "code"), [(None, "texture.unreadable"), (b"no picture", "texture.format")])
def test_a_picture_that_is_none_is_left_out_and_it_is_said(tmp_path, content, code):
    if content is not None:
        (tmp_path / "paint.jpg").write_bytes(content)
    diagnostics = Diagnostics()
    assert png_texture(str(tmp_path / "paint.jpg"), "mjcf", diagnostics) is None
    assert codes(diagnostics) == [code]


@pytest.mark.parametrize(("mode", "top"), [("L", 255), ("I;16", 65535)])
def test_terrain_has_the_heights_of_its_picture(tmp_path, mode, top):
    """Heights are asked of MuJoCo by rays from above; a picture's first row lies at the greatest y."""
    Image = pytest.importorskip("PIL.Image")
    levels = (np.array([[0.2, 0.2, 0.6], [0.2, 0.4, 0.6], [0.2, 0.2, 1.0]]) * top).round()
    kind = np.uint8 if mode == "L" else np.uint16
    Image.fromarray(levels.astype(kind)).save(tmp_path / "hill.png")
    terrain = Heightmap(
        uri="hill.png", path=str(tmp_path / "hill.png"), size=(2.0, 4.0, 10.0), position=(1.0, 0.0, 3.0)
    )
    shape = Collision(name="hill", X_LG=IDENTITY, geometry=terrain)
    model = compiled(to_mjcf(scene_of(collisions=(shape,))))
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    for row, column in ((0, 0), (1, 1), (2, 2), (0, 2)):
        x, y = 1.0 + (column - 1) * 0.999, (1 - row) * 1.999
        hit = np.zeros(1, np.int32)
        depth = mujoco.mj_ray(model, data, [x, y, 50.0], [0.0, 0.0, -1.0], None, 1, -1, hit)
        assert 50.0 - depth == pytest.approx(3.0 + 10.0 * levels[row, column] / top, abs=0.02)


def test_terrain_without_a_picture_is_left_out_and_it_is_said():
    shape = Collision(name="hill", X_LG=IDENTITY, geometry=Heightmap(uri="hill.png", path=None), where=HERE)
    assert "mjcf.heightmap" in codes(to_mjcf(scene_of(collisions=(shape,))).diagnostics)


# --- the cache -------------------------------------------------------------------------------------------------------


@pytest.fixture
def cache(tmp_path, monkeypatch):
    monkeypatch.setenv("SDFBRIDGE_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache"


def test_a_stored_file_is_named_by_its_content_and_written_once(cache):
    path = stored(b"abc", ".obj")
    before = path.stat().st_mtime_ns
    assert path.read_bytes() == b"abc"
    assert path.is_relative_to(cache)
    assert stored(b"abc", ".obj") == path
    assert path.stat().st_mtime_ns == before
    assert stored(b"abd", ".obj") != path
    assert len([p for p in cache.rglob("*") if p.is_file()]) == 2


def test_the_cache_follows_the_users_choice(cache):
    assert cache_folder() == cache
