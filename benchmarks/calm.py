"""Measure how far robots move by themselves, without commands.

    python benchmarks/calm.py FILE.jsonl [--mode weightless|standing] [--overlaps exclude|keep]
        [--only TEXT]

The robots are the URDFs of pybullet_data (without its random objects) and of example-robot-data.
Each starts at its home position: zero, within the limits of its joints and its couplings.

* ``weightless``: half a second without gravity, in PyBullet with its motors off, and in MuJoCo.
  Motion that nothing commands comes from links that push each other apart, and from springs of the
  file. The row "at zero" starts PyBullet as it is after loading.
* ``standing``: one second of MuJoCo with gravity, on a ground, from the key ``home``, with position
  actuators that hold it. The largest speed of a joint counts.

A process of its own holds each model, with a limit on its time. The file has one line for each
model; a second run continues it.
"""

from __future__ import annotations

import argparse
import dataclasses
import json
import multiprocessing
import sys
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

DURATIONS = {"weightless": 0.5, "standing": 1.0}
"""Simulated time of each mode [s]."""
LIMITS = {"weightless": 1e-3, "standing": 5.0}
"""Motion of a joint [rad or m], and speed [rad/s or m/s], that count."""
STEP = 1.0 / 240.0
"""PyBullet's default time step [s]."""
TIMEOUT = 150.0
"""Longest time for one model in one simulator [s]."""
GROUND = (
    "<sdf version='1.11'><model name='calm_ground'><static>true</static><link name='calm_ground'>"
    "<collision name='c'><geometry><plane/></geometry></collision></link></model></sdf>"
)


def sources() -> Iterator[Path]:
    """Yield the files."""
    import pybullet_data

    data = Path(pybullet_data.getDataPath())
    yield from sorted(p for p in data.rglob("*.urdf") if "random_urdfs" not in p.parts)
    folders = (Path(place) / "cmeel.prefix/share/example-robot-data/robots" for place in sys.path)
    for folder in folders:
        yield from sorted(folder.rglob("*.urdf"))


def _in_pybullet(path: str, overlaps: Any, *, home: bool) -> float:
    """Return the largest motion of a joint in PyBullet [rad or m]."""
    import pybullet

    import bridge
    import loaders

    client = pybullet.connect(pybullet.DIRECT)
    pybullet.setGravity(0.0, 0.0, 0.0, physicsClientId=client)
    pybullet.setTimeStep(STEP, physicsClientId=client)
    mechanism = bridge.lower(loaders.load(path, lenient=True, quiet=True))
    bodies = bridge.load_world_into_pybullet(
        mechanism, physicsClientId=client, overlaps=overlaps, quiet=True
    )
    if home:
        bodies.set_positions(mechanism.home_positions())
    joints = [
        (int(body), joint)
        for body in bodies
        for joint in range(pybullet.getNumJoints(int(body), physicsClientId=client))
        if pybullet.getJointInfo(int(body), joint, physicsClientId=client)[2] < 2
    ]

    def positions() -> np.ndarray:
        states = [pybullet.getJointState(*joint, physicsClientId=client) for joint in joints]
        return np.array([state[0] for state in states])

    start, largest = positions(), 0.0
    for _ in range(round(DURATIONS["weightless"] / STEP)):
        pybullet.stepSimulation(physicsClientId=client)
        largest = max(largest, float(np.abs(positions() - start).max(initial=0.0)))
    return largest


def at_zero_in_pybullet(path: str, overlaps: Any) -> float:
    """Return the largest motion of a joint in PyBullet from where it is after loading."""
    return _in_pybullet(path, overlaps, home=False)


def from_home_in_pybullet(path: str, overlaps: Any) -> float:
    """Return the largest motion of a joint in PyBullet from the home position."""
    return _in_pybullet(path, overlaps, home=True)


def _scalar_joints(model: Any) -> list[int]:
    """Return the numbers of the joints of one coordinate."""
    import mujoco

    kinds = {int(mujoco.mjtJoint.mjJNT_HINGE), int(mujoco.mjtJoint.mjJNT_SLIDE)}
    return [j for j in range(model.njnt) if int(model.jnt_type[j]) in kinds]


def _reset(model: Any) -> Any:
    """Return the data of a model at its key ``home``; at zero without one."""
    import mujoco

    data = mujoco.MjData(model)
    names = [model.key(k).name for k in range(model.nkey)]
    if "home" in names:
        mujoco.mj_resetDataKeyframe(model, data, names.index("home"))
    return data


def _finite(x: float) -> float:
    return x if np.isfinite(x) else float("inf")


def weightless_in_mujoco(path: str, overlaps: Any) -> float:
    """Return the largest motion of a joint in MuJoCo [rad or m]."""
    import mujoco

    import bridge

    spec = bridge.to_mjspec(path, overlaps=overlaps, lenient=True, quiet=True)
    spec.option.gravity = np.zeros(3)
    model = spec.compile()
    data = _reset(model)
    scalar = [int(model.jnt_qposadr[j]) for j in _scalar_joints(model)]
    start, largest = data.qpos[scalar].copy(), 0.0
    for _ in range(round(DURATIONS["weightless"] / model.opt.timestep)):
        mujoco.mj_step(model, data)
        motion = float(np.abs(data.qpos[scalar] - start).max(initial=0.0))
        largest = max(largest, _finite(motion))
    return largest


def on_ground(path: str) -> Any:
    """Return the scene of a robot with a ground at the height of the world."""
    import loaders

    robot = loaders.load(path, lenient=True, quiet=True)
    ground = loaders.load_string(GROUND, format="sdf")
    return dataclasses.replace(
        robot, links=(*robot.links, *ground.links), models=(*robot.models, *ground.models)
    )


def standing_in_mujoco(path: str, overlaps: Any) -> list[Any]:
    """Return the largest speed of a joint in MuJoCo [rad/s or m/s], its name, and the time [s]."""
    import mujoco

    import bridge

    model = bridge.to_mjspec(
        on_ground(path), overlaps=overlaps, actuators="position", quiet=True
    ).compile()
    data = _reset(model)
    joints = _scalar_joints(model)
    scalar = [int(model.jnt_dofadr[j]) for j in joints]
    worst: list[Any] = [0.0, "", 0.0]
    for _ in range(round(DURATIONS["standing"] / model.opt.timestep)):
        mujoco.mj_step(model, data)
        speeds = np.abs(data.qvel[scalar])
        if scalar and not speeds.max() <= worst[0]:
            worst = [
                _finite(float(speeds.max())),
                model.joint(joints[int(speeds.argmax())]).name,
                float(data.time),
            ]
    return worst


MODES: dict[str, dict[str, Callable[[str, Any], Any]]] = {
    "weightless": {
        "pybullet": from_home_in_pybullet,
        "pybullet at zero": at_zero_in_pybullet,
        "mujoco": weightless_in_mujoco,
    },
    "standing": {"mujoco": standing_in_mujoco},
}
"""What is measured in each mode, by column."""


def _measure(simulate: Callable[[str, Any], Any], path: str, overlaps: str, result: Any) -> None:
    warnings.simplefilter("ignore")
    try:
        result.send(simulate(path, overlaps))
    except Exception as error:  # noqa: BLE001 - the table names it
        result.send(f"{type(error).__name__}: {error}"[:200])


def measured(simulate: Callable[[str, Any], Any], path: str, overlaps: str) -> Any:
    """Return what a function measures in a process of its own, or why there is nothing."""
    receiver, sender = multiprocessing.Pipe(duplex=False)
    process = multiprocessing.Process(target=_measure, args=(simulate, path, overlaps, sender))
    process.start()
    sender.close()
    try:
        found = receiver.recv() if receiver.poll(TIMEOUT) else "too slow"
    except EOFError:
        found = "the process ended"
    process.kill()
    process.join()
    return found


def _show(column: str, done: dict[str, dict[str, Any]], limit: float) -> None:
    """Print the models that move by more than a limit, and those that were not measured."""
    found = {name: entry[column] for name, entry in done.items() if column in entry}
    numbers = {name: np.atleast_1d(value) for name, value in found.items() if value != []}
    motions = {name: float(v[0]) for name, v in numbers.items() if not isinstance(found[name], str)}
    moved = sorted((name for name in motions if motions[name] > limit), key=motions.__getitem__)
    print(f"{column}: {len(moved)} of {len(motions)} above {limit}")
    for name in reversed(moved):
        print(f"  {name}: {found[name]}")
    for name, value in found.items():
        if isinstance(value, str):
            print(f"  not measured: {name}: {value}")


def main() -> None:
    """Measure the models that the file lacks, and print those that move."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("file", type=Path)
    parser.add_argument("--mode", choices=tuple(MODES), default="weightless")
    parser.add_argument("--overlaps", choices=("exclude", "keep"), default="exclude")
    parser.add_argument("--only", default="")
    options = parser.parse_args()
    lines = options.file.read_text().splitlines() if options.file.exists() else []
    done = {entry["model"]: entry for entry in map(json.loads, lines)}
    columns = MODES[options.mode]
    for path in sources():
        name = "/".join(path.parts[-3:])
        if options.only in name and name not in done:
            done[name] = {"model": name} | {
                column: measured(simulate, str(path), options.overlaps)
                for column, simulate in columns.items()
            }
            with options.file.open("a") as out:
                out.write(json.dumps(done[name]) + "\n")
    for column in columns:
        _show(column, done, LIMITS[options.mode])


if __name__ == "__main__":
    main()
