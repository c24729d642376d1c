"""Keys of values that readers ask for together."""

from __future__ import annotations

from collections.abc import Mapping
from operator import itemgetter

from .number_syntax import plain_values


class KeyGroup:
    """At least two keys of `loaders.node`, all of attributes or all of children.

    Attributes:
        keys: The keys.
        are_attributes: Whether they are keys of attributes.
    """

    __slots__ = ("_names", "_texts", "are_attributes", "keys")

    def __init__(self, *keys: str) -> None:
        self.keys = keys
        self.are_attributes = keys[0][0] == "@"
        self._names = frozenset(key.removeprefix("@") for key in keys)
        self._texts = itemgetter(*(key.removeprefix("@") for key in keys))

    def numbers(self, texts: Mapping[str, str], default: float) -> tuple[float, ...] | None:
        """Return the number of each key if all are plain, or if none exists; None otherwise.

        Args:
            texts: The texts by the names of attributes or children.
            default: The value of a key that does not exist.
        """
        try:
            return plain_values(self._texts(texts))
        except KeyError:
            return (default,) * len(self.keys) if self._names.isdisjoint(texts) else None
