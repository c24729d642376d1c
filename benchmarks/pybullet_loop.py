"""Compare the calls of a loop, such as reinforcement learning makes, with the PyBullet calls that
they replace.

    python -m benchmarks.pybullet_loop [held | free | bodies] [ROUNDS]
    python -m benchmarks.pybullet_loop steps [ROUNDS]

Both are measured on the same robot in the same process: the minimum of all rounds, in microseconds
of processor time of one call, and the ratio to PyBullet's call. A step is measured against
``stepSimulation`` on the handle's own body. Prints a table in Markdown.

The base of a robot is ``held``, or ``free``: PyBullet's calls are then those for the joints and
those for the pose and velocity of the base. ``bodies`` are two free robots of a world in one
handle, against PyBullet's calls for each of them.

With ``steps``, ``stepSimulation`` of the bodies of both loaders, at rest without gravity, on
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
import loaders
from benchmarks.load_ratio import robots
from bridge.stdout_capture import capture_stdout
from bridge.targets.pybullet import Bodies, PyBulletBody

ROBOTS = (
    "franka_panda/panda.urdf",
    "kuka_iiwa/model.urdf",
    "a1/a1.urdf",
    "laikago/laikago.urdf",
    "xarm/xarm6_robot.urdf",
)
Call = Callable[[], object]
CALLS = 200


Handle = PyBulletBody | Bodies


class Native:
    """PyBullet's own calls for the bodies of a handle, as a loop without the handle makes them."""

    def __init__(self, handle: Handle, client: int) -> None:
        robots = [handle] if isinstance(handle, PyBulletBody) else list(handle)
        self.client = client
        self.bodies = [(int(r), [axis.joint for axis in r.state.layout.axes]) for r in robots]
        self.shares = [np.ones(len(joints)) for _, joints in self.bodies]
        self.starts = [
            (int(robot), *pybullet.getBasePositionAndOrientation(robot, client))
            for robot in robots
            if any(not span.segments for _, span in robot.state.layout.others)
        ]

    def states(self) -> None:
        for body, joints in self.bodies:
            pybullet.getJointStates(body, joints, physicsClientId=self.client)

    def places(self) -> None:
        self.states()
        for body, *_ in self.starts:
            pybullet.getBasePositionAndOrientation(body, physicsClientId=self.client)

    def motions(self) -> None:
        self.places()
        for body, *_ in self.starts:
            pybullet.getBaseVelocity(body, physicsClientId=self.client)

    def command(self) -> None:
        for (body, joints), forces in zip(self.bodies, self.shares, strict=True):
            pybullet.setJointMotorControlArray(
                body, joints, pybullet.TORQUE_CONTROL, forces=forces, physicsClientId=self.client
            )

    def reset(self) -> None:
        for body, joints in self.bodies:
            for joint in joints:
                pybullet.resetJointState(body, joint, 0.0, physicsClientId=self.client)
        for body, position, orientation in self.starts:
            pybullet.resetBasePositionAndOrientation(
                body, position, orientation, physicsClientId=self.client
            )

    def reset_both(self) -> None:
        self.reset()
        for body, *_ in self.starts:
            pybullet.resetBaseVelocity(body, (0, 0, 0), (0, 0, 0), physicsClientId=self.client)

    def step(self) -> None:
        pybullet.stepSimulation(physicsClientId=self.client)


def calls(handle: Handle, client: int) -> Iterator[tuple[str, Call, Call]]:
    """Yield what is done, the call of the handle, and the calls of PyBullet that it replaces."""
    native, names = Native(handle, client), [name for name, _ in handle.v_order]
    efforts = np.array([1.0 if name in handle.joints else 0.0 for name in names])
    by_name = {name: 1.0 for name in names if name in handle.joints}
    (q, v), positions = handle.motion(), handle.positions()
    yield "positions", lambda: handle.q, native.places
    yield "positions and velocities", handle.motion, native.motions
    yield "efforts of motors", lambda: handle.tau, native.states
    yield "commands", lambda: handle.apply_efforts(efforts), native.command
    yield "set positions", lambda: handle.set_positions(q), native.reset
    yield "set both", lambda: handle.set_motion(q, v), native.reset_both
    yield "reset", handle.reset, native.reset
    yield "positions by name", handle.positions, native.places
    yield "commands by name", lambda: handle.apply_efforts(by_name), native.command
    yield "set positions by name", lambda: handle.set_positions(positions), native.reset
    yield "step", handle.step, native.step


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


def loaded(name: str, client: int, kind: str) -> Handle:
    """Load a robot with a held or a free base, or a world of two."""
    folder = Path(pybullet_data.getDataPath())
    path, world = folder / name, ""
    if kind == "bodies":
        robots = (
            f"<include><name>{robot}</name><uri>{path}</uri><pose>{x} 0 1 0 0 0</pose></include>"
            for robot, x in (("left", 0), ("right", 3))
        )
        world = f"<sdf version='1.11'><world name='w'>{''.join(robots)}</world></sdf>"
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        source = (
            loaders.load_string(world, format="sdf", paths=[path.parent, folder]) if world else path
        )
        return bridge.load_into_pybullet(
            source, useFixedBase=kind == "held", physicsClientId=client
        )


def measure(name: str, rounds: int, kind: str) -> dict[str, tuple[float, float]]:
    """Return time and ratio of each call for one robot."""
    client = pybullet.connect(pybullet.DIRECT)
    handle = loaded(name, client, kind)
    found = {
        what: ratio(ours, native, handle.reset, rounds)
        for what, ours, native in calls(handle, client)
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


def main(rounds: int, kind: str) -> None:
    """Print the table of one kind of base."""
    columns = {Path(name).stem: measure(name, rounds, kind) for name in ROBOTS}
    print(f"| call, {kind} | {' | '.join(columns)} |")
    print(f"|---|{'---|' * len(columns)}")
    for what in next(iter(columns.values())):
        cells = (f"{us:.1f} µs, {times:.2f}" for us, times in (c[what] for c in columns.values()))
        print(f"| {what} | {' | '.join(cells)} |")


if __name__ == "__main__":
    rounds = next((int(word) for word in sys.argv[1:] if word.isdigit()), 30)
    kinds = [word for word in sys.argv[1:] if not word.isdigit()] or ["held", "free", "bodies"]
    for kind in kinds:
        if kind == "steps":
            compare_steps(rounds)
        else:
            main(rounds, kind)
