"""Compare the time of a step of exported robots with that of the same robots written by hand
(``yardsticks/``).

    python benchmarks/stepping.py [ROUNDS [ROBOT ...]]

Both have the same shapes, limits, time step, integrator, solver and collision pairs, and start from
the same random positions. Each round runs 2,000 steps of each model from the start; the minimum
processor time of all rounds is printed. ``free`` is without a floor, ``floor`` on one. ``fused`` is
the export with MuJoCo's ``fusestatic``, which merges links that are welded together. ``contacts``
is the mean number of contacts.
"""

from __future__ import annotations

import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import mujoco
import numpy as np
import pybullet_data

import bridge
import loaders

STEPS = 2_000
YARDSTICKS = Path(__file__).parent / "yardsticks"
EXAMPLE_ROBOT_DATA = "lib/python*/site-packages/cmeel.prefix/share/example-robot-data/robots"
STANDING = (0.0, 0.9, -1.8)


@dataclass(frozen=True, kw_only=True)
class Robot:
    """A file of pybullet_data or of example-robot-data, and the link that is welded to the world,
    if any.
    """

    file: str
    base: str = ""

    @property
    def path(self) -> Path:
        """Path of the installed file."""
        folders = (Path(pybullet_data.getDataPath()), *Path(sys.prefix).glob(EXAMPLE_ROBOT_DATA))
        return next(folder / self.file for folder in folders if (folder / self.file).is_file())


ROBOTS = {
    "panda": Robot(file="franka_panda/panda.urdf", base="panda_link0"),
    "iiwa": Robot(file="kuka_iiwa/model.urdf", base="lbr_iiwa_link_0"),
    "xarm7": Robot(file="xarm_description/urdf/xarm7.urdf", base="link_base"),
    "a1": Robot(file="a1/a1.urdf"),
}


def scene(robot: Robot) -> loaders.Scene:
    path = robot.path
    if not robot.base:
        return loaders.load(path)
    steps = f"directives:\n- add_model: {{name: arm, file: file://{path}}}\n"
    steps += f"- add_weld: {{parent: world, child: arm::{robot.base}}}\n"
    return loaders.load_string(steps, format="directives", paths=[path.parents[2]])


def pair(name: str, folder: Path, floor: bool) -> dict[str, Any]:
    """Compile the export and the model written by hand, which uses the same meshes.

    Args:
        name: Name of the robot.
        folder: Folder to export to.
        floor: Whether to add a floor.

    Returns:
        The compiled models.
    """
    robot = scene(ROBOTS[name])
    bridge.export_mjcf(robot, folder / name, policy="mujoco")
    text = bridge.to_mjcf(robot, policy="mujoco")  # the model's file may lack the options
    assets = {path.name: path.read_bytes() for path in (folder / name / "assets").iterdir()}
    specs = {
        "export": mujoco.MjSpec.from_string(text, assets=text.assets),
        "fused": mujoco.MjSpec.from_string(text, assets=text.assets),
        "yardstick": mujoco.MjSpec.from_string(
            (YARDSTICKS / f"{name}.xml").read_text(), assets=assets
        ),
    }
    specs["fused"].compiler.fusestatic = True
    if floor:
        for spec in specs.values():
            spec.worldbody.add_geom(type=mujoco.mjtGeom.mjGEOM_PLANE, size=[0, 0, 1])
    return {key: spec.compile() for key, spec in specs.items()}


def start(model: Any, seed: int) -> Any:
    """Return the initial state: a quadruped stands, an arm is at random positions within its
    limits.
    """
    data = mujoco.MjData(model)
    if model.nq == 19:
        data.qpos[2] = 0.32
        data.qpos[7:] = 4 * STANDING
        return data
    low, high = model.jnt_range.T
    data.qpos[:] = low + (high - low) * np.random.default_rng(seed).uniform(0.3, 0.7, model.nq)
    return data


def microseconds(model: Any) -> tuple[float, float, Any]:
    """Return the time of one step [us], the mean number of contacts, and the final positions."""
    data = start(model, seed=1)
    taken = contacts = 0.0
    for _ in range(STEPS // 100):
        begin = time.thread_time()
        mujoco.mj_step(model, data, 100)
        taken += time.thread_time() - begin
        contacts += data.ncon
    return 1e6 * taken / STEPS, contacts / (STEPS // 100), data.qpos.copy()


def compare(name: str, folder: Path, floor: bool, rounds: int) -> None:
    """Print the comparison of one robot.

    Args:
        name: Name of the robot.
        folder: Folder to export to.
        floor: Whether to add a floor.
        rounds: Number of rounds.
    """
    models = pair(name, folder, floor)
    best = dict.fromkeys(models, np.inf)
    for _ in range(rounds):
        ran = {key: microseconds(model) for key, model in models.items()}
        best = {key: min(best[key], us) for key, (us, _, _) in ran.items()}
    (_, ours, q), (_, theirs, p) = ran["export"], ran["yardstick"]
    times = "".join(f"{us:10.2f}" for us in best.values())
    ratios = "".join(f"{best[key] / best['yardstick']:8.3f}" for key in ("export", "fused"))
    where = "floor" if floor else "free"
    print(
        f"{name:6} {where:6}{times} {ratios} {ours:6.1f} {theirs:6.1f}   {np.abs(q - p).max():.1e}"
    )


def main(rounds: int, *names: str) -> None:
    print(
        "robot             export     fused yardstick   ratio   fused  contacts of both  final "
        "difference"
    )
    with tempfile.TemporaryDirectory() as folder:
        for name in names or ROBOTS:
            for floor in (False, True):
                compare(name, Path(folder) / str(floor), floor, rounds)


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 20, *sys.argv[2:])
