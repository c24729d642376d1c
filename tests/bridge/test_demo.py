"""The demonstration: its models, its comparison, and the same silhouette in the pictures of both
simulators.
"""

from __future__ import annotations

import json
import math
import os
import subprocess
import sys
from pathlib import Path

import mujoco
import numpy as np
import pytest

from bridge import demo, demo_worker
from bridge.camera import (
    FIELD_OF_VIEW,
    SIZE,
    composite_on_background,
    fit_camera,
)
from bridge.demo import POSES, Gallery, draw, overlaid, run_demo, side_by_side
from bridge.parity import Verdict
from loaders.picture import AZIMUTH, ELEVATION

# Pictures of both simulators: the same silhouette from the same camera.

ARM = Path(__file__).parents[2] / "assets" / "arm" / "model.sdf"


@pytest.fixture(scope="module")
def gallery() -> Gallery:
    return draw(ARM, POSES)


def silhouette(image: np.ndarray) -> np.ndarray:
    """Pixels that differ from the background, which has one shade in each row."""
    return np.abs(image.astype(int) - image[:, :1].astype(int)).max(axis=2) > 0


@pytest.mark.slow
def test_both_simulators_show_the_same_silhouette(gallery: Gallery) -> None:
    if "MuJoCo" not in gallery.images:
        pytest.skip(gallery.notes[0])
    for one, two in zip(gallery.images["MuJoCo"], gallery.images["PyBullet"], strict=True):
        a, b = silhouette(one), silhouette(two)
        assert (a & b).sum() / (a | b).sum() > 0.93


@pytest.mark.slow
def test_the_model_fills_the_picture_and_is_not_cut(gallery: Gallery) -> None:
    shapes = [silhouette(image) for image in gallery.images["PyBullet"]]
    together = np.logical_or.reduce(shapes)
    edges = np.concatenate((together[0], together[-1], together[:, 0], together[:, -1]))
    assert not edges.any()
    rows, columns = np.nonzero(together)
    assert max(np.ptp(rows) / together.shape[0], np.ptp(columns) / together.shape[1]) > 0.7


@pytest.mark.slow
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


@pytest.mark.slow
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


@pytest.mark.slow
def test_a_missing_driver_of_mujoco_is_noted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("bridge.demo._PLATFORMS", ("no-such-platform",))
    gallery = draw(ARM, POSES[:1])
    assert list(gallery.images) == ["PyBullet"]
    assert "neither EGL nor OSMesa" in gallery.notes[0]
    assert side_by_side(gallery, ["zero"])


# MuJoCo's renderer in a separate process.

BALL = (
    '<mujoco><worldbody><body><freejoint/><geom size="0.2" rgba="1 0 0 '
    '1"/></body></worldbody></mujoco>'
)
PLATFORMS = ("egl", "osmesa", "glfw")


def run(folder: Path, platform: str) -> bool:
    command = [sys.executable, "-P", str(demo_worker.__file__), str(folder)]
    environment = os.environ | {"MUJOCO_GL": platform}
    environment.pop("PYOPENGL_PLATFORM", None)
    return (
        subprocess.run(
            command, env=environment, capture_output=True, timeout=120, check=False
        ).returncode
        == 0
    )


def test_each_position_has_an_image_and_a_mask_of_the_model(tmp_path: Path) -> None:
    model = mujoco.MjModel.from_xml_string(BALL)
    mujoco.mj_saveModel(model, str(tmp_path / "model.mjb"), None)
    qpos = [
        (0, 0, 0, 1, 0, 0, 0),
        (0, 0, 100, 1, 0, 0, 0),
    ]  # in the center of the image, and out of sight
    np.savez(
        tmp_path / "views.npz",
        qpos=qpos,
        target=(0, 0, 0),
        size=(64, 48),
        fov=35.0,
        orbit=(2.0, 140.0, -18.0),
    )
    if not any(run(tmp_path, platform) for platform in PLATFORMS):
        pytest.skip("no rendering platform works on this machine")
    drawn = np.load(tmp_path / "images.npz")
    assert drawn["images"].shape == (2, 48, 64, 3)
    in_sight, out_of_sight = drawn["masks"]
    assert in_sight[24, 32]
    assert not in_sight[0, 0]
    assert not out_of_sight.any()
    red, green, blue = drawn["images"][0, 24, 32].tolist()
    assert red > green + 50
    assert green == blue


def test_each_position_may_have_its_own_camera(tmp_path: Path) -> None:
    model = mujoco.MjModel.from_xml_string(BALL)
    mujoco.mj_saveModel(model, str(tmp_path / "model.mjb"), None)
    qpos = [(0, 0, 0, 1, 0, 0, 0), (0, 0, 100, 1, 0, 0, 0)]
    orbit = [(2.0, 140.0, -18.0), (8.0, 140.0, -18.0)]
    np.savez(
        tmp_path / "views.npz",
        qpos=qpos,
        target=[(0, 0, 0), (0, 0, 100)],
        size=(64, 48),
        fov=35.0,
        orbit=orbit,
    )
    if not any(run(tmp_path, platform) for platform in PLATFORMS):
        pytest.skip("no rendering platform works on this machine")
    near, far = np.load(tmp_path / "images.npz")["masks"]
    assert near[24, 32]
    assert far[24, 32]
    assert near.sum() > 4 * far.sum() > 0


# The camera that frames a model, and the background of pictures.


@pytest.mark.parametrize("seed", range(5))
def test_every_point_is_in_the_image_and_one_is_near_its_edge(seed: int) -> None:
    points = np.random.default_rng(seed).normal(size=(30, 3)) * (1.0, 2.0, 3.0)
    camera = fit_camera(points)
    a, e = math.radians(AZIMUTH), math.radians(ELEVATION)
    forward = np.array((math.cos(e) * math.cos(a), math.cos(e) * math.sin(a), math.sin(e)))
    right = np.cross(forward, (0.0, 0.0, 1.0))
    right /= np.linalg.norm(right)
    up = np.cross(right, forward)
    np.testing.assert_allclose(camera.eye + camera.distance * forward, camera.target)
    half_height = math.tan(math.radians(FIELD_OF_VIEW / 2.0))
    half_width = half_height * SIZE[0] / SIZE[1]
    seen = points - camera.eye
    reach = np.maximum(abs(seen @ right) / half_width, abs(seen @ up) / half_height) / (
        seen @ forward
    )
    assert 0.7 < reach.max() <= 1.0


def test_the_background_replaces_what_is_not_the_model() -> None:
    image = np.full((4, 2, 3), 7, dtype=np.uint8)
    mask = np.zeros((4, 2), dtype=bool)
    mask[1, 1] = True
    picture = composite_on_background(image, mask)
    assert picture[1, 1].tolist() == [7, 7, 7]
    assert picture[0, 0].tolist() == [252] * 3
    assert picture[3, 0].tolist() == [232] * 3


# Demonstration on the bundled arm.


@pytest.mark.slow
def test_without_pictures_the_demonstration_still_compares(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def no_picture(_scene: object) -> tuple[None, list[str]]:
        return None, ["no pictures"]

    monkeypatch.setattr(demo, "_picture", no_picture)
    steps: list[str] = []
    result = run_demo(tmp_path, progress=steps.append)
    assert result.comparison.agreement is Verdict.EQUIVALENT
    assert "no pictures" in result.notes
    assert {path.name for path in result.files} >= {"arm.xml", "results.json", "junit.xml"}
    assert all(path.is_file() for path in result.files)
    assert json.loads((tmp_path / "results.json").read_text())["verdict"] == "EQUIVALENT"
    assert f"python -m mujoco.viewer --mjcf={tmp_path / 'arm' / 'scene.xml'}" in result.next_steps
    assert (tmp_path / "arm" / "scene.xml").is_file()
    assert steps[0].startswith("reading ")
    assert steps[1:] == ["writing MJCF", "drawing both simulators", "comparing MuJoCo and PyBullet"]


@pytest.mark.slow
def test_without_the_packages_of_reports_no_report_is_promised(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("jinja2", "matplotlib.figure"):
        monkeypatch.setitem(sys.modules, name, None)
    result = run_demo(tmp_path, progress=lambda step: None)
    assert not any("report.html" in step for step in result.next_steps)
    assert (
        "no pictures: matplotlib is not installed; try: pip install 'sdfbridge[report]'"
        in result.notes
    )
    assert (
        "the HTML report needs jinja2 and matplotlib: pip install 'sdfbridge[report]'"
        in result.notes
    )


@pytest.mark.slow
def test_without_pybullet_the_demonstration_compares_mujoco_with_the_reference(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "pybullet", None)
    steps: list[str] = []
    result = run_demo(tmp_path, progress=steps.append)
    assert result.comparison.agreement is Verdict.EQUIVALENT
    assert result.comparison.engines == ("mujoco",)
    assert steps[-1] == "comparing MuJoCo with the reference"
    assert any("no pictures of PyBullet" in note for note in result.notes)


# Location of the bundled models.


def test_the_bundled_models_are_found_beside_the_package() -> None:
    assert (demo.assets_dir() / "arm" / "model.sdf").is_file()


def test_an_installed_package_has_its_own_models(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    package = tmp_path / "bridge"
    (package / "_assets" / "arm").mkdir(parents=True)
    monkeypatch.setattr(demo, "__file__", str(package / "demo.py"))
    assert demo.assets_dir() == package / "_assets"


def test_an_installation_without_models_is_reported(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(demo, "__file__", str(tmp_path / "bridge" / "demo.py"))
    with pytest.raises(FileNotFoundError, match="not installed"):
        demo.assets_dir()


def test_an_overlay_tells_which_picture_alone_shows_the_model() -> None:
    masks = np.zeros((2, 4, 4), dtype=bool)
    masks[0, :3, 1], masks[1, 1:, 1] = True, True
    drawn = [composite_on_background(np.full((4, 4, 3), 90, np.uint8), mask) for mask in masks]
    shown = overlaid(*drawn)[:, 1].astype(int)
    red, blue = shown[:, 0], shown[:, 2]
    assert (red < blue).tolist() == [True, True, True, False]
    assert abs(red[1] - blue[1]) < 20
    assert red[3] > blue[3] + 100
