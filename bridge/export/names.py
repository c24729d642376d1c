"""Unique names of elements and files, and the map from the names of the source."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from itertools import chain, count

from loaders.model import WORLD

_FILES = frozenset({"mesh", "picture"})
"""Kinds of names that are also names of files: OBJ and PNG."""


def changed_names(names: Mapping[str, Mapping[str, str]], kinds: Iterable[str]) -> dict[str, str]:
    """Return new names by old one, where they differ.

    Where the world, or an item of a kind before, has the old name too, the key starts with the kind: ``joint a``.

    Args:
        names: New names by old one, for each kind of item.
        kinds: The kinds, the first of which is ``link``.
    """
    known = {WORLD: WORLD}
    changed: dict[str, str] = {}
    for kind in kinds:
        for old, new in names[kind].items():
            is_known = old in known and kind != "link"
            if new != (known[old] if is_known else old):
                changed[f"{kind} {old}" if is_known else old] = new
        known = {**names[kind], **known} if kind != "link" else {WORLD: WORLD, **names[kind]}
    return changed


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
        if preferred and (key := normalized(preferred)) not in taken:
            taken.add(key)
            return preferred
        base = alternative or preferred
        candidates = chain(filter(None, (alternative,)), (f"{base}_{n}" for n in count(2)))
        name = next(name for name in candidates if normalized(name) not in taken)
        taken.add(normalized(name))
        return name
