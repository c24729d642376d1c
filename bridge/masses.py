"""What moves freely must have mass and moments of inertia: no engine can move what has none."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from loaders.diagnostics import Diagnostics, Fate
from loaders.spatial import IDENTITY, Pose, SpatialInertia

from .bodies import ROOT, Body, Kind
from .mechanism import Mechanism

SPECK = 1e-9
"""Mass of what has none [kg]."""
THICKNESS = 1e-12
"""Moment of inertia about an axis about which there is none [kg m^2]."""
_ROUNDING = 1e-14
"""A moment of inertia [kg m^2] that is as good as none."""


@dataclass(slots=True)
class _Whole:
    """A free body with all that is welded to it."""

    inertia: SpatialInertia
    """In the frame of the free one."""
    bearer: int
    """The first of them that has mass, else the free one."""

    def add(self, i: int, inertia: SpatialInertia) -> None:
        if inertia.mass != 0.0:
            self.bearer = i if self.inertia.mass == 0.0 else self.bearer
            self.inertia += inertia


def movable(mechanism: Mechanism) -> Mechanism:
    """The mechanism, with what its free bodies lack together with all that is welded to them; each is reported."""
    bodies, diagnostics = mechanism.bodies, Diagnostics()
    found = list(bodies)
    for free, whole in _wholes(bodies).items():
        lack = _lack(whole.inertia, bodies[free], bodies[whole.bearer].name, diagnostics)
        if lack is not None:
            bearer = found[whole.bearer]
            found[whole.bearer] = dataclasses.replace(bearer, inertia=bearer.inertia + lack)
    if not len(diagnostics):
        return mechanism
    return dataclasses.replace(mechanism, bodies=tuple(found), diagnostics=(*mechanism.diagnostics, *diagnostics))


def _wholes(bodies: Sequence[Body]) -> dict[int, _Whole]:
    """What moves as one with each free body."""
    wholes: dict[int, _Whole] = {}
    places: list[tuple[int, Pose]] = []
    for i, body in enumerate(bodies):
        place = (i, IDENTITY)
        if body.primitives and body.primitives[0].kind is Kind.FREE:
            wholes[i] = _Whole(body.inertia, i)
        elif not body.primitives and body.parent != ROOT and places[body.parent][0] in wholes:
            free, X_BP = places[body.parent]
            place = (free, X_BP @ body.X_PF @ body.X_BM.inverse())
            wholes[free].add(i, body.inertia.moved(place[1]))
        places.append(place)
    return wholes


def _lack(inertia: SpatialInertia, free: Body, bearer: str, diagnostics: Diagnostics) -> SpatialInertia | None:
    """What must be added to an inertia so that it can be moved; None if nothing."""
    hint, where = "give the link its mass and inertia, or hold it by a joint", free.link.where
    if inertia.mass == 0.0:
        message = (
            f"link {free.name} moves freely, and neither it nor what is welded to it has mass; it gets {SPECK:g} kg"
        )
        diagnostics.add(Fate.ASSUMED, "lower.massless-free-link", message, where, hint=hint)
    elif np.linalg.eigvalsh(inertia.I_Lcm)[0] > _ROUNDING:
        return None
    else:
        message = (
            f"link {free.name} can turn about an axis with no inertia about it; {bearer} gets {THICKNESS:g} kg m^2"
        )
        diagnostics.add(Fate.ASSUMED, "lower.thin-free-link", message, where, hint=hint)
    return SpatialInertia.of(0.0 if inertia.mass else SPECK, I_Lcm=THICKNESS * np.eye(3))
