"""Write ``docs/accelerators.md``: exported robots in MJX and MuJoCo Warp.

Both are installed in separate environments; pass their Python interpreters:
``python docs/make_accelerators_table.py MJX_PYTHON WARP_PYTHON [COUNT]``. Run it from the root of
the project, with the test extra installed. No GPU is needed. It takes two minutes per robot, mostly
compilation; COUNT limits the number of robots.
With the variable ``SDFBRIDGE_JOURNAL``, the name of a folder, it continues where it was
interrupted.
"""

from __future__ import annotations

import datetime
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
sys.path[:0] = [str(ROOT), str(ROOT / "tests")]

from docs.table_cells import version  # noqa: E402
from tests.corpora.accelerators_corpus import Finding, examine_all  # noqa: E402
from tests.corpora.robots_corpus import robots  # noqa: E402

AGREES = {"mjx": 1e-9, "warp": 1e-3}
"""Largest difference of positions and velocities: MJX ran in double precision, Warp has single
precision only.
"""
_SINGULAR = "the condition of its mass matrix is beyond 1e15"
REMARKS = {
    "icub_description/robots/icub.urdf": _SINGULAR,
    "romeo_description/urdf/romeo.urdf": _SINGULAR,
    "romeo_description/urdf/romeo_laas_small.urdf": _SINGULAR,
    "pr2_description/urdf/pr2.urdf": (
        "MuJoCo's solver stops at its tolerance; with 0 it ends where MJX does"
    ),
}
"""Causes of different motion, by file."""

_HEAD = """# MJX and MuJoCo Warp

The exports of the first {count} robots of three packages that compile (without PyBullet's random objects), loaded
into MJX and MuJoCo Warp without changes. *moves alike*: five steps from the home position with small random
velocities and without contacts end in the same state as in MuJoCo; the number is the largest difference of
positions, velocities and, for MJX, of the mass matrix. MJX ran in double precision; Warp supports single precision
only.

| | taken | moves alike |
|---|---|---|
{summary}

Unsupported features:

* MJX does not collide cylinders and ellipsoids with boxes, meshes and height fields; `put_model` raises
  `NotImplementedError`. The motion of such robots was compared without collisions.
* MJX has no contact sensor of a whole body, no contact sensor that sums forces, no range finder in a model without a
  material, and no wind with `implicitfast`.

A diagnostic of the export reports these features (`mjcf.mjx`). Both accept everything else that the export writes.
Both have the elliptic friction cone of the export: 20 steps of a ball and a box that slide on the ground end within
6e-16 (MJX 3.17) and 2e-7 (MuJoCo Warp 4.0) of MuJoCo's.

Written by `docs/make_accelerators_table.py` on {date}, with
{versions}, on the CPU.

| robot | bodies/dof/geoms | MJX | MuJoCo Warp |
|---|---|---|---|
"""


def main(pythons: dict[str, str], count: int | None) -> None:
    """Examine the first robots, or all, and write the page."""
    chosen = [robot for robot in robots() if "random_urdfs" not in str(robot)][:count]
    (ROOT / "docs" / "accelerators.md").write_text(page(examine_all(chosen, pythons)))


def page(findings: Sequence[Finding]) -> str:
    """Return the page."""
    head = _HEAD.format(
        count=len(findings),
        summary="\n".join(_summary(findings)),
        date=datetime.datetime.now(tz=datetime.UTC).date().isoformat(),
        versions=", ".join(_versions(findings)),
    )
    return "".join((head, *map(_row, findings)))


def _summary(findings: Sequence[Finding]) -> Iterator[str]:
    for engine, name in (("mjx", "MJX"), ("warp", "MuJoCo Warp")):
        found = [finding.found[engine] for finding in findings]
        taken = sum(not one.get("refused", True) for one in found)
        alike = sum(_error(one) <= AGREES[engine] for one in found)
        yield f"| {name} | {taken} of {len(found)} | {alike} of {len(found)} |"


def _versions(findings: Sequence[Finding]) -> list[str]:
    packages: dict[str, str] = {}
    for finding in findings:
        for found in finding.found.values():
            packages |= found.get("versions", {})
    packages |= {name: version(name) for name in ("example-robot-data", "icub-models", "pybullet")}
    return [f"{name} {text}" for name, text in packages.items()]


def _error(found: dict[str, Any]) -> float:
    """Return the largest difference; infinite if nothing was compared."""
    return max(found["qpos"], found["qvel"], found["M"] or 0.0) if "qpos" in found else float("inf")


def _row(finding: Finding) -> str:
    why = next((text for name, text in REMARKS.items() if str(finding.robot).endswith(name)), "")
    cells = [_cell(engine, finding.found[engine], why) for engine in ("mjx", "warp")]
    return f"| {finding.robot} | {finding.size} | {' | '.join(cells)} |\n"


def _cell(engine: str, found: dict[str, Any], why: str) -> str:
    if "failed" in found:
        return f"**{found['failed']}**"
    refused = (
        f"refused: {found['refused'].replace('mjtGeom.mjGEOM_', '').rstrip('.')}; "
        if found["refused"]
        else ""
    )
    error = _error(found)
    if error <= AGREES[engine]:
        return f"{refused}moves alike, {error:.0e}"
    if "qpos" not in found:
        return f"{refused}not compared"
    return f"{refused}**apart, {error:.0e}**" + (f": {why}" if why else "")


if __name__ == "__main__":
    main({"mjx": sys.argv[1], "warp": sys.argv[2]}, int(sys.argv[3]) if len(sys.argv) > 3 else None)
