"""Limits on one load, however many files it reads: a small file cannot make much work."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """Limits on one load, for the option ``limits``; all files of the load count together."""

    files: int = 4_000
    """Files read; a file that is read twice counts twice."""
    bytes: int = 512 * 1024 * 1024
    """Bytes of these files. One text file may have 64 MiB."""
    elements: int = 500_000
    """Elements of XML and YAML, and links, joints and frames of models, each as often as an include places it."""
    diagnostics: int = 5_000
    """Errors, warnings and notes, each, that are listed; further ones are only counted."""


class LimitError(Exception):
    """A load exceeds a limit.

    Attributes:
        option: Name of the limit in `Limits`.
        limit: Its value.
    """

    def __init__(self, option: str, limit: int) -> None:
        super().__init__(f"more than {limit} {option}")
        self.option, self.limit = option, limit


@dataclass(slots=True, eq=False)
class Budget:
    """The limits of one load, and the amounts that it has spent."""

    limits: Limits = Limits()
    """The limits."""
    spent: Counter[str] = field(default_factory=Counter)
    """Amount spent, by the name of the limit."""
    listed: Counter[str] = field(default_factory=Counter)
    """Number of diagnostics listed, by severity."""
    unlisted: Counter[str] = field(default_factory=Counter)
    """Number of diagnostics that are only counted, by severity."""

    def spend(self, option: str, amount: int) -> None:
        """Spend some of a limit.

        Args:
            option: Name of the limit in `Limits`.
            amount: The amount.

        Raises:
            LimitError: if it exceeds the limit.
        """
        self.spent[option] += amount
        limit = getattr(self.limits, option)
        if self.spent[option] > limit:
            raise LimitError(option, limit)

    def has_room(self, severity: str) -> bool:
        """Return whether one more diagnostic of a severity may be listed."""
        return self.listed[severity] < self.limits.diagnostics
