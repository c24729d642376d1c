"""Measure what fitted shapes and hulls cost: the certificates of robots, as a table.

    python -m benchmarks.collision_shapes [--pictures]

The robots are those of ``pybullet_data`` and ``example_robot_data``. Each choice is exported to
SDFormat with an empty cache; the times are processor times of the export. The table is written into
``docs/collision_shapes.md``, and with ``--pictures`` the pictures of that page are drawn anew.
"""

from __future__ import annotations

import argparse
import os
import statistics
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np

import bridge
import loaders
from bridge.choices import CollisionShape
from bridge.geometry.collision_shapes import ShapeCertificate
from loaders.diagnostics import Diagnostics
from loaders.meshes import read_mesh
from loaders.model import Mesh

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "docs" / "collision_shapes.md"
BEGIN, END = "<!-- begin of the table of robots -->", "<!-- end of the table of robots -->"
SHAPES: tuple[CollisionShape, ...] = ("hull", "box", "capsule", "cylinder", "sphere")
_EXAMPLES = "cmeel.prefix/share/example-robot-data/robots"
ROBOTS = {
    "KUKA iiwa": "pybullet_data/kuka_iiwa/model.urdf",
    "Franka Panda": "pybullet_data/franka_panda/panda.urdf",
    "xArm 6": "pybullet_data/xarm/xarm6_robot.urdf",
    "Laikago": "pybullet_data/laikago/laikago.urdf",
    "Mini Cheetah": "pybullet_data/mini_cheetah/mini_cheetah.urdf",
    "UR10": f"{_EXAMPLES}/ur_description/urdf/ur10_robot.urdf",
    "R2D2": "pybullet_data/r2d2.urdf",
    "UR5": f"{_EXAMPLES}/ur_description/urdf/ur5_robot.urdf",
    "TALOS, left arm": f"{_EXAMPLES}/talos_data/robots/talos_left_arm.urdf",
    "Finger": f"{_EXAMPLES}/finger_edu_description/robots/finger_edu.urdf",
}
PICTURES: dict[str, tuple[str, CollisionShape]] = {
    "iiwa_capsules": ("KUKA iiwa", "capsule"),
    "laikago_boxes": ("Laikago", "box"),
}


def files() -> Iterator[tuple[str, Path]]:
    """Yield the names and files of the robots that are installed."""
    packages = Path(np.__file__).parents[1]
    for name, place in ROBOTS.items():
        if (packages / place).exists():
            yield name, packages / place


def row(name: str, path: Path, shape: CollisionShape) -> str:
    """Return the row of a robot and a shape."""
    scene = loaders.load(str(path), quiet=True, lenient=True)
    with tempfile.TemporaryDirectory() as folder:
        os.environ["SDFBRIDGE_CACHE"] = folder
        start = time.process_time()
        text = bridge.to_sdf(scene, quiet=True, shapes=shape)
        seconds = time.process_time() - start
    found = bridge.shape_certificates(text.diagnostics)
    if not found:
        return f"| {name} | {shape} | 0 | | | | | {seconds:.1f} |"
    sizes = dict(_sizes(scene))
    outward = [_share(entry, entry.outward, sizes) for entry in found]
    inward = max(entry.inward for entry in found)
    worst = max(found, key=lambda entry: entry.outward)
    ratios = [entry.volume_ratio for entry in found if entry.volume_ratio is not None]
    ratio = f"{statistics.median(ratios):.2f}" if ratios else "open"
    return (
        f"| {name} | {shape} | {len(found)} | {statistics.median(outward):.1%} | "
        f"{1000.0 * worst.outward:.1f} (`{worst.link}`) | {1000.0 * inward:.3g} | {ratio} | "
        f"{seconds:.1f} |"
    )


def _sizes(scene: loaders.Scene) -> Iterator[tuple[tuple[str, str], float]]:
    """Yield the longest edge of each collision mesh [m]."""
    for link in scene.links:
        for collision in link.collisions:
            if isinstance(collision.geometry, Mesh):
                data = read_mesh(collision.geometry, Diagnostics())
                if data is not None:
                    size = float(np.ptp(data.vertices, axis=0).max())
                    yield (link.name, collision.name), size


def _share(entry: ShapeCertificate, distance: float, sizes: dict[tuple[str, str], float]) -> float:
    return distance / sizes[entry.link, entry.collision]


def main() -> None:
    """Write the table, and the pictures if they are asked for."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--pictures", action="store_true", help="draw the pictures anew")
    options = parser.parse_args()
    robots = dict(files())
    if options.pictures:
        for stem, (name, shape) in PICTURES.items():
            scene = loaders.load(str(robots[name]), quiet=True, lenient=True)
            picture = bridge.shapes_picture(scene, shape)
            if picture is not None:
                (ROOT / "docs" / "pictures" / f"{stem}.png").write_bytes(picture)
        return
    lines = [
        "| robot | shape | meshes | median distance beyond the mesh, of its size | largest [mm] | "
        "mesh beyond the shape [mm] | median volume ratio | time [s] |",
        "|---|---|---|---|---|---|---|---|",
    ]
    for name, path in robots.items():
        for shape in SHAPES:
            lines.append(row(name, path, shape))
            print(lines[-1], flush=True)
    text = PAGE.read_text(encoding="utf-8")
    head, _, rest = text.partition(BEGIN)
    table = "\n".join(lines)
    _, _, tail = rest.partition(END)
    PAGE.write_text(f"{head}{BEGIN}\n{table}\n{END}{tail}", encoding="utf-8")


if __name__ == "__main__":
    main()
