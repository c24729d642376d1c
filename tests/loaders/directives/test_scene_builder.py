"""Frames that directives refer to: scoped, local, ambiguous and unknown names."""

from __future__ import annotations

import pytest

from loaders.context import Context, Resources
from loaders.diagnostics import Diagnostics
from loaders.drake.directives import SceneBuilder
from loaders.node import Node
from loaders.pose import IDENTITY


@pytest.fixture
def diagnostics() -> Diagnostics:
    return Diagnostics()


@pytest.fixture
def builder(diagnostics: Diagnostics) -> SceneBuilder:
    context = Context(
        resources=Resources(), diagnostics=diagnostics, read_file=lambda path, context: None
    )
    builder = SceneBuilder(context)
    for name in ("m::a", "n::a", "n::b"):
        builder.add_frame(name, name, IDENTITY)
    return builder


@pytest.mark.parametrize(("name", "scoped"), [("m::a", "m::a"), ("b", "n::b"), ("world", "world")])
def test_a_local_name_is_sufficient_if_it_is_unambiguous(
    builder: SceneBuilder, name: str, scoped: str
) -> None:
    assert builder.find(name, Node("x", {}, file="f", line=1, diagnostics=Diagnostics())) == scoped


@pytest.mark.parametrize(
    ("name", "subjects", "hint"),
    [("a", ("m::a", "n::a"), "write the scoped name"), ("n::c", (), "did you mean n::b?")],
)
def test_other_names_are_reported(
    builder: SceneBuilder, diagnostics: Diagnostics, name: str, subjects: tuple[str, ...], hint: str
) -> None:
    assert builder.find(name, Node("x", {}, file="f", line=1, diagnostics=diagnostics)) is None
    (entry,) = diagnostics
    assert (entry.code, entry.subjects) == ("directives.unknown-frame", subjects)
    assert entry.hint.startswith(hint[:12])
