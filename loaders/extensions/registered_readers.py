"""Readers of other packages, registered by the entry points ``sdfbridge.readers``; see docs/own_reader.md.

The name of an entry point is the tag of the root element of an XML document; its object takes that element and the
context of the load, as ours do.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING

from loaders.context import Context
from loaders.diagnostics import Fate
from loaders.node import Node
from loaders.safety.library_errors import raised_as
from loaders.scene import Scene

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

ENTRY_POINTS = "sdfbridge.readers"
"""Group of the entry points."""

Reader = Callable[[Node, Context], Scene | None]
"""A function that reads a document, given its root element; None after an error in ``context.diagnostics``."""


class _ReaderError(Exception):
    """A registered reader cannot be imported, or fails."""


def registered_tags() -> tuple[str, ...]:
    """Return the tags of the root elements for which a reader is registered, in alphabetical order."""
    return tuple(sorted({point.name for point in _entry_points()}))


def registered_reader(tag: str) -> Reader | None:
    """Return the reader that is registered for a root element; None if there is none.

    It is imported when it reads; whatever it raises is reported.

    Args:
        tag: The tag of the root element.
    """
    points = [point for point in _entry_points() if point.name == tag]
    return (lambda root, context: _read(points[0], root, context)) if points else None


def _entry_points() -> Iterable[EntryPoint]:
    from importlib.metadata import entry_points  # takes long to import, and few loads meet a document of another format

    return entry_points(group=ENTRY_POINTS)


def _read(point: EntryPoint, root: Node, context: Context) -> Scene | None:
    try:
        with raised_as(_ReaderError, f"the reader {point.value} fails"):
            found = point.load()(root, context)
            if not isinstance(found, Scene | None):
                raise _ReaderError(f"the reader {point.value} returned {type(found).__name__}, not a Scene or None")
            scene = found and dataclasses.replace(found)  # the package may keep its own, and the load completes one
    except _ReaderError as error:
        root.invalid("file.reader", "{reason}", hint="report this to the authors of the package", reason=str(error))
        return None
    if scene is None and not any(entry.fate is Fate.INVALID for entry in context.diagnostics):
        root.invalid("file.reader", "{reason}", reason=f"the reader {point.value} returned no scene and no error")
    return scene
