"""Functions that are imported by their first call."""

from __future__ import annotations

import subprocess
import sys
from importlib import import_module

import pytest

from loaders.deferred import Deferred
from tests.support.source_tree import NAMES, ROOT
from tests.support.source_tree import deferred as declared

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
