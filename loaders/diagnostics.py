"""What became of everything that was read: kept is silence, all else is an entry here."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from enum import StrEnum


class Fate(StrEnum):
    """What became of one piece of the source."""

    INVALID = "invalid"
    """The source is wrong; it cannot be turned into a model as it stands."""
    DROPPED = "dropped"
    """The piece has a meaning that the result does not carry."""
    APPROXIMATED = "approximated"
    """The result carries it, with an error that the message states."""
    REPAIRED = "repaired"
    """The caller asked for a repair, and this is what it changed."""
    ASSUMED = "assumed"
    """The source gives no usable value; the message says what was taken or kept."""
    NOTED = "noted"
    """Worth knowing; nothing that moves or collides depends on it."""


_SEVERITY = {
    Fate.INVALID: "error",
    Fate.DROPPED: "warning",
    Fate.APPROXIMATED: "warning",
    Fate.ASSUMED: "warning",
    Fate.REPAIRED: "note",
    Fate.NOTED: "note",
}


@dataclass(frozen=True, slots=True)
class Where:
    """A place in a source file: path of the file, line (from 1; 0 is unknown), path of the element."""

    file: str = ""
    line: int = 0
    path: str = ""

    def __str__(self) -> str:
        return f"{self.file}:{self.line}" if self.line else self.file


NOWHERE = Where()


@dataclass(frozen=True, slots=True)
class Diagnostic:
    """One finding. ``code`` is stable and documented; ``message`` and ``hint`` are for people."""

    code: str
    fate: Fate
    message: str
    where: Where = NOWHERE
    target: str = ""
    """The engine or format that cannot carry it; empty when reading."""
    hint: str = ""
    """What to do about it."""

    @property
    def severity(self) -> str:
        """``error``, ``warning`` or ``note``."""
        return _SEVERITY[self.fate]

    def __str__(self) -> str:
        place = f"{self.where}: " if self.where.file else ""
        hint = f" ({self.hint})" if self.hint else ""
        return f"{place}{self.severity}: {self.message}{hint}  [{self.code}]"


class Diagnostics:
    """An append-only record, passed down by whoever reads, lowers or exports."""

    __slots__ = ("_entries",)

    def __init__(self, entries: Iterable[Diagnostic] = ()) -> None:
        self._entries = list(entries)

    def __iter__(self) -> Iterator[Diagnostic]:
        return iter(self._entries)

    def __len__(self) -> int:
        return len(self._entries)

    def add(
        self, fate: Fate, code: str, message: str, where: Where = NOWHERE, *, target: str = "", hint: str = ""
    ) -> None:
        """Record one finding."""
        self._entries.append(Diagnostic(code, fate, message, where, target, hint))

    def extend(self, entries: Iterable[Diagnostic]) -> None:
        """Record the findings of another stage."""
        self._entries.extend(entries)

    def raise_for(self, error: type[ModelError], *, strict: bool) -> None:
        """Raise ``error`` with every entry that stands in the way.

        Raises:
            ModelError: of the given type, if there is an error or, when strict, a warning.
        """
        tolerated = {"note"} if strict else {"note", "warning"}
        refused = tuple(entry for entry in self._entries if entry.severity not in tolerated)
        if refused:
            raise error(refused)


class ModelError(ValueError):
    """The model cannot be used as asked; ``diagnostics`` says why, all of it."""

    def __init__(self, diagnostics: tuple[Diagnostic, ...]) -> None:
        self.diagnostics = diagnostics
        super().__init__("\n".join(map(str, diagnostics)))

    def __reduce__(self) -> tuple[type[ModelError], tuple[tuple[Diagnostic, ...]]]:
        return type(self), (self.diagnostics,)


class LoadError(ModelError):
    """The source cannot be turned into a `Scene`."""


class ExportError(ModelError):
    """The target cannot hold the model."""
