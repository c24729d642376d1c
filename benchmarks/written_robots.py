"""Write robots from MJCF as URDF and as SDFormat, and compare how they move: MuJoCo with PyBullet,
MuJoCo with Drake.

python benchmarks/written_robots.py FOLDER RESULTS [--levels L0,L1,L2] [--robots N]

``FOLDER`` has robots in MJCF. Each is written as URDF, which has to move as the original and alike
in MuJoCo and PyBullet, and as SDFormat, which has to move as the original and alike in MuJoCo and
Drake. One line of ``RESULTS`` for each robot and format; a second run continues where the first one
ended, after a crash too. At the end a table of all results is printed.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
import warnings
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1]))

import bridge
from loaders.diagnostics import ModelError

ROBOTS = (
    "anybotics_anymal_b/anymal_b.xml",
    "anybotics_anymal_c/anymal_c.xml",
    "franka_emika_panda/panda.xml",
    "franka_emika_panda/panda_nohand.xml",
    "kuka_iiwa_14/iiwa14.xml",
    "rethink_robotics_sawyer/sawyer.xml",
    "unitree_a1/a1.xml",
    "unitree_go1/go1.xml",
    "wonik_allegro/left_hand.xml",
    "wonik_allegro/right_hand.xml",
)
"""Ends of the paths of ten robots of MuJoCo Menagerie."""
CHAINS = {"urdf": ("mujoco", "pybullet"), "sdf": ("mujoco", "drake")}
"""Simulators that run what is written, by format."""
_COLUMNS = (
    "robot",
    "format",
    "as the original",
    "quantities",
    "equal",
    "differ for a known reason",
    "differ otherwise",
)


def main() -> None:
    """Examine the robots that have no result yet, and print the table."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folder", type=Path)
    parser.add_argument("results", type=Path)
    parser.add_argument("--levels", default="L0,L1,L2")
    parser.add_argument(
        "--robots", type=int, default=len(ROBOTS), help="take the first N robots only"
    )
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    known = {(entry["robot"], entry["format"]) for entry in read(options.results)}
    for name in ROBOTS[: options.robots]:
        path = next(iter(sorted(options.folder.rglob(name))), None)
        for form in CHAINS if path is not None else ():
            if (name, form) not in known:
                start = {"robot": name, "format": form}
                _append(options.results, start | {"error": "the process ended"})
                _append(options.results, start | examined(path, form, options.levels.split(",")))
    print(table(read(options.results)))


def read(results: Path) -> list[dict[str, Any]]:
    """Return the last result of each robot and format in a file, which may be missing."""
    lines = results.read_text().splitlines() if results.exists() else []
    return list(
        {(entry["robot"], entry["format"]): entry for entry in map(json.loads, lines)}.values()
    )


def _append(results: Path, entry: dict[str, Any]) -> None:
    with results.open("a") as stream:
        stream.write(json.dumps(entry) + "\n")


def examined(
    path: Path, form: str, levels: Sequence[str], engines: Sequence[str] = ()
) -> dict[str, Any]:
    """Write a robot in a format and return what differs from the original, and between simulators.

    Args:
        path: The robot.
        form: A key of `CHAINS`.
        levels: What to compare.
        engines: The simulators; by default those of the format.
    """
    with tempfile.TemporaryDirectory() as folder:
        try:
            written = getattr(bridge, f"export_{form}")(
                path, Path(folder, "robot"), quiet=True
            ).path
            alike = bridge.compare_files(path, written, quiet=True).moves_alike
            result = bridge.compare(
                written, engines=engines or CHAINS[form], levels=levels, quiet=True
            )
        except (ModelError, bridge.parity.EngineMissingError) as error:
            return {"error": str(error).splitlines()[0][:200]}
    rows = [row for row in result.rows if row.outcome != "unknown"]
    differing = [row for row in rows if row.outcome != "passed"]
    known = {f"{row.quantity} ({row.known_cause.code})" for row in differing if row.known_cause}
    other = {
        f"{row.quantity} ({row.error:.1e} at {row.where})"
        for row in differing
        if not row.known_cause
    }
    return {
        "alike": alike,
        "unknown": len(result.rows) - len(rows),
        "rows": len(rows),
        "equal": len(rows) - len(differing),
        "explained": sorted(known),
        "unequal": sorted(other),
    }


def table(entries: Iterable[dict[str, Any]]) -> str:
    """Return the results as a table in Markdown."""
    lines = [f"| {' | '.join(_COLUMNS)} |", "|---" * len(_COLUMNS) + "|"]
    for entry in sorted(entries, key=lambda entry: (entry["robot"], entry["format"])):
        cells = [entry["robot"], entry["format"]]
        if "error" in entry:
            cells += ["", "", "", "", "", entry["error"]]
        else:
            cells += [
                "yes" if entry["alike"] else "no",
                *(str(entry[key]) for key in ("unknown", "rows", "equal")),
            ]
            cells += ["; ".join(entry[key]) for key in ("explained", "unequal")]
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    main()
