"""Text of the cells of generated tables in Markdown."""

from __future__ import annotations

import re
from importlib import metadata

from bridge.installed_packages import version_of

_FOLDERS = re.compile(r"(?<![\w:/.])/+(?:[^\s/|]+/)+")
"""Folders of a path on this machine; the name of the file follows."""


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
    """Return the beginning of a text without folders, to the end of a word, with ``...`` if it is cut.

    Args:
        text: The text.
        length: The largest number of characters before the ``...``.
    """
    text = without_folders(text)
    return text if len(text) <= length else f"{text[: length + 1].rpartition(' ')[0] or text[:length]} ..."


def version(package: str) -> str:
    """Return the version of an installed package, by the name that is imported or that of its distribution.

    Args:
        package: The name; PyBullet's distribution has another name on some platforms.
    """
    return version_of(package) or metadata.version(package)
