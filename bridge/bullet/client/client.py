"""One physics server of PyBullet's."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any


class Client:
    """Calls PyBullet's functions on one physics server, whatever its user holds: an id or a ``BulletClient``."""

    __slots__ = ("id", "modes")

    def __init__(self, client: Any = 0) -> None:
        import pybullet

        self.id = int(getattr(client, "_client", client))
        self.modes: Any = pybullet
        """Where PyBullet's constants are."""
        if not pybullet.isConnected(self.id):
            raise ValueError(f"no physics server has the id {self.id}; call pybullet.connect(pybullet.DIRECT) first")

    def is_connected(self) -> bool:
        """Whether the server is still there."""
        return bool(self.modes.isConnected(self.id))

    def __getattr__(self, name: str) -> Callable[..., Any]:
        return partial(getattr(self.modes, name), physicsClientId=self.id)
