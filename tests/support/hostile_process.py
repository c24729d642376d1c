"""Runs hostile files in a child process that is started anew when a case ends it."""

from __future__ import annotations

import json
import os
import selectors
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

_ROOT = Path(__file__).parents[2]
_PATIENCE = 120.0
"""Seconds [s] without an answer after which a child hangs; its own limit of processor time is far
below.
"""


class HostileProcess:
    """A child process with limits, for any number of cases."""

    def __init__(self) -> None:
        self._child: subprocess.Popen[str] | None = None
        self._errors = tempfile.TemporaryFile("w+")  # noqa: SIM115  (closed with the process)

    def run(self, name: str, path: Path, options: dict[str, Any]) -> dict[str, Any]:
        """Return what the child prints about a case; with the key ``died`` if it ends or hangs."""
        child = self._child = self._child or self._start()
        assert child.stdin is not None
        assert child.stdout is not None
        child.stdin.write(json.dumps((name, str(path), options)) + "\n")
        child.stdin.flush()
        with selectors.DefaultSelector() as selector:
            selector.register(child.stdout, selectors.EVENT_READ)
            line = child.stdout.readline() if selector.select(_PATIENCE) else ""
        while line and not line.startswith("{"):  # PyBullet prints when it is first used
            line = child.stdout.readline()
        if line:
            answer: dict[str, Any] = json.loads(line)
            return answer
        status = self.close()
        self._errors.seek(0)
        return {"name": name, "died": f"status {status}: {self._errors.read()[-500:]}"}

    def close(self) -> int:
        """End the child; return its status."""
        child, self._child = self._child, None
        if child is None:
            return 0
        if child.poll() is None and not _ends(child):
            child.kill()
        status = child.wait()
        for stream in (child.stdin, child.stdout):
            if stream is not None:
                stream.close()
        return status

    def __del__(self) -> None:
        self._errors.close()

    def _start(self) -> subprocess.Popen[str]:
        command = [sys.executable, "-m", "tests.support.hostile_child"]
        environment = {**os.environ, "PYTHONPATH": str(_ROOT)}
        return subprocess.Popen(
            command,
            cwd=_ROOT,
            env=environment,
            text=True,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._errors,
        )


def _ends(child: subprocess.Popen[str]) -> bool:
    """Return whether a child that was told to, ends by itself."""
    assert child.stdin is not None
    child.stdin.close()
    try:
        child.wait(5.0)
    except subprocess.TimeoutExpired:
        return False
    return True
