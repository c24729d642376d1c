"""Functions that tests give to a batch: each is called with one source, in a separate process."""

from __future__ import annotations

import ctypes
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

from loaders.files.read_file import read
from loaders.limits import FileError


def double(number: int) -> int:
    return 2 * number


def process_number(_source: object) -> int:
    return os.getpid()


def misbehave(how: str) -> str:
    """Do what the source says, or return it."""
    if how == "segfault":
        ctypes.string_at(0)
    elif how == "abort":
        os.abort()
    elif how == "exit":
        os._exit(7)
    elif how == "hang":
        time.sleep(3600.0)
    elif how == "eat":
        pieces = []
        while True:
            pieces.append(b"x" * (16 << 20))
    elif how == "raise":
        raise KeyError("no such thing")
    elif how == "shout":
        sys.stderr.write("the last words\n")
        sys.stderr.flush()
        os.kill(os.getpid(), signal.SIGBUS)
    return how


def leave_a_process(place: str) -> None:
    """Start a process that would outlive the call, and write its number."""
    process = subprocess.Popen(["sleep", "3600"], start_new_session=False)
    Path(place).write_text(str(process.pid))


def kill_worker_once(place: str) -> str:
    """Kill the worker that waits for this call, the first time."""
    mark = Path(place)
    if not mark.exists():
        mark.write_text("killed")
        server = os.getppid()
        worker = int(Path(f"/proc/{server}/status").read_text().split("PPid:")[1].split()[0])
        os.kill(worker, signal.SIGKILL)
        time.sleep(3600.0)
    return "done"


def kill_server_once(place: str) -> str:
    """Kill the warm process that started this call, the first time."""
    mark = Path(place)
    if not mark.exists():
        mark.write_text("killed")
        os.kill(os.getppid(), signal.SIGKILL)
        time.sleep(3600.0)
    return "done"


def write_number(place: str) -> None:
    """Write the numbers of this process and of the warm process that started it, and wait."""
    Path(place).write_text(f"{os.getpid()} {os.getppid()}\n")
    time.sleep(3600.0)


def read_files(paths: str) -> int:
    """Read files that are separated by spaces, and return how many there are."""
    found = 0
    for path in paths.split():
        try:
            read(path)
            found += 1
        except FileError:
            pass
    return found


def read_then_crash(path: str) -> None:
    read(path)
    os.abort()


def parents(_source: object) -> int:
    """Return the number of the worker that waits for this call."""
    server = os.getppid()
    return int(Path(f"/proc/{server}/status").read_text().split("PPid:")[1].split()[0])


def has_colorsys(_source: object) -> bool:
    """Whether a module that nothing else imports is there already."""
    return "colorsys" in sys.modules


def ends(process: int | str, seconds: float = 60.0) -> bool:
    """Return whether a process ends within a time: a signal that was sent may still be on its
    way.
    """
    status, end = Path(f"/proc/{process}/status"), time.monotonic() + seconds
    while time.monotonic() < end:
        try:
            if "Z (zombie)" in status.read_text(encoding="ascii"):
                return True
        except (FileNotFoundError, ProcessLookupError):
            return True
        time.sleep(0.01)
    return False


def as_it_is(source: object) -> object:
    return source


def first_word(path: str) -> str:
    return Path(path).read_text().split()[0]


def folder_of(path: str) -> Path:
    return Path(path).parent


def power(exponent: int, number: int) -> int:
    return number**exponent


class Unreadable:
    """A value that can be pickled, but not unpickled."""

    def __init__(self, _source: object) -> None:
        pass

    def __reduce__(self) -> tuple[object, tuple[object, ...]]:
        return Unreadable, ()
