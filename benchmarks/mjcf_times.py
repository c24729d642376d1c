"""Compare the time of reading MJCF with that of MuJoCo's parsing and compilation, file by file.

python benchmarks/mjcf_times.py FOLDER [--list FILE] [--every N] [--rounds N]

Both read a file alternately, in one process, in processor time. From file to file they take turns
to begin, since the first one finds the files on the disk and not in memory. ``first`` is the first
time of each, at which MuJoCo decodes meshes that it keeps afterwards; ``best`` is the best of all
rounds. The last line has the medians of all files.
"""

from __future__ import annotations

import argparse
import contextlib
import statistics
import time
import warnings
from collections.abc import Callable
from pathlib import Path

import mujoco

import loaders

GOAL = 1.5
"""Largest ratio that is aimed at."""
Ratios = tuple[float, float]
"""Our time divided by MuJoCo's: of the first round, and of the best rounds."""


def seconds(work: Callable[[], object]) -> float:
    """Return the processor time of a piece of work [s]; a refusal of the file counts like its
    reading.
    """
    start = time.process_time()
    with contextlib.suppress(ValueError):
        work()
    return time.process_time() - start


def ratios(path: Path, rounds: int, *, peer_first: bool = False) -> Ratios:
    """Return the ratios of a file.

    Args:
        path: The file.
        rounds: How often each reads it.
        peer_first: Whether MuJoCo begins each round.
    """
    readers: list[tuple[list[float], Callable[[], object]]] = [
        ([], lambda: loaders.load(path, quiet=True)),
        ([], lambda: mujoco.MjModel.from_xml_path(str(path))),
    ]
    for _ in range(rounds):
        for times, read in readers[::-1] if peer_first else readers:
            times.append(seconds(read))
    (ours, _), (peer, _) = readers
    return ours[0] / peer[0], min(ours) / min(peer)


def summary(found: list[Ratios]) -> str:
    """Return the medians of the ratios, and the numbers of files below the goal."""
    first, best = zip(*found, strict=True)
    return "; ".join(
        f"{name}: median {statistics.median(values):.2f}, {sum(x < GOAL for x in values)} of "
        f"{len(values)} files below {GOAL}"
        for name, values in (("first", first), ("best", best))
    )


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folder", type=Path)
    parser.add_argument(
        "--list", type=Path, help="text file with the paths of files in the folder; else all *.xml"
    )
    parser.add_argument("--every", type=int, default=1, metavar="N", help="read each Nth file")
    parser.add_argument("--rounds", type=int, default=3, metavar="N")
    options = parser.parse_args()
    names = (
        options.list.read_text().split() if options.list else sorted(options.folder.rglob("*.xml"))
    )
    files = [options.folder / name for name in names][:: options.every]
    missing = [str(path) for path in files if not path.is_file()]
    if missing:
        parser.error(f"{len(missing)} files do not exist, the first of them {missing[0]}")
    warnings.simplefilter("ignore")
    ratios(files[0], 1)  # imports
    found = []
    for index, path in enumerate(files):
        found.append(ratios(path, options.rounds, peer_first=index % 2 == 1))
        print(
            f"{found[-1][0]:7.2f} {found[-1][1]:7.2f}  {path.relative_to(options.folder)}",
            flush=True,
        )
    print(summary(found))


if __name__ == "__main__":
    main()
