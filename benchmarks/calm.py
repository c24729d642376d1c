"""Measure how far robots move by themselves in the first half second, without gravity or commands.

    python benchmarks/calm.py FILE.jsonl [--overlaps exclude|keep] [--only TEXT]

Each URDF of pybullet_data (without its random objects) and of example-robot-data is loaded into
PyBullet, with its motors off, and exported to MuJoCo. Motion that nothing commands comes from links
that push each other apart, and from springs of the file. A process of its own holds each model, with
a limit on its time. The file has one line for each model; a second run continues it.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import sys
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

DURATION = 0.5
"""Simulated time [s]."""
STEP = 1.0 / 240.0
"""PyBullet's default time step [s]."""
LIMIT = 1e-3
"""Motion of a joint that counts [rad or m]."""
TIMEOUT = 120.0
"""Longest time for one model [s]."""


def sources() -> Iterator[Path]:
    """Yield the files."""
    import pybullet_data

    data = Path(pybullet_data.getDataPath())
    yield from sorted(p for p in data.rglob("*.urdf") if "random_urdfs" not in p.parts)
    folders = (Path(place) / "cmeel.prefix/share/example-robot-data/robots" for place in sys.path)
    for folder in folders:
        yield from sorted(folder.rglob("*.urdf"))


def in_pybullet(path: str, overlaps: Any) -> float:
    """Return the largest motion of a joint in PyBullet [rad or m]."""
    import pybullet

    import bridge

    client = pybullet.connect(pybullet.DIRECT)
    pybullet.setGravity(0.0, 0.0, 0.0, physicsClientId=client)
    pybullet.setTimeStep(STEP, physicsClientId=client)
    bodies = bridge.load_world_into_pybullet(
        path, physicsClientId=client, overlaps=overlaps, lenient=True, quiet=True
    )
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
    for _ in range(round(DURATION / STEP)):
        pybullet.stepSimulation(physicsClientId=client)
        largest = max(largest, float(np.abs(positions() - start).max(initial=0.0)))
    return largest


def in_mujoco(path: str, overlaps: Any) -> float:
    """Return the largest motion of a joint in MuJoCo [rad or m]."""
    import mujoco

    import bridge

    spec = bridge.to_mjspec(path, overlaps=overlaps, lenient=True, quiet=True)
    spec.option.gravity = np.zeros(3)
    model = spec.compile()
    data = mujoco.MjData(model)
    scalar = [
        int(model.jnt_qposadr[j])
        for j in range(model.njnt)
        if model.jnt_type[j] in (mujoco.mjtJoint.mjJNT_HINGE, mujoco.mjtJoint.mjJNT_SLIDE)
    ]
    start, largest = data.qpos[scalar].copy(), 0.0
    for _ in range(round(DURATION / model.opt.timestep)):
        mujoco.mj_step(model, data)
        motion = float(np.abs(data.qpos[scalar] - start).max(initial=0.0))
        largest = max(largest, motion if np.isfinite(motion) else np.inf)
    return largest


def _measure(path: str, overlaps: str, result: Any) -> None:
    warnings.simplefilter("ignore")
    found: dict[str, Any] = {}
    for name, simulate in (("pybullet", in_pybullet), ("mujoco", in_mujoco)):
        try:
            found[name] = simulate(path, overlaps)
        except Exception as error:  # noqa: BLE001 - the table names it
            found[name] = f"{type(error).__name__}: {error}"[:200]
    result.send(found)


def measured(path: str, overlaps: str) -> dict[str, Any]:
    """Return the largest motion in each simulator, or why there is none."""
    receiver, sender = multiprocessing.Pipe(duplex=False)
    process = multiprocessing.Process(target=_measure, args=(path, overlaps, sender))
    process.start()
    sender.close()
    try:
        found: dict[str, Any] = receiver.recv() if receiver.poll(TIMEOUT) else {"error": "too slow"}
    except EOFError:
        found = {"error": "the process ended"}
    process.kill()
    process.join()
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("file", type=Path)
    parser.add_argument("--overlaps", choices=("exclude", "keep"), default="exclude")
    parser.add_argument("--only", default="")
    options = parser.parse_args()
    lines = options.file.read_text().splitlines() if options.file.exists() else []
    done = {entry["model"]: entry for entry in map(json.loads, lines)}
    for path in sources():
        name = "/".join(path.parts[-3:])
        if options.only in name and name not in done:
            done[name] = {"model": name} | measured(str(path), options.overlaps)
            with options.file.open("a") as out:
                out.write(json.dumps(done[name]) + "\n")
    for engine in ("pybullet", "mujoco"):
        motions = {
            name: entry[engine]
            for name, entry in done.items()
            if isinstance(entry.get(engine), float)
        }
        moved = sorted((name for name in motions if motions[name] > LIMIT), key=motions.__getitem__)
        print(f"{engine}: {len(moved)} of {len(motions)} move by more than {LIMIT} rad or m")
        for name in reversed(moved):
            print(f"  {name}: {motions[name]:.3g}")
    for name, entry in done.items():
        reasons = [str(value) for value in entry.values() if isinstance(value, str)][1:]
        if reasons:
            print(f"  not measured: {name}: {'; '.join(reasons)}", file=sys.stderr)


if __name__ == "__main__":
    main()
