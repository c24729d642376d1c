"""Settings that only a world has: gravity, physics, environment, lights and frames that no link carries."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence

import numpy as np

from bridge.export.report import Report
from loaders.diagnostics import Fate
from loaders.model import WORLD
from loaders.scene import Scene

_DEFAULT = Scene(name="")
_ARRAYS = ("gravity", "wind", "magnetic_field")


def settings_of(scene: Scene) -> tuple[str, ...]:
    """Return the names of the settings that a document without a world cannot represent."""
    found = [key for key in _ARRAYS if not np.array_equal(getattr(scene, key), getattr(_DEFAULT, key))]
    if scene.physics != _DEFAULT.physics:
        found.append("physics")
    if any(light.link == WORLD for light in scene.lights):
        found.append("lights")
    if any(frame.link == WORLD for frame in scene.frames):
        found.append("frames")
    return tuple(found)


def without_settings(scene: Scene, settings: Sequence[str], report: Report) -> Scene:
    """Return the scene without settings of the world.

    Args:
        scene: The scene.
        settings: Their names.
        report: Receives the finding.
    """
    report.add(
        Fate.DROPPED,
        "sdfout.world-settings",
        "a document without a world cannot state {settings} of the world",
        hint='use world="auto"',
        subjects=(scene.name,),
        settings=tuple(name.replace("_", " ") for name in settings),
    )
    defaults = {key: getattr(_DEFAULT, key) for key in (*_ARRAYS, "physics")}
    return dataclasses.replace(
        scene,
        **defaults,
        lights=tuple(light for light in scene.lights if light.link != WORLD),
        frames=tuple(frame for frame in scene.frames if frame.link != WORLD),
    )
