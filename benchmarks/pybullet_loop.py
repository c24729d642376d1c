"""Compare the calls of a loop, such as reinforcement learning makes, with the PyBullet calls that
they replace.

    python benchmarks/pybullet_loop.py [ROUNDS]

Both are measured on the same robot in the same process: the minimum of all rounds, in microseconds
of one call, and the ratio to PyBullet's call. A step is measured against ``stepSimulation`` on the
handle's own body. Prints a table in Markdown.
"""

from __future__ import annotations

import sys
import timeit
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pybullet
import pybullet_data

import bridge
from bridge.targets.pybullet import PyBulletBody

ROBOTS = (
    "franka_panda/panda.urdf",
    "kuka_iiwa/model.urdf",
    "a1/a1.urdf",
    "laikago/laikago.urdf",
    "xarm/xarm6_robot.urdf",
)
Call = Callable[[], object]
CALLS = 200


def calls(robot: PyBulletBody, client: int) -> Iterator[tuple[str, Call, Call]]:
    """Yield what is done, the call of the handle, and the call of PyBullet that it replaces."""
    joints = [axis.joint for axis in robot.state.layout.axes]
    q, v = robot.motion()
    efforts, by_name = np.ones(len(v)), dict.fromkeys(robot.velocities(), 1.0)
    torque = pybullet.TORQUE_CONTROL

    def states() -> object:
        return pybullet.getJointStates(robot, joints, physicsClientId=client)

    def command() -> object:
        return pybullet.setJointMotorControlArray(
            robot, joints, torque, forces=efforts, physicsClientId=client
        )

    def reset() -> None:
        for joint in joints:
            pybullet.resetJointState(robot, joint, 0.0, physicsClientId=client)

    yield "positions", lambda: robot.q, states
    yield "positions and velocities", robot.motion, states
    yield "efforts of motors", lambda: robot.tau, states
    yield "commands", lambda: robot.apply_efforts(efforts), command
    yield "set positions", lambda: robot.set_positions(q), reset
    yield "set both", lambda: robot.set_motion(q, v), reset
    yield "reset", robot.reset, reset
    positions = robot.positions()
    yield "positions by name", robot.positions, states
    yield "commands by name", lambda: robot.apply_efforts(by_name), command
    yield "set positions by name", lambda: robot.set_positions(positions), reset
    yield "step", robot.step, lambda: pybullet.stepSimulation(physicsClientId=client)


def ratio(ours: Call, native: Call, start: Call, rounds: int) -> tuple[float, float]:
    """Return the time of a call [us], and its ratio to that of PyBullet's, both from the same
    start.
    """
    best = [float("inf"), float("inf")]
    for _ in range(rounds):
        for k, call in enumerate((ours, native)):
            start()
            best[k] = min(best[k], timeit.timeit(call, number=CALLS))
    return 1e6 * best[0] / CALLS, best[0] / best[1]


def measure(name: str, rounds: int) -> dict[str, tuple[float, float]]:
    """Return time and ratio of each call for one robot."""
    client = pybullet.connect(pybullet.DIRECT)
    path = Path(pybullet_data.getDataPath()) / name
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        robot = bridge.load_into_pybullet(path, useFixedBase=True, physicsClientId=client)
    assert isinstance(robot, PyBulletBody)
    found = {
        what: ratio(ours, native, robot.reset, rounds)
        for what, ours, native in calls(robot, client)
    }
    pybullet.disconnect(client)
    return found


def main(rounds: int) -> None:
    columns = {Path(name).stem: measure(name, rounds) for name in ROBOTS}
    print(f"| call | {' | '.join(columns)} |")
    print(f"|---|{'---|' * len(columns)}")
    for what in next(iter(columns.values())):
        cells = (f"{us:.1f} µs, {times:.2f}" for us, times in (c[what] for c in columns.values()))
        print(f"| {what} | {' | '.join(cells)} |")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 30)
