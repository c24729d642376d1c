"""Meshes of shapes lie on the shapes, and are closed."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from bridge.targets.report import Report
from bridge.targets.urdf.normal_link import meshes_of
from loaders import model as m
from loaders.diagnostics import NOWHERE

trimesh = pytest.importorskip("trimesh")


@pytest.mark.parametrize(
    ("shape", "volume"),
    [
        (m.Ellipsoid(radii=(1.0, 2.0, 3.0)), 4.0 / 3.0 * np.pi * 6.0),
        (m.Capsule(radius=0.5, length=2.0), np.pi * 0.25 * 2.0 + 4.0 / 3.0 * np.pi * 0.125),
        (m.Cone(radius=1.0, length=2.0), np.pi * 2.0 / 3.0),
        (m.Polyline(outlines=(((0.0, 0.0), (1.0, 0.0), (0.0, 1.0)),), height=2.0), 1.0),
    ],
)
def test_a_mesh_is_closed_and_has_almost_the_volume_of_its_shape(
    shape: m.Geometry, volume: float
) -> None:
    (mesh,) = meshes_of(shape, Report("urdf"), NOWHERE)
    found = trimesh.load(mesh.path)
    assert found.is_watertight
    assert found.volume == pytest.approx(volume, rel=0.01)
    assert found.volume <= volume * (1.0 + 1e-6)


def test_a_terrain_has_the_heights_of_its_picture(tmp_path: Path) -> None:
    image = pytest.importorskip("PIL.Image")
    image.fromarray(np.array([[0, 255], [51, 0]], dtype=np.uint8)).save(tmp_path / "t.png")
    terrain = m.Heightmap(uri="t.png", path=str(tmp_path / "t.png"), size=(2.0, 4.0, 5.0))
    (mesh,) = meshes_of(terrain, Report("urdf"), NOWHERE)
    assert sorted(np.array(trimesh.load(mesh.path).vertices).tolist()) == [
        [-1.0, -2.0, 1.0],
        [-1.0, 2.0, 0.0],
        [1.0, -2.0, 0.0],
        [1.0, 2.0, 5.0],
    ]


def test_a_shape_that_urdf_has_needs_no_mesh() -> None:
    assert meshes_of(m.Sphere(radius=1.0), Report("urdf"), NOWHERE) == ()
