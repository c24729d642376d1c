"""The public interface of `loaders`: its names and the examples in its docstrings."""

from __future__ import annotations

import doctest
from pathlib import Path

import pytest

import loaders

ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize("function", [loaders.load, loaders.load_string, loaders.resolve])
def test_examples_in_docstrings_run(function, monkeypatch: pytest.MonkeyPatch) -> None:  # type: ignore[no-untyped-def]
    monkeypatch.chdir(ROOT)
    (example,) = doctest.DocTestFinder().find(
        function, function.__name__, globs={"loaders": loaders}
    )
    assert example.examples
    assert doctest.DocTestRunner().run(example).failed == 0


def test_only_public_names_are_listed() -> None:
    assert dir(loaders) == sorted(loaders.__all__)
    assert all(hasattr(loaders, name) for name in loaders.__all__)


def test_load_string_refuses_an_unknown_format() -> None:
    with pytest.raises(
        ValueError, match="unknown format 'usd'; expected one of: sdf, urdf, directives, mjcf"
    ):
        loaders.load_string("<robot/>", format="usd")


def test_load_error_holds_every_problem() -> None:
    joint = '<joint name="j" type="fixed"><parent link="a"/><child link="c"/></joint>'
    text = f'<robot name="r"><link name="a"/>{joint}</robot>'
    with pytest.raises(loaders.LoadError) as error:
        loaders.load_string(text, format="urdf")
    assert [entry.code for entry in error.value.diagnostics] == ["urdf.unknown-link"]
