"""Text for interactive use: abbreviated names, and the names that completion offers."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Mapping
from typing import TypeVar

_MAX_LENGTH = 60
_MAX_LISTED = 10

T = TypeVar("T")


class UnknownNameError(KeyError):
    """A `KeyError` whose text is a sentence; it has no quotes around it."""

    def __str__(self) -> str:
        return str(self.args[0])


class NameIndex(dict[str, T]):
    """A dictionary by name that suggests the closest one for a name that it does not have."""

    def __init__(self, kind: str, entries: Mapping[str, T]) -> None:
        super().__init__(entries)
        self._kind = kind

    def __missing__(self, name: str) -> T:
        raise UnknownNameError(unknown_name(self._kind, name, self))


def unknown_name(kind: str, name: object, known: Iterable[str]) -> str:
    """Return the text of an error about an unknown name, with the closest one or all that are known.

    Args:
        kind: What is named, such as ``joint``.
        name: The unknown name.
        known: The names that there are.
    """
    names = list(known)
    close = difflib.get_close_matches(str(name), names, n=1)
    if close:
        return f"unknown {kind} {name!r}; did you mean {close[0]!r}?"
    rest = f" and {len(names) - _MAX_LISTED} more" if len(names) > _MAX_LISTED else ""
    return f"unknown {kind} {name!r}; expected one of: {', '.join(names[:_MAX_LISTED]) or 'none'}{rest}"


def abbreviated(name: str) -> str:
    """Return a name, cut to 60 characters if it is longer."""
    return name if len(name) <= _MAX_LENGTH else f"{name[: _MAX_LENGTH - 3]}..."


def public_names(handle_type: type, attributes: Iterable[str]) -> list[str]:
    """Return the public names of a handle, without those that it inherits.

    Args:
        handle_type: The class that defines the public methods.
        attributes: Names of the attributes of one instance.
    """
    return sorted({name for name in (*vars(handle_type), *attributes) if not name.startswith("_")})
