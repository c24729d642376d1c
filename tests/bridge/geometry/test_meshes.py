"""Mesh assets keep shape, pose and appearance, and are converted once."""

from __future__ import annotations

import dataclasses
import json
import math
import os
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import mujoco
import numpy as np
import pytest
import trimesh
from PIL import Image

import bridge
import loaders
from bridge import to_mjcf
from bridge.geometry import mesh as mesh_assets
from bridge.geometry.cache import read_checked, write_checked
from bridge.geometry.mesh import Appearance, MeshFile, mesh_files, shape_asset, with_asset_files
from bridge.targets.mjcf import export_mjcf
from loaders import model as m
from loaders.diagnostics import Diagnostics, Fate, Where, without_repeats
from loaders.inertia import SpatialInertia
from loaders.model import Collision, Cone, Link, Material, Mesh, Model, Polyline, Visual
from loaders.model.link import PartLook
from loaders.pose import IDENTITY, Pose
from loaders.scene import Scene
from tests.support.mesh_assets import HERE, codes, made, read_back, written
from tests.support.mjcf_documents import TETRAHEDRON
from tests.support.mujoco_oracle import compiled
from tests.support.scenes import link, scene

# Mesh assets keep the shape, pose and appearance of the meshes from which they are made.


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
    assert sorted(asset.look.color for asset in seen) == [
        (0.0, 0.0, 1.0, 1.0),
        (1.0, 0.0, 0.0, 1.0),
    ]
    solids, _ = made(mesh, collides=True)
    assert [asset.name for asset in solids] == ["two_convex_0", "two_convex_1"]
    assert [asset.look.color for asset in solids] == [None, None]
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
    looks = {(asset.look.texture is not None, asset.look.color is not None) for asset in assets}
    assert (looks == {(False, False)}) is (parts == 1)


def test_parts_that_look_alike_are_one(tmp_path):
    scene = trimesh.Scene()
    for i, color in enumerate(((255, 0, 0, 255), (0, 0, 255, 255), (255, 0, 0, 255))):
        ball = trimesh.creation.icosphere(subdivisions=1).apply_translation((3 * i, 0, 0))
        look = trimesh.visual.material.PBRMaterial(baseColorFactor=color)
        ball.visual = trimesh.visual.TextureVisuals(material=look)
        scene.add_geometry(ball, node_name=f"n{i}", geom_name=f"g{i}")
    red, blue = made(written(tmp_path, scene, "three.glb"))[0]
    assert (red.look.color, blue.look.color) == ((1.0, 0.0, 0.0, 1.0), (0.0, 0.0, 1.0, 1.0))
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


# OBJ files, read back by trimesh.


@pytest.mark.filterwarnings("ignore:the matrix subclass")  # of pycollada's
@pytest.mark.parametrize("suffix", ["obj", "stl", "ply", "glb", "dae"])
def test_every_format_becomes_one_obj_of_the_same_volume(tmp_path, suffix):
    mesh = written(tmp_path, trimesh.creation.icosphere(radius=0.3), f"ball.{suffix}")
    ((asset,), diagnostics) = made(mesh, collides=True)
    assert asset.name == "ball"
    assert read_back(asset).volume == pytest.approx(
        trimesh.creation.icosphere(radius=0.3).volume, rel=1e-5
    )
    assert "mesh.convex-hull" not in codes(diagnostics)


def test_the_same_mesh_gives_the_same_bytes(tmp_path):
    mesh = written(tmp_path, trimesh.creation.icosphere())
    assert made(mesh)[0][0].data == made(mesh)[0][0].data


# Meshes are converted once, and again when anything that they are read from changes.

TEXT = "mtllib {library}\nv 0 0 0\nv 1 0 0\nv 0 {y} 0\nv 0 0 1\nvt 0 0\nusemtl skin\n"
FACES = "f 1/1 3/1 2/1\nf 1/1 2/1 4/1\nf 2/1 3/1 4/1\nf 3/1 1/1 4/1\n"
USE = Where("robot.urdf", 7)


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A cache of its own."""
    monkeypatch.setenv("SDFBRIDGE_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache"


@pytest.fixture
def mesh(tmp_path):
    (tmp_path / "m").mkdir()
    write(tmp_path / "m" / "part.obj", 1.0)
    (tmp_path / "m" / "skin.mtl").write_text("newmtl skin\nKd 1 0 0\nmap_Kd skin.png\n")
    return Mesh(uri="part.obj", path=str(tmp_path / "m" / "part.obj"))


def write(path, y):
    path.write_text(TEXT.format(library="skin.mtl", y=y) + FACES)


def converted(mesh, **options):
    """What `mesh_files` says of a mesh: everything of each part, and the findings."""
    diagnostics = Diagnostics()
    files = mesh_files(mesh, "mjcf", diagnostics, where=USE, **options)
    parts = [(f.name, f.data, f.digest, f.has_uv, f.look, f.vertices.tolist()) for f in files]
    return parts, tuple(diagnostics), [dict(found.arguments) for found in diagnostics]


def fresh(mesh, **options):
    """The same without any cache."""
    diagnostics = Diagnostics()
    assets = mesh_assets.mesh_asset(mesh, "mjcf", diagnostics, where=USE, **options)
    files = map(MeshFile.of, assets)
    parts = [(f.name, f.data, f.digest, f.has_uv, f.look, f.vertices.tolist()) for f in files]
    return parts, tuple(diagnostics), [dict(found.arguments) for found in diagnostics]


@pytest.mark.usefixtures("folder")
def test_what_one_engine_has_converted_serves_every_engine(tmp_path, monkeypatch):
    mesh = written(tmp_path, trimesh.creation.annulus(0.5, 1.0, 1.0))
    expected = fresh(mesh, collides=True)
    diagnostics = Diagnostics()
    mesh_files(mesh, "pybullet", diagnostics, where=USE, collides=True)
    assert {(found.code, found.target) for found in diagnostics} == {
        ("mesh.convex-hull", "pybullet")
    }
    monkeypatch.setattr(mesh_assets, "mesh_asset", lambda *_, **__: pytest.fail("converted again"))
    assert converted(mesh, collides=True) == expected


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize(
    "options", [{}, {"collides": True}, *({"appearance": part} for part in Appearance)]
)
def test_the_cache_gives_what_a_conversion_gives(mesh, options, monkeypatch):
    expected = fresh(mesh, **options)
    assert converted(mesh, **options) == expected
    monkeypatch.setattr(mesh_assets, "mesh_asset", lambda *_, **__: pytest.fail("converted again"))
    assert converted(mesh, **options) == expected


@pytest.mark.usefixtures("folder")
def test_a_warm_export_imports_no_mesh_library(mesh):
    converted(mesh)
    code = (
        "import sys; from loaders.model import Mesh; from loaders.diagnostics import Diagnostics\n"
        "from bridge.geometry.mesh import mesh_files\n"
        f"(file,) = mesh_files(Mesh(uri='', path={mesh.path!r}), 'mjcf', Diagnostics())\n"
        "print(len(file.data), 'trimesh' in sys.modules)"
    )
    out = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    ).stdout.split()
    assert out == [str(len(converted(mesh)[0][0][1])), "False"]


@pytest.mark.usefixtures("folder")
def test_a_change_of_the_mesh_its_library_or_its_texture_is_followed(mesh, tmp_path):
    (before,) = converted(mesh)[0]
    assert before[4] == PartLook(color=(1.0, 0.0, 0.0, 1.0))
    write(tmp_path / "m" / "part.obj", 2.0)
    assert max(p[1] for p in converted(mesh)[0][0][5]) == 2.0
    (tmp_path / "m" / "skin.mtl").write_text("newmtl skin\nKd 0 1 0\nmap_Kd skin.png\n")
    assert converted(mesh)[0][0][4].color == (0.0, 1.0, 0.0, 1.0)
    assert [entry.code for entry in converted(mesh)[1]] == ["mesh.missing-texture"]
    Image.new("RGB", (2, 2)).save(tmp_path / "m" / "skin.png")
    parts, findings, _ = converted(mesh)
    assert (parts[0][4].texture, findings) == (str(tmp_path / "m" / "skin.png"), ())
    (tmp_path / "m" / "skin.mtl").unlink()
    assert converted(mesh) == fresh(mesh)


def test_damaged_files_of_the_cache_are_written_again(mesh, folder):
    expected = converted(mesh)
    for file in [path for path in folder.rglob("*") if path.is_file()]:
        content = file.read_bytes()
        for spoilt in (content[:-3], bytes(len(content)), b""):
            file.write_bytes(spoilt)
            os.utime(file, (1, 1))
            assert converted(mesh) == expected
        assert (
            file.read_bytes() == content or file.suffix == ".json"
        )  # a record has the times of files
        file.unlink()
        assert converted(mesh) == expected


@pytest.mark.parametrize(
    "change",
    [
        {"obj": "\0"},
        {"obj": "/"},
        {"obj": 0},
        {"color": "red"},
        {"texture": 5},
        {"name": 7},
        {"digest": None},
    ],
)
def test_a_record_with_other_values_is_written_again(mesh, folder, change):
    expected = converted(mesh)
    (record,) = folder.rglob("*.json")
    content = json.loads(read_checked(record))
    content["parts"][0] |= change
    write_checked(record, json.dumps(content).encode())
    assert converted(mesh) == expected
    assert json.loads(read_checked(record))["parts"][0].items() & change.items() == set()


@pytest.mark.usefixtures("folder")
def test_findings_keep_the_place_of_the_mesh_and_take_that_of_the_use(tmp_path):
    path = tmp_path / "flat.obj"
    path.write_text("v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nf 1 2 3\nf 1 3 4\n")
    mesh = Mesh(uri="flat.obj", path=str(path))
    diagnostics = Diagnostics()
    for place in (USE, Where("other.urdf", 3)):
        mesh_files(mesh, "mjcf", diagnostics, where=place, collides=True)
    assert [(entry.code, entry.where) for entry in diagnostics] == [
        ("mesh.flat", USE),
        ("mesh.flat", Where("other.urdf", 3)),
    ]


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize("place", ["/proc/nowhere", "/dev/full/x", "file/cache"])
def test_without_a_place_for_the_cache_meshes_are_converted_each_time(
    mesh, place, tmp_path, monkeypatch
):
    (tmp_path / "file").write_text("")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("SDFBRIDGE_CACHE", place)
    assert converted(mesh) == converted(mesh) == fresh(mesh)


@pytest.mark.usefixtures("folder")
def test_without_a_home_meshes_are_converted_each_time(mesh, monkeypatch):
    for name in ("SDFBRIDGE_CACHE", "XDG_CACHE_HOME", "HOME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(os, "getuid", lambda: 987654, raising=False)
    assert converted(mesh) == fresh(mesh)


def test_many_at_once_find_the_same(mesh, folder):
    expected = fresh(mesh)
    with ThreadPoolExecutor(8) as pool:
        for _ in range(5):
            shutil.rmtree(folder, ignore_errors=True)
            assert all(
                found == expected for found in pool.map(lambda _: converted(mesh), range(16))
            )


@pytest.mark.usefixtures("folder")
def test_an_unreadable_mesh_is_reported_each_time(tmp_path):
    path = tmp_path / "none.obj"
    path.write_text("nothing")
    mesh = Mesh(uri="none.obj", path=str(path))
    assert converted(mesh) == converted(mesh)
    assert [entry.code for entry in converted(mesh)[1]] == ["mesh.unreadable"]
    assert [entry.code for entry in converted(Mesh(uri="gone.obj", path=None))[1]] == [
        "mesh.missing"
    ]


@pytest.mark.usefixtures("folder")
def test_an_export_is_the_same_from_a_cold_and_a_warm_cache(mesh):
    model = scene([link("a", shape=mesh)])
    cold, warm = to_mjcf(model), to_mjcf(model)
    assert (str(cold), cold.assets, cold.diagnostics) == (str(warm), warm.assets, warm.diagnostics)
    assert np.asarray(list(cold.assets)).tolist() == ["part.obj"]


# Content of a source as files of the cache.

INLINE = m.Mesh(uri="t.obj", path=None, data=TETRAHEDRON.encode())


def with_shape(mesh: m.Geometry) -> bridge.Mechanism:
    item = link("a", shape=mesh)
    return bridge.lower(scene([item]))


def test_a_mesh_of_the_source_becomes_a_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SDFBRIDGE_CACHE", str(tmp_path))
    mesh = with_shape(INLINE).scene.links[0].collisions[0].geometry
    assert isinstance(mesh, m.Mesh)
    assert Path(str(mesh.path)).read_text() == TETRAHEDRON
    assert mesh.data is None


def test_a_scene_without_content_is_returned_as_it_is() -> None:
    plain = scene([link("a", shape=m.Sphere(radius=1.0))])
    assert with_asset_files(plain) is plain


def test_a_cache_that_cannot_be_written_leaves_the_file_missing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").touch()
    monkeypatch.setenv("SDFBRIDGE_CACHE", str(tmp_path / "file"))
    visual = m.Visual(name="v", X_LG=IDENTITY, geometry=INLINE)
    item = dataclasses.replace(link("a", shape=INLINE), visuals=(visual,))
    mjcf = bridge.to_mjcf(scene([item]), quiet=True)
    assert {"mesh.missing"} <= {entry.code for entry in mjcf.diagnostics}
