"""Links that are cut in parts, on several bodies: put together again, and asked how far they are apart."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

import numpy as np

from bridge.mechanism import Mechanism
from loaders.spatial import IDENTITY, SpatialInertia

from .efforts import motion_of
from .state import State


class Gap(NamedTuple):
    """How far two parts of a link are apart."""

    distance: float
    """Of their origins [m]."""
    angle: float
    """By which one is turned against the other [rad]."""


def seat(states: Sequence[State]) -> None:
    """Put every part of a link where the link is, and let it move as the link does."""
    for state, seam, base in _seamed(states):
        _, link = motion_of(states, seam, IDENTITY)
        state.set_positions({base: tuple(link.X_WF.to_vector())})
        state.set_velocities({base: (*link.v.tolist(), *link.w.tolist())})


def gaps(states: Sequence[State]) -> dict[str, Gap]:
    """By the name of the part that is a base."""
    found = {}
    for state, seam, base in _seamed(states):
        X = motion_of(states, seam, IDENTITY)[1].X_WF.inverse() @ state.link_pose(base)
        chord = float(np.linalg.norm(X.R - np.eye(3))) / math.sqrt(8.0)
        found[base] = Gap(float(np.linalg.norm(X.p)), 2.0 * math.asin(min(1.0, chord)))
    return found


def _seamed(states: Sequence[State]) -> Iterator[tuple[State, str, str]]:
    """Each body of which the base is a part of a link, that link, and the base; after the body that has the link."""
    for state in states:
        if state.articulation.seam is not None:
            yield state, state.articulation.seam, state.articulation.mechanism.bodies[0].name


def assembled(mechanism: Mechanism, pieces: Iterable[tuple[str | None, Mechanism]]) -> Mechanism:
    """A mechanism with the inertias of its pieces, without rotors; that of a link that is cut is the sum of its parts.

    Args:
        mechanism: The whole.
        pieces: Each with the link that its base is a part of, if it is one.
    """
    inertias: dict[str, SpatialInertia] = {}
    for seam, piece in pieces:
        for i, body in enumerate(piece.bodies):
            name = seam if seam is not None and i == 0 else body.name
            inertias[name] = inertias[name] + body.inertia if name in inertias else body.inertia
    bodies = tuple(
        dataclasses.replace(body, inertia=inertias[body.name], reflected_inertia=(0.0,) * body.nv)
        for body in mechanism.bodies
    )
    return dataclasses.replace(mechanism, bodies=bodies)
