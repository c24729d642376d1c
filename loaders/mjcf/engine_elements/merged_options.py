"""The options of a model with attached ones, which MuJoCo may merge into those of the document."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from loaders.mjcf.compilation.source import Source
from loaders.mjcf.elements.settings import text_of

_WORDS = {
    "integrator": ("Euler", "RK4", "implicit", "implicitfast", "discrete"),
    "cone": ("pyramidal", "elliptic"),
    "jacobian": ("dense", "sparse", "auto"),
    "solver": ("PGS", "CG", "Newton"),
}
"""Words of the options that are one of several, by number."""
_GROUPS = "disableactuator"
"""MuJoCo's field of the groups of actuators that are switched off, one bit for each."""
_FLAGS = frozenset({"disableflags", "enableflags"})
_FIELDS = frozenset({"timestep", "gravity", "wind", "magnetic"})
"""Options that are fields of the scene."""


def is_merged(source: Source) -> bool:
    """Return whether a model has attached ones.

    Args:
        source: The compiled model.
    """
    return "attach" in source.lines.tags


def merged_settings(source: Source) -> Iterator[tuple[str, str]]:
    """Yield the options and flags of the compiled model that are not MuJoCo's default, as in its text.

    Args:
        source: The compiled model.
    """
    compiled = source.compiled
    option, default = compiled.model.opt, compiled.default_options()
    for name in dir(default):
        if not name.startswith("_") and name not in _FIELDS | _FLAGS:
            value = getattr(option, name)
            if not np.array_equal(value, getattr(default, name)):
                yield _setting(name, value)
    yield from ((f"flag/{name}", "disable") for name in compiled.disabled if name != "gravity")
    yield from ((f"flag/{name}", "enable") for name in compiled.enabled)


def _setting(name: str, value: Any) -> tuple[str, str]:
    if name == _GROUPS:
        return "option/actuatorgroupdisable", " ".join(str(bit) for bit in range(32) if int(value) >> bit & 1)
    text = _WORDS[name][int(value)] if name in _WORDS else text_of(value)
    return f"option/{name}", text
