"""Measure the files of public repositories, and write the table of docs/field.md.

    python -m benchmarks.field sweep FOLDER RESULTS [--limit N] [--only WORD] [--seconds S]
    python -m benchmarks.field table RESULTS...

``FOLDER`` has one folder for each repository, called ``owner+name``. One line of JSON for each file is appended to
``RESULTS``; a file that has one is not measured again, so an interrupted sweep continues. Every file is measured in
a process of its own with a limit on its time. The files of a repository are taken at regular intervals of their
sorted list, at most ``--limit``.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

from .process import in_a_process
from .stages import STAGES
from .table import write_page

SUFFIXES = (".sdf", ".world", ".urdf", ".xacro", ".dmd.yaml")


def sources(repository: Path, limit: int) -> list[Path]:
    """Return at most ``limit`` files of a repository with models, at regular intervals of the sorted list."""
    files = sorted(path for path in repository.rglob("*") if path.name.endswith(SUFFIXES) and path.is_file())
    step = max(1, -(-len(files) // limit))
    return files[::step]


def sweep(options: argparse.Namespace) -> None:
    """Measure every file that has no line of results."""
    stages = [stage for stage in STAGES if stage[0] in options.stages.split(",")]
    done = {(row["repository"], row["file"]) for row in _rows(options.results)}
    with options.results.open("a") as results:
        for repository in sorted(path for path in options.folder.iterdir() if path.is_dir()):
            name = repository.name.replace("+", "/")
            for path in sources(repository, options.limit):
                file = str(path.relative_to(repository))
                if (name, file) in done or options.only not in f"{name}/{file}":
                    continue
                row = {"repository": name, "file": file, **in_a_process(stages, (path, repository), options.seconds)}
                results.write(json.dumps(row) + "\n")
                results.flush()


def _rows(results: Path) -> Iterator[dict[str, object]]:
    if results.exists():
        yield from map(json.loads, results.read_text().splitlines())


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one of the two commands."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(required=True)
    measure = commands.add_parser("sweep")
    measure.add_argument("folder", type=Path)
    measure.add_argument("results", type=Path)
    measure.add_argument("--limit", type=int, default=60, help="most files of a repository")
    measure.add_argument("--only", default="", help="repositories and files with this word in their path")
    measure.add_argument("--seconds", type=float, default=120.0, help="limit for one file")
    measure.add_argument("--stages", default=",".join(name for name, _ in STAGES), help="what is measured")
    measure.set_defaults(run=sweep)
    table = commands.add_parser("table")
    table.add_argument("results", type=Path, nargs="+")
    table.set_defaults(run=lambda options: write_page(row for file in options.results for row in _rows(file)))
    options = parser.parse_args(arguments)
    options.run(options)
    return 0


if __name__ == "__main__":
    sys.exit(main())
