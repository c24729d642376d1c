"""Named causes: which entry of the engines' ledgers says why a quantity is not exact at a place."""

from __future__ import annotations

import re
from collections.abc import Sequence

from bridge.bullet.losses import LOSSES
from bridge.mechanism import ROOT, Mechanism
from loaders.diagnostics import Diagnostic

from .quantities import Quantity


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
        names |= {name.rpartition("::")[2] for name in names}
        return next((entry for entry, named in known if names & named), None)

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


def names_in(entry: Diagnostic) -> set[str]:
    """What a diagnostic is about: by its words, and by where it stands."""
    words = {word.strip(",;:()") for word in f"{entry.message} {entry.hint}".split()}
    return words | set(re.findall(r"\[([^]]*)\]", entry.where.path))
