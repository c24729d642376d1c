"""Parsed XML nodes, for tests."""

from __future__ import annotations

from hypothesis import settings

from loaders.diagnostics import Diagnostics
from loaders.node import Node
from loaders.xml import parse

FUZZ = settings(max_examples=80, deadline=None)


def root_of(text: str) -> tuple[Node, Diagnostics]:
    found = Diagnostics()
    root = parse(text.encode(), "f.sdf", found)
    assert root is not None
    return root, found
