"""The demonstration, and pictures of both simulators.

PyBullet draws with its own software renderer, MuJoCo off screen with EGL or OSMesa. For each
configuration, both use the same camera, fitted to the bounding box of the model. If this machine
cannot draw with a simulator, a note says so.
"""

from __future__ import annotations

import io
import os
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

import loaders
from bridge.camera import FIELD_OF_VIEW, SIZE, Camera, Image, composite_on_background, fit_camera
from bridge.lowering.transform import Source, mechanism_of
from bridge.mechanism import Mechanism
from bridge.mechanism.coordinates import Position, all_positions
from bridge.output import check_folder, scratch_folder, write_folder
from bridge.parity import Comparison, compare, default_engines
from bridge.parity.report.report import html
from bridge.stdout_capture import capture_stdout
from bridge.targets.folder import finished
from bridge.targets.mjcf import MjcfOptions, to_mjspec
from bridge.targets.mjcf.folder import folder_files
from bridge.targets.mjcf.keyframe import qpos
from bridge.targets.pybullet import load_into_pybullet
from bridge.targets.pybullet.body import bullet_image
from loaders.picture import AZIMUTH, ELEVATION
from loaders.pose import Array
from loaders.scene import Scene
from loaders.text import encoded

from . import demo_worker


def assets_dir() -> Path:
    """Return the folder of the bundled models.

    Raises:
        FileNotFoundError: if the installation does not contain them.
    """
    package = Path(__file__).resolve().parent
    for folder in (package / "_assets", package.parent / "assets"):
        if (folder / "arm").is_dir():
            return folder
    raise FileNotFoundError(
        "the bundled models are not installed; install sdfbridge from its checkout or wheel"
    )


JointPositions = Mapping[str, Position]
"""Positions by joint name."""

_PLATFORMS = ("egl", "osmesa")
_DRAWN_GROUPS = 3
"""Groups of geoms that MuJoCo draws unless it is told otherwise."""
_TIMEOUT = 120.0
"""Time limit of one process of MuJoCo's renderer [s]."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Gallery:
    """Images of a model in each simulator.

    Attributes:
        images: Images by simulator, one for each configuration.
        notes: Simulators that could not be drawn, and why.
    """

    images: dict[str, list[Image]] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)


def draw(source: Source, poses: Sequence[JointPositions], **load_options: Any) -> Gallery:
    """Draw a model in both simulators at several configurations.

    Args:
        source: A path, a `loaders.Scene` or a `bridge.Mechanism`.
        poses: Joint positions of each image; joints that are left out follow others, or are at
            zero.
        load_options: Options of `loaders.load`, if ``source`` is a path.

    Returns:
        The images, one for each configuration and simulator.

    Raises:
        LoadError: if the file is wrong.
        ExportError: if a simulator cannot hold the model.
        ValueError: for an unknown joint.
    """
    load_options["quiet"] = True
    mechanism = mechanism_of(source, **load_options)
    gallery = Gallery()
    poses = [all_positions(mechanism, pose) for pose in poses]
    model, positions = _compile(mechanism, poses)
    cameras = [_fitted_camera(model, q) for q in positions]
    with scratch_folder() as folder:
        drawn = _mujoco_images(model, positions, cameras, folder)
    if drawn:
        gallery.images["MuJoCo"] = drawn
    else:
        gallery.notes.append("no pictures of MuJoCo: this machine has neither EGL nor OSMesa")
    try:
        gallery.images["PyBullet"] = _bullet_images(mechanism, poses, cameras)
    except ImportError:
        gallery.notes.append(
            "no pictures of PyBullet: it is not installed; try: pip install pybullet"
        )
    return gallery


def draw_two(a: Scene, b: Scene) -> list[Image]:
    """Draw two scenes with MuJoCo from the camera that fits the first one, joints at zero; return
    no image where this machine cannot draw.

    Args:
        a: The first scene.
        b: The second scene.

    Raises:
        ExportError: if MuJoCo cannot hold one of them.
    """
    images: list[Image] = []
    camera, extent = None, 0.0
    for scene in (a, b):
        mechanism = mechanism_of(scene, quiet=True)
        model, positions = _compile(mechanism, [all_positions(mechanism, {})])
        camera = camera or _fitted_camera(model, positions[0])
        model.stat.extent = extent = extent or model.stat.extent  # what is near is drawn
        with scratch_folder() as folder:
            images += _mujoco_images(model, positions, [camera], folder)
    return images if len(images) == 2 else []


def overlaid(one: Image, two: Image) -> Image:
    """Return where two pictures show the model: both in gray, the first alone in blue, the second
    alone in orange.

    Args:
        one: The first picture, on the common background.
        two: The second picture.
    """
    empty = composite_on_background(one, np.zeros(one.shape[:2], dtype=bool))
    in_one, in_two = ((image != empty).any(axis=2) for image in (one, two))
    result = empty.copy()
    result[in_one & in_two] = (176, 182, 190)
    result[in_one & ~in_two] = (0, 114, 178)
    result[in_two & ~in_one] = (230, 120, 0)
    return result


def side_by_side(gallery: Gallery, captions: Sequence[str], title: str = "") -> bytes | None:
    """Arrange the images in one PNG: a row for each configuration, a column for each simulator,
    and of two simulators their difference.

    Args:
        gallery: The images.
        captions: Text below each row.
        title: Text above all images.

    Returns:
        The PNG file, or None if there are no images.

    Raises:
        ImportError: if matplotlib is not installed; the message states how to install it.
    """
    if not gallery.images:
        return None
    try:
        from matplotlib.backends.backend_agg import FigureCanvasAgg
        from matplotlib.figure import Figure
    except ImportError as error:
        raise ImportError(
            "matplotlib is not installed; try: pip install 'sdfbridge[report]'"
        ) from error
    images = dict(gallery.images)
    if len(images) == 2:
        one, two = images
        images[f"blue: only {one}, orange: only {two}"] = list(
            map(overlaid, *gallery.images.values())
        )
    rows, columns = len(captions), len(images)
    figure = Figure(
        figsize=(4.4 * columns, 3.3 * rows + 0.9), layout="constrained", facecolor="white"
    )
    figure.suptitle(title, fontsize=12)
    axes = figure.subplots(rows, columns, squeeze=False)
    for column, (name, drawn) in enumerate(images.items()):
        axes[0, column].set_title(name, fontsize=11, fontweight="bold")
        for row, image in enumerate(drawn):
            axes[row, column].imshow(image)
            axes[row, column].set_xticks([])
            axes[row, column].set_yticks([])
            axes[row, column].spines[:].set_color("0.8")
            axes[row, column].set_xlabel(captions[row], fontsize=9)
    target = io.BytesIO()
    FigureCanvasAgg(figure)
    figure.savefig(target, format="png")
    return target.getvalue()


# --- MuJoCo ---------------------------------------------------------------------------------------


def _compile(mechanism: Mechanism, poses: Sequence[JointPositions]) -> tuple[Any, list[Array]]:
    """Return the compiled MuJoCo model, and ``qpos`` of each configuration."""
    return to_mjspec(mechanism, quiet=True).compile(), [qpos(mechanism, pose) for pose in poses]


def _fitted_camera(model: Any, q: Array) -> Camera:
    """Return a camera that sees the bounding box of every bounded geom that is drawn in one
    configuration.
    """
    import mujoco

    data = mujoco.MjData(model)
    data.qpos[:] = q
    mujoco.mj_kinematics(model, data)
    corners = [np.zeros((0, 3))]
    signs = np.array(np.meshgrid((-1, 1), (-1, 1), (-1, 1))).reshape(3, -1).T
    bounded = [g for g in range(model.ngeom) if model.geom_type[g] != mujoco.mjtGeom.mjGEOM_PLANE]
    drawn = [g for g in bounded if model.geom_group[g] < _DRAWN_GROUPS]
    for g in drawn or bounded:
        center, half = model.geom_aabb[g, :3], model.geom_aabb[g, 3:]
        corners.append(
            data.geom_xpos[g] + (center + signs * half) @ data.geom_xmat[g].reshape(3, 3).T
        )
    points = np.concatenate(corners)
    if not len(points):
        return Camera(target=np.zeros(3), distance=2.0)
    return fit_camera(points)


def _mujoco_images(
    model: Any, positions: Sequence[Array], cameras: Sequence[Camera], folder: Path
) -> list[Image]:
    """Images from the first rendering platform that works on this machine; empty if none works."""
    import mujoco

    mujoco.mj_saveModel(model, str(folder / "model.mjb"), None)
    np.savez(
        folder / "views.npz",
        qpos=np.array(positions),
        size=SIZE,
        fov=FIELD_OF_VIEW,
        target=[camera.target for camera in cameras],
        orbit=[(camera.distance, AZIMUTH, ELEVATION) for camera in cameras],
    )
    for platform in _PLATFORMS:
        if _render(folder, platform):
            drawn = np.load(folder / "images.npz")
            return [
                composite_on_background(image, mask)
                for image, mask in zip(drawn["images"], drawn["masks"], strict=True)
            ]
    return []


def _render(folder: Path, platform: str) -> bool:
    """Run MuJoCo's renderer in a separate process, which a missing driver may abort; return whether
    it succeeded.
    """
    command = [sys.executable, "-P", str(demo_worker.__file__), str(folder)]
    environment = {**os.environ, "MUJOCO_GL": platform}
    environment.pop("PYOPENGL_PLATFORM", None)
    try:
        done = subprocess.run(  # noqa: S603 - this interpreter
            command, env=environment, capture_output=True, timeout=_TIMEOUT, check=False
        )
    except subprocess.TimeoutExpired:
        return False
    return done.returncode == 0 and (folder / "images.npz").exists()


# --- PyBullet -------------------------------------------------------------------------------------


def _bullet_images(
    mechanism: Mechanism, poses: Sequence[JointPositions], cameras: Sequence[Camera]
) -> list[Image]:
    with capture_stdout([]):
        import pybullet

        client = pybullet.connect(pybullet.DIRECT)
        try:
            robot = load_into_pybullet(
                mechanism, physicsClientId=client, smooth_visuals=True, quiet=True
            )
            images = []
            for pose, camera in zip(poses, cameras, strict=True):
                robot.set_positions(pose)
                images.append(bullet_image(pybullet, client, camera))
            return images
        finally:
            pybullet.disconnect(client)


_MODEL = "arm"
"""Name of the folder of the model."""
POSES: tuple[dict[str, Position], ...] = (
    {},
    {"waist": 0.6, "shoulder": -0.4, "elbow": 0.5, "roll": 0.8},
    {"waist": -0.7, "shoulder": 0.5, "elbow": -1.1, "roll": -0.6},
)
"""Joint positions of each row of pictures [rad]."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Demo:
    """Results of the demonstration.

    Attributes:
        scene: The bundled arm.
        comparison: The comparison of MuJoCo and PyBullet.
        files: The files that were written.
        notes: Parts that were left out because this machine lacks something.
    """

    scene: Scene
    comparison: Comparison
    files: tuple[Path, ...]
    notes: tuple[str, ...]

    @property
    def next_steps(self) -> tuple[str, ...]:
        """Commands to try next; the viewer needs a display."""
        folder = self.files[0].parent
        report = next((file for file in self.files if file.name == "report.html"), None)
        steps = (
            f"python -m mujoco.viewer --mjcf={folder / 'scene.xml'}",
            "sdfbridge check YOUR_ROBOT.sdf",
            "sdfbridge compare YOUR_ROBOT.sdf --report out/report",
        )
        return steps if report is None else (f"open {report} in a browser", *steps)


def run_demo(folder: Path, progress: Callable[[str], None], *, force: bool = False) -> Demo:
    """Run the demonstration and write its files as a folder, which appears whole or not at all.

    Args:
        folder: The folder to write; that of an earlier demonstration is replaced.
        progress: Called with a description of each step.
        force: Whether to overwrite files that were edited or that no demonstration wrote.

    Returns:
        The results.

    Raises:
        EngineMissingError: if a simulator is not installed.
        OutputFolderError: if the folder holds files that were edited or that no demonstration
        wrote.
    """
    check_folder(folder, force=force)
    path = assets_dir() / "arm" / "model.sdf"
    progress(f"reading {path}")
    scene = loaders.load(path, quiet=True)
    progress("writing MJCF")
    exported = finished(folder_files, scene, MjcfOptions(quiet=True), check=True)
    progress("drawing both simulators")
    picture, notes = _picture(scene)
    engines = default_engines()
    progress(
        "comparing MuJoCo and PyBullet"
        if len(engines) > 1
        else "comparing MuJoCo with the reference"
    )
    comparison = compare(scene, engines)
    reports, missing = _reports(comparison, picture)
    write_folder(
        folder,
        {f"{_MODEL}/{name}": data for name, data in exported.files.items()} | reports,
        force=force,
    )
    paths = (folder / _MODEL / exported.main, *(folder / name for name in reports))
    return Demo(scene=scene, comparison=comparison, files=paths, notes=(*notes, *missing))


def _reports(comparison: Comparison, picture: bytes | None) -> tuple[dict[str, bytes], list[str]]:
    """Return the files beside the model, and what is missing."""
    files = {"side_by_side.png": picture} if picture is not None else {}
    files |= comparison.files()
    try:
        report = html(comparison, {"same joint positions": picture} if picture else {})
    except ImportError as error:
        return files, [str(error)]
    return files | {"report.html": encoded(report)}, []


def _picture(scene: Scene) -> tuple[bytes | None, list[str]]:
    gallery = draw(scene, POSES)
    captions = [
        ", ".join(f"{joint} {angle} rad" for joint, angle in pose.items()) or "all joints at zero"
        for pose in POSES
    ]
    try:
        return side_by_side(gallery, captions, f"{scene.name} in both simulators"), gallery.notes
    except ImportError as error:
        return None, [*gallery.notes, f"no pictures: {error}"]
