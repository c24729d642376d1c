"""Ask PyBullet's functions of many robots, loaded by ``loadURDF`` and by ``load_into_pybullet``.

    python -m benchmarks.pybullet_queries results.jsonl [PATTERN]

The robots are the URDF files of pybullet_data and example-robot-data whose path contains the pattern,
each with a held and with a free base. Each file is examined in a process of its own, and its line is
appended to the file of results; a robot that has a line is not examined again, so that an interrupted
run continues. ``docs/make_pybullet_queries_table.py`` writes the page from the results.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
sys.path[:0] = [str(ROOT)]

PACKAGES = ("pybullet_data", "example-robot-data")
SECONDS = 240
"""Time after which a file is given up [s]."""


def robots() -> Iterator[tuple[str, Path, Path]]:
    """Yield the name of each file, its path, and the folder of its package."""
    from tests.corpora import robots_corpus

    for robot in robots_corpus.robots():
        if robot.package in PACKAGES:
            yield str(robot), robot.path, robot.root


def examine(path: Path, root: Path, *, fixed: bool) -> dict[str, Any]:
    """Return the deviations of all rows of the table, and what is known to cause some."""
    from tests.support import pybullet_queries as queries

    try:
        with queries.both(path, fixed=fixed, paths=[root], lenient=True) as both:
            native, own, setting = both
            found = {"causes": queries.causes(native, own, setting)}
            found |= {"angle": queries.inertial_angle(native, own, setting)}
            outcomes = queries.outcomes(native, own, setting)
    except Exception as error:  # noqa: BLE001 - the reason is the result
        return {"refused": f"{type(error).__name__}: {str(error).splitlines()[0][:200]}"}
    found |= {"deviations": {one.query.name: one.deviation for one in outcomes}}
    return found | {"errors": [str(one) for one in outcomes if one.error]}


def main(words: list[str]) -> int:
    if words[:1] == ["--one"]:
        path, root = map(Path, words[1:])
        results = {base: examine(path, root, fixed=base == "held") for base in ("held", "free")}
        print("\n" + json.dumps(results))
        return 0
    if not words:
        print(__doc__)
        return 2
    out, pattern = Path(words[0]), "".join(words[1:2])
    done = (
        {json.loads(line)["robot"] for line in out.read_text().splitlines()}
        if out.exists()
        else set()
    )
    for name, path, root in robots():
        if pattern in name and name not in done:
            with out.open("a") as file:
                file.write(json.dumps({"robot": name, **_in_process(path, root)}) + "\n")
            print(name, file=sys.stderr)
    return 0


def _in_process(path: Path, root: Path) -> dict[str, Any]:
    command = [sys.executable, "-m", "benchmarks.pybullet_queries", "--one", str(path), str(root)]
    try:
        done = subprocess.run(command, cwd=ROOT, capture_output=True, timeout=SECONDS, check=False)
    except subprocess.TimeoutExpired:
        return {"crash": f"more than {SECONDS} s"}
    lines = done.stdout.decode(errors="replace").splitlines()
    if done.returncode or not lines:
        return {"crash": f"status {done.returncode}"}
    return dict(json.loads(lines[-1]))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
