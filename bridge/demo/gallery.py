"""Both simulators in pictures, side by side, at the same joint positions; without display, network or GPU.

PyBullet draws with its own software renderer, MuJoCo offscreen with EGL or OSMesa. The camera is one and the same, and
framed by the model's bounding box. What a machine cannot draw is left out, with a note.
"""

from __future__ import annotations

import io
import os
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from bridge.bullet import load_into_pybullet
from bridge.bullet.client.stdout_capture import capture_stdout
from bridge.bullet.handle.notebook import bullet_image
from bridge.lowering.inputs import Source, mechanism_of
from bridge.mechanism import Mechanism
from bridge.mechanism.coordinates import Position
from bridge.parity.engines.mujoco_engine import MujocoEngine
from bridge.rendering import mujoco_worker
from bridge.rendering.camera import (
    AZIMUTH,
    ELEVATION,
    FIELD_OF_VIEW,
    SIZE,
    Camera,
    Image,
    composite_on_background,
    fit_camera,
)
from loaders.spatial import Array

Pose = Mapping[str, Position]
"""Joint positions."""

_PLATFORMS = ("egl", "osmesa")
_TIMEOUT = 120.0
"""For one process of MuJoCo's renderer [s]."""


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
    return fit_camera(points)


def _mujoco_images(model: Any, qpos: Sequence[Array], camera: Camera, folder: Path) -> list[Image]:
    """Drawn by the first platform that works here; empty if none does."""
    import mujoco

    mujoco.mj_saveModel(model, str(folder / "model.mjb"), None)
    np.savez(
        folder / "views.npz", qpos=np.array(qpos), target=camera.target, size=SIZE, fov=FIELD_OF_VIEW,
        orbit=(camera.distance, AZIMUTH, ELEVATION),
    )  # fmt: skip
    for platform in _PLATFORMS:
        if _render(folder, platform):
            drawn = np.load(folder / "images.npz")
            return [
                composite_on_background(image, mask)
                for image, mask in zip(drawn["images"], drawn["masks"], strict=True)
            ]
    return []


def _render(folder: Path, platform: str) -> bool:
    """Whether MuJoCo's renderer worked in a process of its own, which a missing driver may end."""
    command = [sys.executable, "-P", str(mujoco_worker.__file__), str(folder)]
    environment = {**os.environ, "MUJOCO_GL": platform}
    environment.pop("PYOPENGL_PLATFORM", None)
    try:
        done = subprocess.run(command, env=environment, capture_output=True, timeout=_TIMEOUT, check=False)  # noqa: S603
    except subprocess.TimeoutExpired:
        return False
    return done.returncode == 0 and (folder / "images.npz").exists()


# --- PyBullet --------------------------------------------------------------------------------------------------------


def _bullet_images(mechanism: Mechanism, poses: Sequence[Pose], camera: Camera) -> list[Image]:
    with capture_stdout([]):
        import pybullet

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
