"""Convexity of triangle meshes."""

import pytest
import trimesh

from bridge.geometry.convex_decomposition import is_convex


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
