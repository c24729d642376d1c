"""Geoms, height fields, meshes and materials have the shape, pose and looks of the model in MuJoCo."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import mujoco
import numpy as np
import pytest
import trimesh
from PIL import Image

import loaders
from bridge.targets.mjcf import to_mjcf
from loaders.diagnostics import Where
from loaders.model import (
    Box,
    Collision,
    Cone,
    Friction,
    Heightmap,
    Link,
    Material,
    Mesh,
    Plane,
    Polyline,
    Sphere,
    Visual,
)
from loaders.pose import IDENTITY, quaternion_to_matrix
from tests.support.mjcf_documents import read
from tests.support.mjcf_round_trip import compiled as compiled_there_and_back
from tests.support.mjcf_scenes import SHAPES, UNIT, X_LG, ball, codes, extent, link, scene_of
from tests.support.mujoco_oracle import compiled

# Geoms have the type, size and pose of the model's shapes.


@pytest.mark.parametrize(("geometry", "kind", "size"), SHAPES)
def test_a_primitive_has_its_type_size_and_pose(geometry, kind, size):
    shape = Collision(name="shape", X_LG=X_LG, geometry=geometry)
    geom = compiled(to_mjcf(scene_of(link("a", collisions=(shape,))))).geom("shape")
    assert geom.type[0] == getattr(mujoco.mjtGeom, f"mjGEOM_{kind}")
    assert tuple(geom.size[: len(size)]) == size
    assert np.abs(geom.pos - X_LG.p).max() <= 1e-15
    assert np.abs(quaternion_to_matrix(geom.quat) - X_LG.R).max() <= 1e-15


def test_a_plane_of_the_world_has_its_normal():
    normal = np.array((0.0, 0.6, 0.8))
    shape = Collision(name="floor", X_LG=IDENTITY, geometry=Plane(normal=tuple(normal)))
    geom = compiled(to_mjcf(scene_of(link("floor", model="ground", collisions=(shape,))))).geom(
        "floor"
    )
    assert np.abs(quaternion_to_matrix(geom.quat)[:, 2] - normal).max() <= 1e-15


@pytest.mark.parametrize("normal", [(0.0, 0.0, 1.0), (0.0, 0.6, 0.8)])
def test_a_plane_is_as_wide_for_rays_as_for_contact_and_drawn_in_its_size(normal):
    """SDFormat: a plane has infinite size as a collision; the size is that of the drawing."""
    plane = Plane(normal=normal, size=(2.0, 3.0))
    floor = link(
        "floor",
        model="ground",
        collisions=(Collision(name="c", X_LG=IDENTITY, geometry=plane),),
        visuals=(Visual(name="v", X_LG=IDENTITY, geometry=plane),),
    )
    model = compiled(to_mjcf(scene_of(floor)))
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    across = np.cross(normal, (1.0, 0.0, 0.0))
    collisions_only = np.array([0, 0, 0, 1, 0, 0], dtype=np.uint8)
    found = np.zeros(1, dtype=np.int32)
    for away in (0.5, 30.0, 3000.0):
        start, ray = away * across + np.array(normal), -np.array(normal)
        hit = mujoco.mj_ray(model, data, start, ray, collisions_only, 1, -1, found)
        assert hit == pytest.approx(1.0)
    assert tuple(model.geom("v").size[:2]) == (1.0, 1.5)


def test_a_plane_that_moves_is_left_out_and_reported():
    shape = Collision(name="floor", X_LG=IDENTITY, geometry=Plane(), where=Where("a.sdf", 5))
    mjcf = to_mjcf(scene_of(link("a", collisions=(shape,))))
    assert compiled(mjcf).ngeom == 0
    assert "mjcf.moving-plane" in codes(mjcf)


def test_a_shape_without_extent_is_left_out_and_reported():
    shape = Visual(name="v", X_LG=IDENTITY, geometry=Box(size=(0.0, 1.0, 1.0)))
    mjcf = to_mjcf(scene_of(link("a", visuals=(shape,))))
    assert compiled(mjcf).ngeom == 0
    assert "mjcf.empty-shape" in codes(mjcf)


def test_a_cone_stands_on_its_base_half_its_length_below_the_origin():
    shape = Collision(name="c", X_LG=IDENTITY, geometry=Cone(radius=0.5, length=2.0))
    mjcf = to_mjcf(scene_of(link("a", collisions=(shape,))))
    low, high = extent(compiled(mjcf), "c")
    assert np.allclose(low, (-0.5, -0.5, -1.0), atol=1e-6)
    assert np.allclose(high, (0.5, 0.5, 1.0), atol=1e-6)
    assert "mesh.cone" in codes(mjcf)


def test_a_polyline_is_raised_from_its_plane():
    outline = ((0.0, 0.0), (1.0, 0.0), (1.0, 1.0), (0.5, 0.4), (0.0, 1.0))
    shape = Collision(name="c", X_LG=IDENTITY, geometry=Polyline(outlines=(outline,), height=0.3))
    low, high = extent(compiled(to_mjcf(scene_of(link("a", collisions=(shape,))))), "c")
    assert np.allclose((low, high), ((0, 0, 0), (1, 1, 0.3)), atol=1e-6)


def test_a_visual_shape_does_not_collide():
    shape = Visual(name="v", X_LG=IDENTITY, geometry=Sphere(radius=0.1))
    geom = compiled(to_mjcf(scene_of(link("a", visuals=(shape,))))).geom("v")
    assert (geom.contype[0], geom.conaffinity[0], geom.group[0]) == (0, 0, 2)


def test_friction_is_that_of_the_source():
    shape = ball("c", friction=Friction(mu=0.3, mu2=0.3, rolling=0.01))
    geom = compiled(to_mjcf(scene_of(link("a", collisions=(shape,))))).geom("c")
    assert tuple(geom.friction) == (0.3, 0.0, 0.01)
    assert geom.condim[0] == 6


# Height maps: MuJoCo's height field has the heights of the source, and an unreadable image is
# reported.


def test_a_ray_from_above_meets_the_height_of_the_image(tmp_path: Path) -> None:
    levels = np.tile(np.array([51, 102, 204], dtype=np.uint8), (3, 1))
    Image.fromarray(levels).save(tmp_path / "hill.png")
    terrain = Heightmap(uri="hill.png", path=str(tmp_path / "hill.png"), size=(4.0, 4.0, 2.0))
    shape = Collision(name="hill", X_LG=IDENTITY, geometry=terrain)
    model = compiled(to_mjcf(scene_of(link("l", model="ground", collisions=(shape,)))))
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    for x, level in ((-1.999, 51), (0.0, 102), (1.999, 204)):
        start, down = np.array([x, 0.0, 10.0]), np.array([0.0, 0.0, -1.0])
        distance = mujoco.mj_ray(model, data, start, down, None, 1, -1, np.zeros(1, dtype=np.int32))
        assert 10.0 - distance == pytest.approx(2.0 * level / 255, abs=2e-3)


def test_an_image_that_does_not_exist_is_reported_for_its_link() -> None:
    shape = Collision(name="hill", X_LG=IDENTITY, geometry=Heightmap(uri="hill.png", path=None))
    mjcf = to_mjcf(scene_of(link("l", model="ground", collisions=(shape,))))
    assert "mjcf.heightmap" in codes(mjcf)
    (entry,) = (entry for entry in mjcf.diagnostics if entry.code == "mjcf.heightmap")
    assert (entry.subjects, entry.arguments["uri"]) == (("l",), "hill.png")


def test_a_flat_image_is_a_plane_at_its_height(tmp_path: Path) -> None:
    Image.fromarray(np.full((3, 3), 102, dtype=np.uint8)).save(tmp_path / "flat.png")
    terrain = Heightmap(uri="flat.png", path=str(tmp_path / "flat.png"), size=(4.0, 4.0, 2.0))
    shape = Collision(name="flat", X_LG=IDENTITY, geometry=terrain)
    model = compiled(to_mjcf(scene_of(link("l", model="ground", collisions=(shape,)))))
    assert 0.0 < model.hfield_size[0, 2] <= 1e-6
    assert model.geom_pos[0, 2] == pytest.approx(0.8)


def test_terrain_and_a_texture_of_one_name_are_two_files(tmp_path: Path) -> None:
    (tmp_path / "looks").mkdir()
    Image.fromarray(np.arange(16, dtype=np.uint8).reshape(4, 4)).save(tmp_path / "hill.png")
    Image.new("RGB", (2, 2), (255, 0, 0)).save(tmp_path / "looks" / "hill.png")
    trimesh.creation.box((1, 1, 1)).export(tmp_path / "part.obj")
    terrain = Heightmap(uri="hill.png", path=str(tmp_path / "hill.png"), size=(1, 1, 1))
    mesh = Mesh(uri="part.obj", path=str(tmp_path / "part.obj"))
    look = Material(texture=str(tmp_path / "looks" / "hill.png"))
    ground = Collision(name="c", X_LG=IDENTITY, geometry=terrain)
    part = Visual(name="v", X_LG=IDENTITY, geometry=mesh, material=look)
    mjcf = to_mjcf(scene_of(link("l", model="ground", collisions=(ground,), visuals=(part,))))
    assert {"hill.png", "hill_2.png"} <= set(mjcf.assets)
    model = compiled(mjcf)
    assert (model.hfield_nrow[0], model.tex_height[0]) == (4, 2)


@pytest.mark.parametrize(("mode", "top"), [("L", 255), ("I;16", 65535)])
def test_terrain_has_the_heights_of_its_picture(tmp_path: Path, mode: str, top: int) -> None:
    """Heights are asked of MuJoCo by rays from above; a picture's first row lies at the
    greatest y.
    """
    levels = (np.array([[0.2, 0.2, 0.6], [0.2, 0.4, 0.6], [0.2, 0.2, 1.0]]) * top).round()
    kind = np.uint8 if mode == "L" else np.uint16
    Image.fromarray(levels.astype(kind)).save(tmp_path / "hill.png")
    terrain = Heightmap(
        uri="hill.png",
        path=str(tmp_path / "hill.png"),
        size=(2.0, 4.0, 10.0),
        position=(1.0, 0.0, 3.0),
    )
    shape = Collision(name="hill", X_LG=IDENTITY, geometry=terrain)
    model = compiled(to_mjcf(scene_of(link("l", model="ground", collisions=(shape,)))))
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    for row, column in ((0, 0), (1, 1), (2, 2), (0, 2)):
        x, y = 1.0 + (column - 1) * 0.999, (1 - row) * 1.999
        hit = np.zeros(1, np.int32)
        depth = mujoco.mj_ray(
            model, data, np.array([x, y, 50.0]), np.array([0.0, 0.0, -1.0]), None, 1, -1, hit
        )
        assert 50.0 - depth == pytest.approx(3.0 + 10.0 * levels[row, column] / top, abs=0.02)


def test_levels_of_16_bits_are_kept(tmp_path: Path) -> None:
    """Of a PNG file MuJoCo reads the upper 8 bits, which would be steps of 4 cm here."""
    levels = np.random.default_rng(0).integers(0, 65536, (6, 7)).astype(np.uint16)
    Image.fromarray(levels).save(tmp_path / "hill.png")
    terrain = Heightmap(uri="hill.png", path=str(tmp_path / "hill.png"), size=(2.0, 4.0, 10.0))
    shape = Collision(name="hill", X_LG=IDENTITY, geometry=terrain)
    model = compiled(to_mjcf(scene_of(link("l", model="ground", collisions=(shape,)))))
    heights = model.geom_pos[0, 2] + model.hfield_size[0, 2] * model.hfield_data.reshape(6, 7)
    np.testing.assert_allclose(heights, 10.0 * levels[::-1] / 65535, atol=1e-5)


# Planes and soft bodies, by the contacts that MuJoCo finds.

BLOCK = (
    '<flexcomp name="f" type="grid" dim="3" count="3 3 3" spacing="0.2 0.2 0.2" pos="0 0 -0.3" '
    'radius="0.01" mass="1">'
    '<edge equality="true"/><contact selfcollide="none"/></flexcomp>'
)
FLOOR = '<geom name="floor" type="plane" size="5 5 1" pos="0 0 -0.5" rgba="1 0 0 1"{}/>'


def contacts(model) -> int:
    import mujoco

    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    return int(data.ncon)


@pytest.mark.parametrize("more", ["", ' quat="1 0.1 0 0"', ' group="3"'])
def test_a_soft_body_touches_a_plane_once(more: str) -> None:
    original, exported = compiled_there_and_back(BLOCK + FLOOR.format(more))
    assert contacts(exported) == contacts(original) > 0


def test_a_plane_is_drawn_as_before() -> None:
    """The viewer of MuJoCo shows the groups 0 to 2."""
    _, exported = compiled_there_and_back(BLOCK + FLOOR.format(""))
    drawn = [exported.geom(i) for i in range(exported.ngeom) if exported.geom(i).group[0] <= 2]
    assert [(geom.name, geom.rgba.tolist()) for geom in drawn] == [("floor", [1, 0, 0, 1])]
    (link,) = (link for link in read(BLOCK + FLOOR.format("")).links if link.name == "world")
    assert (len(link.visuals), len(link.collisions)) == (1, 1)


# Materials and meshes of the document.


def test_colors_names_and_transparency_are_seen():
    red = Material(name="red", diffuse=(0.8, 0.1, 0.1, 1.0), specular=(0.5, 0.5, 0.5, 1.0))
    bare = Material(diffuse=(0.1, 0.2, 0.3, 1.0))
    visuals = (
        Visual(name="a", X_LG=IDENTITY, geometry=Sphere(radius=0.1), material=red),
        Visual(
            name="b", X_LG=IDENTITY, geometry=Sphere(radius=0.1), material=bare, transparency=0.75
        ),
    )
    model = compiled(to_mjcf(scene_of(link("l", visuals=visuals))))
    assert np.allclose(model.material("red").rgba, (0.8, 0.1, 0.1, 1.0))
    assert model.material("red").specular[0] == 0.5
    assert model.geom("a").matid[0] == model.material("red").id
    assert np.allclose(model.geom("b").rgba, (0.1, 0.2, 0.3, 0.25))


def test_a_color_of_several_geoms_is_one_material():
    paint, other = (Material(diffuse=(r, 0.2, 0.4, 1.0)) for r in (0.1, 0.3))
    looks = {"a": paint, "b": paint, "c": other}
    visuals = tuple(
        Visual(name=name, X_LG=IDENTITY, geometry=Sphere(radius=0.1), material=look)
        for name, look in looks.items()
    )
    model = compiled(to_mjcf(scene_of(link("l", visuals=visuals))))
    assert (model.nmat, model.geom("a").matid[0], model.geom("b").matid[0]) == (1, 0, 0)
    assert np.allclose(model.mat_rgba[0], (0.1, 0.2, 0.4, 1.0))
    assert model.geom("c").matid[0] == -1
    assert np.allclose(model.geom("c").rgba, (0.3, 0.2, 0.4, 1.0))


def test_each_link_without_its_shape_because_of_a_missing_mesh_is_reported():
    shape = Collision(name="c", X_LG=IDENTITY, geometry=Mesh(uri="nowhere.stl", path=None))
    links = [
        Link(
            name=name,
            model="m",
            X_WL=IDENTITY,
            inertia=UNIT,
            collisions=(dataclasses.replace(shape, where=Where("r.urdf", line)),),
        )
        for name, line in (("a", 3), ("b", 9))
    ]
    entries = to_mjcf(scene_of(*links)).diagnostics
    assert [entry.where.line for entry in entries if entry.code == "mesh.missing"] == [3, 9]


TEXTURED = {
    "m.obj": "mtllib m.mtl\nv 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nvt 0 0\nvt 1 0\nvt 0 1\nusemtl "
    "skin\n"
    "f 1/1 3/3 2/2\nf 1/1 2/2 4/3\nusemtl plain\nf 1/1 4/3 3/2\nf 2/2 3/3 4/1\n",
    "m.mtl": "newmtl skin\nKd 1 1 1\nmap_Kd skin.png\nnewmtl plain\nKd 0 1 0\n",
}


@pytest.fixture
def textured(tmp_path: Path) -> Path:
    """Return a folder with a mesh of two parts, one of them with a texture."""
    for name, text in TEXTURED.items():
        (tmp_path / name).write_text(text)
    Image.new("RGB", (4, 4), (200, 100, 50)).save(tmp_path / "skin.png")
    return tmp_path


def test_a_color_of_a_urdf_tints_the_texture_of_the_mesh_as_in_pybullet(textured: Path) -> None:
    """PyBullet multiplies the texture of an OBJ file with the color of the URDF."""
    text = """<robot name="r"><link name="l"><visual><geometry><mesh filename="m.obj"/></geometry>
    <material name="paint"><color rgba="1 0.5 0.5 1"/></material></visual></link></robot>"""
    model = compiled(to_mjcf(loaders.load_string(text, format="urdf", base=textured, quiet=True)))
    assert (model.ntex, model.ngeom) == (1, 2)
    materials = [model.geom_matid[i] for i in range(model.ngeom)]
    assert sum((model.mat_texid[i] >= 0).any() for i in materials) == 1
    assert all(np.allclose(model.mat_rgba[i], (1.0, 0.5, 0.5, 1.0)) for i in materials)


@pytest.mark.parametrize("colored", ["", '<color rgba="1 0.5 0.5 1"/>'])
def test_a_mesh_is_looked_up_once_whether_it_has_textures_or_not(
    textured: Path, colored: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each look-up keeps a record of its conversion in the cache."""
    monkeypatch.setenv("SDFBRIDGE_CACHE", str(textured / "cache"))
    (textured / "plain.obj").write_text(
        "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n"
    )
    visual = f"""<visual><geometry><mesh filename="{{}}.obj"/></geometry><material name="m">{colored}</material></visual>"""
    text = (
        f'<robot name="r"><link '
        f'name="l">{visual.format("m")}{visual.format("plain")}</link></robot>'
    )
    to_mjcf(loaders.load_string(text, format="urdf", base=textured, quiet=True))
    records = [path.read_text() for path in (textured / "cache" / "obj").glob("*.json")]
    assert sum('"hull"' not in record for record in records) == 2  # one holds both hulls


def test_a_color_in_sdformat_replaces_the_texture_of_the_mesh_as_in_gazebo(textured: Path) -> None:
    text = """<sdf version="1.9"><model name="m"><link name="l"><visual name="v"><geometry><mesh><uri>m.obj</uri></mesh>
    </geometry><material><diffuse>1 0 0 1</diffuse></material></visual></link></model></sdf>"""
    model = compiled(to_mjcf(loaders.load_string(text, format="sdf", base=textured, quiet=True)))
    assert (model.ntex, model.ngeom) == (0, 1)


def test_maps_of_a_material_are_layers_with_mujocos_roles(textured: Path) -> None:
    """SDFormat's normal and roughness maps have roles in MuJoCo; its light map has none, and is
    reported.
    """
    maps = "".join(
        f"<{kind}>skin.png</{kind}>" for kind in ("normal_map", "roughness_map", "light_map")
    )
    text = f"""<sdf version="1.9"><model name="m"><link name="l"><visual name="v"><geometry><sphere><radius>1</radius>
    </sphere></geometry><material><diffuse>1 0 0 1</diffuse><pbr><metal>{maps}</metal></pbr></material></visual></link>
    </model></sdf>"""
    mjcf = to_mjcf(loaders.load_string(text, format="sdf", base=textured, quiet=True))
    model = compiled(mjcf)
    roles = {k for k in range(model.mat_texid.shape[1]) if model.mat_texid[0, k] >= 0}
    assert roles == {
        mujoco.mjtTextureRole.mjTEXROLE_ROUGHNESS,
        mujoco.mjtTextureRole.mjTEXROLE_NORMAL,
    }
    assert any("light map" in entry.message for entry in mjcf.diagnostics)
