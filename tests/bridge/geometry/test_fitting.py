"""Fitted shapes: closed forms, and containment of random points."""

import numpy as np
import pytest
import trimesh
from hypothesis import given, settings
from hypothesis import strategies as st

from bridge.geometry.convex_decomposition import spread_directions, with_fewer_corners
from bridge.geometry.fitting import (
    certificate_of_fit,
    certificate_of_solids,
    enclosing_ball,
    fitted,
    inward_deviation,
    shrunk,
)
from loaders.meshes import MeshData, MeshPart

KINDS = ("box", "sphere", "capsule", "cylinder")
R_WB = trimesh.transformations.rotation_matrix(0.7, (1.0, 2.0, 3.0))[:3, :3]


def mesh_data(vertices, faces):
    return MeshData(parts=(MeshPart(names=(), vertices=vertices, faces=faces),))


def data_of(mesh):
    return mesh_data(np.array(mesh.vertices, dtype=float), np.array(mesh.faces))


def moved(mesh):
    """Return the vertices of a mesh in a frame that is turned and far away."""
    return np.array(mesh.vertices) @ R_WB.T + (5.0, -6.0, 7.0)


def l_shape():
    outline = np.array([(0, 0), (3, 0), (3, 1), (1, 1), (1, 3), (0, 3)], dtype=float)
    triangles = np.array([(0, 1, 2), (0, 2, 3), (0, 3, 4), (0, 4, 5)])
    return trimesh.creation.extrude_triangulation(outline, triangles, 1.0)


def test_a_turned_box_is_found_again():
    found = fitted("box", moved(trimesh.creation.box((1.0, 2.0, 3.0))))
    assert sorted(found.shape.size) == pytest.approx([1.0, 2.0, 3.0], abs=1e-7)
    assert found.X_GS.p == pytest.approx((5.0, -6.0, 7.0), abs=1e-7)


def test_a_box_along_the_axes_keeps_them():
    found = fitted("box", np.array(trimesh.creation.box((1.0, 2.0, 3.0)).vertices))
    assert found.shape.size == pytest.approx((1.0, 2.0, 3.0), abs=1e-7)
    assert np.array_equal(found.X_GS.R, np.eye(3))


def test_a_turned_capsule_is_found_again():
    found = fitted("capsule", moved(trimesh.creation.capsule(height=2.0, radius=0.3)))
    assert found.shape.radius == pytest.approx(0.3, abs=1e-6)
    assert found.shape.length == pytest.approx(2.0, abs=1e-5)


def test_a_turned_cylinder_is_found_again():
    found = fitted("cylinder", moved(trimesh.creation.cylinder(radius=0.3, height=2.0)))
    assert found.shape.radius == pytest.approx(0.3, abs=1e-6)
    assert found.shape.length == pytest.approx(2.0, abs=1e-6)


def test_the_smallest_ball_of_a_box_touches_its_corners():
    center, radius = enclosing_ball(moved(trimesh.creation.box((1.0, 2.0, 3.0))))
    assert center == pytest.approx((5.0, -6.0, 7.0), abs=1e-9)
    assert radius == pytest.approx(np.sqrt(14.0) / 2.0, abs=1e-9)


def test_the_smallest_circle_of_an_obtuse_triangle_has_its_longest_side_as_diameter():
    center, radius = enclosing_ball(np.array([(0.0, 0.0), (4.0, 0.0), (1.0, 0.5)]))
    assert center == pytest.approx((2.0, 0.0), abs=1e-9)
    assert radius == pytest.approx(2.0, abs=1e-9)


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 2**32 - 1), st.integers(5, 80), st.sampled_from(KINDS))
def test_a_fitted_shape_contains_all_points(seed, count, kind):
    rng = np.random.default_rng(seed)
    points = rng.normal(size=(count, 3)) * rng.uniform(0.05, 1.0, 3) @ R_WB.T + rng.normal(size=3)
    assert inward_deviation(fitted(kind, points), points) == 0.0


@pytest.mark.parametrize("kind", KINDS)
def test_a_shrunk_shape_lies_inside_by_the_depth(kind):
    """The support of a convex body falls by the depth where its surface is smooth or flat."""
    points = np.array(trimesh.creation.box((1.0, 2.0, 3.0)).vertices)
    first = fitted(kind, points)
    second = shrunk(first, 0.1)
    center = first.X_GS.p[None]
    for direction in spread_directions(20):
        assert inward_deviation(second, center + 10.0 * direction) > inward_deviation(
            first, center + 10.0 * direction
        )


# --- certificates ---------------------------------------------------------------------------------


def test_a_box_is_exact_for_a_mesh_of_a_box():
    data = data_of(trimesh.creation.box((1.0, 2.0, 3.0)))
    found = certificate_of_fit(fitted("box", data.vertices), data)
    assert (found.outward.distance, found.outward.error) == (0.0, 0.0)
    assert (found.inward.distance, found.inward.error) == (0.0, 0.0)
    assert found.volume_ratio == pytest.approx(1.0, abs=1e-6)


def test_the_sphere_around_a_box_lies_farthest_from_its_largest_face():
    data = data_of(trimesh.creation.box((1.0, 2.0, 3.0)))
    found = certificate_of_fit(fitted("sphere", data.vertices), data)
    radius = np.sqrt(14.0) / 2.0
    assert found.outward.distance == pytest.approx(radius - 0.5, abs=1e-6)
    assert np.abs(found.outward.point) == pytest.approx((radius, 0.0, 0.0), abs=1e-6)
    assert found.volume_ratio == pytest.approx(4.0 / 3.0 * np.pi * radius**3 / 6.0, rel=1e-6)


def test_the_capsule_of_a_sphere_is_a_sphere():
    ball = trimesh.creation.icosphere(3)
    found = fitted("capsule", np.array(ball.vertices))
    assert found.shape.radius == pytest.approx(1.0, abs=1e-6)
    assert found.shape.length == pytest.approx(0.0, abs=1e-6)
    made = certificate_of_fit(found, data_of(ball))
    a, b, c = ball.triangles.transpose(1, 0, 2)
    deepest = 1.0 - np.linalg.norm((a + b + c) / 3.0, axis=1).min()
    assert made.outward.distance <= deepest <= made.outward.distance + made.outward.error


def test_the_hull_of_an_l_reaches_to_the_middle_of_its_long_edge():
    """The hull has the edge from (3, 1) to (1, 3), whose middle is 1 m from both legs."""
    data = data_of(l_shape())
    found = certificate_of_solids([(data.vertices, data.faces)], data)
    assert found.outward.distance == pytest.approx(1.0, abs=1e-9)
    assert found.outward.point[:2] == pytest.approx((2.0, 2.0), abs=1e-9)
    assert found.outward.error <= 0.02 * 3.0
    assert found.inward.distance == 0.0
    assert found.volume_ratio == pytest.approx(7.0 / 5.0, rel=1e-9)


def test_one_leg_of_an_l_lacks_the_other():
    data = data_of(l_shape())
    leg = trimesh.creation.box(bounds=((0.0, 0.0, 0.0), (3.0, 1.0, 1.0)))
    other = trimesh.creation.box(bounds=((0.0, 1.0, 0.0), (1.0, 2.0, 1.0)))
    solids = [(np.array(m.vertices), np.array(m.faces)) for m in (leg, other)]
    found = certificate_of_solids(solids, data)
    assert found.inward.distance == pytest.approx(1.0, abs=1e-9)
    assert found.inward.point[1] == pytest.approx(3.0)
    assert found.outward.distance == 0.0
    assert (found.parts, found.vertices) == (2, 16)


def test_the_parts_of_an_l_are_exact():
    data = data_of(l_shape())
    legs = (
        trimesh.creation.box(bounds=((0.0, 0.0, 0.0), (3.0, 1.0, 1.0))),
        trimesh.creation.box(bounds=((0.0, 1.0, 0.0), (1.0, 3.0, 1.0))),
    )
    found = certificate_of_solids([(np.array(m.vertices), np.array(m.faces)) for m in legs], data)
    assert found.inward.distance == found.outward.distance == 0.0
    assert found.volume_ratio == pytest.approx(1.0)


def test_an_open_mesh_has_no_volume_ratio():
    data = data_of(l_shape())
    open_ = mesh_data(data.vertices, data.faces[1:])
    assert certificate_of_fit(fitted("box", open_.vertices), open_).volume_ratio is None


def test_the_distance_of_a_sphere_within_a_larger_mesh_is_that_of_the_mesh():
    """A ball of 0.6 m in a mesh of 1 m: the mesh lies 0.4 m beyond it, and it nowhere beyond."""
    data = data_of(trimesh.creation.icosphere(3))
    smaller = shrunk(fitted("sphere", data.vertices), 0.4)
    found = certificate_of_fit(smaller, data)
    assert found.inward.distance == pytest.approx(0.4, abs=1e-6)
    assert found.outward.distance == 0.0


# --- fewer corners --------------------------------------------------------------------------------


def test_fewer_corners_of_a_sphere_lie_within_the_error():
    ball = trimesh.creation.icosphere(5)
    found = with_fewer_corners(np.array(ball.vertices), (8, 32, 128, 512), 0.02)
    assert found is not None
    assert len(found.corners) < len(ball.vertices)
    smaller = trimesh.Trimesh(found.corners)
    reach = np.array(ball.vertices) @ spread_directions(5000).T
    lost = reach.max(axis=0) - (smaller.vertices @ spread_directions(5000).T).max(axis=0)
    assert lost.max() <= 1.2 * max(found.error, 0.01)
    assert with_fewer_corners(np.array(ball.vertices), (8,), 1e-6) is None
