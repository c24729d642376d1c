"""The command line: ``sdfbridge``, also ``python -m sdfbridge``.

Exit status: 0 success; 1 the model has errors, the engines differ, or the output is out of date; 2
wrong usage; 3 an engine, a library or a display is missing; 130 interrupted.

The parser imports neither an engine nor the readers, so that ``--help`` and completion answer at
once; a command is imported when it runs.
"""

from __future__ import annotations

import importlib
import os
import sys
from collections.abc import Sequence
from typing import Any

from .errors import INTERRUPTED, SUCCESS, Interruption, interruptible
from .parser import parse

__all__ = ["main"]


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command and return its exit status.

    Args:
        arguments: The words after the program's name; by default those of the process.
    """
    words = list(sys.argv[1:] if arguments is None else arguments)
    for name in ("stdout", "stderr"):
        if getattr(sys, name) is None:  # closed by the caller, as with >&-
            setattr(sys, name, open(os.devnull, "w", encoding="utf-8"))  # noqa: SIM115 - kept open
    interruption = Interruption()
    try:
        with interruptible(interruption):
            status = _run(words)
    except KeyboardInterrupt:
        interruption.is_over = True  # a repetition may have come before the block could state it
        status = INTERRUPTED
    if (
        interruption.requested and status != SUCCESS
    ):  # it may have been taken for a library that is missing
        status = INTERRUPTED
    if status == INTERRUPTED:
        sys.stderr.write("\nsdfbridge: interrupted\n")
        # Interrupted in the `exec` of a text, as where a data class is made, Python would end by
        # the signal even so: the next text makes it forget that.
        exec("pass")  # noqa: S102 - a constant
    return status


def _run(words: list[str]) -> int:
    options = parse(words)
    if isinstance(options, int):
        return options
    execution: Any = importlib.import_module(".execution", __name__)
    status: int = execution.execute(options, words)
    return status
