"""Named causes: which entry of the engines' ledgers says why a quantity is not exact at a place."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Sequence

from bridge.bullet.unsupported_features import LOSSES
from bridge.mechanism import Mechanism
from bridge.mechanism.bodies import ROOT
from bridge.parity.results.verdict import Outcome, Row
from loaders.diagnostics import Diagnostic
from loaders.scene_queries.scoped_names import local_name

from .convergence import EXACTLY
from .quantities import Quantity

LIGHT = 1e-6
"""Mass of a link that counts as none [kg]."""
_FOR_WANT_OF_INERTIA = {
    "mjcf.massless-link", "mjcf.inertia-from-geometry", "lower.massless-free-link", "lower.thin-link",
    "pybullet.base-without-inertia", "pybullet.ball-without-inertia",
}  # fmt: skip
_SURE = {"reference", EXACTLY}
"""What is computed from the model itself."""


class Ledger:
    """The ledgers of two engines that hold one mechanism."""

    def __init__(self, entries: Sequence[Diagnostic], mechanism: Mechanism) -> None:
        self._mechanism = mechanism
        self._entries = [(entry, names_in(entry) | self._shortened(entry)) for entry in entries]

    def cause(self, quantity: Quantity, place: str) -> Diagnostic | None:
        """The first entry that explains a quantity at a place; None if there is none.

        It names the place: a link, a joint, or one of two. A quantity that spreads it explains at every joint that
        carries what it names: a link without mass shows in the forces of all joints below it, and in no other.
        """
        known = [(entry, named) for entry, named in self._entries if entry.code in quantity.causes]
        if not known:
            return None
        names = {name.partition("[")[0] for name in re.split(" with | on ", place)}
        if quantity.spreads:
            names |= self._carried(names)
        names |= {local_name(name) for name in names}
        return next(
            (entry for entry, named in known if names & named and self._may_excuse(entry, quantity, place)), None
        )

    def _may_excuse(self, entry: Diagnostic, quantity: Quantity, place: str) -> bool:
        """Whether an entry may: where an engine only needs some inertia, it changes no mass that there is."""
        if quantity.name != "mass" or entry.code not in _FOR_WANT_OF_INERTIA:
            return True
        return all(body.inertia.mass <= LIGHT for body in self._mechanism.bodies if body.name == place)

    def _shortened(self, entry: Diagnostic) -> set[str]:
        """The names that a long list leaves out."""
        found = (loss.find(self._mechanism) for loss in LOSSES if entry.code == f"pybullet.{loss.code}")
        return {name.partition(" ")[0] for names in found for name, _ in names}

    def _carried(self, joints: set[str]) -> set[str]:
        """The links that these joints carry, and the joints between them."""
        found: set[str] = set()
        carried: list[bool] = []
        for body in self._mechanism.bodies:
            carried.append(body.joint in joints or (body.parent != ROOT and carried[body.parent]))
            if carried[-1]:
                found |= {body.name, str(body.joint)}
        return found


def attribute_differences(rows: Sequence[Row]) -> tuple[Row, ...]:
    """The same rows; those that nothing explains with the engine that stands alone, and what it may follow from."""
    failed = [row for row in rows if row.outcome is Outcome.FAILED]
    found = {row: _likely(row, failed) for row in failed if not row.cause}
    return tuple(dataclasses.replace(row, cause=found[row]) if found.get(row) else row for row in rows)


def _likely(row: Row, failed: Sequence[Row]) -> str:
    """In words; empty if more than one engine may be to blame."""
    alike = [other.engines for other in failed if other.quantity == row.quantity]
    suspects = set.intersection(*map(set, alike)) - _SURE
    if len(suspects) != 1:
        return ""
    (engine,) = suspects
    first = next(other for other in failed if engine in other.engines)
    told = f"likely {engine}: it alone has another {row.quantity} than the model"
    return (
        told
        if first.quantity == row.quantity
        else f"{told}, which may follow from the {first.quantity} of {first.where}"
    )


def names_in(entry: Diagnostic) -> set[str]:
    """What a diagnostic is about: by its words, and by where it stands."""
    words = {word.strip(",;:()") for word in f"{entry.message} {entry.hint}".split()}
    return words | set(re.findall(r"\[([^]]*)\]", entry.where.path))
