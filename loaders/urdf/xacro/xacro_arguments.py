"""Arguments of xacro that the caller gives."""

from __future__ import annotations

from collections.abc import Mapping


def xacro_arguments(given: object) -> dict[str, str]:
    """Return arguments as the texts that xacro takes; a Boolean is ``true`` or ``false``.

    Args:
        given: A mapping of names to texts, numbers or Booleans.

    Raises:
        TypeError: if it is something else.
    """
    expected = 'expected texts, numbers or Booleans by name, such as {"prefix": "left_", "n": 2}'
    if not isinstance(given, Mapping):
        raise TypeError(f"xacro_args: {expected}, not {given!r}")
    for name, value in given.items():
        if not isinstance(name, str) or not isinstance(value, str | int | float):
            raise TypeError(f"xacro_args: {expected}, not {value!r} for {name!r}")
    return {name: str(value).lower() if isinstance(value, bool) else str(value) for name, value in given.items()}
