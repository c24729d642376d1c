"""The public interface of `loaders`, and functions that their first call imports."""

from __future__ import annotations

import doctest
import subprocess
import sys
from importlib import import_module
from pathlib import Path

import pytest

import loaders
from loaders.deferred import Deferred
from tests.support.source_tree import MODULES, NAMES, ROOT
from tests.support.source_tree import deferred as declared

# The public interface of `loaders`: its names and the examples in its docstrings.

LOADERS_ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize("function", [loaders.load, loaders.load_string, loaders.resolve])
def test_examples_in_docstrings_run(function, monkeypatch: pytest.MonkeyPatch) -> None:  # type: ignore[no-untyped-def]
    monkeypatch.chdir(LOADERS_ROOT)
    (example,) = doctest.DocTestFinder().find(
        function, function.__name__, globs={"loaders": loaders}
    )
    assert example.examples
    assert doctest.DocTestRunner().run(example).failed == 0


def test_only_public_names_are_listed() -> None:
    assert dir(loaders) == sorted(loaders.__all__)
    assert all(hasattr(loaders, name) for name in loaders.__all__)


def test_every_package_has_the_names_that_it_lists() -> None:
    packages = [name for name in MODULES if MODULES[name].endswith("__init__.py")]
    listed = [
        (name, each) for name in packages for each in getattr(import_module(name), "__all__", ())
    ]
    assert len(listed) > 100
    missing = [each for each in listed if not hasattr(import_module(each[0]), each[1])]
    assert missing == []


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


# Functions that are imported by their first call.

TARGETS = sorted({target for name in NAMES for target in declared(name)})


def test_the_first_call_imports_the_module() -> None:
    code = """
import sys
from loaders.deferred import Deferred
reverse = Deferred("colorsys:hsv_to_rgb")
before = "colorsys" in sys.modules
print(before, reverse(0.0, 0.0, v=1.0), "colorsys" in sys.modules)
"""
    run = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=ROOT
    )
    assert run.stdout.split(maxsplit=1)[0] == "False"
    assert run.stdout.strip().endswith("(1.0, 1.0, 1.0) True")


def test_an_unknown_module_or_name_is_an_error_of_the_call() -> None:
    for target, error in (
        ("no_such_module:f", ModuleNotFoundError),
        ("math:no_such_name", AttributeError),
    ):
        with pytest.raises(error):
            Deferred(target)()


@pytest.mark.parametrize("target", TARGETS)
def test_every_declared_function_exists(target: str) -> None:
    module, _, name = target.rpartition(".")
    assert callable(getattr(import_module(module), name))
