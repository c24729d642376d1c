"""Compare the pairs that random positions exclude with published SRDF files.

Usage: python -m benchmarks.srdf_pairs [--robots NAME ...] [--samples N] [--seed N] [--further N]

The robots are those of the package example-robot-data that have a list of pairs. For each, the
script prints a row of a table: how many pairs of MoveIt's setup assistant, and of people, are
excluded here too; how many pairs never touch, and how many of these do at further positions of
another seed; and the seconds of processor time of the sampling. Each pair of the file that is not
excluded is listed with its reason in the file and the depth of its shapes at a position at which
they touch.
"""

from __future__ import annotations

import argparse
import sys
import time
import xml.etree.ElementTree as ET
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np

import bridge
import loaders
from bridge.choices import Exclusion
from bridge.geometry.overlap import Contacts
from bridge.lowering.sampling import least_distances, link_poses, random_positions
from bridge.lowering.transform import with_exclusions
from bridge.mechanism import Mechanism

ROBOTS = {
    "a1": ("a1_description/urdf/a1.urdf", "a1_description/srdf/a1.srdf"),
    "anymal b": (
        "anymal_b_simple_description/robots/anymal.urdf",
        "anymal_b_simple_description/srdf/anymal.srdf",
    ),
    "anymal c": (
        "anymal_c_simple_description/urdf/anymal.urdf",
        "anymal_c_simple_description/srdf/anymal.srdf",
    ),
    "b1": ("b1_description/urdf/b1.urdf", "b1_description/srdf/b1.srdf"),
    "baxter": (
        "baxter_description/urdf/baxter.urdf",
        "baxter_description/srdf/baxter_manipulation.srdf",
    ),
    "go1": ("go1_description/urdf/go1.urdf", "go1_description/srdf/go1.srdf"),
    "go2": ("go2_description/urdf/go2.urdf", "go2_description/srdf/go2.srdf"),
    "hyq": ("hyq_description/robots/hyq_no_sensors.urdf", "hyq_description/srdf/hyq.srdf"),
    "panda": ("panda_description/urdf/panda.urdf", "panda_description/srdf/panda.srdf"),
    "pr2": ("pr2_description/urdf/pr2.urdf", "pr2_description/srdf/pr2.srdf"),
    "romeo": ("romeo_description/urdf/romeo.urdf", "romeo_description/srdf/romeo.srdf"),
    "solo": ("solo_description/robots/solo.urdf", "solo_description/srdf/solo.srdf"),
    "talos": ("talos_data/robots/talos_full_v2.urdf", "talos_data/srdf/talos.srdf"),
    "ur3 gripper": ("ur_description/urdf/ur3_gripper.urdf", "ur_description/srdf/ur3_gripper.srdf"),
    "ur5": ("ur_description/urdf/ur5_robot.urdf", "ur_description/srdf/ur5.srdf"),
    "ur5 gripper": ("ur_description/urdf/ur5_gripper.urdf", "ur_description/srdf/ur5_gripper.srdf"),
    "xarm7": ("xarm_description/urdf/xarm7.urdf", "xarm_description/srdf/xarm7.srdf"),
}
"""URDF and SRDF of each robot, below the folder of the robots."""
REASONS = ("Adjacent", "Default", "Always", "Never")
"""Reasons that MoveIt's setup assistant gives; people write others, or none."""
_BATCH = 1000
Pair = frozenset[str]


@dataclass(frozen=True, kw_only=True)
class Row:
    """What is found about one robot.

    Attributes:
        links: Number of links with collisions.
        listed: The pairs of the SRDF of links with collisions, with their reasons.
        missing: Those of them that are not excluded, with a depth [m] at a random position.
        never: Number of pairs that never touched.
        seconds: Processor time of the sampling [s].
        late: Pairs that never touched, with the number of further positions at which they do.
    """

    links: int
    listed: dict[Pair, str]
    missing: dict[Pair, float]
    never: int
    seconds: float
    late: dict[Pair, int]


def listed_pairs(srdf: Path, mechanism: Mechanism) -> dict[Pair, str]:
    """Return the disabled pairs of an SRDF whose links have collisions, with their reasons."""
    links = {link.name for link in mechanism.scene.links if link.collisions}
    found = ET.parse(srdf).iter("disable_collisions")
    pairs = {frozenset((e.attrib["link1"], e.attrib["link2"])): e.get("reason", "") for e in found}
    return {pair: reason for pair, reason in pairs.items() if len(pair) == 2 and pair <= links}


def depth_of(mechanism: Mechanism, pair: Pair, samples: int = 20_000) -> float:
    """Return how deep two links lie in each other at the first position at which they are found to
    touch: at random, or by a search [m]; 0 if none was found.
    """
    shapes, rng = mechanism.shape_model, np.random.default_rng(1)
    number = {name: i for i, name in enumerate(shapes.links)}
    a, b = sorted(pair)
    if not pair <= number.keys():
        return 0.0
    for _ in range(0, samples, _BATCH):
        X_WL = link_poses(mechanism, random_positions(mechanism, rng, _BATCH))
        contacts = Contacts.of([(number[a], number[b])])
        shapes.observe(contacts, X_WL)
        if contacts.touched[0]:
            return -float(shapes.distances(number[a], number[b], X_WL[a], X_WL[b]).min())
    return max(0.0, -min(least_distances(mechanism, [(a, b)] * 20, 1)))


def late_contacts(mechanism: Mechanism, samples: int, seed: int) -> dict[Pair, int]:
    """Return the pairs that never touched and do so at further positions, with the number of
    batches of positions in which they do.
    """
    assert mechanism.sampled is not None
    shapes, rng = mechanism.shape_model, np.random.default_rng(seed)
    number = {name: i for i, name in enumerate(shapes.links)}
    pairs = [(p.link_A, p.link_B) for p in mechanism.sampled.pairs if p.reason == "Never"]
    found: dict[Pair, int] = {}
    for _ in range(0, samples, _BATCH):
        contacts = Contacts.of([(number[a], number[b]) for a, b in pairs])
        contacts.apart[:] = True
        shapes.observe(contacts, link_poses(mechanism, random_positions(mechanism, rng, _BATCH)))
        for k in np.flatnonzero(contacts.touched):
            found[frozenset(pairs[k])] = found.get(frozenset(pairs[k]), 0) + 1
    return found


def row_of(name: str, samples: int, seed: int, further: int) -> Row:
    """Return what is found about a robot."""
    urdf, srdf = (robots_folder() / place for place in ROBOTS[name])
    mechanism = bridge.lower(loaders.load(urdf, quiet=True))
    mechanism.shape_model  # noqa: B018 - the meshes are read before the time is taken
    start = time.process_time()
    sampled = with_exclusions(mechanism, Exclusion(exclude="sampled", samples=samples, seed=seed))
    seconds = time.process_time() - start
    assert sampled.sampled is not None
    listed = listed_pairs(srdf, mechanism)
    excluded = sampled.sampled.reasons
    return Row(
        links=sum(1 for link in mechanism.scene.links if link.collisions),
        listed=listed,
        missing={p: depth_of(mechanism, p) for p in listed if p not in excluded},
        never=sampled.sampled.count("Never"),
        seconds=seconds,
        late=late_contacts(sampled, further, seed + 1),
    )


def robots_folder() -> Path:
    """Return the folder of the robots of example-robot-data, which cmeel installs."""
    folders = (Path(place) / "cmeel.prefix/share/example-robot-data/robots" for place in sys.path)
    return next(folder for folder in folders if folder.is_dir())


def lines_of(name: str, row: Row) -> Iterator[str]:
    """Yield the row of the table, and a line for each difference."""
    found, by_hand = (
        [p not in row.missing for p, reason in row.listed.items() if (reason in REASONS) is known]
        for known in (True, False)
    )
    share = f" ({100.0 * sum(found) / len(found):.1f} %)" if found else ""
    yield (
        f"| {name} | {row.links} | {sum(found)} of {len(found)}{share} | {sum(by_hand)} of "
        f"{len(by_hand)} | {row.never} | {len(row.late)} | {row.seconds:.1f} |"
    )
    for pair, depth in row.missing.items():
        yield f"  - {' and '.join(sorted(pair))} ({row.listed[pair]}): {1000 * depth:.1f} mm deep"
    for pair, count in row.late.items():
        yield f"  - {' and '.join(sorted(pair))} touch in {count} batches of further positions"


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--robots", nargs="+", choices=list(ROBOTS), default=list(ROBOTS))
    parser.add_argument("--samples", type=int, default=10_000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--further", type=int, default=100_000)
    options = parser.parse_args()
    print("| robot | links | of MoveIt | by hand | never | late | s |")
    print("|---|---|---|---|---|---|---|")
    for name in options.robots:
        for line in lines_of(name, row_of(name, options.samples, options.seed, options.further)):
            print(line, flush=True)


if __name__ == "__main__":
    main()
