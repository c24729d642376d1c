"""The diagnostics of a result: a tuple that a notebook shows as a table."""

from __future__ import annotations

from loaders.diagnostics import Diagnostic
from loaders.notebook import card, findings_table, summary_of


class FindingList(tuple[Diagnostic, ...]):
    """A tuple of diagnostics with a form for notebooks: their number by severity, and a table, errors first."""

    __slots__ = ()

    def _repr_html_(self) -> str:
        return card(summary_of(self).capitalize(), (), *([findings_table(self)] if self else []))
