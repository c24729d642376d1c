"""The renderer against the closed form: which pixels a triangle covers, and which of two is in
front.
"""

from __future__ import annotations

import io

import numpy as np
import pytest

from loaders.picture import paint, view_axes

SIZE = (120, 90)


def pixels(corners, colors) -> np.ndarray:
    from PIL import Image

    png = paint(np.array(corners, dtype=float), np.array(colors, dtype=float), SIZE)
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
    scale = min(SIZE[0] / (high - low)[0], SIZE[1] / (high - low)[1]) / 1.06
    corners = (flat - (low + high) / 2.0) * (scale, -scale) + np.array(SIZE) / 2.0
    x, y = np.meshgrid(np.arange(SIZE[0]) + 0.5, np.arange(SIZE[1]) + 0.5)
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
    assert paint(corners, np.ones((1, 3)), SIZE) == paint(corners, np.ones((1, 3)), SIZE)
    assert pixels(corners, np.ones((1, 3)))[0, 0].tolist() == [0, 0, 0, 0]


def test_a_point_and_a_line_are_no_error() -> None:
    assert pixels(np.zeros((1, 3, 3)), np.ones((1, 3))).shape == (*SIZE[::-1], 4)
    assert pixels([in_world([(0, 0, 0), (1, 0, 0), (2, 0, 0)])], np.ones((1, 3)))[:, :, 3].max() > 0
