"""Pictures of both simulators: the same silhouette from the same camera."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from bridge.demo.demo import POSES
from bridge.demo.gallery import Gallery, draw, side_by_side

pytest.importorskip("mujoco")
pytest.importorskip("pybullet")
ARM = Path(__file__).parents[3] / "assets" / "arm" / "model.sdf"


@pytest.fixture(scope="module")
def gallery() -> Gallery:
    return draw(ARM, POSES)


def silhouette(image: np.ndarray) -> np.ndarray:
    """Pixels that differ from the background, which has one shade in each row."""
    return np.abs(image.astype(int) - image[:, :1].astype(int)).max(axis=2) > 0


def test_both_simulators_show_the_same_silhouette(gallery: Gallery) -> None:
    if "MuJoCo" not in gallery.images:
        pytest.skip(gallery.notes[0])
    for one, two in zip(gallery.images["MuJoCo"], gallery.images["PyBullet"], strict=True):
        a, b = silhouette(one), silhouette(two)
        assert (a & b).sum() / (a | b).sum() > 0.93


def test_the_model_fills_the_picture_and_is_not_cut(gallery: Gallery) -> None:
    shapes = [silhouette(image) for image in gallery.images["PyBullet"]]
    together = np.logical_or.reduce(shapes)
    edges = np.concatenate((together[0], together[-1], together[:, 0], together[:, -1]))
    assert not edges.any()
    rows, columns = np.nonzero(together)
    assert max(np.ptp(rows) / together.shape[0], np.ptp(columns) / together.shape[1]) > 0.7


@pytest.mark.parametrize("simulator", ["MuJoCo", "PyBullet"])
def test_each_picture_resembles_only_the_other_simulator_at_the_same_pose(gallery: Gallery, simulator: str) -> None:
    if "MuJoCo" not in gallery.images:
        pytest.skip(gallery.notes[0])
    other = "PyBullet" if simulator == "MuJoCo" else "MuJoCo"
    others = [silhouette(image) for image in gallery.images[other]]
    for number, image in enumerate(gallery.images[simulator]):
        own = silhouette(image)
        overlaps = [(own & shape).sum() / (own | shape).sum() for shape in others]
        assert int(np.argmax(overlaps)) == number
        assert sorted(overlaps)[-2] < 0.8


def test_a_missing_driver_of_mujoco_is_noted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("bridge.demo.gallery._PLATFORMS", ("no-such-platform",))
    gallery = draw(ARM, POSES[:1])
    assert list(gallery.images) == ["PyBullet"]
    assert "neither EGL nor OSMesa" in gallery.notes[0]
    assert side_by_side(gallery, ["zero"])
