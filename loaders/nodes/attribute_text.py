"""Values of attributes as XML text."""

from __future__ import annotations

_ESCAPES = str.maketrans({
    "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "\n": "&#10;", "\t": "&#9;", "\r": "&#13;",
})  # fmt: skip
"""Characters that have a meaning in the value of an attribute."""
ESCAPED = "".join(map(chr, _ESCAPES))
"""The same characters, as text."""


def escaped(value: str) -> str:
    """Return the value of an attribute as text to stand between double quotes.

    Args:
        value: The value.
    """
    return value.translate(_ESCAPES)
