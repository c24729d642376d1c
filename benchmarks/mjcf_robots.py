"""Compare the robots of a corpus of MJCF in MuJoCo and PyBullet, and write ``docs/mjcf_robots.md``.

python benchmarks/mjcf_robots.py FOLDER RESULTS [--share K/N] [--write]

``FOLDER`` has ``files.txt``, the names of files below its folder ``inputs``. One line of
``RESULTS`` for each robot; a second run continues where the first one ended, after a crash too.
``--share 0/3`` takes every third robot, for several processes with a file of results each.
``--write`` makes the page from ``RESULTS`` and the files beside it that begin with its name.
"""

from __future__ import annotations

import argparse
import datetime
import json
import sys
import warnings
from importlib.metadata import version
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT))

import bridge  # noqa: E402
from loaders.diagnostics import ModelError  # noqa: E402

FAMILIES = ("mink", "menagerie", "unitree", "playground")
_NO_ROBOTS = "dm_control_suite"
_HEAD = """# MJCF robots in MuJoCo and PyBullet

{count} robots of public repositories (MuJoCo Menagerie, mink, unitree_mujoco, MuJoCo Playground), read from MJCF and
compared at L0 and L1, see [Comparing simulators](parity.md). {equal} have equal statements, poses, Jacobians,
mass matrices, forces and pairs in both engines; {lost} differ only in what PyBullet does not have, which the
fidelity report names; {open} differ otherwise or are refused.

Written by `benchmarks/mjcf_robots.py` on {date}, with {versions}.

| robot | quantities compared | equal | differ by what PyBullet lacks | differ otherwise |
|---|---|---|---|---|
"""


def main() -> None:
    """Compare the robots that have no result yet, or write the page."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folder", type=Path)
    parser.add_argument("results", type=Path)
    parser.add_argument("--share", default="0/1")
    parser.add_argument("--write", action="store_true")
    options = parser.parse_args()
    if options.write:
        (ROOT / "docs" / "mjcf_robots.md").write_text(_page(_read(options.results)))
        return
    warnings.simplefilter("ignore")
    index, count = map(int, options.share.split("/"))
    known = {entry["robot"] for entry in _read(options.results)}
    for name in robots(options.folder)[index::count]:
        if name not in known:
            _append(options.results, {"robot": name, "error": "the process ended"})
            _append(options.results, _examined(options.folder / "inputs" / name, name))


def robots(folder: Path) -> list[str]:
    """Return the names of the files of robots."""
    names = (folder / "files.txt").read_text().split("\n")
    return [
        name for name in names if any(word in name for word in FAMILIES) and _NO_ROBOTS not in name
    ]


def _read(results: Path) -> list[dict[str, Any]]:
    """Return the last result of each robot."""
    files = sorted(results.parent.glob(f"{results.name}*"))
    entries = [json.loads(line) for file in files for line in file.read_text().splitlines()]
    return list({entry["robot"]: entry for entry in entries}.values())


def _append(results: Path, entry: dict[str, Any]) -> None:
    with results.open("a") as stream:
        stream.write(json.dumps(entry) + "\n")


def _examined(path: Path, name: str) -> dict[str, Any]:
    try:
        result = bridge.compare(
            path, engines=("mujoco", "pybullet"), levels=("L0", "L1"), quiet=True
        )
    except ModelError as error:
        return {"robot": name, "error": str(error).splitlines()[0][:200]}
    rows = [row for row in result.rows if row.outcome != "unknown"]
    explained = {
        f"{row.quantity} ({row.known_cause.code})"
        for row in rows
        if row.outcome != "passed" and row.known_cause
    }
    unequal = {
        f"{row.quantity} ({row.error:.1e} at {row.where})"
        for row in rows
        if row.outcome != "passed" and row.known_cause is None
    }
    equal = sum(row.outcome == "passed" for row in rows)
    return {
        "robot": name,
        "rows": len(rows),
        "equal": equal,
        "explained": sorted(explained),
        "unequal": sorted(unequal),
    }


def _page(entries: list[dict[str, Any]]) -> str:
    entries = sorted(entries, key=lambda entry: entry["robot"])
    unsettled = [entry for entry in entries if entry.get("error") or entry["unequal"]]
    equal = [
        entry
        for entry in entries
        if not entry.get("error") and not entry["unequal"] and not entry["explained"]
    ]
    engines = ("mujoco", "pybullet")
    head = _HEAD.format(
        count=len(entries),
        equal=len(equal),
        lost=len(entries) - len(equal) - len(unsettled),
        open=len(unsettled),
        date=datetime.datetime.now(tz=datetime.UTC).date().isoformat(),
        versions=", ".join(f"{name} {version(name)}" for name in engines),
    )
    return head + "".join(map(_line, entries)) + _pictures()


def _pictures() -> str:
    """Return the pictures of ``docs/pictures/mjcf``, of both simulators side by side."""
    files = sorted((ROOT / "docs" / "pictures" / "mjcf").glob("*.png"))
    lines = [
        f"![{file.stem} in PyBullet and MuJoCo](pictures/mjcf/{file.name})\n" for file in files
    ]
    return "\n".join(["\n## In both simulators\n", _PICTURES, *lines]) if lines else ""


_PICTURES = """Drawn by `docs/make_mjcf_pictures.py`. Each robot stands at the first keyframe of its file.
Small boxes stand for the meshes that were not at hand; where several of them are in one place, each simulator
shows another one on top.
"""


def _line(entry: dict[str, Any]) -> str:
    robot = "/".join([part for part in entry["robot"].split("/") if part != "xmls"][-2:])
    if "error" in entry:
        return f"| {robot} | | | | {entry['error']} |\n"
    explained, unequal = ("; ".join(entry[key]) for key in ("explained", "unequal"))
    return f"| {robot} | {entry['rows']} | {entry['equal']} | {explained} | {unequal} |\n"


if __name__ == "__main__":
    main()
