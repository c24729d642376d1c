"""Paths as messages show them: relative to the current folder if they lie in it."""

from __future__ import annotations

import os
from pathlib import Path

STDIN = "<stdin>"
"""Name of standard input in diagnostics."""


def shown_path(file: str) -> str:
    """Return the path of a file, relative to the current folder if it lies there.

    Args:
        file: The path as a diagnostic has it.
    """
    if os.path.basename(file).startswith("<string>"):
        return STDIN
    path = Path(file)
    if not path.is_absolute():
        return file
    folder = Path.cwd()
    return str(path.relative_to(folder)) if path.is_relative_to(folder) else file
