"""Pictures of both simulators: the same silhouette from the same camera."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from bridge.demo.demo import POSES, Gallery, draw, side_by_side

pytest.importorskip("mujoco")
pytest.importorskip("pybullet")

pytestmark = pytest.mark.slow
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
def test_each_picture_resembles_only_the_other_simulator_at_the_same_pose(
    gallery: Gallery, simulator: str
) -> None:
    if "MuJoCo" not in gallery.images:
        pytest.skip(gallery.notes[0])
    other = "PyBullet" if simulator == "MuJoCo" else "MuJoCo"
    others = [silhouette(image) for image in gallery.images[other]]
    for number, image in enumerate(gallery.images[simulator]):
        own = silhouette(image)
        overlaps = [(own & shape).sum() / (own | shape).sum() for shape in others]
        assert int(np.argmax(overlaps)) == number
        assert sorted(overlaps)[-2] < 0.8


REFERENCE = """<mujoco><worldbody><geom type="box" size=".3 .05 .05"/><body name="arm" pos="0 0 .1">
<joint name="slide" type="slide" axis="0 0 1" ref="0.7"/><geom type="box" size=".1 .1 .1"/></body></worldbody>
</mujoco>"""
COUPLED = """<robot name="r"><link name="base">{0}</link><link name="a">{0}</link><link name="b">{0}</link>
<joint name="left" type="prismatic"><parent link="base"/><child link="a"/><axis xyz="1 0 0"/>
<limit lower="-1" upper="1" effort="1" velocity="1"/></joint>
<joint name="right" type="prismatic"><parent link="base"/><child link="b"/><axis xyz="0 0 1"/>
<limit lower="-1" upper="1" effort="1" velocity="1"/><mimic joint="left"/></joint></robot>"""
BOX = '<visual><geometry><box size="0.2 0.2 0.2"/></geometry></visual>'


@pytest.mark.parametrize(
    ("suffix", "text", "pose"),
    [
        (".xml", REFERENCE, {}),
        (".xml", REFERENCE, {"slide": 0.3}),
        (".urdf", COUPLED.format(BOX), {"left": 0.6}),
    ],
    ids=["a joint with a reference", "a position of it", "a joint that follows"],
)
def test_joints_that_are_not_named_stand_at_the_same_positions(
    tmp_path: Path, suffix: str, text: str, pose: dict[str, float]
) -> None:
    (tmp_path / f"r{suffix}").write_text(text, encoding="utf-8")
    drawn = draw(tmp_path / f"r{suffix}", [pose])
    if "MuJoCo" not in drawn.images:
        pytest.skip(drawn.notes[0])
    a, b = (silhouette(drawn.images[name][0]) for name in ("MuJoCo", "PyBullet"))
    assert (a & b).sum() / (a | b).sum() > 0.93


def test_a_missing_driver_of_mujoco_is_noted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("bridge.demo.demo._PLATFORMS", ("no-such-platform",))
    gallery = draw(ARM, POSES[:1])
    assert list(gallery.images) == ["PyBullet"]
    assert "neither EGL nor OSMesa" in gallery.notes[0]
    assert side_by_side(gallery, ["zero"])
