"""Inertia that an engine adds to the model, in motion: the other engine is given it too, and must then move alike.

Links without inertia leave a mass matrix nearly singular, so that even 1e-14 kg m^2 may show in a motion. What remains
of the difference, once both engines have that inertia, is judged as any other difference.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from bridge.mechanism import Mechanism
from bridge.parity.results.causes import Cause
from bridge.parity.results.verdict import Outcome, Row
from loaders.diagnostics import Diagnostic

from .counterfactuals import counterfactual

_CODES = frozenset({"mjcf.massless-link", "pybullet.base-without-inertia", "pybullet.ball-without-inertia"})
"""Codes of inertia that an engine adds, because it accepts no link without."""

_LOADED = " with the inertia that "
"""Part of the name of an engine that is given the inertia that another engine adds."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AddedInertia:
    """The inertia that an engine adds.

    Attributes:
        code: Code of the diagnostics that report it.
        subjects: Scoped names of the links that get it.
        mechanism: The mechanism with that inertia.
    """

    code: str
    subjects: tuple[str, ...]
    mechanism: Mechanism

    def cause(self, row: Row, change: float, remaining: Row) -> Cause | None:
        """Return the cause of a difference, whose bound is the sum of two measured differences.

        Args:
            row: The row of the difference.
            change: The difference that this inertia makes to the other engine, in the unit of the row.
            remaining: The row of what remains when both engines have this inertia.

        Returns:
            The cause; None if what remains is not explained.
        """
        if remaining.outcome not in {Outcome.PASSED, Outcome.EXPLAINED}:
            return None
        known = remaining.known_cause
        allowed = remaining.tolerance if known is None else known.bound
        text = (
            f"the inertia that {', '.join(self.subjects)} get makes a difference of {change:.1e}; "
            f"{remaining.error:.1e} remains when both engines have it [{self.code}]"
        )
        return Cause(
            code=self.code, subjects=self.subjects, quantity=row.quantity, bound=change + allowed, text=text
        )  # fmt: skip


def added_inertia(mechanism: Mechanism, diagnostics: Iterable[Diagnostic]) -> AddedInertia | None:
    """Return the inertia that an engine adds to a mechanism; None if it adds none.

    Args:
        mechanism: The mechanism that the engine was given.
        diagnostics: The diagnostics of the engine.
    """
    entries = [entry for entry in diagnostics if entry.code in _CODES]
    changed = mechanism
    for entry in entries:
        changed = counterfactual(entry, changed) or changed
    if changed is mechanism:
        return None
    subjects = tuple(dict.fromkeys(name for entry in entries for name in entry.subjects))
    return AddedInertia(code=entries[0].code, subjects=subjects, mechanism=changed)


def loaded_name(engine: str, owner: str) -> str:
    """Return the name of an engine that is given the inertia that another engine, the owner, adds."""
    return f"{engine}{_LOADED}{owner} adds"


def is_loaded(engine: str) -> bool:
    """Return whether `loaded_name` made a name."""
    return _LOADED in engine
