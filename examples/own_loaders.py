"""Compare PyBullet's native loader and MuJoCo's native reader with the content of a file.

    python examples/own_loaders.py [FILE]

Each native loader reads the file with default settings and is compared with the file. Differences
are printed with their place, size and likely cause. The comparison of both simulators through this
package is printed last.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

import sdfbridge
from bridge.parity import Comparison, Outcome

GRIPPER = """<robot name="gripper">
  <link name="world"/>
  <link name="left">
    <inertial><origin xyz="0 0 -.05"/><mass value=".2"/>
      <inertia ixx="3e-4" iyy="3e-4" izz="2e-5" ixy="0" ixz="0" iyz="0"/></inertial>
    <collision><geometry><box size=".02 .02 .1"/></geometry></collision>
  </link>
  <link name="right">
    <inertial><origin xyz="0 0 -.05"/><mass value=".1"/>
      <inertia ixx="2e-4" iyy="2e-4" izz="1e-5" ixy="0" ixz="0" iyz="0"/></inertial>
  </link>
  <joint name="close" type="revolute"><parent link="world"/><child link="left"/><axis xyz="0 1 0"/>
    <limit lower="0" upper="1" effort="5" velocity="2"/></joint>
  <joint name="follow" type="revolute"><parent link="left"/><child link="right"/>

    <axis xyz="0 1 0"/><limit lower="-1" upper="0" effort="5" velocity="2"/>
    <mimic joint="close" multiplier="-1"/></joint>
</robot>"""
"""The robot of three links that is used if no file is given."""


def compare(path: Path, *engines: str) -> Comparison:
    return sdfbridge.compare(path, engines, levels=("L0", "L1"), configurations=5)


def print_differences(title: str, comparison: Comparison) -> None:
    print(f"{title}: {comparison.agreement} at L0 and L1")
    for row in (row for row in comparison.rows if row.outcome is Outcome.FAILED):
        place = f" at {row.where}" if row.where else ""
        print(f"    {row.quantity}{place}: off by {row.error:.1e} {row.unit}; {row.cause}")


def main(path: Path) -> None:
    loader = "pybullet-urdf" if path.suffix == ".urdf" else "pybullet-sdf"
    print_differences("PyBullet's native loader", compare(path, loader))
    print_differences("MuJoCo's native reader", compare(path, "mujoco-urdf"))
    print_differences("both simulators through this package", compare(path, "mujoco", "pybullet"))


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        model = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(folder) / "gripper.urdf"
        if len(sys.argv) == 1:
            model.write_text(GRIPPER, encoding="utf-8")
        main(model)
