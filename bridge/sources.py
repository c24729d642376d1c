"""What the public functions take: a path, a scene, or a mechanism."""

from __future__ import annotations

import os
from typing import Any

import loaders
from loaders.model import Scene

from .masses import movable
from .mechanism import Mechanism, lower

Source = str | os.PathLike[str] | Scene | Mechanism


def mechanism_of(source: Source, **load_options: Any) -> Mechanism:
    """The mechanism that a source stands for, as an engine can move it; options of `loaders.load` are for a path.

    Raises:
        LoadError: if the file is wrong.
        ExportError: if the scene cannot be lowered.
        TypeError: for anything else than a path, a scene or a mechanism.
    """
    if isinstance(source, Mechanism):
        return movable(source)
    if isinstance(source, Scene):
        return movable(lower(source))
    if not isinstance(source, str | os.PathLike):
        raise TypeError(f"expected a path, a Scene or a Mechanism, not {type(source).__name__}")
    return movable(lower(loaders.load(source, **load_options)))
