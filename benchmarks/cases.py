"""The measured work: each case is done by sdfbridge and by the peers that are installed, on the same files."""

from __future__ import annotations

import logging
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from importlib.util import find_spec
from pathlib import Path
from typing import Any

os.environ.setdefault("DRAKE_ALLOW_NETWORK", "package_map")

import mujoco
import pybullet
import pybullet_data

import bridge
import loaders
from benchmarks import load_ratio, scale
from bridge.bullet.client.stdout_capture import capture_stdout

Work = Callable[[], object]
DATA = Path(pybullet_data.getDataPath())
KUKA_SDF, KUKA, PANDA = (
    DATA / name for name in ("kuka_iiwa/model.sdf", "kuka_iiwa/model.urdf", "franka_panda/panda.urdf")
)
LINKS = 5_000


@dataclass(frozen=True, kw_only=True)
class Case:
    """One piece of work.

    Attributes:
        group: Title of its table.
        name: Name of the work.
        ours: The work by sdfbridge.
        peers: The same work by others, by name.
        rounds: Largest number of rounds.
        in_processes: Whether the work starts processes, whose time counts.
    """

    group: str
    name: str
    ours: Work
    peers: dict[str, Work] = field(default_factory=dict)
    rounds: int = 15
    in_processes: bool = False


def cases() -> Iterator[Case]:
    """Yield all cases."""
    yield from reading()
    yield from exporting()
    yield from loading()
    yield from starting()
    yield from comparing()


# --- reading ---------------------------------------------------------------------------------------------------------


def readers(path: Path) -> dict[str, Work]:
    """Return the peers that read a file."""
    found: dict[str, Work] = {}
    if find_spec("pydrake"):
        found["Drake"] = lambda: read_with_drake(path)
    if path.suffix == ".urdf" and find_spec("pinocchio"):
        found["pinocchio"] = lambda: imported("pinocchio").buildModelFromUrdf(str(path))
    if path.suffix == ".urdf" and find_spec("yourdfpy"):
        options = {"build_scene_graph": False, "load_meshes": False}
        found["yourdfpy, no meshes"] = lambda: imported("yourdfpy").URDF.load(str(path), **options)
    return found


def imported(name: str) -> Any:
    return __import__(name)


def read_with_drake(path: Path) -> None:
    """Read a file without a scene graph: Drake then skips the geometry, which makes it faster."""
    from pydrake.multibody.parsing import Parser
    from pydrake.multibody.plant import MultibodyPlant

    logging.getLogger("drake").setLevel(logging.ERROR)
    plant = MultibodyPlant(0.0)
    Parser(plant).AddModels(str(path))


def reading() -> Iterator[Case]:
    for path in (KUKA_SDF, KUKA, PANDA):
        name = f"{path.parent.name}/{path.name}"
        yield Case(group="Reading", name=name, ours=lambda path=path: loaders.load(path), peers=readers(path))
    folder = Path(tempfile.mkdtemp(prefix="sdfbridge-bench-"))
    for shape in (scale.tree, scale.chain):
        path = folder / f"{shape.__name__}.urdf"
        path.write_text(scale.urdf(LINKS, shape))
        peers = readers(path)
        peers["MuJoCo"] = lambda path=path: mujoco.MjSpec.from_file(str(path))
        if shape is scale.chain:  # nested too deep for MuJoCo's reader
            del peers["MuJoCo"]
        name = f"{shape.__name__} of {LINKS} links, URDF"
        yield Case(group="Reading", name=name, ours=lambda path=path: loaders.load(path), peers=peers, rounds=5)


# --- exporting -------------------------------------------------------------------------------------------------------


def exporting() -> Iterator[Case]:
    """Compare with MuJoCo's compilation of the result, of which the first fills its own cache of assets."""
    scene = loaders.load(PANDA)
    mjcf = bridge.to_mjcf(scene)
    peers: dict[str, Work] = {"MuJoCo's compilation": lambda: mujoco.MjModel.from_xml_string(str(mjcf), mjcf.assets)}
    for name, ours in (
        ("to_mjcf(panda), meshes cached", lambda: bridge.to_mjcf(scene)),
        ("to_mjspec(panda).compile(), meshes cached", lambda: bridge.to_mjspec(scene).compile()),
    ):
        yield Case(group="Export to MJCF", name=name, ours=ours, peers=peers)


# --- loading into PyBullet -------------------------------------------------------------------------------------------


def in_new_server(load: Callable[[int], object]) -> None:
    client = pybullet.connect(pybullet.DIRECT)
    try:
        with capture_stdout([]):
            load(client)
    finally:
        pybullet.disconnect(client)


def loading() -> Iterator[Case]:
    for name, path in load_ratio.robots():
        yield Case(
            group="Loading into PyBullet from the file, meshes cached",
            name=name,
            ours=lambda path=path: in_new_server(
                lambda client: bridge.load_into_pybullet(path, physicsClientId=client)
            ),
            peers={
                "loadURDF": lambda path=path: in_new_server(
                    lambda client: pybullet.loadURDF(str(path), physicsClientId=client)
                )
            },
            rounds=7,
        )


# --- processes -------------------------------------------------------------------------------------------------------


def run(*words: str, **variables: str) -> None:
    environment = {**os.environ, **variables}
    _ = subprocess.run([sys.executable, *words], capture_output=True, check=True, env=environment)


COLD = """import sys, pybullet, bridge
client = pybullet.connect(pybullet.DIRECT)
bridge.load_into_pybullet(sys.argv[1], physicsClientId=client)"""


NATIVE = "import sys, pybullet; pybullet.loadURDF(sys.argv[1], physicsClientId=pybullet.connect(pybullet.DIRECT))"


def load_cold(path: Path) -> None:
    with tempfile.TemporaryDirectory() as cache:
        run("-c", COLD, str(path), SDFBRIDGE_CACHE=cache)


def starting() -> Iterator[Case]:
    numpy: dict[str, Work] = {"import numpy": lambda: run("-c", "import numpy")}
    for name, words in (
        ("import loaders, bridge", ("-c", "import loaders, bridge")),
        ("sdfbridge --help", ("-m", "bridge", "--help")),
        ("sdfbridge info kuka_iiwa/model.urdf", ("-m", "bridge", "info", str(KUKA))),
    ):
        ours = lambda words=words: run(*words)  # noqa: E731
        yield Case(group="Processes", name=name, ours=ours, peers=numpy, in_processes=True)
    for name, path in load_ratio.robots():
        if "anymal" in name:
            peers: dict[str, Work] = {"loadURDF, without textures": lambda path=path: run("-c", NATIVE, str(path))}
            yield Case(
                group="Processes", name="ANYmal C into PyBullet, empty cache", ours=lambda path=path: load_cold(path),
                peers=peers, rounds=3, in_processes=True,
            )  # fmt: skip


def comparing() -> Iterator[Case]:
    def compare() -> None:
        with suppress(loaders.ModelError):
            bridge.compare(PANDA, engines=("mujoco", "pybullet"))

    yield Case(group="Comparison", name="compare(panda), L0 to L2", ours=compare, rounds=3)
