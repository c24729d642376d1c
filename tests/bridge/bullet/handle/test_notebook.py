"""Display of loaded bodies in a notebook: an image and a table."""

import base64
import re

import numpy as np
import pybullet
import pytest

from bridge import load_into_pybullet
from bridge.targets.pybullet.body import _png as png
from loaders.model import Box, Material, Plane, Sphere, Visual
from loaders.pose import IDENTITY, Pose
from tests.support.scenes import joint, link, scene

BOX = Box(size=(0.4, 0.4, 0.4))


def painted(name, rgba, **rest):
    visual = Visual(name="v", X_LG=IDENTITY, geometry=BOX, material=Material(diffuse=rgba))
    return link(name, shape=BOX, visuals=(visual,), **rest)


def picture_in(html, tmp_path):
    """The picture that a notebook would draw, decoded by Pillow."""
    image = pytest.importorskip("PIL.Image")
    (encoded,) = re.findall(r'src="data:image/png;base64,([^"]+)"', html)
    (tmp_path / "shown.png").write_bytes(base64.b64decode(encoded))
    return np.asarray(image.open(tmp_path / "shown.png").convert("RGB"), dtype=int)


def has(image, red, green, blue):
    """Return the number of pixels that are much more of one color than of the others."""
    wanted = np.array((red, green, blue), dtype=bool)
    return int((image[:, :, wanted].min(axis=2) > image[:, :, ~wanted].max(axis=2) + 60).sum())


def test_a_body_shows_itself_in_its_colors(bullet_client, tmp_path):
    X = Pose.of(p=(0.0, 1.0, 0.0))
    links = [painted("a", (1.0, 0.0, 0.0, 1.0)), painted("b", (0.0, 0.0, 1.0, 1.0), X_WL=X)]
    robot = load_into_pybullet(
        scene(links, [joint("j", "a", "b", X_PJ=X)]), physicsClientId=bullet_client
    )
    html = robot._repr_html_()
    image = picture_in(html, tmp_path)
    assert image.shape == (480, 640, 3)
    assert min(has(image, 1, 0, 0), has(image, 0, 0, 1)) > 3000
    assert has(image, 0, 1, 0) == 0
    assert re.findall(r"<td[^>]*>([^<]*)</td>", html)[:4] == [str(int(robot)), "m", "2", "1"]


def test_the_card_looks_like_that_of_a_scene(bullet_client):
    model = scene([painted("a", (1.0, 0.0, 0.0, 1.0))])
    robot = load_into_pybullet(model, physicsClientId=bullet_client)
    assert re.findall(r"^<div style=[^>]*>", robot._repr_html_()) == re.findall(
        r"^<div style=[^>]*>", model._repr_html_()
    )


def test_a_removed_body_has_a_text_and_no_picture(bullet_client):
    robot = load_into_pybullet(scene([link("a", shape=BOX)]), physicsClientId=bullet_client)
    robot.remove()
    assert "<img" not in robot._repr_html_()
    assert "removed" in robot._repr_html_()


def test_several_bodies_and_an_endless_plane_are_one_picture(bullet_client, tmp_path):
    links = [
        painted("a", (0.0, 1.0, 0.0, 1.0)),
        link("<b>", shape=Plane(), X_WL=Pose.of(p=(1.0, 0.0, 0.0))),
    ]
    bodies = load_into_pybullet(scene(links), physicsClientId=bullet_client)
    html = bodies._repr_html_()
    assert html.count("<tr>") == 1 + len(bodies)
    assert has(picture_in(html, tmp_path), 0, 1, 0) > 3000


def test_a_picture_disturbs_nothing(bullet_client):
    robot = load_into_pybullet(scene([link("a", shape=BOX)]), physicsClientId=bullet_client)
    before = (
        pybullet.getBasePositionAndOrientation(robot, bullet_client),
        pybullet.getNumBodies(bullet_client),
    )
    robot._repr_html_()
    assert (
        pybullet.getBasePositionAndOrientation(robot, bullet_client),
        pybullet.getNumBodies(bullet_client),
    ) == before


def test_pixels_survive_as_png(tmp_path):
    image = pytest.importorskip("PIL.Image")
    pixels = np.random.default_rng(0).integers(0, 256, (5, 7, 3)).astype(np.uint8)
    (tmp_path / "a.png").write_bytes(png(pixels))
    assert np.array_equal(np.asarray(image.open(tmp_path / "a.png")), pixels)


def test_a_body_is_nowhere_brighter_than_its_color(bullet_client, tmp_path):
    """The coefficients of ambient, diffuse and specular light add up to one."""
    look = Material(diffuse=(0.5, 0.0, 0.0, 1.0))
    red = Visual(name="v", X_LG=IDENTITY, geometry=Sphere(radius=0.3), material=look)
    robot = load_into_pybullet(
        scene([link("a", shape=BOX, visuals=(red,))]), physicsClientId=bullet_client
    )
    image = picture_in(robot._repr_html_(), tmp_path)
    body = image[image[:, :, 0] > image[:, :, 1] + 60]
    assert len(body) > 3000
    assert body[:, 0].max() <= 130
