"""The HTML page of a comparison of two files: one file without scripts and external resources."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape

_STYLE = """
body { font: 15px/1.5 system-ui, sans-serif; margin: 2em auto; max-width: 70em; padding: 0 1em; color: #222; }
table { border-collapse: collapse; margin: 1em 0; }
th, td { border-bottom: 1px solid #ddd; padding: .25em .8em; text-align: left; vertical-align: top; }
td { font-family: ui-monospace, monospace; font-size: 13px; }
.EQUAL { color: #067d17; } .ALIKE { color: #9a6700; } .DIFFERENT { color: #b3261e; }
"""


def table(header: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Return a table.

    Args:
        header: The titles of the columns.
        rows: The texts of the cells.
    """
    head = "".join(f"<th>{escape(title)}</th>" for title in header)
    body = "\n".join("<tr>" + "".join(f"<td>{escape(cell)}</td>" for cell in row) + "</tr>" for row in rows)
    return f"<table>\n<thead><tr>{head}</tr></thead>\n<tbody>\n{body}\n</tbody>\n</table>"


def page(title: str, verdict: str, sections: Iterable[tuple[str, str]]) -> str:
    """Return a page.

    Args:
        title: Its title.
        verdict: The verdict, a word.
        sections: The title and the content, as HTML, of each section.
    """
    parts = "\n".join(f"<h2>{escape(name)}</h2>\n{content}" for name, content in sections)
    return (
        f'<!doctype html>\n<html lang="en">\n<head><meta charset="utf-8"><title>{escape(title)}</title>\n'
        f"<style>{_STYLE}</style></head>\n<body>\n<h1>{escape(title)}</h1>\n"
        f'<p class="{escape(verdict)}"><strong>{escape(verdict)}</strong></p>\n{parts}\n</body>\n</html>\n'
    )
