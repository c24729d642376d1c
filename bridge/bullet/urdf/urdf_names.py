"""Names that PyBullet's URDF reader survives: unique within a body, and not too long."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable

from loaders.diagnostics import Diagnostics, Fate

MAX_BYTES = 1000
"""Longer names corrupt PyBullet's memory."""
NAMELESS = "_"
"""Stands for a name of no letters, with which PyBullet crashes."""


class Names:
    """The names of one body; those that the model itself uses are kept for it."""

    __slots__ = ("_diagnostics", "_joints", "_links", "_reserved")

    def __init__(self, reserved: Iterable[str], diagnostics: Diagnostics) -> None:
        self._reserved = set(reserved)
        self._links: set[str] = set()
        self._joints: set[str] = set()
        self._diagnostics = diagnostics

    def link(self, name: str, *, exact: bool = False) -> str:
        """A name for a link: the model's own if exact, else one that nothing in the model has."""
        return self._unique(name, self._links, exact)

    def joint(self, name: str, *, exact: bool = False) -> str:
        """A name for a joint; see `link`."""
        return self._unique(name, self._joints, exact)

    def _unique(self, name: str, taken: set[str], exact: bool) -> str:
        name = name or NAMELESS
        while name in taken or (not exact and name in self._reserved):
            name += "_"
        taken.add(name)
        return self._short(name)

    def _short(self, name: str) -> str:
        data = name.encode()
        if len(data) <= MAX_BYTES:
            return name
        short = f"{data[: MAX_BYTES - 20].decode(errors='ignore')}~{hashlib.sha256(data).hexdigest()[:16]}"
        self._diagnostics.add(
            Fate.APPROXIMATED,
            "pybullet.name-shortened",
            "a name of {count} bytes is too long for PyBullet, which knows it as {short}...{short_2}",
            target="pybullet",
            hint=f"use up to {MAX_BYTES} bytes",
            count=len(data),
            short=short[:40],
            short_2=short[-17:],
        )
        return short
