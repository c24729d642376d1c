"""Deferred imports of functions, and of the public names of a package.

A load imports only the readers of the formats that it meets, and a notebook what it draws. Each use
is a declaration at the top of a module, so that the order of the packages is checked as for
imports.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from importlib import import_module
from typing import Any


@dataclass(frozen=True, slots=True)
class Deferred:
    """A function that calls another one, and imports its module for that.

    Attributes:
        target: The module and the name of the other one: ``loaders.urdf:read``.
    """

    target: str

    def __call__(self, *arguments: Any, **options: Any) -> Any:
        """Return the result of the other function."""
        module, _, name = self.target.partition(":")
        return getattr(import_module(module), name)(*arguments, **options)


def on_demand(package: str, homes: Mapping[str, str]) -> Callable[[str], Any]:
    """Return the ``__getattr__`` of a package that imports public names when they are first used.

    Args:
        package: The name of the package.
        homes: The module of each of these names, relative to the package: ``.document``.
    """

    def get(name: str) -> Any:
        if name not in homes:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        return getattr(import_module(homes[name], package), name)

    return get
