"""Entry point of the command ``sdfbridge`` and of ``python -m sdfbridge``."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Sequence

from .location import hidden_text

USAGE = 2


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line and return its exit status: 2 if another package hides one of sdfbridge.

    Args:
        arguments: The words after the program's name; by default those of the process.
    """
    hidden = hidden_text()
    if hidden:
        sys.stderr.write(f"sdfbridge: error: {hidden}\n")
        return USAGE
    status: int = importlib.import_module("bridge.cli").main(arguments)
    return status


if __name__ == "__main__":
    sys.exit(main())
