"""Output of the commands: which diagnostics are printed, and where."""

from __future__ import annotations

from pathlib import Path

import pytest

from bridge.cli import main
from bridge.cli.output import Output
from loaders.diagnostics import Diagnostic, Fate

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


def test_quiet_hides_warnings_and_verbose_adds_notes(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    lines = {}
    for flag in ("-q", "-v"):
        assert main(["convert", str(ARM), "-o", str(tmp_path / flag), flag]) == 0
        lines[flag] = capsys.readouterr().err
    assert lines["-q"] == ""
    assert "note:" in lines["-v"]
    assert "warning:" in lines["-v"]


def test_warnings_are_grouped_by_code_and_errors_are_never_hidden(capsys: pytest.CaptureFixture[str]) -> None:
    warnings = [Diagnostic("a.b", Fate.DROPPED, "link {link}", arguments={"link": f"l{i}"}) for i in range(7)]
    others = [Diagnostic("a.c", Fate.DROPPED, "joint {joint}", arguments={"joint": "j"})]
    errors = [Diagnostic("a.d", Fate.INVALID, "link {link}", arguments={"link": f"l{i}"}) for i in range(9)]
    Output().diagnostics([*warnings, *others, *errors])
    lines = capsys.readouterr().err.splitlines()
    assert [line for line in lines if "[a.b]" in line] == [
        *(f"warning: link l{i}  [a.b]" for i in range(5)),
        "and 2 more like it  [a.b] (-v shows all)",
    ]
    assert sum("[a.d]" in line for line in lines) == 9
    assert lines[-1] == "9 errors, 8 warnings"
