"""Demonstration on the bundled arm: read it, write MJCF, draw both simulators, and compare them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import loaders
from bridge.mechanism.coordinates import Position
from bridge.mjcf.export.folder import exported_files
from bridge.output import check_folder, write_folder
from bridge.parity import Comparison, compare, default_engines
from bridge.parity.report.html_report import html
from loaders.scene import Scene

from .bundled_models import assets_dir
from .gallery import draw, side_by_side

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
        return (
            *([f"open {report} in a browser"] if report else ()),
            f"python -m mujoco.viewer --mjcf={folder / 'scene.xml'}",
            "sdfbridge check YOUR_ROBOT.sdf",
            "sdfbridge compare YOUR_ROBOT.sdf --report out/report",
        )


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
        OutputFolderError: if the folder holds files that were edited or that no demonstration wrote.
    """
    check_folder(folder, force=force)
    path = assets_dir() / "arm" / "model.sdf"
    progress(f"reading {path}")
    scene = loaders.load(path, quiet=True)
    progress("writing MJCF")
    exported = exported_files(scene, quiet=True)
    progress("drawing both simulators")
    picture, notes = _picture(scene)
    engines = default_engines()
    progress("comparing MuJoCo and PyBullet" if len(engines) > 1 else "comparing MuJoCo with the reference")
    comparison = compare(scene, engines)
    reports, missing = _reports(comparison, picture)
    write_folder(folder, {f"{_MODEL}/{name}": data for name, data in exported.files.items()} | reports, force=force)
    paths = (folder / _MODEL / f"{exported.name}.xml", *(folder / name for name in reports))
    return Demo(scene=scene, comparison=comparison, files=paths, notes=(*notes, *missing))


def _reports(comparison: Comparison, picture: bytes | None) -> tuple[dict[str, bytes], list[str]]:
    """Return the files beside the model, and what is missing."""
    files = {"side_by_side.png": picture} if picture is not None else {}
    files |= comparison.files()
    try:
        report = html(comparison, {"same joint positions": picture} if picture else {})
    except ImportError as error:
        return files, [str(error)]
    return files | {"report.html": report.encode(errors="backslashreplace")}, []


def _picture(scene: Scene) -> tuple[bytes | None, list[str]]:
    gallery = draw(scene, POSES)
    captions = [
        ", ".join(f"{joint} {angle} rad" for joint, angle in pose.items()) or "all joints at zero" for pose in POSES
    ]
    try:
        return side_by_side(gallery, captions, f"{scene.name} in both simulators"), gallery.notes
    except ImportError as error:
        return None, [*gallery.notes, f"no pictures: {error}"]
