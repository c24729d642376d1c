"""Reset a robot between episodes, as in reinforcement learning.

    python examples/reset_loop.py

Loading once and resetting the state is a hundred times faster than loading again. PyBullet's
``saveState`` works, too; this example sets positions by joint name, which also sets coupled joints.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pybullet as p

from sdfbridge import load_into_pybullet

ARM = Path(__file__).parents[1] / "assets" / "arm" / "model.sdf"
GOAL = {"waist": 0.6, "shoulder": 0.3, "elbow": -0.6}
STEPS = 240


class Reach:
    """Environment with torques as actions; the reward is minus the largest distance to the goal
    [rad].
    """

    def __init__(self) -> None:
        self.client = p.connect(p.DIRECT)
        p.setTimeStep(1 / 240, physicsClientId=self.client)
        p.setGravity(0, 0, -9.81, physicsClientId=self.client)
        self.robot = load_into_pybullet(ARM, physicsClientId=self.client)

    def reset(self, seed: int) -> np.ndarray:
        spread = np.random.default_rng(seed).uniform(-0.1, 0.1, len(GOAL))
        home = dict.fromkeys(
            self.robot.positions(), 0.0
        )  # all joints of the arm have one coordinate
        self.robot.set_positions({**home, **dict(zip(GOAL, spread.tolist(), strict=True))})
        return self.observe()

    def observe(self) -> np.ndarray:
        q, v = self.robot.positions(), self.robot.velocities()
        return np.array([*(q[name] for name in GOAL), *(v[name] for name in GOAL)])

    def step(self, torques: np.ndarray) -> tuple[np.ndarray, float]:
        self.robot.apply_efforts(
            dict(zip(GOAL, torques.tolist(), strict=True))
        )  # within the effort limits
        self.robot.step()
        observation = self.observe()
        return observation, -float(np.abs(observation[: len(GOAL)] - list(GOAL.values())).max())

    def close(self) -> None:
        p.disconnect(self.client)


def policy(reach: Reach, observation: np.ndarray) -> np.ndarray:
    """Return gravity compensation plus a proportional-derivative controller."""
    q, v = observation[: len(GOAL)], observation[len(GOAL) :]
    gravity = dict(zip(reach.robot.mechanism.v_order, reach.robot.bias_forces(), strict=True))
    compensation = np.array([gravity[name, 0] for name in GOAL])
    torques: np.ndarray = compensation + 60.0 * (np.array(list(GOAL.values())) - q) - 12.0 * v
    return torques


def main() -> None:
    reach = Reach()
    for episode, seed in enumerate((1, 2, 1)):
        observation, reward = reach.reset(seed), 0.0
        for _ in range(STEPS):
            observation, reward = reach.step(policy(reach, observation))
        print(f"episode {episode}, seed {seed}: last reward {reward:.12f}")
    reach.close()


if __name__ == "__main__":
    main()
