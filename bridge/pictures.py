"""Both simulators in pictures, side by side, at the same joint positions; without display, network or GPU.

PyBullet draws with its own software renderer, MuJoCo offscreen with EGL or OSMesa. The camera is one and the same, and
framed by the model's bounding box. What a machine cannot draw is left out, with a note.
"""

from __future__ import annotations

import io
import math
import os
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from loaders.spatial import Array

from . import offscreen
from .mechanism import Mechanism, Position
from .sources import Source, mechanism_of

Image = NDArray[np.uint8]
"""Red, green and blue, shape (height, width, 3)."""
Pose = Mapping[str, Position]
"""Joint positions."""

SIZE = (640, 480)
_FIELD_OF_VIEW = 35.0
"""Vertical, in degrees."""
_AZIMUTH, _ELEVATION = 140.0, -18.0
"""Direction in which the camera looks, in degrees."""
_MARGIN = 1.1
_PLATFORMS = ("egl", "osmesa")
_TIMEOUT = 120.0
"""For one process of MuJoCo's renderer [s]."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Camera:
    """Where pictures are taken from."""

    target: Array
    """[m], shape (3,), in the world."""
    distance: float
    """From the target [m]."""

    @property
    def eye(self) -> Array:
        """Of the camera, in the world."""
        position: Array = self.target - self.distance * _axes()[2]
        return position


def _axes() -> Array:
    """Right, up and forward of the camera in the world, shape (3, 3)."""
    a, e = math.radians(_AZIMUTH), math.radians(_ELEVATION)
    forward = np.array((math.cos(e) * math.cos(a), math.cos(e) * math.sin(a), math.sin(e)))
    right = np.array((math.sin(a), -math.cos(a), 0.0))
    return np.array((right, np.cross(right, forward), forward))


@dataclass(frozen=True, slots=True, kw_only=True)
class Gallery:
    """Images by simulator, one for each pose; and notes on what could not be drawn."""

    images: dict[str, list[Image]] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)


def draw(source: Source, poses: Sequence[Pose], **load_options: Any) -> Gallery:
    """Draw a model in both simulators, at each of these joint positions.

    Raises:
        LoadError: if the file is wrong.
        ExportError: if a simulator cannot hold the model.
        ValueError: for an unknown joint.
    """
    mechanism = mechanism_of(source, **load_options)
    gallery = Gallery()
    model, qpos = _in_mujoco(mechanism, poses)
    camera = _framing(model, qpos)
    with tempfile.TemporaryDirectory(prefix="sdfbridge-") as folder:
        drawn = _mujoco_images(model, qpos, camera, Path(folder))
    if drawn:
        gallery.images["MuJoCo"] = drawn
    else:
        gallery.notes.append("MuJoCo's pictures are left out: this machine has neither EGL nor OSMesa")
    try:
        gallery.images["PyBullet"] = _bullet_images(mechanism, poses, camera)
    except ImportError:
        gallery.notes.append("PyBullet's pictures are left out: it is not installed; try: pip install pybullet")
    return gallery


def side_by_side(gallery: Gallery, captions: Sequence[str], title: str = "") -> bytes | None:
    """The images as one PNG, a row for each pose and a column for each simulator; None if there are none.

    Raises:
        ImportError: if matplotlib is missing.
    """
    if not gallery.images:
        return None
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    rows, columns = len(captions), len(gallery.images)
    figure = Figure(figsize=(4.4 * columns, 3.3 * rows + 0.9), layout="constrained", facecolor="white")
    figure.suptitle(title, fontsize=12)
    axes = figure.subplots(rows, columns, squeeze=False)
    for column, (name, images) in enumerate(gallery.images.items()):
        axes[0, column].set_title(name, fontsize=13, fontweight="bold")
        for row, image in enumerate(images):
            axes[row, column].imshow(image)
            axes[row, column].set_xticks([])
            axes[row, column].set_yticks([])
            axes[row, column].spines[:].set_color("0.8")
            axes[row, column].set_xlabel(captions[row], fontsize=9)
    target = io.BytesIO()
    FigureCanvasAgg(figure)
    figure.savefig(target, format="png")
    return target.getvalue()


# --- MuJoCo ----------------------------------------------------------------------------------------------------------


def _in_mujoco(mechanism: Mechanism, poses: Sequence[Pose]) -> tuple[Any, list[Array]]:
    """The compiled model, and its ``qpos`` for each pose."""
    from .parity.on_mujoco import MujocoEngine

    engine = MujocoEngine(mechanism)
    qpos = []
    for pose in poses:
        engine.set_state(pose, {})
        qpos.append(engine.qpos())
    return engine.model, qpos


def _framing(model: Any, qpos: Sequence[Array]) -> Camera:
    """A camera that sees the bounding box of everything solid, in every pose."""
    import mujoco

    data = mujoco.MjData(model)
    corners = [np.zeros((0, 3))]
    drawn = [g for g in range(model.ngeom) if model.geom_type[g] != mujoco.mjtGeom.mjGEOM_PLANE]
    for q in qpos:
        data.qpos[:] = q
        mujoco.mj_kinematics(model, data)
        for g in drawn:
            centre, half = model.geom_aabb[g, :3], model.geom_aabb[g, 3:]
            signs = np.array(np.meshgrid((-1, 1), (-1, 1), (-1, 1))).reshape(3, -1).T
            corners.append(data.geom_xpos[g] + (centre + signs * half) @ data.geom_xmat[g].reshape(3, 3).T)
    points = np.concatenate(corners)
    if not len(points):
        return Camera(target=np.zeros(3), distance=2.0)
    return framed(points)


def framed(points: Array) -> Camera:
    """A camera as near as shows all points, shape (n, 3), with a margin."""
    axes = _axes()
    seen = points @ axes.T
    middle = (seen.min(axis=0) + seen.max(axis=0)) / 2.0
    slope = math.tan(math.radians(_FIELD_OF_VIEW / 2.0))
    slopes = np.array((slope * SIZE[0] / SIZE[1], slope))
    needed = np.abs(seen[:, :2] - middle[:2]) / slopes - (seen[:, 2:] - middle[2])
    return Camera(target=middle @ axes, distance=max(_MARGIN * float(needed.max()), 1e-3))


def _mujoco_images(model: Any, qpos: Sequence[Array], camera: Camera, folder: Path) -> list[Image]:
    """Drawn by the first platform that works here; empty if none does."""
    import mujoco

    mujoco.mj_saveModel(model, str(folder / "model.mjb"), None)
    np.savez(
        folder / "views.npz", qpos=np.array(qpos), target=camera.target, size=SIZE, fov=_FIELD_OF_VIEW,
        orbit=(camera.distance, _AZIMUTH, _ELEVATION),
    )  # fmt: skip
    for platform in _PLATFORMS:
        if _render(folder, platform):
            drawn = np.load(folder / "images.npz")
            return [_on_paper(image, mask) for image, mask in zip(drawn["images"], drawn["masks"], strict=True)]
    return []


def _render(folder: Path, platform: str) -> bool:
    """Whether MuJoCo's renderer worked in a process of its own, which a missing driver may end."""
    command = [sys.executable, "-P", str(offscreen.__file__), str(folder)]
    environment = {**os.environ, "MUJOCO_GL": platform}
    environment.pop("PYOPENGL_PLATFORM", None)
    try:
        done = subprocess.run(command, env=environment, capture_output=True, timeout=_TIMEOUT, check=False)  # noqa: S603
    except subprocess.TimeoutExpired:
        return False
    return done.returncode == 0 and (folder / "images.npz").exists()


# --- PyBullet --------------------------------------------------------------------------------------------------------


def _bullet_images(mechanism: Mechanism, poses: Sequence[Pose], camera: Camera) -> list[Image]:
    from .bullet.console import captured

    with captured([]):
        import pybullet

        from .bullet import load_into_pybullet

        client = pybullet.connect(pybullet.DIRECT)
        try:
            robot = load_into_pybullet(mechanism, physicsClientId=client)
            images = []
            for pose in poses:
                robot.set_positions(pose)
                images.append(bullet_image(pybullet, client, camera))
            return images
        finally:
            pybullet.disconnect(client)


def bullet_image(pybullet: Any, client: int, camera: Camera) -> Image:
    """What a physics server of PyBullet's holds now, drawn by its software renderer."""
    width, height = SIZE
    view = pybullet.computeViewMatrix(camera.eye.tolist(), camera.target.tolist(), (0, 0, 1))
    lens = pybullet.computeProjectionMatrixFOV(
        _FIELD_OF_VIEW, width / height, 0.02 * camera.distance, 10.0 * camera.distance
    )
    light = camera.eye - camera.target + np.array((0.0, 0.0, camera.distance))
    shot = pybullet.getCameraImage(
        width, height, view, lens, lightDirection=light.tolist(), shadow=0, lightAmbientCoeff=0.6,
        lightDiffuseCoeff=0.35, lightSpecularCoeff=0.05, renderer=pybullet.ER_TINY_RENDERER, physicsClientId=client,
    )  # fmt: skip
    pixels = np.reshape(np.array(shot[2], dtype=np.uint8), (height, width, -1))[:, :, :3]
    return _on_paper(pixels, np.reshape(np.array(shot[4]), (height, width)) >= 0)


def _on_paper(image: Image, mask: NDArray[np.bool_]) -> Image:
    """The model on the same light background, whoever drew it."""
    height, width = mask.shape
    shade = np.linspace(252, 232, height).astype(np.uint8)
    paper = np.repeat(np.repeat(shade[:, None, None], width, axis=1), 3, axis=2)
    drawn: Image = np.where(mask[:, :, None], image, paper).astype(np.uint8)
    return drawn
