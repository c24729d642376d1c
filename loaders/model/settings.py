"""Names, axes and engine settings that the whole model shares."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Protocol, TypeVar

from loaders.diagnostics import NOWHERE, Where
from loaders.pose import frozen

WORLD = "world"
"""Name of the world, where the name of a link is expected."""
X_AXIS = frozen((1.0, 0.0, 0.0))
Y_AXIS = frozen((0.0, 1.0, 0.0))
Z_AXIS = frozen((0.0, 0.0, 1.0))
"""Unit axes, shape (3,)."""
Rgba = tuple[float, float, float, float]
"""Red, green, blue and opacity, each from 0 to 1."""

Settings = tuple[tuple[str, str], ...]
"""Attribute and text of each setting, in the words of a file of one simulator."""
EngineSettings = tuple[tuple[str, Settings], ...]
"""Settings that only one simulator has and no other field holds, by the name of that simulator."""


class HasEngineSettings(Protocol):
    """An item with settings that only one simulator has."""

    @property
    def engine_settings(self) -> EngineSettings:
        """Settings of each simulator."""


def settings_of(item: HasEngineSettings, engine: str) -> Settings:
    """Return the settings of an item that one simulator has; empty if there are none.

    Args:
        item: The item.
        engine: Name of the simulator.
    """
    return next((settings for name, settings in item.engine_settings if name == engine), ())


def of_engine(engine: str, settings: Settings) -> EngineSettings:
    """Return the settings of one simulator as the field of an item; empty if there are none.

    Args:
        engine: Name of the simulator.
        settings: Its settings.
    """
    return ((engine, settings),) if settings else ()


class Named(Protocol):
    """An item with a name."""

    @property
    def name(self) -> str:
        """Name of the item."""


N = TypeVar("N", bound=Named)


def by_name(items: Iterable[N]) -> dict[str, N]:
    """Return the items keyed by name."""
    return {item.name: item for item in items}


@dataclass(frozen=True, slots=True, kw_only=True)
class EngineElement:
    """An element that only one simulator has: a sensor, a constraint of one joint or of tendons, a
    soft body.
    """

    engine: str
    """Name of the simulator."""
    name: str
    """Scoped name."""
    section: str
    """Section of the file of the simulator: ``sensor``, ``equality``, ``deformable``,
    or ``skin`` for a skin in the last of these."""
    tag: str
    """Name of the element, such as ``jointpos``."""
    settings: Settings = ()
    """Attribute, or path of an attribute of an element in it (``edge/damping``) or of an item that
    it names (``site/size``), and text."""
    references: Settings = ()
    """Attribute and scoped name of each item that the element names; an attribute may have
    several."""
    where: Where = NOWHERE
