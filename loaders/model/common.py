"""Names and types that the whole model shares."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Protocol, TypeVar

from loaders.spatial import frozen

WORLD = "world"
"""The name of the world where a link is expected."""
X_AXIS = frozen((1.0, 0.0, 0.0))
Y_AXIS = frozen((0.0, 1.0, 0.0))
Z_AXIS = frozen((0.0, 0.0, 1.0))
Rgba = tuple[float, float, float, float]


class Named(Protocol):
    """Anything with a name."""

    @property
    def name(self) -> str:
        """The name."""


N = TypeVar("N", bound=Named)


def by_name(items: Iterable[N]) -> dict[str, N]:
    """The items by their names."""
    return {item.name: item for item in items}
