"""Textures as PNG files, and what the engines draw of them."""

import io
import math
from pathlib import Path

import mujoco
import numpy as np
import pybullet
import pytest
import trimesh
from PIL import Image

from bridge import load_into_pybullet, to_mjcf
from bridge.geometry.textures import engine_picture
from bridge.targets.pybullet.geometry import textured_mesh
from loaders.diagnostics import Diagnostics
from loaders.inertia import SpatialInertia
from loaders.model import (
    Box,
    Capsule,
    Collision,
    Cone,
    Cylinder,
    Ellipsoid,
    Link,
    Material,
    Mesh,
    Model,
    Plane,
    Sphere,
    Visual,
)
from loaders.pose import IDENTITY
from loaders.scene import Scene
from tests.support.mujoco_oracle import compiled


def written(tmp_path, mesh, name="part.obj"):
    path = tmp_path / name
    mesh.export(path)
    return Mesh(uri=name, path=str(path))


def codes(diagnostics):
    return [entry.code for entry in diagnostics]


def scene_with(**parts):
    link = Link(
        name="a", model="m", X_WL=IDENTITY, inertia=SpatialInertia.of(1.0, I_Lcm=np.eye(3)), **parts
    )
    model = Model(name="m", X_WM=IDENTITY, canonical_link="a", static=True)
    return Scene(name="m", models=(model,), links=(link,))


def test_a_picture_that_is_there_twice_is_one_texture(tmp_path):
    for name in ("a.png", "b.png"):
        Image.new("RGB", (2, 2), (255, 0, 0)).save(tmp_path / name)
    mesh = written(tmp_path, trimesh.creation.box((1, 1, 1)))
    visuals = tuple(
        Visual(name=n, X_LG=IDENTITY, geometry=mesh, material=Material(texture=str(tmp_path / n)))
        for n in ("a.png", "b.png")
    )
    assert sorted(to_mjcf(scene_with(visuals=visuals)).assets) == ["a.png", "part.obj"]


def test_a_texture_is_seen(tmp_path):
    Image.new("RGB", (4, 4), (255, 0, 0)).save(tmp_path / "paint.png")
    material = Material(name="paint", texture=str(tmp_path / "paint.png"))
    mesh = written(tmp_path, trimesh.creation.box((1, 1, 1)))
    model = compiled(
        to_mjcf(
            scene_with(visuals=(Visual(name="v", X_LG=IDENTITY, geometry=mesh, material=material),))
        )
    )
    assert (model.ntex, model.texture("paint").width[0]) == (1, 4)
    assert model.material("paint").texid[mujoco.mjtTextureRole.mjTEXROLE_RGB] == 0


@pytest.mark.parametrize(("opacity", "told"), [(0, True), (255, False)])
def test_transparent_parts_of_a_picture_are_reported(tmp_path, opacity, told):
    image = Image.new("RGBA", (4, 4), (10, 120, 30, 255))
    image.putpixel((1, 1), (255, 255, 255, opacity))
    image.save(tmp_path / "leaf.png")
    look = Material(texture=str(tmp_path / "leaf.png"))
    box = Box(size=(1.0, 1.0, 1.0))
    scene = scene_with(visuals=(Visual(name="v", X_LG=IDENTITY, geometry=box, material=look),))
    assert ("mjcf.texture-transparency" in codes(to_mjcf(scene).diagnostics)) is told
    pybullet.connect(pybullet.DIRECT)
    try:
        found = load_into_pybullet(scene).diagnostics
    finally:
        pybullet.disconnect()
    assert ("pybullet.texture-transparency" in codes(found)) is told


def test_gray_levels_of_16_bits_keep_their_upper_8(tmp_path):
    ramp = np.linspace(0, 65535, 256).astype(np.uint16)[None].repeat(2, axis=0)
    Image.fromarray(ramp).save(tmp_path / "ramp.png")
    picture = engine_picture(str(tmp_path / "ramp.png"), "mjcf", Diagnostics())
    drawn = np.asarray(Image.open(io.BytesIO(picture.data)))
    assert np.abs(drawn.astype(float) - ramp[..., None] * (255.0 / 65535.0)).max() <= 1.0


def test_a_picture_of_another_format_becomes_png(tmp_path):
    Image.new("RGB", (4, 2), (10, 20, 30)).save(tmp_path / "paint.jpg")
    diagnostics = Diagnostics()
    picture = engine_picture(str(tmp_path / "paint.jpg"), "mjcf", diagnostics)
    assert Image.open(io.BytesIO(picture.data)).format == "PNG"
    assert Image.open(io.BytesIO(picture.data)).size == (4, 2)
    assert codes(diagnostics) == []


def test_a_picture_keeps_its_format_where_the_engine_reads_it(tmp_path):
    file = tmp_path / "paint.jpg"
    Image.new("RGB", (4, 2), (10, 20, 30)).save(file)
    file.write_bytes(file.read_bytes() + b"something appended")
    for _ in range(2):
        picture = engine_picture(str(file), "pybullet", Diagnostics(), formats=(".png", ".jpg"))
        assert picture.suffix == ".jpg"
        assert b"appended" not in picture.data
        written, read = (
            np.asarray(Image.open(source), dtype=int) for source in (file, io.BytesIO(picture.data))
        )
        assert np.abs(written - read).max() <= 2
    Image.new("CMYK", (4, 2)).save(file)
    assert (
        engine_picture(str(file), "pybullet", Diagnostics(), formats=(".png", ".jpg")).suffix
        == ".png"
    )


def test_a_changed_picture_is_converted_again(tmp_path):
    file = tmp_path / "paint.bmp"
    for color in ((10, 20, 30), (40, 50, 60), (40, 50, 60)):
        Image.new("RGB", (1, 1), color).save(file)
        picture = engine_picture(str(file), "mjcf", Diagnostics())
        assert Image.open(io.BytesIO(picture.data)).getpixel((0, 0)) == color


@pytest.mark.parametrize(
    ("content", "code"), [(None, "texture.unreadable"), (b"no picture", "texture.format")]
)
def test_a_file_that_is_no_picture_is_left_out_and_reported(tmp_path, content, code):
    if content is not None:
        (tmp_path / "paint.jpg").write_bytes(content)
    diagnostics = Diagnostics()
    assert engine_picture(str(tmp_path / "paint.jpg"), "mjcf", diagnostics) is None
    assert codes(diagnostics) == [code]


UPPER_LEFT, UPPER_RIGHT, LOWER_LEFT, LOWER_RIGHT = (
    (220, 20, 20),
    (20, 220, 20),
    (20, 20, 220),
    (220, 220, 20),
)


UNIT = Box(size=(1.0, 1.0, 1.0))


@pytest.fixture
def picture(tmp_path):
    """A picture of four colors, which cannot be mistaken for a turned or mirrored one."""
    pixels = np.array(((UPPER_LEFT, UPPER_RIGHT), (LOWER_LEFT, LOWER_RIGHT)), dtype=np.uint8)
    image = Image.fromarray(np.kron(pixels, np.ones((32, 32, 1), dtype=np.uint8)))
    for name in ("quad.png", "quad.jpg"):
        image.save(tmp_path / name, quality=95)
    return str(tmp_path / "quad.png")


def scene_of(geometry, material, **rest):
    visual = Visual(name="v", X_LG=IDENTITY, geometry=geometry, material=material, **rest)
    inertia = SpatialInertia.of(1.0, I_Lcm=0.1 * np.eye(3))
    link = Link(name="a", model="m", X_WL=IDENTITY, inertia=inertia, visuals=(visual,))
    return Scene(
        name="m", models=(Model(name="m", X_WM=IDENTITY, canonical_link="a"),), links=(link,)
    )


def seen_from(eye, client, *, up=(0, 0, 1)):
    """Return the image of PyBullet's own renderer, shape (64, 64, 3), without shadows."""
    view = pybullet.computeViewMatrix(eye, (0, 0, 0), up)
    projection = pybullet.computeProjectionMatrixFOV(30.0, 1.0, 0.1, 10.0)
    image = pybullet.getCameraImage(
        64,
        64,
        view,
        projection,
        shadow=0,
        lightAmbientCoeff=1.0,
        lightDiffuseCoeff=0.0,
        lightSpecularCoeff=0.0,
        renderer=pybullet.ER_TINY_RENDERER,
        physicsClientId=client,
    )[2]
    return np.reshape(image, (64, 64, 4))[:, :, :3]


def hue(rgb):
    """Return which of the color components of a pixel are bright, independent of the light."""
    return tuple((np.asarray(rgb) > 0.5 * max(rgb)).tolist())


def quadrants(image):
    """The hues of four pixels about the middle: upper left, upper right, lower left, lower
    right.
    """
    return [hue(image[y, x]) for y in (26, 38) for x in (26, 38)]


UPRIGHT = [hue(c) for c in (UPPER_LEFT, UPPER_RIGHT, LOWER_LEFT, LOWER_RIGHT)]


@pytest.mark.parametrize("suffix", ["png", "jpg"])
@pytest.mark.parametrize("side", [(1, 0, 0), (-1, 0, 0), (0, 1, 0), (0, -1, 0)])
def test_a_picture_stands_upright_on_each_side_of_a_box(bullet_client, picture, suffix, side):
    scene = scene_of(UNIT, Material(texture=picture.replace("png", suffix)))
    with load_into_pybullet(scene, physicsClientId=bullet_client):
        assert quadrants(seen_from(4.0 * np.array(side), bullet_client)) == UPRIGHT


def test_a_picture_on_a_mesh_follows_the_texture_coordinates(bullet_client, picture, tmp_path):
    corners = "v 0 -0.5 -0.5\nv 0 0.5 -0.5\nv 0 0.5 0.5\nv 0 -0.5 0.5\nv -0.1 0 0\n"
    (tmp_path / "sail.obj").write_text(
        corners + "vt 0 0\nvt 1 0\nvt 1 1\nvt 0 1\nf 1/1 2/2 3/3\nf 1/1 3/3 4/4\nf 2/2 1/1 5/4\n"
    )
    scene = scene_of(
        Mesh(uri="sail.obj", path=str(tmp_path / "sail.obj")), Material(texture=picture)
    )
    with load_into_pybullet(scene, physicsClientId=bullet_client):
        assert quadrants(seen_from((4, 0, 0), bullet_client)) == UPRIGHT


@pytest.mark.parametrize(
    "geometry",
    [
        Sphere(radius=0.5),
        Cylinder(radius=0.5, length=1.0),
        Capsule(radius=0.4, length=0.4),
        Ellipsoid(radii=(0.5, 0.4, 0.6)),
    ],
    ids=lambda geometry: type(geometry).__name__,
)
def test_a_picture_goes_once_around_what_is_round(bullet_client, picture, geometry):
    with load_into_pybullet(
        scene_of(geometry, Material(texture=picture)), physicsClientId=bullet_client
    ):
        front, back = (quadrants(seen_from((0, y, 0), bullet_client)) for y in (-4, 4))
    right, left = UPRIGHT[1::2], UPRIGHT[::2]
    assert front == [right[0], right[0], right[1], right[1]]
    assert back == [left[0], left[0], left[1], left[1]]


def test_a_picture_lies_on_a_plane_and_takes_the_color(bullet_client, picture):
    plane = Plane(normal=(0.0, 0.0, 1.0), size=(1.0, 1.0))
    with load_into_pybullet(
        scene_of(plane, Material(texture=picture)), physicsClientId=bullet_client
    ):
        assert quadrants(seen_from((0, 0, 4), bullet_client, up=(0, 1, 0))) == UPRIGHT
    red = Material(texture=picture, diffuse=(1.0, 0.0, 0.0, 1.0))
    with load_into_pybullet(scene_of(plane, red), physicsClientId=bullet_client):
        image = seen_from((0, 0, 4), bullet_client, up=(0, 1, 0))
    assert [bool(image[y, x, 0] > 100) for y in (26, 38) for x in (26, 38)] == [
        True,
        False,
        False,
        True,
    ]
    assert image[26:39, 26:39, 1:].max() < 30


def test_a_mesh_without_texture_coordinates_is_reported_in_both_engines(
    bullet_client, picture, tmp_path
):
    trimesh.creation.icosphere(radius=0.3).export(tmp_path / "ball.stl")
    scene = scene_of(
        Mesh(uri="ball.stl", path=str(tmp_path / "ball.stl")), Material(texture=picture)
    )
    codes = {entry.code for entry in to_mjcf(scene).diagnostics}
    with load_into_pybullet(scene, physicsClientId=bullet_client) as robot:
        codes |= {entry.code for entry in robot.diagnostics}
    assert {"pybullet.no-texture-coordinates", "mjcf.no-texture-coordinates"} <= codes


def test_a_picture_that_is_not_there_leaves_the_color(bullet_client, tmp_path):
    scene = scene_of(
        UNIT, Material(texture=str(tmp_path / "gone.png"), diffuse=(0.0, 1.0, 0.0, 1.0))
    )
    with load_into_pybullet(scene, physicsClientId=bullet_client) as robot:
        assert [entry.code for entry in robot.diagnostics if entry.code.startswith("texture")] == [
            "texture.unreadable"
        ]
        assert hue(seen_from((4, 0, 0), bullet_client)[32, 32]) == (False, True, False)


@pytest.mark.parametrize(
    ("geometry", "volume"),
    [
        (Box(size=(1.0, 2.0, 3.0)), 6.0),
        (Sphere(radius=2.0), 32.0 / 3.0 * math.pi),
        (Ellipsoid(radii=(1.0, 2.0, 3.0)), 8.0 * math.pi),
        (Cylinder(radius=1.0, length=2.0), 2.0 * math.pi),
        (Cone(radius=1.0, length=3.0), math.pi),
        (Capsule(radius=1.0, length=2.0), 2.0 * math.pi + 4.0 / 3.0 * math.pi),
    ],
    ids=lambda value: type(value).__name__,
)
def test_what_is_drawn_under_a_picture_has_the_shape_of_the_primitive(geometry, volume):
    vertices, faces, uv = textured_mesh(geometry)
    assert trimesh.Trimesh(vertices, faces, process=False).volume == pytest.approx(volume, rel=0.02)
    assert uv.shape == (len(vertices), 2)
    assert (uv.min(), uv.max()) == (0.0, 1.0)


@pytest.mark.parametrize("suffix", ["png", "jpg"])
def test_mujoco_has_the_picture_pixel_by_pixel(picture, suffix):
    file = picture.replace("png", suffix)
    model = compiled(to_mjcf(scene_of(UNIT, Material(texture=file))))
    (texture,) = model.mat_texid[:, mujoco.mjtTextureRole.mjTEXROLE_RGB]
    height, width = model.tex_height[texture], model.tex_width[texture]
    pixels = model.tex_data[model.tex_adr[texture] :][: height * width * 3].reshape(
        height, width, 3
    )
    with Image.open(file) as image:
        expected = np.asarray(image)
    assert np.array_equal(pixels, expected) or np.array_equal(pixels, expected[::-1])


def test_physically_based_looks_are_those_of_the_material(picture):
    maps = tuple(
        (kind, picture) for kind in ("albedo_map", "normal_map", "roughness_map", "metalness_map")
    )
    look = Material(texture=picture, metalness=0.25, roughness=0.75, maps=maps)
    mjcf = to_mjcf(scene_of(UNIT, look))
    model = compiled(mjcf)
    roles = mujoco.mjtTextureRole
    for role in (
        roles.mjTEXROLE_RGB,
        roles.mjTEXROLE_NORMAL,
        roles.mjTEXROLE_ROUGHNESS,
        roles.mjTEXROLE_METALLIC,
    ):
        assert model.mat_texid[0, role] >= 0
    assert (model.mat_metallic[0], model.mat_roughness[0]) == pytest.approx((0.25, 0.75))
    assert "mjcf.material" not in {entry.code for entry in mjcf.diagnostics}


def test_a_map_without_a_color_texture_keeps_the_color(picture):
    look = Material(diffuse=(0.1, 0.2, 0.3, 1.0), maps=(("normal_map", picture),))
    model = compiled(to_mjcf(scene_of(UNIT, look)))
    assert model.mat_rgba[0] == pytest.approx((0.1, 0.2, 0.3, 1.0))
    assert model.mat_texid[0, mujoco.mjtTextureRole.mjTEXROLE_NORMAL] >= 0


def test_shapes_that_neither_engine_draws_are_reported(bullet_client, picture):
    look = Material(texture=picture, maps=(("albedo_map", picture), ("light_map", picture)))
    (entry,) = [
        entry
        for entry in to_mjcf(scene_of(UNIT, look)).diagnostics
        if entry.code == "mjcf.material"
    ]
    assert entry.arguments["properties"] == ("light map",)
    with load_into_pybullet(scene_of(UNIT, look), physicsClientId=bullet_client) as robot:
        assert "pybullet.appearance" in {entry.code for entry in robot.diagnostics}
    plain = Material(texture=picture, maps=(("albedo_map", picture),))
    with load_into_pybullet(scene_of(UNIT, plain), physicsClientId=bullet_client) as robot:
        assert "pybullet.appearance" not in {entry.code for entry in robot.diagnostics}


def test_what_touches_stays_a_primitive_under_a_picture(bullet_client, picture):
    scene = scene_of(UNIT, Material(texture=picture))
    (link,) = scene.links
    touching = Link(
        name="a",
        model="m",
        X_WL=IDENTITY,
        inertia=link.inertia,
        visuals=link.visuals,
        collisions=(Collision(name="c", X_LG=IDENTITY, geometry=UNIT),),
    )
    with load_into_pybullet(
        Scene(name="m", models=scene.models, links=(touching,)), physicsClientId=bullet_client
    ) as r:
        (shape,) = pybullet.getCollisionShapeData(r, -1, bullet_client)
    assert shape[2] == pybullet.GEOM_BOX


@pytest.mark.parametrize(("most", "width"), [(200_000, 300), (150_000, 256)])
def test_textures_are_scaled_where_the_copies_for_all_visuals_would_be_too_large(
    tmp_path, monkeypatch, most, width
):
    Image.new("RGB", (300, 200), (255, 0, 0)).save(tmp_path / "paint.jpg")
    (tmp_path / "a.obj").write_text(
        "mtllib a.mtl\nusemtl m\nv 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nvt 0 0\nvt 1 1\n"
        "f 1/1 2/2 3/2\nf 1/1 3/2 4/1\n"
    )
    (tmp_path / "a.mtl").write_text("newmtl m\nmap_Kd paint.jpg\n")
    mesh = Mesh(uri="a.obj", path=str(tmp_path / "a.obj"))
    visuals = [Visual(name=f"v{i}", X_LG=IDENTITY, geometry=mesh) for i in range(3)]
    monkeypatch.setattr("bridge.targets.pybullet.load._MOST_PIXELS", most)
    pybullet.connect(pybullet.DIRECT)
    try:
        body = load_into_pybullet(scene_with(visuals=tuple(visuals)), quiet=True)
        paths = [Path(shape[4].decode()) for shape in pybullet.getVisualShapeData(int(body))]
    finally:
        pybullet.disconnect()
    assert len(paths) == 3
    library = paths[0].with_name(paths[0].read_text().split()[1])
    with Image.open(library.with_name(library.read_text().split()[-1])) as image:
        assert (image.format, image.width) == ("JPEG", width)
    assert ("pybullet.texture-size" in codes(body.diagnostics)) is (width < 300)
