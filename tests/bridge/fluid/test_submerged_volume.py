"""Volumes below a plane, against closed forms and against sums over a grid of points."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest

from bridge.fluid import MeshSolid, Solid, solid_of
from loaders.model import Box, Capsule, Cone, Cylinder, Ellipsoid, Geometry, Mesh, Plane, Sphere

Z = np.array((0.0, 0.0, 1.0))
TILTED = np.array((2.0, -1.0, 2.0)) / 3.0
SHAPES: dict[str, tuple[Geometry, float]] = {
    "box": (Box(size=(1.0, 2.0, 3.0)), 6.0),
    "sphere": (Sphere(radius=0.5), math.pi / 6.0),
    "ellipsoid": (Ellipsoid(radii=(0.3, 0.5, 0.7)), 4.0 / 3.0 * math.pi * 0.105),
    "cylinder": (Cylinder(radius=0.5, length=2.0), math.pi / 2.0),
    "cone": (Cone(radius=0.5, length=2.0), math.pi / 6.0),
    "capsule": (Capsule(radius=0.5, length=2.0), math.pi / 2.0 + math.pi / 6.0),
}


def solid(geometry: Geometry) -> Solid:
    found = solid_of(geometry)
    assert found is not None
    return found


@pytest.mark.parametrize("shape", SHAPES)
def test_the_volume_is_that_of_the_closed_form(shape: str) -> None:
    geometry, volume = SHAPES[shape]
    assert solid(geometry).volume == pytest.approx(volume, rel=1e-12)
    whole = solid(geometry).below(TILTED, 10.0)
    assert whole.volume == pytest.approx(volume, rel=1e-12)


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("height", [-0.3, 0.1, 0.4])
def test_both_sides_of_a_plane_make_the_whole(shape: str, height: float) -> None:
    body = solid(SHAPES[shape][0])
    below, above, whole = (
        body.below(TILTED, height),
        body.below(-TILTED, -height),
        body.below(Z, 10.0),
    )
    assert below.volume + above.volume == pytest.approx(whole.volume, rel=1e-12)
    np.testing.assert_allclose(below.moment + above.moment, whole.moment, atol=1e-12)


def test_nothing_of_a_shape_is_below_a_deeper_plane() -> None:
    for geometry, _ in SHAPES.values():
        assert solid(geometry).below(TILTED, -9.0).volume == pytest.approx(0.0, abs=1e-15)


def test_a_cap_of_a_sphere_has_the_volume_and_center_of_the_closed_form() -> None:
    r, h = 0.5, 0.2  # the height of the cap
    cap = solid(Sphere(radius=r)).below(TILTED, h - r)
    assert cap.volume == pytest.approx(math.pi * h * h * (3.0 * r - h) / 3.0, rel=1e-12)
    depth = -0.75 * (2.0 * r - h) ** 2 / (3.0 * r - h)
    np.testing.assert_allclose(cap.moment / cap.volume, depth * TILTED, atol=1e-12)


def test_a_tilted_box_is_cut_along_its_diagonal_plane() -> None:
    wedge = solid(Box(size=(1.0, 1.0, 1.0))).below(np.array((1.0, 0.0, 1.0)) / math.sqrt(2.0), 0.0)
    assert wedge.volume == pytest.approx(0.5, rel=1e-12)
    np.testing.assert_allclose(
        wedge.moment / wedge.volume, (-1.0 / 6.0, 0.0, -1.0 / 6.0), atol=1e-12
    )


@pytest.mark.parametrize("height", [-0.7, 0.0, 0.55])
def test_a_cylinder_of_sides_is_within_a_thousandth_of_a_round_one(height: float) -> None:
    r = 0.5
    share = (
        (math.acos(-height / r) + height / r * math.sqrt(1.0 - (height / r) ** 2)) / math.pi
        if abs(height) < r
        else float(height > 0)
    )
    part = solid(Cylinder(radius=r, length=2.0)).below(np.array((1.0, 0.0, 0.0)), height)
    assert part.volume == pytest.approx(share * math.pi / 2.0, abs=1e-3)


def test_a_mesh_counts_whichever_way_its_triangles_face(tmp_path: Path) -> None:
    corners = solid(Box(size=(1.0, 1.0, 2.0)))
    assert isinstance(corners, MeshSolid)
    for triangles in (corners.corners, corners.corners[:, ::-1]):
        lines = [f"v {x} {y} {z}" for x, y, z in triangles.reshape(-1, 3)]
        faces = [f"f {3 * k + 1} {3 * k + 2} {3 * k + 3}" for k in range(len(triangles))]
        path = tmp_path / "box.obj"
        path.write_text("\n".join((*lines, *faces)))
        part = solid(Mesh(uri="box.obj", path=path, scale=(1.0, 1.0, 1.0))).below(Z, 0.5)
        assert part.volume == pytest.approx(1.5, rel=1e-9)


def test_a_plane_has_no_volume() -> None:
    assert solid_of(Plane()) is None
