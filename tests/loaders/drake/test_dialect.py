"""Names of Drake's elements: undeclared prefixes and unknown elements."""

from __future__ import annotations

import pytest

import loaders
from tests.support.drake_files import (
    BOTH,
    CURVES,
    NAMESPACE,
    ROTOR,
    load,
)


def bare(source):
    """The file without the declaration of the prefix."""
    return source[0].replace(NAMESPACE, ""), source[1]


@pytest.mark.parametrize("source", [ROTOR["sdf"], ROTOR["urdf"], CURVES["sdf"], CURVES["urdf"]])
def test_the_prefix_need_not_be_declared(source):
    assert load(bare(source)).joints[-1].name == "j"


@BOTH
def test_an_unknown_element_is_a_warning_with_its_line_and_an_error_when_strict(form):
    text, name = form("\n<drake:no_such_thing/>")
    (entry,) = (
        e
        for e in loaders.load_string(text, format=name).diagnostics
        if "no_such_thing" in e.message
    )
    assert (entry.severity, entry.where.line) == ("warning", 2)
    with pytest.raises(loaders.LoadError, match="no_such_thing"):
        loaders.load_string(text, format=name, strict=True)
