"""Text from files, safe to print: short, and without characters that control a terminal."""

from __future__ import annotations

import re

MAX_MESSAGE = 4_000
"""Largest number of characters of a message that are printed."""
_CONTROL = re.compile("[\x00-\x1f\x7f-\x9f\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")
"""Control characters of ASCII and Latin-1, of the direction of writing, separators of lines, and surrogates."""
_CONTROL_IN_LINES = re.compile(_CONTROL.pattern.replace("\x00-\x1f", "\x00-\x08\x0b-\x1f"))


def printable(text: str, *, lines: bool = False) -> str:
    r"""Return a text with control characters as escapes such as ``\x1b``; those that JSON leaves, as JSON's own.

    Args:
        text: The text.
        lines: Whether it has several lines, with tabs, which remain.
    """
    return (_CONTROL_IN_LINES if lines else _CONTROL).sub(_escape, text)


def shortened(text: str, limit: int = MAX_MESSAGE) -> str:
    """Return a text, or its beginning and the number of characters left out.

    Args:
        text: The text.
        limit: The largest number of its characters to return.
    """
    return text if len(text) <= limit else f"{text[:limit]}... ({len(text) - limit} more characters)"


def _escape(match: re.Match[str]) -> str:
    code = ord(match[0])
    return f"\\x{code:02x}" if code < 32 else f"\\u{code:04x}"
