"""The context of a load: nested files."""

from __future__ import annotations

from dataclasses import fields
from pathlib import Path

from loaders.context import Context, Resources
from loaders.diagnostics import Diagnostics


def test_the_context_of_a_nested_file_shares_the_diagnostics() -> None:
    diagnostics = Diagnostics()
    context = Context(
        resources=Resources(), diagnostics=diagnostics, read_file=lambda path, context: None
    )
    nested = context.inside(Path("/a.sdf")).inside(Path("/b.sdf"))
    assert context.including == ()
    assert nested.including == (Path("/a.sdf"), Path("/b.sdf"))
    assert nested.diagnostics is diagnostics


def test_the_context_of_a_nested_file_has_all_that_is_given() -> None:
    context = Context(
        resources=Resources(),
        diagnostics=Diagnostics(),
        read_file=lambda path, context: None,
        allow_xacro=True,
        xacro_args={"name": "arm"},
    )
    nested = context.inside(Path("/a.sdf"))
    others = [entry.name for entry in fields(Context) if entry.name != "files"]
    assert [getattr(nested, name) for name in others] == [getattr(context, name) for name in others]
    assert [name for name in others if not getattr(context, name)] == [
        "diagnostics"
    ]  # which is an empty list
