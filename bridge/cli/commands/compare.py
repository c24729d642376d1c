"""``sdfbridge compare``: compare simulators on a model and write a report."""

from __future__ import annotations

import dataclasses
import shlex
from argparse import Namespace
from pathlib import Path

import numpy as np

import bridge
from bridge.cli.errors import MISSING, CommandError
from bridge.cli.inputs import load_scene, search, writing_to
from bridge.cli.output import Output
from bridge.cli.reports.comparison_text import exit_status, show_comparison
from bridge.cli.reports.file_differences import compare_two
from bridge.demo.gallery import draw, side_by_side
from bridge.mechanism.coordinates import Position
from bridge.output import check_folder
from bridge.parity import Comparison, EngineMissingError, default_engines
from bridge.parity.report.html_report import require_packages
from loaders.scene import Scene

_DRAWN = {"mujoco", "pybullet"}
"""Engines that can draw the model."""


def compare(options: Namespace, output: Output) -> int:
    """Compare engines on a model.

    Returns:
        1 if they differ, with ``--strict`` even for a known cause; 4 if nothing differs in what was compared, but not
        everything was compared.

    Raises:
        ModelError: if the model cannot be read; with ``--strict`` also if an engine cannot represent all of it.
        CommandError: if an engine is not installed.
        ImportError: if the packages of a report are not installed.
    """
    if options.report is not None:
        if options.other is None:
            require_packages()
        with writing_to(options.report):
            check_folder(options.report, force=options.force)
    if options.other is not None:
        return compare_two(options, output)
    output.progress(f"comparing {', '.join(options.engines or default_engines())} on {options.file}")
    scene = load_scene(options)
    comparison = _compare(options, output, scene)
    if options.report is not None:
        with writing_to(options.report):
            write_report(comparison, scene, options.report, output, force=options.force)
    command = shlex.join(["sdfbridge", *options.words])
    if options.json:
        output.json({**comparison.to_dict(), "command": command})
    else:
        show_comparison(comparison, output, command)
    output.similar = 1
    output.diagnostics(comparison.diagnostics)
    return exit_status(comparison.verdict, strict=options.strict)


def _compare(options: Namespace, output: Output, scene: Scene) -> Comparison:
    try:
        return bridge.compare(
            scene,
            engines=options.engines or default_engines(),
            levels=options.level,
            seed=options.seed,
            configurations=options.configurations,
            positions=dict(options.set),
            base=options.base,
            inertia=options.inertia,
            progress=output.status,
            strict=options.strict,
            lenient=options.lenient,
            srdf=options.srdf,
            allow_xacro=options.xacro,
            xacro_args=dict(options.xacro_arg),
            **search(options),
        )
    except EngineMissingError as error:
        raise CommandError(str(error), MISSING) from error


# --- the folder ------------------------------------------------------------------------------------------------------


def write_report(comparison: Comparison, scene: Scene, folder: Path, output: Output, *, force: bool) -> None:
    """Write results.json, junit.xml and report.html, with pictures if this machine can draw.

    Args:
        comparison: The result to write.
        scene: The scene that was compared.
        folder: The folder to write; an earlier report in its place is replaced.
        output: Where progress is reported.
        force: Whether to overwrite files that were edited or that no report wrote.
    """
    pictures: dict[str, bytes] = {}
    if _DRAWN & set(comparison.engines):
        output.status("drawing both simulators")
        pictures, notes = _pictures(comparison, scene)
        if notes:
            comparison = dataclasses.replace(
                comparison, environment={**comparison.environment, "pictures": "; ".join(notes)}
            )
    output.status("writing the report")
    comparison.to_folder(folder, pictures, force=force)
    output.status("")
    output.progress(f"wrote {folder / 'report.html'}, results.json, junit.xml")


def _pictures(comparison: Comparison, scene: Scene) -> tuple[dict[str, bytes], list[str]]:
    """Pictures of both simulators at the chosen and at one random configuration, by caption; and notes."""
    chosen = comparison.details["positions"]
    poses = [chosen, *(_without_free_bodies(q) for q in comparison.details["random_positions"])]
    caption = ", ".join(f"{joint} at {np.round(value, 3)}" for joint, value in chosen.items()) or "all joints at zero"
    captions = [caption, f"random joint positions, seed {comparison.environment['seed']}"][: len(poses)]
    gallery = draw(scene, poses)
    picture = side_by_side(gallery, captions)
    names = " and ".join(gallery.images)
    return ({f"{names} at the same joint positions": picture} if picture else {}), gallery.notes


def _without_free_bodies(q: dict[str, Position]) -> dict[str, Position]:
    """Positions without those of free bodies, which stay where the file places them."""
    return {name: value for name, value in q.items() if isinstance(value, float) or len(value) != 7}
