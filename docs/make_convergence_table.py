"""Write ``docs/convergence.md``: how MuJoCo, PyBullet and DART converge to Drake, by joint type and
force element.

Run it from the root of the project, with the test extra installed: ``python
docs/make_convergence_table.py``. Each result is kept in ``benchmarks/stored/convergence.json`` with
the versions of the engines, so that a run that is interrupted continues where it stopped. It takes
a few minutes.
"""

from __future__ import annotations

import datetime
import json
import math
import sys
import tempfile
from pathlib import Path
from typing import Any

import numpy as np

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT))

import bridge  # noqa: E402
import loaders  # noqa: E402
from bridge.parity.convergence import limit_at_zero, log_log_slope  # noqa: E402
from bridge.parity.engine import as_exported, factory_of  # noqa: E402
from bridge.parity.engines.drake.engine import DrakeEngine  # noqa: E402
from bridge.parity.quantity import WorstErrors, compare_readings, matrix, pose_distance  # noqa: E402
from bridge.parity.states import exported  # noqa: E402
from docs.table_cells import version  # noqa: E402
from tests.corpora.convergence_cases import CASES, Case  # noqa: E402

ENGINES = ("mujoco", "pybullet", "dart")
STEPS = (1e-3, 5e-4, 2.5e-4)
DURATION = 1.0
GRAVITY = (0.0, 0.0, -9.81)
STORED = ROOT / "benchmarks" / "stored" / "convergence.json"
PACKAGES = ("drake", "mujoco", "pybullet", "dartpy")

_HEAD = """# Convergence to Drake

Each row is a model with one type of joint or one force element, which starts in motion under gravity. Drake reads the
file with its own parser and simulates a second: in continuous time with an accuracy of 1e-11, or, where Drake knows
discrete time only, in steps of an eighth of the smallest one. MuJoCo, PyBullet and DART simulate the model as
sdfbridge exports it at steps of 1, 0.5 and 0.25 ms.

The error is the largest distance [m] or angle [rad] between the
poses of a link at the end. The slope is the fitted order in the step: about 1 for a method of first order; 0 if a
difference remains. The limit is the error that Richardson's extrapolation leaves for a step of zero; a fast motion,
such as that of the universal joint, has a large error and a limit near zero all the same. A code says what an engine
lacks.

Drake's couplings and constraints move in discrete time only. Where Drake is discrete, its own error of first order
remains in the limit, and errors of constraints are no power series in the step, so that slopes differ from one. DART
integrates springs implicitly.

![Differences of each engine from Drake at the shortest step](pictures/plots/convergence.svg)

| model | {engines} | Drake |
|---|{rule}---|
"""


def main() -> None:
    """Measure what is not stored, and write the page."""
    versions = {name: version(name) for name in PACKAGES}
    stored = json.loads(STORED.read_text(encoding="utf-8")) if STORED.is_file() else {}
    results = stored.get("results", {}) if stored.get("versions") == versions else {}
    for case in CASES:
        if case.name not in results:
            results[case.name] = measure(case)
            content = {"versions": versions, "results": results}
            STORED.write_text(json.dumps(content, indent=1) + "\n", encoding="utf-8")
    (ROOT / "docs" / "convergence.md").write_text(page(results, versions), encoding="utf-8")


def measure(case: Case) -> dict[str, Any]:
    """Return the errors of each engine over the step, and how Drake simulated."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"model.{case.format}"
        path.write_text(case.text, encoding="utf-8")
        scene = loaders.load(path, quiet=True)
        mechanism = bridge.lower(_with_gravity(scene))
        exact, mode = _poses(DrakeEngine, mechanism, case, STEPS[-1])
        found: dict[str, Any] = {"drake": mode}
        for name in ENGINES:
            factory: Any = factory_of(name)
            points, codes = [], ""
            for step in STEPS:
                poses, codes = _poses(as_exported(factory), mechanism, case, step)
                worst = WorstErrors()
                compare_readings(exact, poses, pose_distance, worst)
                points.append((step, worst.error))
            found[name] = {"points": points, "slope": log_log_slope(points), "lost": codes}
        return found


def _with_gravity(scene: Any) -> Any:
    import dataclasses

    return dataclasses.replace(scene, gravity=np.array(GRAVITY))


def _poses(factory: Any, mechanism: Any, case: Case, step: float) -> tuple[dict[str, Any], str]:
    """Return the link poses after the motion, and what the engine lacks or how Drake simulated."""
    engine = factory(exported(mechanism, step))
    try:
        if engine.refusal:
            raise RuntimeError(engine.refusal)
        engine.set_step(step)
        engine.set_state(case.q, case.v)
        engine.step(round(DURATION / step))
        poses = {name: matrix(X) for name, X in engine.link_poses().items()}
        if isinstance(engine, DrakeEngine):
            return poses, "discrete" if engine.is_discrete else "continuous"
        lost = {
            entry.code
            for entry in engine.diagnostics
            if entry.fate == "dropped" and ".actuator" not in entry.code
        }
        return poses, ", ".join(sorted(lost))
    finally:
        engine.close()


def page(results: dict[str, Any], versions: dict[str, str]) -> str:
    """Return the page."""
    head = _HEAD.format(
        engines=" | ".join(f"{name}: error, slope, limit" for name in ENGINES),
        rule="---|" * len(ENGINES),
    )
    rows = "".join(_row(case.name, results[case.name]) for case in CASES)
    date = datetime.datetime.now(tz=datetime.UTC).date().isoformat()
    used = ", ".join(f"{name} {number}" for name, number in versions.items())
    return f"{head}{rows}\nWritten by `docs/make_convergence_table.py` on {date}, with {used}.\n"


def _row(name: str, result: dict[str, Any]) -> str:
    cells = " | ".join(_cell(result[engine]) for engine in ENGINES)
    return f"| {name} | {cells} | {result['drake']} |\n"


def _cell(result: dict[str, Any]) -> str:
    error, slope = result["points"][-1][1], result["slope"]
    text = f"{error:.1e}" if math.isfinite(error) else "diverges"
    text += (
        f", {slope:.2f}, {_limit(result['points']):.0e}"
        if slope is not None and error > 1e-9
        else ""
    )
    return f"{text} ({result['lost']})" if result["lost"] else text


def _limit(points: list[tuple[float, float]]) -> float:
    limit, _ = limit_at_zero([np.array([error]) for _, error in points])
    return float(abs(limit[0]))


if __name__ == "__main__":
    main()
