"""Measure the reading time of every file in a folder against a limit of 50 ms plus 30 microseconds
per element.

python benchmarks/corpus.py FOLDER [SEARCH_PATH ...]
"""

from __future__ import annotations

import contextlib
import sys
import time
from pathlib import Path

import loaders

FIXED, PER_ELEMENT = 0.05, 30e-6
ROUNDS = 3


def seconds(source: Path, paths: list[Path]) -> float:
    """Return the shortest of several reading times, which excludes garbage collection and other
    processes [s].
    """
    times = []
    for _ in range(ROUNDS):
        start = time.process_time()
        with contextlib.suppress(loaders.LoadError):
            loaders.load(source, paths=paths)
        times.append(time.process_time() - start)
    return min(times)


def main(folder: Path, paths: list[Path]) -> None:
    """Print the files that exceed the limit, and totals."""
    files = sorted(
        file for suffix in ("sdf", "world", "urdf") for file in folder.rglob(f"*.{suffix}")
    )
    total, slow = 0.0, 0
    for file in files:
        allowed = FIXED + PER_ELEMENT * file.read_bytes().count(b"<") / 2
        took = seconds(file, paths)
        total += took
        if took > allowed:
            slow += 1
            print(
                f"{took * 1e3:9.1f} ms   allowed {allowed * 1e3:.1f} ms   "
                f"{file.relative_to(folder)}"
            )
    print(f"{len(files)} files in {total:.1f} s, {slow} above the limit")


if __name__ == "__main__":
    main(Path(sys.argv[1]), [Path(sys.argv[1]), *map(Path, sys.argv[2:])])
