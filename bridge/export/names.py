"""Unique names of MJCF elements and files."""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import chain, count

_FILES = frozenset({"mesh", "picture"})
"""Kinds of names that are also names of files: OBJ and PNG."""


@dataclass(slots=True)
class Names:
    """Names in use for each kind of element, and the names that differ from the source's."""

    changed: dict[str, str] = field(default_factory=dict)
    """MJCF names by canonical name, where they differ."""
    _taken: dict[str, set[str]] = field(default_factory=dict)

    def claim(self, kind: str, preferred: str, *, alternative: str = "") -> str:
        """Reserve and return a name that no other element of the kind has.

        Names of files differ by more than case, which some file systems ignore.

        Args:
            kind: The kind of element whose names must differ.
            preferred: The name to use if it is free.
            alternative: The name to use if ``preferred`` is taken. If it is taken too, a number is appended.
        """
        taken = self._taken.setdefault(kind, set())
        normalized = str.casefold if kind in _FILES else str
        base = alternative or preferred
        candidates = chain(filter(None, (preferred, alternative)), (f"{base}_{n}" for n in count(2)))
        name = next(name for name in candidates if normalized(name) not in taken)
        taken.add(normalized(name))
        return name
