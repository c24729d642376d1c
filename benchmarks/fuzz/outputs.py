"""Interruption of the writers: a process writes over an earlier output and is stopped at one of its
operations.

Every operation of Python on files raises an audit event before it happens. A hook counts those on
the files of the case, and at one of them it kills the process, or raises an error as a full disk, a
lack of memory or Ctrl-C would. A limit on the size of files stands for a disk that fills up in the
middle of a file. Afterwards the old output or the new one must stand, whole, and all files of
somebody else must be as they were.
"""

from __future__ import annotations

import errno
import hashlib
import os
import random
import re
import resource
import shutil
import signal
import sys
import tempfile
import traceback
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from benchmarks.fuzz.writers import DOCUMENTS, WRITERS
from bridge.output import (
    MANIFEST,
    Form,
    OutputFolderError,
    write_document,
    write_file,
    write_folder,
)

Files = dict[str, bytes]
_EVENTS = 150
"""Number of operations among which the one that is interrupted is chosen; an output has 20 to 150
of them.
"""
_ERRORS: tuple[BaseException, ...] = (
    OSError(errno.ENOSPC, "No space left on device"),
    OSError(errno.EIO, "Input/output error"),
    OSError(errno.EACCES, "Permission denied"),
    OSError(errno.EDQUOT, "Quota exceeded"),
    MemoryError(),
    KeyboardInterrupt(),
)
_SIGNALS = (signal.SIGKILL, signal.SIGTERM, signal.SIGINT)


@dataclass(frozen=True, slots=True)
class Scenario:
    """One interruption of one writer.

    Attributes:
        writer: ``folder``, ``file``, ``document``, or a key of `benchmarks.fuzz.writers.WRITERS`.
        old: Files of the earlier output; None if there is none.
        foreign: Files of somebody else, by their path beside or in the output folder.
        new: Files of the new output.
        force: Whether the output may overwrite foreign files.
        fault: A signal, an error, or the largest size of a file.
        event: The number of the operation at which the fault happens.
    """

    writer: str
    old: Files | None
    foreign: Files
    new: Files
    force: bool
    fault: int | BaseException
    event: int


def scenario(number: int) -> Scenario:
    """Return a case; equal numbers give equal cases.

    Args:
        number: The seed.
    """
    rng = random.Random(f"output/{number}")
    inside = rng.random() < 0.4
    foreign = {f"{'out/' if inside else ''}{name}": _data(rng) for name in _some(rng, _FOREIGN)}
    faults = (rng.choice(_SIGNALS), rng.choice(_ERRORS), rng.choice((1, 100, 5000)))
    return Scenario(
        writer=rng.choice(("folder", "folder", "folder", "file"))
        if inside or number % 2
        else "document",
        old=None if rng.random() < 0.15 else _files(rng),
        foreign=foreign,
        new=_files(rng),
        force=inside and rng.random() < 0.7,
        fault=rng.choice(faults),
        event=rng.randrange(_EVENTS),
    )


_NAMES = (
    "model.xml",
    "scene.xml",
    "README.md",
    "FIDELITY.md",
    "assets/a.obj",
    "assets/b.obj",
    "assets/deep/c.png",
)
_OF_DOCUMENT = re.compile(r"out_\w+/([0-9a-f]{16})/")
"""Files beside a document, with the name of their content."""
_SCRATCH = (".out.sdfbridge-", ".out_assets.sdfbridge-", ".out_models.sdfbridge-", ".sdfbridge-")
_FOREIGN = (
    "notes.txt",
    "mine/todo.md",
    "README.md",
    "assets/a.obj",
    ".hidden",
    "assets/deep/mine.bin",
    ".out.sdfbridge-x",
)


def _some(rng: random.Random, names: tuple[str, ...]) -> list[str]:
    return rng.sample(names, rng.randint(1, len(names)))


def _files(rng: random.Random) -> Files:
    return {name: _data(rng) for name in _some(rng, _NAMES)}


def _data(rng: random.Random) -> bytes:
    return rng.randbytes(rng.choice((0, 1, 30, 30, 2000, 20_000)))


def run_output_case(number: int, place: Path) -> tuple[str, str]:
    """Run a case in a separate process and judge what it leaves.

    Args:
        number: The seed.
        place: An empty folder, or one that holds no case.

    Returns:
        ``kept`` and what stands (``old`` or ``new``), or a failure and its detail.
    """
    case, folder = scenario(number), place / "outputs"
    try:
        folder.mkdir()
        prepare(case, folder)
        before = content(folder)
        stopped(lambda: write(case, folder), case, folder)
        return judged(case, folder, before)
    except BaseException:  # noqa: BLE001  # a failure of the case is its result
        return "exception", traceback.format_exc(limit=-4)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def prepare(case: Scenario, folder: Path) -> None:
    """Write the earlier output and the files of somebody else."""
    if case.writer in WRITERS:
        WRITERS[case.writer](folder / "out", case.old or {}, force=False)
    elif case.old is not None and case.writer == "document":
        _write_document(folder, case.old, force=False)
    elif case.old is not None and case.writer == "folder":
        write_folder(folder / "out", case.old)
    elif case.old is not None:
        (folder / "report.html").write_bytes(case.old.get("model.xml", b"old"))
    for path, data in case.foreign.items():
        target = folder / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(data)


def write(case: Scenario, folder: Path) -> None:
    """Write the new output."""
    if case.writer in WRITERS:
        WRITERS[case.writer](folder / "out", case.new, force=case.force)
    elif case.writer == "document":
        _write_document(folder, case.new, force=case.force)
    elif case.writer == "folder":
        write_folder(folder / "out", case.new, force=case.force)
    else:
        write_file(folder / "report.html", case.new.get("model.xml", b"new"))


def _write_document(folder: Path, files: Files, *, force: bool) -> None:
    """Write a document that refers to these files."""
    content = hashlib.sha256(repr(sorted(files.items())).encode()).hexdigest()[:16]
    files = {f"{content}/{name}": data for name, data in files.items()}
    names = " ".join(f"out_assets/{name}" for name in files)
    write_document(
        folder / "out.sdf",
        f"<a>{names}</a>".encode(),
        folder / "out_assets",
        files,
        form=Form.MARKUP,
        force=force,
    )


def stopped(work: Callable[[], None], case: Scenario, folder: Path) -> int:
    """Do the work in a fork that is interrupted as the case says; return its exit status."""
    child = os.fork()
    if child == 0:
        try:
            _arm(case, str(folder))
            work()
        finally:
            os._exit(0)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


def _arm(case: Scenario, folder: str) -> None:
    if isinstance(case.fault, int) and not isinstance(case.fault, signal.Signals):
        resource.setrlimit(
            resource.RLIMIT_FSIZE, (case.fault, resource.getrlimit(resource.RLIMIT_FSIZE)[1])
        )
        return
    seen = 0

    def interrupt(event: str, arguments: tuple[object, ...]) -> None:
        nonlocal seen
        if event.startswith(("os.", "shutil.", "open")) and _is_below(arguments, folder):
            seen += 1
            if seen == case.event:
                if isinstance(case.fault, BaseException):
                    raise case.fault
                os.kill(os.getpid(), case.fault)

    sys.addaudithook(interrupt)


def _is_below(arguments: tuple[object, ...], folder: str) -> bool:
    return any(
        str(argument).startswith(folder)
        for argument in arguments
        if isinstance(argument, (str, os.PathLike))
    )


def content(folder: Path) -> Files:
    """Every file below a folder by its path; hidden folders of writers and manifests do not count.

    Files beside a document do not count unless the document refers to them.
    """
    found = everything(folder)
    documents = b"\n".join(data for name, data in found.items() if "/" not in name)
    return {name: data for name, data in found.items() if not _is_unused(name, documents)}


def _is_unused(name: str, documents: bytes) -> bool:
    match = _OF_DOCUMENT.match(name)
    return match is not None and match[1].encode() not in documents


def everything(folder: Path) -> Files:
    """Every file below a folder by its path; hidden folders of writers and manifests do not
    count.
    """
    found = {}
    for path in sorted(folder.rglob("*")):
        name = path.relative_to(folder).as_posix()
        if path.is_file() and path.name != MANIFEST and not _is_scratch(name.partition("/")[0]):
            found[name] = path.read_bytes()
    return found


def _is_scratch(name: str) -> bool:
    return name.startswith(_SCRATCH) and name not in _FOREIGN


def judged(case: Scenario, folder: Path, before: Files) -> tuple[str, str]:
    """Return the outcome after an interruption and its detail, and whether the next output is
    whole.

    Args:
        case: The case.
        folder: Its folder.
        before: The content of the folder before the interruption.
    """
    after, expected = content(folder), _expected(case, before)
    if after not in (before, expected):
        return (
            "outside",
            f"neither old nor new: {sorted(after)}; old {sorted(before)}; new {sorted(expected)}",
        )
    try:
        write(case, folder)
    except OutputFolderError:
        if content(folder) != before or case.force:
            return "outside", "a refused output changed something"
        return "kept", "refused"
    if everything(folder) != expected:
        return "outside", "the next output is not whole, or has more than its files"
    hidden = [name for name in os.listdir(folder) if name.startswith(".out") and _is_scratch(name)]
    if hidden and not case.force:
        return "outside", f"left behind: {hidden}"
    return "kept", "new" if after == expected else "old"


def _expected(case: Scenario, before: Files) -> Files:
    """The files after a complete output."""
    if case.writer == "file":
        return before | {"report.html": case.new.get("model.xml", b"new")}
    if case.writer == "document":
        earlier = _document(case.old)
        return {name: data for name, data in before.items() if name not in earlier} | _document(
            case.new
        )
    place = "" if case.writer in DOCUMENTS else "out/"
    old = {f"{place}{name}" for name in case.old or ()}
    kept = {name: data for name, data in before.items() if name not in old}
    return kept | {f"{place}{name}": data for name, data in case.new.items()}


def _document(files: Files | None) -> Files:
    """The files of a document that nothing interrupts."""
    if files is None:
        return {}
    with tempfile.TemporaryDirectory(prefix="document-") as place:
        _write_document(Path(place), files, force=False)
        return everything(Path(place))
