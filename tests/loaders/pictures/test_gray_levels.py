"""Height maps in MuJoCo have the heights of their images."""

import mujoco
import numpy as np
import pytest
import trimesh
from PIL import Image

from bridge.mjcf import to_mjcf
from loaders.diagnostics import Where
from loaders.model import Collision, Heightmap, Link, Material, Mesh, Model, Visual
from loaders.scene import Scene
from loaders.spatial import IDENTITY, SpatialInertia
from tests.support.mujoco_oracle import compiled

HERE = Where("robot.sdf", 3)


def written(tmp_path, mesh, name="part.obj"):
    path = tmp_path / name
    mesh.export(path)
    return Mesh(uri=name, path=str(path))


def codes(diagnostics):
    return [entry.code for entry in diagnostics]


def scene_of(**parts):
    link = Link(name="a", model="m", X_WL=IDENTITY, inertia=SpatialInertia.of(1.0, I_Lcm=np.eye(3)), **parts)
    model = Model(name="m", X_WM=IDENTITY, canonical_link="a", static=True)
    return Scene(name="m", models=(model,), links=(link,))


def test_terrain_and_a_texture_of_one_name_are_two_files(tmp_path):
    (tmp_path / "looks").mkdir()
    Image.fromarray(np.arange(16, dtype=np.uint8).reshape(4, 4)).save(tmp_path / "hill.png")
    Image.new("RGB", (2, 2), (255, 0, 0)).save(tmp_path / "looks" / "hill.png")
    ground = Collision(
        name="c", X_LG=IDENTITY, geometry=Heightmap(uri="hill.png", path=str(tmp_path / "hill.png"), size=(1, 1, 1))
    )
    look = Material(texture=str(tmp_path / "looks" / "hill.png"))
    mesh = written(tmp_path, trimesh.creation.box((1, 1, 1)))
    visual = Visual(name="v", X_LG=IDENTITY, geometry=mesh, material=look)
    mjcf = to_mjcf(scene_of(collisions=(ground,), visuals=(visual,)))
    assert {"hill.png", "hill_2.png"} <= set(mjcf.assets)
    model = compiled(mjcf)
    assert (model.hfield_nrow[0], model.tex_height[0]) == (4, 2)


@pytest.mark.parametrize(("mode", "top"), [("L", 255), ("I;16", 65535)])
def test_terrain_has_the_heights_of_its_picture(tmp_path, mode, top):
    """Heights are asked of MuJoCo by rays from above; a picture's first row lies at the greatest y."""
    levels = (np.array([[0.2, 0.2, 0.6], [0.2, 0.4, 0.6], [0.2, 0.2, 1.0]]) * top).round()
    kind = np.uint8 if mode == "L" else np.uint16
    Image.fromarray(levels.astype(kind)).save(tmp_path / "hill.png")
    terrain = Heightmap(
        uri="hill.png", path=str(tmp_path / "hill.png"), size=(2.0, 4.0, 10.0), position=(1.0, 0.0, 3.0)
    )
    shape = Collision(name="hill", X_LG=IDENTITY, geometry=terrain)
    model = compiled(to_mjcf(scene_of(collisions=(shape,))))
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    for row, column in ((0, 0), (1, 1), (2, 2), (0, 2)):
        x, y = 1.0 + (column - 1) * 0.999, (1 - row) * 1.999
        hit = np.zeros(1, np.int32)
        depth = mujoco.mj_ray(model, data, [x, y, 50.0], [0.0, 0.0, -1.0], None, 1, -1, hit)
        assert 50.0 - depth == pytest.approx(3.0 + 10.0 * levels[row, column] / top, abs=0.02)


def test_terrain_without_a_picture_is_left_out_and_reported():
    shape = Collision(name="hill", X_LG=IDENTITY, geometry=Heightmap(uri="hill.png", path=None), where=HERE)
    assert "mjcf.heightmap" in codes(to_mjcf(scene_of(collisions=(shape,))).diagnostics)
