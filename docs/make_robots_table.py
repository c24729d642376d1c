"""Write ``docs/robots.md``: every robot of three packages, compared with Drake.

Run it from the root of the project, with the test extra installed: ``python
docs/make_robots_table.py``. With the variable ``SDFBRIDGE_JOURNAL``, the name of a folder, it
continues where it was interrupted.
"""

from __future__ import annotations

import datetime
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path

ROOT = Path(__file__).parents[1]
sys.path[:0] = [str(ROOT), str(ROOT / "tests")]

from docs.table_cells import cell, version, write_page  # noqa: E402
from tests.corpora.robots_corpus import Finding, examine_all, robots  # noqa: E402

_PACKAGES = ("example-robot-data", "icub-models", "pybullet", "drake")

_HEAD = """# Published robots

All URDF files of three packages of the Python Package Index, read without environment variables and with only the
data folder of the package in `paths`. {read} of {all} load; the others have errors, which the table states. Drake
reads {judged} of them too. For these, the table states the largest difference of the link poses (m or rad, at the
zero position and two random ones), of the total mass and of the mass matrix (both relative). If Drake replaces a
non-physical inertia, its inertia is used on both sides: *repaired*.

![Share of the robots whose differences from Drake are at most a value](pictures/plots/robots.svg)

| | largest difference |
|---|---|
| link poses | {pose:.1e} |
| total mass | {mass:.1e} |
| mass matrix | {mass_matrix:.1e} |

Written by `docs/make_robots_table.py` on {date}, with {versions}.
`tests/corpora/test_models_and_robots.py` tests the same properties.

| file | links | dof | files found | pose | mass | M | remark |
|---|---|---|---|---|---|---|---|
"""


def main() -> None:
    """Examine every robot and write the page."""
    findings = examine_all(robots())
    page = "".join((_head(findings), *map(_row, findings)))
    write_page(ROOT / "docs" / "robots.md", page)


def _head(findings: list[Finding]) -> str:
    return _HEAD.format(
        read=sum(not finding.errors for finding in findings),
        all=len(findings),
        judged=sum(finding.pose is not None for finding in findings),
        pose=_largest(finding.pose for finding in findings),
        mass=_largest(finding.mass for finding in findings),
        mass_matrix=_largest(finding.mass_matrix for finding in findings),
        date=datetime.datetime.now(tz=datetime.UTC).date().isoformat(),
        versions=", ".join(f"{name} {version(name)}" for name in _PACKAGES),
    )


def _largest(values: Iterable[float | None]) -> float:
    return max((value for value in values if value is not None), default=0.0)


def _row(finding: Finding) -> str:
    files = f"{finding.files - len(finding.missing)}/{finding.files}"
    numbers = [_number(value) for value in (finding.pose, finding.mass, finding.mass_matrix)]
    counts = ["", ""] if finding.errors else [str(finding.links), str(finding.velocities)]
    remark = cell("; ".join(_remarks(finding)))
    return f"| {finding.robot} | {' | '.join([*counts, files, *numbers])} | {remark} |\n"


def _number(value: float | None) -> str:
    return "" if value is None else f"{value:.0e}"


def _remarks(finding: Finding) -> Iterator[str]:
    if finding.errors:
        first = finding.errors[0]
        more = f" (and {len(finding.errors) - 1} more)" if len(finding.errors) > 1 else ""
        yield f"**refused**, line {first.where.line}: {first.message}{more}"
    if finding.missing:
        yield f"not in the package: {finding.missing[0]}" + (
            " and others" if len(finding.missing) > 1 else ""
        )
    if finding.drake:
        yield f"Drake: {finding.drake}"
    if finding.repaired:
        yield "*repaired*"


if __name__ == "__main__":
    main()
