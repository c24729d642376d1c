"""Height maps: MuJoCo's height field has the heights of the source, and an unreadable image is
reported.
"""

from __future__ import annotations

from pathlib import Path

import mujoco
import numpy as np
import pytest
import trimesh
from PIL import Image

from bridge.targets.mjcf import to_mjcf
from loaders.model import Collision, Heightmap, Material, Mesh, Visual
from loaders.pose import IDENTITY
from tests.support.mjcf_scenes import codes, link, scene_of
from tests.support.mujoco_oracle import compiled


def test_a_ray_from_above_meets_the_height_of_the_image(tmp_path: Path) -> None:
    levels = np.tile(np.array([51, 102, 204], dtype=np.uint8), (3, 1))
    Image.fromarray(levels).save(tmp_path / "hill.png")
    terrain = Heightmap(uri="hill.png", path=str(tmp_path / "hill.png"), size=(4.0, 4.0, 2.0))
    shape = Collision(name="hill", X_LG=IDENTITY, geometry=terrain)
    model = compiled(to_mjcf(scene_of(link("l", model="ground", collisions=(shape,)))))
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    for x, level in ((-1.999, 51), (0.0, 102), (1.999, 204)):
        start, down = np.array([x, 0.0, 10.0]), np.array([0.0, 0.0, -1.0])
        distance = mujoco.mj_ray(model, data, start, down, None, 1, -1, np.zeros(1, dtype=np.int32))
        assert 10.0 - distance == pytest.approx(2.0 * level / 255, abs=2e-3)


def test_an_image_that_does_not_exist_is_reported_for_its_link() -> None:
    shape = Collision(name="hill", X_LG=IDENTITY, geometry=Heightmap(uri="hill.png", path=None))
    mjcf = to_mjcf(scene_of(link("l", model="ground", collisions=(shape,))))
    assert "mjcf.heightmap" in codes(mjcf)
    (entry,) = (entry for entry in mjcf.diagnostics if entry.code == "mjcf.heightmap")
    assert (entry.subjects, entry.arguments["uri"]) == (("l",), "hill.png")


def test_a_flat_image_is_a_plane_at_its_height(tmp_path: Path) -> None:
    Image.fromarray(np.full((3, 3), 102, dtype=np.uint8)).save(tmp_path / "flat.png")
    terrain = Heightmap(uri="flat.png", path=str(tmp_path / "flat.png"), size=(4.0, 4.0, 2.0))
    shape = Collision(name="flat", X_LG=IDENTITY, geometry=terrain)
    model = compiled(to_mjcf(scene_of(link("l", model="ground", collisions=(shape,)))))
    assert 0.0 < model.hfield_size[0, 2] <= 1e-6
    assert model.geom_pos[0, 2] == pytest.approx(0.8)


def test_terrain_and_a_texture_of_one_name_are_two_files(tmp_path: Path) -> None:
    (tmp_path / "looks").mkdir()
    Image.fromarray(np.arange(16, dtype=np.uint8).reshape(4, 4)).save(tmp_path / "hill.png")
    Image.new("RGB", (2, 2), (255, 0, 0)).save(tmp_path / "looks" / "hill.png")
    trimesh.creation.box((1, 1, 1)).export(tmp_path / "part.obj")
    terrain = Heightmap(uri="hill.png", path=str(tmp_path / "hill.png"), size=(1, 1, 1))
    mesh = Mesh(uri="part.obj", path=str(tmp_path / "part.obj"))
    look = Material(texture=str(tmp_path / "looks" / "hill.png"))
    ground = Collision(name="c", X_LG=IDENTITY, geometry=terrain)
    part = Visual(name="v", X_LG=IDENTITY, geometry=mesh, material=look)
    mjcf = to_mjcf(scene_of(link("l", model="ground", collisions=(ground,), visuals=(part,))))
    assert {"hill.png", "hill_2.png"} <= set(mjcf.assets)
    model = compiled(mjcf)
    assert (model.hfield_nrow[0], model.tex_height[0]) == (4, 2)


@pytest.mark.parametrize(("mode", "top"), [("L", 255), ("I;16", 65535)])
def test_terrain_has_the_heights_of_its_picture(tmp_path: Path, mode: str, top: int) -> None:
    """Heights are asked of MuJoCo by rays from above; a picture's first row lies at the
    greatest y.
    """
    levels = (np.array([[0.2, 0.2, 0.6], [0.2, 0.4, 0.6], [0.2, 0.2, 1.0]]) * top).round()
    kind = np.uint8 if mode == "L" else np.uint16
    Image.fromarray(levels.astype(kind)).save(tmp_path / "hill.png")
    terrain = Heightmap(
        uri="hill.png",
        path=str(tmp_path / "hill.png"),
        size=(2.0, 4.0, 10.0),
        position=(1.0, 0.0, 3.0),
    )
    shape = Collision(name="hill", X_LG=IDENTITY, geometry=terrain)
    model = compiled(to_mjcf(scene_of(link("l", model="ground", collisions=(shape,)))))
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    for row, column in ((0, 0), (1, 1), (2, 2), (0, 2)):
        x, y = 1.0 + (column - 1) * 0.999, (1 - row) * 1.999
        hit = np.zeros(1, np.int32)
        depth = mujoco.mj_ray(
            model, data, np.array([x, y, 50.0]), np.array([0.0, 0.0, -1.0]), None, 1, -1, hit
        )
        assert 50.0 - depth == pytest.approx(3.0 + 10.0 * levels[row, column] / top, abs=0.02)


def test_levels_of_16_bits_are_kept(tmp_path: Path) -> None:
    """Of a PNG file MuJoCo reads the upper 8 bits, which would be steps of 4 cm here."""
    levels = np.random.default_rng(0).integers(0, 65536, (6, 7)).astype(np.uint16)
    Image.fromarray(levels).save(tmp_path / "hill.png")
    terrain = Heightmap(uri="hill.png", path=str(tmp_path / "hill.png"), size=(2.0, 4.0, 10.0))
    shape = Collision(name="hill", X_LG=IDENTITY, geometry=terrain)
    model = compiled(to_mjcf(scene_of(link("l", model="ground", collisions=(shape,)))))
    heights = model.geom_pos[0, 2] + model.hfield_size[0, 2] * model.hfield_data.reshape(6, 7)
    np.testing.assert_allclose(heights, 10.0 * levels[::-1] / 65535, atol=1e-5)
