"""Attribution: which diagnostic of an engine explains a difference, and which engine a difference is likely due to.

A diagnostic explains a difference only if its code is a known cause of the quantity and one of its subjects is at the
place of the difference. Messages are never read.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Sequence

from bridge.mechanism import Mechanism
from bridge.mechanism.bodies import ROOT
from bridge.parity.results.verdict import Outcome, Row
from loaders.diagnostics import Diagnostic

from .convergence import EXACT_MOTION
from .quantities import Quantity, names_at

NEGLIGIBLE_MASS = 1e-6
"""Mass of a link up to which an engine may replace it [kg]."""
_ADDED_INERTIA = {
    "mjcf.massless-link", "mjcf.inertia-from-geometry", "lower.massless-free-link", "lower.thin-link",
    "pybullet.base-without-inertia", "pybullet.ball-without-inertia",
}  # fmt: skip
"""Codes of diagnostics that report inertia added to a link that has too little of it."""
_COMPUTED_FROM_MODEL = {"reference", EXACT_MOTION}
"""Names in the rows of what is computed from the model itself, and is never the likely cause."""


class CauseIndex:
    """The diagnostics of two engines that hold the same mechanism, searched by quantity and place."""

    def __init__(self, diagnostics: Iterable[Diagnostic], mechanism: Mechanism) -> None:
        self._mechanism = mechanism
        self._diagnostics = tuple(diagnostics)

    def cause(self, quantity: Quantity, place: str) -> Diagnostic | None:
        """Return the first diagnostic that explains a difference of a quantity at a place; None if there is none.

        A difference of a quantity with ``propagates_to_ancestors`` is also explained by a diagnostic about anything
        that the joint carries: a link without mass changes the forces of all joints that carry it, and of no other.
        """
        known = [entry for entry in self._diagnostics if entry.code in quantity.causes]
        if not known:
            return None
        names = set(names_at(place))
        if quantity.propagates_to_ancestors:
            names |= self._carried(names)
        required = names if quantity.causes_name_whole_place else set()
        return next(
            (
                entry
                for entry in known
                if names.intersection(entry.subjects)
                and required.issubset(entry.subjects)
                and self._may_explain(entry, quantity, place)
            ),
            None,
        )

    def _may_explain(self, entry: Diagnostic, quantity: Quantity, place: str) -> bool:
        """Return False for a difference of mass at a link that has mass, if the diagnostic is about added inertia."""
        if quantity.name != "mass" or entry.code not in _ADDED_INERTIA:
            return True
        return all(body.inertia.mass <= NEGLIGIBLE_MASS for body in self._mechanism.bodies if body.name == place)

    def _carried(self, joints: set[str]) -> set[str]:
        """The links that these joints carry, and the joints between them."""
        names: set[str] = set()
        carried: list[bool] = []
        for body in self._mechanism.bodies:
            carried.append(body.joint in joints or (body.parent != ROOT and carried[body.parent]))
            if carried[-1]:
                names |= {body.name, str(body.joint)}
        return names


def attribute_differences(rows: Sequence[Row]) -> tuple[Row, ...]:
    """Add to each unexplained row the engine that is likely at fault and the difference it may follow from."""
    failed = [row for row in rows if row.outcome is Outcome.FAILED]
    causes = {row: _likely_cause(row, failed) for row in failed if not row.cause}
    return tuple(dataclasses.replace(row, cause=causes[row]) if causes.get(row) else row for row in rows)


def _likely_cause(row: Row, failed: Sequence[Row]) -> str:
    """The likely cause in words; empty if more than one engine may be at fault."""
    pairs = [other.engines for other in failed if other.quantity == row.quantity]
    suspects = set.intersection(*map(set, pairs)) - _COMPUTED_FROM_MODEL
    if len(suspects) != 1:
        return ""
    (engine,) = suspects
    cause = f"likely {engine}: the only engine whose {row.quantity} differs from the model"
    first = next(other for other in failed if engine in other.engines)
    if first.quantity == row.quantity:
        return cause
    return f"{cause}, which may follow from the {first.quantity} of {first.where}"
