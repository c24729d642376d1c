"""A reset loop as reinforcement learning has it: one body, many episodes, the same start every time.

    python examples/reset_loop.py

Load once and reset the state: loading again costs a hundred times more. ``saveState`` of PyBullet works too; what is
shown here keeps what is coupled together, and starts each episode from positions by name.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pybullet as p

from bridge import load_into_pybullet

ARM = Path(__file__).parents[1] / "assets" / "arm" / "model.sdf"
GOAL = {"waist": 0.6, "shoulder": 0.3, "elbow": -0.6}
STEPS = 240


class Reach:
    """Torques in, positions and velocities out, minus the distance to the goal as reward."""

    def __init__(self) -> None:
        self.client = p.connect(p.DIRECT)
        p.setTimeStep(1 / 240, physicsClientId=self.client)
        p.setGravity(0, 0, -9.81, physicsClientId=self.client)
        self.robot = load_into_pybullet(ARM, physicsClientId=self.client)

    def reset(self, seed: int) -> np.ndarray:
        spread = np.random.default_rng(seed).uniform(-0.1, 0.1, len(GOAL))
        home = dict.fromkeys(self.robot.positions(), 0.0)  # every joint, by its own number of coordinates
        self.robot.set_positions({**home, **dict(zip(GOAL, spread.tolist(), strict=True))})
        return self.observe()

    def observe(self) -> np.ndarray:
        q, v = self.robot.positions(), self.robot.velocities()
        return np.array([*(q[name] for name in GOAL), *(v[name] for name in GOAL)])

    def step(self, torques: np.ndarray) -> tuple[np.ndarray, float]:
        self.robot.apply_efforts(dict(zip(GOAL, torques.tolist(), strict=True)))  # cut to the file's limits
        self.robot.step()
        seen = self.observe()
        return seen, -float(np.abs(seen[: len(GOAL)] - list(GOAL.values())).max())

    def close(self) -> None:
        p.disconnect(self.client)


def policy(reach: Reach, seen: np.ndarray) -> np.ndarray:
    """Gravity compensation and a spring and damper to the goal."""
    q, v = seen[: len(GOAL)], seen[len(GOAL) :]
    weight = dict(zip(reach.robot.mechanism.v_order, reach.robot.bias_forces(), strict=True))
    lift = np.array([weight[name, 0] for name in GOAL])
    torques: np.ndarray = lift + 60.0 * (np.array(list(GOAL.values())) - q) - 12.0 * v
    return torques


def main() -> None:
    reach = Reach()
    for episode, seed in enumerate((1, 2, 1)):
        seen, reward = reach.reset(seed), 0.0
        for _ in range(STEPS):
            seen, reward = reach.step(policy(reach, seen))
        print(f"episode {episode}, seed {seed}: last reward {reward:.12f}")
    reach.close()


if __name__ == "__main__":
    main()
