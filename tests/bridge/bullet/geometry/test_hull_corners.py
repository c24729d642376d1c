"""The corners on a convex hull: PyBullet itself says which hull it makes of all corners, and of
those that are kept.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pybullet
import pytest
from trimesh.creation import icosphere

from bridge.targets.pybullet.mesh import hull_corners, stl
from tests.support.seeds import seeds


def hull_in_pybullet(corners: np.ndarray, path: Path) -> set[tuple[float, ...]]:
    """Return the points of the convex hull of an STL file that collides on a body."""
    padded = np.minimum(np.arange(3 * -(-len(corners) // 3)), len(corners) - 1)
    path.write_bytes(stl(corners[padded].reshape(-1, 3, 3)))
    client = pybullet.connect(pybullet.DIRECT)
    try:
        shape = pybullet.createCollisionShape(
            pybullet.GEOM_MESH, fileName=str(path), physicsClientId=client
        )
        body = pybullet.createMultiBody(0.0, shape, physicsClientId=client)
        return set(map(tuple, pybullet.getMeshData(body, -1, physicsClientId=client)[1]))
    finally:
        pybullet.disconnect(client)


def random_corners(seed: int, count: int = 500) -> np.ndarray:
    rng = np.random.default_rng(seed)
    return np.unique(
        (rng.normal(size=(count, 3)) * (0.3, 1.0, 20.0) + (5.0, 0.0, -1.0)).astype(np.float32),
        axis=0,
    )


def rounded_box(count: int = 12) -> np.ndarray:
    """Return corners on the flat faces of a box, nearly all of them within its hull but for
    rounding.
    """
    steps = np.linspace(-0.1, 0.2, count)
    faces = [
        np.roll(np.stack((x.ravel(), y.ravel(), np.full(x.size, z)), axis=1), k, axis=1)
        for k in range(3)
        for z in (-0.1, 0.2)
        for x, y in [np.meshgrid(steps, steps)]
    ]
    return np.unique(np.concatenate(faces).astype(np.float32), axis=0)


@pytest.mark.parametrize("seed", seeds(5))
def test_hull_of_the_kept_corners_is_that_of_all(seed: int, tmp_path: Path) -> None:
    corners = random_corners(seed)
    kept = hull_corners(corners)
    assert 4 <= len(kept) < len(corners) / 3
    assert hull_in_pybullet(kept, tmp_path / "kept.stl") == hull_in_pybullet(
        corners, tmp_path / "all.stl"
    )


def test_corners_within_flat_faces_are_left_out(tmp_path: Path) -> None:
    corners = rounded_box()
    kept = hull_corners(corners)
    assert len(kept) < len(corners) / 4
    assert hull_in_pybullet(kept, tmp_path / "kept.stl") == hull_in_pybullet(
        corners, tmp_path / "all.stl"
    )


def test_all_corners_of_a_convex_mesh_are_kept() -> None:
    corners = np.unique(np.asarray(icosphere(subdivisions=2).vertices, np.float32), axis=0)
    assert np.array_equal(hull_corners(corners), corners)


@pytest.mark.parametrize(
    "corners",
    [
        pytest.param(random_corners(0, 4), id="few"),
        pytest.param(random_corners(0) * np.float32((1.0, 1.0, 0.0)), id="flat"),
        pytest.param(random_corners(0) * np.float32(1e-42), id="tiny"),
        pytest.param(random_corners(0, 140_000), id="more than PyBullet takes"),
    ],
)
def test_corners_without_a_comparable_hull_are_all_kept(corners: np.ndarray) -> None:
    assert np.array_equal(hull_corners(corners), corners)


def test_servers_of_the_caller_stay_as_they_are() -> None:
    client = pybullet.connect(pybullet.DIRECT)
    try:
        _ = hull_corners(random_corners(0))
        assert pybullet.isConnected(client)
        assert pybullet.getNumBodies(physicsClientId=client) == 0
    finally:
        pybullet.disconnect(client)
