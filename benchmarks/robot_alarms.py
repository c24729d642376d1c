"""List the warnings of `sdfbridge check` about the numbers of robots, with a judgment of each.

python -m benchmarks.robot_alarms ROOT [--list FILE] [--stand-ins MESH ...] [--out FILE]

``ROOT`` has one folder for each source of files; ``--list`` names the files below it that are read,
one in a line; without it all are. A robot whose mesh has the content of one of ``--stand-ins``,
which take the place of meshes that are not at hand, says nothing about the checks and is left out.
The table has a row for each file and code; a row that the old table has keeps its judgment, a new
one has none. The script prints how many files have a false alarm.
"""

from __future__ import annotations

import argparse
import csv
import warnings
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from pathlib import Path

import loaders
from bridge.lowering.transform import mechanism_of
from bridge.robot_checks import check_robot
from loaders.diagnostics import Diagnostic, Diagnostics, ModelError, limited
from loaders.limits import budgeted
from loaders.model import Mesh
from loaders.scene import Scene

TABLE = Path(__file__).parents[1] / "docs" / "data" / "robot-checks-warnings.csv"
HEAD = ("source", "file", "code", "findings", "first message", "judgment", "reason")
FALSE = "false"
SUFFIXES = (".urdf", ".sdf", ".world", ".xml")
KEY, MESSAGE = 3, 4
"""Columns that tell a row from others, and the column of its message."""


def has_stand_ins(scene: Scene, stand_ins: Collection[bytes]) -> bool:
    """Return whether a mesh of a scene is a stand-in."""
    paths = {
        shape.geometry.path
        for link in scene.links
        for shape in (*link.collisions, *link.visuals)
        if isinstance(shape.geometry, Mesh) and shape.geometry.path
    }
    return any(Path(path).read_bytes() in stand_ins for path in paths)


def warnings_of(file: Path, stand_ins: Collection[bytes]) -> list[Diagnostic] | None:
    """Return the warnings about the numbers of a robot; None if it cannot be judged."""
    found = Diagnostics()
    try:
        scene = loaders.load(file, quiet=True)
        if has_stand_ins(scene, stand_ins):
            return None
        with budgeted(None), limited(found, str(file)):
            check_robot(mechanism_of(scene), found)
    except ModelError:
        return None
    return [
        entry
        for entry in found
        if entry.severity == "warning"
        and entry.code.startswith(("robot.", "mesh.implausible-size"))
    ]


Row = list[str]


def rows_of(
    name: str, found: Sequence[Diagnostic], judged: Mapping[tuple[str, ...], Row]
) -> list[Row]:
    """Return the rows of a file, with the judgments that are known."""
    source, _, short = name.partition("/")
    rows = []
    for code, count in Counter(entry.code for entry in found).items():
        message = next(entry.message for entry in found if entry.code == code)
        judgment = judged.get((source, short, code), ["", ""])
        rows.append([source, short, code, str(count), message, *judgment])
    return rows


def table(
    root: Path,
    names: Iterable[str],
    stand_ins: Collection[bytes],
    judged: Mapping[tuple[str, ...], Row],
) -> tuple[list[Row], int]:
    """Return the rows of all files, and how many files could be judged."""
    rows: list[Row] = []
    count = 0
    for name in names:
        found = warnings_of(root / name, stand_ins)
        count += found is not None
        rows += rows_of(name, found or (), judged)
    return rows, count


def main() -> None:
    """Write the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("root", type=Path)
    parser.add_argument("--list", type=Path)
    parser.add_argument("--stand-ins", type=Path, nargs="+", default=[])
    parser.add_argument("--out", type=Path, default=TABLE)
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    root = options.root
    listed = options.list.read_text().split("\n") if options.list else ()
    every = (str(f.relative_to(root)) for f in sorted(root.rglob("*")) if f.suffix in SUFFIXES)
    stand_ins = {path.read_bytes() for path in options.stand_ins}
    with TABLE.open(newline="") as stream:
        judged = {tuple(row[:KEY]): row[MESSAGE + 1 :] for row in csv.reader(stream)}
    rows, count = table(root, filter(None, listed or every), stand_ins, judged)
    with options.out.open("w", newline="") as stream:
        csv.writer(stream, lineterminator="\n").writerows([HEAD, *rows])
    files = {(row[0], row[1]) for row in rows}
    false = {(row[0], row[1]) for row in rows if row[MESSAGE + 1] == FALSE}
    print(f"{count} files, {len(files)} with warnings, {len(false)} with a false alarm;")
    print(f"{sum(not row[MESSAGE + 1] for row in rows)} of {len(rows)} rows have no judgment")


if __name__ == "__main__":
    main()
