"""Normals for shading against closed forms."""

from __future__ import annotations

import numpy as np
import pytest
from trimesh import creation

from bridge.viewer.viewer import shaded


def area(vertices, faces) -> float:
    a, b, c = (vertices[faces[:, k]] for k in range(3))
    return float(np.linalg.norm(np.cross(b - a, c - a), axis=1).sum() / 2.0)


def test_a_box_has_the_normals_of_its_sides() -> None:
    box = creation.box((1.0, 2.0, 3.0))
    vertices, faces, normals, _ = shaded(box.vertices, box.faces)
    assert len(vertices) == 24
    assert sorted(np.unique(np.abs(normals), axis=0).tolist()) == [[0, 0, 1], [0, 1, 0], [1, 0, 0]]
    assert (np.einsum("ij,ij->i", normals, vertices) > 0.4).all(), "normals point outward"
    assert area(vertices, faces) == pytest.approx(22.0)


def test_a_ball_has_radial_normals() -> None:
    ball = creation.icosphere(subdivisions=3)
    vertices, faces, normals, _ = shaded(ball.vertices, ball.faces)
    assert len(vertices) == len(ball.vertices)
    assert np.abs(normals - vertices).max() < 0.02
    assert area(vertices, faces) == pytest.approx(ball.area)


def test_a_cylinder_is_smooth_around_and_sharp_at_its_rims() -> None:
    cylinder = creation.cylinder(radius=1.0, height=2.0, sections=32)
    vertices, _, normals, _ = shaded(cylinder.vertices, cylinder.faces)
    is_side = np.abs(normals[:, 2]) < 0.01
    assert np.abs(normals[is_side][:, :2] - vertices[is_side][:, :2]).max() < np.pi / 32, (
        "half the angle of two sides"
    )
    assert np.abs(np.abs(normals[~is_side][:, 2]) - 1.0).max() < 1e-3


def test_equal_points_of_a_soup_are_one_and_degenerate_faces_are_no_error() -> None:
    corners = np.array(
        [(0, 0, 0), (1, 0, 0), (0, 1, 0), (1, 0, 0), (1, 1, 0), (0, 1, 0), (5, 5, 5)], dtype=float
    )
    vertices, faces, normals, _ = shaded(corners, np.array([(0, 1, 2), (3, 4, 5), (6, 6, 6)]))
    assert len(vertices) == 5
    assert np.isfinite(normals).all()
    assert faces.shape == (3, 3)


def test_a_seam_of_the_texture_keeps_both_sides_and_the_same_normals() -> None:
    corners = np.array(
        [(0, 0, 0), (1, 0, 0), (0, 1, 0), (1, 0, 0), (1, 1, 0), (0, 1, 0)], dtype=float
    )
    uv = np.array([(0, 0), (1, 0), (0, 1), (0.5, 0), (1, 1), (0, 1)])
    faces = np.array([(0, 1, 2), (3, 4, 5)])
    vertices, shown, normals, coordinates = shaded(corners, faces, uv)
    assert len(vertices) == 5, "(1, 0, 0) has two texture coordinates, (0, 1, 0) one"
    assert np.allclose(coordinates[shown], uv[faces])
    assert np.allclose(vertices[shown], corners[faces])
    assert np.allclose(normals, (0, 0, 1))
