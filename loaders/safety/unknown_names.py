"""Errors about names that do not exist: one type and one text for all functions that take the name of an element."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TypeVar

from .suggestions import closest

_MAX_LISTED = 10

T = TypeVar("T")


class UnknownNameError(KeyError, ValueError):
    """An error about an unknown name: a `KeyError` and a `ValueError`, whose text is a sentence without quotes."""

    def __str__(self) -> str:
        return str(self.args[0])


class NameIndex(dict[str, T]):
    """A dictionary by name that suggests the closest one for a name that it does not have.

    ``reasons`` states why names that the user knows are not in the dictionary, such as ``"closes a kinematic loop"``.
    """

    def __init__(self, kind: str, entries: Mapping[str, T], reasons: Mapping[str, str] | None = None) -> None:
        super().__init__(entries)
        self._kind = kind
        self._reasons = reasons or {}

    def __missing__(self, name: str) -> T:
        if name in self._reasons:
            raise UnknownNameError(f"the {self._kind} {name!r} {self._reasons[name]}")
        raise unknown_name(self._kind, name, self)


def unknown_name(kind: str, name: object, known: Iterable[str]) -> UnknownNameError:
    """Return an error about an unknown name, with the closest one or all that are known.

    Args:
        kind: What is named, such as ``joint``.
        name: The unknown name.
        known: The names that there are.
    """
    names = list(known)
    close = closest(str(name), names)
    if close:
        return UnknownNameError(f"unknown {kind} {name!r}; did you mean {close!r}?")
    rest = f" and {len(names) - _MAX_LISTED} more" if len(names) > _MAX_LISTED else ""
    listed = ", ".join(names[:_MAX_LISTED]) or "none"
    return UnknownNameError(f"unknown {kind} {name!r}; expected one of: {listed}{rest}")
