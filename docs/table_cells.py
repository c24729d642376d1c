"""Text of the cells of generated tables in Markdown."""

from __future__ import annotations

import re

_FOLDERS = re.compile(r"(?<![\w:/.])/+(?:[^\s/|]+/)+")
"""Folders of a path on this machine; the name of the file follows."""


def cell(content: object) -> str:
    """Return a value as text of a cell: on one line, without folders, with ``|`` and ``<`` escaped.

    Args:
        content: Any value; its ``str`` is the text.
    """
    text = _FOLDERS.sub("", str(content)).replace("\n", " ")
    return text.replace("|", "\\|").replace("<", "\\<")
