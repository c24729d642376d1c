"""One case in a process of its own: a fork of a process that has imported everything, under limits."""

from __future__ import annotations

import hashlib
import json
import os
import resource
import shutil
import signal
import tempfile
import time
import traceback
import warnings
from dataclasses import asdict, dataclass
from pathlib import Path

from .cases import KINDS, write_case

SECONDS = 10.0
"""A case that takes longer hangs."""
BYTES = 1 << 30
"""Memory that a case may take beside what the imports take."""
_HARD_BYTES = 6 << 30
"""Address space at which a case is stopped, so that the machine survives it."""


@dataclass(frozen=True, slots=True)
class Result:
    """What came of one case.

    Attributes:
        kind: The kind of the case.
        number: Its seed.
        outcome: ``loaded``, ``refused`` (an error of ours), or a failure: ``exception``, ``crash``, ``hang``,
            ``memory``, ``outside`` (a file outside the case's folder was touched).
        detail: The exception or the signal.
        seconds: Time that it took.
        megabytes: Memory that it took beside the imports.
    """

    kind: str
    number: int
    outcome: str
    detail: str
    seconds: float
    megabytes: float

    @property
    def failed(self) -> bool:
        """Whether the outcome is a failure."""
        return self.outcome not in {"loaded", "refused"}

    def to_json(self) -> str:
        """Return the result as one line of JSON."""
        return json.dumps(asdict(self))


def import_everything() -> None:
    """Import what the cases use, so that each fork starts ready."""
    import collada  # noqa: F401
    import mujoco  # noqa: F401
    import pybullet  # noqa: F401
    import trimesh  # noqa: F401
    import yaml  # noqa: F401
    from PIL import Image

    import bridge
    import bridge.bullet
    import bridge.mjcf  # noqa: F401
    import loaders  # noqa: F401

    Image.init()


def run_case(kind: str, number: int, *, seconds: float = SECONDS) -> Result:
    """Run one case in a fork of this process.

    Args:
        kind: A key of `benchmarks.fuzz.cases.KINDS`.
        number: The seed of the mutation.
        seconds: Time limit.
    """
    place = Path(tempfile.mkdtemp(prefix="sdfbridge-fuzz-"))
    folder = place / "case"
    folder.mkdir()
    (place / "outside.txt").write_text("not to be touched")
    main = write_case(kind, number, folder)
    before = _digest(place)
    own = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    start = time.monotonic()
    child = os.fork()
    if child == 0:
        _child(kind, main, place)
    status, usage = _wait(child, start + seconds)
    elapsed = time.monotonic() - start
    megabytes = max(0, usage.ru_maxrss - own) / 1024
    outcome, detail = _outcome(status, place / "result.json", megabytes)
    if outcome in {"loaded", "refused"} and _digest(place) != before:
        outcome, detail = "outside", "a file of the case or beside it was changed"
    shutil.rmtree(place, ignore_errors=True)
    return Result(kind, number, outcome, detail, round(elapsed, 3), round(megabytes, 1))


def _wait(child: int, deadline: float) -> tuple[int | None, resource.struct_rusage]:
    """Wait for a child; its status is None if it had to be killed."""
    pause = 0.001
    while time.monotonic() < deadline:
        pid, status, usage = os.wait4(child, os.WNOHANG)
        if pid:
            return status, usage
        time.sleep(pause)
        pause = min(0.02, 1.5 * pause)
    os.kill(child, signal.SIGKILL)
    _, _, usage = os.wait4(child, 0)
    return None, usage


def _outcome(status: int | None, report: Path, megabytes: float) -> tuple[str, str]:
    if status is None:
        return "hang", ""
    if os.WIFSIGNALED(status):
        return "crash", signal.Signals(os.WTERMSIG(status)).name
    if not report.exists():
        return "crash", f"exit {os.waitstatus_to_exitcode(status)}"
    outcome, detail = json.loads(report.read_text(encoding="utf-8"))
    if megabytes * 1024 * 1024 > BYTES and outcome in {"loaded", "refused"}:
        return "memory", f"{megabytes:.0f} MiB"
    return outcome, detail


def _digest(place: Path) -> str:
    """A hash of all names and contents below a folder, but for the result and the output."""
    files = sorted(
        p for p in place.rglob("*") if p.is_file() and p.relative_to(place).parts[0] not in {"out", "result.json"}
    )
    return hashlib.sha256(b"".join(str(p).encode() + b"\0" + p.read_bytes() for p in files)).hexdigest()


def _child(kind: str, main: Path, place: Path) -> None:
    """Run the case and leave the process without any clean-up of the parent's."""
    try:
        resource.setrlimit(resource.RLIMIT_AS, (_HARD_BYTES, _HARD_BYTES))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        null = os.open(os.devnull, os.O_RDWR)
        for descriptor in (0, 1, 2):
            os.dup2(null, descriptor)
        os.chdir(place)
        os.environ["XDG_CACHE_HOME"] = str(place / "out" / "cache")
        result = _judged(kind, main, place)
        (place / "result.json").write_text(json.dumps(result), encoding="utf-8")
    finally:
        os._exit(0)


def _judged(kind: str, main: Path, place: Path) -> tuple[str, str]:
    warnings.simplefilter("ignore")
    import loaders

    try:
        _use(kind, main, place)
    except loaders.ModelError as error:
        return "refused", str(error)[:200]
    except MemoryError:
        return "memory", traceback.format_exc(limit=-3)
    except BaseException:  # noqa: BLE001  # every other exception is what fuzzing looks for
        return "exception", traceback.format_exc(limit=-4)
    return "loaded", ""


def _use(kind: str, main: Path, place: Path) -> None:
    """Load the file, describe the scene, and hand it to the targets of its kind."""
    import bridge
    import loaders

    srdf = main.with_name("robot.srdf") if kind == "srdf" else None
    scene = loaders.load(main, srdf=srdf, package_map={"p": main.parent}, paths=[main.parent])
    scene.to_dict()
    if "mjcf" in KINDS[kind].targets:
        import mujoco

        result = bridge.export_mjcf(scene, place / "out" / "mjcf")
        mujoco.MjModel.from_xml_path(str(result.path))
    if "pybullet" in KINDS[kind].targets:
        import pybullet

        pybullet.connect(pybullet.DIRECT)
        bridge.load_into_pybullet(scene)
        pybullet.stepSimulation()
