"""``sdfbridge compare``: compare simulators on a model and write a report."""

from __future__ import annotations

import dataclasses
import math
from argparse import Namespace
from pathlib import Path

import numpy as np

import bridge
from bridge.demo.gallery import draw, side_by_side
from bridge.mechanism.coordinates import Position
from bridge.parity import Comparison, Outcome, Verdict, default_engines
from bridge.parity.results.verdict import line, number
from loaders.scene import Scene

from .options import load_scene, search
from .output import Output

_STYLES = {Outcome.PASSED: None, Outcome.EXPLAINED: "yellow", Outcome.FAILED: "bold red", Outcome.UNKNOWN: "dim"}
_WORDS = {Outcome.PASSED: "pass", Outcome.EXPLAINED: "explained", Outcome.FAILED: "FAIL", Outcome.UNKNOWN: "unknown"}
_VERDICTS = {Verdict.EQUIVALENT: "bold green", Verdict.AGREES: "bold yellow", Verdict.DIFFERS: "bold red"}
_DRAWN = {"mujoco", "pybullet"}
"""Engines that can draw the model."""


def compare(options: Namespace, output: Output) -> int:
    """Compare engines on a model.

    Returns:
        1 if they differ; with ``--strict`` also if they are not equivalent.

    Raises:
        ModelError: if the model cannot be read; with ``--strict`` also if an engine cannot represent all of it.
    """
    positions = dict(_position(text) for text in options.set)
    engines = [name for name in options.engines.split(",") if name] or default_engines()
    output.progress(f"comparing {', '.join(engines)} on {options.file}")
    scene = load_scene(options)
    comparison = bridge.compare(
        scene,
        engines=engines,
        levels=[f"L{level}" if level.isdigit() else level for level in options.level.split(",") if level],
        seed=options.seed,
        configurations=options.configurations,
        positions=positions,
        inertia=options.inertia,
        progress=output.status,
        strict=options.strict,
        **search(options),
    )
    if options.report is not None:
        write_report(comparison, scene, options.report, output)
    output.status("")
    if options.json:
        output.json(comparison.to_dict())
    else:
        show_comparison(comparison, output)
    output.diagnostics(comparison.diagnostics)
    differs = comparison.verdict is Verdict.DIFFERS
    return 1 if differs or (options.strict and comparison.verdict is not Verdict.EQUIVALENT) else 0


def _position(text: str) -> tuple[str, Position]:
    """Parse ``joint=value``: several numbers are separated by commas, and a number of degrees ends with ``deg``."""
    joint, equals, value = text.rpartition("=")
    try:
        numbers = tuple(_angle(part) for part in value.split(","))
    except ValueError:
        numbers = ()
    if not (joint and equals and numbers):
        raise ValueError(f"invalid --set {text!r}; expected JOINT=VALUE, such as elbow=0.5 or elbow=30deg")
    return joint, numbers if len(numbers) > 1 else numbers[0]


def _angle(text: str) -> float:
    degrees = text.strip().removesuffix("deg")
    return math.radians(float(degrees)) if degrees != text.strip() else float(text)


# --- the folder ------------------------------------------------------------------------------------------------------


def write_report(comparison: Comparison, scene: Scene, folder: Path, output: Output) -> None:
    """Write results.json, junit.xml and report.html, with pictures if this machine can draw.

    Args:
        comparison: The result to write.
        scene: The scene that was compared.
        folder: The folder to write to; it is made if necessary.
        output: Where progress is reported.
    """
    folder.mkdir(parents=True, exist_ok=True)
    comparison.to_json(folder / "results.json")
    comparison.to_junit(folder / "junit.xml")
    pictures: dict[str, bytes] = {}
    if _DRAWN & set(comparison.engines):
        output.status("drawing both simulators")
        pictures, notes = _pictures(comparison, scene)
        if notes:
            comparison = dataclasses.replace(
                comparison, environment={**comparison.environment, "pictures": "; ".join(notes)}
            )
    output.status("writing the report")
    comparison.to_html(folder / "report.html", pictures)
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


# --- on the terminal -------------------------------------------------------------------------------------------------


def show_comparison(comparison: Comparison, output: Output) -> None:
    """Print the table of all rows, the causes and the verdict."""
    rows = [
        (
            str(row.level), row.quantity, " / ".join(row.engines), str(_short(row.error)), f"{row.tolerance:.0e}",
            row.where, _WORDS[row.outcome],
        )
        for row in comparison.rows
    ]  # fmt: skip
    columns = ("", "quantity", "engines", "worst", "tolerance", "where", "")
    output.table(columns, rows, [_STYLES[row.outcome] for row in comparison.rows])
    for cause in dict.fromkeys(f"{row.quantity}: {row.cause}" for row in comparison.rows if row.cause):
        output.data(cause)
    output.banner(f"{comparison.model}: {comparison.verdict}", _VERDICTS[comparison.verdict])
    for row in comparison.failures[:1]:
        output.data(f"first difference: {line(row)}")
        output.data(f"repeat with: {comparison.command}")


def _short(error: float) -> str:
    value = number(error)
    return value if isinstance(value, str) else f"{value:.1e}"
