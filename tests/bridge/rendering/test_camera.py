"""The camera that frames a model, and the background of pictures."""

from __future__ import annotations

import math

import numpy as np
import pytest

from bridge.camera import (
    AZIMUTH,
    ELEVATION,
    FIELD_OF_VIEW,
    SIZE,
    composite_on_background,
    fit_camera,
)


@pytest.mark.parametrize("seed", range(5))
def test_every_point_is_in_the_image_and_one_is_near_its_edge(seed: int) -> None:
    points = np.random.default_rng(seed).normal(size=(30, 3)) * (1.0, 2.0, 3.0)
    camera = fit_camera(points)
    a, e = math.radians(AZIMUTH), math.radians(ELEVATION)
    forward = np.array((math.cos(e) * math.cos(a), math.cos(e) * math.sin(a), math.sin(e)))
    right = np.cross(forward, (0.0, 0.0, 1.0))
    right /= np.linalg.norm(right)
    up = np.cross(right, forward)
    np.testing.assert_allclose(camera.eye + camera.distance * forward, camera.target)
    half_height = math.tan(math.radians(FIELD_OF_VIEW / 2.0))
    half_width = half_height * SIZE[0] / SIZE[1]
    seen = points - camera.eye
    reach = np.maximum(abs(seen @ right) / half_width, abs(seen @ up) / half_height) / (
        seen @ forward
    )
    assert 0.7 < reach.max() <= 1.0


def test_the_background_replaces_what_is_not_the_model() -> None:
    image = np.full((4, 2, 3), 7, dtype=np.uint8)
    mask = np.zeros((4, 2), dtype=bool)
    mask[1, 1] = True
    picture = composite_on_background(image, mask)
    assert picture[1, 1].tolist() == [7, 7, 7]
    assert picture[0, 0].tolist() == [252] * 3
    assert picture[3, 0].tolist() == [232] * 3
