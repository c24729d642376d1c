"""Measure sdfbridge and every installed peer in one run, alternately, on the same files.

    python -m benchmarks [--quick] [--only WORD] [--no-store]        also: make bench

Times are processor time, also of processes that are started; each case is done once before, so that
caches are warm where it says so. The table has the best and the median of the rounds, and the ratio
of the medians to each peer. It is compared with the last stored run on the same processor, number
of cores and Python: a ratio that grew by more than a quarter is a regression, and the exit status
is 1. Without such a run nothing is compared, and the exit status is 0. The run is stored in a file
of its machine in ``benchmarks/stored/speed``, and its table in ``docs/performance.md``.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import re
import statistics
import sys
import tempfile
import time
import warnings
from collections.abc import Iterable, Sequence
from datetime import date
from importlib import metadata
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
STORED = ROOT / "benchmarks" / "stored" / "speed"
"""Folder of the stored runs, one file for each kind of machine."""
PAGE = ROOT / "docs" / "performance.md"
BEGIN, END = (
    "<!-- begin of the table of `make bench` -->",
    "<!-- end of the table of `make bench` -->",
)
GROWTH = 1.25
"""Growth of a ratio from which it counts as a regression."""
PACKAGES = ("numpy", "mujoco", "pybullet", "drake", "pin", "yourdfpy", "trimesh", "lxml")
OURS = "sdfbridge"

Result = dict[str, Any]


def seconds(work: Any) -> float:
    """Return the processor time of a piece of work, with the processes that it starts [s]."""
    before = os.times()
    start = time.process_time()
    work()
    own, after = time.process_time() - start, os.times()
    return (
        own
        + after.children_user
        + after.children_system
        - before.children_user
        - before.children_system
    )


def measure(case: Any, rounds: int) -> Result:
    """Return best and median time of each contender [ms], from alternating rounds."""
    contenders = {OURS: case.ours, **case.peers}
    for work in contenders.values():
        work()
    times: dict[str, list[float]] = {name: [] for name in contenders}
    for _ in range(rounds):
        for name, work in contenders.items():
            times[name].append(1e3 * seconds(work))
    return {
        "group": case.group,
        "name": case.name,
        "rounds": rounds,
        "links": case.links,
        "ms": {
            name: {"best": min(values), "median": statistics.median(values)}
            for name, values in times.items()
        },
    }


def ratios(result: Result) -> dict[str, float]:
    """Return our median divided by that of each peer."""
    ours = result["ms"][OURS]["median"]
    return {name: ours / times["median"] for name, times in result["ms"].items() if name != OURS}


def regressions(results: Iterable[Result], earlier: Iterable[Result]) -> list[str]:
    """Return a line for each ratio that grew."""
    before = {(result["group"], result["name"]): ratios(result) for result in earlier}
    return [
        f"{result['name']}: {ratio:.2f} times {peer}, before {known[peer]:.2f}"
        for result in results
        if (known := before.get((result["group"], result["name"])))
        for peer, ratio in ratios(result).items()
        if ratio > GROWTH * known.get(peer, ratio)
    ]


def stored_path(where: dict[str, Any]) -> Path:
    """Return the file of the last run on a kind of machine: processor, number of cores and Python.

    Peers gain more or less than sdfbridge from another processor or interpreter, so that ratios of
    different machines cannot be compared.

    Args:
        where: What `machine` returns.
    """
    return STORED / f"{re.sub(r'[^A-Za-z0-9.]+', '_', kind(where)).strip('_')}.json"


def kind(where: dict[str, Any]) -> str:
    """Return the kind of a machine in words."""
    return f"{where['processor']}, {where['cores']} cores, Python {where['python']}"


def verdict(results: Sequence[Result], where: dict[str, Any]) -> tuple[list[str], int]:
    """Return the lines of the comparison with the last run on the same kind of machine, and the
    exit status.
    """
    path = stored_path(where)
    if not path.exists():
        return [f"nothing is compared: there is no stored run of {kind(where)}"], 0
    stored = json.loads(path.read_text())
    lines = [f"compared with the run of {stored['machine']['date']}, {kind(where)}:"]
    before, now = stored["machine"]["versions"], where["versions"]
    lines += [
        f"{name} {now[name]}, before {before[name]}"
        for name in now
        if before.get(name, now[name]) != now[name]
    ]
    slower = regressions(results, stored["results"])
    return [*lines, *(slower or ["no ratio grew by more than a quarter"])], 1 if slower else 0


# --- output ---------------------------------------------------------------------------------------


def machine() -> dict[str, Any]:
    """Return what the times depend on: date, processor, and versions."""
    versions = {}
    for name in PACKAGES:
        try:
            versions[name] = metadata.version(name)
        except metadata.PackageNotFoundError:
            continue
    return {
        "date": date.today().isoformat(),
        "processor": _processor() or platform.processor() or platform.machine(),
        "cores": os.cpu_count(),
        "python": platform.python_version(),
        "versions": versions,
    }


def _processor() -> str:
    """Return the name of the processor with its family and model, since virtual machines name
    several ones alike.
    """
    path = Path("/proc/cpuinfo")
    lines = path.read_text().splitlines() if path.exists() else ()
    facts = {
        key.strip(): value.strip()
        for key, _, value in (line.partition(":") for line in reversed(lines))
    }
    numbers = " ".join(
        f"{key.split()[-1]} {facts[key]}" for key in ("cpu family", "model") if key in facts
    )
    return f"{facts.get('model name', '')} {numbers}".strip()


def row(result: Result) -> str:
    ours = result["ms"][OURS]
    peers = "; ".join(
        f"{name} {times['best']:.1f} / {times['median']:.1f}"
        for name, times in result["ms"].items()
        if name != OURS
    )
    ratio = "; ".join(f"{value:.2f}" for value in ratios(result).values())
    links = result.get("links", 0)
    name = result["name"] + (f": {1e3 * ours['median'] / links:.0f} us a link" if links else "")
    return (
        f"| {name} | {ours['best']:.1f} / {ours['median']:.1f} | {peers} | {ratio} | "
        f"{result['rounds']} |"
    )


def table(results: Sequence[Result], where: dict[str, Any]) -> str:
    """Return the tables of all groups in Markdown."""
    versions = ", ".join(f"{name} {version}" for name, version in where["versions"].items())
    lines = [f"{where['date']}: {kind(where)}, {versions}."]
    for group in dict.fromkeys(result["group"] for result in results):
        members = [result for result in results if result["group"] == group]
        lines += [
            "",
            f"## {group}",
            "",
            "| work | sdfbridge [ms] | peers [ms] | ratio | rounds |",
            "|---|---|---|---|---|",
        ]
        lines += map(row, members)
        if len(members) > 9:
            middle = statistics.median(
                ratio for result in members for ratio in ratios(result).values()
            )
            lines += ["", f"Median of the ratios: {middle:.2f}."]
    return "\n".join(lines)


def store(results: Sequence[Result], where: dict[str, Any]) -> None:
    STORED.mkdir(exist_ok=True)
    stored_path(where).write_text(
        json.dumps({"machine": where, "results": results}, indent=1) + "\n"
    )
    text = PAGE.read_text()
    head, tail = text.split(BEGIN)[0], text.split(END)[1]
    PAGE.write_text(f"{head}{BEGIN}\n\n{table(results, where)}\n\n{END}{tail}")


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--quick", action="store_true", help="at most three rounds")
    parser.add_argument(
        "--only",
        default="",
        metavar="WORD",
        help="cases with this in their group or name; not stored",
    )
    parser.add_argument(
        "--no-store", action="store_true", help="leave the stored run and the page as they are"
    )
    options = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory() as cache:
        os.environ["SDFBRIDGE_CACHE"] = cache
        results = list(_measured(options))
    where = machine()
    lines, status = verdict(results, where)
    if not options.only and not options.no_store:
        store(results, where)
    print("\n".join(["", *lines]))
    return status


def _measured(options: argparse.Namespace) -> Iterable[Result]:
    warnings.simplefilter("ignore")
    from benchmarks.cases import cases  # after the choice of the cache

    for case in cases():
        if options.only in f"{case.group} {case.name}":
            result = measure(case, min(case.rounds, 3) if options.quick else case.rounds)
            print(row(result), flush=True)
            yield result


if __name__ == "__main__":
    sys.exit(main())
