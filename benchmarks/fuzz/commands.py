"""The command line on a file: its texts control no terminal, and its statuses are those of the
documentation.
"""

from __future__ import annotations

import io
import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from pathlib import Path
from unittest.mock import patch

_CONTROL = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")
_STATUSES = (0, 1, 2, 3, 5, 6)


class TerminalError(Exception):
    """A command prints what a terminal obeys, or ends with an undocumented status."""


def run_commands(main: Path) -> None:
    """Print a file by several commands.

    Args:
        main: The file; the others of its case lie beside it.

    Raises:
        TerminalError: if a command prints a control character, or ends with an undocumented status.
    """
    file = str(main)
    for name in ("robot.urdf", "scene.dmd.yaml", "mujoco.xml"):
        _run(["check", str(main.with_name(name))])
    for words in (
        ["info", file, "--frames"],
        ["info", file, "--json"],
        ["print", file],
        ["graph", file],
        ["resolve", file],
        ["check", file, "--format", "sarif"],
        ["check", file, "--format", "github", "-v"],
        ["check", "-", "--lenient"],
        ["compare", file, str(main.with_name("robot.urdf"))],
    ):
        _run(words, main.read_bytes())


def _run(words: list[str], data: bytes = b"") -> None:
    import bridge.cli

    out = io.TextIOWrapper(
        io.BytesIO(), encoding="utf-8", errors="surrogatepass", write_through=True
    )
    with redirect_stdout(out), redirect_stderr(out), _input(data):
        status = bridge.cli.main(words)
    text = out.buffer.getvalue().decode("utf-8", "surrogatepass")
    found = _CONTROL.search(text)
    if found is not None:
        around = text[max(0, found.start() - 60) : found.end()]
        raise TerminalError(f"{' '.join(words)} prints {found[0]!r}: {around!r}")
    if status not in _STATUSES:
        raise TerminalError(f"{' '.join(words)} ends with {status}")


@contextmanager
def _input(data: bytes) -> Iterator[None]:
    with patch.object(sys, "stdin", io.TextIOWrapper(io.BytesIO(data))):
        yield
