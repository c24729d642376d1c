"""Output of the commands: which diagnostics are printed, and where."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from bridge.cli import main
from bridge.cli.output import Output
from loaders.diagnostics import Diagnostic, Fate
from tests.support.command_line import ROOT

ARM = Path(__file__).parents[3] / "assets" / "arm" / "model.sdf"


def test_many_warnings_alike_are_counted_unless_all_are_asked_for(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    links = "".join(f"<link name='l{i}'><colour/></link>" for i in range(40))
    path = tmp_path / "many.urdf"
    path.write_text(f"<robot name='r'>{links}</robot>", encoding="utf-8")
    assert main(["check", str(path)]) == 0
    text = capsys.readouterr().err
    assert text.count("[xml.unread]") == 5 + 1, "five of them, and their number"
    assert "and 35 more like it  [xml.unread] (-v shows all)" in text
    assert main(["check", "-v", str(path)]) == 0
    text = capsys.readouterr().err
    assert text.count("[xml.unread]") == 40
    assert "more like it" not in text


def test_quiet_hides_warnings_and_verbose_adds_notes(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    lines = {}
    for flag in ("-q", "-v"):
        assert main(["convert", str(ARM), "-o", str(tmp_path / flag), flag]) == 0
        lines[flag] = capsys.readouterr().err
    assert lines["-q"] == ""
    assert "note:" in lines["-v"]
    assert "warning:" in lines["-v"]


def test_findings_of_one_kind_are_folded(capsys: pytest.CaptureFixture[str]) -> None:
    warnings = [
        Diagnostic("a.b", Fate.DROPPED, "link {link}", arguments={"link": f"l{i}"})
        for i in range(7)
    ]
    others = [Diagnostic("a.c", Fate.DROPPED, "joint {joint}", arguments={"joint": "j"})]
    errors = [
        Diagnostic("a.d", Fate.INVALID, "link {link}", arguments={"link": f"l{i}"})
        for i in range(9)
    ]
    Output().diagnostics([*warnings, *others, *errors])
    lines = capsys.readouterr().err.splitlines()
    assert [line for line in lines if "[a.b]" in line] == [
        *(f"warning: link l{i}  [a.b]" for i in range(5)),
        "and 2 more like it  [a.b] (-v shows all)",
    ]
    assert [line for line in lines if "[a.d]" in line] == [
        *(f"error: link l{i}  [a.d]" for i in range(5)),
        "and 4 more like it  [a.d] (-v shows all)",
    ]
    assert lines[-1] == "9 errors, 8 warnings"


def test_warnings_of_one_code_with_different_templates_are_counted_apart(
    capsys: pytest.CaptureFixture[str],
) -> None:
    entries = [
        Diagnostic("a.b", Fate.DROPPED, template) for template in ("one", "two") for _ in range(4)
    ]
    Output(similar=2).diagnostics(entries)
    lines = capsys.readouterr().err.splitlines()
    assert lines.count("and 2 more like it  [a.b] (-v shows all)") == 2
    assert sum(line.startswith("warning: two") for line in lines) == 2


@pytest.mark.skipif(os.name != "posix", reason="pseudo-terminals of POSIX")
def test_progress_is_shown_on_a_terminal_only() -> None:
    pty = pytest.importorskip("pty")
    command = [sys.executable, "-m", "bridge", "check", str(ARM), str(ARM.parents[1] / "leg.sdf")]
    controller, terminal = pty.openpty()
    done = subprocess.run(
        command, stdout=subprocess.PIPE, stderr=terminal, text=True, check=True, cwd=ROOT
    )
    os.close(terminal)
    assert b"(1 of 2)" in os.read(controller, 100_000)
    os.close(controller)
    assert done.stdout.splitlines()[-1] == "2 files: 2 valid, 0 invalid"
    assert (
        "of 2)"
        not in subprocess.run(command, capture_output=True, text=True, check=True, cwd=ROOT).stderr
    )
