"""The scene of a source: a path, a scene, or a mechanism."""

from __future__ import annotations

import os

import loaders
from bridge.geometry.inline_assets import with_asset_files
from bridge.lowering.inertia_repair import with_repaired_inertia
from bridge.lowering.inputs import Source
from bridge.mechanism import Mechanism
from loaders import LoadOptions
from loaders.scene import Scene
from loaders.scene_operations.consistency import require_consistent
from loaders.scene_operations.joint_poses import report_contradictions

from .report import Report


def scene_of(source: Source, options: LoadOptions, report: Report | None = None) -> Scene:
    """Return the scene of a source.

    Args:
        source: A path, a scene, or a mechanism.
        options: Options of `loaders.load`, if the source is a path.
        report: Receives the joints that contradict the poses of links, if the source is no path.

    Raises:
        ExportError: if the scene has names that nothing has, or numbers that no model can have.
        LoadError: if the file has errors.
        TypeError: if the source is neither a path, a scene nor a mechanism.
    """
    if isinstance(source, str | os.PathLike):
        return with_asset_files(loaders.load(source, **options))
    scene = source.scene if isinstance(source, Mechanism) else source
    if not isinstance(scene, Scene):
        raise TypeError(f"expected a path, a Scene or a Mechanism, not {type(source).__name__}")
    require_consistent(scene)
    if report is not None:
        report_contradictions(scene, report.entries)
    return with_asset_files(scene)


def repaired(scene: Scene, report: Report, *, wanted: bool) -> Scene:
    """Return the scene with the nearest physical inertias, if that is wanted.

    Args:
        scene: The scene.
        report: Receives the findings.
        wanted: Whether inertias are repaired.
    """
    return with_repaired_inertia(scene, report.entries) if wanted else scene
