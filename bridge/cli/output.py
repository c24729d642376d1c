"""Output of the commands, and hints in their words."""

from __future__ import annotations

import dataclasses
import json
import os
import re
import shutil
import sys
import textwrap
import threading
import time
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from itertools import zip_longest
from typing import Any, TextIO

from loaders.diagnostics import Diagnostic
from loaders.text import MAX_SIMILAR, counted, folded, printable, worst_lines

from .json_report import STDIN, shown_path

_EXPORTING = ("convert", "view")
"""Commands with the options of `bridge.export_mjcf`."""
EXPORT_OPTIONS = (
    "actuators", "base", "inertia", "policy", "overlaps", "collision_meshes", "contacts",
)  # fmt: skip
"""Options of `bridge.export_mjcf` that take a word."""
_COMPARED = ("inertia", "overlaps")
"""Those that ``compare`` has too."""
_WORD = re.compile(rf'\b({"|".join(EXPORT_OPTIONS)})="(\w+)"')
_LIMIT = re.compile(r"\blimits=Limits\((\w+)=\.\.\.\)")
_OTHERS = (
    (re.compile(r"\ballow_xacro=True"), "--xacro"),
    (re.compile(r"\bxacro_args=\{'(\w+)': \.\.\.\}"), r"\1:=VALUE"),
    (re.compile(r"\bfetch=True"), "--fetch"),
    (re.compile(r"\bfetch_hosts\b"), "--fetch-host"),
    (re.compile(r"\bunsafe_paths=True"), "--unsafe-paths"),
    (re.compile(r"\bstrict=True"), "--strict"),
    (re.compile(r"\blenient=True"), "--lenient"),
    (re.compile(r"\bforce=True"), "--force"),
    (re.compile(r'\bup_axis="(\w+)"'), r"--up-axis \1"),
    (re.compile(r"\bmaxhullvert=(\d+)"), r"--maxhullvert \1"),
    (re.compile(r"\bpackage_map\b"), "--package NAME=DIR"),
    (re.compile(r"(?<![-\w])paths\b"), "--path"),
    (re.compile(r"\bsrdf=(?:\.\.\.)?"), "--srdf "),
    (re.compile(r"\boverrides=(?:\.\.\.)?"), "--overrides "),
)


def in_command_words(text: str, command: str) -> str:
    """Return a text with the options of a command in place of those of Python.

    Args:
        text: The text, such as ``use inertia="repair"``.
        command: The command that prints it. Where it lacks an option, the command that has it is
            named.
    """

    def option(found: re.Match[str]) -> str:
        name, value = found.groups()
        words = f"--{name.replace('_', '-')} {value}"
        known = command in _EXPORTING or (command == "compare" and name in _COMPARED)
        return words if known else f"sdfbridge convert {words}"

    text = _LIMIT.sub(r"--limit \1=N", _WORD.sub(option, text))
    for pattern, words in _OTHERS:
        text = pattern.sub(words, text)
    return text


def with_command_words(entry: Diagnostic, command: str) -> Diagnostic:
    """Return a diagnostic whose hint names options of the command line.

    Args:
        entry: The diagnostic.
        command: The command that prints it.
    """
    if not entry.hint:
        return entry
    return dataclasses.replace(entry, hint=in_command_words(entry.hint, command))


_WIDTH = 160
"""Width of a table that is not printed to a terminal."""
_NARROWEST = 8
"""Least width of a column that gives way to others."""
STYLES = {
    "bold": "1", "dim": "2", "red": "31", "green": "32", "yellow": "33", "magenta": "35",
}  # fmt: skip
"""Codes of a terminal for the words of a style."""
_UNTIMED = 2.0
"""Seconds after which the time that a step has taken is shown."""
_MORE = " (-v shows all)"
_LISTING = ("", "check", "batch")
"""Commands that list every warning with its place."""
_SEVERITIES = ("error", "warning", "note")


@dataclass(slots=True)
class Output:
    """Writer of results, progress and diagnostics.

    Attributes:
        verbosity: -1 prints errors only, 0 errors and warnings, 1 everything.
        similar: Number of diagnostics with the same code and template that are printed below
            verbosity 1.
        command: The command that prints; hints name its options.
    """

    verbosity: int = 0
    similar: int = MAX_SIMILAR
    command: str = ""
    _clock: tuple[threading.Event, threading.Thread] | None = field(default=None, repr=False)

    def data(self, text: str) -> None:
        """Write a result."""
        self.status("")
        _write(printable(text.rstrip("\n"), lines=True) + "\n")

    def data_lines(self, lines: Iterable[str]) -> None:
        """Write the lines of a result, if it has any; a name with a line break stays in its
        line.
        """
        if text := "\n".join(map(_in_one_line, lines)):
            self.data(text)

    def prose(self, lines: Iterable[str]) -> None:
        """Write the lines of a result that are sentences; a terminal breaks them between words."""
        if text := "\n".join(_fitted(_in_one_line(line), sys.stdout) for line in lines):
            self.data(text)

    def outline(self, text: str) -> None:
        """Write the lines of a tree, whose branches go on beside a line that a terminal breaks."""
        lines = []
        for line in printable(text, lines=True).splitlines():
            branch, mark = _BRANCH.match(line).groups()  # type: ignore[union-attr]
            below = {"|-- ": "|   ", "`-- ": "    "}.get(mark, "")
            lines.append(_fitted(line, sys.stdout, f"{branch}{below}    "))
        self.data("\n".join(lines))

    def json(self, value: Any) -> None:
        """Write a result as JSON."""
        self.data(json.dumps(value, indent=1, ensure_ascii=False))

    def table(
        self,
        columns: Sequence[str],
        rows: Iterable[Sequence[str]],
        styles: Sequence[str | None] = (),
    ) -> None:
        """Write a table.

        Args:
            columns: Headings.
            rows: Cells of each row.
            styles: Style of each row; rows past the end have none.
        """
        self.status("")
        cells = [[printable(cell) for cell in row] for row in rows]
        room = shutil.get_terminal_size().columns if sys.stdout.isatty() else _WIDTH
        widths = _widths([columns, *cells], room)
        rule = "-" * (sum(widths) + 2 * len(widths))
        _write(f"\n{_line(columns, widths)}\n{rule}\n")
        for i, row in enumerate(cells):
            style = styles[i] if i < len(styles) else None
            parts = [_cell_lines(cell, width) for cell, width in zip(row, widths, strict=True)]
            for line in zip_longest(*parts, fillvalue=""):
                _write(_styled(_line(line, widths), style) + "\n")
        _write("\n")

    def banner(self, text: str, style: str) -> None:
        """Write one highlighted line."""
        self.status("")
        _write(_styled(_fitted(printable(text), sys.stdout), style) + "\n")

    def progress(self, text: str) -> None:
        """Write a line of progress."""
        self.status("")
        if self.verbosity >= 0:
            for line in printable(text, lines=True).split("\n"):
                self._say(line)

    def status(self, text: str) -> None:
        """Show in the last line of a terminal what goes on, with the seconds that it takes; an
        empty text removes it.
        """
        if self._clock is not None:
            ended, thread = self._clock
            ended.set()
            thread.join()
            self._clock = None
            sys.stderr.write("\r\x1b[K")
            sys.stderr.flush()
        if text and self.verbosity >= 0 and sys.stderr.isatty():
            ended = threading.Event()
            words = printable(text), time.monotonic(), ended
            thread = threading.Thread(target=_show_time, args=words, daemon=True)
            self._clock = ended, thread
            thread.start()

    def error(self, text: str) -> None:
        """Write an error of the command itself."""
        self.status("")
        for line in f"sdfbridge: {printable(text, lines=True)}".split("\n"):
            self._say(line)

    def diagnostics(self, entries: Iterable[Diagnostic], *, all_kinds: bool = False) -> None:
        """Write the diagnostics that the verbosity admits, by harm, then the number of each
        severity.

        Below verbosity 1, only the first few with the same code and template are written, and the
        rest is counted; of warnings, commands other than ``check`` write the three worst kinds.

        Args:
            entries: The diagnostics.
            all_kinds: Whether every kind of warning is written, as where warnings are errors.
        """
        self.status("")
        entries = list(entries)
        if self.verbosity > 0 or all_kinds or self.command in _LISTING:
            self._write(self._select(entries))
        else:
            errors = [entry for entry in entries if entry.severity == "error"]
            self._write(folded(errors, self.similar))
            if self.verbosity == 0:
                warnings = [entry for entry in entries if entry.severity == "warning"]
                for text in worst_lines(warnings, self._line, _MORE):
                    self._say(text)
        if entries and self.verbosity >= 0:
            self._say(self._summary(entries))

    def _write(self, found: Iterable[tuple[Diagnostic, int]]) -> None:
        for entry, others in found:
            self._say(self._line(entry))
            if others:
                self._say(f"and {others} more like it  [{entry.code}]{_MORE}")

    def _line(self, entry: Diagnostic) -> str:
        if shown_path(entry.where.file) == STDIN:
            entry = replace(entry, where=replace(entry.where, file=STDIN))
        return str(with_command_words(entry, self.command))

    def _say(self, text: str) -> None:
        """Write a line of prose to standard error."""
        _write(f"{_fitted(text, sys.stderr)}\n", sys.stderr)

    def advice(self, text: str) -> None:
        """Write how a file can be read in spite of its errors; nothing for an empty text."""
        if text:
            self._say(in_command_words(printable(text), self.command))

    def _select(self, entries: Iterable[Diagnostic]) -> list[tuple[Diagnostic, int]]:
        """Return the diagnostics to write, each with the number of further ones after it."""
        severities = _SEVERITIES[: max(self.verbosity, -1) + 2]
        admitted = [entry for entry in entries if entry.severity in severities]
        return folded(admitted, sys.maxsize if self.verbosity > 0 else self.similar)

    def _summary(self, entries: Iterable[Diagnostic]) -> str:
        counts = Counter(entry.severity for entry in entries)
        found = [counted(counts[s], s) for s in _SEVERITIES if counts[s]]
        return ", ".join(found) + (
            " (-v shows notes)" if counts["note"] and self.verbosity == 0 else ""
        )


def _show_time(text: str, since: float, ended: threading.Event) -> None:
    """Show a text and the time since a start [s] in the last line of a terminal, each second."""
    while not ended.is_set():
        passed = time.monotonic() - since
        line = text if passed < _UNTIMED else f"{text} ({passed:.0f} s)"
        sys.stderr.write(f"\r\x1b[K{line[: shutil.get_terminal_size().columns - 1]}")
        sys.stderr.flush()
        ended.wait(1.0)


def _in_one_line(text: str) -> str:
    return text.replace("\n", "\\x0a")


_BRANCH = re.compile(r"((?:[| ]   )*)(\|-- |`-- |)")
"""The beginning of a line of a tree."""
_LEAST_ROOM = 20
"""Smallest number of characters of a line after its indent."""


def _fitted(text: str, stream: TextIO, indent: str = "  ") -> str:
    """Return a line as a terminal shows it, broken between words; for another stream as it is.

    Args:
        text: The line.
        stream: Where it is printed.
        indent: Beginning of the lines after the first.
    """
    room = max(shutil.get_terminal_size().columns, len(indent) + _LEAST_ROOM)
    if not stream.isatty() or len(text) <= room:
        return text
    lines = textwrap.wrap(
        text, room, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False
    )
    return "\n".join(lines)


def _widths(rows: Sequence[Sequence[str]], room: int) -> list[int]:
    """Return the widths of the columns; the widest ones give way where the room is too small."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    while sum(widths) + 2 * len(widths) > room and max(widths) > _NARROWEST:
        widths[widths.index(max(widths))] -= 1
    return widths


def _write(text: str, stream: TextIO | None = None) -> None:
    """Write to a stream, or nowhere once its reader has closed it, as ``head`` does: the command
    goes on to its own exit status.

    Args:
        text: The text.
        stream: The stream; by default standard output.
    """
    stream = sys.stdout if stream is None else stream
    try:
        stream.write(text)
        stream.flush()
    except BrokenPipeError:
        discard(stream)


def discard(stream: TextIO) -> None:
    """Let what is written to a stream from now on go nowhere.

    Args:
        stream: The stream, whose reader has closed it.
    """
    os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


_BREAKS = re.compile(r"(\s+|(?<=[_/:])(?=\w))")
"""The places at which a cell may be broken: spaces, and separators of names."""


def _cell_lines(cell: str, width: int) -> list[str]:
    wrapper = textwrap.TextWrapper(width, break_on_hyphens=False)
    wrapper.wordsep_simple_re = _BREAKS
    return wrapper.wrap(cell)


def _line(cells: Sequence[str], widths: Sequence[int]) -> str:
    padded = (cell.ljust(width) for cell, width in zip(cells, widths, strict=True))
    return f" {'  '.join(padded)}".rstrip()


def _styled(text: str, style: str | None) -> str:
    """Return a text with a style of `STYLES`, if standard output is a terminal that shows it."""
    if not style or not sys.stdout.isatty() or "NO_COLOR" in os.environ:
        return text
    codes = ";".join(STYLES[word] for word in style.split())
    return f"\x1b[{codes}m{text}\x1b[0m"
