"""Connection to one PyBullet physics server."""

from __future__ import annotations

import operator
from collections.abc import Callable
from functools import partial
from typing import Any

HULL_MARGIN = 1e-3
"""Distance by which PyBullet inflates a convex hull [m]."""


class Client:
    """Calls PyBullet's functions on one physics server, given by its id or by a ``BulletClient``.

    Raises:
        TypeError: if it is neither an id nor a ``BulletClient``.
        ValueError: if no physics server has the id.
    """

    __slots__ = ("id", "modes")

    def __init__(self, client: Any = 0) -> None:
        import pybullet

        self.id = _index(getattr(client, "_client", client))
        self.modes: Any = pybullet
        """The module with PyBullet's constants."""
        if not pybullet.isConnected(self.id):
            raise ValueError(f"no physics server has the id {self.id}; call pybullet.connect(pybullet.DIRECT) first")

    def is_connected(self) -> bool:
        """Return whether the physics server is still connected."""
        return bool(self.modes.isConnected(self.id))

    def body_names(self, body: int) -> tuple[bytes, bytes] | None:
        """Return the names of a body's base and of the body; None if the server is closed or has no such body."""
        try:
            base, name = self.modes.getBodyInfo(body, physicsClientId=self.id)
        except self.modes.error:
            return None
        return base, name

    def __getattr__(self, name: str) -> Callable[..., Any]:
        return partial(getattr(self.modes, name), physicsClientId=self.id)


def _index(client: Any) -> int:
    try:
        return operator.index(client)
    except TypeError as error:
        message = f"physicsClientId: expected the id of a physics server or a BulletClient, not {client!r}"
        raise TypeError(message) from error
