"""The measured work: each case is done by sdfbridge and by the peers that are installed, on the
same files.
"""

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
from io import BytesIO
from pathlib import Path
from typing import Any

os.environ.setdefault("DRAKE_ALLOW_NETWORK", "package_map")

import mujoco
import pybullet
import pybullet_data
from lxml import etree

import bridge
import loaders
from benchmarks import load_ratio, scale
from bridge.stdout_capture import capture_stdout
from bridge.targets.pybullet.load import forget_sources
from loaders.diagnostics import Diagnostics
from loaders.limits import Budget, collector_paused
from loaders.xml import parse

Work = Callable[[], object]
DATA = Path(pybullet_data.getDataPath())
KUKA_SDF, KUKA, PANDA = (
    DATA / name
    for name in ("kuka_iiwa/model.sdf", "kuka_iiwa/model.urdf", "franka_panda/panda.urdf")
)
LINKS = 5_000
MORE_LINKS = 50_000
XML_ELEMENTS = 120_000


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
        links: Number of links, for the time per link; 0 where it does not matter.
    """

    group: str
    name: str
    ours: Work
    peers: dict[str, Work] = field(default_factory=dict)
    rounds: int = 15
    in_processes: bool = False
    links: int = 0


def cases() -> Iterator[Case]:
    """Yield all cases."""
    yield from reading()
    yield from exporting()
    yield from loading()
    yield from starting()
    yield from comparing()


# --- reading --------------------------------------------------------------------------------------


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
        yield Case(
            group="Reading",
            name=name,
            ours=lambda path=path: loaders.load(path),
            peers=readers(path),
        )
    yield parsing()
    for links in (2, 20):
        yield reading_mjcf(links)
    folder = Path(tempfile.mkdtemp(prefix="sdfbridge-bench-"))
    for count in (LINKS, MORE_LINKS):
        for shape in (scale.tree, scale.chain):
            yield many_links(folder / f"{shape.__name__}_{count}.urdf", scale.urdf, shape, count)
            yield many_links(folder / f"{shape.__name__}_{count}.sdf", scale.sdf, shape, count)


def reading_mjcf(links: int) -> Case:
    """Compare the reading of an MJCF file with MuJoCo's parsing and compilation of it.

    Args:
        links: Number of links, each with a hinge and a capsule.
    """
    link = (
        '<body pos="0 0 0.2"><joint axis="0 1 0"/><geom type="capsule" fromto="0 0 0 0 0 0.2" '
        'size="0.02"/>'
    )
    path = Path(tempfile.mkdtemp(prefix="sdfbridge-bench-")) / f"chain_{links}.xml"
    path.write_text(f"<mujoco><worldbody>{link * links}{'</body>' * links}</worldbody></mujoco>")
    peers: dict[str, Work] = {
        "MuJoCo's compilation": lambda: mujoco.MjModel.from_xml_path(str(path))
    }
    name = f"chain of {links} links, MJCF"
    return Case(
        group="Reading", name=name, ours=lambda: loaders.load(path), peers=peers, links=links
    )


def parsing() -> Case:
    """Compare the parser of XML with lxml, whose elements are made when they are asked for."""
    text = scale.urdf(XML_ELEMENTS // scale.ELEMENTS_OF_A_LINK, scale.tree).encode()

    def ours() -> None:
        with collector_paused():  # as in every load
            root = parse(text, "robot.urdf", Diagnostics(budget=Budget()))
            assert root is not None
            del root  # before the collector runs again, which would visit every node

    peers: dict[str, Work] = {"lxml.etree.parse": lambda: etree.parse(BytesIO(text))}
    return Case(
        group="Reading",
        name=f"XML of {XML_ELEMENTS} elements to nodes",
        ours=ours,
        peers=peers,
        rounds=15,
    )


def many_links(
    path: Path, write: Callable[..., str], shape: Callable[[int], int], count: int
) -> Case:
    """Compare the reading of a large robot; the largest, and those in SDFormat, are read by few
    peers in little time.

    Args:
        path: The file to write.
        write: Function that returns the model in the format of the file.
        shape: Function that returns the parent of a link.
        count: Number of links.
    """
    path.write_text(write(count, shape))
    limits = loaders.Limits(elements=40 * count)
    peers = readers(path) if path.suffix == ".urdf" else {}
    if path.suffix == ".urdf":
        peers["MuJoCo"] = lambda: mujoco.MjSpec.from_file(str(path))
    if (
        count > LINKS or shape is scale.chain
    ):  # on a chain of 5,000 links pinocchio 4.1 ends with a segmentation fault
        peers = {name: peer for name, peer in peers.items() if name == "Drake"}
    form = "URDF" if path.suffix == ".urdf" else "SDFormat"
    return Case(
        group="Reading",
        name=f"{shape.__name__} of {count} links, {form}",
        ours=lambda: loaders.load(path, limits=limits),
        peers=peers,
        rounds=5 if count == LINKS else 2,
        links=count,
    )


# --- exporting ------------------------------------------------------------------------------------


def exporting() -> Iterator[Case]:
    """Compare with MuJoCo's compilation of the result, of which the first fills its own cache of
    assets.
    """
    scene = loaders.load(PANDA)
    mjcf = bridge.to_mjcf(scene)
    peers: dict[str, Work] = {
        "MuJoCo's compilation": lambda: mujoco.MjModel.from_xml_string(str(mjcf), mjcf.assets)
    }
    for name, ours in (
        ("to_mjcf(panda), meshes cached", lambda: bridge.to_mjcf(scene)),
        ("to_mjspec(panda).compile(), meshes cached", lambda: bridge.to_mjspec(scene).compile()),
    ):
        yield Case(group="Export to MJCF", name=name, ours=ours, peers=peers)


# --- loading into PyBullet ------------------------------------------------------------------------


def in_new_server(load: Callable[[int], object]) -> None:
    client = pybullet.connect(pybullet.DIRECT)
    try:
        with capture_stdout([]):
            load(client)
    finally:
        pybullet.disconnect(client)


def load_anew(path: Path, client: int) -> None:
    """Load a robot as if it were the first time."""
    forget_sources()
    bridge.load_into_pybullet(path, physicsClientId=client)


def loading() -> Iterator[Case]:
    for name, path in load_ratio.robots():
        yield Case(
            group="Loading into PyBullet from the file, meshes cached",
            name=name,
            ours=lambda path=path: in_new_server(lambda client: load_anew(path, client)),
            peers={
                "loadURDF": lambda path=path: in_new_server(
                    lambda client: pybullet.loadURDF(str(path), physicsClientId=client)
                )
            },
            rounds=15,
        )


# --- processes ------------------------------------------------------------------------------------


def run(*words: str, may_fail: bool = False, **variables: str) -> None:
    environment = {**os.environ, **variables}
    _ = subprocess.run(
        [sys.executable, *words], capture_output=True, check=not may_fail, env=environment
    )


COLD = """import sys, pybullet, bridge
client = pybullet.connect(pybullet.DIRECT)
bridge.load_into_pybullet(sys.argv[1], physicsClientId=client)"""


NATIVE = (
    "import sys, pybullet; pybullet.loadURDF(sys.argv[1], "
    "physicsClientId=pybullet.connect(pybullet.DIRECT))"
)


def load_cold(path: Path) -> None:
    with tempfile.TemporaryDirectory() as cache:
        run("-c", COLD, str(path), SDFBRIDGE_CACHE=cache)


HOUSE = """import sys, bridge
folder, out = sys.argv[1:]
bridge.export_mjcf(f"{folder}/worlds/small_house.world", out, paths=[f"{folder}/models"], quiet=True, lenient=True)"""


def export_house(folder: str) -> None:
    with tempfile.TemporaryDirectory() as place:
        run("-c", HOUSE, folder, f"{place}/out", SDFBRIDGE_CACHE=f"{place}/cache")


def starting() -> Iterator[Case]:
    numpy: dict[str, Work] = {"import numpy": lambda: run("-c", "import numpy")}
    for name, words in (
        ("import loaders, bridge", ("-c", "import loaders, bridge")),
        ("sdfbridge --help", ("-m", "sdfbridge", "--help")),
        ("sdfbridge info kuka_iiwa/model.urdf", ("-m", "sdfbridge", "info", str(KUKA))),
    ):
        ours = lambda words=words: run(*words)  # noqa: E731
        yield Case(group="Processes", name=name, ours=ours, peers=numpy, in_processes=True)
    for name, path in load_ratio.robots():
        if "anymal" in name:
            peers: dict[str, Work] = {
                "loadURDF, without textures": lambda path=path: run("-c", NATIVE, str(path))
            }
            yield Case(
                group="Processes",
                name="ANYmal C into PyBullet, empty cache",
                ours=lambda path=path: load_cold(path),
                peers=peers,
                rounds=3,
                in_processes=True,
            )
    house = os.environ.get(
        "SMALL_HOUSE"
    )  # a copy of github.com/aws-robotics/aws-robomaker-small-house-world
    if house:
        name = "small_house.world to MJCF, empty cache"
        yield Case(
            group="Processes",
            name=name,
            ours=lambda: export_house(house),
            rounds=2,
            in_processes=True,
        )


def comparing() -> Iterator[Case]:
    def compare() -> None:
        with suppress(loaders.ModelError):
            bridge.compare(PANDA, engines=("mujoco", "pybullet"))

    yield Case(group="Comparison", name="compare(panda), L0 to L2", ours=compare, rounds=3)
    with tempfile.TemporaryDirectory() as folder:
        words = (
            "compare",
            str(PANDA),
            "--engines",
            "mujoco,pybullet",
            "--report",
            f"{folder}/report",
            "--force",
        )
        ours = lambda: run("-m", "sdfbridge", *words, may_fail=True)  # noqa: E731
        yield Case(
            group="Comparison", name="sdfbridge compare panda with a report", ours=ours, rounds=3
        )
