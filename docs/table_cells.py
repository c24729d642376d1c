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
    text = _FOLDERS.sub("", str(content)).replace("\n", " ")
    return text.replace("|", "\\|").replace("<", "\\<")


def version(package: str) -> str:
    """Return the version of an installed package, by the name that is imported or that of its distribution.

    Args:
        package: The name; PyBullet's distribution has another name on some platforms.
    """
    return version_of(package) or metadata.version(package)
