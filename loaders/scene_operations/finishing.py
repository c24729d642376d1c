"""The end of a load: checks of the whole scene, and the error that refuses a source."""

from __future__ import annotations

import errno
import os
from collections.abc import Callable
from contextlib import suppress
from typing import NamedTuple

from loaders.diagnostics import Diagnostic, Diagnostics, Fate, LoadError
from loaders.display.finding_list import FindingList
from loaders.drake.filter_groups import resolve as resolve_groups
from loaders.reading.deferred import Deferred
from loaders.scene import Scene

from .validation import check_scene

_repair_inertias: Callable[..., Scene] = Deferred("loaders.scene_operations.inertia_repair:repair_inertias")
_without_consequences: Callable[..., tuple[Diagnostic, ...]] = Deferred(
    "loaders.scene_operations.consequences:without_consequences"
)


class MissingFileError(LoadError, FileNotFoundError):
    """Error: the source does not exist.

    Attributes:
        errno: `errno.ENOENT`.
    """

    def __init__(self, *parts: tuple[Diagnostic, ...]) -> None:
        super().__init__(*parts)
        self.errno = errno.ENOENT


class Reading(NamedTuple):
    """The result of the readers."""

    scene: Scene | None
    """The scene as far as it could be read."""
    file: str
    """Path of the file."""
    diagnostics: Diagnostics
    """The findings."""


def finish(read: Callable[..., Reading], *, strict: bool, lenient: bool) -> Scene:
    """Return the scene of a source.

    Args:
        read: Reads the source, given ``lenient``.
        strict: Whether anything lost or approximated is an error.
        lenient: Whether invalid pieces that can be left out are.

    Raises:
        LoadError: if the source has errors; it states whether lenient loading reads the source.
        ValueError: if the load is to be both strict and lenient.
    """
    if strict and lenient:
        raise ValueError("strict and lenient exclude each other; expected at most one of them")
    try:
        return _checked(read(lenient=lenient), strict, lenient)
    except LoadError as error:
        if not all(entry.leniency for entry in error.diagnostics):
            raise
        refusal = error
    skipped: tuple[Diagnostic, ...] = ()
    with suppress(LoadError):
        scene = _checked(read(lenient=True), strict=False, lenient=True)
        skipped = tuple(entry for entry in scene.diagnostics if entry.fate is Fate.SKIPPED)
    raise LoadError(refusal.diagnostics, refusal.others, skipped)


def _checked(reading: Reading, strict: bool, lenient: bool) -> Scene:
    scene, source, diagnostics = reading
    if scene is not None:
        scene = resolve_groups(scene, diagnostics)
        scene = _repair_inertias(scene, diagnostics) if lenient else scene
        check_scene(scene, diagnostics)
    diagnostics.add_unlisted()
    try:
        diagnostics.raise_for(LoadError, strict=strict)
    except LoadError as error:
        kind = MissingFileError if _is_missing(source, error.diagnostics) else LoadError
        raise kind(error.diagnostics, _without_consequences(error.others, error.diagnostics)) from None
    if scene is None:  # a reader returns nothing only after reporting why
        raise LoadError(tuple(diagnostics))
    _complete(scene, source, diagnostics)
    return scene


def _complete(scene: Scene, source: str, diagnostics: Diagnostics) -> None:
    """Give a scene its source and its findings, in place: nobody else has it yet, and a copy takes 1 % of a load."""
    object.__setattr__(scene, "source", source)
    object.__setattr__(scene, "diagnostics", FindingList(diagnostics))


def check_readable(source: str, found: tuple[Diagnostic, ...]) -> None:
    """Raise an error if the file of a source could not be opened.

    Args:
        source: Path of the file.
        found: The findings of the readers.

    Raises:
        LoadError: if it could not be opened; a `MissingFileError` if there is none.
    """
    unreadable = tuple(entry for entry in found if entry.code == "file.unreadable" and entry.where.file == source)
    if unreadable:
        raise (MissingFileError if _is_missing(source, unreadable) else LoadError)(unreadable)


def _is_missing(source: str, found: tuple[Diagnostic, ...]) -> bool:
    """Return whether a source was not read because it does not exist."""
    named = any(entry.code == "file.unreadable" and str(entry.where.file) == source for entry in found)
    return named and not os.path.exists(source)
