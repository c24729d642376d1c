"""Compare the calls of a loop, such as reinforcement learning makes, with the PyBullet calls that
they replace.

    python -m benchmarks.pybullet_loop [ROUNDS]
    python -m benchmarks.pybullet_loop --steps [ROUNDS]

Both are measured on the same robot in the same process: the minimum of all rounds, in microseconds
of processor time of one call, and the ratio to PyBullet's call. A step is measured against
``stepSimulation`` on the handle's own body. Prints a table in Markdown.

With ``--steps``, ``stepSimulation`` of the bodies of both loaders, at rest without gravity, on
held bases: that of ``loadURDF`` has the same pairs of links that may collide, exact cylinders, and
the dry friction of the file as motors. Couplings are left to ours.
"""

from __future__ import annotations

import itertools
import statistics
import sys
import time
import timeit
import warnings
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import numpy as np
import pybullet
import pybullet_data

import bridge
from benchmarks.load_ratio import robots
from bridge.stdout_capture import capture_stdout
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
            best[k] = min(best[k], timeit.timeit(call, timer=time.thread_time, number=CALLS))
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


def load_natively(path: Path, touching: set[frozenset[str]], client: int) -> int:
    """Load a robot by ``loadURDF``, with the pairs of links that may collide, and return it."""
    flags = pybullet.URDF_USE_INERTIA_FROM_FILE | pybullet.URDF_USE_IMPLICIT_CYLINDER
    if touching:
        flags |= pybullet.URDF_USE_SELF_COLLISION | pybullet.URDF_USE_SELF_COLLISION_INCLUDE_PARENT
    with capture_stdout([]):
        body: int = pybullet.loadURDF(
            str(path), useFixedBase=True, flags=flags, physicsClientId=client
        )
    infos = [
        pybullet.getJointInfo(body, k, physicsClientId=client)
        for k in range(pybullet.getNumJoints(body, physicsClientId=client))
    ]
    index = {info[12].decode(): info[0] for info in infos}
    index[pybullet.getBodyInfo(body, physicsClientId=client)[0].decode()] = -1
    for pair in itertools.combinations(index, 2) if touching else ():
        if frozenset(pair) not in touching:
            a, b = (index[name] for name in pair)
            pybullet.setCollisionFilterPair(body, body, a, b, 0, physicsClientId=client)
    scalar = [info for info in infos if info[2] < pybullet.JOINT_SPHERICAL]
    pybullet.setJointMotorControlArray(
        body,
        [info[0] for info in scalar],
        pybullet.VELOCITY_CONTROL,
        forces=[info[7] for info in scalar],
        physicsClientId=client,
    )
    pybullet.changeDynamics(body, -1, linearDamping=0, angularDamping=0, physicsClientId=client)
    return body


def step_times(path: Path, rounds: int) -> tuple[float, float]:
    """Return the time of a step with our body and with that of ``loadURDF`` [us]."""
    own, native = (pybullet.connect(pybullet.DIRECT) for _ in range(2))
    bodies = bridge.load_world_into_pybullet(
        path, useFixedBase=True, physicsClientId=own, quiet=True, lenient=True
    )
    load_natively(path, bodies.mechanism.collidable_pairs(), native)
    best = [float("inf")] * 2
    for _ in range(rounds):
        for k, client in enumerate((own, native)):
            step = partial(pybullet.stepSimulation, client)
            taken = timeit.timeit(step, timer=time.thread_time, number=CALLS // 4)
            best[k] = min(best[k], 4e6 * taken / CALLS)
    for client in (own, native):
        pybullet.disconnect(client)
    return best[0], best[1]


def compare_steps(rounds: int) -> None:
    """Print the ratio of each robot, and their median."""
    ratios = []
    for name, path in robots():
        own, native = step_times(path, rounds)
        ratios.append(own / native)
        print(f"{name:54} {own:8.1f} {native:8.1f} {ratios[-1]:6.2f}", flush=True)
    print(f"median of {len(ratios)}: {statistics.median(ratios):.2f}")


def main(rounds: int) -> None:
    columns = {Path(name).stem: measure(name, rounds) for name in ROBOTS}
    print(f"| call | {' | '.join(columns)} |")
    print(f"|---|{'---|' * len(columns)}")
    for what in next(iter(columns.values())):
        cells = (f"{us:.1f} µs, {times:.2f}" for us, times in (c[what] for c in columns.values()))
        print(f"| {what} | {' | '.join(cells)} |")


if __name__ == "__main__":
    words = [word for word in sys.argv[1:] if word != "--steps"]
    run = main if words == sys.argv[1:] else compare_steps
    run(int(words[0]) if words else 30)
