"""Write ``docs/pybullet_queries.md``: every function of PyBullet, and robots that were asked them.

Run it from the root of the project with the results of ``benchmarks/pybullet_queries.py``: ``python
docs/make_pybullet_queries_table.py results.jsonl``. Without results it keeps what the page says of
robots, and rewrites the table of functions.
"""

from __future__ import annotations

import datetime
import json
import math
import re
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[1]
sys.path[:0] = [str(ROOT)]

from docs.table_cells import cell, version, write_page  # noqa: E402
from tests.support import pybullet_queries as queries  # noqa: E402

_VERSIONS = ("pybullet", "numpy")
PAGE = ROOT / "docs" / "pybullet_queries.md"

_HEAD = """# PyBullet's functions
<!-- words: rayTest, ray cast, getClosestPoints, getContactPoints, getCameraImage, getLinkState, getBasePositionAndOrientation -->

A body of `load_into_pybullet` answers PyBullet's own functions as the body that `loadURDF` makes of the same file, where both
mean the same. A test asks each of them of both bodies in the same state, each in a server of its own: of primitives, convex
and concave meshes, on held and free bases, with inertias that are aligned with the links and that are not, and of a
body of `createMultiBody` (`tests/bridge/targets/pybullet/test_queries.py`).

`loadURDF` has the flags
`URDF_USE_INERTIA_FROM_FILE` and `URDF_USE_IMPLICIT_CYLINDER`; its motors, its damping and its limit of
velocities are removed, a link without `<inertial>` has no mass, and couplings are removed from the other body.

What PyBullet gives in the inertial frame of a link is compared in the frame of the link. The tolerance is relative to the largest number
of the answer if that is above 1, and a percentage is the part of the answers that may differ. The last column says what differs by intention.

| function | compared | tolerance | differs |
|---|---|---|---|
"""

_STATED = """
## Not in the table

| function | |
|---|---|
"""

_OTHERS = """
The other functions of the module are not about a loaded body:

"""

_ROBOTS = "\n## Robots\n"

_SUMMARY = """
The same of {files} files of {packages}, each with a held and a free base: {bodies} pairs of bodies, {asked:,} answers.
{same:,} are the same, {explained:,} differ for a stated cause, {open} for none. Not compared are {left}.

![How many functions answer the same, by robot](pictures/plots/pybullet_queries.svg)

| cause | bodies that have it | answers that differ |
|---|---|---|
{causes}

Of the principal axes of the inertia of a link, {turned} of the {bodies} pairs have others than `loadURDF`, which turns the
inertial frames of links, and with them elements 0 to 3 of `getLinkState`, `LINK_FRAME` and the pose of a free base.

Written by `docs/make_pybullet_queries_table.py` on {date}, with {versions}.

### Answers by robot

| robot | base | the same | differ for a stated cause | differ |
|---|---|---|---|---|
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """The answers of a robot with one base."""

    robot: str
    base: str
    causes: tuple[str, ...]
    angle: float
    """Largest angle between the inertial frames of both bodies [degrees]."""
    deviations: dict[str, float]

    def differing(self, *, stated: bool) -> list[str]:
        """Return the rows that differ, with a stated cause or without."""
        tolerances = {query.name: query.tolerance for query in queries.QUERIES}
        return [
            name
            for name, deviation in self.deviations.items()
            if not deviation <= tolerances[name]
            and bool(queries.explained(name, self.causes)) is stated
        ]


def main(words: Sequence[str]) -> None:
    """Write the page."""
    before = PAGE.read_text() if PAGE.exists() else ""
    robots = _robots(Path(words[0])) if words else before.partition(_ROBOTS)[2]
    write_page(PAGE, "".join((*functions(), _ROBOTS if robots else "", robots)))


def functions() -> Iterator[str]:
    """Yield the part of the page that the table of functions determines."""
    yield _HEAD
    for query in queries.QUERIES:
        names = ", ".join(f"`{name}`" for name in query.functions)
        limit = f"{query.tolerance:.0%}" if query.is_fraction else f"{query.tolerance:.1g}"
        yield f"| {names} | {query.what} | {limit} | {query.differs} |\n"
    yield _STATED
    for name, text in queries.STATED.items():
        yield f"| `{name}` | {text} |\n"
    yield _OTHERS
    for subject, names in queries.OTHERS.items():
        yield f"* {subject}: {', '.join(f'`{name}`' for name in names)}\n"


def _robots(path: Path) -> str:
    results = [json.loads(line) for line in path.read_text().splitlines()]
    rows, left = [], Counter[str]()
    for result in results:
        for base in ("held", "free"):
            found = result.get(base, result)
            reason = found.get("crash") or found.get("refused")
            if reason:
                left[_kind(reason)] += 1
                continue
            rows.append(
                Row(
                    robot=result["robot"],
                    base=base,
                    causes=tuple(found["causes"]),
                    angle=found["angle"],
                    deviations=found["deviations"],
                )
            )
    packages = dict.fromkeys(result["robot"].partition("/")[0] for result in results)
    return _summary(rows, left, len(results), packages) + "".join(map(_line, rows))


_FOLDED = "of more than 127 joints, whose welded links are folded (`pybullet.folded-links`)"


def _kind(reason: str) -> str:
    kinds = {
        "BallJointError": "with ball joints, which a test of its own asks",
        "LoadError": "that the reader refuses",
        "Cannot load URDF": "that `loadURDF` refuses",
        "KeyError": _FOLDED,
        "getJointState failed": _FOLDED,
        "status": "at which PyBullet ends the process, asked for distances from either body",
    }
    return next((text for word, text in kinds.items() if word in reason), "that fail otherwise")


def _summary(rows: list[Row], left: Counter[str], files: int, packages: Iterable[str]) -> str:
    asked = sum(len(row.deviations) for row in rows)
    explained = sum(len(row.differing(stated=True)) for row in rows)
    unexplained = sum(len(row.differing(stated=False)) for row in rows)
    return _SUMMARY.format(
        files=files,
        packages=" and ".join(packages),
        bodies=len(rows),
        asked=asked,
        same=asked - explained - unexplained,
        explained=explained,
        open=unexplained,
        left=", ".join(f"{count} {kind}" for kind, count in left.most_common()) or "none",
        causes="\n".join(_causes(rows)),
        turned=sum(row.angle > 1.0 for row in rows),
        date=datetime.datetime.now(tz=datetime.UTC).date().isoformat(),
        versions=", ".join(f"{name} {version(name)}" for name in ("pybullet", "numpy")),
    )


def _causes(rows: list[Row]) -> Iterator[str]:
    for cause in queries.CAUSES:
        having = [row for row in rows if cause.name in row.causes]
        changed = sum(
            cause.name in queries.explained(name, row.causes)
            for row in having
            for name in row.differing(stated=True)
        )
        yield f"| {cause.name}: {cause.text} | {len(having)} | {changed} |"


def _line(row: Row) -> str:
    stated, others = (row.differing(stated=value) for value in (True, False))
    same = len(row.deviations) - len(stated) - len(others)
    causes = sorted({cause for name in stated for cause in queries.explained(name, row.causes)})
    reasons = f"{', '.join(stated)} ({', '.join(causes)})" if stated else ""
    rest = ", ".join(f"{name} {_number(row.deviations[name])}" for name in others)
    return f"| {cell(row.robot)} | {row.base} | {same} | {cell(reasons)} | {cell(rest)} |\n"


def _number(value: float) -> str:
    return f"{value:.1e}" if math.isfinite(value) else "other"


def without_robots(page: str) -> str:
    """Return the part of a page that the table of functions determines."""
    return re.split(re.escape(_ROBOTS), page)[0]


if __name__ == "__main__":
    main(sys.argv[1:])
