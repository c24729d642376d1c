"""A sequence of stages in a child process: what they return until one fails, ends the process or takes too long."""

from __future__ import annotations

import json
import os
import select
import signal
import time
from collections.abc import Callable, Iterable
from typing import Any

Stage = Callable[..., dict[str, Any]]


def in_a_process(stages: Iterable[tuple[str, Stage]], arguments: tuple[Any, ...], seconds: float) -> dict[str, Any]:
    """Return the merged results of the stages, with the processor time of each.

    Args:
        stages: Names and functions; a result with the key ``end`` ends the sequence.
        arguments: Arguments of the first stage; the others get what the first one returns as ``state``.
        seconds: Limit for all stages.
    """
    reading, writing = os.pipe()
    child = os.fork()
    if not child:
        os.close(reading)
        os.setpgrp()
        _run(stages, arguments, writing)
    os.close(writing)
    text, late = _read(reading, time.monotonic() + seconds)
    if late:
        os.killpg(child, signal.SIGKILL)
    _, status = os.waitpid(child, 0)
    row: dict[str, Any] = {}
    for line in text.splitlines():
        row |= json.loads(line)
    if late:
        row["timed out"] = row.get("stage")
    elif status:
        row["crash"] = f"{row.get('stage')}: status {status}"
    return row


def _read(stream: int, deadline: float) -> tuple[str, bool]:
    """Return what a process writes until it ends or the deadline passes, and whether it passed."""
    data = b""
    while select.select([stream], [], [], max(0.0, deadline - time.monotonic()))[0]:
        piece = os.read(stream, 1 << 16)
        if not piece:
            os.close(stream)
            return data.decode(), False
        data += piece
    os.close(stream)
    return data.decode(), True


def _run(stages: Iterable[tuple[str, Stage]], arguments: tuple[Any, ...], stream: int) -> None:
    """Run the stages and end the process."""
    silent = os.open(os.devnull, os.O_WRONLY)
    os.dup2(silent, 1)
    os.dup2(silent, 2)
    for name, stage in stages:
        _write(stream, {"stage": name})
        start = time.process_time()
        try:
            result = stage(*arguments)
        except BaseException as error:  # noqa: BLE001  # a crash is a result
            _write(stream, {"crash": f"{name}: {type(error).__name__}: {error}"[:500]})
            os._exit(0)
        state = result.pop("state", None)
        arguments = arguments if state is None else (state,)
        _write(stream, result | {f"{name} [s]": round(time.process_time() - start, 3)})
        if result.get("end"):
            break
    _write(stream, {"stage": "end"})
    os._exit(0)


def _write(stream: int, row: dict[str, Any]) -> None:
    os.write(stream, json.dumps(row).encode() + b"\n")
