"""Names that PyBullet's URDF reader accepts: unique within a body and of limited length."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable

from bridge.bullet.target import TARGET
from bridge.export.xml_text import xml_compatible
from loaders.diagnostics import Diagnostics, Fate

MAX_BYTES = 1000
"""Maximum length of a name in bytes; longer names corrupt PyBullet's memory."""
NAMELESS = "_"
"""Replacement for an empty name, which crashes PyBullet."""


class UrdfNames:
    """The link and joint names of one body; names that the model itself uses are reserved."""

    __slots__ = ("_diagnostics", "_joints", "_links", "_reserved")

    def __init__(self, reserved: Iterable[str], diagnostics: Diagnostics) -> None:
        self._reserved = set(reserved)
        self._links: set[str] = set()
        self._joints: set[str] = set()
        self._diagnostics = diagnostics

    def link(self, name: str, *, exact: bool = False) -> str:
        """Return a name for a link: the model's own name if ``exact``, otherwise one that the model does not use."""
        return self._unique(name, self._links, exact)

    def joint(self, name: str, *, exact: bool = False) -> str:
        """Return a name for a joint; see `link`."""
        return self._unique(name, self._joints, exact)

    def _unique(self, name: str, taken: set[str], exact: bool) -> str:
        unique = xml_compatible(name) or NAMELESS
        while unique in taken or (not exact and unique in self._reserved):
            unique += "_"
        taken.add(unique)
        return self._shortened(unique, name)

    def _shortened(self, unique: str, name: str) -> str:
        data = unique.encode()
        if len(data) <= MAX_BYTES:
            return unique
        short = f"{data[: MAX_BYTES - 20].decode(errors='ignore')}~{hashlib.sha256(data).hexdigest()[:16]}"
        self._diagnostics.add(
            Fate.APPROXIMATED,
            "pybullet.name-shortened",
            "a name of {size} bytes is too long for PyBullet; shortened to {start}...{end}",
            target=TARGET,
            hint=f"use a name of at most {MAX_BYTES} bytes",
            subjects=(name,),
            size=len(data),
            start=short[:40],
            end=short[-17:],
        )
        return short
