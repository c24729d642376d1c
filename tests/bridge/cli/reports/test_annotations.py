"""Annotations of GitHub Actions."""

from __future__ import annotations

from pathlib import Path

from bridge.cli.commands.check import workflow_commands
from loaders.diagnostics import Diagnostic, Fate, Where
from tests.support.command_line import call


def test_special_characters_are_escaped_as_github_documents_it() -> None:
    entry = Diagnostic("a.b", Fate.DROPPED, "100 %\nlost: a, b", Where("a,b:c.sdf", 3))
    (line,) = workflow_commands([entry], notes=False)
    assert line == "::warning file=a%2Cb%3Ac.sdf,line=3,title=a.b::100 %25%0Alost: a, b"


def test_notes_are_notices_and_left_out_by_default() -> None:
    entry = Diagnostic("a.b", Fate.NOTED, "fine")
    assert list(workflow_commands([entry], notes=False)) == []
    assert list(workflow_commands([entry], notes=True)) == ["::notice title=a.b::fine"]


def test_check_prints_one_annotation_for_each_error(broken: Path) -> None:
    done = call("check", broken, "--format", "github")
    assert done.returncode == 1
    lines = done.stdout.splitlines()
    assert len(lines) >= 3
    assert all(
        line.startswith((f"::error file={broken},line=", f"::warning file={broken},line="))
        for line in lines
    )
