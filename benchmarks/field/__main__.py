"""Measure the files of public repositories, and write the table of docs/field.md.

    python -m benchmarks.field sweep FOLDER OUT [--limit N] [--only WORD] [--seconds S] [--jobs N]
    python -m benchmarks.field table OUT...
    python -m benchmarks.field sample FOLDER... [--limit N]

``FOLDER`` has one folder for each repository, called ``owner+name``. The sweep is a batch: every
file is measured in a process of its own, under limits of time and memory, and ``OUT`` is the folder
of the batch. A sweep into a folder that has results continues it: it measures what is missing and
what has changed. The files of a repository are taken at regular intervals of their sorted list, at
most ``--limit``. The table takes the folders of one or more sweeps; of several rows about a file,
the last one counts. The sample prints every warning of a hundred files, to be read.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import bridge
from benchmarks.field.measurement import File, Measurement
from benchmarks.field.sample import warnings_of_sample
from benchmarks.field.stages import STAGES
from benchmarks.field.table import write_page
from bridge.batches import BatchResult, results_of

SUFFIXES = (".sdf", ".world", ".urdf", ".xacro", ".dmd.yaml")
MEMORY = 8.0
"""Limit of the memory for one file [GiB]."""
_DRAKE = ("pydrake.multibody.plant",) if importlib.util.find_spec("pydrake") else ()
PRELOAD = ("mujoco", "pybullet", "trimesh", *_DRAKE)
"""Modules whose import is slow."""


def files(folder: Path, limit: int) -> Iterator[File]:
    """Yield the files of each repository, at most ``limit``, at regular intervals of the sorted
    list.
    """
    for repository in sorted(path for path in folder.iterdir() if path.is_dir()):
        paths = sorted(
            path
            for path in repository.rglob("*")
            if path.name.endswith(SUFFIXES) and path.is_file()
        )
        step = max(1, -(-len(paths) // limit))
        yield from (File(path, repository) for path in paths[::step])


def sweep(options: argparse.Namespace) -> None:
    """Measure every file, and continue an earlier sweep."""
    chosen = [file for file in files(options.folder, options.limit) if options.only in str(file)]
    limits: dict[str, Any] = {"timeout": options.seconds, "memory": MEMORY, "jobs": options.jobs}
    task = Measurement(tuple(options.stages.split(",")))
    for number, result in enumerate(
        bridge.batch(chosen, task, out=options.out, resume=True, preload=PRELOAD, **limits), 1
    ):
        if not result.ok or number % 50 == 0:
            print(
                f"{number} of {len(chosen)}: {result.source}: {result.outcome} {result.detail}",
                file=sys.stderr,
            )


def print_sample(options: argparse.Namespace) -> None:
    """Print the warnings of the sample."""
    chosen = (file for folder in options.folders for file in files(folder, options.limit))
    sys.stdout.writelines(f"{line}\n" for line in warnings_of_sample(chosen))


def rows(place: Path) -> Iterator[dict[str, Any]]:
    """Yield the row of each file from the folder of a sweep, or from a file with a row of JSON in
    each line.
    """
    if place.is_dir():
        yield from map(row, results_of(place))
    else:
        yield from map(json.loads, place.read_text().splitlines())


def row(result: BatchResult) -> dict[str, Any]:
    """Return the row of a file; one whose process failed has its repository, its name and the
    reason.
    """
    if result.ok:
        return dict(result.value)
    owner, name, file = result.source.split("/", 2)
    return {
        "repository": f"{owner}/{name}",
        "file": file,
        "crash": f"{result.outcome} {result.detail}",
    }


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one of the two commands."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    commands = parser.add_subparsers(required=True)
    measure = commands.add_parser("sweep")
    measure.add_argument("folder", type=Path)
    measure.add_argument("out", type=Path)
    measure.add_argument("--limit", type=int, default=60, help="most files of a repository")
    measure.add_argument(
        "--only", default="", help="repositories and files with this word in their path"
    )
    measure.add_argument("--seconds", type=float, default=120.0, help="limit for one file")
    measure.add_argument("--jobs", type=int, help="number of processes (default: number of cores)")
    measure.add_argument(
        "--stages", default=",".join(name for name, _ in STAGES), help="what is measured"
    )
    measure.set_defaults(run=sweep)
    table = commands.add_parser("table")
    table.add_argument("results", type=Path, nargs="+")
    table.set_defaults(
        run=lambda options: write_page(row for place in options.results for row in rows(place))
    )
    sample = commands.add_parser("sample")
    sample.add_argument("folders", type=Path, nargs="+")
    sample.add_argument("--limit", type=int, default=60, help="most files of a repository")
    sample.set_defaults(run=print_sample)
    options = parser.parse_args(arguments)
    options.run(options)
    return 0


if __name__ == "__main__":
    sys.exit(main())
