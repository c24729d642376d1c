"""OBJ files, read back by trimesh."""

import io

import pytest
import trimesh

from bridge.geometry.mesh_assets import mesh_asset
from loaders.diagnostics import Diagnostics, Where
from loaders.model import Mesh

HERE = Where("robot.sdf", 3)


def written(tmp_path, mesh, name="part.obj"):
    path = tmp_path / name
    mesh.export(path)
    return Mesh(uri=name, path=str(path))


def read_back(asset):
    """The asset as trimesh reads it: an independent reader of OBJ."""
    return trimesh.load(io.BytesIO(asset.data), file_type="obj", force="mesh", process=False)


def codes(diagnostics):
    return [entry.code for entry in diagnostics]


def made(mesh, **options):
    diagnostics = Diagnostics()
    return mesh_asset(mesh, "mjcf", diagnostics, where=HERE, **options), diagnostics


@pytest.mark.filterwarnings("ignore:the matrix subclass")  # of pycollada's
@pytest.mark.parametrize("suffix", ["obj", "stl", "ply", "glb", "dae"])
def test_every_format_becomes_one_obj_of_the_same_volume(tmp_path, suffix):
    mesh = written(tmp_path, trimesh.creation.icosphere(radius=0.3), f"ball.{suffix}")
    ((asset,), diagnostics) = made(mesh, collides=True)
    assert asset.name == "ball"
    assert read_back(asset).volume == pytest.approx(trimesh.creation.icosphere(radius=0.3).volume, rel=1e-5)
    assert "mesh.convex-hull" not in codes(diagnostics)


def test_the_same_mesh_gives_the_same_bytes(tmp_path):
    mesh = written(tmp_path, trimesh.creation.icosphere())
    assert made(mesh)[0][0].data == made(mesh)[0][0].data
