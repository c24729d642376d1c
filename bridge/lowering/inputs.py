"""What the public functions take: a path, a scene, or a mechanism."""

from __future__ import annotations

import os
from typing import Unpack

import loaders
from bridge.mechanism import Mechanism
from loaders import LoadOptions
from loaders.option_names import check_option_names
from loaders.scene import Scene

from . import lower
from .regularization import with_minimum_inertia

Source = str | os.PathLike[str] | Scene | Mechanism


def mechanism_of(source: Source, **load_options: Unpack[LoadOptions]) -> Mechanism:
    """The mechanism that a source stands for, as an engine can move it.

    Raises:
        LoadError: if the file is wrong.
        ExportError: if the scene cannot be lowered.
        TypeError: for anything else than a path, a scene or a mechanism, and for an option that there is not.
    """
    check_option_names(load_options, LoadOptions.__optional_keys__)
    if isinstance(source, Mechanism):
        return with_minimum_inertia(source)
    if isinstance(source, Scene):
        return with_minimum_inertia(lower(source))
    if not isinstance(source, str | os.PathLike):
        raise TypeError(f"expected a path, a Scene or a Mechanism, not {type(source).__name__}")
    return with_minimum_inertia(lower(loaders.load(source, **load_options)))
