"""Options of the simulation: gravity, time step, wind, and the settings of MuJoCo's solver."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import numpy as np

from loaders.diagnostics import Fate, Where
from loaders.mjcf.compilation.source import Source
from loaders.model import Physics
from loaders.node import Node
from loaders.reading.makers import maker
from loaders.spatial import Array, frozen

_Physics = maker(Physics)
_FIELDS = frozenset({"timestep", "gravity", "wind", "magnetic"})
"""Attributes of ``<option>`` that are fields of the scene."""


def read_gravity(source: Source) -> Array:
    """Return the gravity [m/s^2]; zero if a flag switches it off."""
    return frozen(np.zeros(3) if "gravity" in source.compiled.disabled else source.model.opt.gravity)


def read_physics(settings: Iterable[tuple[str, str]], source: Source) -> Physics:
    """Return the settings of the integrator and the solver.

    Args:
        settings: The options and flags, of which the last of a name counts.
        source: The compiled model.
    """
    return _Physics(
        time_step=float(source.model.opt.timestep), engine="mujoco", parameters=tuple(sorted(dict(settings).items()))
    )


def report_options_of_include(root: Node) -> None:
    """Report the options of a document that another one includes, which keeps its own.

    Args:
        root: The root element, without includes.
    """
    options = [child for child in root.children if child.tag == "option"]
    stated = (f"option/{key}" for option in options for key in option.attributes)
    names = sorted({*stated, *dict(stated_settings(root))})
    if names:
        message = "the options of an included file are left out: {names}; those of the file that includes it count"
        hint = "state gravity and time step in the file that includes this one"
        options[0].report(Fate.NOTED, "mjcf-in.options", message, hint=hint, names=tuple(names))


def stated_settings(root: Node) -> Iterator[tuple[str, str]]:
    """Yield the options and flags of a document that are no fields of a scene.

    Args:
        root: The root element, without includes.
    """
    for option in (child for child in root.children if child.tag == "option"):
        yield from ((f"option/{key}", text) for key, text in option.attributes.items() if key not in _FIELDS)
        for flag in (child for child in option.children if child.tag == "flag"):
            yield from ((f"flag/{key}", text) for key, text in flag.attributes.items() if key != "gravity")


def memory_of(root: Node) -> Iterator[tuple[str, str]]:
    """Yield the memory that a document asks for, without which MuJoCo may refuse a model of many bodies.

    Args:
        root: The root element, without includes.
    """
    for size in (child for child in root.children if child.tag == "size"):
        yield from ((f"size/{key}", text) for key, text in size.attributes.items() if key == "memory")


def report_warnings(source: Source) -> None:
    """Report the warnings of MuJoCo's compiler."""
    for message in dict.fromkeys(source.compiled.warnings):
        where = Where(source.file)
        source.diagnostics.add(Fate.NOTED, "mjcf-in.warning", "MuJoCo warns: {message}", where, message=message)
