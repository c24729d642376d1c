"""Shapes as triangles: their volume and extent are those of the closed form, within the
tessellation.
"""

from __future__ import annotations

import math

import numpy as np
import pytest
import trimesh
from PIL import Image

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
from loaders.picture import COLLISION_COLOR, DEFAULT_COLOR, surfaces
from loaders.pose import IDENTITY

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
