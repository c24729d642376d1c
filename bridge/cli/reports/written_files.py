"""The files that a command wrote: the documents, and the number of those in folders below them."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

from bridge.cli.output import Output


def show_files(output: Output, files: Sequence[str]) -> None:
    """Print the files that the verbosity admits: none if only errors are printed, all if everything is.

    Args:
        output: Where they are printed.
        files: The paths of all files that were written.
    """
    if output.verbosity >= 0:
        output.data_lines(files if output.verbosity > 0 else in_short(files))


def in_short(files: Sequence[str]) -> list[str]:
    """Return the files in the uppermost folder, then the number of files in each folder below it.

    A folder with one file is shown as this file.

    Args:
        files: The paths of all files that were written.
    """
    if not files:
        return []
    top = Path(os.path.commonpath([os.path.dirname(file) or os.curdir for file in files]))
    beside, below = [], dict[Path, list[str]]()
    for file in files:
        parts = Path(file).relative_to(top).parts if top != Path(os.curdir) else Path(file).parts
        if len(parts) == 1:
            beside.append(file)
        else:
            below.setdefault(top / parts[0], []).append(file)
    counts = [
        found[0] if len(found) == 1 else f"{folder}{os.sep}: {len(found)} files (-v lists them)"
        for folder, found in below.items()
    ]
    return [*beside, *counts]
