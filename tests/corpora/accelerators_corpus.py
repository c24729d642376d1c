"""Load exported robots into MJX and MuJoCo Warp; the results are in ``docs/accelerators.md``."""

from __future__ import annotations

import json
import subprocess
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import bridge
from loaders.diagnostics import ModelError
from tests.corpora.model_batch import do_all
from tests.corpora.robots_corpus import Robot

PROBE = Path(__file__).parents[2] / "docs" / "accelerators_probe.py"
SECONDS = 300
"""Time limit of one engine [s]."""
_MEMORY = 64.0
"""Limit of the address space [GiB], of which JAX reserves much."""


@dataclass(frozen=True, kw_only=True)
class Case:
    """A robot, and the Python interpreter of each engine."""

    robot: Robot
    pythons: Mapping[str, str]

    def __str__(self) -> str:
        return str(self.robot)


@dataclass(kw_only=True)
class Finding:
    """The results of one robot.

    Attributes:
        robot: The robot.
        size: Number of bodies, degrees of freedom and geoms.
        found: Result of the probe, by engine.
    """

    robot: Robot
    size: str = ""
    found: dict[str, dict[str, Any]] = field(default_factory=dict)


def examine_all(robots: Sequence[Robot], pythons: Mapping[str, str]) -> list[Finding]:
    """Examine robots, each in a separate process; those that MuJoCo refuses are left out.

    Args:
        robots: The robots.
        pythons: Python interpreter of each engine.
    """
    cases = [Case(robot=robot, pythons=pythons) for robot in robots]
    found = do_all(examine, cases, _failed, seconds=len(pythons) * SECONDS + 100.0, memory=_MEMORY)
    return [finding for finding in found if finding is not None]


def _failed(case: Case, crash: str) -> Finding:
    return Finding(robot=case.robot, found={engine: {"failed": crash} for engine in case.pythons})


def examine(case: Case) -> Finding | None:
    """Export one robot and load it into the engines; return None if MuJoCo refuses it."""
    path = _exported(case.robot, Path(tempfile.gettempdir()) / "robot")
    if path is None:
        return None
    found = {engine: probe(engine, python, path) for engine, python in case.pythons.items()}
    sizes = [result for result in found.values() if "nbody" in result]
    size = "/".join(str(sizes[0][key]) for key in ("nbody", "nv", "ngeom")) if sizes else ""
    return Finding(robot=case.robot, size=size, found=found)


def _exported(robot: Robot, folder: Path) -> Path | None:
    for inertia in ("keep", "repair"):
        try:
            return bridge.export_mjcf(robot.path, folder, paths=[robot.root], inertia=inertia).path  # type: ignore[arg-type]
        except ModelError:
            continue
    return None


def probe(engine: str, python: str, path: Path) -> dict[str, Any]:
    """Run the probe on one file.

    Args:
        engine: Name of the engine.
        python: Its Python interpreter.
        path: The file.

    Returns:
        The result of the probe, or the reason of its failure as ``failed``.
    """
    try:
        run = subprocess.run(
            [python, str(PROBE), engine, str(path)],
            capture_output=True,
            text=True,
            timeout=SECONDS,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return {"failed": f"not done in {SECONDS} s"}
    lines = [line for line in run.stdout.splitlines() if line.startswith("{")]
    return (
        json.loads(lines[-1])
        if lines
        else {"failed": (run.stderr.strip().splitlines() or ["no output"])[-1]}
    )
