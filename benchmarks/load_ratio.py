"""Compare the load time of robots with that of PyBullet's ``loadURDF``, with cached meshes.

    python benchmarks/load_ratio.py [ROUNDS]
    python benchmarks/load_ratio.py --copies [ROUNDS]

Both methods alternate, each load in a new physics server. Times are the minimum of all rounds, in
milliseconds of processor time of this thread. ``scene`` starts from a scene that was read before,
of which ``native`` is inside PyBullet's ``loadURDF``; ``file`` includes reading the file; ``again``
loads a file that was loaded before; ``cold`` starts from a scene with an empty cache.

With ``--copies``, a further copy of each URDF file of pybullet_data in a server that has copies of
both loaders; it is removed again. Small files are loaded more often than ROUNDS.
"""

from __future__ import annotations

import os
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pybullet
import pybullet_data

import bridge
import loaders
from bridge.stdout_capture import capture_stdout
from bridge.targets.pybullet.load import forget_sources

OF_PYBULLET = (
    "kuka_iiwa/model.urdf",
    "franka_panda/panda.urdf",
    "xarm/xarm6_with_gripper.urdf",
    "a1/a1.urdf",
    "aliengo/aliengo.urdf",
    "laikago/laikago_toes.urdf",
    "mini_cheetah/mini_cheetah.urdf",
    "quadruped/minitaur.urdf",
    "quadruped/vision60.urdf",
    "quadruped/spirit40.urdf",
    "humanoid/humanoid.urdf",
    "racecar/racecar.urdf",
    "r2d2.urdf",
    "cartpole.urdf",
    "cube_small.urdf",
    "sphere2.urdf",
)
OF_EXAMPLE_ROBOT_DATA = (
    "ur_description/urdf/ur5_robot.urdf",
    "panda_description/urdf/panda.urdf",
    "kinova_description/robots/kinova.urdf",
    "xarm_description/urdf/xarm7.urdf",
    "anymal_c_simple_description/urdf/anymal.urdf",
    "solo_description/robots/solo12.urdf",
    "go2_description/urdf/go2.urdf",
    "hyq_description/robots/hyq_no_sensors.urdf",
    "bolt_description/robots/bolt.urdf",
    "talos_data/robots/talos_reduced.urdf",
    "icub_description/robots/icub.urdf",
    "romeo_description/urdf/romeo.urdf",
    "tiago_description/robots/tiago.urdf",
    "pr2_description/urdf/pr2.urdf",
    "allegro_hand_description/urdf/allegro_right_hand.urdf",
    "double_pendulum_description/urdf/double_pendulum.urdf",
    "finger_edu_description/robots/finger_edu.urdf",
    "human_description/robots/human.urdf",
)

Load = Callable[[int], object]


def robots() -> Iterator[tuple[str, Path]]:
    """Yield the name and file of each robot."""
    for name in OF_PYBULLET:
        yield name, Path(pybullet_data.getDataPath()) / name
    folders = (Path(place) / "cmeel.prefix/share/example-robot-data/robots" for place in sys.path)
    folder = next(filter(Path.is_dir, folders), None)
    for name in () if folder is None else OF_EXAMPLE_ROBOT_DATA:
        yield name, folder / name


def milliseconds(load: Load) -> float:
    """Return the processor time of one load into a new physics server [ms]."""
    client = pybullet.connect(pybullet.DIRECT)
    start = time.thread_time()
    load(client)
    taken = time.thread_time() - start
    pybullet.disconnect(client)
    return 1e3 * taken


@contextmanager
def inside(spent: list[float]) -> Iterator[None]:
    """Append the time of each call of ``loadURDF`` to a list [ms]."""
    original = pybullet.loadURDF

    def timed(*arguments: object, **options: object) -> int:
        start = time.thread_time()
        body: int = original(*arguments, **options)
        spent.append(1e3 * (time.thread_time() - start))
        return body

    pybullet.loadURDF = timed
    try:
        yield
    finally:
        pybullet.loadURDF = original


def load_with_pybullet(path: Path, client: int) -> None:
    with capture_stdout([]):
        pybullet.loadURDF(str(path), physicsClientId=client)


def measure(path: Path, rounds: int) -> tuple[float, ...]:
    """Return the times of ``loadURDF``, from a scene, inside PyBullet, from the file, of a file
    again, and with an empty cache [ms].
    """
    scene = loaders.load(path)

    def from_scene(client: int) -> object:
        return bridge.load_into_pybullet(scene, physicsClientId=client)

    def from_file(client: int) -> object:
        return bridge.load_into_pybullet(path, physicsClientId=client)

    cold = milliseconds(from_scene)
    own, ours, file, again, native = [], [], [], [], list[float]()
    for _ in range(rounds):
        own.append(milliseconds(lambda client: load_with_pybullet(path, client)))
        forget_sources()
        file.append(milliseconds(from_file))
        again.append(milliseconds(from_file))
        with inside(native):
            ours.append(milliseconds(from_scene))
    return min(own), min(ours), min(native), min(file), min(again), cold


def copy_times(path: Path, rounds: int) -> tuple[float, float]:
    """Return the time of one more copy by ``load_into_pybullet`` and by ``loadURDF`` [ms]."""
    client = pybullet.connect(pybullet.DIRECT)

    best, start = [float("inf")] * 2, time.thread_time()
    bridge.load_into_pybullet(path, physicsClientId=client, quiet=True, lenient=True)
    load_with_pybullet(path, client)
    few = max(rounds, min(30 * rounds, int(0.1 * rounds / (time.thread_time() - start))))
    for _ in range(few):
        with capture_stdout([]):
            start = time.thread_time()
            body = pybullet.loadURDF(str(path), physicsClientId=client)
            best[1] = min(best[1], time.thread_time() - start)
        pybullet.removeBody(body, client)
        start = time.thread_time()
        body = bridge.load_into_pybullet(path, physicsClientId=client, quiet=True, lenient=True)
        best[0] = min(best[0], time.thread_time() - start)
        body.remove()
    pybullet.disconnect(client)
    return 1e3 * best[0], 1e3 * best[1]


def compare_copies(rounds: int) -> None:
    """Print the ratio of each file of pybullet_data, and their median."""
    folder, ratios = Path(pybullet_data.getDataPath()), []
    for path in sorted(p for p in folder.rglob("*.urdf") if "random_urdfs" not in p.parts):
        name = path.relative_to(folder).as_posix()
        try:
            own, native = copy_times(path, rounds)
        except (loaders.LoadError, loaders.ExportError, pybullet.error) as error:
            print(f"{name:54} {type(error).__name__}", flush=True)
            continue
        ratios.append(own / native)
        print(f"{name:54} {own:8.3f} {native:8.3f} {ratios[-1]:6.2f}", flush=True)
    print(f"median of {len(ratios)}: {statistics.median(ratios):.2f}")


def main(rounds: int) -> None:
    ratios, of_files, of_again = [], [], []
    print(
        f"{'robot':54} {'loadURDF':>9} {'scene':>8} {'native':>8} {'ratio':>6} {'file':>8} "
        f"{'ratio':>6} {'again':>8} {'ratio':>6} {'cold':>8}"
    )
    for name, path in robots():
        own, ours, native, file, again, cold = measure(path, rounds)
        ratios.append(ours / own)
        of_files.append(file / own)
        of_again.append(again / own)
        times = (
            f"{own:9.2f} {ours:8.2f} {native:8.2f} {ratios[-1]:6.2f} {file:8.2f} "
            f"{of_files[-1]:6.2f} {again:8.2f} {of_again[-1]:6.2f} {cold:8.0f}"
        )
        print(f"{name:54} {times}", flush=True)
    few = len(OF_PYBULLET)
    parts = (ratios[:few], ratios, of_files, of_again)
    medians = [statistics.median(part) for part in parts]
    print(
        (
            "median of the ratios: {:.2f} of PyBullet's robots, {:.2f} of all, {:.2f} from files, "
            "{:.2f} again"
        ).format(*medians)
    )


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        os.environ["SDFBRIDGE_CACHE"] = folder
        words = [word for word in sys.argv[1:] if word != "--copies"]
        run = main if words == sys.argv[1:] else compare_copies
        run(int(words[0]) if words else 9)
