"""Write ``docs/models.md``: real models in both running engines, one row for each model.

Run it from the root of the project, with the test extra installed and the corpus beside the project
or named by ``SDFBRIDGE_CORPUS``: ``python docs/make_models_table.py``. It takes about twenty
minutes on two cores. With the argument ``motion`` it rewrites only the section on MuJoCo under full
control, in half of that time, and with ``engines`` only what stands before it. With the variable
``SDFBRIDGE_JOURNAL``, the name of a folder, it continues where it was interrupted.
"""

from __future__ import annotations

import datetime
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

ROOT = Path(__file__).parents[1]
sys.path[:0] = [str(ROOT), str(ROOT / "tests")]

from docs.table_cells import cell, version, write_page  # noqa: E402
from tests.corpora.models_corpus import (  # noqa: E402
    FAULTS,
    MASSES,
    POSES,
    Finding,
    Outcomes,
    examine_all,
    models,
)
from tests.corpora.motion_corpus import move_all  # noqa: E402
from tests.corpora.motion_table import TITLE, section  # noqa: E402

_PACKAGES = ("mujoco", "pybullet", "numpy", "example-robot-data", "icub-models")

_HEAD = """# Real models in both engines

{all} files: models of Gazebo's collection, the test models of libsdformat and Drake, and the robots of three packages.
{read} load; the other {unread} have errors: many are meant to be refused, and some
include a missing file.

Each file is loaded in a separate process, loaded into MuJoCo and PyBullet, and compared
with the mechanism (`bridge.lower`) at the levels L0 and L1 of [Comparing simulators](parity.md), in three
random states: link poses, masses, limits, damping, couplings, shapes, friction, collision pairs, mass matrix,
bias forces and others. The MJCF then runs for a second with small random efforts; a warning of MuJoCo is a defect.

![Share of the models whose errors are at most a value](pictures/plots/models.svg)

| | MuJoCo | PyBullet |
|---|---|---|
{summary}

| term | meaning |
|---|---|
| *ok* | All quantities that the engine reports agree within 1e-9. |
| *explained* | A diagnostic states the cause of the difference, such as a link without mass. |
| *refused* | An `ExportError` states the reason. |
| *repaired* | Refused for a non-physical inertia; runs with `inertia="repair"`, see [full control][control]. |
| *fault* | The file itself is wrong, as stated. |
| **bold** | A difference; the diagnostic that names its cause, if one does, is in brackets. |

[control]: #in-mujoco-under-full-control

Errors are the larger one of both engines: poses in m or rad, the mass matrix relative to its diagonal. *lost*,
*approximated* and *assumed* count the diagnostics of both targets with the fates dropped, approximated and assumed.

Written by `docs/make_models_table.py` on {date}, with {versions}.
`tests/corpora/test_models_and_robots.py` tests a part of it.

| model | links/joints/dof | MuJoCo | PyBullet | poses | M | lost | approximated | assumed |
|---|---|---|---|---|---|---|---|---|
"""

_TAIL = """
## Files that do not load

| file | first error |
|---|---|
"""


def main(parts: Sequence[str]) -> None:
    """Examine every model and write the page, or the requested part."""
    path = ROOT / "docs" / "models.md"
    before, title, after = path.read_text().partition(TITLE)
    if "motion" not in parts:
        before = page(examine_all(models()))
    motion = title + after if "engines" in parts else section(move_all(models()), _line)
    write_page(path, f"{before.rstrip()}\n\n{motion}")


def page(findings: Sequence[Finding]) -> str:
    """Return the page."""
    read = [finding for finding in findings if not finding.invalid]
    unread = [finding for finding in findings if finding.invalid]
    return "".join((_head(read, unread), *map(_row, read), _TAIL, *map(_refusal, unread)))


def _head(read: Sequence[Finding], unread: Sequence[Finding]) -> str:
    return _HEAD.format(
        all=len(read) + len(unread),
        read=len(read),
        unread=len(unread),
        summary="\n".join(_summary(read)),
        date=datetime.datetime.now(tz=datetime.UTC).date().isoformat(),
        versions=", ".join(f"{name} {version(name)}" for name in _PACKAGES),
    )


def _summary(read: Sequence[Finding]) -> Iterator[str]:
    columns = [[finding.mujoco for finding in read], [finding.pybullet for finding in read]]
    names = [finding.model for finding in read]
    counts = [Counter(map(_verdict, names, column)) for column in columns]
    for verdict in ("ok", "explained", "repaired", "refused", "fault", "differs"):
        yield f"| {verdict} | {counts[0][verdict]} | {counts[1][verdict]} |"
    for quantity in (POSES, MASSES):
        worst = (max(_errors(column, quantity), default=0.0) for column in columns)
        yield (
            f"| worst error of {quantity}, where they are neither explained nor a difference | "
            + " | ".join(f"{error:.0e}" for error in worst)
            + " |"
        )
    crashes, leftovers = sum(bool(f.crash) for f in read), sum(bool(f.leftover_files) for f in read)
    yield f"| crashes, leftover files | {crashes}, {leftovers} | |"


def _errors(column: Iterable[Outcomes], quantity: str) -> Iterator[float]:
    for outcomes in column:
        differs = any(defect.startswith(quantity) for defect in outcomes.defects)
        if quantity in outcomes.errors and quantity not in outcomes.explained and not differs:
            yield outcomes.errors[quantity]


def _verdict(model: str, outcomes: Outcomes) -> str:
    if outcomes.defects:
        return "fault" if model in FAULTS else "differs"
    if outcomes.refused:
        return "repaired" if outcomes.repaired else "refused"
    return "explained" if outcomes.explained else "ok"


def _row(finding: Finding) -> str:
    both = (finding.mujoco, finding.pybullet)
    name = finding.model + "".join(f" **{word}**" for word in _trouble(finding))
    size = f"{finding.links}/{finding.joints}/{finding.velocities}"
    worst = [_number([o.errors[key] for o in both if key in o.errors]) for key in (POSES, MASSES)]
    counts = [
        str(sum(o.fates.get(fate, 0) for o in both))
        for fate in ("dropped", "approximated", "assumed")
    ]
    outcomes = [_outcome(finding.model, outcomes) for outcomes in both]
    return _line(name, size, *outcomes, *worst, *counts)


def _trouble(finding: Finding) -> Iterator[str]:
    if finding.crash:
        yield finding.crash.strip().splitlines()[-1]
    if finding.leftover_files:
        yield f"leftover files: {', '.join(finding.leftover_files)}"


def _number(errors: Sequence[float]) -> str:
    return f"{max(errors):.0e}" if errors else ""


def _outcome(model: str, outcomes: Outcomes) -> str:
    verdict = _verdict(model, outcomes)
    if verdict in {"differs", "fault"}:
        why = f" (fault: {FAULTS[model]})" if verdict == "fault" else ""
        return f"**{'; '.join(outcomes.defects)}**{why}"
    if verdict in {"refused", "repaired"}:
        codes = ", ".join(dict.fromkeys(outcomes.refused))
        return f"{verdict}: {codes}"
    return f"explained: {', '.join(outcomes.explained)}" if verdict == "explained" else verdict


def _refusal(finding: Finding) -> str:
    return _line(finding.model, finding.invalid[0])


def _line(*cells: object) -> str:
    return f"| {' | '.join(map(cell, cells))} |\n"


if __name__ == "__main__":
    main(sys.argv[1:])
