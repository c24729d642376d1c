"""The names that readers asked an element for.

A file has many elements that are read alike. They share one object for the same names, so that a file with a million
elements needs no sets of names for each.
"""

from __future__ import annotations

Keys = str | tuple[str, ...]
"""A key of `loaders.node`, or several: ``@name`` is an attribute, any other key the tag of a child."""

Names = frozenset[str] | set[str]

MAX_NAMES = 64
"""Largest number of names in an object that elements share."""
_MAX_SHARED, _MAX_FOLLOWING, _MAX_LENGTH = 10_000, 200, 200
"""Largest numbers of shared objects, of those that follow one, and of characters that one step adds.

Shared objects stay in memory, and a file may have any names.
"""


class ReadNames(dict[Keys, "ReadNames"]):
    """Names of attributes and tags that readers asked for, whether they exist or not; immutable.

    The item of a key, or of several, has these names and those of the keys. It is a dictionary, because readers ask
    for nearly every element of a file.

    Attributes:
        attributes: Names of attributes.
        tags: Tags of children.
    """

    __slots__ = ("attributes", "tags")

    def __init__(self, attributes: Names, tags: Names) -> None:
        super().__init__()
        self.attributes, self.tags = attributes, tags

    def __missing__(self, keys: Keys) -> ReadNames:
        new = (keys,) if isinstance(keys, str) else keys
        attributes = self.attributes.union([key[1:] for key in new if key[0] == "@"])
        tags = self.tags.union([key for key in new if key[0] != "@"])
        if len(attributes) + len(tags) > MAX_NAMES:
            return _ManyNames(set(attributes), set(tags))
        following = _SHARED.get((attributes, tags))
        if following is None:
            following = ReadNames(attributes, tags)
        if len(_SHARED) < _MAX_SHARED and len(self) < _MAX_FOLLOWING and sum(map(len, new)) < _MAX_LENGTH:
            _SHARED[attributes, tags] = self[keys] = following
        return following


class _ManyNames(ReadNames):
    """More names, of one element alone; mutable."""

    __slots__ = ("_attributes", "_tags")

    def __init__(self, attributes: set[str], tags: set[str]) -> None:
        super().__init__(attributes, tags)
        self._attributes, self._tags = attributes, tags

    def __missing__(self, keys: Keys) -> ReadNames:
        for key in (keys,) if isinstance(keys, str) else keys:
            if key[0] == "@":
                self._attributes.add(key[1:])
            else:
                self._tags.add(key)
        return self


NOTHING_READ = ReadNames(frozenset(), frozenset())
"""The names of an element that no reader has asked for anything."""
_SHARED: dict[tuple[Names, Names], ReadNames] = {(frozenset(), frozenset()): NOTHING_READ}
