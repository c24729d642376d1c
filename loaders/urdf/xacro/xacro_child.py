"""Running xacro in a process of limited time and memory, and answering its questions about files and packages."""

from __future__ import annotations

import json
import os
import signal
import sys
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, cast

from loaders.safety.limits import LimitError, limit_of

from . import xacro_process

if TYPE_CHECKING:
    import subprocess

CLOCK = 3
"""Time on the clock after which the process is ended, as a multiple of the limit on its processor time."""
_MAX_LINE = 1_000_000
"""Largest number of bytes of a message without its data."""

_QUESTIONS = ("open", "find")

Answer = tuple[dict[str, Any], bytes]


class ExpansionError(Exception):
    """xacro fails, or its process ends before it has a result."""


def run_xacro(path: Path, arguments: Mapping[str, str], answer: Callable[[dict[str, Any]], Answer]) -> Answer:
    """Return the last message of the process that expands a file: ``expanded`` with the result, or ``failed``.

    Args:
        path: The file.
        arguments: The arguments of xacro.
        answer: Called with each question; returns the answer.

    Raises:
        ExpansionError: if the process cannot be started, or ends without such a message.
        LimitError: if the process exceeds its time or memory, or the result the size of a load.
    """
    request: dict[str, Any] = {
        "path": str(path),
        "arguments": dict(arguments),
        "modules": [place or os.getcwd() for place in sys.path],
        "seconds": limit_of("xacro_seconds"),
        "memory": limit_of("xacro_bytes"),
        "elements": limit_of("elements"),
    }
    last, status, is_late = _converse(request, answer)
    if last is not None:
        return last
    if is_late or status == -getattr(signal, "SIGXCPU", 0):
        raise LimitError("xacro_seconds", request["seconds"], str(path))
    if status == xacro_process.NO_MEMORY:
        raise LimitError("xacro_bytes", request["memory"], str(path))
    raise ExpansionError(f"the process of xacro ended with status {status}")


def _converse(request: dict[str, Any], answer: Callable[[dict[str, Any]], Answer]) -> tuple[Answer | None, int, bool]:
    """Return the last message of the process if there is one, its exit status, and whether it took too long."""
    import subprocess
    import threading

    command = [sys.executable or "python", "-I", str(Path(xacro_process.__file__))]
    last, late = None, threading.Event()
    try:
        child = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)  # noqa: S603
    except OSError as error:
        raise ExpansionError(f"Python cannot be started for xacro: {error.strerror}") from error

    def end() -> None:
        late.set()
        child.kill()

    clock = threading.Timer(CLOCK * request["seconds"], end)
    clock.daemon = True
    clock.start()
    try:
        with suppress(BrokenPipeError), child:
            last = _dialogue(child, request, answer)
    finally:
        clock.cancel()
    return last, child.returncode, late.is_set()


def _dialogue(
    child: subprocess.Popen[bytes], request: dict[str, Any], answer: Callable[[dict[str, Any]], Answer]
) -> Answer | None:
    """Answer the questions of the process; return its last message, or None if it ends without."""
    to_child, from_child = cast(BinaryIO, child.stdin), cast(BinaryIO, child.stdout)
    try:
        xacro_process.send(to_child, request)
        while (message := _receive(from_child)) is not None:
            if message[0]["kind"] not in _QUESTIONS:
                return message
            xacro_process.send(to_child, *answer(message[0]))
    except BaseException:
        child.kill()
        raise
    return None


def _receive(stream: BinaryIO) -> Answer | None:
    """Return the next message of the process; None if there is none.

    Raises:
        LimitError: if it has more data than a load may have.
    """
    line = stream.readline(_MAX_LINE)
    if not line.endswith(b"\n"):
        return None
    message = json.loads(line)
    if message["size"] > limit_of("bytes"):
        raise LimitError("bytes", limit_of("bytes"))
    return message, stream.read(message["size"])
