"""The progress of a batch on standard error."""

from __future__ import annotations

import io
import sys

import pytest

from bridge.batches import BatchOutcome, BatchResult
from bridge.cli.commands.batch import BatchProgress
from bridge.cli.output import Output

GOOD = BatchResult(source="a.sdf", task="check", outcome=BatchOutcome.VALID)
BAD = BatchResult(source="b\x1b.sdf", task="check", outcome=BatchOutcome.CRASH, detail="SIGSEGV")


class Terminal(io.StringIO):
    """A terminal."""

    def isatty(self) -> bool:
        return True


def progressed(verbosity: int) -> None:
    with BatchProgress(Output(verbosity), "check", 2) as progress:
        progress.add(GOOD)
        progress.add(BAD)
    assert (progress.done, progress.failed) == (2, 1)


def test_elsewhere_each_model_that_is_not_fine_is_a_line(
    capsys: pytest.CaptureFixture[str],
) -> None:
    progressed(0)
    assert capsys.readouterr().err == "b\\x1b.sdf: crash, SIGSEGV\n"


def test_quiet_prints_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    progressed(-1)
    assert capsys.readouterr() == ("", "")


def test_a_terminal_shows_a_bar_with_rate_and_failures(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("COLUMNS", "120")
    progressed(0)
    text = terminal.getvalue()
    assert "2/2" in text
    assert "1 not fine" in text
    assert "/s" in text
    assert "SIGSEGV" in text


def test_lines_say_the_rate_and_the_time_left(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("bridge.cli.commands.batch._INTERVAL", -1.0)
    progressed(0)
    first, *_ = capsys.readouterr().err.splitlines()
    assert first.startswith("1 of 2, ")
    assert first.endswith(" s left, 0 not fine")
