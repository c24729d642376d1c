"""The warning and the log of what one public call loses, approximates or assumes, and the report of its limits."""

from __future__ import annotations

import logging
import sys
import warnings
from collections import Counter
from collections.abc import Iterable, Mapping
from contextlib import AbstractContextManager
from contextvars import ContextVar, Token
from types import TracebackType
from typing import Any, Self

from loaders.reading.listing import lost_forms_first
from loaders.safety.limits import LimitError, Limits, budgeted, how_to_raise

from .diagnostics import Argument, Diagnostic, Diagnostics, Fate, LoadError, Where

_OWN_PACKAGES = frozenset({"bridge", "loaders", "sdfbridge"})
"""Packages whose frames are not those of the caller."""
LOGGER = logging.getLogger("sdfbridge")
"""The logger of every finding: losses at level INFO, notes at level DEBUG."""
_MAX_CODES = 3


class LossWarning(UserWarning):
    """Warning: the result of a call lacks, approximates or assumes something; its ``diagnostics`` say what."""


class LossSummary:
    """Context of one public call, which warns of the losses at its end, at the line of the caller.

    The losses of a call within another one are those of the outer one. There is no warning if the call fails, since the
    error states the reasons. Meshes and pictures that are read during the call share one budget; a call that exceeds it
    is a `LoadError`.

    Attributes:
        name: Name of the source.
        quiet: Whether there is no warning; the logger gets the findings in any case.
        limits: Limits on the call; None for those of the outer call, or else the defaults.
        lenient: Whether meshes and pictures past a limit on one file are left out.
    """

    _active: ContextVar[LossSummary | None] = ContextVar("_active", default=None)

    def __init__(
        self, name: object, *, quiet: bool = False, limits: Limits | None = None, lenient: bool = False
    ) -> None:
        self.name = str(name)
        self.quiet = quiet
        self._scope = budgeted(limits, lenient=lenient)
        self._found: list[Diagnostic] = []
        self._outer: LossSummary | None = None
        self._token: Token[LossSummary | None] | None = None

    @classmethod
    def of(cls, name: object, options: Mapping[str, Any]) -> Self:
        """Return the context of a call with options.

        Args:
            name: Name of the source.
            options: The options of the call, of which ``quiet``, ``limits`` and ``lenient`` matter.
        """
        lenient = options.get("lenient", False)
        return cls(name, quiet=options.get("quiet", False), limits=options.get("limits"), lenient=lenient)

    def add(self, diagnostics: Iterable[Diagnostic], *, without: Iterable[Diagnostic] = ()) -> None:
        """Add findings.

        Args:
            diagnostics: The findings of the call.
            without: Findings that an earlier call has reported.
        """
        known = set(without)
        self._found += [entry for entry in diagnostics if entry not in known] if known else diagnostics

    def __enter__(self) -> Self:
        self._outer = self._active.get()
        self._token = self._active.set(self)
        self._scope.__enter__()
        return self

    def __exit__(
        self, error_type: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self._scope.__exit__(None, None, None)
        if self._token is not None:
            self._active.reset(self._token)
        if isinstance(error, LimitError):
            raise LoadError((_limit_finding(error, self.name),)) from error
        if self._outer is not None:
            self._outer.add(self._found)
        elif error_type is None:
            self._log()
            text = "" if self.quiet else self._text()
            if text:
                warnings.warn(text, LossWarning, stacklevel=_level_of_caller())

    def _log(self) -> None:
        for entry in dict.fromkeys(self._found) if LOGGER.isEnabledFor(logging.INFO) else ():
            LOGGER.log(logging.INFO if entry.severity == "warning" else logging.DEBUG, "%s", entry)

    def _text(self) -> str:
        """Return the summary; an empty text if nothing was lost."""
        losses = [entry for entry in dict.fromkeys(self._found) if entry.severity == "warning"]
        if not losses:
            return ""
        counts = ", ".join(f"{count} {fate}" for fate, count in Counter(str(entry.fate) for entry in losses).items())
        codes = list(dict.fromkeys(entry.code for entry in lost_forms_first(losses)))
        listed = ", ".join(codes[:_MAX_CODES]) + (", ..." if len(codes) > _MAX_CODES else "")
        return f"{self.name}: {counts} ({listed}); see the diagnostics of the result, or pass quiet=True"


def _level_of_caller() -> int:
    """Return the stack level, for a warning of the calling function, of the first frame outside of this project."""
    level, frame = 1, sys._getframe(1)
    while frame.f_back is not None and frame.f_globals.get("__name__", "").partition(".")[0] in _OWN_PACKAGES:
        level, frame = level + 1, frame.f_back
    return level


def _limit_finding(error: LimitError, file: str) -> Diagnostic:
    """Return the finding that a load exceeds a limit.

    Args:
        error: The limit.
        file: The main file.
    """
    message = f"the {'file' if error.file else 'load'} {error.verb} more than {{limit}} {{option}}"
    arguments: dict[str, Argument] = {"limit": error.limit, "option": error.option}
    where, hint = Where(error.file or file), how_to_raise(error.option)
    return Diagnostic("file.limit", Fate.INVALID, message, where, hint=hint, arguments=arguments)


class _Limited:
    """A block that ends when it exceeds a limit; a class, as a generator takes 2 us."""

    __slots__ = ("_diagnostics", "_file")

    def __init__(self, diagnostics: Diagnostics, file: str) -> None:
        self._diagnostics, self._file = diagnostics, file

    def __enter__(self) -> None:
        return None

    def __exit__(self, _type: object, error: BaseException | None, _trace: object) -> bool:
        if isinstance(error, LimitError):
            self._diagnostics.extend((_limit_finding(error, self._file),))
            return True
        return False


def limited(diagnostics: Diagnostics, file: str) -> AbstractContextManager[None]:
    """Report a load that exceeds a limit, in a block that ends there.

    Args:
        diagnostics: Receives the report.
        file: The main file.
    """
    return _Limited(diagnostics, file)
