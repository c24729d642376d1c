"""Text for interactive use: abbreviated names, and the names that completion offers."""

from __future__ import annotations

from collections.abc import Iterable

_MAX_LENGTH = 60


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
