"""``sdfbridge view``: open MuJoCo's viewer on a file."""

from __future__ import annotations

import os
import warnings
from argparse import Namespace
from pathlib import Path

import bridge
from bridge.cli.errors import MISSING, CommandError
from bridge.cli.inputs import load_scene, search
from bridge.cli.options import export_options
from bridge.cli.output import Output
from bridge.output import scratch_folder
from loaders.diagnostics import without_repeats


def view(options: Namespace, output: Output) -> int:
    """Open MuJoCo's viewer on a file and wait until its window is closed.

    Raises:
        CommandError: if there is no display.
    """
    if not _has_display():
        raise CommandError("MuJoCo's viewer needs a display; use sdfbridge convert to write the model", MISSING)
    output.status(f"reading {options.file}")
    scene = load_scene(options)
    with scratch_folder() as folder:
        result = bridge.export_mjcf(scene, folder / "view", quiet=True, **export_options(options), **search(options))
        output.status("")
        output.diagnostics(without_repeats((*scene.diagnostics, *result.diagnostics)))
        _open_viewer(result.path.parent / "scene.xml")
    return 0


def _has_display() -> bool:
    """Return whether a window can be opened; without a display MuJoCo's viewer would end the process."""
    import glfw

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return bool(glfw.init())


def _open_viewer(path: Path) -> None:
    """Show the scene at its first key, the initial position, or at the zero configuration if there is no key."""
    import mujoco
    import mujoco.viewer

    model = mujoco.MjModel.from_xml_path(os.fspath(path))
    data = mujoco.MjData(model)
    if model.nkey:
        mujoco.mj_resetDataKeyframe(model, data, 0)
    mujoco.viewer.launch(model, data)
