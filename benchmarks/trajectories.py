"""Compare the motion of ten robots without contact in PyBullet and MuJoCo, for a second at the same
time step.

    python benchmarks/trajectories.py

Prints the largest difference of a link's position [m] or orientation [rad]. With a fixed base, both
agree up to rounding. With a floating base, PyBullet integrates the motion of its center of mass and
MuJoCo that of its frame's origin, so that they differ to first order in the time step. The slope is
the fitted order, for time steps of 1/1000 to 1/4000 s. If the center of mass of the root link is
its origin, both agree up to rounding, and there is no slope.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pybullet_data

import bridge
import loaders
from bridge.lowering.transform import with_base
from bridge.mechanism import Mechanism
from bridge.parity.engines.mujoco.engine import MujocoEngine
from bridge.parity.engines.pybullet.engine import PyBulletEngine
from bridge.parity.states import random_states, without_solver_effects
from loaders.pose import Pose

ROBOTS = (
    "kuka_iiwa/model.urdf",
    "franka_panda/panda.urdf",
    "racecar/racecar.urdf",
    "pr2_gripper.urdf",
    "aliengo/aliengo.urdf",
    "r2d2.urdf",
    "a1/a1.urdf",
    "laikago/laikago_toes.urdf",
    "biped/biped2d_pybullet.urdf",
    "quadruped/minitaur.urdf",
)
STEPS = (1e-3, 5e-4, 2.5e-4)
ROUNDING = 1e-9


def bare(path: Path, *, fixed: bool) -> Mechanism:
    """Return the mechanism without solver effects, on a fixed or floating base."""
    return with_base(without_solver_effects(bridge.lower(loaders.load(path))), fixed=fixed)


def difference(mechanism: Mechanism, step: float, seed: int = 0) -> float:
    """Return the largest difference of the engines at ten times in a second [m or rad].

    Args:
        mechanism: The robot.
        step: Time step [s].
        seed: Seed of the initial state.
    """
    (start,) = random_states(mechanism, 1, seed)
    engines = MujocoEngine(mechanism), PyBulletEngine(mechanism)
    worst = 0.0
    for engine in engines:
        engine.set_step(step)
        engine.set_state(*start)
    for _ in range(10):
        for engine in engines:
            engine.step(round(0.1 / step))
        one, two = (engine.link_poses() for engine in engines)
        worst = max(worst, *(_distance(pose, two[name]) for name, pose in one.items()))
    for engine in engines:
        engine.close()
    return worst


def slope(differences: Sequence[float]) -> float:
    """Return the order of convergence of differences at `STEPS`; nan if they are rounding
    errors.
    """
    if max(differences) < ROUNDING:
        return math.nan
    return math.log(differences[0] / differences[-1]) / math.log(STEPS[0] / STEPS[-1])


def _distance(one: Pose, two: Pose) -> float:
    lag = (one.R.T @ two.R - two.R.T @ one.R) / 2.0
    return max(
        float(np.abs(one.p - two.p).max()), float(np.linalg.norm((lag[2, 1], lag[0, 2], lag[1, 0])))
    )


def main() -> None:
    print(f"{'robot':32} {'fixed':>9} {'floating':>9} {'slope':>6}")
    for name in ROBOTS:
        path = Path(pybullet_data.getDataPath()) / name
        held = difference(bare(path, fixed=True), STEPS[0])
        free = [difference(bare(path, fixed=False), step) for step in STEPS]
        print(f"{name:32} {held:9.1e} {free[0]:9.1e} {slope(free):6.2f}")


if __name__ == "__main__":
    main()
