"""Cases of fuzzing: a kind and a number determine the files of a case, and what is done with
them.
"""

from __future__ import annotations

import random
import shutil
from dataclasses import dataclass
from pathlib import Path

from benchmarks.fuzz import seeds
from benchmarks.fuzz.mutations import mutate_bytes, mutate_xml, mutate_yaml
from benchmarks.fuzz.valid_models import valid_model


@dataclass(frozen=True, slots=True)
class Kind:
    """One kind of case.

    Attributes:
        main: The file that is loaded.
        mutated: The files of which one is mutated.
        targets: What the scene is handed to: ``mjcf`` exports and compiles it, ``sdf`` and ``urdf``
            export it and read it back, ``pybullet`` loads it, ``commands`` prints it by commands of
            the command line.
    """

    main: str
    mutated: tuple[str, ...]
    targets: tuple[str, ...] = ("mjcf", "sdf", "urdf")


_MESHES = ("obj", "stl", "dae", "glb", "ply", "off")
_TREES = (".sdf", ".urdf", ".srdf", ".config", ".xml", ".xacro")
_FORMATS = ("PNG", "PNG-P", "JPEG", "BMP", "GIF", "TGA", "PPM")
_VISUAL = (
    '<sdf version="1.9"><model name="m"><link name="l"><inertial '
    'auto="true"/>{}</link></model></sdf>'
)
_SHAPE = '<{0} name="{0}"><geometry><mesh><uri>mesh.{1}</uri></mesh></geometry></{0}>'

KINDS = {
    "sdf": Kind("world.sdf", ("world.sdf",)),
    "valid": Kind("valid.sdf", (), ("mjcf", "sdf", "urdf", "pybullet")),
    "xacro": Kind("robot.urdf.xacro", ("robot.urdf.xacro", "robot_part.xacro", "robot.yaml")),
    "commands": Kind(
        "world.sdf", ("world.sdf", "robot.urdf", "scene.dmd.yaml", "mujoco.xml"), ("commands",)
    ),
    "urdf": Kind("robot.urdf", ("robot.urdf",)),
    "directives": Kind("scene.dmd.yaml", ("scene.dmd.yaml", "other.dmd.yaml")),
    "srdf": Kind("robot.urdf", ("robot.srdf",)),
    "config": Kind(
        "world.sdf", ("other/model.config", "other/model.sdf", "package.xml"), ("mjcf", "sdf")
    ),
    "script": Kind("world.sdf", ("script.material",), ("mjcf", "sdf")),
    "mjcf": Kind(
        "mujoco.xml", ("mujoco.xml", "mujoco_part.xml"), ("mjcf", "sdf", "urdf", "pybullet")
    ),
    "archive": Kind("robot.mjz", ("robot.mjz",), ("mjcf", "pybullet")),
    "terrain": Kind("world.sdf", ("height.png",), ("mjcf", "pybullet")),
    **{f"mesh-{s}": Kind(f"{s}.sdf", (f"mesh.{s}",), ("mjcf", "pybullet")) for s in _MESHES},
    "material": Kind("obj.sdf", ("mesh.mtl",), ("mjcf", "pybullet")),
    **{f"picture-{f}": Kind("obj.sdf", ("texture.png",), ("mjcf", "pybullet")) for f in _FORMATS},
}
"""Every kind of case by its name."""


CORPUS = Path(__file__).parents[2] / "tests" / "fuzz_corpus"
"""Folder of the inputs that once failed."""


def corpus() -> list[Path]:
    """Return the folders of the inputs that once failed; the number of a case is an index into
    them.
    """
    return sorted(path for path in CORPUS.iterdir() if path.is_dir())


def case_files(kind: str, number: int) -> dict[str, bytes]:
    """Return the files of a case by their paths; equal arguments give equal files.

    Args:
        kind: A key of `KINDS`.
        number: The seed of the mutation.
    """
    rng = random.Random(f"{kind}/{number}")
    files = dict(seeds.files())
    for suffix in _MESHES:
        shapes = "".join(_SHAPE.format(tag, suffix) for tag in ("visual", "collision"))
        files[f"{suffix}.sdf"] = _VISUAL.format(shapes).encode()
    if kind.startswith("picture-"):
        files["texture.png"] = seeds.picture(kind.removeprefix("picture-"))
    if kind == "valid":
        files["valid.sdf"] = valid_model(rng)
        return files
    path = rng.choice(KINDS[kind].mutated)
    files[path] = _mutated(path, files[path], rng)
    return files


def _mutated(path: str, data: bytes, rng: random.Random) -> bytes:
    is_tree = path.endswith(_TREES) or (path.endswith(".dae") and rng.random() < 0.6)
    if is_tree:
        return mutate_xml(data.decode(), rng)
    if path.endswith(".yaml"):
        return mutate_yaml(data.decode(), rng)
    return mutate_bytes(data, rng)


def write_case(kind: str, number: int, folder: Path) -> Path:
    """Write the files of a case into a folder and return the file to load.

    Args:
        kind: A key of `KINDS`, or ``corpus``.
        number: The seed of the mutation.
        folder: Where to write.
    """
    if kind == "corpus":
        shutil.copytree(corpus()[number], folder)
        return min(folder.glob("robot.*"))
    for path, data in case_files(kind, number).items():
        target = folder / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(data)
    return folder / KINDS[kind].main
