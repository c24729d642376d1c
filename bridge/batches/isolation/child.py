"""The fork of the server that makes one call: limits first, then the call, then one message with its result."""

from __future__ import annotations

import os
import pickle
import tempfile
import traceback
from multiprocessing.connection import Connection
from pathlib import Path
from typing import NoReturn

from loaders.reading.dependencies import recorded

from .protocol import DONE, EXCEPTION, MEMORY, Request
from .resource_limits import die_with_parent, limit_memory, resident_bytes


def run_child(request: Request, folder: Path, writer: Connection, log: int) -> NoReturn:
    """Make a call and end this process without any clean-up of the server's.

    Args:
        request: The call.
        folder: Folder for temporary files, which the server removes.
        writer: Receives the files that the call depends on, and its result.
        log: Descriptor that becomes the standard error.
    """
    try:
        _prepare(request, folder, log)
        writer.send(("base", resident_bytes(os.getpid())))
        writer.send(_answer(request, writer))
    except BrokenPipeError:
        pass
    finally:
        os._exit(0)


def _prepare(request: Request, folder: Path, log: int) -> None:
    """Give this process its own streams, folders and limits."""
    os.setpgid(0, 0)
    die_with_parent()
    os.dup2(log, 2)
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    os.environ["TMPDIR"] = tempfile.tempdir = str(folder)
    if request.folder and Path(request.folder).is_dir():
        os.chdir(request.folder)
    limit_memory(request.memory)


def _answer(request: Request, writer: Connection) -> tuple[str, str, bytes, str]:
    """Return how the call ended, with what, and a log."""
    reported: set[tuple[str, str | None]] = set()

    def tell(path: str, digest: str | None) -> None:
        if (path, digest) not in reported:
            reported.add((path, digest))
            writer.send(("file", path, digest))

    try:
        function, arguments, keywords = pickle.loads(request.payload)  # noqa: S301 - the worker sent it
        with recorded(tell):
            value = function(*arguments, **keywords)
        return DONE, "", pickle.dumps(value), ""
    except MemoryError:
        return MEMORY, "", b"", ""
    except BaseException as error:  # noqa: BLE001  (the result of the call says what was raised)
        return EXCEPTION, f"{type(error).__name__}: {error}", b"", traceback.format_exc()
