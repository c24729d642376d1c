"""Tessellated cones and polylines are closed and have the volumes of the shapes."""

import math

import numpy as np
import pytest
import trimesh

from bridge.geometry.mesh import shape_asset
from bridge.geometry.shapes import MAX_CORNERS, cone, prisms
from loaders.diagnostics import Diagnostics, Where
from loaders.model import Cone, Polyline

HERE = Where("robot.sdf", 3)


def codes(diagnostics):
    return [entry.code for entry in diagnostics]


def solid(vertices, faces):
    mesh = trimesh.Trimesh(vertices, faces, process=False)
    assert mesh.is_watertight
    return mesh


def test_a_cone_has_the_volume_of_its_polygon_and_its_center_a_quarter_up():
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


@pytest.mark.parametrize(
    ("outline", "height"),
    [
        (((0.0, 0.0),), 1.0),
        (((0.0, 0.0),) * 4, 1.0),
        (((0.0, 0.0), (1.0, 1.0), (2.0, 2.0), (5.0, 5.0)), 1.0),
        (((0.0, 0.0), (1.0, 0.0), (0.0, 1.0)), 0.0),
        (((0.0, 0.0), (1.0, 0.0), (0.0, 1.0)), -1.0),
        (((0.0, 0.0), (1e300, 0.0), (0.0, 1e300)), 1.0),
        (tuple((math.cos(i), math.sin(i)) for i in range(MAX_CORNERS + 1)), 1.0),
    ],
)
def test_an_outline_without_a_volume_is_left_out_with_a_finding(outline, height) -> None:
    square = ((0.0, 0.0), (1.0, 0.0), (1.0, 1.0), (0.0, 1.0))
    diagnostics = Diagnostics()
    assert shape_asset(Polyline(outlines=(outline,), height=height), "mjcf", diagnostics) == ()
    assert codes(diagnostics) == ["mesh.degenerate"]
    if height > 0.0:
        assert (
            len(
                shape_asset(
                    Polyline(outlines=(outline, square), height=height), "mjcf", diagnostics
                )
            )
            == 1
        )


@pytest.mark.parametrize(("radius", "length"), [(0.0, 1.0), (1.0, 0.0), (1e-300, 1.0), (1.0, -1.0)])
def test_a_cone_without_a_volume_is_left_out_with_a_finding(radius, length) -> None:
    diagnostics = Diagnostics()
    assert shape_asset(Cone(radius=radius, length=length), "mjcf", diagnostics) == ()
    assert codes(diagnostics) == ["mesh.degenerate"]


def test_an_outline_that_intersects_itself_is_reported() -> None:
    """No corner of this outline that remains after the first cut is an ear."""
    outline = ((0.0, 0.0), (0.0, 1.0), (1.0, 0.0), (1.0, 2.0), (1.0, 1.0))
    diagnostics = Diagnostics()
    (asset,) = shape_asset(Polyline(outlines=(outline,)), "mjcf", diagnostics, where=HERE)
    assert codes(diagnostics) == ["mesh.polyline", "mesh.polyline-not-simple"]
    assert len(asset.faces) == 2 * 3 + 2 * 5
