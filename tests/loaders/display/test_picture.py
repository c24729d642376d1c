"""The picture of a scene shows its visuals in their colors and places."""

from __future__ import annotations

import dataclasses
import io

import numpy as np
from PIL import Image

from loaders import picture as module
from loaders.model import Box, Material, Plane, Visual
from loaders.picture import SIZE, picture
from loaders.pose import IDENTITY, Pose
from tests.support.scenes import link, scene

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
