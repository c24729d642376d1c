"""Cards and tables in HTML. Colors follow the notebook, light or dark; nothing is loaded, nothing runs."""

from __future__ import annotations

import base64
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Protocol

from loaders.safety.text import printable

LOST_FORMS = frozenset({"xml.unread-pose", "urdf.quaternion-version"})
"""Codes of findings that a stated pose or shape is not read, which come before all others."""
MAX_ROWS = 50
"""Largest number of rows of a table; it states how many more there are."""
MAX_CELL = 240
"""Largest number of characters of a cell."""
_SIGNS = {"error": "✗", "warning": "!", "note": "·"}
"""Severities in the order of their weight, each with its sign."""
_LINE = "rgba(128,128,128,.35)"
_CARD = (
    "display:flex;flex-wrap:wrap;gap:.5em 1.2em;align-items:flex-start;"
    f"border:1px solid {_LINE};border-radius:6px;padding:.8em 1em;max-width:64em"
)
_PICTURE = "width:16em;max-width:100%;border-radius:4px;background:linear-gradient(#fcfcfc,#e6e9ec)"
_SENTENCE = 40
"""Number of characters from which a cell is a sentence, which a narrow window does not squeeze."""
_CELL = f"text-align:left;vertical-align:top;padding:.15em .9em .15em 0;border:0;border-bottom:1px solid {_LINE}"


class Finding(Protocol):
    """The part of a `loaders.Diagnostic` that a table reads."""

    @property
    def severity(self) -> str:
        """``error``, ``warning`` or ``note``."""

    @property
    def code(self) -> str:
        """The code."""

    @property
    def message(self) -> str:
        """The message."""


def card(title: str, facts: Iterable[str], *parts: str, png: bytes | None = None) -> str:
    """Return a card: a title, lines of facts, further parts, and beside them a picture.

    Args:
        title: Heading, as text.
        facts: Lines, as text; empty ones are left out.
        parts: Further contents, as HTML of this module.
        png: The picture; None for none.
    """
    lines = "".join(f'<div style="opacity:.8">{_text(fact)}</div>' for fact in facts if fact)
    picture = ""
    if png is not None:
        data = base64.b64encode(png).decode()
        picture = f'<img alt="{_text(title)}" style="{_PICTURE}" src="data:image/png;base64,{data}"/>'
    text = f'<div style="flex:1 1 22em;min-width:0"><b>{_text(title)}</b>{lines}{"".join(parts)}</div>'
    return f'<div style="{_CARD}">{picture}{text}</div>'


def table(heads: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """Return a table of text; of many rows, the first `MAX_ROWS`.

    Args:
        heads: Headings of the columns.
        rows: Cells of each row.
    """
    every = list(rows)
    lines = [_row("th", heads), *(_row("td", row) for row in every[:MAX_ROWS])]
    if len(every) > MAX_ROWS:
        lines.append(f'<tr><td colspan="{len(heads)}" style="{_CELL}">and {len(every) - MAX_ROWS} more</td></tr>')
    body = "".join(lines)
    return f'<div style="overflow-x:auto"><table style="border-collapse:collapse;margin:.3em 0">{body}</table></div>'


def details(title: str, content: str) -> str:
    """Return contents that a click on their title unfolds.

    Args:
        title: The title, as text.
        content: The contents, as HTML of this module.
    """
    return f'<details style="margin-top:.4em"><summary>{_text(title)}</summary>{content}</details>'


def summary_of(findings: Iterable[Finding]) -> str:
    """Return the number of findings of each severity: ``1 error, 3 warnings``."""
    counts = Counter(finding.severity for finding in findings)
    return ", ".join(f"{counts[s]} {s}{'s' * (counts[s] != 1)}" for s in _SIGNS if counts[s]) or "no diagnostics"


def findings_table(findings: Iterable[Finding]) -> str:
    """Return a table of findings, errors first, and of each severity what is lost of poses and shapes."""
    order = tuple(_SIGNS)
    ordered = sorted(findings, key=lambda entry: (order.index(entry.severity), entry.code not in LOST_FORMS))
    rows = (
        (f"{_SIGNS[entry.severity]}\N{NO-BREAK SPACE}{entry.severity}", entry.code, _advised(entry), _place(entry))
        for entry in ordered
    )
    return table(("severity", "code", "message", "place"), rows)


def findings_card(findings: Sequence[Finding]) -> str:
    """Return a card of findings: their number by severity, and a table, errors first."""
    return card(summary_of(findings).capitalize(), (), *([findings_table(findings)] if findings else []))


def _advised(entry: Finding) -> str:
    """The message, with the advice if there is any."""
    hint = getattr(entry, "hint", "")
    return f"{entry.message} ({hint})" if hint else entry.message


def _place(entry: Finding) -> str:
    """The file, with the folder that holds it, and the line."""
    return "/".join(str(getattr(entry, "where", "")).split("/")[-2:])


def _row(tag: str, cells: Sequence[object]) -> str:
    written = (f'<{tag} style="{_style(text)}">{text}</{tag}>' for text in map(_text, cells))
    return f"<tr>{''.join(written)}</tr>"


def _style(text: str) -> str:
    return f"{_CELL};min-width:16em" if len(text) >= _SENTENCE else _CELL


def _text(value: object) -> str:
    """Return a value as text in HTML, shortened, without control characters."""
    from html import escape  # takes longer to import than all text functions, and only notebooks need it

    text = printable(str(value))
    return escape(text if len(text) <= MAX_CELL else f"{text[: MAX_CELL - 1]}…")
