"""Generated pages in Markdown: the text of cells of tables, and long tables as data files."""

from __future__ import annotations

import csv
import io
import re
from importlib import metadata
from pathlib import Path

from bridge.installed_packages import version_of

_FOLDERS = re.compile(r"(?<![\w:/.])/+(?:[^\s/|]+/)+")
"""Folders of a path on this machine; the name of the file follows."""
_MAX_ROWS = 60
"""Largest number of rows of a table on a page; a longer one is a file in ``docs/data``."""
_TABLE = re.compile(r"(?m)(?:^\|.*\|\n)+")
_BETWEEN_CELLS = re.compile(r"(?<!\\)\|")


def write_page(path: Path, text: str) -> None:
    """Write a page; each table of more than 60 rows becomes a CSV file in ``data`` beside it, with
    a link to it.

    The file is named after the page and the heading above the table.

    Args:
        path: The page.
        text: The text of the page in Markdown.
    """
    (path.parent / "data").mkdir(exist_ok=True)

    def link(match: re.Match[str]) -> str:
        rows = match[0].splitlines()
        if len(rows) - 2 <= _MAX_ROWS:
            return match[0]
        titles = re.findall(r"(?m)^#+ (.*)$", text[: match.start()])
        name = "-".join(re.findall(r"[a-z0-9]+", f"{path.stem} {titles[-1]}".lower())) + ".csv"
        (path.parent / "data" / name).write_text(_as_csv([rows[0], *rows[2:]]), encoding="utf-8")
        return f"[All {len(rows) - 2:,} rows](data/{name}), as CSV.\n"

    path.write_text(_TABLE.sub(link, text), encoding="utf-8")


def _as_csv(rows: list[str]) -> str:
    """Return rows of a Markdown table as CSV."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    for row in rows:
        cells = _BETWEEN_CELLS.split(row.strip())[1:-1]
        writer.writerow(re.sub(r"\\([|<])", r"\1", value.strip()) for value in cells)
    return text.getvalue()


def cell(content: object) -> str:
    """Return a value as text of a cell: on one line, without folders, with ``|`` and ``<`` escaped.

    Args:
        content: Any value; its ``str`` is the text.
    """
    text = without_folders(str(content)).replace("\n", " ")
    return text.replace("|", "\\|").replace("<", "\\<")


def without_folders(text: str) -> str:
    """Return a text in which paths on this machine are names of files only."""
    return _FOLDERS.sub("", text)


def shortened(text: str, length: int) -> str:
    """Return the beginning of a text without folders, to the end of a word, with ``...`` if it is
    cut.

    Args:
        text: The text.
        length: The largest number of characters before the ``...``.
    """
    text = without_folders(text)
    return (
        text
        if len(text) <= length
        else f"{text[: length + 1].rpartition(' ')[0] or text[:length]} ..."
    )


def version(package: str) -> str:
    """Return the version of an installed package, by the name that is imported or that of its
    distribution.

    Args:
        package: The name; PyBullet's distribution has another name on some platforms.
    """
    return version_of(package) or metadata.version(package)
