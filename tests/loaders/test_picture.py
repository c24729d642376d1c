"""Pictures of scenes: triangles and pixels against closed forms, and the cards that show them."""

from __future__ import annotations

import dataclasses
import io
import math
from pathlib import Path

import numpy as np
import pytest
import trimesh
from PIL import Image

import bridge
import loaders
from loaders import picture as module
from loaders.diagnostics import Where
from loaders.model import (
    Box,
    Capsule,
    Collision,
    Cone,
    Cylinder,
    Ellipsoid,
    Empty,
    Heightmap,
    Material,
    Mesh,
    Plane,
    Polyline,
    Sphere,
    Visual,
)
from loaders.picture import (
    COLLISION_COLOR,
    DEFAULT_COLOR,
    SIZE,
    paint,
    picture,
    surfaces,
    view_axes,
)
from loaders.pose import IDENTITY, Pose
from tests.support.scenes import joint, link, scene
from tests.support.web_page import WebPage, is_inert

# The renderer against the closed form: which pixels a triangle covers, and which of two is in
# front.

PAINTER_SIZE = (120, 90)


def pixels(corners, colors) -> np.ndarray:
    from PIL import Image

    png = paint(np.array(corners, dtype=float), np.array(colors, dtype=float), PAINTER_SIZE)
    return np.asarray(Image.open(io.BytesIO(png)), dtype=int)


def in_world(in_camera) -> np.ndarray:
    """Points with coordinates right, up and away from the camera."""
    return np.array(in_camera, dtype=float) @ view_axes()


def test_the_axes_are_a_right_handed_frame_and_the_camera_looks_down() -> None:
    right, up, forward = view_axes()
    assert np.allclose(view_axes() @ view_axes().T, np.eye(3))
    assert np.allclose(np.cross(right, forward), up)
    assert up[2] > 0.9
    assert forward[2] < 0.0


@pytest.mark.parametrize("seed", range(3))
def test_a_triangle_covers_the_pixels_inside_it(seed: int) -> None:
    flat = np.random.default_rng(seed).uniform(-1.0, 1.0, (3, 2))
    image = pixels([in_world(np.column_stack((flat, np.zeros(3))))], [(1.0, 1.0, 1.0)])
    low, high = flat.min(axis=0), flat.max(axis=0)
    scale = min(PAINTER_SIZE[0] / (high - low)[0], PAINTER_SIZE[1] / (high - low)[1]) / 1.06
    corners = (flat - (low + high) / 2.0) * (scale, -scale) + np.array(PAINTER_SIZE) / 2.0
    x, y = np.meshgrid(np.arange(PAINTER_SIZE[0]) + 0.5, np.arange(PAINTER_SIZE[1]) + 0.5)
    edges = np.roll(corners, -1, axis=0) - corners
    turn = np.sign(edges[0][0] * edges[1][1] - edges[0][1] * edges[1][0])
    distance = np.min(
        [
            turn * (e[0] * (y - c[1]) - e[1] * (x - c[0])) / np.hypot(*e)
            for c, e in zip(corners, edges, strict=True)
        ],
        axis=0,
    )
    assert (image[:, :, 3][distance > 1.0] == 255).all()
    assert (image[:, :, 3][distance < -1.5] == 0).all()


def test_the_nearer_triangle_hides_the_other_whatever_their_order() -> None:
    square = [(-1, -1), (1, -1), (0, 1)]
    red, blue = (in_world([(*xy, depth) for xy in square]) for depth in (0.0, 0.5))
    for corners, colors in (
        ([red, blue], [(1, 0, 0), (0, 0, 1)]),
        ([blue, red], [(0, 0, 1), (1, 0, 0)]),
    ):
        image = pixels(corners, colors)
        assert image[:, :, 0].max() > 100
        assert image[:, :, 2].max() == 0


def test_equal_input_gives_equal_bytes_and_the_background_is_transparent() -> None:
    corners = np.array([in_world([(-1, -1, 0), (1, -1, 0), (0, 1, 0)])])
    assert paint(corners, np.ones((1, 3)), PAINTER_SIZE) == paint(
        corners, np.ones((1, 3)), PAINTER_SIZE
    )
    assert pixels(corners, np.ones((1, 3)))[0, 0].tolist() == [0, 0, 0, 0]


def test_a_point_and_a_line_are_no_error() -> None:
    assert pixels(np.zeros((1, 3, 3)), np.ones((1, 3))).shape == (*PAINTER_SIZE[::-1], 4)
    assert pixels([in_world([(0, 0, 0), (1, 0, 0), (2, 0, 0)])], np.ones((1, 3)))[:, :, 3].max() > 0


# Shapes as triangles: their volume and extent are those of the closed form, within the
# tessellation.

SOLIDS = [
    (Box(size=(1.0, 2.0, 3.0)), 6.0, (1.0, 2.0, 3.0)),
    (Sphere(radius=0.5), math.pi / 6.0, (1.0, 1.0, 1.0)),
    (Ellipsoid(radii=(1.0, 2.0, 0.5)), 4.0 * math.pi / 3.0, (2.0, 4.0, 1.0)),
    (Cylinder(radius=0.5, length=2.0), math.pi / 2.0, (1.0, 1.0, 2.0)),
    (Capsule(radius=0.5, length=2.0), math.pi / 2.0 + math.pi / 6.0, (1.0, 1.0, 3.0)),
    (Cone(radius=0.5, length=3.0), math.pi / 4.0, (1.0, 1.0, 3.0)),
    (Polyline(outlines=(((0, 0), (2, 0), (2, 1), (0, 1)),), height=0.5), 1.0, (2.0, 1.0, 0.5)),
]


def visual(geometry, **rest) -> Visual:
    return Visual(name="v", X_LG=IDENTITY, geometry=geometry, **rest)


@pytest.mark.parametrize(("shape", "volume", "extent"), SOLIDS, ids=lambda x: type(x).__name__)
def test_a_solid_has_its_volume_and_extent_and_faces_outward(shape, volume, extent) -> None:
    (surface,) = surfaces(visual(shape))
    mesh = trimesh.Trimesh(surface.vertices, surface.faces)
    assert mesh.is_watertight
    assert mesh.volume == pytest.approx(volume, rel=0.02)
    assert mesh.extents == pytest.approx(extent, rel=0.01)
    if not isinstance(shape, Polyline):
        assert mesh.bounds.mean(axis=0) == pytest.approx((0.0, 0.0, 0.0), abs=1e-9)


def test_a_plane_is_a_rectangle_across_its_normal() -> None:
    (surface,) = surfaces(visual(Plane(normal=(0.0, 1.0, 0.0), size=(2.0, 4.0))))
    assert np.abs(surface.vertices[:, 1]).max() < 1e-12
    (terrain,) = surfaces(visual(Heightmap(uri="h", path=None, size=(2, 2, 1), position=(0, 0, 3))))
    assert terrain.vertices[:, 2].tolist() == [3.0] * 4


def test_colors_are_those_of_the_material_and_collisions_have_their_own() -> None:
    box = Box(size=(1, 1, 1))
    (plain,) = surfaces(visual(box))
    (red,) = surfaces(visual(box, material=Material(diffuse=(1, 0, 0, 1)), transparency=0.75))
    (solid,) = surfaces(Collision(name="c", X_LG=IDENTITY, geometry=box))
    assert (plain.rgba, red.rgba, solid.rgba) == (DEFAULT_COLOR, (1, 0, 0, 0.25), COLLISION_COLOR)


def test_a_mesh_is_read_again_when_its_file_changes(tmp_path) -> None:
    file = tmp_path / "a.obj"
    mesh = Mesh(uri="a.obj", path=str(file), scale=(2.0, 1.0, 1.0))
    assert list(surfaces(visual(mesh))) == []
    trimesh.creation.box((1, 1, 1)).export(file)
    assert np.ptp(next(surfaces(visual(mesh))).vertices, axis=0).tolist() == [2.0, 1.0, 1.0]
    trimesh.creation.box((3, 1, 1)).export(file)
    import os

    os.utime(file, ns=(1, 1))
    assert np.ptp(next(surfaces(visual(mesh))).vertices, axis=0).tolist() == [6.0, 1.0, 1.0]


def test_what_has_no_surface_has_none(tmp_path) -> None:
    (tmp_path / "bad.stl").write_bytes(b"garbage")
    assert list(surfaces(visual(Empty()))) == []
    assert list(surfaces(visual(Mesh(uri="bad.stl", path=str(tmp_path / "bad.stl"))))) == []
    assert list(surfaces(visual(Mesh(uri="gone.stl", path=None)))) == []


_TEXTURED = {
    "m.obj": "mtllib m.mtl\nv 0 0 0\nv 1 0 0\nv 0 1 0\nv 1 1 0\nvt 0 0\nvt 1 0\nvt 0 1\nvt 1 1\n"
    "g a\nusemtl skin\nf 1/1 2/2 3/3\ng b\nusemtl plain\nf 2 4 3\ng c\nusemtl skin\nf 3/3 2/2 "
    "4/4\n",
    "m.mtl": "newmtl skin\nKd 1 1 1\nmap_Kd skin.png\nnewmtl plain\nKd 0 1 0\n",
}


@pytest.fixture
def textured(tmp_path) -> Mesh:
    """A mesh of three triangles; the first and the last have a texture."""
    for name, text in _TEXTURED.items():
        (tmp_path / name).write_text(text)
    Image.new("RGB", (4, 4), (200, 100, 50)).save(tmp_path / "skin.png")
    return Mesh(uri="m.obj", path=str(tmp_path / "m.obj"))


def test_parts_of_a_mesh_with_one_texture_are_one_surface(textured) -> None:
    by_texture = {surface.texture: surface for surface in surfaces(visual(textured))}
    skin, plain = by_texture[textured.path.replace("m.obj", "skin.png")], by_texture[None]
    assert len(by_texture) == 2
    assert (len(skin.faces), len(plain.faces)) == (2, 1)
    assert np.allclose(skin.uv, skin.vertices[:, :2]), "in the file, the coordinates are x and y"
    assert (skin.rgba, plain.rgba) == ((1, 1, 1, 1), (0, 1, 0, 1))
    assert plain.uv is None


def test_a_color_replaces_the_texture_of_a_mesh_in_sdformat_and_tints_it_in_urdf(textured) -> None:
    red = Material(diffuse=(1, 0, 0, 1))
    assert {surface.texture for surface in surfaces(visual(textured, material=red))} == {None}
    urdf = list(surfaces(visual(textured, material=red, where=Where(path="/robot/link/visual"))))
    assert {surface.texture is None for surface in urdf} == {True, False}
    assert {surface.rgba for surface in urdf} == {(1, 0, 0, 1)}


def test_the_texture_of_a_material_covers_the_parts_with_coordinates(textured) -> None:
    surfaces_of = {
        s.texture: s for s in surfaces(visual(textured, material=Material(texture="other.png")))
    }
    assert set(surfaces_of) == {"other.png", None}
    assert surfaces_of["other.png"].rgba == (1, 1, 1, 1)
    assert [s.texture for s in surfaces(Collision(name="c", X_LG=IDENTITY, geometry=textured))] == [
        None,
        None,
    ]


# The picture of a scene shows its visuals in their colors and places.

BOX = Box(size=(0.4, 0.4, 0.4))


def painted(name, rgba, **rest):
    visual = Visual(name="v", X_LG=IDENTITY, geometry=BOX, material=Material(diffuse=rgba))
    return link(name, visuals=(visual,), **rest)


def image_of(data: bytes | None) -> np.ndarray:
    assert data is not None
    return np.asarray(Image.open(io.BytesIO(data)), dtype=int)


def count(image: np.ndarray, channel: int) -> int:
    others = [k for k in range(3) if k != channel]
    return int((image[:, :, channel] > image[:, :, others].max(axis=2) + 60).sum())


RED = painted("a", (1.0, 0.0, 0.0, 1.0), shape=BOX)
BLUE = painted("b", (0.0, 0.0, 1.0, 1.0), X_WL=Pose.of(p=(0.0, 1.0, 0.0)))


def test_links_are_drawn_in_their_colors() -> None:
    image = image_of(picture(scene([RED, BLUE])))
    assert image.shape == (*SIZE[::-1], 4)
    assert min(count(image, 0), count(image, 2)) > 3000
    assert count(image, 1) == 0


def test_given_poses_move_links() -> None:
    behind = {"b": Pose.of(p=(0.0, 0.0, 0.0))}
    assert picture(scene([RED, BLUE]), behind) != picture(scene([RED, BLUE]))
    assert picture(scene([RED, BLUE]), {"b": BLUE.X_WL}) == picture(scene([RED, BLUE]))


def test_collisions_are_drawn_only_without_visuals() -> None:
    bare = link("a", shape=BOX)
    assert image_of(picture(scene([bare])))[:, :, 3].max() == 255
    assert count(image_of(picture(scene([RED]))), 0) > 3000


def test_grounds_and_invisible_visuals_are_left_out_and_an_empty_scene_has_no_picture() -> None:
    assert picture(scene([link("a", shape=Plane())])) is None
    (visual,) = RED.visuals
    ghost = dataclasses.replace(RED, visuals=(dataclasses.replace(visual, transparency=1.0),))
    assert picture(scene([ghost])) is None
    assert picture(scene([link("a")])) is None


def test_too_many_triangles_are_no_picture(monkeypatch) -> None:
    monkeypatch.setattr(module, "MAX_TRIANGLES", 10)
    assert picture(scene([RED])) is None


# The cards of scenes and mechanisms in a notebook.

ARM = Path(__file__).parents[2] / "assets" / "arm" / "model.sdf"
HOSTILE = "<script>alert(1)</script>"


def test_a_scene_and_its_mechanism_show_picture_counts_and_every_joint() -> None:
    arm = loaders.load(ARM)
    for shown in (arm, bridge.lower(arm)):
        text = shown._repr_html_()
        page = WebPage(text)
        assert is_inert(text)
        assert page.tags.count("img") == 1
        assert "3 models, 9 links" in page.text
        assert all(j.name in page.text for j in arm.joints)
        assert len(text) < 60_000


def test_hostile_names_are_text() -> None:
    links = [link(HOSTILE, shape=Box(size=(1, 1, 1))), link("b")]
    made = scene(links, [joint(HOSTILE, HOSTILE, "b")], name=HOSTILE, source=f"/a/{HOSTILE}")
    for text in (made._repr_html_(), bridge.lower(made)._repr_html_()):
        assert is_inert(text)
        assert HOSTILE in WebPage(text).text


def test_an_empty_scene_has_a_card() -> None:
    page = WebPage(scene([])._repr_html_())
    assert "0 links" in page.text
    assert "img" not in page.tags


def test_a_picture_has_the_colors_of_a_texture(tmp_path):
    """The left half of a square is red and the right half green, as seen from the camera."""
    colors = np.zeros((8, 8, 3), np.uint8)
    colors[:, :4, 0], colors[:, 4:, 1] = 255, 255
    Image.fromarray(colors).save(tmp_path / "a.png")
    (tmp_path / "a.mtl").write_text("newmtl m\nKd 1 1 1\nmap_Kd a.png\n")
    xs, us = (-1, 0, 0, 0, 1), (0, 0.5, 0.5, 0.5, 1)
    corners = "".join(
        f"v {x} 0 0\nv {x} 0 1\nvt {u} 0\nvt {u} 1\n" for x, u in zip(xs, us, strict=True)
    )
    triangles = ((1, 3, 4), (1, 4, 2), (7, 9, 10), (7, 10, 8))
    faces = "".join(f"f {i}/{i} {j}/{j} {k}/{k}\n" for i, j, k in triangles)
    (tmp_path / "a.obj").write_text(f"mtllib a.mtl\nusemtl m\n{corners}{faces}")
    mesh = Mesh(uri="a.obj", path=str(tmp_path / "a.obj"))
    drawn = image_of(picture(scene([link("a", visuals=(visual(mesh),))])))
    seen = drawn[drawn[..., 3] == 255]
    assert {tuple(row > 0) for row in seen[:, :3]} == {(True, False, False), (False, True, False)}
