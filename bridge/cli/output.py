"""What the commands say: data on standard output, progress and diagnostics on standard error."""

from __future__ import annotations

import json
import sys
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, TextIO

from loaders.diagnostics import Diagnostic

_WIDTH = 160
"""Of a table that goes to no terminal."""
_ALIKE = 5
"""How many warnings of one code are told before the rest is counted."""


@dataclass(frozen=True, slots=True)
class Output:
    """Where a command speaks, and how much."""

    verbosity: int = 0
    """-1 is silent but for errors, 0 tells warnings, 1 tells all."""

    def data(self, text: str) -> None:
        """Write a result."""
        sys.stdout.write(text.rstrip("\n") + "\n")

    def json(self, value: Any) -> None:
        """Write a result as JSON."""
        self.data(json.dumps(value, indent=1, ensure_ascii=False))

    def table(self, columns: Sequence[str], rows: Iterable[Sequence[str]], styles: Sequence[str | None] = ()) -> None:
        """Write a table; ``styles`` colours its rows."""
        from rich import box
        from rich.table import Table
        from rich.text import Text

        table = Table(*columns, box=box.SIMPLE_HEAD)
        for i, row in enumerate(rows):
            table.add_row(*map(Text, row), style=styles[i] if i < len(styles) else None)
        self._print(table, sys.stdout)

    def banner(self, text: str, style: str) -> None:
        """Write one line that stands out."""
        from rich.text import Text

        self._print(Text(text, style=style), sys.stdout)

    def progress(self, text: str) -> None:
        """Say what is being done."""
        if self.verbosity >= 0:
            sys.stderr.write(f"{text}\n")
            sys.stderr.flush()

    def status(self, text: str) -> None:
        """Say on a terminal what is being done now, in the place of what was said so before."""
        if self.verbosity >= 0 and sys.stderr.isatty():
            sys.stderr.write(f"\r\x1b[K{text}")
            sys.stderr.flush()

    def error(self, text: str) -> None:
        """Say what went wrong."""
        sys.stderr.write(f"sdfbridge: {text}\n")

    def diagnostics(self, entries: Iterable[Diagnostic]) -> None:
        """Write each diagnostic that is wanted, and how many of each severity there are.

        Unless all are wanted, of many warnings of one code the first few are written, and how many more there are.
        """
        entries = list(entries)
        wanted = {-1: {"error"}, 0: {"error", "warning"}}.get(self.verbosity, {"error", "warning", "note"})
        seen = Counter[str]()
        for entry in (entry for entry in entries if entry.severity in wanted):
            seen[entry.code] += entry.severity != "error"
            if self.verbosity > 0 or entry.severity == "error" or seen[entry.code] <= _ALIKE:
                sys.stderr.write(f"{entry}\n")
        for code, count in seen.items():
            if self.verbosity <= 0 and count > _ALIKE:
                sys.stderr.write(f"and {count - _ALIKE} more like it  [{code}] (-v shows all)\n")
        if entries and self.verbosity >= 0:
            counts = Counter(entry.severity for entry in entries)
            told = ", ".join(
                f"{counts[s]} {s}{'s' * (counts[s] != 1)}" for s in ("error", "warning", "note") if counts[s]
            )
            hidden = " (-v shows notes)" if counts["note"] and self.verbosity == 0 else ""
            sys.stderr.write(f"{told}{hidden}\n")

    @staticmethod
    def _print(renderable: Any, file: TextIO) -> None:
        from rich.console import Console

        width = None if file.isatty() else _WIDTH
        Console(file=file, width=width, highlight=False, soft_wrap=False).print(renderable)
