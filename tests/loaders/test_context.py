"""The context of a load: nested files."""

from __future__ import annotations

from pathlib import Path

from loaders.context import Context
from loaders.diagnostics import Diagnostics
from loaders.resources import Resources


def test_the_context_of_a_nested_file_shares_the_diagnostics() -> None:
    diagnostics = Diagnostics()
    context = Context(resources=Resources(), diagnostics=diagnostics, read_file=lambda path, context: None)
    nested = context.inside(Path("/a.sdf")).inside(Path("/b.sdf"))
    assert context.including == ()
    assert nested.including == (Path("/a.sdf"), Path("/b.sdf"))
    assert nested.diagnostics is diagnostics
