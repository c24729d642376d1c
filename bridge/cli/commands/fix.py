"""fix: repairs of a file as a diff, which are written on request."""

from __future__ import annotations

from argparse import Namespace

import bridge
from bridge.cli.errors import SUCCESS
from bridge.cli.inputs import search, writing_to
from bridge.cli.output import Output
from bridge.repairs import Fix
from loaders.text import counted


def fix(options: Namespace, output: Output) -> int:
    """Print the repairs of a file as a unified diff; with ``--write`` write them.

    Raises:
        ValueError: if the file cannot be repaired, such as an output of xacro.
    """
    output.status(f"looking for repairs of {options.file}")
    found = bridge.fix(options.file, **search(options))
    output.status("")
    if options.write and found.repairs:
        with writing_to(found.path):
            found.write()
    if options.json:
        output.json(
            {
                "file": str(found.path),
                "repairs": [{"line": repair.line, "text": repair.text} for repair in found.repairs],
                "left": list(found.left),
                "diff": found.diff,
                "written": options.write and bool(found.repairs),
            }
        )
        return SUCCESS
    output.data_lines(found.diff.splitlines())
    for repair in found.repairs:
        output.progress(f"{options.file}:{repair.line}: {repair.text}")
    for text in found.left:
        output.progress(f"not repaired: {text}")
    output.progress(_summary(found, is_written=options.write))
    return SUCCESS


def _summary(found: Fix, *, is_written: bool) -> str:
    count = len(found.repairs)
    if not count:
        return f"{found.path}: nothing to repair"
    repairs = counted(count, "repair")
    return f"wrote {repairs}" if is_written else f"{repairs}; --write writes them"
