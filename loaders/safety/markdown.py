"""Text from files in Markdown: shown as it is, in one line, and never markup."""

from __future__ import annotations

import re

from .text import printable

_TAGS = re.compile(r"((?:<[^<>\s|]+>)+)")
_MARKUP = re.compile(
    r"[`*|~$]|\\(?=[!-/:-@\[-`{-~]|\Z)|<(?=[A-Za-z/!?])|&(?=#?\w)|\](?=[(\[:])|(?<![^\W_])_|_(?![^\W_])"
)
"""Characters that Markdown reads as markup in a line, in these places."""
_BEGINNING = re.compile(r"\A(?:(\d{1,9})(?=[.)](?:\s|\Z))|(?=[#>=]|[+-](?:[\s-]|\Z)))")
"""A number before a period, or the place before a sign, that would begin a list, a heading or a quotation."""


def plain(text: str, *, tags: bool = False) -> str:
    r"""Return a text that Markdown shows as it is, in a paragraph, an item or a cell of a table.

    Args:
        text: The text.
        tags: Whether to write tags as code, which is easier to read.

    Example:
        >>> print(plain("[x](javascript:alert(1)) of <b>"))
        [x\](javascript:alert(1)) of &lt;b>
    """
    pieces = _TAGS.split(printable(text).strip()) if tags else [printable(text).strip()]
    shown = [code(piece) if position % 2 else _MARKUP.sub(_escape, piece) for position, piece in enumerate(pieces)]
    return _BEGINNING.sub(r"\g<1>\\", "".join(shown))


def code(text: str, *, cell: bool = False) -> str:
    """Return a text as code, with as many backticks as it needs.

    Args:
        text: The text.
        cell: Whether it is in a table, where a vertical bar needs an escape.

    Example:
        >>> print(code("left`arm"))
        ``left`arm``
    """
    line = printable(text)
    fence = "`" * (1 + max(map(len, re.findall("`+", line)), default=0))
    space = " " if not line or line[0] in " `" or line[-1] in " `" else ""
    return f"{fence}{space}{line.replace('|', chr(92) + '|') if cell else line}{space}{fence}"


def _escape(match: re.Match[str]) -> str:
    return "&lt;" if match[0] == "<" else f"\\{match[0]}"
