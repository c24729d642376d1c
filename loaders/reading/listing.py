"""The order in which findings are listed, and how those of one kind are counted instead."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import Any, Protocol, TypeVar

from loaders.notebook.cards import LOST_FORMS


class Finding(Protocol):
    """The part of a `loaders.Diagnostic` that a list depends on."""

    @property
    def code(self) -> str:
        """The code."""

    @property
    def template(self) -> str:
        """The message without its values."""

    @property
    def where(self) -> Any:
        """The place, with ``file`` and ``line``."""


AnyFinding = TypeVar("AnyFinding", bound=Finding)


def by_place(entries: Iterable[AnyFinding]) -> list[AnyFinding]:
    """Return findings by file, in the order in which the files come first, and by line."""
    listed = list(entries)
    files = {file: i for i, file in enumerate(dict.fromkeys(entry.where.file for entry in listed))}
    return sorted(listed, key=lambda entry: (files[entry.where.file], entry.where.line))


def lost_forms_first(entries: Iterable[AnyFinding]) -> list[AnyFinding]:
    """Return findings with those first that a stated pose or shape is not read, otherwise in order."""
    return sorted(entries, key=lambda entry: entry.code not in LOST_FORMS)


def folded(entries: Iterable[AnyFinding], limit: int) -> tuple[list[AnyFinding], list[tuple[str, int]]]:
    """Return the first few findings of each kind by their places, and the codes of the rest with their numbers.

    Those that a stated pose or shape is not read come first.

    Args:
        entries: The findings; those with the same code and template are of one kind.
        limit: The largest number of findings of one kind to return.
    """
    count = Counter[tuple[str, str]]()
    shown: list[AnyFinding] = []
    for entry in lost_forms_first(by_place(entries)):
        kind = entry.code, entry.template
        count[kind] += 1
        if count[kind] <= limit:
            shown.append(entry)
    return shown, [(code, number - limit) for (code, _), number in count.items() if number > limit]
