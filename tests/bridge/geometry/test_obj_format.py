"""OBJ files, read back by trimesh."""

import pytest
import trimesh

from tests.support.mesh_assets import codes, made, read_back, written


@pytest.mark.filterwarnings("ignore:the matrix subclass")  # of pycollada's
@pytest.mark.parametrize("suffix", ["obj", "stl", "ply", "glb", "dae"])
def test_every_format_becomes_one_obj_of_the_same_volume(tmp_path, suffix):
    mesh = written(tmp_path, trimesh.creation.icosphere(radius=0.3), f"ball.{suffix}")
    ((asset,), diagnostics) = made(mesh, collides=True)
    assert asset.name == "ball"
    assert read_back(asset).volume == pytest.approx(
        trimesh.creation.icosphere(radius=0.3).volume, rel=1e-5
    )
    assert "mesh.convex-hull" not in codes(diagnostics)


def test_the_same_mesh_gives_the_same_bytes(tmp_path):
    mesh = written(tmp_path, trimesh.creation.icosphere())
    assert made(mesh)[0][0].data == made(mesh)[0][0].data
