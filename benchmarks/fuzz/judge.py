"""What is done with a case, in a separate process, and the judgement of what came of it."""

from __future__ import annotations

import os
import resource
import shutil
import tempfile
import traceback
import warnings
from functools import cache
from pathlib import Path
from typing import Any

from benchmarks.fuzz.cases import KINDS, write_case
from benchmarks.fuzz.commands import run_commands
from benchmarks.fuzz.outputs import run_output_case

OUTPUT = "output"
"""The kind of cases that interrupt a writer."""
_BYTES = 6 << 30
"""Address space at which a process is stopped, so that the machine survives it."""
_DETAIL = 4000
_REOPENED = 8
"""Every so many cases the written files are compiled again from the disk."""


def sandbox(place: Path) -> None:
    """Confine this process: limits, no terminal, and a temporary folder and a cache below
    ``place``.
    """
    resource.setrlimit(resource.RLIMIT_AS, (_BYTES, _BYTES))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    null = os.open(os.devnull, os.O_RDWR)
    for descriptor in (0, 1, 2):
        os.dup2(null, descriptor)
    os.close(null)
    os.chdir(place)
    for name in ("tmp", "cache"):
        (place / name).mkdir()
    tempfile.tempdir = str(place / "tmp")
    os.environ["SDFBRIDGE_CACHE"] = str(place / "cache")
    warnings.simplefilter("ignore")


def judge(kind: str, number: int, place: Path) -> tuple[str, str]:
    """Run a case and return its outcome with a detail, as in `benchmarks.fuzz.process.Result`.

    Args:
        kind: A kind of `KINDS`, ``corpus`` or ``output``.
        number: The seed of the case.
        place: The folder of this process.
    """
    if kind == OUTPUT:
        return run_output_case(number, place)
    folder, out = place / "case", place / "out"
    main = write_case(kind, number, folder)
    (place / "outside.txt").write_text("not to be touched", encoding="utf-8")
    before = _state(place)
    outcome, detail = _outcome(kind, main, out, reopen=number % _REOPENED == 0)
    shutil.rmtree(out, ignore_errors=True)
    changed = (
        sorted({entry[0] for entry in _state(place) ^ before})
        if outcome in {"loaded", "refused"}
        else []
    )
    if changed:
        outcome, detail = "outside", f"changed or left: {', '.join(changed)}"[:_DETAIL]
    shutil.rmtree(folder)
    return outcome, detail


def _state(place: Path) -> set[tuple[str, int, int, int]]:
    """Every entry below a folder but the cache, with its inode, size and time of modification."""
    found, pending = set(), [str(place)]
    while pending:
        for entry in os.scandir(pending.pop()):
            status = entry.stat(follow_symlinks=False)
            if entry.is_dir(follow_symlinks=False):
                pending += [entry.path] if entry.name != "cache" else []
                found.add((entry.path, status.st_ino, 0, 0))
            else:
                found.add((entry.path, status.st_ino, status.st_size, status.st_mtime_ns))
    return found


def _outcome(kind: str, main: Path, out: Path, *, reopen: bool) -> tuple[str, str]:
    import loaders

    try:
        use(kind, main, out, reopen=reopen)
    except loaders.ModelError as error:
        return "refused", str(error)[:200]
    except MemoryError:
        return "memory", traceback.format_exc(limit=-3)[-_DETAIL:]
    except BaseException:  # noqa: BLE001  # every other exception is what fuzzing looks for
        return "exception", traceback.format_exc(limit=-4)[-_DETAIL:]
    return "loaded", ""


def use(kind: str, main: Path, out: Path, *, reopen: bool) -> None:
    """Load a file, describe the scene, and hand it to the targets of its kind.

    Args:
        kind: A kind of `KINDS`.
        main: The file.
        out: The folder for what is written.
        reopen: Whether the written files are compiled again from the disk.

    Raises:
        ModelError: if the file or a target refuses; the other targets have been tried.
        TerminalError: if a command prints a control character, or ends with an undocumented status.
    """
    import loaders

    targets = (
        KINDS[kind].targets if kind in KINDS else ("mjcf", "sdf", "urdf", "pybullet", "commands")
    )
    if "commands" in targets:
        run_commands(main)
    srdf = main.with_name("robot.srdf") if kind == "srdf" else None
    scene = loaders.load(
        main,
        srdf=srdf,
        package_map={"p": main.parent},
        paths=[main.parent],
        allow_xacro=kind == "xacro",
    )
    scene.to_dict()
    refusals: list[loaders.ModelError] = []
    for target in (target for target in targets if target in _TARGETS):
        try:
            _TARGETS[target](scene, out, reopen)
        except loaders.ModelError as error:
            refusals.append(error)
    if refusals:
        raise refusals[0]


def _mjcf(scene: Any, out: Path, reopen: bool) -> None:
    import bridge

    result = bridge.export_mjcf(scene, out / "mjcf")
    if reopen:  # the export has compiled the same bytes in memory
        import mujoco

        from loaders.mjcf.compiler import engine_warnings

        with engine_warnings(mujoco, []):
            mujoco.MjModel.from_xml_path(str(result.path.parent / "scene.xml"))


def _sdf(scene: Any, out: Path, _reopen: bool) -> None:
    import bridge

    bridge.export_sdf(scene, out / "sdf")


def _urdf(scene: Any, out: Path, _reopen: bool) -> None:
    import bridge

    bridge.export_urdf(scene, out / "urdf")


def _pybullet(scene: Any, _out: Path, _reopen: bool) -> None:
    import pybullet

    import bridge

    client = _physics_server()
    pybullet.resetSimulation(physicsClientId=client)
    bridge.load_into_pybullet(scene, physicsClientId=client)
    pybullet.stepSimulation(physicsClientId=client)


_TARGETS = {"mjcf": _mjcf, "sdf": _sdf, "urdf": _urdf, "pybullet": _pybullet}


@cache
def _physics_server() -> int:
    import pybullet

    return int(pybullet.connect(pybullet.DIRECT))
