"""The diagnostics of a result: a tuple that a notebook shows as a table."""

from __future__ import annotations

from collections.abc import Callable

from loaders.diagnostics import Diagnostic
from loaders.reading.deferred import Deferred

_findings_card: Callable[..., str] = Deferred("loaders.notebook.cards:findings_card")


class FindingList(tuple[Diagnostic, ...]):
    """A tuple of diagnostics with a form for notebooks: their number by severity, and a table, errors first."""

    __slots__ = ()

    def _repr_html_(self) -> str:
        return _findings_card(self)
