"""Measure the time per link of reading and lowering chains and trees of increasing size, in
SDFormat and URDF.

    python benchmarks/scale.py [LARGEST]

The time per link must not increase, except for garbage collection.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable

import bridge
import loaders

SIZES = (100, 1_000, 10_000)
ELEMENTS_OF_A_LINK = 9
"""Elements of a link and its joint in the URDF below."""
INERTIAL = (
    "<inertial><mass>1</mass><inertia><ixx>1</ixx><iyy>1</iyy><izz>1</izz></inertia></inertial>"
)
URDF_INERTIAL = (
    "<inertial><mass value='1'/><inertia ixx='1' iyy='1' izz='1' ixy='0' ixz='0' "
    "iyz='0'/></inertial>"
)


def chain(i: int) -> int:
    """Return the parent of link ``i`` in a chain."""
    return i - 1


def tree(i: int) -> int:
    """Return the parent of link ``i`` in a binary tree."""
    return (i - 1) // 2


def sdf(count: int, parent: Callable[[int], int]) -> str:
    """Return a model whose links are posed relative to their parents, so that frames are nested as
    deeply as links.
    """
    lines = ["<sdf version='1.11'><model name='m'>", f"<link name='l0'>{INERTIAL}</link>"]
    for i in range(1, count):
        lines.append(
            f"<link name='l{i}'><pose relative_to='l{parent(i)}'>0 0 0.1 0.01 0 "
            f"0</pose>{INERTIAL}</link>"
        )
        lines.append(
            f"<joint name='j{i}' type='revolute'><parent>l{parent(i)}</parent><child>l{i}</child>"
        )
        lines.append("<axis><xyz>0 1 0</xyz></axis></joint>")
    return "\n".join([*lines, "</model></sdf>"])


def urdf(count: int, parent: Callable[[int], int]) -> str:
    lines = ["<robot name='m'>", f"<link name='l0'>{URDF_INERTIAL}</link>"]
    for i in range(1, count):
        lines.append(f"<link name='l{i}'>{URDF_INERTIAL}</link>")
        lines.append(
            f"<joint name='j{i}' type='continuous'><parent link='l{parent(i)}'/><child "
            f"link='l{i}'/>"
        )
        lines.append("<origin xyz='0 0 0.1' rpy='0.01 0 0'/><axis xyz='0 1 0'/></joint>")
    return "\n".join([*lines, "</robot>"])


def best(rounds: int, work: Callable[[], object]) -> float:
    """Return the shortest time of several runs [s]."""
    times = []
    for _ in range(rounds):
        start = time.perf_counter()
        work()
        times.append(time.perf_counter() - start)
    return min(times)


def main(largest: int) -> None:
    print("format shape    links   read us/link   lower us/link   poses us/link")
    for form, write in (("sdf", sdf), ("urdf", urdf)):
        for parent in (chain, tree):
            for count in (size for size in SIZES if size <= largest):
                measure(form, write(count, parent), parent.__name__, count)


def measure(form: str, text: str, shape: str, count: int) -> None:
    """Print the times per link of one model.

    Args:
        form: Format of the model.
        text: The model.
        shape: Name of the shape of its tree.
        count: Number of links.
    """
    rounds = max(2, 2_000 // count)
    scene = loaders.load_string(text, format=form)
    mechanism = bridge.lower(scene)
    stages = (
        lambda: loaders.load_string(text, format=form),
        lambda: bridge.lower(scene),
        mechanism.link_poses,
    )
    read, lower, poses = (1e6 * best(rounds, stage) / count for stage in stages)
    print(f"{form:6} {shape:6} {count:7}   {read:12.1f}   {lower:13.1f}   {poses:13.1f}")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else SIZES[-1])
