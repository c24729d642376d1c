"""Compare the time to read kuka_iiwa/model.sdf with that of Drake's parser; both alternate in one process.

python benchmarks/read_kuka.py [ROUNDS]
"""

from __future__ import annotations

import logging
import os
import statistics
import sys
import time
from collections.abc import Callable
from pathlib import Path

os.environ.setdefault("DRAKE_ALLOW_NETWORK", "package_map")

import pybullet_data
from pydrake.multibody.parsing import Parser
from pydrake.multibody.plant import MultibodyPlant

import loaders

FILE = Path(pybullet_data.getDataPath()) / "kuka_iiwa" / "model.sdf"


def read_with_drake() -> None:
    """Read the file without a scene graph: Drake then skips the geometry, which makes it faster."""
    plant = MultibodyPlant(0.0)
    Parser(plant).AddModels(str(FILE))


def milliseconds(work: Callable[[], object]) -> float:
    start = time.perf_counter()
    work()
    return 1e3 * (time.perf_counter() - start)


def main(rounds: int) -> None:
    logging.getLogger("drake").setLevel(logging.ERROR)
    ours, drakes = [], []
    for _ in range(rounds):
        ours.append(milliseconds(lambda: loaders.load(FILE)))
        drakes.append(milliseconds(read_with_drake))
    our_median, drake_median = statistics.median(ours), statistics.median(drakes)
    print(f"loaders.load   {our_median:8.2f} ms   (first {ours[0]:.2f}, best {min(ours):.2f})")
    print(f"pydrake        {drake_median:8.2f} ms   (first {drakes[0]:.2f}, best {min(drakes):.2f})")
    print(f"ratio          {our_median / drake_median:8.3f}      ({rounds} rounds)")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 51)
