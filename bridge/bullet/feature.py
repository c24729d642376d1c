"""A feature of a scene that PyBullet does not support, and the items of the scene that have it."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from bridge.mechanism import Mechanism
from loaders.diagnostics import Fate, Where


@dataclass(frozen=True, slots=True)
class Item:
    """One item of the scene with an unsupported feature."""

    name: str
    """Name of the item in the message."""
    where: Where
    subjects: tuple[str, ...]
    """Scoped names of the links, joints and so on that it is about."""


@dataclass(frozen=True, slots=True)
class UnsupportedFeature:
    """One feature that PyBullet does not support."""

    code: str
    """Diagnostic code without the prefix ``pybullet.``."""
    fate: Fate
    template: str
    """Message, with ``{names}`` for the names of the items and ``{count}`` for their number."""
    find: Callable[[Mechanism], Iterable[Item]]
    """Function that returns the items with the feature."""
    hint: str = ""
