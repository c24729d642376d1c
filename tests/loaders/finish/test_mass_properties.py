"""Mass properties of shapes against Drake, limits, and sums over grids of points."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from loaders.finish.mass_properties import shape_inertia
from loaders.inertia import SpatialInertia
from loaders.model import (
    Box,
    Capsule,
    Cone,
    Cylinder,
    Ellipsoid,
    Empty,
    Geometry,
    Heightmap,
    Mesh,
    Plane,
    Polyline,
    Sphere,
)
from loaders.pose import Pose

SIZE = st.floats(0.01, 10.0)
DENSITY = 730.0
QUICK = settings(max_examples=40, deadline=None)


def inertia(geometry: Geometry, density: float = DENSITY) -> SpatialInertia:
    found = shape_inertia(geometry, density)
    assert found is not None
    return found


def assert_same(
    own: SpatialInertia, mass: float, moments: NDArray[np.float64], rtol: float = 1e-12
) -> None:
    assert own.mass == pytest.approx(mass, rel=rtol)
    np.testing.assert_allclose(own.I_Lcm, moments, rtol=rtol, atol=rtol * np.abs(moments).max())


def assert_equal(a: SpatialInertia, b: SpatialInertia, rtol: float = 1e-11) -> None:
    assert_same(a, b.mass, b.I_Lcm, rtol)
    np.testing.assert_allclose(a.p_LLcm, b.p_LLcm, atol=1e-10)


# --- Drake as the witness -------------------------------------------------------------------------


@QUICK
@given(SIZE, SIZE, SIZE)
def test_boxes_ellipsoids_cylinders_and_capsules_weigh_what_drake_says(
    a: float, b: float, c: float
) -> None:
    tree = pytest.importorskip("pydrake.multibody.tree")
    Drakes = tree.SpatialInertia
    pairs = (
        (Box(size=(a, b, c)), Drakes.SolidBoxWithDensity(DENSITY, a, b, c)),
        (Ellipsoid(radii=(a, b, c)), Drakes.SolidEllipsoidWithDensity(DENSITY, a, b, c)),
        (Sphere(radius=a), Drakes.SolidSphereWithDensity(DENSITY, a)),
        (Cylinder(radius=a, length=b), Drakes.SolidCylinderWithDensity(DENSITY, a, b, [0, 0, 1])),
        (Capsule(radius=a, length=b), Drakes.SolidCapsuleWithDensity(DENSITY, a, b, [0, 0, 1])),
    )
    for geometry, theirs in pairs:
        assert not inertia(geometry).p_LLcm.any()
        assert_same(
            inertia(geometry), theirs.get_mass(), theirs.CalcRotationalInertia().CopyToFullMatrix3()
        )


# --- closed forms and limits ----------------------------------------------------------------------


@QUICK
@given(SIZE, SIZE)
def test_a_cone_is_a_pile_of_thin_discs_with_its_apex_up(radius: float, length: float) -> None:
    nodes, weights = np.polynomial.legendre.leggauss(5)
    z = (nodes + 1.0) / 2.0 * length  # height above the base; exact for polynomials up to degree 9
    discs = DENSITY * math.pi * (radius * (1.0 - z / length)) ** 2 * weights * length / 2.0
    mass = discs.sum()
    com = (discs * z).sum() / mass
    r_squared = (radius * (1.0 - z / length)) ** 2
    across = (discs * (r_squared / 4.0 + (z - com) ** 2)).sum()
    own = inertia(Cone(radius=radius, length=length))
    np.testing.assert_allclose(own.p_LLcm, (0.0, 0.0, com - length / 2.0), atol=1e-12)
    assert own.p_LLcm[2] == pytest.approx(-length / 4.0)
    assert_same(own, mass, np.diag((across, across, (discs * r_squared / 2.0).sum())))


@QUICK
@given(SIZE)
def test_a_capsule_without_length_is_a_sphere(radius: float) -> None:
    assert_equal(inertia(Capsule(radius=radius, length=0.0)), inertia(Sphere(radius=radius)))


def test_a_long_capsule_is_nearly_its_cylinder() -> None:
    capsule, cylinder = (
        inertia(Capsule(radius=0.01, length=100.0)),
        inertia(Cylinder(radius=0.01, length=100.0)),
    )
    assert_same(capsule, cylinder.mass, cylinder.I_Lcm, rtol=1e-3)


@QUICK
@given(SIZE, SIZE, SIZE, st.floats(0.1, 0.9))
def test_two_parts_of_a_box_weigh_as_the_box(x: float, y: float, z: float, share: float) -> None:
    left, right = share * x, (1.0 - share) * x
    parts = inertia(Box(size=(left, y, z))).moved(
        Pose.of(p=(left / 2.0 - x / 2.0, 0.0, 0.0))
    ) + inertia(Box(size=(right, y, z))).moved(Pose.of(p=(x / 2.0 - right / 2.0, 0.0, 0.0)))
    assert_equal(parts, inertia(Box(size=(x, y, z))))


@pytest.mark.parametrize(
    "geometry",
    [
        Box(size=(1.0, 2.0, 3.0)),
        Sphere(radius=0.3),
        Cylinder(radius=0.2, length=2.0),
        Capsule(radius=0.2, length=2.0),
        Cone(radius=0.4, length=0.1),
        Ellipsoid(radii=(0.1, 0.2, 3.0)),
        Polyline(outlines=(((0.0, 0.0), (1.0, 0.0), (0.0, 2.0)),), height=0.5),
    ],
    ids=lambda geometry: type(geometry).__name__,
)
def test_mass_and_moments_grow_with_the_density_and_a_real_body_could_have_them(
    geometry: Geometry,
) -> None:
    once, twice = inertia(geometry, 1.0), inertia(geometry, 2.0)
    assert once.defects() == []
    assert_same(twice, 2.0 * once.mass, 2.0 * once.I_Lcm)
    assert shape_inertia(geometry, 0.0) is not None


# --- prisms ---------------------------------------------------------------------------------------

SQUARE = ((-0.5, -0.5), (0.5, -0.5), (0.5, 0.5), (-0.5, 0.5))


def scaled(
    outline: tuple[tuple[float, float], ...], factor: float
) -> tuple[tuple[float, float], ...]:
    return tuple((factor * x, factor * y) for x, y in outline)


@QUICK
@given(SIZE, SIZE, SIZE, st.booleans(), st.booleans())
def test_a_rectangle_that_is_raised_is_a_box_standing_on_the_plane(
    x: float, y: float, z: float, clockwise: bool, closed: bool
) -> None:
    outline = ((3.0, 4.0), (3.0 + x, 4.0), (3.0 + x, 4.0 + y), (3.0, 4.0 + y))
    outline = outline[::-1] if clockwise else outline
    outline = (*outline, outline[0]) if closed else outline
    box = inertia(Box(size=(x, y, z))).moved(Pose.of(p=(3.0 + x / 2.0, 4.0 + y / 2.0, z / 2.0)))
    assert_equal(inertia(Polyline(outlines=(outline,), height=z)), box, rtol=1e-9)


@pytest.mark.parametrize("turned", [False, True])
def test_an_outline_within_another_is_a_hole_and_one_within_that_is_filled(turned: bool) -> None:
    hole = scaled(SQUARE, 0.6)
    nested = Polyline(
        outlines=(SQUARE, hole[::-1] if turned else hole, scaled(SQUARE, 0.2)), height=2.0
    )
    areas = (1.0, -(0.6**2), 0.2**2)
    own = inertia(nested, 1.0)
    polar = sum(math.copysign(area**2 / 6.0, area) for area in areas)
    assert own.mass == pytest.approx(2.0 * sum(areas))
    assert own.I_Lcm[2, 2] == pytest.approx(2.0 * polar)
    np.testing.assert_allclose(own.p_LLcm, (0.0, 0.0, 1.0), atol=1e-15)


def test_a_prism_of_any_outline_weighs_what_a_fine_grid_of_points_does() -> None:
    outline = (
        (0.0, 0.0),
        (2.0, 0.0),
        (2.0, 1.0),
        (1.0, 1.0),
        (1.0, 3.0),
        (0.0, 3.0),
    )  # the letter L
    side = np.arange(0.005, 3.0, 0.01)
    x, y = (axis.ravel() for axis in np.meshgrid(side[side < 2.0], side))
    inside = (x < 1.0) | (y < 1.0)
    x, y = x[inside], y[inside]
    height = 0.7
    own = inertia(Polyline(outlines=(outline,), height=height), 1.0)
    assert own.mass == pytest.approx(inside.sum() * 1e-4 * height)
    np.testing.assert_allclose(own.p_LLcm, (x.mean(), y.mean(), height / 2.0), rtol=1e-12)
    along = own.mass * height**2 / 12.0
    expected = np.array(
        (
            (own.mass * y.var() + along, -own.mass * np.cov(x, y, bias=True)[0, 1], 0.0),
            (-own.mass * np.cov(x, y, bias=True)[0, 1], own.mass * x.var() + along, 0.0),
            (0.0, 0.0, own.mass * (x.var() + y.var())),
        )
    )
    np.testing.assert_allclose(own.I_Lcm, expected, rtol=1e-4, atol=1e-4)


# --- meshes ---------------------------------------------------------------------------------------


def test_a_mesh_weighs_as_the_solid_that_it_encloses(tmp_path: Path) -> None:
    trimesh = pytest.importorskip("trimesh")
    path = tmp_path / "brick.stl"
    trimesh.creation.box((1.0, 2.0, 3.0)).export(path)
    mesh = Mesh(uri="brick.stl", path=str(path), scale=(0.5, 1.0, 2.0))
    assert_equal(inertia(mesh), inertia(Box(size=(0.5, 2.0, 6.0))), rtol=1e-6)


def test_a_mesh_that_is_mirrored_weighs_the_same(tmp_path: Path) -> None:
    trimesh = pytest.importorskip("trimesh")
    path = tmp_path / "cone.stl"
    trimesh.creation.cone(0.5, 2.0).export(path)
    plain, mirrored = (
        inertia(Mesh(uri="", path=str(path), scale=(1.0, 1.0, z))) for z in (1.0, -1.0)
    )
    assert mirrored.mass == pytest.approx(plain.mass)
    assert plain.mass > 0.0
    np.testing.assert_allclose(mirrored.p_LLcm, plain.p_LLcm * (1.0, 1.0, -1.0), atol=1e-12)


# --- no volume ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "geometry",
    [
        Plane(),
        Empty(),
        Heightmap(uri="hill.png", path=None),
        Mesh(uri="lost.stl", path=None),
        Polyline(outlines=()),
        Polyline(outlines=((),)),
        Polyline(outlines=(((0.0, 0.0), (1.0, 1.0)),)),
        Polyline(outlines=(SQUARE,), height=0.0),
    ],
    ids=repr,
)
def test_what_has_no_volume_has_no_inertia(geometry: Geometry) -> None:
    assert shape_inertia(geometry, DENSITY) is None


@pytest.mark.parametrize(
    "geometry",
    [
        Capsule(radius=1e200, length=1.0),
        Cylinder(radius=1e200, length=1.0),
        Box(size=(1e200, 1e200, 1.0)),
        Polyline(outlines=(((0.0, 0.0), (1e300, 0.0), (0.0, 1e300)),), height=1.0),
    ],
)
def test_what_is_too_large_for_a_number_has_no_inertia(geometry: Geometry) -> None:
    assert shape_inertia(geometry, DENSITY) is None
