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
"""Attribute and text of each setting of MuJoCo, as in MJCF, that no other field holds."""

INERTIA_SETTINGS = frozenset({"inertial/diaginertia", "inertial/quat"})
"""Settings that state the inertia of a link a second time, by its principal axes and moments."""
NEUTRAL_SETTINGS = INERTIA_SETTINGS | {"ref"}
"""Settings that select one of several forms of the same model."""


def beyond_inertia(settings: Settings) -> Settings:
    """Return settings without those that state the inertia a second time."""
    return tuple(entry for entry in settings if entry[0] not in INERTIA_SETTINGS)


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
class MujocoElement:
    """An element that only MuJoCo has: a sensor, a constraint of one joint or of tendons, a soft
    body.
    """

    name: str
    """Scoped name."""
    section: str
    """Section of MJCF: ``sensor``, ``equality`` or ``deformable``."""
    tag: str
    """Name of the element, such as ``jointpos``."""
    settings: Settings = ()
    """Attribute, or path of an attribute of an element in it (``edge/damping``) or of an item that
    it names (``site/size``), and text.
    """
    references: Settings = ()
    """Attribute and scoped name of each item that the element names; an attribute may have
    several.
    """
    where: Where = NOWHERE
