"""The commands that make MJCF: to keep it, and to look at it."""

from __future__ import annotations

import math
import os
import tempfile
import warnings
from argparse import Namespace
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import bridge
import loaders
from bridge.mjcf import MjcfExport, stale_files
from bridge.parity.engines.protocol import EngineMissingError
from loaders.diagnostics import Diagnostic, Fate, without_repeats
from loaders.model import WORLD

from .options import load
from .output import Output


def convert(options: Namespace, output: Output) -> int:
    """Write a folder of MJCF, compile it, and sum up what was lost."""
    output.status(f"reading {options.file}")
    scene, folder = load(options), options.folder or options.out
    choices = _choices(options)
    if options.check:
        stale = stale_files(scene, folder, **choices)
        output.status("")
        _show(options, output, {"stale": list(stale)}, stale)
        return 1 if stale else 0
    if options.collision_meshes == "decompose":
        output.progress("taking meshes apart; the first time this can take minutes")
    output.status(f"writing {folder}")
    result = bridge.export_mjcf(scene, folder, **choices)
    output.status("compiling")
    try:
        compiled = _compile(result, scene)
    except ValueError as error:
        output.status("")
        output.error(f"MuJoCo refuses {result.path}: {error}")
        return 1
    output.status("")
    return _tell(options, output, result, without_repeats((*scene.diagnostics, *result.diagnostics)), compiled)


def _choices(options: Namespace) -> dict[str, Any]:
    """What is asked of `bridge.export_mjcf`."""
    return {
        "actuators": options.actuators,
        "base": options.base,
        "inertia": options.inertia,
        "collision_policy": options.collision_policy,
        "collision_meshes": options.collision_meshes,
        "contacts": options.contacts,
    }


@dataclass(frozen=True, slots=True, kw_only=True)
class _Compiled:
    """What MuJoCo makes of an export: its size, where its links are, and which are inside one another."""

    bodies: int
    joints: int
    geoms: int
    error: float
    """The largest difference of a link's position [m] or orientation [rad], at the zero configuration."""
    overlaps: dict[tuple[str, str], float]
    """By how much [m] pairs of links that touch are inside one another at the start, the deepest first."""


_DEEP = 1e-3
"""Less overlap than this [m] is a matter of how meshes are made."""


def _compile(result: MjcfExport, scene: loaders.Scene) -> _Compiled:
    """Compile the scene around the model, and measure.

    Raises:
        ValueError: as MuJoCo says it, if it refuses the files.
    """
    import mujoco
    import numpy as np

    model = mujoco.MjModel.from_xml_path(os.fspath(result.path.parent / "scene.xml"))
    data = mujoco.MjData(model)
    mujoco.mj_kinematics(model, data)
    worst = 0.0
    for link in (link for link in scene.links if link.name != WORLD):
        body = data.body(link.name)
        turned = link.X_WL.R.T @ body.xmat.reshape(3, 3)
        angle = math.sqrt(0.5) * float(np.linalg.norm(turned - np.eye(3)))
        worst = max(worst, float(np.linalg.norm(body.xpos - link.X_WL.p)), angle)
    overlaps = _overlaps(model, data)
    return _Compiled(bodies=model.nbody - 1, joints=model.njnt, geoms=model.ngeom, error=worst, overlaps=overlaps)


def _overlaps(model: Any, data: Any) -> dict[tuple[str, str], float]:
    """What will be pushed apart as soon as the model moves: at the key ``home``, or at zero."""
    import mujoco

    if model.nkey:
        mujoco.mj_resetDataKeyframe(model, data, 0)
    mujoco.mj_fwdPosition(model, data)
    found: dict[tuple[str, str], float] = {}
    for contact in data.contact:
        a, b = sorted(int(model.geom_bodyid[geom]) for geom in contact.geom)
        if a > 0 and contact.dist < -_DEEP:
            pair = (model.body(a).name, model.body(b).name)
            found[pair] = max(found.get(pair, 0.0), -float(contact.dist))
    return dict(sorted(found.items(), key=lambda item: -item[1]))


def _tell(
    options: Namespace, output: Output, result: MjcfExport, entries: tuple[Diagnostic, ...], compiled: _Compiled
) -> int:
    files = [str(result.path.parent / file) for file in result.files]
    fates = Counter(entry.fate for entry in entries)
    counts = {str(fate): fates[fate] for fate in Fate if fates[fate]}
    size = {"bodies": compiled.bodies, "joints": compiled.joints, "geoms": compiled.geoms}
    overlaps = [[*pair, depth] for pair, depth in compiled.overlaps.items()]
    plain = {"files": files, "compiled": size, "worst_error": compiled.error, "overlaps": overlaps, "fates": counts}
    _show(options, output, plain, files)
    output.diagnostics(entries)
    told = ", ".join(f"{count} {fate}" for fate, count in counts.items()) or "nothing lost"
    output.progress(
        f"MuJoCo compiles it: {', '.join(f'{count} {name}' for name, count in size.items())}; links within "
        f"{compiled.error:.1g} of the source's (m, rad); {told}; see {result.path.parent / 'FIDELITY.md'}"
    )
    for (a, b), depth in list(compiled.overlaps.items())[:1]:
        output.progress(
            f"pairs of links that are inside one another at the start, and will push each other away: "
            f"{len(overlaps)}, deepest {a} and {b}, by {depth:.2g} m; if they are not to touch, filter them (--srdf)"
        )
    return 1 if options.strict and any(entry.severity == "warning" for entry in entries) else 0


def _show(options: Namespace, output: Output, plain: dict[str, Any], lines: Iterable[str]) -> None:
    if options.json:
        output.json(plain)
    elif text := "\n".join(lines):
        output.data(text)


# --- looking ---------------------------------------------------------------------------------------------------------


def view(options: Namespace, output: Output) -> int:
    """Open MuJoCo's viewer on a file; it stays until its window is closed."""
    if not _has_display():
        raise EngineMissingError("there is no display to open MuJoCo's viewer on; sdfbridge convert writes the model")
    output.status(f"reading {options.file}")
    scene = load(options)
    with tempfile.TemporaryDirectory() as folder:
        result = bridge.export_mjcf(scene, Path(folder) / "view", **_choices(options))
        output.status("")
        output.diagnostics(without_repeats((*scene.diagnostics, *result.diagnostics)))
        _open(result.path.parent / "scene.xml")
    return 0


def _has_display() -> bool:
    """Whether a window can be opened; MuJoCo would end the process if not."""
    import glfw

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return bool(glfw.init())


def _open(path: Path) -> None:
    """Show the scene, at the key ``home`` if there is one."""
    import mujoco
    import mujoco.viewer

    model = mujoco.MjModel.from_xml_path(os.fspath(path))
    data = mujoco.MjData(model)
    if model.nkey:
        mujoco.mj_resetDataKeyframe(model, data, 0)
    mujoco.viewer.launch(model, data)
